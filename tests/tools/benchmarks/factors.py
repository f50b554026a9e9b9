"""Factors: how many times as long the real programs take as what stands in for them.

Each program and its stand-in hash in turns, a tenth of a second each, and the
median of the ratios counts: a neighbour who slows the machine down slows both.
``--write`` puts what was found into the libraries' files.
"""

import datetime as dt
import statistics
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from hashcost.apps.registry import load_tunable
from hashcost.apps.schemes import Scheme
from hashcost.core.units import format_duration, format_setting

from .factor_data import write_factor
from .programs.answering import asked
from .programs.cases import Case, cases
from .programs.process import AbsentProgramError, Command, Program, WithoutKernel
from .programs.stand_in import hasher_of
from .report import Report, Table, machine, percent
from .settings import Settings, counter

LIBRARIES: Final = Path(__file__).parents[3] / "src/hashcost/apps/data/libraries"

_BATCH_SECONDS: Final = 0.1
"""Clocks that tell the kernel's part apart may tick at 4 ms."""
_MOST_WARM_UP: Final = 20.0
_SETTLED: Final = 0.03
"""How far the last batches of the warm-up may be from those before."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The ratios of one program and its stand-in."""

    case: Case
    ratios: tuple[float, ...]
    versions: str
    one_hash: float
    """Seconds, of the program."""

    @property
    def factor(self) -> float:
        """The median."""
        return statistics.median(self.ratios)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Between which half of the ratios lie."""
        low, _, high = statistics.quantiles(self.ratios, n=4)
        return low, high


def run(settings: Settings) -> Report:
    """Time each program that can be had here beside its stand-in."""
    facts = machine()
    pairs = max(2, settings.size(24, 6))
    show = counter("factors", len(cases()))
    timed: list[Comparison] = []
    absent: list[str] = []
    for index, case in enumerate(cases()):
        try:
            timed.append(compare(case, pairs))
        except AbsentProgramError as error:
            absent.append(f"absent: {case.app} {case.hasher}: {error}")
        show(index + 1)
    if settings.write:
        for comparison in timed:
            case = comparison.case
            write_factor(
                LIBRARIES / f"{case.library}.toml",
                case.hasher,
                build=case.build,
                from_kib=case.from_kib,
                cpu=str(facts["cpu"]),
                factor=comparison.factor,
                source=_source(comparison, str(facts["cpu"])),
                measured=dt.datetime.now(dt.UTC).date(),
            )
    title = f"factors: real programs beside their stand-ins, in {pairs} turns each"
    return Report([Table(title, _COLUMNS, [_row(comparison) for comparison in timed], absent)])


def scheme_of(case: Case) -> Scheme:
    """What the tool knows of the application's hasher on this machine."""
    scheme = load_tunable(case.app).on(str(machine()["cpu"])).scheme(case.hasher)
    assert scheme is not None
    return scheme


def compare(case: Case, pairs: int) -> Comparison:
    """The ratios of so many turns.

    Raises:
        AbsentProgramError: the program cannot be had here.
    """
    scheme = scheme_of(case)
    assert scheme.reference is not None
    label = f"{case.hasher}@{scheme.reference.implementation}"
    with ExitStack() as running:
        program = case.start()
        running.callback(program.close)
        kind = WithoutKernel if scheme.reference.keeps_memory else Program
        stand_in = kind([sys.executable, "-m", f"{__package__}.programs.stand_in"])
        running.callback(stand_in.close)
        real = _timer(program, case.request, case.first, case.warm_up)
        other = _timer(stand_in, partial(asked, label, case.params))
        ratios: list[float] = []
        times: list[float] = []
        for index in range(pairs):
            if index % 2:
                below, above = other(), real()
            else:
                above, below = real(), other()
            ratios.append(above / below / scheme.blocks)
            times.append(above)
        return Comparison(
            case=case,
            ratios=tuple(ratios),
            versions=f"{case.versions()} beside {_engine(label)}",
            one_hash=statistics.median(times),
        )


def warmed(program: Program | Command, request: str, least: float = 0.2) -> float:
    """The seconds of a request once they have settled, as a JVM's do."""
    batches: list[float] = []
    spent = 0.0
    while spent < _MOST_WARM_UP:
        batch: list[float] = []
        while sum(batch) < least / 8:
            batch.append(program.cpu_seconds(request))
        spent += sum(batch)
        batches.append(statistics.median(batch))
        if spent >= least and len(batches) > 5:
            change = statistics.median(batches[-3:]) / statistics.median(batches[-6:-3])
            if abs(change - 1) < _SETTLED:
                break
    return statistics.median(batches[-3:])


def _timer(
    program: Program | Command, request: Callable[[int], str], first: int = 0, least: float = 0.2
) -> Callable[[], float]:
    """Warm a program up; what times one hash by a batch of so many that asking does not count."""
    one = warmed(program, request(1), least) / (1 + first)
    times = max(round(_BATCH_SECONDS / one) - first, 1)
    return lambda: program.cpu_seconds(request(times)) / (times + first)


def _engine(label: str) -> str:
    """The stand-in's name and version; that of hashlib is OpenSSL's."""
    hasher = hasher_of(label)
    named = hasher.version[0].isupper()
    return hasher.version if named else f"{hasher.implementation} {hasher.version}"


def _source(comparison: Comparison, cpu: str) -> str:
    low, high = comparison.quartiles
    return (
        f"median of {len(comparison.ratios)} pairs, half of them {low:.3g} to"
        f" {high:.3g}, {cpu}, {comparison.versions}, at"
        f" {format_setting(comparison.case.params)}"
    )


def _row(comparison: Comparison) -> tuple[str, ...]:
    case, reference = comparison.case, scheme_of(comparison.case).reference
    assert reference is not None
    shipped = next(
        (
            factor.factor
            for factor in reference.factors
            if (factor.build, factor.from_kib) == (case.build, case.from_kib)
        ),
        reference.factor,
    )
    low, high = comparison.quartiles
    return (
        case.app,
        case.hasher,
        format_setting(case.params),
        format_duration(comparison.one_hash),
        f"{comparison.factor:.3f}",
        f"{low:.3f} … {high:.3f}",
        f"{shipped:g}",
        percent(abs(shipped / comparison.factor - 1)),
        "; ".join(filter(None, (case.build, comparison.versions))),
    )


_COLUMNS: Final = (
    *("app", "hasher", "cost", "one hash", "factor"),
    *("half of them", "in the data", "off", "what"),
)
