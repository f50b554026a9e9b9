"""What a comparison says below its tables."""

from collections.abc import Iterator, Sequence

from hashcost.compare.model import (
    NOT_MEASURED,
    Cause,
    Change,
    CommonFloor,
    Comparison,
    Difference,
    HasherComparison,
    Standing,
)
from hashcost.core.profile import Verdict
from hashcost.core.units import format_list, format_setting
from hashcost.render.wording import gathered, refusal, target_option

_MOST_NAMES = 6


def named(names: Sequence[str]) -> str:
    """Machines as ``a, b and c``; of many the first few and how many more."""
    if len(names) <= _MOST_NAMES:
        return format_list(names)
    shown = _MOST_NAMES - 1
    return f"{', '.join(names[:shown])} and {len(names) - shown} others"


def comparison_notes(comparison: Comparison) -> Iterator[str]:
    """What the machines lack, why they differ, what one cost for all misses, and caveats."""
    lacking = gathered(
        (compared.baseline, label)
        for label, compared in _labelled(comparison)
        if compared.baseline != comparison.baseline
    )
    for other, hashers in lacking.items():
        what = format_list(hashers)
        yield f"{comparison.baseline} has no {what}; its speeds are relative to {other}"
    alone = gathered((each.machine, each.hasher) for each in comparison.alone)
    for machine, hashers in alone.items():
        yield f"only {machine} has {format_list(hashers)}, so nothing is compared"
    if comparison.change is not None:
        (other,) = (e.name for e in comparison.machines if e.name != comparison.baseline)
        yield f"{comparison.baseline} to {other}: {'; '.join(_change(comparison.change))}"
    yield from _differences(comparison)
    yield from _common_costs(comparison)
    yield from _caveats(comparison)


def _labelled(comparison: Comparison) -> list[tuple[str, HasherComparison]]:
    return [(comparison.label_of(compared), compared) for compared in comparison.hashers]


def _change(change: Change) -> Iterator[str]:
    if change.cause is Cause.NOTHING:
        yield "no hasher changed by more than its interval"
    elif change.cause is Cause.LIBRARY:
        yield (
            f"a library is the cause: {format_list(change.moved)} changed with it and the"
            f" others did not"
        )
    elif change.cause is Cause.MACHINE:
        yield (
            "the machine is the cause (its clock, its neighbours or its kernel): all hashers"
            " changed alike, including those whose library is the same"
        )
    elif change.moved:
        still = f", {format_list(change.still)} did not" if change.still else ""
        moved = format_list(change.moved)
        yield f"the cause may be the machine or a library: {moved} changed{still}"
    else:
        yield "too little was measured in both files to tell whether anything changed"
    for before, now in dict.fromkeys((each.baseline, each.here) for each in change.libraries):
        yield f"{before} became {now}"
    for fact in change.facts:
        yield f"{_WORDS.get(fact.what, fact.what)} {fact.baseline} became {fact.here}"


def _differences(comparison: Comparison) -> Iterator[str]:
    """What machines that are faster or slower differ in, each set of facts once.

    If it is one machine at two times, `_change` has told what was renewed.
    """
    said = gathered(
        ((compared.baseline, ", ".join(map(_fact, row.differs_in))), (row.machine, label))
        for label, compared in _labelled(comparison)
        for row in compared.rows
        if row.standing in (Standing.FASTER, Standing.SLOWER)
        if comparison.change is None
        or any(each.what == "implementation" for each in row.differs_in)
    )
    for (baseline, facts), found in said.items():
        machines, hashers = (list(dict.fromkeys(each)) for each in zip(*found, strict=True))
        who = f"{named(machines)} against {baseline}, {format_list(hashers)}"
        yield f"{who}: {facts or 'the files do not tell why'}"


_WORDS = {
    "implementation": "library",
    "version": "library version",
    "cpu_model": "CPU",
    "cpu_count": "CPUs",
    "cpu_limit": "CPU limit",
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


def _common_costs(comparison: Comparison) -> Iterator[str]:
    """Why one cost for all has little memory or misses a floor, and what would meet it."""
    low = [
        label
        for label, compared in _labelled(comparison)
        if compared.common is not None and compared.common.less_memory_than_any
    ]
    if low:
        yield (
            f"{format_list(low)}: the cost for all has less memory than any machine would use,"
            " for no larger step that fits was timed on all; measure them for the same target"
        )
    for label, compared in _labelled(comparison):
        if compared.common is None:
            yield f"{label}: no common cost: {compared.no_common}"
            continue
        for floor in compared.common.floors:
            if floor.verdict is Verdict.SHORT and not floor.informative:
                yield f"{label}: {_floor(floor)}"
            elif floor.verdict is Verdict.NOT_APPROVED:
                yield refusal(floor.policy, [compared.hasher])


def _floor(floor: CommonFloor) -> str:
    parts = [f"the common cost misses {floor.policy}'s minimum"]
    if floor.unable and not floor.able and not floor.untimed:
        parts.append("no machine can meet it within the target")
    elif floor.unable:
        parts.append(f"{named(floor.unable)} cannot meet it within the target")
    if floor.able:
        own = "its own" if len(floor.able) == 1 else "their own"
        parts.append(f"{named(floor.able)} could by a cost of {own}")
    if floor.untimed:
        parts.append(f"its memory was not timed on {named(floor.untimed)}")
    if floor.target_seconds is not None:
        parts.append(f"all do from {target_option(floor.target_seconds)} on")
    elif not floor.untimed:
        parts.append("no setting that meets it was timed on all of them")
    return "; ".join(parts)


def _caveats(comparison: Comparison) -> Iterator[str]:
    """What there is no row of, what is not known, and how the figures are meant."""
    missing = gathered(
        ((label, each.reason), each.machine)
        for label, compared in _labelled(comparison)
        for each in compared.missing
        # What the baseline lacks is told with whom the speeds are against.
        if (each.machine, each.reason) != (comparison.baseline, NOT_MEASURED)
    )
    for (hasher, reason), machines in missing.items():
        yield f"{hasher} on {named(machines)}: {reason}"
    yield from _other_settings(comparison)
    rows = [(label, row) for label, compared in _labelled(comparison) for row in compared.rows]
    errors = [((label, row.error), row.machine) for label, row in rows if row.error is not None]
    for (hasher, message), machines in gathered(errors).items():
        yield f"{hasher} on {named(machines)}: {message}"
    standings = {row.standing for _, row in rows}
    if Standing.NO_DIFFERENCE in standings:
        yield "no difference: the interval of the ratio includes 1; ± is its width"
    if Standing.UNKNOWN in standings:
        yield "±?: too few hashes were timed at the setting that both machines have"


def _other_settings(comparison: Comparison) -> Iterator[str]:
    """At which setting of memory two machines were compared, where it is not the one for all."""
    for label, compared in _labelled(comparison):
        params = None if compared.common is None else compared.common.params
        at = gathered(
            (format_setting(row.speed.params), row.machine)
            for row in compared.rows
            if row.speed is not None
            if row.standing is not Standing.BASELINE and row.speed.params != params
        )
        for cost, machines in at.items():
            yield f"{label}: the speed of {named(machines)} is at {cost}"
