"""Findings that a person has accepted, in a whole run of ``calibrate check`` and ``scan``."""

import datetime as dt
import json
from pathlib import Path
from typing import Any, Final

import pytest

from corpora import table
from end_to_end.command import MADE_UP, calibrate

DAY: Final = (dt.datetime.now(dt.UTC) + dt.timedelta(days=90)).date()
PAST: Final = (dt.datetime.now(dt.UTC) - dt.timedelta(days=1)).date()
SETTINGS: Final = f"""\
check = [
    "bcrypt=9",
    "bcrypt=8", # hashcost: accept bcrypt=8 drifted until {DAY}: listed
]
scan = ["src/"]
target = "40ms"
profile = "{MADE_UP}"
policy = ["none"]

[app]
laravel = "web/.env"
synapse = "homeserver.yaml"

[[accept]]
where = "src/old/*"
cost = "bcrypt=7"
verdict = ["drifted", "below-min"]
until = {DAY}
why = "in the settings"
"""
FILES: Final = {
    "hashcost.toml": SETTINGS,
    "web/.env": f"# hashcost: accept bcrypt=6 drifted until {DAY}: environment\nBCRYPT_ROUNDS=6\n",
    "homeserver.yaml": "server_name: x\n"
    f"bcrypt_rounds: 5 # hashcost: accept bcrypt=5 drifted until {DAY}: at its end\n",
    "src/users.py": "import bcrypt\n\n"
    f"# hashcost: accept bcrypt=4 drifted until {DAY}: in code\nbcrypt.gensalt(4)\n",
    "src/old/users.py": "import bcrypt\n\nbcrypt.gensalt(7)\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose weak costs are all accepted, each in another way."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def changed(project: Path, name: str, before: str, after: str) -> tuple[int, dict[str, Any]]:
    """Edit a file; the code and the report of the check that follows."""
    path = project / name
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")
    ended = calibrate("check", "-f", "json", cwd=project)
    return ended.code, json.loads(ended.out)


def test_everything_that_is_accepted_passes_and_is_counted(project: Path) -> None:
    """Comments in code, configurations and settings, and tables of the settings, all count."""
    ended = calibrate("check", cwd=project)

    assert (0, 5) == (ended.code, ended.out.count("accepted until") - 1)
    said = " ".join(ended.out.split())
    assert f"1 of 6 costs is fine at 40.0 ms, 5 costs are accepted until {DAY}." in said
    for why in ("listed", "environment", "at its end", "in code", "in the settings"):
        assert f"drifted, accepted until {DAY}: {why}" in said


def test_no_accept_ignores_them(project: Path) -> None:
    """With --no-accept, as for a pull request, every finding fails; none is stale."""
    ended = calibrate("check", "--no-accept", cwd=project)

    assert 1 == ended.code
    assert "5 of 6 costs fail" in " ".join(ended.out.split())
    assert "accepted" not in ended.out


@table("name, before, after, outcomes")
def test_a_change_is_noticed(
    project: Path, name: str, before: str, after: str, outcomes: list[str]
) -> None:
    """A cost that changes without its waiver fails, and so does the waiver that it leaves."""
    code, report = changed(project, name, before, after)

    failing = [row["outcome"] for row in report["results"] if row["severity"] == "error"]
    assert (1, outcomes) == (code, sorted(failing))


def test_a_comment_of_several_lines_accepts_nothing(project: Path) -> None:
    """Its reason could hide on a line that nobody looks at, so the cost fails and that is said."""
    (project / "src/users.js").write_text(
        'const bcrypt = require("bcrypt");\n'
        f"/* hashcost: accept bcrypt=4 drifted until {DAY}: x\n   and more */\n"
        "bcrypt.hashSync(password, 4);\n",
        "utf-8",
    )
    ended = calibrate("check", "-f", "json", cwd=project)
    report = json.loads(ended.out)

    failing = [row["outcome"] for row in report["results"] if row["severity"] == "error"]
    assert (1, ["drifted"]) == (ended.code, failing)
    assert ["malformed-waiver"] == [notice["code"] for notice in report["warnings"]]


def test_a_past_day_is_said(project: Path) -> None:
    """On standard error and in JSON, a line names the waiver whose day has passed."""
    code, report = changed(project, "src/users.py", str(DAY), str(PAST))

    assert 1 == code
    assert ["expired-waiver"] == [notice["code"] for notice in report["warnings"]]


def test_a_scan_reads_waivers_and_calls_none_stale_that_it_cannot_judge(project: Path) -> None:
    """A scan alone reads no configurations, and a waiver of one is not its concern."""
    ended = calibrate("scan", "src", cwd=project)

    assert 0 == ended.code
    assert 1 == calibrate("scan", "src", "--no-accept", cwd=project).code


def test_code_that_only_an_application_reads_has_no_stale_waivers(tmp_path: Path) -> None:
    """The reader of an application looks only for its own costs in code; a scan finds the rest."""
    (tmp_path / "config.py").write_text(
        f"# hashcost: accept bcrypt=8 drifted until {DAY}: x\nBCRYPT_LOG_ROUNDS = 9\n", "utf-8"
    )
    head = f'target = "40ms"\nprofile = "{MADE_UP}"\npolicy = ["none"]\n'
    apps = '[app]\nflask-bcrypt = "config.py"\n'
    for scan, code in (("", 0), ('scan = ["config.py"]\n', 1)):
        (tmp_path / "hashcost.toml").write_text(head + scan + apps, "utf-8")
        assert code == calibrate("check", cwd=tmp_path).code


def test_one_weak_cost_is_told_in_full_beside_its_stale_waiver(project: Path) -> None:
    """The last line has the cure, what is accepted, and the number of stale waivers."""
    path = project / "src/users.py"
    path.write_text(path.read_text("utf-8").replace("gensalt(4)", "gensalt(5)"), "utf-8")
    said = " ".join(calibrate("check", cwd=project).out.split())

    assert "set cost=9, which takes 26.8 ms." in said
    assert said.endswith(f"4 costs are accepted until {DAY}. 1 waiver is stale.")


def test_the_files_of_an_application_have_waivers(project: Path) -> None:
    """A check of one application's files reads their comments too."""
    arguments = ("check", "--app", "laravel", "web/.env")

    assert 0 == calibrate(*arguments, cwd=project).code
    assert 1 == calibrate(*arguments, "--no-accept", cwd=project).code


def test_a_waiver_in_an_application_s_code_stands_above_its_statement(project: Path) -> None:
    """It is about all lines of the statement, as it is in a scan."""
    call = "bcrypt.GenerateFromPassword(\n    password,\n    7,\n)\n"
    accept = f"// hashcost: accept bcrypt=7 drifted until {DAY}: above it\n"
    code = 'import "golang.org/x/crypto/bcrypt"\n\n'
    check = ("check", "--app", "go-bcrypt", "main.go")

    for text, expected in ((f"{code}{accept}{call}", 0), (f"{code}{accept}\n{call}", 1)):
        (project / "main.go").write_text(text, "utf-8")
        assert expected == calibrate(*check, cwd=project).code


def test_other_formats_show_what_is_accepted_as_such(project: Path) -> None:
    """SARIF has suppressions, JUnit skipped cases, GitLab entries for information, and GitHub
    notices; each with the reason.
    """

    def shown(form: str) -> str:
        ended = calibrate("check", "-f", form, cwd=project)
        assert 0 == ended.code
        return ended.out

    (run,) = json.loads(shown("sarif"))["runs"]
    suppressions = [result["suppressions"] for result in run["results"]]
    kinds = sorted(only["kind"] for (only,) in suppressions)
    assert ["external", "inSource", "inSource", "inSource", "inSource"] == kinds
    assert {"accepted"} == {only["status"] for (only,) in suppressions}
    assert f"accepted until {DAY}: in code" in {only["justification"] for (only,) in suppressions}
    assert {"note"} == {result["level"] for result in run["results"]}
    assert {"info"} == {entry["severity"] for entry in json.loads(shown("gitlab"))}
    junit = shown("junit")
    assert ('failures="0"' in junit, 5) == (True, junit.count("<skipped"))
    assert 5 == shown("github").count("::notice ")
    assert 5 == shown("csv").count(f",{DAY},")


def test_a_reason_obeys_nothing_and_a_secret_is_not_printed(project: Path) -> None:
    """A reason is escaped, and a malformed waiver in a secret file is named by its place only."""
    path = project / "web/.env"
    path.write_text("# hashcost: accept hunter2 s3cret\nBCRYPT_ROUNDS=9\nKEY=s3cret\n", "utf-8")
    users = project / "src/users.py"
    text = users.read_text("utf-8").replace("in code", "\x1b[31m##vso[task]")
    users.write_text(text, "utf-8")
    ended = calibrate("check", cwd=project)

    assert "malformed-waiver: web/.env:1" in ended.err
    for secret in ("hunter2", "s3cret", "\x1b[31m", "##vso["):
        assert secret not in ended.out + ended.err


def test_drifted_costs_may_pass(project: Path) -> None:
    """With on-drifted = "pass", a drifted cost is a note, and the last line still counts it."""
    code, _ = changed(project, "hashcost.toml", "target =", 'on-drifted = "pass"\ntarget =')
    ended = calibrate("check", "--no-accept", cwd=project)

    assert (0, 0) == (code, ended.code)
    assert "5 of 6 costs have drifted at 40.0 ms" in " ".join(ended.out.split())


def test_typed_costs_are_accepted_in_the_settings(tmp_path: Path) -> None:
    """A command line has no comments: a table without a path is about its costs."""
    (tmp_path / "hashcost.toml").write_text(
        f'profile = "{MADE_UP}"\npolicy = ["none"]\ntarget = "40ms"\n\n[[accept]]\n'
        f'cost = "bcrypt=6"\nverdict = "drifted"\nuntil = {DAY}\nwhy = "typed"\n',
        "utf-8",
    )

    assert 0 == calibrate("check", "bcrypt=6", cwd=tmp_path).code
    assert 0 == calibrate("check", "-", cwd=tmp_path, stdin=b"bcrypt=6\n").code
    assert 1 == calibrate("check", "bcrypt=5", cwd=tmp_path).code


HASHES: Final = (
    "$2b$08$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkY8jIucDrjc8deX1s.e\n"
    "5f4dcc3b5aa765d61d8327deb882cf99\n"
)
AUDIT: Final = ("audit", "users.txt", "--fail-on-weak", "--gpu", "none")


def audited(folder: Path, *waivers: str, arguments: tuple[str, ...] = AUDIT) -> tuple[int, str]:
    """The code of an audit of two weak hashes, with tables in the settings, and what it says."""
    (folder / "users.txt").write_text(HASHES, "utf-8")
    tables = (f'[[accept]]\n{waiver}\nuntil = {DAY}\nwhy = "old"\n' for waiver in waivers)
    (folder / "hashcost.toml").write_text("".join(tables), "utf-8")
    ended = calibrate(*arguments, cwd=folder, stdin=HASHES.encode())
    return ended.code, " ".join((ended.out + ended.err).split())


def test_stored_hashes_are_accepted_in_the_settings(tmp_path: Path) -> None:
    """An audit that fails on weak hashes takes tables with the file of the hashes; those on
    standard input have none. A waiver of what is no longer stored fails.
    """
    file = 'where = "users.txt"\n'
    bcrypt = f'{file}cost = "bcrypt=8"\nverdict = "below-min"'
    digest = f'{file}cost = "MD5"\nverdict = "unsuitable"'

    assert 1 == audited(tmp_path)[0]
    assert 1 == audited(tmp_path, bcrypt)[0]
    code, said = audited(tmp_path, bcrypt, digest)
    assert 0 == code
    assert f"2 are accepted until {DAY}." in said
    assert 1 == audited(tmp_path, bcrypt, digest, arguments=(*AUDIT, "--no-accept"))[0]
    code, said = audited(tmp_path, bcrypt, digest, f'{file}cost = "bcrypt=9"\nverdict = "drifted"')
    assert 1 == code
    assert "stale-waiver: hashcost.toml:13: the waiver of bcrypt cost=9" in said
    on_input = ("audit", "-", "--fail-on-weak", "--gpu", "none")
    assert 1 == audited(tmp_path, bcrypt, digest, arguments=on_input)[0]
    nowhere = [table.removeprefix(file) for table in (bcrypt, digest)]
    assert 0 == audited(tmp_path, *nowhere, arguments=on_input)[0]


def test_a_file_that_is_not_read_is_accepted_in_the_settings(tmp_path: Path) -> None:
    """A file that is too large has no comments to read; a table names it, and only it."""
    (tmp_path / "big.py").write_text("bcrypt.gensalt(12)\n" + "x = 1\n" * 100_000, "utf-8")
    table = f'verdict = "unread"\nuntil = {DAY}\nwhy = "generated"\n'
    head = f'scan = ["."]\nprofile = "{MADE_UP}"\npolicy = ["none"]\n\n[[accept]]\n'

    def code(waiver: str) -> int:
        (tmp_path / "hashcost.toml").write_text(head + waiver + table, "utf-8")
        return calibrate("check", cwd=tmp_path).code

    assert 0 == code('where = "big.py"\n')
    assert 1 == code('where = "small.py"\n')
    assert 1 == code("")
