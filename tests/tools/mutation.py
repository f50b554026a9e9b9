"""Put faults into each room at random, one at a time, and count those that its tests notice.

`.ci/mutation` runs it. mutmut makes the faults and runs the tests; here each room becomes a run
of its own, so that only its tests run, and only those of them that call the faulty function.
Functions with a decorator other than ``staticmethod`` and ``classmethod`` get no faults.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tomli_w
from mutmut.stats import status_by_exit_code

ROOT: Final = Path(__file__).parents[2]
_DATA: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
SEEN_BY: Final[dict[str, list[str]]] = _DATA["rooms"]
"""The tests that see each room, by its name."""
UNFIT: Final[list[str]] = _DATA["unfit"]
"""The tests that fail without a fault, since mutmut changes the source."""
LEAST_PERCENT: Final = 85
"""What the tests must notice of all faults together."""

_UNNOTICED: Final = {"survived", "no tests"}
_BY_TIME: Final = {"timeout"}
"""A fault with which tests run on and on; where a machine is busy, it may be another."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of the faults in one room."""

    room: str
    put: int
    by_time: int
    """How many were noticed only because the tests took too long."""
    unnoticed: tuple[str, ...]
    """Each fault that no test noticed, as a difference."""

    @property
    def noticed(self) -> int:
        """How many faults made a test fail."""
        return self.put - len(self.unnoticed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what the tests notice in each room; return 1 if it is too little of all."""
    parser = argparse.ArgumentParser(prog=".ci/mutation", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="only these rooms")
    parser.add_argument("--count", type=int, default=9, help="faults a room (default: 9)")
    parser.add_argument("--seed", type=int, help="draw the same faults again")
    asked = parser.parse_args(arguments)
    unknown = set(asked.rooms) - set(SEEN_BY)
    if unknown:
        parser.error(f"no room is called {', '.join(sorted(unknown))}")
    seed = random.randrange(10**6) if asked.seed is None else asked.seed

    print(f"seed {seed}", flush=True)
    outcomes = []
    for room in asked.rooms or SEEN_BY:
        outcome = faults_in(room, asked.count, seed)
        for difference in outcome.unnoticed:
            print(f"not noticed: {difference}")
        by_time = f", {outcome.by_time} of them by time" if outcome.by_time else ""
        print(f"{room:12}{outcome.noticed:4} of {outcome.put}{by_time}", flush=True)
        outcomes.append(outcome)
    noticed = sum(outcome.noticed for outcome in outcomes)
    put = sum(outcome.put for outcome in outcomes)
    percent = 100 * noticed / put
    print(f"{'all':12}{noticed:4} of {put}, {percent:.0f} %; the least is {LEAST_PERCENT} %")
    return int(percent < LEAST_PERCENT)


def faults_in(room: str, count: int, seed: int) -> Outcome:
    """Put ``count`` faults into a room, in a copy of the repository."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        # Copied, so that editing goes on while it runs.
        for path in ("src", "tests", "docs", "ansible", ".ci", ".github"):
            shutil.copytree(ROOT / path, copy / path, symlinks=True)
        for path in (".mkdocs.yml", "README.md", "CHANGELOG.md", "LICENSE"):
            shutil.copy(ROOT / path, copy / path)
        (copy / "pyproject.toml").write_text(settings(room), "utf-8")

        # No fault has this name: mutmut makes them all, asks the tests which functions they
        # call, and ends.
        listed = _mutmut(copy, "run", "none")
        if not (copy / "mutants" / "mutmut-stats.json").exists():
            raise SystemExit(f"{room}: its tests fail without a fault:\n{listed[-4000:]}")
        names = sorted(_codes(copy))
        sample = random.Random(f"{seed} {room}").sample(names, min(count, len(names)))
        tried = _mutmut(copy, "run", *sample)
        codes = _codes(copy)
        ended = {name: status_by_exit_code[codes[name]] for name in sorted(sample)}
        if "not checked" in ended.values():
            raise SystemExit(f"{room}: the faults were not tried:\n{tried[-4000:]}")
        unnoticed = tuple(
            _mutmut(copy, "show", name) for name, status in ended.items() if status in _UNNOTICED
        )
    by_time = sum(status in _BY_TIME for status in ended.values())
    return Outcome(room=room, put=len(sample), by_time=by_time, unnoticed=unnoticed)


def settings(room: str) -> str:
    """Return pyproject.toml for a run that mutates one room and runs its tests."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    options = project["tool"]["mutmut"]["pytest_add_cli_args"]
    project["tool"]["mutmut"] |= {
        "only_mutate": [f"src/hashcost/{room}/*"],
        "pytest_add_cli_args": [*options, *(f"--deselect={test}" for test in UNFIT)],
        "pytest_add_cli_args_test_selection": SEEN_BY[room],
    }
    return tomli_w.dumps(project)


def _mutmut(copy: Path, *arguments: str) -> str:
    """Run a command of mutmut in a copy, and return what it printed."""
    ended = subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=copy,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return ended.stdout


def _codes(copy: Path) -> Mapping[str, int | None]:
    """Each fault that mutmut made in a copy, with the code that its tests ended with."""
    return {
        name: code
        for path in (copy / "mutants").rglob("*.meta")
        for name, code in json.loads(path.read_text("utf-8"))["exit_code_by_key"].items()
    }


if __name__ == "__main__":
    sys.exit(main())
