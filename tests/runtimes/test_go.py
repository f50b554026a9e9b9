"""Go's probe is built in the application's module, and nothing of it stays there."""

import shutil
from pathlib import Path

import pytest

from corpora import table
from end_to_end.real_programs import command, project
from hashcost.core.errors import UnavailableError
from hashcost.hashers.interface import check_known_answers
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.table import RUNTIMES, Location
from runtimes import loaded

LABELS = [
    f"{hasher}@go:{name}"
    for name, library in RUNTIMES["go"].libraries.items()
    for hasher in library.hashers
]
pytestmark = [pytest.mark.usefixtures("nothing_stays"), pytest.mark.slow]


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A copy of an application with every package."""
    command("go")
    return shutil.copytree(project("go"), tmp_path / "module")


def contents(folder: Path) -> dict[str, bytes]:
    """What is in the files of a folder."""
    return {str(each): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@table("prefix", ids=["here", "behind a prefix", "busybox"])
def test_every_package_computes_the_known_answers(prefix: tuple[str, ...], module: Path) -> None:
    """Each is the module's own, and the module is as it was."""
    if prefix and shutil.which(prefix[0]) is None:
        pytest.skip(f"install it with `apt-get install {prefix[0]}`")
    before = contents(module)
    with Runtimes(Location(prefix=tuple(prefix), project=str(module))) as elsewhere:
        for label in LABELS:
            found = loaded(elsewhere, label)
            check_known_answers(found)
            library = "x/crypto v0.32.0" if ":x/crypto" in label else "crypto"
            assert found.version.startswith(f"{library}, go 1.")
    assert before == contents(module)


def test_a_package_that_the_module_lacks_takes_away_only_itself(module: Path) -> None:
    """Whoever imports only bcrypt has not fetched what argon2 needs; Go says what to type."""
    sums = (module / "go.sum").read_text().splitlines(keepends=True)
    (module / "go.sum").write_text("".join(each for each in sums if "x/sys" not in each))
    with Runtimes(Location(project=str(module))) as elsewhere:
        check_known_answers(loaded(elsewhere, "bcrypt@go:x/crypto"))
        with pytest.raises(
            UnavailableError, match=r"go get golang\.org/x/crypto/argon2@v0\.32\.0"
        ):
            loaded(elsewhere, "argon2id@go:x/crypto")


def test_without_a_project_there_is_the_standard_library(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has PBKDF2 since Go 1.24; a module in the current folder is not taken."""
    monkeypatch.chdir(module)
    with Runtimes() as elsewhere:
        with pytest.raises(UnavailableError, match=r"name a module that has it with --project"):
            loaded(elsewhere, "bcrypt@go:x/crypto")
        check_known_answers(loaded(elsewhere, "pbkdf2-sha256@go:crypto"))


def test_a_module_that_go_refuses_is_told_in_one_line(module: Path) -> None:
    """In Go's words."""
    (module / "go.mod").write_text("nonsense\n")
    with (
        Runtimes(Location(project=str(module))) as elsewhere,
        pytest.raises(UnavailableError) as told,
    ):
        loaded(elsewhere, "bcrypt@go:x/crypto")
    assert "go.mod:1: unknown directive: nonsense" in str(told.value)
    assert "\n" not in str(told.value)
