"""Runs commands in fresh processes: the installed ``calibrate`` and others."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .settings import TARGET_SECONDS

SOME_ROWS_FAILED = frozenset({3, 4, 5})
"""Exit codes of the command with a result: a row is too noisy to tell, not available
here, or out of the target's reach."""


class CommandError(Exception):
    """A command that a benchmark rests on did not do its job."""


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A process that has ended."""

    command: Sequence[str]
    exit_code: int
    output: bytes
    errors: str
    wall_seconds: float
    peak_bytes: int
    """Peak resident memory; never less than this process had when it started the other."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One recommendation of the command's JSON."""

    hasher: str
    implementation: str
    version: str
    step: bool
    """Whether a step of the cost doubles the work."""
    cost: int
    """The parameter that was solved for last."""
    params: Mapping[str, int]
    knobs: Mapping[str, Sequence[int]]
    """Those that may be turned, the coarse one first, with its steps where it has some."""
    time_seconds: float
    interval_seconds: tuple[float, float] | None
    wall_seconds: float | None
    memory_bytes: int
    tried_bytes: int
    """Memory of the largest setting that was timed."""
    overhead_seconds: float
    seconds_per_unit: float
    page_fault_seconds: float | None
    floor_met: bool
    """Whether every policy that names the hasher is met."""
    dollars: float | None
    """What 2^32 guesses cost on the default device; none where no speed is known."""

    def seconds_at(self, cost: int) -> float:
        """What a hash at another cost takes, by this run's model."""
        if cost == self.cost:
            return self.time_seconds
        return self.overhead_seconds + self.seconds_per_unit * work(cost, step=self.step)

    @property
    def half_width(self) -> float | None:
        """The printed ±, as a share of the time."""
        if self.interval_seconds is None:
            return None
        low, high = self.interval_seconds
        return (high - low) / 2 / self.time_seconds

    def units(self) -> float:
        """The work that the target buys, not rounded to a legal cost."""
        return (TARGET_SECONDS - self.overhead_seconds) / self.seconds_per_unit

    def as_json(self) -> dict[str, object]:
        """What is kept of a row."""
        return {
            "params": dict(self.params),
            "time_seconds": self.time_seconds,
            "interval_seconds": self.interval_seconds,
            "wall_seconds": self.wall_seconds,
            "memory_bytes": self.memory_bytes,
            "tried_bytes": self.tried_bytes,
            "overhead_seconds": self.overhead_seconds,
            "seconds_per_unit": self.seconds_per_unit,
        }


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """One run of the command: its rows by hasher, and its process."""

    rows: Mapping[str, Row]
    process: Finished

    def as_json(self) -> dict[str, object]:
        """What is kept of a run."""
        return {
            "wall_seconds": self.process.wall_seconds,
            "peak_bytes": self.process.peak_bytes,
            "results": {label: row.as_json() for label, row in self.rows.items()},
        }


def work(cost: float, *, step: bool) -> float:
    """Units of work at a cost."""
    return 2.0**cost if step else float(cost)


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Finished:
    """Run a command to its end.

    Raises:
        CommandError: it cannot be started.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise CommandError(f"cannot run {command[0]}: {error}") from error
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall_seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        return Finished(
            command=command,
            exit_code=process.returncode,
            output=output.read(),
            errors=errors.read().decode("utf-8", "replace"),
            wall_seconds=wall_seconds,
            peak_bytes=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        )


def succeed(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Finished:
    """Run a command that must exit with 0.

    Raises:
        CommandError: it did not.
    """
    finished = run(command, environment)
    if finished.exit_code:
        raise CommandError(_failure(finished))
    return finished


def module(name: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Finished:
    """Run a module of this package in a fresh process; it prints JSON.

    Raises:
        CommandError: it failed.
    """
    package = __name__.rpartition(".")[0]
    return succeed([sys.executable, "-m", f"{package}.{name}", *arguments], environment)


class Command:
    """The installed ``calibrate``, with a state folder of its own."""

    def __init__(self, state: Path) -> None:
        beside = Path(sys.executable).with_name("calibrate")
        found = str(beside) if beside.exists() else shutil.which("calibrate")
        if found is None:
            raise CommandError("found no `calibrate` beside this Python; install the checkout")
        self.path = found
        self.environment = {"XDG_STATE_HOME": str(state)}
        self._known_failures: set[str] = set()

    def call(self, *arguments: str) -> Finished:
        """Run it with these arguments; it must exit with 0."""
        return succeed([self.path, *arguments], self.environment)

    def calibrate(self, *arguments: str, target_seconds: float = TARGET_SECONDS) -> Calibration:
        """Calibrate. A row that failed is left out, and named on stderr the first time.

        Raises:
            CommandError: the command failed or printed something else.
        """
        target = f"{target_seconds * 1e3:g}ms"
        finished = run(
            [self.path, *arguments, "--target", target, "--format", "json", "--quiet"],
            self.environment,
        )
        if finished.exit_code and finished.exit_code not in SOME_ROWS_FAILED:
            raise CommandError(_failure(finished))
        try:
            results = json.loads(finished.output)["results"]
            rows = [_row(result) for result in results if result["status"] == "measured"]
            self._name_failures(result for result in results if result["status"] == "failed")
        except (ValueError, KeyError, TypeError) as error:
            raise CommandError(f"the JSON of `calibrate` is not as expected: {error!r}") from error
        every = "--all" in arguments
        return Calibration(
            rows={f"{r.hasher}@{r.implementation}" if every else r.hasher: r for r in rows},
            process=finished,
        )

    def _name_failures(self, failed: Iterable[dict[str, Any]]) -> None:
        for result in failed:
            label = f"{result['hasher']}@{result['implementation']}"
            if label not in self._known_failures:
                self._known_failures.add(label)
                print(f"without {label}: {result['error']}", file=sys.stderr)


@contextmanager
def command() -> Iterator[Command]:
    """The command with an empty history, which is thrown away afterwards."""
    with tempfile.TemporaryDirectory(prefix="hashcost-benchmark-") as folder:
        yield Command(Path(folder))


def _row(result: dict[str, Any]) -> Row:
    interval = result["interval_seconds"]
    model = result["model"]
    return Row(
        hasher=result["hasher"],
        implementation=result["implementation"],
        version=result["implementation_version"],
        step=model["scale"] == "log2",
        cost=result["params"][model["parameter"]],
        params=result["params"],
        knobs={knob["name"]: knob["steps"] for knob in result["knobs"]},
        time_seconds=result["time_seconds"],
        interval_seconds=None if interval is None else (interval[0], interval[1]),
        wall_seconds=result["wall_seconds"],
        memory_bytes=result["memory_bytes"],
        tried_bytes=max(
            step["memory_bytes"]
            for step in (result, *result["neighbours"])
            if step.get("measured", True)
        ),
        overhead_seconds=model["overhead_seconds"],
        seconds_per_unit=model["seconds_per_unit"],
        page_fault_seconds=result["page_fault_seconds"],
        floor_met=all(check["verdict"] in ("met", "equal-work") for check in result["floors"]),
        dollars=next((each["dollars_per_2_32_guesses"] for each in result["attacker"]), None),
    )


def _failure(finished: Finished) -> str:
    lines = finished.errors.strip().splitlines()
    said = lines[-1] if lines else "nothing on stderr"
    return f"`{' '.join(finished.command)}` ended with {finished.exit_code}: {said}"
