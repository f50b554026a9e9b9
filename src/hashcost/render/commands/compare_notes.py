"""What a comparison says below its tables."""

from collections.abc import Iterator, Sequence

from hashcost.compare.deciding import Outcome, Step
from hashcost.compare.model import (
    NOT_MEASURED,
    Apart,
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
from hashcost.render.wording import counted, gathered, refusal, target_option

_MOST_NAMES = 6
_SHORT = 24


def named(names: Sequence[str]) -> str:
    """Machines as ``a, b and c``; of many the first few and how many more."""
    if len(names) <= _MOST_NAMES:
        return format_list(names)
    shown = _MOST_NAMES - 1
    return f"{', '.join(names[:shown])} and {len(names) - shown} others"


def stand_in(machines: Sequence[str]) -> str:
    """A group of machines in a cell: the first and how many others, or two short names."""
    others = len(machines) - 1
    if not others or (others == 1 and len("".join(machines)) <= _SHORT):
        return format_list(machines)
    return f"{machines[0]} and {counted(others, 'other', 'others')}"


def comparison_notes(comparison: Comparison, *, explained: bool = False) -> Iterator[str]:
    """What the machines lack, why they differ, what one cost for all misses, and caveats."""
    lacking = gathered(
        (compared.baseline, label)
        for label, compared in labelled(comparison)
        if compared.baseline != comparison.baseline
    )
    for other, hashers in lacking.items():
        what = format_list(hashers)
        yield f"{comparison.baseline} has no {what}; its speeds are relative to {other}"
    alone = gathered((each.machine, each.hasher) for each in comparison.alone)
    for machine, hashers in alone.items():
        yield f"only {machine} has {format_list(hashers)}, so nothing is compared"
    yield from _pools(comparison, explained=explained)
    yield from _outliers(comparison)
    yield from _limits(comparison)
    yield from _differences(comparison)
    yield from _overlaps(comparison)
    yield from _common_costs(comparison)
    yield from _caveats(comparison)


def decision_remarks(comparison: Comparison, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What became of each cost that was decided on; of what nothing could be decided."""
    told = {each.cost.label for each in outcomes}
    for label, compared in labelled(comparison) if outcomes else ():
        if compared.implementation is None:
            yield f"{label}: the machines hash with different libraries, so nothing is decided"
        elif f"{compared.hasher}@{compared.implementation}" not in told:
            yield f"{label}: too little is known for a cost for all, so nothing is decided"
    for outcome in outcomes:
        cost = outcome.cost
        setting = f"{cost.label} {format_setting(cost.params)}"
        if outcome.before is not None:
            before = format_setting(outcome.before)
            yield f"{setting}: {outcome.step.value} from {before}"
        elif outcome.step is Step.TOO_HIGH:
            yield (
                f"{setting}: kept, though measuring again says that it takes longer than the"
                " target; --lower allows less"
            )
        else:
            yield f"{setting}: {outcome.step.value}"


def labelled(comparison: Comparison) -> list[tuple[str, HasherComparison]]:
    """Each table with the name of its hasher."""
    return [(comparison.label_of(compared), compared) for compared in comparison.hashers]


def change_told(comparison: Comparison, change: Change) -> str:
    """What has changed on one host between two times, and why."""
    (other,) = (each.name for each in comparison.machines if each.name != comparison.baseline)
    return f"{comparison.baseline} to {other}: {'; '.join(_change(change))}"


def _change(change: Change) -> Iterator[str]:
    if change.cause is Cause.NOTHING:
        yield "no hasher changed by more than its interval"
    elif change.cause is Cause.LIBRARY:
        yield (
            f"a library is the cause: only {format_list(change.moved)} changed, together with"
            " its library"
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


def _pools(comparison: Comparison, *, explained: bool) -> Iterator[str]:
    """That machines are pooled; explained, which are one group for which hashers."""
    groups = gathered(
        (group.machines, label)
        for label, compared in labelled(comparison)
        for group in compared.groups
        if len(group.machines) > 1
    )
    if not explained and groups:
        yield (
            "machines in one row cannot be told apart: CPU, library and limits are the same and"
            " speeds differ by noise; their times are pooled (--explain shows each)"
        )
    for machines, labels in groups.items() if explained else ():
        yield f"one group in {format_list(labels)}: {', '.join(machines)}"


_CAUSES = {
    Apart.CLOCK: "all hashers there do, alike: another clock, heat, or a limit of power",
    Apart.NEIGHBOUR: "not all hashers there do alike: as if something else used the core then",
    Apart.UNKNOWN: "the files do not tell why",
}


def _outliers(comparison: Comparison) -> Iterator[str]:
    """Which machines are apart from others that no fact tells them from, and why."""
    apart = gathered(
        ((label, each.cause, each.left_out, each.factor > 1), (each, group.machines))
        for label, compared in labelled(comparison)
        for group in compared.groups
        for each in [group.outlier]
        if each is not None
    )
    found = gathered(
        ((machines, outliers[0].like, cause, left_out), (label, outliers))
        for (label, cause, left_out, _), groups in apart.items()
        for outliers in [[outlier for outlier, _ in groups]]
        for machines in [tuple(name for _, names in groups for name in names)]
    )
    for (machines, like, cause, left_out), told in found.items():
        factors = [outlier.factor for _, outliers in told for outlier in outliers]
        low, high = f"{min(factors):.2f}", f"{max(factors):.2f}"
        span = low if low == high else f"{low} to {high}"
        take = "takes" if len(told) == 1 else "take"
        left = "; the cost for all leaves that out until measured again" if left_out else ""
        hashers = format_list([label for label, _ in told])
        yield (
            f"{named(machines)}: {hashers} {take} {span} times as long as on {stand_in(like)},"
            f" of the same CPU and library; {_CAUSES[cause]}{left}"
        )


def _limits(comparison: Comparison) -> Iterator[str]:
    """Whose control group allows fewer CPUs, which no CPU time shows."""
    limits = gathered((each.machine.cpu_limit, each.name) for each in comparison.machines)
    if len(limits) < 2:
        return
    for limit, machines in limits.items():
        if limit is not None:
            yield (
                f"{named(machines)}: limited to {limit:g} CPUs; a hash takes the same CPU time"
                " there, and logins wait"
            )


def _overlaps(comparison: Comparison) -> Iterator[str]:
    for machines in comparison.overlaps:
        yield (
            f"{named(machines)} were measured at the same time: if they share a hypervisor,"
            " they may have slowed each other; measure one after the other to be sure"
        )


def _differences(comparison: Comparison) -> Iterator[str]:
    """What machines that are faster or slower differ in, each set of facts once.

    If it is one host at two times, `_change` has told what was renewed.
    """
    said = gathered(
        ((compared.baseline, ", ".join(map(_fact, row.differs_in))), (machine, label))
        for label, compared in labelled(comparison)
        for row in compared.groups
        for machine in row.machines
        if row.standing in (Standing.FASTER, Standing.SLOWER)
        # Where one is an outlier, its own note tells what the files do not.
        if row.differs_in or not any(each.outlier for each in compared.groups)
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
    "openssl_ia32cap": "OPENSSL_ia32cap",
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
        for label, compared in labelled(comparison)
        if compared.common is not None and compared.common.less_memory_than_any
    ]
    if low:
        yield (
            f"{format_list(low)}: the cost for all has less memory than any machine would use,"
            " for no larger step that fits was timed on all; measure them for the same target"
        )
    for label, compared in labelled(comparison):
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
        for label, compared in labelled(comparison)
        for each in compared.missing
        # What the baseline lacks is told with whom the speeds are against.
        if (each.machine, each.reason) != (comparison.baseline, NOT_MEASURED)
    )
    for (hasher, reason), machines in missing.items():
        yield f"{hasher} on {named(machines)}: {reason}"
    yield from _other_settings(comparison)
    rows = [(label, row) for label, compared in labelled(comparison) for row in compared.groups]
    errors = [
        ((label, row.error), machine)
        for label, row in rows
        for machine in row.machines
        if row.error is not None
    ]
    for (hasher, message), machines in gathered(errors).items():
        yield f"{hasher} on {named(machines)}: {message}"
    standings = {row.standing for _, row in rows}
    if Standing.NO_DIFFERENCE in standings:
        yield "no difference: the interval of the ratio includes 1; ± is its width"
    if Standing.UNKNOWN in standings:
        yield "±?: too few hashes were timed at the setting that both machines have"


def _other_settings(comparison: Comparison) -> Iterator[str]:
    """At which setting of memory two machines were compared, where it is not the one for all."""
    for label, compared in labelled(comparison):
        params = None if compared.common is None else compared.common.params
        at = gathered(
            (format_setting(row.speed.params), machine)
            for row in compared.groups
            for machine in row.machines
            if row.speed is not None
            if row.standing is not Standing.BASELINE and row.speed.params != params
        )
        for cost, machines in at.items():
            yield f"{label}: the speed of {named(machines)} is at {cost}"
