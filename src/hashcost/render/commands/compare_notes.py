"""What a comparison says below its tables."""

from collections.abc import Iterator, Sequence

from hashcost.compare.deciding import Outcome, Step
from hashcost.compare.model import (
    NOT_MEASURED,
    CommonFloor,
    Comparison,
    Difference,
    HasherComparison,
    MachineRow,
    Standing,
)
from hashcost.core.profile import Verdict
from hashcost.core.units import format_duration, format_list, format_setting
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
    alone = gathered((machine, hasher) for hasher, machine in comparison.alone.items())
    for machine, hashers in alone.items():
        yield f"only {machine} has {format_list(hashers)}, so nothing is compared"
    yield from _pools(comparison, explained=explained)
    yield from _too_slow(comparison)
    yield from _limits(comparison)
    yield from _differences(comparison)
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


def _pools(comparison: Comparison, *, explained: bool) -> Iterator[str]:
    """How a row stands for several machines; explained, which are one group for which hashers."""
    groups = gathered(
        (group.machines, label)
        for label, compared in labelled(comparison)
        for group in compared.groups
        if len(group.machines) > 1
    )
    if not explained and groups:
        yield (
            "a row stands for machines with the same CPU, library and limits, by the slowest of"
            " them, or of four and more by the slowest but a quarter (--explain shows each)"
        )
    for machines, labels in groups.items() if explained else ():
        yield f"one group in {format_list(labels)}: {', '.join(machines)}"


def _too_slow(comparison: Comparison) -> Iterator[str]:
    """The machines that surely take longer than the target for the cost for all."""
    for label, compared in labelled(comparison):
        slow = [row for row in compared.rows if _is_over(row, comparison.target_seconds)]
        if slow:
            longest = format_duration(max(row.for_all_seconds or 0.0 for row in slow))
            verb = "takes" if len(slow) == 1 else "take up to"
            yield (
                f"{label}: {named([row.machine for row in slow])} {verb} {longest} for the cost"
                " for all, longer than the target and than others with the same facts; measure"
                " again"
            )


def _is_over(row: MachineRow, target_seconds: float) -> bool:
    if row.for_all_seconds is None:
        return False
    low, _ = row.for_all_interval or (row.for_all_seconds, row.for_all_seconds)
    return low > target_seconds


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


def _differences(comparison: Comparison) -> Iterator[str]:
    """The facts that faster and slower machines differ in, each set of facts once."""
    differing = gathered(
        ((compared.baseline, ", ".join(map(_fact, row.differs_in))), (machine, label))
        for label, compared in labelled(comparison)
        for row in compared.groups
        for machine in row.machines
        if row.standing in (Standing.FASTER, Standing.SLOWER)
    )
    for (baseline, facts), rows in differing.items():
        machines, hashers = (list(dict.fromkeys(names)) for names in zip(*rows, strict=True))
        who = f"{named(machines)} against {baseline}, {format_list(hashers)}"
        yield f"{who}: {facts or 'no fact in the files explains the speed; measure again'}"


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
    """Why there is no cost for all or it misses a minimum, and what would meet that."""
    for label, compared in labelled(comparison):
        if compared.common is None:
            yield f"{label}: no common cost: {compared.no_common}"
            continue
        for floor in compared.common.floors:
            if floor.verdict is Verdict.SHORT and not floor.informative:
                yield f"{label}: {_floor(floor, len(comparison.machines))}"
            elif floor.verdict is Verdict.NOT_APPROVED:
                yield refusal(floor.policy, [compared.hasher])


def _floor(floor: CommonFloor, machines: int) -> str:
    parts = [f"the common cost misses {floor.policy}'s minimum"]
    if floor.unable:
        who = (
            "no machine can" if len(floor.unable) == machines else f"{named(floor.unable)} cannot"
        )
        parts.append(f"{who} meet it within the target")
    if floor.target_seconds is None:
        parts.append("no setting that meets it was timed on all of them")
    else:
        parts.append(f"all do from {target_option(floor.target_seconds)} on")
    return "; ".join(parts)


def _caveats(comparison: Comparison) -> Iterator[str]:
    """What there is no row of, what is not known, and how the figures are meant."""
    missing = gathered(
        ((label, reason), machine)
        for label, compared in labelled(comparison)
        for machine, reason in compared.missing.items()
        # What the baseline lacks is told with whom the speeds are against.
        if (machine, reason) != (comparison.baseline, NOT_MEASURED)
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
