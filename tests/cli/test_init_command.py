"""``calibrate init``: what it finds, writes and prints, by a made-up measurement."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from unittest.mock import Mock

import msgspec
import pytest

from hashcost.cli import main
from hashcost.cli.commands import init as command
from hashcost.cli.commands.init import project_in
from hashcost.core.errors import UnavailableError
from hashcost.core.profile import Failure, Profile
from hashcost.documents.profile import load_profile
from hashcost.documents.settings import load_settings
from hashcost.machine.host import this_host
from hashcost.recommend.calibration import Request
from hashcost.render.ci_steps import FILES, ci_step
from measured import EVERY

MEASURED: Final = msgspec.structs.replace(
    EVERY.only(*(row for row in EVERY.recommendations if (row.error_fraction or 1) < 0.2)),
    machine=this_host().describe(),
)
"""What a run on this machine gives."""
NOISY: Final = msgspec.structs.replace(EVERY, machine=MEASURED.machine)
"""A row of it is too noisy."""
UNSURE: Final = msgspec.structs.replace(
    MEASURED,
    results=(
        *MEASURED.results,
        Failure(hasher="fake", implementation="x", code="inconclusive", error="too short"),
    ),
)

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

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.measures: Profile = MEASURED
        self.asked: list[Request] = []
        self.out = self.err = ""

    def calibrate(self, request: Request, **_: Any) -> Profile:
        """What stands in for a measurement."""
        self.asked.append(request)
        return msgspec.structs.replace(self.measures, target_seconds=request.target_seconds)

    def __call__(self, *arguments: str) -> int:
        """Run ``calibrate init`` and return its code."""
        with pytest.raises(SystemExit) as end:
            main(["init", *arguments])
        self.out, self.err = self._capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command."""
    found = Run(capsys)
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
        """It measures nothing, says so, and prints the step again."""
        run()
        first, before = run.out, state(project)
        asked = len(run.asked)

        assert 0 == run()
        assert (first, before, asked) == (run.out, state(project), len(run.asked))
        assert "are there already and unchanged; --force makes them anew" in run.err

    def test_what_is_missing_is_added(self, project: Path, run: Run) -> None:
        """Settings that somebody wrote are left alone, and the profile that they name is made."""
        text = 'check = ["bcrypt=9"]\ntarget = "60ms"\nprofile = "ci/production.json"\n'
        write(project, {"hashcost.toml": text, "ci/readme": ""})

        assert 0 == run(), run.err
        assert text == (project / "hashcost.toml").read_text("utf-8")
        assert 0.06 == load_profile(project / "ci/production.json").target_seconds
        assert not (project / "hashcost.json").exists()

    def test_force_makes_both_anew(self, project: Path, run: Run) -> None:
        """The old settings are kept beside the new ones."""
        write(project, {"hashcost.toml": 'check = ["bcrypt=9"]\n'})

        assert 0 == run("--force"), run.err
        assert "django" in (project / "hashcost.toml").read_text("utf-8")
        assert 'check = ["bcrypt=9"]\n' == (project / "hashcost.toml.bak").read_text("utf-8")
        asked = len(run.asked)
        assert 0 == run("--force")
        assert len(run.asked) > asked

    @pytest.mark.parametrize("measured", [NOISY, UNSURE])
    def test_a_noisy_measurement_is_not_written(
        self, project: Path, run: Run, measured: Profile
    ) -> None:
        """What is too noisy ends with 3, leaves no file, and says what to do."""
        run.measures, before = measured, state(project)

        assert 3 == run()
        assert before == state(project)
        assert "" == run.out
        assert "run `calibrate init` again when the machine is quieter" in run.err

    def test_a_profile_of_another_machine_is_left_alone(self, project: Path, run: Run) -> None:
        """It is refused before anything is timed, with what helps."""
        machine = msgspec.structs.replace(MEASURED.machine, cpu_model="another CPU")
        other = msgspec.structs.replace(MEASURED, machine=machine)
        (project / "hashcost.json").write_bytes(msgspec.json.encode(other))
        before = state(project)

        assert 2 == run("--force")
        assert (before, []) == (state(project), run.asked)
        assert "was measured on another machine" in run.err

    def test_nothing_to_check(self, tmp_path: Path, run: Run, monkeypatch: Any) -> None:
        """An empty folder gets settings that show where costs belong."""
        monkeypatch.chdir(tmp_path)

        assert 0 == run()
        assert load_settings(tmp_path / "hashcost.toml") is not None
        assert 'nothing to check was found; list your costs, as in check = ["bcrypt' in run.err


class TestMeasured:
    """What it measures."""

    def test_what_the_costs_that_were_found_need(self, project: Path, run: Run) -> None:
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
        assert {"bcrypt", "argon2id"} == {*usual.visits}
        assert (["argon2id@argon2-cffi"], 8) == (lanes.hashers, lanes.parallelism)


class TestStep:
    """The CI step."""

    @pytest.mark.parametrize(
        ("files", "system"),
        [
            ({}, "github"),
            ({".github/dependabot.yml": ""}, "github"),
            ({".gitlab-ci.yml": ""}, "gitlab"),
            ({".git/config": "[remote]\n\turl = git@gitlab.com:me/it.git\n"}, "gitlab"),
            ({".git/config": "[remote]\n\turl = git@github.com:me/it.git\n"}, "github"),
        ],
    )
    def test_by_what_the_repository_has(
        self, project: Path, run: Run, files: dict[str, str], system: str
    ) -> None:
        """It is the step of the system that the repository is for, unless another is named."""
        write(project, files)
        run()
        assert ci_step(system) == run.out
        run("--ci", "gitlab", "--quiet")
        assert (ci_step("gitlab"), "") == (run.out, run.err)

    @pytest.mark.parametrize(
        ("told", "origin"),
        [
            (None, ("<OWNER>", "<COMMIT>")),
            ("not JSON", ("<OWNER>", "<COMMIT>")),
            ('{"url": "file:///tmp/it", "dir_info": {}}', ("<OWNER>", "<COMMIT>")),
            (
                '{"url": "https://github.com/me/hashcost", "vcs_info": {"commit_id": "0a1b"}}',
                ("me", "0a1b"),
            ),
            (
                '{"url": "https://me:it@github.com/me/hashcost", "vcs_info": {"commit_id": "0"}}',
                ("<OWNER>", "<COMMIT>"),
            ),
        ],
    )
    def test_where_it_is_from(
        self,
        project: Path,
        run: Run,
        monkeypatch: pytest.MonkeyPatch,
        told: str | None,
        origin: tuple[str, str],
    ) -> None:
        """The step names the commit that was installed; an address with a secret is not used."""
        source = Mock(read_text=lambda name: told if name == "direct_url.json" else "")
        monkeypatch.setattr(command, "distribution", lambda name: source)
        run("--ci", "github")
        assert f"uses: {origin[0]}/hashcost/.github/actions/check@{origin[1]}\n" in run.out
        assert ("<OWNER>" in run.err) == (origin[0] == "<OWNER>")

    def test_it_is_the_one_of_the_documentation(self) -> None:
        """The page on CI shows the same."""
        page = CI_PAGE.read_text("utf-8")
        assert all(f"```yaml\n{ci_step(system)}```" in page for system in FILES)


class TestProject:
    """What is found in a folder."""

    def test_files_of_applications(self, tmp_path: Path) -> None:
        """A file counts if something in it shows that it is the application's."""
        write(
            tmp_path,
            {
                "shop/.env": "APP_KEY=x\nBCRYPT_ROUNDS=10\n",
                "other/.env": "COLOUR=blue\n",
                "kratos.yml": "hashers:\n  algorithm: bcrypt\n  bcrypt:\n    cost: 8\n",
                "Dockerfile": "FROM httpd\nRUN htpasswd -B -C 10 -b -c /passwords me it\n",
                "tests/.env": "BCRYPT_ROUNDS=4\n",
            },
        )
        found = project_in(tmp_path)

        assert {
            "htpasswd": ("Dockerfile",),
            "kratos": ("kratos.yml",),
            "laravel": ("shop/.env",),
        } == found.apps
        assert () == found.scan

    def test_what_cannot_be_read_here_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file whose reader is not installed is not passed over in silence."""
        error = UnavailableError("YAML needs ruamel.yaml; pip install it")
        monkeypatch.setattr(command, "app_costs", Mock(side_effect=error))
        write(tmp_path, {"kratos.yml": "hashers: {}\n"})
        found = project_in(tmp_path)

        assert {"kratos.yml": "YAML needs ruamel.yaml; pip install it"} == found.unread
        assert {} == found.apps

    @pytest.mark.parametrize(
        ("names", "scan"),
        [
            (["src/a.py", "lib/deep/b.js", "docs/c.md"], ("lib/", "src/")),
            (["manage.py", "src/a.py"], (".",)),
            (["README.md"], ()),
            ([f"{letter}/a.py" for letter in "abcdefghij"], (".",)),
            (["tests/test_a.py", "src/a.go"], ("src/",)),
        ],
    )
    def test_folders_of_source_code(
        self, tmp_path: Path, names: list[str], scan: tuple[str, ...]
    ) -> None:
        """The folders at the top that hold some, or the whole."""
        write(tmp_path, dict.fromkeys(names, ""))
        assert scan == project_in(tmp_path).scan
