"""What is said about installing an extra."""

import itertools
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from corpora import table
from hashcost.storage.extras import how_to_install

PYPROJECT: Final[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
)
EXTRAS: Final[dict[str, list[str]]] = PYPROJECT["project"]["optional-dependencies"]
EVERY_OTHER: Final = EXTRAS.pop("all")


def canonical(requirement: str) -> tuple[str, frozenset[str]]:
    """A requirement's name and bounds, in whichever order and spelling they are written."""
    name = requirement.partition("<")[0].partition(">")[0]
    return name.replace(".", "-"), frozenset(requirement.removeprefix(name).split(","))


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_is_installed_by_what_it_needs(
    extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command names what pyproject.toml lists, and never this package."""
    monkeypatch.setattr("sys.base_prefix", sys.prefix)
    program, command, *named = shlex.split(how_to_install(extra))

    assert ("pip", "install") == (program, command)
    assert {canonical(each) for each in EXTRAS[extra]} == {canonical(each) for each in named}
    assert not [each for each in named if PYPROJECT["project"]["name"] in each]


def test_a_requirement_holds_on_every_system() -> None:
    """What the package imports it requires everywhere, or deptry's comparison means nothing."""
    required = [*PYPROJECT["project"]["dependencies"], *itertools.chain(*EXTRAS.values())]
    assert not [each for each in required if ";" in each]


def test_all_is_every_other_extra() -> None:
    """Whoever wants all of it installs one extra."""
    assert EVERY_OTHER == [f"hashcost[{','.join(sorted(EXTRAS))}]"]


@table("receipt, has_pip, command")
def test_the_command_is_that_of_the_installer(
    receipt: str, has_pip: bool, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command adds to the environment of pipx, or a virtual one, active or not, with the
    program that made it: uv makes those without pip.
    """
    (tmp_path / receipt).touch()
    if not has_pip:
        monkeypatch.setitem(sys.modules, "pip", None)
    monkeypatch.setattr("sys.prefix", str(tmp_path))

    assert how_to_install("argon2").startswith(command.format(python=sys.executable))
