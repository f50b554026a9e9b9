"""No runtime runs anything of the folder that it is started in, unless --project names it."""

import contextlib
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from corpora import cases
from end_to_end.real_programs import command
from hashcost.core.errors import UnavailableError
from hashcost.hashers.interface import check_known_answers
from hashcost.runtimes.hasher import RuntimeHasher
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.table import RUNTIMES, Location, probe_file

pytestmark = [pytest.mark.usefixtures("nothing_stays"), pytest.mark.slow]

WITH_A_PROBE: Final = [name for name, runtime in RUNTIMES.items() if runtime.probe]
FOUND_BY_A_PROJECT: Final = ["node", "ruby", "java", "go"]
"""The runtimes whose files below are taken for an application's libraries."""
_READS_OWN_FOLDER: Final = {"PERL_USE_UNSAFE_INC": "1"}
"""How each Perl was until 5.26."""


def lay(runtime: str, folder: Path, mark: Path) -> None:
    """Put into a folder what the runtime might take from there; when it runs, it writes a mark."""
    for name, text in cases(__file__, "current_folder.toml", runtime).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("MARK", str(mark)), "utf-8")
    if runtime == "java":
        sources = [path.name for path in folder.glob("*.java")]
        sources += [str(path.relative_to(folder)) for path in folder.glob("org/**/*.java")]
        subprocess.run([command("javac"), "-proc:none", *sources], cwd=folder, check=True)


def hashed(runtime: str, place: Location) -> int:
    """Hash with each library that the runtime finds, and return how many there were."""
    found = 0
    with Runtimes(place) as elsewhere:
        for candidate in elsewhere.candidates(runtime):
            with contextlib.suppress(UnavailableError):
                hasher = candidate.load()
                assert isinstance(hasher, RuntimeHasher)
                check_known_answers(hasher)
                found += 1
    return found


@pytest.mark.parametrize("runtime", WITH_A_PROBE)
def test_nothing_of_the_current_folder_is_run(
    runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules, classes and settings of the current folder are not taken for installed ones."""
    command(RUNTIMES[runtime].command)
    folder, mark = tmp_path / "folder", tmp_path / "mark"
    lay(runtime, folder, mark)
    monkeypatch.chdir(folder)
    assert hashed(runtime, Location())
    assert not mark.exists()


@pytest.mark.parametrize("runtime", WITH_A_PROBE)
def test_nothing_of_the_login_folder_is_run(runtime: str, tmp_path: Path) -> None:
    """Nor are those of the folder in which a prefix starts its shell."""
    command(RUNTIMES[runtime].command)
    folder, mark = tmp_path / "folder", tmp_path / "mark"
    lay(runtime, folder, mark)
    variables = [f"{name}={value}" for name, value in _READS_OWN_FOLDER.items()]
    prefix = ("env", f"--chdir={folder}", *variables)
    if not shutil.which("env") or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("this env has no --chdir")
    assert hashed(runtime, Location(prefix=prefix))
    assert not mark.exists()


def test_perl_does_not_look_for_an_absent_module_in_its_folder() -> None:
    """Before 5.26, and with PERL_USE_UNSAFE_INC, Perl searches the current folder last."""
    shown = probe_file("probe.pl") + "print join ':', @INC;"
    ended = subprocess.run(
        [command("perl"), "-e", shown],
        env=_READS_OWN_FOLDER,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    searched = ended.stdout.splitlines()[-1].split(":")
    assert "/" in searched[-1]
    assert "." not in searched


@pytest.mark.parametrize("runtime", FOUND_BY_A_PROJECT)
def test_a_project_is_the_applications(runtime: str, tmp_path: Path) -> None:
    """The files that these tests lay do run in a folder that --project names."""
    command(RUNTIMES[runtime].command)
    folder, mark = tmp_path / "folder", tmp_path / "mark"
    lay(runtime, folder, mark)
    with contextlib.suppress(Exception):  # What they are taken for, they are not.
        hashed(runtime, Location(project=str(folder)))
    assert mark.exists()
