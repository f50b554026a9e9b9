"""Memory-hard hashers on a busy machine: does the setting hold, and what does ± say?

Quiet and busy runs take turns, as in `busy`. In the same turns, a calibrator that
takes one sample per rung, and argon2-cffi's own benchmark of the setting. Runs keep
no history: each interval is what its own run could know.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from .fresh import Row, command
from .hogs import hog_count, state
from .memory_hard_peers import cffi_table, one_sample_table
from .memory_hard_runs import Pair, Run, key, measure, rows_of
from .report import Report, Table, change, changes, cpu_count, percent, setting, verdict
from .settings import MEMORY_HARD, Settings, counter
from .spread import median_interval

_LIMITS: Final = {
    ("scrypt", "n"): 0,
    ("argon2id", "memory_kib"): 0,
    ("argon2id", "time_cost"): 1,
    ("yescrypt", "cost"): 0,
}
"""How far a knob may be off: steps of memory, or passes."""


def run(settings: Settings) -> Report:
    """Alternate quiet and busy runs."""
    count = settings.size(20, 3)
    with_cffi = min(count, 1 if settings.quick else 6)
    show = counter("memory_hard", count)
    pairs: list[Pair] = []
    with command() as calibrate:
        names = list(calibrate.calibrate(*MEMORY_HARD, "--no-history").rows)
        for index in range(count):
            due = index * with_cffi // count != (index - 1) * with_cffi // count
            found: dict[bool, Run] = {}
            for busy in (index % 2 == 1, index % 2 == 0):
                with state(busy=busy):
                    found[busy] = measure(calibrate, names, with_cffi=due)
            pairs.append(Pair(quiet=found[False], busy=found[True]))
            show(index + 1)
    return Report(
        tables=(
            _settings_table(names, pairs),
            _intervals_table(names, pairs),
            one_sample_table(names, pairs),
            cffi_table(pairs),
        ),
        runs=[
            {"pair": index, "state": name, **found.as_json()}
            for index, pair in enumerate(pairs)
            for name, found in pair.states()
        ],
    )


def _settings_table(names: Sequence[str], pairs: Sequence[Pair]) -> Table:
    rows = []
    for name in names:
        both = rows_of(name, pairs)
        knobs = both[0][0].knobs if both else {}
        for knob, steps in knobs.items():
            # Passes are compared at the same memory.
            coarser = [other for other in knobs if other != knob and not steps]
            off = [
                abs(_place(busy.params[knob], steps) - _place(quiet.params[knob], steps))
                for quiet, busy in both
                if all(quiet.params[other] == busy.params[other] for other in coarser)
            ]
            allowed = _LIMITS.get((name, knob))
            judged = "" if allowed is None or not off else verdict(met=max(off) <= allowed)
            rows.append(
                (
                    name,
                    knob,
                    _usual(quiet.params[knob] for quiet, _ in both),
                    _usual(busy.params[knob] for _, busy in both),
                    f"{off.count(0)} of {len(off)}",
                    str(max(off)) if off else "",
                    "" if allowed is None else f"within {allowed}" if allowed else "the same",
                    judged,
                )
            )
    crowd = f"{hog_count()} CPU-bound processes on {cpu_count()} cores"
    return Table(
        title=f"memory_hard: recommended setting with {crowd} against quiet,"
        f" pairs of runs: {len(pairs)}",
        columns=("hasher", "knob", "quiet", "busy", "same", "most off", "limit", "verdict"),
        rows=rows,
        notes=(
            "quiet, busy: the most usual value, and in how many runs; most off: of all pairs, in",
            "steps of memory, or in passes where the memory is the same",
        ),
    )


def _intervals_table(names: Sequence[str], pairs: Sequence[Pair]) -> Table:
    rows: list[tuple[str, ...]] = []
    for name in names:
        both = rows_of(name, pairs)
        moved = [
            busy.time_seconds / quiet.time_seconds - 1
            for quiet, busy in both
            if quiet.params == busy.params
        ]
        widths = [
            (quiet.half_width, busy.half_width)
            for quiet, busy in both
            if quiet.half_width and busy.half_width
        ]
        if not moved or not widths:
            continue
        usual = Counter(key(quiet.params) for quiet, _ in both).most_common(1)[0][0]
        there = [
            [row for row in one_state if key(row.params) == usual]
            for one_state in zip(*both, strict=True)  # All quiet ones, then all busy ones.
        ]
        truth = statistics.median(row.time_seconds for row in there[0])
        rows.append(
            (
                name,
                setting(dict(usual)),
                f"{truth * 1e3:.1f} ms",
                change(statistics.median(moved)),
                changes(median_interval(moved)),
                changes((min(moved), max(moved))),
                f"±{percent(statistics.median(quiet for quiet, _ in widths))}",
                f"±{percent(statistics.median(busy for _, busy in widths))}",
                f"× {statistics.median(busy / quiet for quiet, busy in widths):.1f}",
                *(_holding(one_state, truth) for one_state in there),
            )
        )
    speeds = [(pair.quiet.reference_seconds, pair.busy.reference_seconds) for pair in pairs]
    slower = [busy / quiet - 1 for quiet, busy in speeds]
    rows.append(
        (
            "the machine",
            "",
            f"{statistics.median(quiet for quiet, _ in speeds) * 1e3:.1f} ms",
            change(statistics.median(slower)),
            changes(median_interval(slower)),
            changes((min(slower), max(slower))),
            *("" for _ in range(5)),
        )
    )
    return Table(
        title="memory_hard: CPU time of one hash as printed, busy against quiet, and its ±",
        columns=(
            "hasher",
            "setting",
            "quiet",
            "busy",
            "95 % of it",
            "all pairs",
            "± quiet",
            "± busy",
            "wider",
            "quiet holds",
            "busy holds",
        ),
        rows=rows,
        notes=(
            "busy: the change within a pair, where both have one setting; the median of the pairs",
            "holds: of the runs with the setting, those whose interval has its quiet median",
            "the machine: fixed work outside the tool, bound by the CPU alone",
        ),
    )


def _place(value: int, steps: Sequence[int]) -> int:
    """The rung of a ladder, or the value itself."""
    return steps.index(value) if steps else value


def _usual(values: Iterable[int]) -> str:
    counted = Counter(values)
    value, times = counted.most_common(1)[0]
    return f"{value:,} ({times} of {counted.total()})"


def _holding(rows: Sequence[Row], truth: float) -> str:
    intervals = [row.interval_seconds for row in rows if row.interval_seconds is not None]
    return f"{sum(low <= truth <= high for low, high in intervals)} of {len(intervals)}"
