"""What `calibrate` shows of a profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from hashcost.core.profile import Neighbour, Profile, Recommendation
from hashcost.core.units import format_cost, format_duration, format_pairs
from hashcost.render.document import Column, Document, Fields, Row, Scalar, Table, own
from hashcost.render.documents.worth import WORTH, dearest_first, worth_notes, worth_table
from hashcost.render.machine_line import minute, place
from hashcost.render.wording import aligned, asked, plus_minus
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy


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
                    Column("hasher"),
                    Column("implementation", flexible=True),
                    Column("use this cost", flexible=True, bold=True, pairs=True),
                    Column("one hash, CPU"),
                    Column("wall", right=True),
                    *((Column("work", right=True),) if compares else ()),
                ),
                rows=tuple(grid),
            ),
            *worth_table(rows, policies, devices),
        ),
        notes=worth_notes(rows, policies, devices),
        foot=tuple(f"{row.label}: {row.error}" for row in profile.failures),
        fields=_ALL,
        records=tuple(_records(profile, work)),
        value=profile,
    )


def _cells(row: Recommendation) -> tuple[str, ...]:
    solved = f"{aligned(row.time_seconds)} {plus_minus(row.error_fraction)}"
    if row.threads == 1:
        cpu = solved
        wall = "-" if row.wall_seconds is None else format_duration(row.wall_seconds)
    else:
        cpu, wall = aligned(row.cpu_seconds), solved
    return (
        row.hasher,
        f"{row.implementation} {row.implementation_version}",
        format_cost(row.params),
        cpu,
        wall,
    )


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
    time = aligned(step.time_seconds, mark)
    cpu, wall = (time, "") if row.threads == 1 else ("", time)
    place = "next" if step.time_seconds > row.time_seconds else "below"
    return f"{format_cost(changed)} {place}", cpu, wall


def _head(profile: Profile, *, solved_again: bool) -> tuple[str, ...]:
    if solved_again:
        how = f"solved from measurements of {minute(profile.created)} UTC"
    else:
        how = f"measured in {format_duration(profile.duration_seconds)}"
    floors = any(row.raised_from is not None for row in profile.recommendations)
    beyond = " or at the floor above" if floors else ""
    return (
        f"One hash in {asked(profile.target_seconds, profile.rounding)}{beyond}, {how} on",
        *place(profile.machine, profile.tool),
    )


def _relative_work(rows: Sequence[Recommendation]) -> list[float]:
    """Work per second of each row as a multiple of the first row of its hasher."""
    first: dict[str, float] = {}
    return [_speed(row) / first.setdefault(row.hasher, _speed(row)) for row in rows]


def _speed(row: Recommendation) -> float:
    """Units of work in a second; for a memory-hard hasher, bytes times passes."""
    if not row.knobs[0].is_ladder:
        return 1 / row.model.seconds_per_unit
    passes = 1 if len(row.knobs) == 1 else row.params[row.knobs[1].name]
    return row.memory_bytes * passes / row.time_seconds


_FIELDS: Final[Fields[Recommendation]] = {
    "implementation_version": lambda row: row.implementation_version,
    "params": lambda row: format_pairs(row.params),
    "parameter": lambda row: row.model.parameter,
    "value": lambda row: row.params[row.model.parameter],
    "time_seconds": lambda row: row.time_seconds,
    "low_seconds": lambda row: row.interval_seconds and row.interval_seconds[0],
    "high_seconds": lambda row: row.interval_seconds and row.interval_seconds[1],
    **own("confidence", "clock", "wall_seconds", "cpu_seconds", "threads", "memory_bytes"),
}
_ALL: Final = (
    *("hasher", "implementation", *_FIELDS, "relative_work", "target_seconds"),
    *(*WORTH, "warnings", "error"),
)


def _records(profile: Profile, work: Mapping[int, float]) -> Iterator[dict[str, Scalar]]:
    for row in profile.results:
        common: dict[str, Scalar] = {
            "hasher": row.hasher,
            "implementation": row.implementation,
            "target_seconds": profile.target_seconds,
        }
        if not isinstance(row, Recommendation):
            yield {**common, "error": row.error}
            continue
        yield {
            **common,
            **{name: value(row) for name, value in _FIELDS.items()},
            "relative_work": round(work[id(row)], 4),
            **{name: value(row) for name, value in WORTH.items()},
            "warnings": " ".join(notice.code for notice in row.warnings),
        }
