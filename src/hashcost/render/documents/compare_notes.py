"""What a comparison says below its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hashcost.compare.model import (
    NOT_MEASURED,
    Cause,
    Change,
    CommonFloor,
    Comparison,
    Difference,
    MachineRow,
    Standing,
)
from hashcost.core.profile import Verdict
from hashcost.core.units import format_cost, format_list
from hashcost.recommend.recommendation import UNTIMED_STEPS
from hashcost.render.wording import refusal, target_option

_MOST_NAMES = 6


def named(names: Sequence[str]) -> str:
    """Machines as ``a, b and c``; of many the first few and how many more."""
    if len(names) <= _MOST_NAMES:
        return format_list(names)
    shown = _MOST_NAMES - 1
    return f"{', '.join(names[:shown])} and {len(names) - shown} others"


def baseline_notes(comparison: Comparison) -> Iterator[str]:
    """Whom the speeds of a hasher are against that the baseline's machine lacks."""
    lacking: dict[str, list[str]] = {}
    for compared in comparison.hashers:
        if compared.baseline != comparison.baseline:
            lacking.setdefault(compared.baseline, []).append(comparison.label_of(compared))
    for other, hashers in lacking.items():
        what = format_list(hashers)
        yield f"{comparison.baseline} lacks {what}: speeds there are against {other}"


def alone_notes(comparison: Comparison) -> Iterator[str]:
    """The hashers without a table, since only one machine has them."""
    machines: dict[str, list[str]] = {}
    for each in comparison.alone:
        machines.setdefault(each.machine, []).append(each.hasher)
    for machine, hashers in machines.items():
        yield f"only {machine} has {format_list(hashers)}: compared with nothing"


def change_notes(comparison: Comparison) -> Iterator[str]:
    """What happened to a machine between two times."""
    if comparison.change is not None:
        (other,) = (e.name for e in comparison.machines if e.name != comparison.baseline)
        yield f"{comparison.baseline} to {other}: {'; '.join(_change(comparison.change))}"


def _change(change: Change) -> Iterator[str]:
    if change.cause is Cause.NOTHING:
        yield "no hasher moved by more than its interval"
    elif change.cause is Cause.LIBRARY:
        yield (
            f"a library did it: {format_list(change.moved)} moved with it, the others stood still"
        )
    elif change.cause is Cause.MACHINE:
        yield (
            "the machine did it (its clock, its neighbours, its kernel): all moved alike,"
            " those of unchanged libraries too"
        )
    elif change.moved:
        still = f", {format_list(change.still)} stood still" if change.still else ""
        moved = format_list(change.moved)
        yield f"whether the machine or a library did it cannot be told: {moved} moved{still}"
    else:
        yield "too little was measured alike both times to tell whether anything moved"
    for before, now in dict.fromkeys((each.baseline, each.here) for each in change.libraries):
        yield f"{before} became {now}"
    for fact in change.facts:
        yield f"{_WORDS.get(fact.what, fact.what)} {fact.baseline} became {fact.here}"


def difference_notes(comparison: Comparison) -> Iterator[str]:
    """What machines that are faster or slower differ in, each set of facts once.

    If it is one machine at two times, `change_notes` has told what was renewed.
    """
    said: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for compared in comparison.hashers:
        for row in compared.rows:
            told = comparison.change is not None and not _is_another_library(row)
            if row.standing in (Standing.FASTER, Standing.SLOWER) and not told:
                key = compared.baseline, ", ".join(map(_fact, row.differs_in))
                machines, hashers = said.setdefault(key, ({}, {}))
                machines[row.machine] = hashers[comparison.label_of(compared)] = None
    for (baseline, facts), (machines, hashers) in said.items():
        who = f"{named([*machines])} against {baseline}, {format_list([*hashers])}"
        yield f"{who}: {facts or 'the files do not tell why'}"


def _is_another_library(row: MachineRow) -> bool:
    return any(each.what == "implementation" for each in row.differs_in)


_WORDS = {
    "implementation": "library",
    "version": "library version",
    "cpu_model": "CPU",
    "cpu_count": "CPUs",
    "cpu_limit": "CPU limit",
    "virtualization": "virtualization",
    "architecture": "architecture",
    "kernel": "kernel",
    "password_bytes": "length of the password hashed",
    "os": "system",
    "python": "Python",
    "openssl": "OpenSSL",
}


def _fact(each: Difference) -> str:
    if each.what == "cpu_flags":
        there, here = (set((flags or "").split()) for flags in (each.baseline, each.here))
        words = [f"no {flag}" for flag in sorted(there - here)] + sorted(here - there)
        return ", ".join(words)
    word = _WORDS.get(each.what, each.what)
    return f"{word} {each.here or 'none'} instead of {each.baseline or 'none'}"


def memory_notes(comparison: Comparison) -> Iterator[str]:
    """Where the cost for all has little memory only because little was timed on all."""
    low = [
        comparison.label_of(compared)
        for compared in comparison.hashers
        if compared.common is not None and compared.common.less_memory_than_any
    ]
    if low:
        yield (
            f"{format_list(low)}: the cost for all has less memory than any machine would use,"
            " for no larger step that fits was timed on all; measure them for the same target"
        )


def floor_notes(comparison: Comparison) -> Iterator[str]:
    """Which floors one cost for all misses, who forces it below, and what would meet them."""
    for compared in comparison.hashers:
        label = comparison.label_of(compared)
        if compared.common is None:
            yield f"{label}: no cost for all, {compared.no_common}"
            continue
        for floor in compared.common.floors:
            if floor.verdict is Verdict.SHORT and not floor.informative:
                yield f"{label}: {_floor(floor)}"
            elif floor.verdict is Verdict.NOT_APPROVED:
                yield refusal(floor.policy, [compared.hasher])


def _floor(floor: CommonFloor) -> str:
    parts = [f"the cost for all misses {floor.policy}'s floor"]
    if floor.unable and not floor.able and not floor.untimed:
        parts.append("none of them can meet it within the target")
    elif floor.unable:
        parts.append(f"{named(floor.unable)} cannot meet it within the target")
    if floor.able:
        parts.append(f"{named(floor.able)} could by a cost of {_own(floor.able)}")
    if floor.untimed:
        parts.append(f"its memory was not timed on {named(floor.untimed)}")
    if floor.target_seconds is not None:
        parts.append(f"all do from {target_option(floor.target_seconds)} on")
    elif not floor.untimed:
        parts.append("no setting that meets it was timed on all of them")
    return "; ".join(parts)


def _own(names: Sequence[str]) -> str:
    return "its own" if len(names) == 1 else "their own"


def lesser_notes(comparison: Comparison) -> Iterator[str]:
    """What there is no row of, what is not known, and how the figures are meant."""
    missing: dict[tuple[str, str], list[str]] = {}
    for compared in comparison.hashers:
        for each in compared.missing:
            if each.machine == comparison.baseline and each.reason == NOT_MEASURED:
                continue  # Told with whom the speeds are against.
            missing.setdefault((comparison.label_of(compared), each.reason), []).append(
                each.machine
            )
    for (hasher, reason), machines in missing.items():
        yield f"{hasher} on {named(machines)}: {reason}"
    yield from _other_settings(comparison)
    yield from _of_rows(comparison, "error")
    yield from _of_rows(comparison, UNTIMED_STEPS)
    standings = {row.standing for compared in comparison.hashers for row in compared.rows}
    if Standing.NO_DIFFERENCE in standings:
        yield "no difference: the interval of the ratio encloses 1; ± is how far it reaches"
    if Standing.UNKNOWN in standings:
        yield "±?: too few hashes were timed at the setting that both machines have"


def _other_settings(comparison: Comparison) -> Iterator[str]:
    """At which setting of memory two machines were compared, where it is not the one for all."""
    for compared in comparison.hashers:
        params = None if compared.common is None else compared.common.params
        at: dict[str, list[str]] = {}
        for row in compared.rows:
            own = row.standing is Standing.BASELINE
            if row.speed is not None and not own and row.speed.params != params:
                at.setdefault(format_cost(row.speed.params), []).append(row.machine)
        for cost, machines in at.items():
            yield f"{comparison.label_of(compared)}: the speed of {named(machines)} is at {cost}"


def _of_rows(comparison: Comparison, code: str) -> Iterator[str]:
    """What several rows have in common is said once."""
    said: dict[tuple[str, str], list[str]] = {}
    for compared in comparison.hashers:
        for row in compared.rows:
            for message in _messages(row, code):
                said.setdefault((comparison.label_of(compared), message), []).append(row.machine)
    for (hasher, message), machines in said.items():
        yield f"{hasher} on {named(machines)}: {message}"


def _messages(row: MachineRow, code: str) -> Iterable[str]:
    if code == "error":
        return () if row.error is None else (row.error,)
    return (notice.message for notice in row.warnings if notice.code == code)
