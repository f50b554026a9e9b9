"""``calibrate init``: what it finds, writes and prints, by a made-up measurement."""

import contextlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final
from unittest.mock import Mock

import msgspec
import pytest

from corpora import table
from end_to_end.command import calibrate
from hashcost.cli.commands import init as command
from hashcost.core.profile import Failure, Profile
from hashcost.machine.host import this_host
from hashcost.measure.request import Request
from hashcost.render.ci_steps import FILES, INCLUDED, ci_step
from hashcost.storage.profile import load_profile
from hashcost.storage.settings import load_settings
from measured import EVERY

MEASURED: Final = msgspec.structs.replace(
    EVERY.only(*(row for row in EVERY.recommendations if (row.error_fraction or 1) < 0.2)),
    machine=this_host().describe(),
)
"""What a run on this machine gives."""
NOISY: Final = msgspec.structs.replace(
    EVERY,
    machine=MEASURED.machine,
    results=(
        *EVERY.results,
        Failure(hasher="fake", implementation="x", code="inconclusive", error="too short"),
    ),
)
"""Rows of it are too noisy or too short, one is not to be had."""

MADE_UP_AUTHOR: Final = ("-c", "user.name=me", "-c", "user.email=me@example.org")
CI_PAGE: Final = Path(__file__).parents[2] / "docs" / "ci.md"
SETTINGS: Final = "INSTALLED_APPS = []\nPASSWORD_HASHERS = ['a.MyHasher']\n"
USERS: Final = "import bcrypt\n\nbcrypt.gensalt(9)\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project, in which the command is run."""
    monkeypatch.chdir(tmp_path)
    return write(tmp_path, {"web/mysite/settings.py": SETTINGS, "src/users.py": USERS})


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


class Run:
    """The command, with what it measures made up; what it left behind."""

    def __init__(self) -> None:
        self.measures: Profile = MEASURED
        self.asked: list[Request] = []
        self.out = self.err = ""

    def calibrate(self, request: Request, **_: Any) -> Profile:
        """What stands in for a measurement."""
        self.asked.append(request)
        return msgspec.structs.replace(self.measures, target_seconds=request.target_seconds)

    def __call__(self, *arguments: str) -> int:
        """Run ``calibrate init`` and return its code."""
        ended = calibrate("init", *arguments)
        self.out, self.err = ended.out, ended.err
        return ended.code


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command."""
    found = Run()
    monkeypatch.setattr(command, "calibrate", found.calibrate)
    return found


def state(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class TestWritten:
    """What it leaves in the folder."""

    def test_settings_and_profile(self, project: Path, run: Run) -> None:
        """The settings list what there is to check, and name the profile that was measured."""
        assert 0 == run("--target", "100ms"), run.err
        settings = load_settings(project / "hashcost.toml")

        assert settings is not None
        assert 0.1 == settings.target
        assert project / "hashcost.json" == settings.profile
        assert (("django", (project / "web/mysite/settings.py",)),) == settings.app
        assert (project / "src", project / "web") == settings.scan
        assert MEASURED.results == load_profile(project / "hashcost.json").results
        assert "checks django (web/mysite/settings.py) and source code in src/ and web/" in run.err

    def test_a_second_run_changes_nothing(self, project: Path, run: Run) -> None:
        """It measures nothing, and says so."""
        run()
        before, asked = state(project), len(run.asked)

        assert 0 == run()
        assert ("", before, asked) == (run.out, state(project), len(run.asked))
        assert "hashcost.toml is there already and unchanged; --force makes it anew" in run.err

    def test_what_is_missing_is_added(self, project: Path, run: Run) -> None:
        """Settings that somebody wrote are left alone, and the profile that they name is made."""
        text = 'check = ["bcrypt=9"]\ntarget = "60ms"\nprofile = "ci/production.json"\n'
        write(project, {"hashcost.toml": text, "ci/readme": ""})

        assert 0 == run(), run.err
        assert text == (project / "hashcost.toml").read_text("utf-8")
        assert 0.06 == load_profile(project / "ci/production.json").target_seconds
        assert not (project / "hashcost.json").exists()

    def test_force_makes_both_anew(self, project: Path, run: Run) -> None:
        """The old settings are kept in the user's state folder."""
        write(project, {"hashcost.toml": 'check = ["bcrypt=9"]\n'})

        assert 0 == run("--force"), run.err
        assert "django" in (project / "hashcost.toml").read_text("utf-8")
        (backup,) = re.findall(r"hashcost.toml as it was is (.*)\.", run.err)
        assert 'check = ["bcrypt=9"]\n' == Path(backup).read_text("utf-8")
        assert not [*project.glob("*.bak")]
        asked = len(run.asked)
        assert 0 == run("--force")
        assert len(run.asked) > asked

    def test_settings_in_another_file_are_never_made_anew(self, project: Path, run: Run) -> None:
        """--force measures again, and leaves a pyproject.toml, which holds more, as it is."""
        text = '[tool.hashcost]\ncheck = ["bcrypt=9"]\n'
        write(project, {"pyproject.toml": text})

        assert 0 == run("--force"), run.err
        assert text == (project / "pyproject.toml").read_text("utf-8")
        assert not (project / "hashcost.toml").exists()
        assert (project / "hashcost.json").is_file()

    def test_a_noisy_measurement_is_kept_with_its_doubt(self, project: Path, run: Run) -> None:
        """The project is set up, and the one thing that is left to do says why."""
        run.measures = NOISY

        assert 0 == run()
        assert NOISY.results == load_profile(project / "hashcost.json").results
        *_, last = run.err.splitlines()
        assert last.startswith("Next: ")
        assert "measure again when the machine is quieter with `calibrate init --force`" in last
        assert "fake" in last or "hashers could not" in last

    def test_three_doubtful_hashers_are_named(self, project: Path, run: Run) -> None:
        """The last line names up to three hashers, and counts more."""
        failures = tuple(
            Failure(hasher=name, implementation="x", code="inconclusive", error="too short")
            for name in ("one", "two", "three", "four")
        )

        kept = MEASURED.recommendations
        run.measures = msgspec.structs.replace(MEASURED, results=(*kept, *failures[:3]))
        assert 0 == run()
        assert "one, two and three could not be timed" in run.err
        run.measures = msgspec.structs.replace(MEASURED, results=(*kept, *failures))
        assert 0 == run("--force")
        assert "4 hashers could not be timed" in run.err

    def test_what_needs_no_timing_is_written_first(
        self, project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An interrupted measurement leaves settings and step; a second run only measures."""
        monkeypatch.setattr(command, "calibrate", Mock(side_effect=KeyboardInterrupt))
        assert 130 == run()
        before = state(project)
        assert {"hashcost.toml", FILES["github"]} <= before.keys()
        monkeypatch.setattr(command, "calibrate", run.calibrate)
        assert 0 == run()
        assert {"hashcost.json"} == state(project).keys() - before.keys()
        assert before.items() <= state(project).items()

    def test_a_profile_of_another_machine_is_left_alone(self, project: Path, run: Run) -> None:
        """It is refused before anything is timed, with what helps."""
        machine = msgspec.structs.replace(MEASURED.machine, cpu_model="another CPU")
        other = msgspec.structs.replace(MEASURED, machine=machine)
        (project / "hashcost.json").write_bytes(msgspec.json.encode(other))
        before = state(project)

        assert 2 == run("--force")
        assert (before, []) == (state(project), run.asked)
        assert "was measured on another machine" in run.err

    @table("name, target, arguments")
    def test_links_in_a_project_lead_nowhere(
        self, project: Path, run: Run, name: str, target: str, arguments: list[str]
    ) -> None:
        """Whoever wrote the project chooses no file outside of it."""
        inner = project / "inner"
        write(project, {"theirs": "as it was", "inner/README": ""})
        if name == "ci":
            write(inner, {"hashcost.toml": 'profile = "ci/profile.json"\n'})
        (inner / name).parent.mkdir(parents=True, exist_ok=True)
        (inner / name).symlink_to(target)
        before = state(project)

        with contextlib.chdir(inner):
            assert 2 == run(*arguments), run.err
        assert before == state(project)

    def test_nothing_to_check(self, tmp_path: Path, run: Run, monkeypatch: Any) -> None:
        """An empty folder gets settings that show where costs belong."""
        monkeypatch.chdir(tmp_path)

        assert 0 == run()
        assert load_settings(tmp_path / "hashcost.toml") is not None
        assert 'nothing to check was found; list your costs, as in check = ["bcrypt' in run.err


def test_what_the_costs_that_were_found_need(project: Path, run: Run) -> None:
    """Memory and lanes of the costs in the project are timed beside the usual ones."""
    write(
        project,
        {
            "web/mysite/settings.py": "INSTALLED_APPS = []\nPASSWORD_HASHERS = ["
            "'django.contrib.auth.hashers.Argon2PasswordHasher']\n"
        },
    )
    run()
    usual, lanes = run.asked

    assert () == usual.hashers
    assert "bcrypt@libcrypt" in usual.also
    assert {"bcrypt", "argon2id"} == {*usual.extra_costs}
    # The application names its library, and its source code names none.
    assert (["argon2id@argon2-cffi", "argon2id"], 8) == (lanes.hashers, lanes.parallelism)


def test_other_lanes_leave_half_of_the_time(project: Path, run: Run) -> None:
    """However many costs have lanes of their own, the usual hashers are timed well."""
    calls = "".join(f"argon2.PasswordHasher(parallelism={lanes})\n" for lanes in range(2, 8))
    write(project, {"src/users.py": f"import argon2\n{calls}"})
    run()
    usual, *others = run.asked

    assert 8.0 == usual.budget_seconds
    assert [2.0] * 6 == [request.budget_seconds for request in others]


class TestStep:
    """The CI step."""

    @table("files, system")
    def test_by_what_the_repository_has(
        self, project: Path, run: Run, files: dict[str, str], system: str
    ) -> None:
        """It is the step of the system that the repository is for, in its place."""
        write(project, files)
        assert 0 == run()
        place = INCLUDED if FILES[system] in files else FILES[system]
        assert ci_step(system) == (project / place).read_text("utf-8")
        assert ("", (place == INCLUDED)) == (run.out, f"add `include: {INCLUDED}`" in run.err)

    def test_not_in_a_folder_of_a_repository(
        self, project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """CI systems read only the top folder, so no step is written below it."""
        write(project, {".git/config": ""})
        monkeypatch.chdir(project / "web")
        assert 0 == run()
        assert not (project / "web" / ".github").exists()
        assert "put `calibrate check` into the CI of the repository" in run.err

    def test_another_is_named(self, project: Path, run: Run) -> None:
        """`--ci` names the system; `-` prints the step and writes no file for it."""
        assert 0 == run("--ci", "-", "--quiet")
        assert (ci_step("github"), "") == (run.out, run.err)
        assert {"hashcost.toml", "hashcost.json"} == state(project).keys() - {
            "web/mysite/settings.py",
            "src/users.py",
        }
        assert 0 == run("--ci", "gitlab")
        assert ci_step("gitlab") == (project / FILES["gitlab"]).read_text("utf-8")

    @table("told, remote, origin")
    def test_where_it_is_from(
        self,
        project: Path,
        tmp_path_factory: pytest.TempPathFactory,
        run: Run,
        monkeypatch: pytest.MonkeyPatch,
        told: str | None,
        remote: str,
        origin: list[str] | None,
    ) -> None:
        """The step names the commit that was installed, or that of the clone which was; an
        address with a secret is not used.
        """
        clone = tmp_path_factory.mktemp("clone")
        for words in (
            ("init", "-q", str(clone)),
            *((("-C", str(clone), "remote", "add", "origin", remote),) if remote else ()),
            ("-C", str(clone), *MADE_UP_AUTHOR, "commit", "-q", "--allow-empty", "-m", "x"),
        ):
            subprocess.run(["git", *words], check=True)
        head = (clone / ".git/refs/heads").iterdir()
        owner, commit = origin or ("me", next(head).read_text("utf-8").strip())
        text = told and told.replace("CLONE", str(clone))
        source = Mock(read_text=lambda name: text if name == "direct_url.json" else "")
        monkeypatch.setattr(command, "distribution", lambda name: source)
        run("--ci", "github")
        step = (project / FILES["github"]).read_text("utf-8")
        assert f"uses: {owner}/hashcost/.github/actions/check@{commit}\n" in step
        assert ("put the <OWNER> and <COMMIT>" in run.err) == (owner == "<OWNER>")

    def test_a_folder_without_git_has_no_origin(
        self,
        project: Path,
        tmp_path_factory: pytest.TempPathFactory,
        run: Run,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Where git cannot tell, the step has words to replace, and the command ends well."""
        folder = tmp_path_factory.mktemp("unpacked")
        told = json.dumps({"url": folder.as_uri(), "dir_info": {}})
        source = Mock(read_text=lambda name: told if name == "direct_url.json" else "")
        monkeypatch.setattr(command, "distribution", lambda name: source)
        assert 0 == run("--ci", "github")
        step = (project / FILES["github"]).read_text("utf-8")
        assert "uses: <OWNER>/hashcost/.github/actions/check@<COMMIT>\n" in step

    def test_it_is_the_one_of_the_documentation(self) -> None:
        """The page on CI shows the same."""
        page = CI_PAGE.read_text("utf-8")
        assert all(f"```yaml\n{ci_step(system)}```" in page for system in FILES)
