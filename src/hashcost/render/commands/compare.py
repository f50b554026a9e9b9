"""What `calibrate compare` shows: a table per hasher, and the cost for all."""

from collections.abc import Iterator, Sequence

from hashcost.compare.model import CommonCost, Comparison, HasherComparison, MachineRow, Standing
from hashcost.core.profile import Verdict
from hashcost.core.units import (
    format_duration,
    format_duration_up,
    format_list,
    format_pairs,
    format_setting,
)
from hashcost.render.commands.compare_notes import comparison_notes, named
from hashcost.render.document import Column, Document, Scalar, Table, table
from hashcost.render.wording import (
    VERDICTS,
    aligned,
    floor_title,
    gathered,
    known,
    library,
    machine_line,
    minute,
    plus_minus,
    timed,
)
from hashcost.worth.policies.policy import Policy

_MANY_MACHINES = 12
"""Beyond this number, machines that are alike share a line."""


def comparison_document(
    comparison: Comparison, *, policies: Sequence[Policy] = (), targets_differ: bool = False
) -> Document:
    """A table per hasher with a row per machine, the fastest first.

    ``targets_differ``: the files were made for different targets, and none was asked for.
    """
    target = format_duration(comparison.target_seconds)
    why = "; the files were made for different targets" if targets_differ else ""
    who = f"{len(comparison.machines)} machines"
    if comparison.change is not None:
        who = "One machine at two times, or two alike"
    many = len(comparison.machines) > _MANY_MACHINES
    alike = gathered((machine_line(each.machine), each.name) for each in comparison.machines)
    kinds = [f"{line}: {', '.join(names)}" for line, names in alike.items()] if many else ()
    machines = table(
        comparison.machines,
        (Column("machine", bold=True), lambda each: each.name),
        (Column("measured"), lambda each: minute(each.created)),
        (Column("on", flexible=True), lambda each: machine_line(each.machine)),
    )
    records = tuple(
        _record(comparison, compared, row)
        for compared in comparison.hashers
        for row in compared.rows
    )
    return Document(
        head=(f"{who}, one hash in at most {target}{why}", *kinds),
        tables=(
            *(() if many else (machines,)),
            *(_table(compared) for compared in comparison.hashers),
            _for_all(comparison, policies),
        ),
        notes=tuple(comparison_notes(comparison)),
        answer=tuple(_answer(comparison)),
        fields=tuple(records[0]),
        records=records,
        value=comparison,
    )


def _table(compared: HasherComparison) -> Table:
    # The only param of a cost is named above the column.
    names = {name for row in compared.rows for name in row.params or {}}
    name = names.pop() if len(names) == 1 else None
    use = (
        Column("use this cost", bold=True, flexible=True)
        if name is None
        else Column(name, bold=True, right=True)
    )
    return table(
        compared.rows,
        (Column("machine"), lambda row: row.machine),
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
    """The highest cost that keeps the target on the slowest machine, hasher by hasher."""
    return table(
        ((comparison.label_of(each), each.common) for each in comparison.hashers),
        (Column("hasher"), lambda row: row[0]),
        (
            Column("use this cost", flexible=True, bold=True),
            lambda row: format_setting(row[1].params) if row[1] else "none",
        ),
        (Column("at most"), lambda row: aligned(row[1].time_seconds) if row[1] else ""),
        (Column("on"), lambda row: row[1].slowest if row[1] else ""),
        *(
            (
                Column(floor_title(policy.id, informative=policy.informative)),
                lambda row, id_=policy.id: _floor_cell(row[1], id_),
            )
            for policy in policies
        ),
        title="One cost for all",
    )


def _answer(comparison: Comparison) -> Iterator[str]:
    """The one cost for all machines, of each hasher that has one."""
    settings = [
        f"{comparison.label_of(each)} {format_setting(each.common.params)}"
        for each in comparison.hashers
        if each.common is not None
    ]
    if settings:
        yield f"On all machines, use {format_list(settings, 'or')}."


def _floor_cell(common: CommonCost | None, policy: str) -> str:
    if common is None:
        return "-"
    floor = next(each for each in common.floors if each.policy == policy)
    if floor.informative and floor.verdict is Verdict.SHORT:
        return "below"
    if floor.verdict is Verdict.SHORT and floor.target_seconds is not None:
        return f"needs {format_duration_up(floor.target_seconds)}"
    return VERDICTS[floor.verdict]


def _record(
    comparison: Comparison, compared: HasherComparison, row: MachineRow
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
    }
