"""Runs of this command, one for each host and a few at a time; none outlives its caller."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
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
_CHUNK: Final = 1 << 16
_LONGEST_LINE: Final = 1 << 16
_FIRST: Final = Stage(phase="connecting", fraction=0.0)
_SAYS: Final = "calibrate: "


@dataclass(frozen=True, kw_only=True)
class Told:
    """How far the run of a host has come."""

    host: FleetHost
    stage: Stage


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How the run of a host ended: with a profile, or with why there is none."""

    host: FleetHost
    seconds: float
    profile: Profile | None
    error: str = ""


Event: TypeAlias = Told | Ended


@dataclass(eq=False, kw_only=True)
class _Run:
    """A process that measures a host."""

    host: FleetHost
    process: subprocess.Popen[bytes]
    profile: Path
    limit: float
    began: float = field(default_factory=time.monotonic)
    received: bytes = b""
    said: str = ""
    """Its last words."""

    @property
    def descriptor(self) -> int:
        stream = self.process.stderr
        assert stream is not None  # noqa: S101 (it was asked for)
        return stream.fileno()

    @property
    def seconds_left(self) -> float:
        return self.began + self.limit - time.monotonic()

    def lines(self, chunk: bytes) -> Iterator[Stage]:
        """The stages that it tells of; what else it says is kept."""
        *lines, self.received = (self.received + chunk).split(b"\n")
        self.received = self.received[-_LONGEST_LINE:]
        for line in lines:
            if line.startswith(b"{"):
                with contextlib.suppress(msgspec.DecodeError):
                    yield msgspec.json.decode(line, type=Stage)
            elif line.startswith(_SAYS.encode()):
                self.said = line.decode("utf-8", "replace").removeprefix(_SAYS)

    def ended(self) -> Ended:
        """The profile that it has left, or why there is none."""
        seconds = time.monotonic() - self.began
        code, profile = self.stop(), None
        error = self.said.removeprefix("--exec: ") or f"the run ended with code {code}"
        if self.profile.is_file():
            try:
                profile, error = load_profile(self.profile), ""
            except HashcostError as damaged:
                error = str(damaged)
        return Ended(host=self.host, seconds=seconds, profile=profile, error=error)

    def late(self) -> Ended:
        """End it, because it takes too long."""
        self.process.terminate()
        self.stop()
        error = f"not done within {format_duration(self.limit)} (--time-limit)"
        return Ended(host=self.host, seconds=self.limit, profile=None, error=error)

    def stop(self) -> int:
        """Wait a while for its end, and then end it; its exit code."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_PARTING_SECONDS)
        self.process.kill()
        with self.process:  # It closes the pipe.
            return self.process.wait()


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
    waiting, runs = deque(arguments.items()), dict[int, _Run]()
    variables = {**environment, AS_LINES: "1"}
    with (
        tempfile.TemporaryDirectory(prefix="hashcost-") as scratch,
        selectors.DefaultSelector() as selector,
    ):
        try:
            while waiting or runs:
                while waiting and len(runs) < at_once:
                    run = _begun(*waiting.popleft(), Path(scratch), seconds, variables)
                    runs[run.descriptor] = run
                    selector.register(run.descriptor, selectors.EVENT_READ)
                    yield Told(host=run.host, stage=_FIRST)
                patience = max(0.0, min(run.seconds_left for run in runs.values()))
                for key, _ in selector.select(patience):
                    run = runs[key.fd]
                    chunk = os.read(key.fd, _CHUNK)
                    for stage in run.lines(chunk):
                        yield Told(host=run.host, stage=stage)
                    if not chunk:
                        selector.unregister(key.fd)
                        del runs[key.fd]
                        yield run.ended()
                for descriptor, run in [*runs.items()]:
                    if run.seconds_left <= 0:
                        selector.unregister(descriptor)
                        del runs[descriptor]
                        yield run.late()
        finally:
            for run in runs.values():
                run.process.terminate()
            for run in runs.values():
                run.stop()


def _begun(
    host: FleetHost,
    arguments: tuple[str, ...],
    scratch: Path,
    limit: float,
    environment: Mapping[str, str],
) -> _Run:
    profile = scratch / host.file_name
    # In the process group of this one, so that what a terminal sends to one it sends to all.
    process = subprocess.Popen(  # noqa: S603 (this command, with words that no shell reads)
        [*COMMAND, *arguments, "--save", str(profile)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
    )
    return _Run(host=host, process=process, profile=profile, limit=limit)
