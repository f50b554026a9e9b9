"""What is said about installing an extra."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from hashcost.documents.extras import how_to_install

PYPROJECT: Final[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
)
EXTRAS: Final[dict[str, list[str]]] = PYPROJECT["project"]["optional-dependencies"]


def canonical(requirement: str) -> tuple[str, frozenset[str]]:
    """A requirement's name and bounds, in whichever order and spelling they are written."""
    name = requirement.partition("<")[0].partition(">")[0]
    return name.replace(".", "-"), frozenset(requirement.removeprefix(name).split(","))


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_is_installed_by_what_it_needs(extra: str) -> None:
    """The command names what pyproject.toml lists, and never this package."""
    program, command, *named = shlex.split(how_to_install(extra))

    assert ("pip", "install") == (program, command)
    assert {canonical(each) for each in EXTRAS[extra]} == {canonical(each) for each in named}
    assert not [each for each in named if PYPROJECT["project"]["name"] in each]
