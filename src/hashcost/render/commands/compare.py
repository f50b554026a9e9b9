"""What `calibrate compare` shows: a table per hasher, and one cost for all."""

from collections.abc import Iterator, Sequence

from hashcost.compare.model import CommonCost, Comparison, HasherComparison, MachineRow, Standing
from hashcost.core.decision import Decision
from hashcost.core.measurement import Params
from hashcost.core.profile import Verdict
from hashcost.core.units import format_duration, format_list, format_pairs, format_setting
from hashcost.render.commands.compare_notes import comparison_notes, labelled, named, stand_in
from hashcost.render.document import Column, Document, Scalar, Table, table
from hashcost.render.wording import (
    VERDICTS,
    floor_title,
    gathered,
    known,
    library,
    machine_line,
    minute,
    plus_minus,
    target_typed,
    timed,
    with_error,
)
from hashcost.worth.policies.policy import Policy

MANY_MACHINES = 12
"""Beyond this number, machines of one kind share a line."""


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
    who = f"{len(comparison.machines)} machines"
    many = len(comparison.machines) > MANY_MACHINES and not explained
    alike = gathered((machine_line(each.machine), each.name) for each in comparison.machines)
    kinds = [f"{line}: {named(names)}" for line, names in alike.items()] if many else ()
    if machines is None and not many:
        machines = table(
            comparison.machines,
            (Column("machine", bold=True), lambda each: each.name),
            (Column("measured"), lambda each: minute(each.created)),
            (Column("on", flexible=True), lambda each: machine_line(each.machine)),
        )
    records = tuple(
        _record(comparison, compared, row, group)
        for compared in comparison.hashers
        for row in compared.rows
        for group in compared.groups
        if row.machine in group.machines
    )
    return Document(
        head=(f"{who}, one hash in at most {target}{why}", *kinds),
        tables=(
            *(() if machines is None else (machines,)),
            *(_table(compared, explained=explained) for compared in comparison.hashers),
            _for_all(comparison, policies),
        ),
        notes=tuple(comparison_notes(comparison, explained=explained)),
        answer=tuple(_answer(comparison, decision)),
        fields=tuple(records[0]),
        records=records,
        value=comparison,
    )


def _answer(comparison: Comparison, decision: Decision | None) -> Iterator[str]:
    """Which cost to use on all."""
    costs = {
        f"{label} {format_setting(params)}": _missed(each, params)
        for label, each in labelled(comparison)
        for params in [_decided(each, decision)]
        if params is not None
    }
    weak = [cost for cost, missed in costs.items() if missed]
    enough = [cost for cost in costs if cost not in weak]
    many = len(comparison.machines)
    where = "both machines" if many == 2 else f"all {many} machines"
    if costs:
        *others, last = enough or weak
        yield f"Use {', '.join(others)}{' or ' if others else ''}{last} on {where}."
    if weak:
        policies = format_list([*dict.fromkeys(each for cost in weak for each in costs[cost])])
        several = len(weak) > 1
        misses = f"{format_list(weak)} {'do' if several else 'does'} not meet"
        yield f"{'None of these meets' if several and not enough else misses} {policies}."


def _missed(compared: HasherComparison, params: Params) -> list[str]:
    """The policies that ask for more than one cost for all."""
    common = compared.common
    if common is None or params != common.params:
        return []
    asking = (Verdict.SHORT, Verdict.NOT_APPROVED)
    return [
        each.policy for each in common.floors if each.verdict in asking and not each.informative
    ]


def _decided(compared: HasherComparison, decision: Decision | None) -> Params | None:
    kept = None if decision is None else decision.cost_of(compared.hasher, compared.implementation)
    if kept is not None:
        return kept.params
    return None if compared.common is None else compared.common.params


def _table(compared: HasherComparison, *, explained: bool) -> Table:
    rows: Sequence[MachineRow] = compared.rows if explained else compared.groups
    # The only param of a cost is named above the column.
    names = {name for row in rows for name in row.params or {}}
    name = names.pop() if len(names) == 1 else None
    use = (
        Column("use this cost", bold=True, flexible=True)
        if name is None
        else Column(name, bold=True, right=True)
    )
    return table(
        rows,
        (Column("machine"), lambda row: stand_in(row.machines)),
        (use, lambda row: _cost(row, name)),
        (Column("one hash"), _time),
        (Column("for all", right=True), lambda row: known(row.for_all_seconds, format_duration)),
        (Column(f"speed against {compared.baseline}"), _speed),
        title=f"{compared.hasher}, {_libraries(compared)}",
    )


def _libraries(compared: HasherComparison) -> str:
    """Which library ran it; where they differ, the most usual one first and who has another."""
    machines = gathered((library(row), row.machine) for row in compared.rows)
    usual, *others = sorted(machines, key=lambda each: -len(machines[each]))
    if not others:
        return usual
    told = [f"{named(machines[each])}: {each}" for each in others]
    own = usual if len(machines[usual]) > 1 else f"{machines[usual][0]}: {usual}"
    return "; ".join([own, *told])


def _cost(row: MachineRow, name: str | None) -> str:
    if row.params is None:
        return "-"
    return format_setting(row.params) if name is None else str(row.params[name])


def _time(row: MachineRow) -> str:
    if row.time_seconds is None:
        return "too slow"
    return timed(row.time_seconds, row.error_fraction)


def _speed(row: MachineRow) -> str:
    speed = row.speed
    if row.standing is Standing.BASELINE:
        return "-"
    if speed is None:
        return "not comparable"
    if speed.error_fraction is None:
        return f"{speed.ratio:.2f}× {plus_minus(None)}"
    if row.standing is Standing.NO_DIFFERENCE:
        return f"no difference {plus_minus(speed.error_fraction)}"
    return f"{speed.ratio:.2f}× ({speed.low:.2f} to {speed.high:.2f})"


def _for_all(comparison: Comparison, policies: Sequence[Policy]) -> Table:
    """The highest cost that keeps the target on the slowest machines, hasher by hasher."""
    return table(
        ((label, each.common) for label, each in labelled(comparison)),
        (Column("hasher"), lambda row: row[0]),
        (
            Column("use this cost", flexible=True, bold=True),
            lambda row: format_setting(row[1].params) if row[1] else "none",
        ),
        (Column("at most"), lambda row: _slowest(row[1]) if row[1] else ""),
        (Column("on"), lambda row: stand_in(row[1].slowest_machines) if row[1] else ""),
        *(
            (
                Column(floor_title(policy.id, informative=policy.informative)),
                lambda row, id_=policy.id: _floor_cell(row[1], id_),
            )
            for policy in policies
        ),
        title="One cost for all",
    )


def _slowest(common: CommonCost) -> str:
    return with_error(common.time_seconds, common.interval_seconds)


def _floor_cell(common: CommonCost | None, policy: str) -> str:
    if common is None:
        return "-"
    floor = next(each for each in common.floors if each.policy == policy)
    if floor.informative and floor.verdict is Verdict.SHORT:
        return "below"
    if floor.verdict is Verdict.SHORT and floor.target_seconds is not None:
        return f"from {target_typed(floor.target_seconds)}"
    return VERDICTS[floor.verdict]


def _record(
    comparison: Comparison, compared: HasherComparison, row: MachineRow, group: MachineRow
) -> dict[str, Scalar]:
    (machine,) = (each for each in comparison.machines if each.name == row.machine)
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
        "differs_in": " ".join(each.what for each in row.differs_in),
        "for_all_params": format_pairs(common.params) if common else None,
        "for_all_seconds": row.for_all_seconds,
        "short_of": " ".join(short),
        "cpu_model": machine.machine.cpu_model,
        "created": machine.created.isoformat(),
        "error": row.error,
        "group": group.machine,
    }
