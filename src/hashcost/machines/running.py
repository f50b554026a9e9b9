"""Runs of this command, one for each host and a few at a time; none outlives its caller."""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import HashcostError
from hashcost.core.profile import Profile
from hashcost.core.progress import AS_LINES, Stage
from hashcost.core.units import format_duration
from hashcost.machines.hosts import FleetHost
from hashcost.storage.files import scratch_folder
from hashcost.storage.profile import load_profile

COMMAND: Final = (sys.executable, "-P", "-m", "hashcost")
"""This command, isolated from modules in the current folder."""
# Seconds that a run has to end the processes it has started elsewhere.
_PARTING_SECONDS: Final = 3.0
_CONNECTING: Final = b'{"phase": "connecting", "fraction": 0}'


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a host's run: its profile, or the error."""

    host: FleetHost
    seconds: float
    profile: Profile | None
    error: str = ""


Event: TypeAlias = tuple[FleetHost, Stage] | Ended
"""A stage that a host's run has reached, or its end."""


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
    heard: SimpleQueue[tuple[FleetHost, bytes] | Ended | BaseException] = SimpleQueue()
    # A run tells of its progress in lines only if it is asked to.
    variables = {**environment, AS_LINES: "1"}
    processes = []
    starting, is_over = threading.Lock(), False

    def run(host: FleetHost, profile: Path) -> None:
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
            code, took = _followed(process, seconds, lambda line: heard.put((host, line)))
            ended = f"the run ended with code {code}"
            heard.put(Ended(host=host, seconds=took, profile=None, error=ended))
        except BaseException as error:
            heard.put(error)  # It is raised where the lines are read.

    with scratch_folder() as scratch, ThreadPoolExecutor(at_once) as pool:
        profiles = {host: scratch / host.file_name for host in arguments}
        errors: dict[FleetHost, str] = {}
        try:
            for host, profile in profiles.items():
                pool.submit(run, host, profile)
            waiting = len(arguments)
            # Lines and profiles are decoded in this thread only: msgspec learns a type when it
            # first decodes one, and several threads that do so at once crash it.
            while waiting:
                said = heard.get()
                if isinstance(said, BaseException):
                    raise said
                if isinstance(said, Ended):
                    waiting -= 1
                    error = errors.get(said.host, said.error)
                    yield _ended(said, profiles[said.host], error, seconds)
                    continue
                host, line = said
                # A library may write lines of its own among those of the run.
                with contextlib.suppress(*UNDECODABLE):
                    stage = msgspec.json.decode(line, type=Stage)
                    why = stage.error
                    if why:
                        # The user typed no --exec: it is an argument of the run.
                        errors[host] = why.removeprefix("--exec: ")
                    else:
                        yield host, stage
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            with starting:
                is_over = True
            for process in processes:
                process.terminate()
            for process in processes:
                _end(process)


def _followed(
    process: subprocess.Popen[bytes], seconds: float, tell: Callable[[bytes], None]
) -> tuple[int, float]:
    """Pass on the lines that a run writes; return its exit code and duration.

    A run that takes too long is ended.
    """
    began = time.monotonic()
    tell(_CONNECTING)
    late = threading.Timer(seconds, _end, [process])
    # Reading a line waits for ever where a run hangs.
    late.start()
    stderr = process.stderr
    assert stderr is not None  # noqa: S101 (it was asked for)
    with process:
        for line in stderr:
            tell(line)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PARTING_SECONDS)
        process.kill()
    late.cancel()
    return process.returncode, time.monotonic() - began


def _ended(run: Ended, profile: Path, error: str, seconds: float) -> Ended:
    """The end of a run with its profile, or with the error."""
    # A run may end with an error of one row, and has saved the others.
    if profile.is_file():
        try:
            return replace(run, profile=load_profile(profile), error="")
        except HashcostError as damaged:
            error = str(damaged)
    elif run.seconds >= seconds:
        error = f"not done within {format_duration(seconds)} (--time-limit)"
    return replace(run, seconds=min(run.seconds, seconds), error=error)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a run, by force if it does not end by itself."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PARTING_SECONDS)
    process.kill()
