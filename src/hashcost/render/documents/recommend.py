"""What `calibrate` shows of a profile."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Final

from hashcost.core.model import (
    Machine,
    Neighbour,
    Notice,
    Profile,
    Recommendation,
    Rounding,
    Scale,
    Tool,
)
from hashcost.core.units import format_cost, format_duration, format_pairs, format_percent
from hashcost.render.document import Column, Document, Row, Scalar, Table
from hashcost.render.documents.worth import FIELDS as WORTH_FIELDS
from hashcost.render.documents.worth import dearest_first, worth_notes, worth_record, worth_table
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy

ROUNDING_WORDS: Final = {
    Rounding.DOWN: "at most",
    Rounding.UP: "at least",
    Rounding.NEAREST: "as near as possible to",
}
"""How one hash stands to the target."""

_FIELDS = (
    "hasher",
    "implementation",
    "implementation_version",
    "params",
    "parameter",
    "value",
    "time_seconds",
    "low_seconds",
    "high_seconds",
    "confidence",
    "clock",
    "wall_seconds",
    "cpu_seconds",
    "threads",
    "memory_bytes",
    "relative_work",
    "target_seconds",
    *WORTH_FIELDS,
    "warnings",
    "error",
)


def recommendation_document(
    profile: Profile,
    *,
    solved_again: bool = False,
    policies: Sequence[Policy] = (),
    devices: Sequence[Device] = (),
) -> Document:
    """A row per hasher, the one that is dearest to attack first.

    ``solved_again`` says that nothing was timed for this target. Where one hasher
    was run by several implementations, each shows how much work the same time buys,
    as a multiple of the first. ``policies`` and ``devices`` are those that the
    profile was appraised by.
    """
    work = dict(
        zip(map(id, profile.recommendations), _relative_work(profile.recommendations), strict=True)
    )
    rows = dearest_first(profile.recommendations)
    trades = len({row.label for row in rows}) < len(rows)
    compares = not trades and any(value != 1 for value in work.values())
    grid: list[Row] = []
    for row in rows:
        last = (f"{work[id(row)]:.2f}×",) if compares else ()
        grid.append(Row(cells=(*_cells(row), *last)))
        step = None if trades else _step_across(row, profile.target_seconds)
        if step is not None:
            blank = ("",) if compares else ()
            grid.append(Row(cells=("", "", *_step_cells(row, step), *blank), aside=True))
    return Document(
        head=_head(profile, solved_again=solved_again),
        tables=(
            Table(
                columns=(
                    Column(title="hasher"),
                    Column(title="implementation", flexible=True),
                    Column(title="use this cost", flexible=True, bold=True, pairs=True),
                    Column(title="one hash, CPU"),
                    Column(title="wall", right=True),
                    *((Column(title="work", right=True),) if compares else ()),
                ),
                rows=tuple(grid),
            ),
            *worth_table(rows, policies, devices),
        ),
        notes=worth_notes(rows, policies, devices),
        foot=tuple(f"{row.label}: {row.error}" for row in profile.failures),
        fields=_FIELDS,
        records=tuple(_records(profile, [work[id(row)] for row in profile.recommendations])),
        value=profile,
    )


def notices(profile: Profile) -> tuple[tuple[Notice, tuple[str, ...]], ...]:
    """What the reader should know, of the run and then of its rows.

    What several rows have in common is said once, with the labels of all of them.
    """
    concerned: dict[Notice, list[str]] = {notice: [] for notice in profile.warnings}
    for row in profile.recommendations:
        for notice in row.warnings:
            concerned.setdefault(notice, []).append(row.label)
    return tuple((notice, tuple(labels)) for notice, labels in concerned.items())


def _cells(row: Recommendation) -> tuple[str, ...]:
    error = "?" if row.error_fraction is None else format_percent(row.error_fraction)
    solved = f"{_aligned(row.time_seconds)} ±{error.replace(' ', '')}"
    if row.threads == 1:
        cpu = solved
        wall = "-" if row.wall_seconds is None else format_duration(row.wall_seconds)
    else:
        cpu, wall = _aligned(row.cpu_seconds), solved
    return (
        row.hasher,
        f"{row.implementation} {row.implementation_version}",
        format_cost(row.params),
        cpu,
        wall,
    )


def _aligned(seconds: float, mark: str = "") -> str:
    """A duration whose digits stand below those of other rows."""
    return f"{mark + format_duration(seconds):>7}"


def _step_across(row: Recommendation, target_seconds: float) -> Neighbour | None:
    """The nearest setting on the other side of the target."""
    if row.time_seconds > target_seconds:
        below = [step for step in row.neighbours if step.time_seconds <= target_seconds]
        return max(below, key=lambda step: step.time_seconds, default=None)
    above = [step for step in row.neighbours if step.time_seconds > target_seconds]
    return min(above, key=lambda step: step.time_seconds, default=None)


def _step_cells(row: Recommendation, step: Neighbour) -> tuple[str, str, str]:
    """What changes, and the time it then takes, below the time of the row that is solved."""
    changed = {name: value for name, value in step.params.items() if row.params[name] != value}
    mark = "" if step.measured else "~"
    time = _aligned(step.time_seconds, mark)
    cpu, wall = (time, "") if row.threads == 1 else ("", time)
    place = "next" if step.time_seconds > row.time_seconds else "below"
    return f"{format_cost(changed)} {place}", cpu, wall


def _head(profile: Profile, *, solved_again: bool) -> tuple[str, ...]:
    rounding = ROUNDING_WORDS[profile.rounding]
    if solved_again:
        how = (
            f"solved from measurements of {profile.created.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"
        )
    else:
        how = f"measured in {format_duration(profile.duration_seconds)}"
    floors = any(row.raised_from is not None for row in profile.recommendations)
    beyond = " or at the floor above" if floors else ""
    return (
        f"One hash in {rounding} {format_duration(profile.target_seconds)}{beyond}, {how} on",
        *place(profile.machine, profile.tool),
    )


def place(machine: Machine, tool: Tool) -> tuple[str, str]:
    """Two lines on where and with what something was measured."""
    return (
        machine_line(machine),
        ", ".join((machine.python, machine.openssl, machine.os, _tool(tool))),
    )


def _tool(tool: Tool) -> str:
    return f"{tool.name} {tool.version}"


def processors(machine: Machine) -> str:
    """How many CPUs a machine has, and which."""
    return f"{machine.cpu_count} × {machine.cpu_model or machine.architecture}"


def machine_line(machine: Machine) -> str:
    """What matters of a machine for hashing, on one line."""
    parts = [processors(machine)]
    if machine.cpu_limit is not None:
        parts.append(f"limited to {machine.cpu_limit:g} CPUs")
    parts += machine.cpu_flags
    if machine.virtualization is not None:
        parts.append(machine.virtualization)
    return ", ".join(parts)


def _relative_work(rows: Sequence[Recommendation]) -> list[float]:
    """Work per second of each row as a multiple of the first row of its hasher."""
    first: dict[str, float] = {}
    return [_speed(row) / first.setdefault(row.hasher, _speed(row)) for row in rows]


def _speed(row: Recommendation) -> float:
    """Units of work in a second; of a hasher in memory, bytes times passes."""
    if row.knobs[0].scale is not Scale.LADDER:
        return 1 / row.model.seconds_per_unit
    passes = 1 if len(row.knobs) == 1 else row.params[row.knobs[1].name]
    return row.memory_bytes * passes / row.time_seconds


def _records(profile: Profile, work: Sequence[float]) -> list[dict[str, Scalar]]:
    records: list[dict[str, Scalar]] = []
    works = iter(work)
    for row in profile.results:
        common: dict[str, Scalar] = {
            "hasher": row.hasher,
            "implementation": row.implementation,
            "target_seconds": profile.target_seconds,
        }
        if not isinstance(row, Recommendation):
            records.append({**common, "error": row.error})
            continue
        low, high = row.interval_seconds or (None, None)
        records.append(
            {
                **common,
                "implementation_version": row.implementation_version,
                "params": format_pairs(row.params),
                "parameter": row.model.parameter,
                "value": row.params[row.model.parameter],
                "time_seconds": row.time_seconds,
                "low_seconds": low,
                "high_seconds": high,
                "confidence": row.confidence,
                "clock": row.clock,
                "wall_seconds": row.wall_seconds,
                "cpu_seconds": row.cpu_seconds,
                "threads": row.threads,
                "memory_bytes": row.memory_bytes,
                "relative_work": round(next(works), 4),
                **worth_record(row),
                "warnings": " ".join(notice.code for notice in row.warnings),
            }
        )
    return records
