"""Runs of this command, one for each host and a few at a time; none outlives its caller."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final, TypeAlias

import msgspec

from hashcost.core.errors import HashcostError
from hashcost.core.profile import Profile
from hashcost.core.progress import AS_LINES, Stage
from hashcost.core.units import format_duration
from hashcost.documents.profile import load_profile
from hashcost.fleet.hosts import FleetHost

COMMAND: Final = (sys.executable, "-P", "-m", "hashcost")
"""This command; what lies in the current folder is none of its modules."""
_PARTING_SECONDS: Final = 3.0
"""For a run to end what it has started elsewhere."""
_LONGEST_LINE: Final = 1 << 16
_SAYS: Final = "calibrate: "


@dataclass(frozen=True, kw_only=True)
class Progressed:
    """A stage that a host's run has reached."""

    host: FleetHost
    stage: Stage


@dataclass(frozen=True, kw_only=True)
class Ended:
    """The end of a host's run: its profile, or why there is none."""

    host: FleetHost
    seconds: float
    profile: Profile | None
    error: str = ""


Event: TypeAlias = Progressed | Ended


def measured(
    arguments: Mapping[FleetHost, tuple[str, ...]],
    *,
    at_once: int,
    seconds: float,
    environment: Mapping[str, str],
) -> Generator[Event, None, None]:
    """Measure the hosts by runs with these arguments, and tell what happens as it does.

    ``at_once`` runs go on at the same time, and none takes longer than these ``seconds``.
    """
    events: SimpleQueue[Event | BaseException] = SimpleQueue()
    variables = {**environment, AS_LINES: "1"}
    processes: list[subprocess.Popen[bytes]] = []
    starting, is_over = threading.Lock(), False

    def run(host: FleetHost, profile: Path) -> None:
        events.put(Progressed(host=host, stage=Stage(phase="connecting", fraction=0.0)))
        try:
            with starting:
                if is_over:
                    return
                # In the process group of this one: what a terminal sends to one it sends to all.
                process = subprocess.Popen(  # noqa: S603 (this command, and words no shell reads)
                    [*COMMAND, *arguments[host], "--save", str(profile)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    env=variables,
                )
                processes.append(process)
            events.put(_followed(process, host, profile, seconds, events.put))
        except BaseException as error:
            events.put(error)  # It is raised where the events are taken.

    with (
        tempfile.TemporaryDirectory(prefix="hashcost-") as scratch,
        ThreadPoolExecutor(at_once) as pool,
    ):
        try:
            for host in arguments:
                pool.submit(run, host, Path(scratch) / host.file_name)
            waiting = len(arguments)
            while waiting:
                event = events.get()
                if isinstance(event, BaseException):
                    raise event
                waiting -= isinstance(event, Ended)
                yield event
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            with starting:
                is_over = True
            for process in processes:
                process.terminate()
            for process in processes:
                _end(process)


def _followed(
    process: subprocess.Popen[bytes],
    host: FleetHost,
    profile: Path,
    seconds: float,
    tell: Callable[[Progressed], None],
) -> Ended:
    """Pass on the stages that a run writes, and wait for its end, or end it if it is late."""
    began, error = time.monotonic(), ""
    late = threading.Timer(seconds, _end, [process])
    late.start()
    stderr = process.stderr
    assert stderr is not None  # noqa: S101 (it was asked for)
    with process:
        while line := stderr.readline(_LONGEST_LINE):
            if line.startswith(b"{"):
                with contextlib.suppress(msgspec.DecodeError):
                    stage = msgspec.json.decode(line, type=Stage)
                    tell(Progressed(host=host, stage=stage))
            elif line.startswith(_SAYS.encode()):
                error = line.decode("utf-8", "replace").strip().removeprefix(_SAYS)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PARTING_SECONDS)
        process.kill()
    late.cancel()
    took = time.monotonic() - began
    if profile.is_file():
        try:
            return Ended(host=host, seconds=took, profile=load_profile(profile))
        except HashcostError as damaged:
            error = str(damaged)
    elif took >= seconds:
        error = f"not done within {format_duration(seconds)} (--time-limit)"
    error = error.removeprefix("--exec: ") or f"the run ended with code {process.returncode}"
    return Ended(host=host, seconds=min(took, seconds), profile=None, error=error)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PARTING_SECONDS)
    process.kill()
