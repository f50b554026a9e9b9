"""Probe: does a hash take as long by the line protocol as in this process?

A program in C that calls libcrypt and this process, which calls it through ctypes, hash in turns,
in an order of their own each round: so both have the same machine.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

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

_LIMIT: Final = 0.03
_COSTS: Final[dict[str, Params]] = {"bcrypt": {"cost": 8}, "sha512-crypt": {"rounds": 60_000}}
_SOURCE: Final = Path(__file__).parent / "programs" / "libcrypt.c"


def run(settings: Settings) -> Report:
    """Time both in turns."""
    rounds = settings.size(100, 15)
    show = counter("probe", rounds)
    with tempfile.TemporaryDirectory(prefix="hashcost-benchmark-") as folder:
        program = Path(folder) / "probe"
        session = _started(program)
        try:
            pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in _COSTS}
            takers = {name: (_here(name), _there(name, session)) for name in _COSTS}
            for index in range(rounds):
                for name, both in takers.items():
                    pairs[name].append(_one_round(*both))
                show(index + 1)
        finally:
            session.close()
    return Report(tables=(_table(pairs),), runs=[{"pairs": pairs}])


def _started(program: Path) -> Session:
    try:
        built = ["cc", "-O2", "-o", str(program), str(_SOURCE), "-lcrypt"]
        subprocess.run(built, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        hint = "install it with `apt-get install gcc libcrypt-dev`"
        raise CommandError(f"no C compiler with libcrypt: {error}; {hint}") from error
    words = Words(title="C", command="cc", install="")
    return Session(["sh"], f"exec {program}\n".encode(), words)


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


def _one_round(here: Callable[[], float], there: Callable[[], float]) -> tuple[float, float]:
    if random.random() < 0.5:
        return here(), there()
    second = there()
    return here(), second


def _table(pairs: dict[str, list[tuple[float, float]]]) -> Table:
    rows = []
    for name, found in pairs.items():
        ratios = [there / here for here, there in found]
        low, high = quartiles(ratios)
        off = statistics.median(ratios) - 1
        rows.append(
            (
                name,
                seconds(statistics.median(here for here, _ in found)),
                change(off),
                changes((low - 1, high - 1)),
                verdict(met=abs(off) <= _LIMIT),
            )
        )
    return Table(
        title=f"probe: a probe in C beside this process, both by libcrypt; pairs: {len(found)}",
        columns=("hasher", "here", "probe", "half of the pairs", "verdict"),
        rows=rows,
        notes=(f"limit: the median of the pairs within {percent(_LIMIT)}",),
    )
