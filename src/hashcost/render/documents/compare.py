"""What `calibrate compare` shows: a table per hasher, and the cost for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hashcost.compare.model import CommonFloor, Comparison, HasherComparison, MachineRow, Standing
from hashcost.core.model import Params, Verdict
from hashcost.core.units import format_cost, format_duration, format_duration_up, format_pairs
from hashcost.render.document import Column, Document, Row, Scalar, Table
from hashcost.render.documents.compare_notes import (
    alone_notes,
    baseline_notes,
    change_notes,
    difference_notes,
    floor_notes,
    lesser_notes,
    memory_notes,
    named,
)
from hashcost.render.machine_line import machine_line, minute
from hashcost.render.wording import VERDICTS, aligned, floor_title, plus_minus
from hashcost.worth.policies.policy import Policy

_MANY_MACHINES = 12
"""Of more than these, machines that are alike share a line."""


def comparison_document(
    comparison: Comparison, *, policies: Sequence[Policy] = (), targets_differ: bool = False
) -> Document:
    """A table per hasher with a row per machine, the fastest first.

    ``targets_differ`` says that the files were made for different targets, and that
    none was asked for.
    """
    records = tuple(_records(comparison))
    return Document(
        head=_head(comparison, targets_differ=targets_differ),
        tables=(
            *_machines(comparison),
            *(_table(compared) for compared in comparison.hashers),
            *_for_all(comparison, policies),
        ),
        notes=(
            *baseline_notes(comparison),
            *alone_notes(comparison),
            *change_notes(comparison),
            *difference_notes(comparison),
            *memory_notes(comparison),
            *floor_notes(comparison),
            *lesser_notes(comparison),
        ),
        fields=tuple(records[0]),
        records=records,
        value=comparison,
    )


def _head(comparison: Comparison, *, targets_differ: bool) -> tuple[str, ...]:
    target = format_duration(comparison.target_seconds)
    why = "; the files were made for different targets" if targets_differ else ""
    who = f"{len(comparison.machines)} machines"
    if comparison.change is not None:
        who = "One machine at two times, or two alike"
    return (f"{who}, one hash in at most {target}{why}", *_kinds(comparison))


def _kinds(comparison: Comparison) -> list[str]:
    """What the names stand for, where they are many: a line for those that are alike."""
    together: dict[str, list[str]] = {}
    for each in comparison.machines:
        together.setdefault(machine_line(each.machine), []).append(each.name)
    if len(comparison.machines) <= _MANY_MACHINES:
        return []
    return [f"{line}: {', '.join(names)}" for line, names in together.items()]


def _machines(comparison: Comparison) -> Iterator[Table]:
    """What the names stand for, a row each."""
    if len(comparison.machines) > _MANY_MACHINES:
        return
    yield Table(
        columns=(
            Column("machine", bold=True),
            Column("measured"),
            Column("on", flexible=True),
        ),
        rows=tuple(
            Row(
                cells=(
                    each.name,
                    minute(each.created),
                    machine_line(each.machine),
                )
            )
            for each in comparison.machines
        ),
    )


def _table(compared: HasherComparison) -> Table:
    name = _only_param(compared)
    return Table(
        title=f"{compared.hasher}, {_libraries(compared)}",
        columns=(
            Column("machine"),
            Column(
                name or "use this cost",
                right=name is not None,
                bold=True,
                flexible=name is None,
                pairs=name is None,
            ),
            Column("one hash"),
            Column("for all", right=True),
            Column(f"speed against {compared.baseline}"),
        ),
        rows=tuple(Row(cells=_cells(row, name=name)) for row in compared.rows),
    )


def _libraries(compared: HasherComparison) -> str:
    """Which library ran it; where they differ, the most usual one first and who has another."""
    machines: dict[str, list[str]] = {}
    for row in compared.rows:
        library = f"{row.implementation} {row.implementation_version}"
        machines.setdefault(library, []).append(row.machine)
    usual, *others = sorted(machines, key=lambda each: -len(machines[each]))
    if not others:
        return usual
    told = [f"{named(machines[each])}: {each}" for each in others]
    own = usual if len(machines[usual]) > 1 else f"{machines[usual][0]}: {usual}"
    return "; ".join([own, *told])


def _only_param(compared: HasherComparison) -> str | None:
    """The param that a cost has, where it has but one."""
    names = {name for row in compared.rows for name in row.params or {}}
    return names.pop() if len(names) == 1 else None


def _cells(row: MachineRow, *, name: str | None) -> tuple[str, ...]:
    if row.params is None or row.time_seconds is None:
        cost, time = "-", "out of reach"
    else:
        cost = format_cost(row.params) if name is None else str(row.params[name])
        time = f"{aligned(row.time_seconds)} {plus_minus(row.error_fraction)}"
    return (
        row.machine,
        cost,
        time,
        "-" if row.for_all_seconds is None else format_duration(row.for_all_seconds),
        _speed(row),
    )


def _speed(row: MachineRow) -> str:
    speed = row.speed
    if row.standing is Standing.BASELINE:
        return "-"
    if speed is None:
        return "nothing in common"
    if speed.error_fraction is None:
        return f"{speed.ratio:.2f}× {plus_minus(None)}"
    if row.standing is Standing.NO_DIFFERENCE:
        return f"no difference {plus_minus(speed.error_fraction)}"
    return f"{speed.ratio:.2f}× ({speed.low:.2f} to {speed.high:.2f})"


def _for_all(comparison: Comparison, policies: Sequence[Policy]) -> Iterator[Table]:
    """The highest cost that keeps the target on the slowest machine, hasher by hasher."""
    ids = {policy.id for policy in policies}
    rows = []
    for compared in comparison.hashers:
        common = compared.common
        label = comparison.label_of(compared)
        if common is None:
            rows.append(Row(cells=(label, "none", "", "", *("-" for _ in policies))))
            continue
        rows.append(
            Row(
                cells=(
                    label,
                    format_cost(common.params),
                    aligned(common.time_seconds),
                    common.slowest,
                    *(_floor_cell(floor) for floor in common.floors if floor.policy in ids),
                )
            )
        )
    yield Table(
        title="One cost for all",
        columns=(
            Column("hasher"),
            Column("use this cost", flexible=True, bold=True, pairs=True),
            Column("at most"),
            Column("on"),
            *(
                Column(floor_title(policy.id, informative=policy.informative))
                for policy in policies
            ),
        ),
        rows=tuple(rows),
    )


def _floor_cell(floor: CommonFloor) -> str:
    if floor.informative and floor.verdict is Verdict.SHORT:
        return "below"
    if floor.verdict is Verdict.SHORT and floor.target_seconds is not None:
        return f"needs {format_duration_up(floor.target_seconds)}"
    return VERDICTS[floor.verdict]


def _spaced(params: Params | None) -> str | None:
    return None if params is None else format_pairs(params)


def _records(comparison: Comparison) -> Iterator[dict[str, Scalar]]:
    machines = {each.name: each for each in comparison.machines}
    for compared in comparison.hashers:
        common = compared.common
        for row in compared.rows:
            machine, speed = machines[row.machine], row.speed
            low, high = row.interval_seconds or (None, None)
            yield {
                "hasher": compared.hasher,
                "machine": row.machine,
                "source": machine.source,
                "implementation": row.implementation,
                "implementation_version": row.implementation_version,
                "target_seconds": comparison.target_seconds,
                "params": _spaced(row.params),
                "time_seconds": row.time_seconds,
                "low_seconds": low,
                "high_seconds": high,
                "baseline": compared.baseline,
                "standing": row.standing.value,
                "speed": None if speed is None else speed.ratio,
                "speed_low": None if speed is None else speed.low,
                "speed_high": None if speed is None else speed.high,
                "speed_params": None if speed is None else _spaced(speed.params),
                "differs_in": " ".join(each.what for each in row.differs_in),
                "for_all_params": None if common is None else _spaced(common.params),
                "for_all_seconds": row.for_all_seconds,
                "short_of": ""
                if common is None
                else " ".join(f.policy for f in common.floors if f.verdict is Verdict.SHORT),
                "cpu_model": machine.machine.cpu_model,
                "created": machine.created.isoformat(),
                "error": row.error,
            }
