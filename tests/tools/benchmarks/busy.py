"""Busy machine: does the recommended cost hold when other processes want the CPUs?

The machine's own speed moves over seconds to minutes, so quiet and busy runs
take turns and are compared within a pair. Beside it, the method of choose_rounds.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from .fresh import command, work
from .hogs import hog_count, state
from .peers import choose_rounds
from .reference import reference
from .report import Report, Table, change, changes, cpu_count, verdict
from .settings import FIVE, STEP_HASHERS, Settings, counter
from .spread import median_interval

_LIMIT: Final = 0.03
_REFERENCE: Final = "the machine"


@dataclass(frozen=True)
class _Answer:
    """A cost, and the work that the target buys before the cost is rounded."""

    cost: int
    units: float


@dataclass
class _Pairs:
    """What each hasher got, quiet and busy, run by run."""

    quiet: list[Mapping[str, _Answer]] = field(default_factory=list)
    busy: list[Mapping[str, _Answer]] = field(default_factory=list)

    def add(self, measure: Callable[[], Mapping[str, _Answer]], *, busy_first: bool) -> None:
        """Measure once quiet and once busy."""
        for busy in (busy_first, not busy_first):
            with state(busy=busy):
                (self.busy if busy else self.quiet).append(measure())

    def of(self, hasher: str) -> list[tuple[_Answer, _Answer]]:
        """The pairs in which this hasher has both answers."""
        return [
            (quiet[hasher], busy[hasher])
            for quiet, busy in zip(self.quiet, self.busy, strict=True)
            if hasher in quiet and hasher in busy
        ]

    def hashers(self) -> list[str]:
        """All that were answered in at least one pair."""
        return [name for name in self.quiet[0] if self.of(name)] if self.quiet else []


def run(settings: Settings) -> Report:
    """Alternate quiet and busy runs."""
    pairs = settings.size(15, 2)
    peer_pairs = min(pairs, 1 if settings.quick else 3)
    show = counter("busy", pairs)
    ours, theirs = _Pairs(), _Pairs()
    with command() as calibrate:

        def measure() -> Mapping[str, _Answer]:
            speed = 1 / reference()
            rows = calibrate.calibrate(*FIVE).rows
            answers = {name: _Answer(row.cost, row.units()) for name, row in rows.items()}
            return {**answers, _REFERENCE: _Answer(0, speed)}

        def measure_peer() -> Mapping[str, _Answer]:
            return {
                name: _Answer(int(cost), work(cost, step=name in STEP_HASHERS))
                for name, cost in choose_rounds().costs.items()
            }

        for index in range(pairs):
            ours.add(measure, busy_first=index % 2 == 1)
            if index * peer_pairs // pairs != (index - 1) * peer_pairs // pairs:
                theirs.add(measure_peer, busy_first=len(theirs.quiet) % 2 == 1)
            show(index + 1)

    crowd = f"{hog_count()} CPU-bound processes on {cpu_count()} cores"
    return Report(
        tables=(
            _table(
                f"busy: recommended cost with {crowd} against quiet, pairs of runs: {pairs}",
                ours,
            ),
            _table(
                f"beside it: choose_rounds' method, pairs of runs: {len(theirs.quiet)}",
                theirs,
            ),
        ),
        runs=_records("calibrate", ours) + _records("choose_rounds", theirs),
    )


def _table(title: str, pairs: _Pairs) -> Table:
    missed = sum(len(pairs.quiet) - len(pairs.of(name)) for name in pairs.hashers())
    return Table(
        title=title,
        columns=(
            "hasher",
            "quiet",
            "busy",
            "change",
            "95 % of it",
            "all pairs",
            "limit",
            "verdict",
        ),
        rows=[_row(name, pairs.of(name)) for name in pairs.hashers()],
        notes=(
            "change: of the cost, or of the work that a target buys for bcrypt and the machine",
            "(fixed work outside the tool); the median of the pairs, and where it lies with 95 %",
            *([f"{missed} answers were refused as too noisy"] if missed else []),
        ),
    )


def _row(hasher: str, pairs: Sequence[tuple[_Answer, _Answer]]) -> tuple[str, ...]:
    if hasher in STEP_HASHERS or hasher == _REFERENCE:
        moved = [busy.units / quiet.units - 1 for quiet, busy in pairs]
    else:
        moved = [busy.cost / quiet.cost - 1 for quiet, busy in pairs]
    middle = statistics.median(moved)
    limit, judged = f"±{_LIMIT * 100:.0f} %", verdict(met=abs(middle) <= _LIMIT)
    if hasher in STEP_HASHERS:
        same = sum(quiet.cost == busy.cost for quiet, busy in pairs)
        limit, judged = "same step", verdict(met=same == len(pairs))
        judged += f" ({same} of {len(pairs)})"
    if hasher == _REFERENCE:
        limit = judged = ""
    quiet, busy = (statistics.median_low(pair[side].cost for pair in pairs) for side in (0, 1))
    return (
        hasher,
        f"{quiet:,.0f}" if quiet else "",
        f"{busy:,.0f}" if busy else "",
        change(middle),
        changes(median_interval(moved)),
        changes((min(moved), max(moved))),
        limit,
        judged,
    )


def _records(method: str, pairs: _Pairs) -> list[dict[str, object]]:
    return [
        {
            "method": method,
            "pair": index,
            "state": state_name,
            "answers": {
                name: {"cost": answer.cost, "units": answer.units}
                for name, answer in answers.items()
            },
        }
        for state_name, runs in (("quiet", pairs.quiet), ("busy", pairs.busy))
        for index, answers in enumerate(runs)
    ]
