"""Each constant of the estimate and of the plan decides something that a test notices."""

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Final

import pytest

import hashcost

SOURCE: Final = Path(hashcost.__file__).parent
TESTS: Final = Path(__file__).parent
ROOMS: Final = ("fit", "measure")
NOTICING: Final[dict[str, list[str]]] = tomllib.loads(
    (TESTS / "constants.toml").read_text("utf-8")
)
"""The tests of each constant."""
FACTORS: Final = (4 / 3, 2 / 3)


def constants() -> Iterator[tuple[str, list[ast.Constant]]]:
    """Each module constant of the rooms with its numbers, as ``room/module.py NAME``."""
    for room in ROOMS:
        for path in sorted((SOURCE / room).glob("*.py")):
            # How much effort to make is what a person chooses, not what a recording tells.
            if path.name == "effort.py":
                continue
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.Assign):
                    name = ast.unparse(node.targets[0])
                elif isinstance(node, ast.AnnAssign):
                    name = ast.unparse(node.target)
                else:
                    continue
                found = list(numbers(node.value))
                if found:
                    yield f"{room}/{path.name} {name}", found


def numbers(value: ast.AST | None) -> Iterator[ast.Constant]:
    """The numbers of a value, but for the divisors of fractions, and for costs by name."""
    if isinstance(value, ast.Dict):
        return
    if isinstance(value, ast.BinOp):
        yield from numbers(value.left)
    elif isinstance(value, ast.Constant):
        if type(value.value) in {int, float}:
            yield value
    elif value is not None:
        for child in ast.iter_child_nodes(value):
            yield from numbers(child)


CONSTANTS: Final = dict(constants())


def test_every_constant_names_its_tests() -> None:
    """A constant without a test that needs it goes."""
    assert sorted(NOTICING) == sorted(CONSTANTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_that_moves_is_noticed(name: str, tmp_path: Path) -> None:
    """The tests of a constant fail if one of its numbers is a third larger or smaller."""
    copytree(SOURCE, tmp_path / "hashcost")
    place = tmp_path / "hashcost" / name.partition(" ")[0]
    text = place.read_text("utf-8")
    unnoticed = []
    for number in CONSTANTS[name]:
        for factor in FACTORS:
            place.write_text(moved(text, number, factor), "utf-8")
            if passes(tmp_path, NOTICING[name]):
                unnoticed.append(f"line {number.lineno}: {number.value!r} * {factor:.2f}")
    assert unnoticed == []


def moved(text: str, number: ast.Constant, factor: float) -> str:
    """The source with one of its numbers multiplied."""
    assert isinstance(number.value, int | float)
    value = number.value * factor
    if isinstance(number.value, int):
        value = round(value)
        # A third of 1 is no whole number.
        if value == number.value:
            value += 1 if factor > 1 else -1
    lines = text.splitlines(keepends=True)
    line = lines[number.lineno - 1]
    lines[number.lineno - 1] = (
        line[: number.col_offset] + repr(value) + line[number.end_col_offset :]
    )
    return "".join(lines)


def passes(source: Path, tests: list[str]) -> bool:
    """Whether tests pass on another source."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        *tests,
    ]
    ran = subprocess.run(
        command,
        cwd=TESTS.parent,
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
        timeout=600,
    )
    return ran.returncode == 0
