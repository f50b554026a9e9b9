"""What `calibrate` shows of a profile."""

from __future__ import annotations

import datetime as dt

from hashcost.model import Machine, Neighbour, Profile, Recommendation, Rounding, Tool
from hashcost.render.document import Column, Document, Row, Scalar
from hashcost.units import format_duration, format_percent

_FIELDS = (
    "hasher",
    "implementation",
    "implementation_version",
    "parameter",
    "value",
    "time_seconds",
    "low_seconds",
    "high_seconds",
    "confidence",
    "wall_seconds",
    "memory_bytes",
    "relative_work",
    "target_seconds",
    "error",
)


def recommendation_document(profile: Profile, *, solved_again: bool = False) -> Document:
    """A row per hasher; ``solved_again`` says that nothing was timed for this target.

    Where one hasher was run by several implementations, each shows how much work
    the same time buys, as a multiple of the first.
    """
    rows = profile.recommendations
    work = _relative_work(rows)
    compares = any(value != 1 for value in work.values())
    columns = (
        Column(title="hasher"),
        Column(title="implementation", flexible=True),
        Column(title="use this cost", bold=True),
        Column(title="one hash, CPU"),
        Column(title="wall", right=True),
        *((Column(title="work", right=True),) if compares else ()),
    )
    grid: list[Row] = []
    for row in rows:
        last = (f"{work[row.label]:.2f}×",) if compares else ()
        grid.append(Row(cells=(*_cells(row), *last)))
        step = _step_across(row, profile.target_seconds)
        if step is not None:
            blank = ("",) if compares else ()
            grid.append(Row(cells=("", "", *_step_cells(step), "", *blank), aside=True))
    return Document(
        head=_head(profile, solved_again=solved_again),
        columns=columns,
        rows=tuple(grid),
        foot=tuple(f"{row.label}: {row.error}" for row in profile.failures),
        fields=_FIELDS,
        records=tuple(_records(profile, work)),
        value=profile,
    )


def _cells(row: Recommendation) -> tuple[str, ...]:
    error = "?" if row.error_fraction is None else format_percent(row.error_fraction)
    return (
        row.hasher,
        f"{row.implementation} {row.implementation_version}",
        _cost(row.params),
        f"{_aligned(row.time_seconds)} ±{error.replace(' ', '')}",
        "-" if row.wall_seconds is None else format_duration(row.wall_seconds),
    )


def _aligned(seconds: float, mark: str = "") -> str:
    """A duration whose digits stand below those of other rows."""
    return f"{mark + format_duration(seconds):>7}"


def _step_across(row: Recommendation, target_seconds: float) -> Neighbour | None:
    """The neighbouring step on the other side of the target."""
    over = row.time_seconds > target_seconds
    for step in row.neighbours:
        if (step.params[row.knob.name] < row.params[row.knob.name]) is over:
            return step
    return None


def _step_cells(step: Neighbour) -> tuple[str, str]:
    return f"{_cost(step.params)} next", _aligned(step.time_seconds, "" if step.measured else "~")


def _cost(params: dict[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in params.items())


def _head(profile: Profile, *, solved_again: bool) -> tuple[str, ...]:
    machine = profile.machine
    rounding = {
        Rounding.DOWN: "at most",
        Rounding.UP: "at least",
        Rounding.NEAREST: "as near as possible to",
    }[profile.rounding]
    if solved_again:
        how = (
            f"solved from measurements of {profile.created.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"
        )
    else:
        how = f"measured in {format_duration(profile.duration_seconds)}"
    return (
        f"One hash in {rounding} {format_duration(profile.target_seconds)}, {how} on",
        _machine(machine),
        ", ".join((machine.python, machine.openssl, machine.os, _tool(profile.tool))),
    )


def _tool(tool: Tool) -> str:
    return f"{tool.name} {tool.version}"


def _machine(machine: Machine) -> str:
    parts = [f"{machine.cpu_count} × {machine.cpu_model or machine.architecture}"]
    if machine.cpu_limit is not None:
        parts.append(f"limited to {machine.cpu_limit:g} CPUs")
    parts += machine.cpu_flags
    if machine.virtualization is not None:
        parts.append(machine.virtualization)
    return ", ".join(parts)


def _relative_work(rows: tuple[Recommendation, ...]) -> dict[str, float]:
    """Work per second of each row as a multiple of the first row of its hasher."""
    first: dict[str, float] = {}
    return {
        row.label: first.setdefault(row.hasher, row.model.seconds_per_unit)
        / row.model.seconds_per_unit
        for row in rows
    }


def _records(profile: Profile, work: dict[str, float]) -> list[dict[str, Scalar]]:
    records: list[dict[str, Scalar]] = []
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
                "parameter": row.knob.name,
                "value": row.params[row.knob.name],
                "time_seconds": row.time_seconds,
                "low_seconds": low,
                "high_seconds": high,
                "confidence": row.confidence,
                "wall_seconds": row.wall_seconds,
                "memory_bytes": row.memory_bytes,
                "relative_work": round(work[row.label], 4),
            }
        )
    return records
