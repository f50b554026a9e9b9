"""Probe: does a hash take as long by the line protocol as in this process, and over ssh?

A program in C that calls libcrypt, the same program behind an ssh on loopback and this process,
which calls libcrypt through ctypes, hash in turns, in an order of their own each round: so all
have the same machine.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from end_to_end.runtimes.elsewhere import ssh_on_loopback
from end_to_end.runtimes.projects import AbsentError
from hashcost.core.measurement import Params, Sample
from hashcost.hashers.registry import registered
from hashcost.machine.clock import system_clock
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT
from hashcost.measure.sampler import take
from hashcost.runtimes.protocol import Question, Timed
from hashcost.runtimes.session import Session, Words

from .fresh import CommandError
from .report import Report, Table, change, changes, percent, seconds, verdict
from .settings import Settings, counter
from .spread import quartiles

_LIMITS: Final = {("probe", "here"): 0.03, ("ssh", "probe"): 0.05}
"""How far the median of the rounds may be from nothing."""
_COSTS: Final[dict[str, Params]] = {"bcrypt": {"cost": 8}, "sha512-crypt": {"rounds": 60_000}}
_SOURCE: Final = Path(__file__).parent / "programs" / "libcrypt.c"


def run(settings: Settings) -> Report:
    """Time all in turns."""
    rounds = settings.size(100, 15)
    show = counter("probe", rounds)
    times: dict[str, list[dict[str, float]]] = {name: [] for name in _COSTS}
    with ExitStack() as running:
        folder = Path(running.enter_context(TemporaryDirectory(prefix="hashcost-benchmark-")))
        program = folder / "probe"
        _build(program)
        sessions = {"probe": _started(program, "sh")}
        running.callback(sessions["probe"].close)
        try:
            prefix = running.enter_context(ssh_on_loopback(folder))
        except AbsentError as error:
            print(f"without ssh: {error}", file=sys.stderr)
        else:
            sessions["ssh"] = _started(program, *prefix.split(), "sh")
            running.callback(sessions["ssh"].close)
        takers = {
            name: {"here": _here(name)}
            | {place: _there(name, session) for place, session in sessions.items()}
            for name in _COSTS
        }
        for index in range(rounds):
            for name, each in takers.items():
                order = random.sample(sorted(each), len(each))
                times[name].append({place: each[place]() for place in order})
            show(index + 1)
    return Report(tables=(_table(times),), runs=[{"times": times}])


def _build(program: Path) -> None:
    try:
        built = ["cc", "-O2", "-o", str(program), str(_SOURCE), "-lcrypt"]
        subprocess.run(built, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        hint = "install it with `apt-get install gcc libcrypt-dev`"
        raise CommandError(f"no C compiler with libcrypt: {error}; {hint}") from error


def _started(program: Path, *shell: str) -> Session:
    words = Words(title="C", command="cc", install="")
    return Session(shell, f"exec {program}\n".encode(), words)


def _here(name: str) -> Callable[[], float]:
    (candidate,) = (each for each in registered() if each.label == f"{name}@libcrypt")
    hasher, clock, params = candidate.load(), system_clock(), _COSTS[name]

    def one() -> Sample:
        return take(clock, hasher.ready(PROBE_PASSWORD, PROBE_SALT, params), params)

    return lambda: one().cpu_seconds


def _there(name: str, session: Session) -> Callable[[], float]:
    asked = Question(
        op="time",
        library="libcrypt",
        hasher=name,
        password=PROBE_PASSWORD.hex(),
        salt=PROBE_SALT.hex(),
        params=_COSTS[name],
    )
    return lambda: session.ask(asked, Timed).cpu


def _table(times: dict[str, list[dict[str, float]]]) -> Table:
    rows = []
    for name, found in times.items():
        for (place, beside), limit in _LIMITS.items():
            ratios = [each[place] / each[beside] for each in found if place in each]
            if not ratios:
                continue
            low, high = quartiles(ratios)
            off = statistics.median(ratios) - 1
            rows.append(
                (
                    name,
                    f"{place} beside {beside}",
                    seconds(statistics.median(each[beside] for each in found)),
                    change(off),
                    changes((low - 1, high - 1)),
                    percent(limit),
                    verdict(met=abs(off) <= limit),
                )
            )
    count = len(next(iter(times.values())))
    return Table(
        title=f"probe: libcrypt by a probe in C and by this process; rounds: {count}",
        columns=("hasher", "what", "one hash", "median", "half of them", "limit", "verdict"),
        rows=rows,
    )
