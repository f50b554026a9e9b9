"""Move each constant of the estimate and of the plan by a third, and see that its tests notice.

`python -m tests.tools.constants` does so for each number, some four seconds each; with a part of
names, such as ``plan.py``, only for those. ``tests/constants.toml`` lists the tests of each.
"""

import ast
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copytree
from typing import Final

TESTS: Final = Path(__file__).parents[1]
SOURCE: Final = TESTS.parent / "src/hashcost"
ROOMS: Final = ("fit", "measure")
NOTICING: Final[dict[str, list[str]]] = tomllib.loads(
    (TESTS / "constants.toml").read_text("utf-8")
)
"""The tests of each constant."""
_FACTORS: Final = (4 / 3, 2 / 3)


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
                found = list(_numbers(node.value))
                if found:
                    yield f"{room}/{path.name} {name}", found


def _numbers(value: ast.AST | None) -> Iterator[ast.Constant]:
    """The numbers of a value, but for the divisors of fractions, and for costs by name."""
    if isinstance(value, ast.Dict):
        return
    if isinstance(value, ast.BinOp):
        yield from _numbers(value.left)
    elif isinstance(value, ast.Constant):
        if type(value.value) in {int, float}:
            yield value
    elif value is not None:
        for child in ast.iter_child_nodes(value):
            yield from _numbers(child)


def _moved(text: str, number: ast.Constant, factor: float) -> str:
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


def _passes(source: Path, tests: Sequence[str]) -> bool:
    """Whether tests pass on another source."""
    command = [sys.executable, "-m", "pytest", "-qx", "-n0", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, check=False
    )
    return ran.returncode == 0


def main(parts: Sequence[str]) -> int:
    """Move the constants with one of these parts in their names; return 1 if one is unnoticed."""
    tried = unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        copytree(SOURCE, Path(folder, "hashcost"))
        for name, numbers in constants():
            if parts and not any(part in name for part in parts):
                continue
            place = Path(folder, "hashcost", name.partition(" ")[0])
            text = place.read_text("utf-8")
            for number in numbers:
                for factor in _FACTORS:
                    tried += 1
                    place.write_text(_moved(text, number, factor), "utf-8")
                    if _passes(Path(folder), NOTICING[name]):
                        unnoticed += 1
                        print(f"unnoticed: {name}: {number.value!r} * {factor:.2f}", flush=True)
            place.write_text(text, "utf-8")
    print(f"{tried - unnoticed} of {tried} moves were noticed")
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
