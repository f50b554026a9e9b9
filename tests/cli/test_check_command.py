"""``calibrate check`` from its arguments to its end, in this process, by a made-up profile."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NoReturn
from unittest import mock

import pytest

from corpora import table
from end_to_end.command import calibrate, typed
from hashcost.checks import judging
from hashcost.checks import live_check as checking
from hashcost.checks.check import exit_code
from hashcost.checks.judgement import Outcome, Standard
from hashcost.core.errors import Unread, UnreadError
from made_up import PROFILE_FILE

PROFILE: Final = PROFILE_FILE
MEMORY_HARD: Final = PROFILE.with_name("memory_hard.json")
AT_FORTY: Final = ("--target", "40ms", "--profile", str(PROFILE))
FREE: Final = (*AT_FORTY, "--policy", "none")
"""Held to nobody's floors."""
NAMED: Final = {"AT_FORTY": AT_FORTY, "FREE": FREE}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def _versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The versions of the profile, whatever is installed."""
    monkeypatch.setattr(judging, "installed_versions", lambda labels, pool: {})


class Run:
    """The command, run with arguments, outside of any CI; what it left behind."""

    def __init__(self) -> None:
        self.out = self.err = ""
        self.environment: dict[str, str] = {}

    def __call__(self, *arguments: str, stdin: bytes = b"") -> int:
        """Run ``calibrate check`` and return its code."""
        ended = calibrate("check", *arguments, env=self.environment, stdin=stdin)
        self.out, self.err = ended.out, ended.err
        return ended.code

    @property
    def outcomes(self) -> list[str]:
        """The outcomes in a report in JSON."""
        return [row["outcome"] for row in json.loads(self.out)["results"]]


@pytest.fixture
def run() -> Run:
    """The command."""
    return Run()


@table("outcomes, on_unknown, wish, code")
def test_the_worst_decides(
    outcomes: list[str], on_unknown: str, wish: str | None, code: int
) -> None:
    """A failure goes before what is not available, and that before what nobody can tell; a wish
    decides on what it names and hides nothing else.
    """
    standard = Standard(target_seconds=1, on_inconclusive=wish, on_unknown=on_unknown)
    judged: Any = [
        SimpleNamespace(outcome=outcome, severity=standard.severity_of(outcome))
        for outcome in map(Outcome, outcomes)
    ]
    assert code == exit_code(judged)


@table("arguments, code")
def test_the_code_is_that_of_what_is_found(
    arguments: str, code: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command ends with the code of what it found, says why in one line on standard error,
    and times nothing with a profile.
    """
    monkeypatch.setattr(checking, "measure", mock.Mock(side_effect=AssertionError))
    assert (code, int(code > 0)) == (run(*typed(arguments, **NAMED)), run.err.count("\n"))


def test_costs_on_standard_input(run: Run) -> None:
    """A dash stands for the lines of standard input, without comments and empty lines."""
    lines = b"# ours\nbcrypt=8  # old\r\n\n bcrypt=9\n"

    assert 1 == run("bcrypt=10", "-", *FREE, "--format", "json", stdin=lines)
    assert ["over-budget", "drifted", "fine"] == run.outcomes
    assert [None, 2, 4] == [
        row["place"] and row["place"]["line"] for row in json.loads(run.out)["results"]
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# nothing\n\n", "standard input is empty; write one cost per line, such as bcrypt=12"),
        (b"bcrypt=9\nbcrypt\n", "<stdin>:2: bcrypt is only a hasher; add its cost, for example"),
        (b"bcrypt=\xff\xfe", "<stdin>:1: '\\xff\\xfe' in 'bcrypt=\\xff\\xfe' is not a whole"),
        (b"\x00\x1b[31m", "<stdin>:1: "),
        (b"a" * (1 << 21), "cannot read standard input: it is larger than 1,048,576 bytes"),
    ],
)
def test_bad_standard_input(content: bytes, message: str, run: Run) -> None:
    """Whatever is on standard input, it is refused on one line, with the place."""
    assert 2 == run("-", *FREE, stdin=content)
    assert run.err.startswith(f"calibrate: {message}")
    assert run.err.removesuffix("\n").isprintable()


def test_arguments_go_before_settings(run: Run, folder: Path) -> None:
    """What is typed counts, and what is not comes from the file, with its place."""
    (folder / "pyproject.toml").write_text(
        f'[tool.hashcost]\ntarget = "40ms"\nprofile = "{PROFILE}"\npolicy = ["none"]\n'
        'on-inconclusive = "fail"\ntolerance = "60%"\nmax = "45ms"\ncheck = ["bcrypt=8"]\n'
    )

    assert (1, ["too-slow"]) == (run("bcrypt=10", "--format", "json"), run.outcomes)
    assert (0, ["fine"]) == (run("--format", "json"), run.outcomes)
    place = {"path": "pyproject.toml", "line": 8}
    assert [place] == [row["place"] for row in json.loads(run.out)["results"]]
    assert (0, ["fine"]) == (run("bcrypt=9", "--format", "json"), run.outcomes)
    assert 1 == run("bcrypt=9", "--policy", "owasp")


def test_a_file_of_settings_may_be_named(run: Run, folder: Path) -> None:
    """--config names the file; a pyproject.toml without the table is refused."""
    (folder / "x.toml").write_text(f'profile = "{PROFILE}"\ncheck = ["bcrypt=9"]\n')
    (folder / "pyproject.toml").write_text("[project]\n")

    assert 1 == run("--config", "x.toml", "--target", "40ms")
    assert 2 == run("--config", "pyproject.toml")
    assert "--config: pyproject.toml has no [tool.hashcost] table" in run.err


@table("settings, arguments, message")
def test_wrong_use(settings: str, arguments: str, message: str, run: Run, folder: Path) -> None:
    """Wrong use ends with 2, and says on one line what to change: the option or the key."""
    if settings:
        (folder / "hashcost.toml").write_text(settings)
    assert 2 == run(*typed(arguments, **NAMED))
    assert ("", 1) == (run.out, run.err.count("\n"))
    assert run.err.startswith(f"calibrate: {message}")


def test_a_listed_file_is_named_as_a_typed_one(run: Run, folder: Path) -> None:
    """A name with a backslash is escaped once, so that it is found again."""
    (folder / r"a\b.env").write_text("HASH_DRIVER=bcrypt\nBCRYPT_ROUNDS=9\n")
    (folder / "hashcost.toml").write_text(r"app.laravel = 'a\b.env'")
    for arguments in ((), ("--app", "laravel", r"a\b.env")):
        assert 0 == run(*arguments, *FREE, "--format", "json")
        assert [r"a\\b.env"] == [row["place"]["path"] for row in json.loads(run.out)["results"]]


def test_a_line_of_an_application_in_source_code_is_one_row(run: Run, folder: Path) -> None:
    """A cost that an application's file and the source code both show is judged and shown once."""
    (folder / "devise.rb").write_text("Devise.setup do |config|\n  config.stretches = 9\nend\n")
    (folder / "login.go").write_text("package x\nvar h, _ = bcrypt.GenerateFromPassword(p, 8)\n")
    (folder / "hashcost.toml").write_text("app.devise = 'devise.rb'\nscan = ['.']\n")

    assert 1 == run(*FREE, "--format", "json")
    places = [row["place"] for row in json.loads(run.out)["results"]]
    assert [{"path": "devise.rb", "line": 2}, {"path": "login.go", "line": 2}] == places


def test_an_old_profile_is_said(run: Run, folder: Path) -> None:
    """An old profile is said on standard error, and changes no verdict."""
    path = folder / "old.json"
    path.write_text(PROFILE.read_text("utf-8").replace("2026-11-20T", "2019-11-20T"))
    arguments = ("bcrypt=9", *FREE[:2], "--policy", "none", "--profile", str(path))

    assert (0, "") == (run(*arguments), run.err)
    (folder / "hashcost.toml").write_text("max-age = '90d'")
    assert 0 == run(*arguments)
    assert "old-profile: the profile is " in run.err
    assert (0, "") == (run(*arguments, "--quiet"), run.err)


def test_the_result_goes_to_other_places_too(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--report writes other forms; a GitHub job's summary gets what speaks against it, too."""
    summary = folder / "summary.md"
    summary.write_text("# Before\n\n")
    run.environment["GITHUB_STEP_SUMMARY"] = str(summary)
    versions = mock.Mock(return_value={"bcrypt@bcrypt": "6.0.0"})
    monkeypatch.setattr(judging, "installed_versions", versions)
    code = run("bcrypt=8", *FREE, "--report", "sarif=a.sarif", "--report", "junit=b.xml")
    log = json.loads((folder / "a.sarif").read_text("utf-8"))
    text = summary.read_text("utf-8")

    assert 1 == code
    assert {"bcrypt@bcrypt"} == versions.call_args[0][0], "only of what is checked"
    assert run.out.startswith("Measured on 2026-11-20 on 2 × AMD EPYC")
    assert ["drifted"] == [result["ruleId"] for result in log["runs"][0]["results"]]
    assert 'failures="1"' in (folder / "b.xml").read_text("utf-8")
    assert text.startswith("# Before\n\nMeasured on 2026-11-20")
    assert "| drifted | bcrypt | cost=8 |" in text
    assert re.search(r"^- other-version: bcrypt&#64;bcrypt: .* 6\.0\.0 ", text, re.MULTILINE)


@pytest.mark.parametrize("path", ["nowhere/summary.md", "."])
def test_a_summary_that_cannot_be_written(path: str, run: Run) -> None:
    """A summary that cannot be written is found before anything is done."""
    run.environment["GITHUB_STEP_SUMMARY"] = path

    assert (2, "") == (run("bcrypt=8", *FREE), run.out)
    assert run.err.startswith("calibrate: cannot write GITHUB_STEP_SUMMARY: ")


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
@pytest.mark.parametrize("name", ["hashcost.toml", "services/login/hashcost.toml"])
def test_paths_from_the_top_of_the_repository(
    variable: str, name: str, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where CI says where the repository is, a place is named as seen from there."""
    inner = folder / "services" / "login"
    inner.mkdir(parents=True)
    (folder / name).write_text('check = ["bcrypt=8"]\n')
    monkeypatch.chdir(inner)
    run.environment[variable] = str(folder)
    run(*FREE, "--format", "github")

    assert run.out.startswith(f"::error file={name},line=1,")


def test_waivers_that_are_not_read_are_told(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit that ended the search for waivers in a file is a warning with a code of its own."""

    def ended(*arguments: object) -> NoReturn:
        raise UnreadError(Unread.TOO_LARGE, "it is too large")

    monkeypatch.setattr("hashcost.apps.comments.comments_in_file", ended)
    (folder / ".env").write_text("PASSWORD_ITERATIONS=600000\n")
    run("--app", "vaultwarden", ".env", *FREE, "--format", "json")
    warned = {row["code"]: row["message"] for row in json.loads(run.out)["warnings"]}
    assert warned["unread-waivers"] == ".env: its waivers are not read: it is too large"


def test_a_file_that_only_tests_read_is_told_beside_others(run: Run, folder: Path) -> None:
    """What was named and is not judged is a warning, and what production reads decides."""
    (folder / "config.exs").write_text("config :bcrypt_elixir, log_rounds: 12\n")
    (folder / "test.exs").write_text("config :bcrypt_elixir, log_rounds: 1\n")
    run("--app", "elixir", "config.exs", "test.exs", *FREE, "--format", "json")
    told = json.loads(run.out)
    assert [row["params"] for row in told["results"]] == [{"cost": 12}]
    warned = {row["code"]: row["message"] for row in told["warnings"]}
    assert warned["for-tests"] == "test.exs: by its path, only tests read it; it is not judged"
