"""The result of `calibrate compare`: a table per hasher, and one cost for all."""

from collections.abc import Iterator, Sequence

from hashcost.compare.deciding import Outcome, Step
from hashcost.compare.model import (
    NOT_MEASURED,
    CommonCost,
    Comparison,
    Difference,
    HasherComparison,
    MachineRow,
    Standing,
)
from hashcost.core.profile import Verdict
from hashcost.core.units import format_duration, format_list, format_pairs, format_setting
from hashcost.documents.decision import DecidedCost, Decision
from hashcost.recommend.recommendation import TOO_NOISY
from hashcost.render.document import Column, Document, Scalar, Table, table
from hashcost.render.wording import (
    VERDICTS,
    counted,
    gathered,
    known,
    library,
    machine_line,
    minute,
    named,
    plus_minus,
    refusal,
    target_option,
    target_typed,
    timed,
    with_error,
)
from hashcost.worth.policies.policy import Policy

MANY_MACHINES = 12
"""Beyond this number, machines of one kind share a line."""
_SHORT = 24


def stand_in(machines: Sequence[str]) -> str:
    """A group of machines in a cell: the first and how many others, or two short names."""
    others = len(machines) - 1
    if not others or (others == 1 and len("".join(machines)) <= _SHORT):
        return format_list(machines)
    return f"{machines[0]} and {counted(others, 'other', 'others')}"


def comparison_document(
    comparison: Comparison,
    *,
    policies: Sequence[Policy] = (),
    targets_differ: bool = False,
    explained: bool = False,
    decision: Decision | None = None,
    machines: Table | None = None,
) -> Document:
    """A table per hasher with a row per group of machines, the fastest first.

    ``targets_differ``: the files were made for different targets, and none was asked for.
    ``explained``: a row per machine. ``decision``: what the fleet is set to. ``machines``: what
    is told of them, instead of a row for each of a few.
    """
    target = format_duration(comparison.target_seconds)
    why = "; the files were made for different targets" if targets_differ else ""
    entries = comparison.machines
    head = [f"{len(entries)} machines, one hash in at most {target}{why}"]
    if len(entries) > MANY_MACHINES and not explained:
        alike = gathered((machine_line(entry.machine), entry.name) for entry in entries)
        head += (f"{line}: {named(names)}" for line, names in alike.items())
    elif machines is None:
        machines = table(
            entries,
            (Column("machine", bold=True), lambda entry: entry.name),
            (Column("measured"), lambda entry: minute(entry.created)),
            (Column("on", flexible=True), lambda entry: machine_line(entry.machine)),
        )
    records = tuple(
        _record(comparison, compared, row, group)
        for compared in comparison.hashers
        for row in compared.rows
        for group in compared.groups
        if row.machine in group.machines
    )
    return Document(
        head=tuple(head),
        tables=(
            *(() if machines is None else (machines,)),
            *(_table(compared, explained=explained) for compared in comparison.hashers),
            _for_all(comparison, policies),
        ),
        notes=tuple(_notes(comparison, explained=explained)),
        answer=tuple(_answer(comparison, decision)),
        fields=tuple(records[0]),
        records=records,
        value=comparison,
    )


def _answer(comparison: Comparison, decision: Decision | None) -> Iterator[str]:
    """The cost to use on all machines, and the policies that it misses; not what is undecided."""
    costs: dict[str, list[str]] = {}
    for label, compared in labelled(comparison):
        common = compared.common
        params = common.params if common and common.keeps_the_target else None
        if decision is not None:
            decided = decision.cost_of(compared.hasher, compared.implementation)
            params = decided.params if decided else None
        if params is not None:
            costs[f"{label} {format_setting(params)}"] = [
                floor.policy
                for floor in (common.floors if common and params == common.params else ())
                if floor.verdict in (Verdict.SHORT, Verdict.NOT_APPROVED) and not floor.informative
            ]
    weak = [cost for cost, missed in costs.items() if missed]
    enough = [cost for cost, missed in costs.items() if not missed]
    if costs:
        count = len(comparison.machines)
        where = "both machines" if count == 2 else f"all {count} machines"
        yield f"Use {format_list(enough or weak, 'or')} on {where}."
    elif decision is None and any(compared.common for compared in comparison.hashers):
        yield "Too little is known for a cost for all; measure again."
    if weak:
        missed = format_list([*dict.fromkeys(policy for cost in weak for policy in costs[cost])])
        misses = f"{format_list(weak)} {'does' if len(weak) == 1 else 'do'} not meet"
        if len(weak) > 1 and not enough:
            misses = "None of these meets"
        yield f"{misses} {missed}."


def _table(compared: HasherComparison, *, explained: bool) -> Table:
    # The most usual library first; others with the machines that have them.
    machines = gathered((library(row), row.machine) for row in compared.rows)
    ordered = sorted(machines, key=lambda version: -len(machines[version]))
    libraries = [f"{named(machines[version])}: {version}" for version in ordered]
    if len(ordered) == 1 or len(machines[ordered[0]]) > 1:
        libraries[0] = ordered[0]
    return table(
        compared.rows if explained else compared.groups,
        (Column("machine"), lambda row: stand_in(row.machines)),
        (
            Column("use this cost", bold=True, flexible=True),
            lambda row: format_setting(row.params) if row.params else "-",
        ),
        (
            Column("one hash"),
            lambda row: (
                "too slow"
                if row.time_seconds is None
                else timed(row.time_seconds, row.error_fraction)
            ),
        ),
        (Column("for all", right=True), lambda row: known(row.for_all_seconds, format_duration)),
        (Column(f"speed against {compared.baseline}"), _speed),
        title=f"{compared.hasher}, {'; '.join(libraries)}",
    )


def _speed(row: MachineRow) -> str:
    speed = row.speed
    if row.standing is Standing.BASELINE:
        return "-"
    if speed is None:
        return "not comparable"
    if row.standing is Standing.NO_DIFFERENCE:
        return f"no difference {plus_minus(speed.error_fraction)}"
    return f"{speed.ratio:.2f}× ({speed.low:.2f} to {speed.high:.2f})"


def _for_all(comparison: Comparison, policies: Sequence[Policy]) -> Table:
    """The highest cost that keeps the target on the slowest machines, hasher by hasher."""
    return table(
        [(label, compared.common) for label, compared in labelled(comparison)],
        (Column("hasher"), lambda row: row[0]),
        (
            Column("use this cost", flexible=True, bold=True),
            lambda row: format_setting(row[1].params) if row[1] else "none",
        ),
        (
            Column("at most"),
            lambda row: with_error(row[1].time_seconds, row[1].interval_seconds) if row[1] else "",
        ),
        (Column("on"), lambda row: stand_in(row[1].slowest_machines) if row[1] else ""),
        *(
            (
                Column(f"{policy.id} {'default' if policy.informative else 'minimum'}"),
                lambda row, id_=policy.id: _minimum(row[1], id_),
            )
            for policy in policies
        ),
        title="One cost for all",
    )


def _minimum(common: CommonCost | None, policy: str) -> str:
    for floor in common.floors if common else ():
        if floor.policy == policy:
            if floor.target_seconds is None or floor.informative:
                return VERDICTS[floor.verdict]
            return f"from {target_typed(floor.target_seconds)}"
    return "-"


def _record(
    comparison: Comparison, compared: HasherComparison, row: MachineRow, group: MachineRow
) -> dict[str, Scalar]:
    (machine,) = (entry for entry in comparison.machines if entry.name == row.machine)
    low, high = row.interval_seconds or (None, None)
    common, speed = compared.common, row.speed
    short = (f.policy for f in (common.floors if common else ()) if f.verdict is Verdict.SHORT)
    return {
        "hasher": compared.hasher,
        "machine": row.machine,
        "source": machine.source,
        "implementation": row.implementation,
        "implementation_version": row.implementation_version,
        "target_seconds": comparison.target_seconds,
        "params": format_pairs(row.params) if row.params else None,
        "time_seconds": row.time_seconds,
        "low_seconds": low,
        "high_seconds": high,
        "baseline": compared.baseline,
        "standing": row.standing.value,
        "speed": speed.ratio if speed else None,
        "speed_low": speed.low if speed else None,
        "speed_high": speed.high if speed else None,
        "speed_params": format_pairs(speed.params) if speed else None,
        "differs_in": " ".join(difference.what for difference in row.differs_in),
        "for_all_params": format_pairs(common.params) if common else None,
        "for_all_seconds": row.for_all_seconds,
        "short_of": " ".join(short),
        "cpu_model": machine.machine.cpu_model,
        "created": machine.created.isoformat(),
        "error": row.error,
        "group": group.machine,
    }


def _notes(comparison: Comparison, *, explained: bool) -> Iterator[str]:
    """Say what machines lack, why they differ, and what one cost for all misses."""
    tables = labelled(comparison)
    other_baselines = gathered((compared.baseline, label) for label, compared in tables)
    for baseline, labels in other_baselines.items():
        if baseline != comparison.baseline:
            hashers = format_list(labels)
            yield f"{comparison.baseline} has no {hashers}; its speeds are relative to {baseline}"
    alone = gathered((machine, hasher) for hasher, machine in comparison.alone.items())
    for machine, hashers_of_one in alone.items():
        yield f"only {machine} has {format_list(hashers_of_one)}, so nothing is compared"
    groups = [(label, row) for label, compared in tables for row in compared.groups]
    pools = gathered((row.machines, label) for label, row in groups if len(row.machines) > 1)
    if pools and not explained:
        yield (
            "a row stands for machines with the same CPU, library and limits, by the slowest of"
            " them, or of four and more by the slowest but a quarter (--explain shows each)"
        )
    for machines, labels in pools.items() if explained else ():
        yield f"one group in {format_list(labels)}: {', '.join(machines)}"
    yield from _too_slow(comparison)
    limits = gathered((entry.machine.cpu_limit, entry.name) for entry in comparison.machines)
    for limit, names in limits.items() if len(limits) > 1 else ():
        if limit is not None:
            yield (
                f"{named(names)}: limited to {limit:g} CPUs; a hash takes the same CPU time"
                " there, and logins wait"
            )
    yield from _differences(comparison)
    yield from _common_costs(comparison)
    yield from _caveats(comparison)


def decision_remarks(comparison: Comparison, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Say what was decided on each cost, and why nothing could be decided on others."""
    decided = {outcome.cost.label for outcome in outcomes}
    for label, compared in labelled(comparison) if outcomes else ():
        if compared.implementation is None:
            yield f"{label}: the machines hash with different libraries, so nothing is decided"
        elif f"{compared.hasher}@{compared.implementation}" not in decided:
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
            yield f"{setting}: {outcome.step.value}{_doubt(cost)}"


def _doubt(cost: DecidedCost) -> str:
    """Say that strangers may have slowed the hosts all the while."""
    quickest = cost.interval_seconds[0] if cost.interval_seconds else cost.time_seconds
    if quickest >= (1 - TOO_NOISY) * cost.time_seconds:
        return ""
    return f", though one hash may take only {format_duration(quickest)}; measure again later"


def labelled(comparison: Comparison) -> list[tuple[str, HasherComparison]]:
    """Each table with the name of its hasher."""
    return [(comparison.label_of(compared), compared) for compared in comparison.hashers]


def _too_slow(comparison: Comparison) -> Iterator[str]:
    """The machines that surely take longer than the target for the cost for all."""
    for label, compared in labelled(comparison):
        slow = {
            row.machine: row.for_all_seconds
            for row in compared.rows
            if row.for_all_seconds is not None and row.for_all_interval is not None
            if row.for_all_interval[0] > comparison.target_seconds
        }
        if slow:
            verb = "takes" if len(slow) == 1 else "take up to"
            yield (
                f"{label}: {named([*slow])} {verb} {format_duration(max(slow.values()))} for the"
                " cost for all, longer than the target and than others with the same facts;"
                " measure again"
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
    "huge_pages": "mode of huge pages",
}


def _fact(difference: Difference) -> str:
    what, there, here = difference.what, difference.baseline, difference.here
    if what == "cpu_flags":
        lost, gained = (set((flags or "").split()) for flags in (there, here))
        return ", ".join(
            [*(f"no {flag}" for flag in sorted(lost - gained)), *sorted(gained - lost)]
        )
    return f"{_WORDS.get(what, what)} {here or 'none'} instead of {there or 'none'}"


def _common_costs(comparison: Comparison) -> Iterator[str]:
    """Why there is no cost for all or it misses a minimum, and what would meet that."""
    for label, compared in labelled(comparison):
        if compared.common is None:
            yield f"{label}: no common cost: {compared.no_common}"
            continue
        for floor in compared.common.floors:
            if floor.verdict is Verdict.NOT_APPROVED:
                yield refusal(floor.policy, [compared.hasher])
            elif floor.verdict is Verdict.SHORT and not floor.informative:
                unable = ""
                if len(floor.unable) == len(comparison.machines):
                    unable = "; no machine can meet it within the target"
                elif floor.unable:
                    unable = f"; {named(floor.unable)} cannot meet it within the target"
                from_there = (
                    "no setting that meets it was timed on all of them"
                    if floor.target_seconds is None
                    else f"all do from {target_option(floor.target_seconds)} on"
                )
                misses = f"the common cost misses {floor.policy}'s minimum"
                yield f"{label}: {misses}{unable}; {from_there}"


def _caveats(comparison: Comparison) -> Iterator[str]:
    """Rows that are missing or doubtful, speeds at another setting, and what they mean."""
    tables = labelled(comparison)
    rows = [
        (label, compared, row, machine)
        for label, compared in tables
        for row in compared.groups
        for machine in row.machines
    ]
    missing = [
        ((label, reason), machine)
        for label, compared in tables
        for machine, reason in compared.missing.items()
        # The baseline's lack of a hasher is said with the baseline that stands in.
        if (machine, reason) != (comparison.baseline, NOT_MEASURED)
    ]
    errors = [((label, row.error), machine) for label, _, row, machine in rows if row.error]
    for (label, reason), machines in gathered([*missing, *errors]).items():
        yield f"{label} on {named(machines)}: {reason}"
    settings = gathered(
        ((label, format_setting(row.speed.params)), machine)
        for label, compared, row, machine in rows
        if row.speed is not None and row.standing is not Standing.BASELINE
        if compared.common is None or row.speed.params != compared.common.params
    )
    for (label, setting), machines in settings.items():
        yield f"{label}: the speed of {named(machines)} is at {setting}"
    if any(row.standing is Standing.NO_DIFFERENCE for _, _, row, _ in rows):
        yield "no difference: the interval of the ratio includes 1; ± is its width"
