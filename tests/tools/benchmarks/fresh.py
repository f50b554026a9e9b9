"""Runs commands in fresh processes: the installed ``calibrate`` and others."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .settings import TARGET_SECONDS

ANSWERED = frozenset({0, 1, 3, 4, 5})
"""Exit codes of the command with a result: a cost may be weak, or a row too noisy to tell, not
available here, or out of the target's reach."""


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
    cost: int
    """The parameter that was solved for last."""
    params: Mapping[str, int]
    time_seconds: float
    interval_seconds: tuple[float, float]

    @property
    def half_width(self) -> float:
        """The printed ±, as a share of the time."""
        low, high = self.interval_seconds
        return (high - low) / 2 / self.time_seconds


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """One run of the command: its rows by hasher, and its process."""

    rows: Mapping[str, Row]
    process: Finished


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


def module(name: str, *arguments: str) -> Finished:
    """Run a module of this package in a fresh process; it prints JSON.

    Raises:
        CommandError: it failed.
    """
    package = __name__.rpartition(".")[0]
    return succeed([sys.executable, "-m", f"{package}.{name}", *arguments])


class Command:
    """The installed ``calibrate``, with a state folder of its own."""

    def __init__(self, state: Path) -> None:
        beside = Path(sys.executable).with_name("calibrate")
        if not beside.exists():
            raise CommandError("found no `calibrate` beside this Python; install the checkout")
        self.path = str(beside)
        self.environment = {"XDG_STATE_HOME": str(state)}
        self._failed: set[str] = set()

    def call(self, *arguments: str) -> Finished:
        """Run it with these arguments; it must exit with 0."""
        return succeed([self.path, *arguments], self.environment)

    def answer(self, *arguments: str) -> Finished:
        """Run it with these arguments; a check may fail in it, and rows.

        Raises:
            CommandError: it ended otherwise.
        """
        finished = run([self.path, *arguments], self.environment)
        if finished.exit_code not in ANSWERED:
            raise CommandError(_failure(finished))
        return finished

    def calibrate(self, *arguments: str, target_seconds: float = TARGET_SECONDS) -> Calibration:
        """Calibrate. A row that failed is left out, and named on stderr the first time.

        Raises:
            CommandError: the command failed or printed something else.
        """
        target = f"{target_seconds * 1e3:g}ms"
        finished = self.answer(*arguments, "--target", target, "--format", "json", "--quiet")
        rows = {}
        try:
            for result in json.loads(finished.output)["results"]:
                if result["status"] == "measured":
                    rows[result["hasher"]] = _row(result)
                elif result["status"] == "failed" and result["hasher"] not in self._failed:
                    self._failed.add(result["hasher"])
                    print(f"without {result['hasher']}: {result['error']}", file=sys.stderr)
        except (ValueError, KeyError, TypeError) as error:
            raise CommandError(f"the JSON of `calibrate` is not as expected: {error!r}") from error
        return Calibration(rows=rows, process=finished)


@contextmanager
def command() -> Iterator[Command]:
    """The command with an empty history, which is thrown away afterwards."""
    with tempfile.TemporaryDirectory(prefix="hashcost-benchmark-") as folder:
        yield Command(Path(folder))


def _row(result: dict[str, Any]) -> Row:
    low, high = result["interval_seconds"]
    return Row(
        hasher=result["hasher"],
        implementation=result["implementation"],
        cost=result["params"][result["model"]["parameter"]],
        params=result["params"],
        time_seconds=result["time_seconds"],
        interval_seconds=(low, high),
    )


def _failure(finished: Finished) -> str:
    lines = finished.errors.strip().splitlines()
    said = lines[-1] if lines else "nothing on stderr"
    return f"`{' '.join(finished.command)}` ended with {finished.exit_code}: {said}"
