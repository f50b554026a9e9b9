"""Runs all calibrators in turn, and times the hash that each answered on the quiet machine."""

import contextlib
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import Popen, SubprocessError
from typing import Any, Final

import msgspec

from tools.benchmarks.hogs import hogs
from tools.benchmarks.programs.process import AbsentProgramError
from tools.benchmarks.report import machine

from .peers import DATA, Answer, Libraries, Peer

STATES: Final = {0: "quiet", 3: "beside three", 8: "beside eight"}
"""By the number of CPU-bound processes."""
TARGET: Final = 0.1
_SHARES: Final = {0: 0.24, 3: 0.28, 8: 0.48}
"""Of the time."""
_FAILED: Final = (AbsentProgramError, OSError, SubprocessError, ValueError)
_TIMED: Final = 3
"""Hashes after each run; all of one library and cost count together."""


class Run(msgspec.Struct, kw_only=True):
    """One answer, and what it is worth."""

    tool: str
    hasher: str
    busy: int
    answer: Answer
    truth: float | None = None
    """Seconds of a hash at these params; none without an answer."""


class Result(msgspec.Struct, kw_only=True):
    """A whole measurement."""

    machine: dict[str, Any]
    absent: dict[str, str]
    """Peers that could not be measured, at least once, with the reason."""
    runs: list[Run]


def measure(*, runs: int, others: int, minutes: float) -> Result:
    """Ask first runs of `calibrate` so often, and all else so often, in each state."""
    absent = {peer.title: peer.absent for peer in DATA.peer if peer.absent}
    result = Result(machine=machine(), absent=absent, runs=[])
    with (
        tempfile.TemporaryDirectory(prefix="hashcost-peers-") as name,
        contextlib.closing(Libraries(Path(name))) as libraries,
    ):
        for peer in DATA.peer:
            for _ in range(peer.before):
                peer.ask(TARGET, Path(name))
        with contextlib.suppress(KeyboardInterrupt):  # What was measured until then counts.
            for busy, share in _SHARES.items():
                plan = _in_time(runs, others, share * minutes * 60, random.Random(busy))
                with hogs(busy) as running:
                    for peer in plan:
                        if peer.needed or peer.title not in absent:
                            _run(peer, busy, running, libraries, result)
        with contextlib.suppress(*_FAILED):
            libraries.time_again(3)
        peers = {(peer.name, peer.hasher): peer for peer in DATA.peer}
        for run in result.runs:
            if run.answer.params:
                run.truth = libraries.truth(peers[run.tool, run.hasher], run.answer.params)
    return result


def _run(
    peer: Peer, busy: int, running: Sequence[Popen[bytes]], libraries: Libraries, result: Result
) -> None:
    try:
        answer = peer.ask(TARGET, libraries.folder)
        with _paused(running):
            libraries.time(peer, answer.params, _TIMED)
    except _FAILED as error:
        result.absent[peer.title] = str(error)
        libraries.close()  # Each starts anew, in case one has ended.
        return
    result.runs.append(Run(tool=peer.name, hasher=peer.hasher, busy=busy, answer=answer))
    print(busy, peer.hasher, peer.name, answer, file=sys.stderr)


def _in_time(runs: int, others: int, seconds: float, spread: random.Random) -> Iterator[Peer]:
    """Spread the runs over the time; leave out what is late, at the end even what is needed."""
    plan = []
    for peer in DATA.peer:
        wanted = runs if peer.needed else others
        plan += [((index + spread.random()) / wanted, index, peer) for index in range(wanted)]
    start = time.monotonic()
    for position, index, peer in sorted(plan, key=lambda planned: planned[0]):
        late = (time.monotonic() - start) / seconds
        if late < 1 and (peer.needed or index == 0 or late <= position):
            yield peer


@contextlib.contextmanager
def _paused(running: Sequence[Popen[bytes]]) -> Iterator[None]:
    """Stop the processes beside for as long as the block lasts."""
    for process in running:
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in running:
            process.send_signal(signal.SIGCONT)
