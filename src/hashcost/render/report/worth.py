"""What the costs are worth: floors, the price of guessing, logins a second. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from hashcost.core.profile import Recommendation
from hashcost.core.units import format_cost
from hashcost.render.commands.capacity import LEVEL_COLUMNS, level_cells
from hashcost.render.commands.worth import priced, worth_notes, worth_table
from hashcost.render.document import Column, Row, Table, sourced_table
from hashcost.render.plot.profile import price_chart
from hashcost.render.report.page import Part, Picture
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy

_EQUAL: Final = "Equal times are not equally strong: the dearest to attack stands first."
_LOGINS: Final = (
    "p50 and p95 are how long one login took while all threads hashed; logins that come at"
    " random wait for each other, which `calibrate capacity HASHER` foresees."
)


def floors_part(rows: Sequence[Recommendation], policies: Sequence[Policy]) -> Part | None:
    """How the costs stand to each policy; `None` if no policy was asked for."""
    if not rows or not policies:
        return None
    return Part(
        title="Floors",
        paragraphs=("Whether the cost meets what a policy asks for, and what that takes here.",),
        tables=_worth(rows, policies, ()),
        notes=tuple(
            f"{policy.id}: {policy.title}, {policy.date}, {policy.url or policy.source}"
            for policy in policies
        ),
    )


def guessing_part(rows: Sequence[Recommendation], devices: Sequence[Device]) -> Part | None:
    """What an attacker's devices guess and cost; `None` if no device was asked for."""
    if not rows or not devices:
        return None
    attackers = " and one ".join(device.title for device in devices)
    return Part(
        title="What guessing costs",
        paragraphs=(f"Whoever has stolen the hashes guesses on one {attackers}. {_EQUAL}",),
        tables=_worth(rows, (), devices),
        pictures=tuple(
            Picture(
                chart=chart,
                words="; ".join(f"{bar.label} {chart.axis.tick(bar.value)}" for bar in chart.bars),
            )
            for device in devices
            if (chart := price_chart(rows, device))
        ),
        notes=worth_notes(_uncounted(rows), (), devices),
        behind=tuple(_published(rows, devices)),
    )


def _published(rows: Sequence[Recommendation], devices: Sequence[Device]) -> Iterator[Table]:
    """Where the speeds are from, a table for each device."""
    for device in devices:
        if known := priced(rows, device):
            yield sourced_table(
                known,
                (Column("hasher"), lambda pair: pair[0].hasher),
                (
                    Column("published for", flexible=True, pairs=True),
                    lambda pair: format_cost(pair[1].benchmark_params),
                ),
                (Column("by"), lambda pair: pair[1].tool),
                fact=lambda pair: pair[1],
                title=(f"Published speeds of one {device.title}",),
            )


def capacity_part(rows: Sequence[Recommendation]) -> Part | None:
    """What the machine gets done at each cost; `None` if that was not measured."""
    counted = [(row, row.capacity) for row in rows if row.capacity is not None]
    if not counted:
        return None
    return Part(
        title="Logins a second",
        paragraphs=("What the whole machine gets done at these costs, and nothing else.",),
        tables=(
            Table(
                columns=(
                    Column("hasher"),
                    Column("cost", flexible=True, pairs=True),
                    *LEVEL_COLUMNS,
                ),
                rows=tuple(
                    Row(cells=(row.hasher, format_cost(row.params), *level_cells(level)))
                    for row, level in counted
                ),
            ),
        ),
        notes=(_LOGINS,),
    )


def _uncounted(rows: Sequence[Recommendation]) -> tuple[Recommendation, ...]:
    """The rows without their logins, which have a table of their own."""
    return tuple(replace(row, capacity=None) for row in rows)


def _worth(
    rows: Sequence[Recommendation], policies: Sequence[Policy], devices: Sequence[Device]
) -> tuple[Table, ...]:
    """The table of worth below a heading that says what it is."""
    tables = worth_table(_uncounted(rows), policies, devices)
    return tuple(replace(each, title="") for each in tables)
