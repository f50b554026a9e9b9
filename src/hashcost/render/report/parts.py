"""The parts of a report, one matter each. Pure."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from hashcost.core.profile import Profile, Recommendation
from hashcost.core.units import format_bytes, format_duration, format_setting
from hashcost.documents.profile import encode_json
from hashcost.fit.order_statistics import quiet_estimate
from hashcost.render import render
from hashcost.render.commands.capacity import LEVEL_COLUMNS, level_cells
from hashcost.render.commands.worth import priced, worth_notes, worth_table
from hashcost.render.document import Column, Document, Row, Table, sourced_table, table
from hashcost.render.plot.chart import Curves
from hashcost.render.plot.time_by_cost import price_chart, profile_chart, timed_at
from hashcost.render.report.page import Caution, Download, Part, Picture
from hashcost.render.wording import machine_line, minute, own_libraries, tool_name
from hashcost.sweep.model import Sweep
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy

_EQUAL: Final = (
    "Hashers that take the same time are not equally strong: the most expensive to attack"
    " comes first."
)
_LOGINS: Final = (
    "p50 and p95 are how long one login took while all threads hashed; logins that come at"
    " random wait for each other, which `calibrate capacity HASHER` foresees."
)


def floors_part(rows: Sequence[Recommendation], policies: Sequence[Policy]) -> Part | None:
    """How the costs stand to each policy; `None` if no policy was asked for."""
    if not rows or not policies:
        return None
    return Part(
        title="Minimums",
        paragraphs=("Whether the cost meets what a policy asks for, and what that takes here.",),
        tables=worth_table(rows, policies, ()),
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
        tables=worth_table(rows, (), devices),
        pictures=tuple(
            Picture(
                chart=chart,
                words="; ".join(f"{bar.label} {chart.axis.tick(bar.value)}" for bar in chart.bars),
            )
            for device in devices
            if (chart := price_chart(rows, device))
        ),
        notes=worth_notes(rows, (), devices),
        behind=tuple(
            sourced_table(
                known,
                (Column("hasher"), lambda pair: pair[0].hasher),
                (
                    Column("published for", flexible=True),
                    lambda pair: format_setting(pair[1].benchmark_params),
                ),
                (Column("by"), lambda pair: pair[1].tool),
                fact=lambda pair: pair[1],
                title=(f"Published speeds of one {device.title}",),
            )
            for device in devices
            if (known := priced(rows, device))
        ),
    )


def capacity_part(rows: Sequence[Recommendation]) -> Part | None:
    """What the machine gets done at each cost; `None` if that was not measured."""
    counted = [(row, row.capacity) for row in rows if row.capacity is not None]
    if not counted:
        return None
    return Part(
        title="Logins a second",
        paragraphs=(
            "How many logins the whole machine can handle at these costs if it does nothing else.",
        ),
        tables=(
            Table(
                columns=(
                    Column("hasher"),
                    Column("cost", flexible=True),
                    *LEVEL_COLUMNS,
                ),
                rows=tuple(
                    Row(cells=(row.hasher, format_setting(row.params), *level_cells(level)))
                    for row, level in counted
                ),
            ),
        ),
        notes=(_LOGINS,),
    )


def measured_part(found: Profile | Sweep, *, asked_for: str, how: tuple[str, ...] = ()) -> Part:
    """Where, when, on what and for what something was measured."""
    machine = found.machine
    memory = "" if machine.memory_bytes is None else f", {format_bytes(machine.memory_bytes)}"
    taken = format_duration(found.duration_seconds)
    rows = found.results if isinstance(found, Profile) else found.rows
    password, salt = found.probe.password_bytes, found.probe.salt_bytes
    hashed = f"a password of {password} bytes with a salt of {salt}"
    return Part(
        title="How it was measured",
        terms=(
            ("asked for", asked_for),
            ("machine", f"{machine_line(machine)}{memory}"),
            ("system", f"{machine.os}, {machine.kernel}, {machine.architecture}"),
            ("libraries", ", ".join(own_libraries(machine, rows)) or "-"),
            ("measured", f"{minute(found.created)} UTC, in {taken}, by {tool_name(found.tool)}"),
            ("hashed", hashed),
        ),
        paragraphs=how,
    )


def cautions(found: Profile | Sweep) -> tuple[Caution, ...]:
    """What holds for the whole run, and what could not be measured."""
    return (
        *(
            Caution(about="the machine", message=notice.message, advice=notice.advice)
            for notice in found.warnings
        ),
        *(Caution(about=row.label, message=row.error) for row in found.failures),
    )


def raw_part(document: Document, name: str, *, lines_of: str, use: str = "") -> Part:
    """The value as JSON and its records as CSV, a line for each of ``lines_of``."""
    stem = name.rpartition(".")[0] or name
    return Part(
        title="Raw figures",
        paragraphs=(f"The raw figures are inside this page.{use}",),
        downloads=(
            Download(
                name=f"{stem}.json",
                title="everything, including every sample, as JSON",
                media_type="application/json",
                content=encode_json(_unnamed(document.value)),
            ),
            Download(
                name=f"{stem}.csv",
                title=f"a line for each {lines_of}, as CSV",
                media_type="text/csv",
                content=render(document, "csv").encode(),
            ),
        ),
    )


def _unnamed(value: object) -> object:
    """A profile or a sweep without the host's name: a page is made to be shown."""
    return replace(value, host=None) if isinstance(value, Profile | Sweep) else value


_MOST_CHARTS: Final = 40
"""For one profile: more than there are hashers, and no more than a page can show."""
_CURVES: Final = (
    "Points are the hashes that were timed: the quiet time, and the range of all at that cost."
    " The line is the model that the cost was solved by; between two steps of memory there is"
    " none."
)


def curves_part(profile: Profile, rows: Sequence[Recommendation]) -> Part | None:
    """A chart for each hasher, with its figures behind; `None` if nothing was timed."""
    # A hasher with several settings of equal time has several rows that rest on the same hashes.
    by_label = {row.label: row for row in reversed(rows)}
    shown = [
        (row, measurement)
        for row in rows
        if by_label[row.label] is row
        if (measurement := profile.measurement_of(row)) is not None
    ][:_MOST_CHARTS]
    pictures = [
        Picture(
            chart=chart,
            words=f"{in_words(chart)} One hash at {format_setting(row.params)} takes"
            f" {format_duration(row.time_seconds)}.",
        )
        for row, measurement in shown
        if (chart := profile_chart(row, measurement, profile.target_seconds)) is not None
    ]
    if not pictures:
        return None
    left_out = len(by_label) - len(shown)
    time = partial(Column, right=True)
    return Part(
        title="Time by cost",
        paragraphs=(_CURVES,),
        pictures=tuple(pictures),
        notes=(f"{left_out} more are in the raw figures.",) if left_out else (),
        behind=(
            table(
                ((known.label, *timed) for _, known in shown for timed in timed_at(known)),
                (Column("hasher"), lambda each: each[0]),
                (Column("cost", flexible=True), lambda each: format_setting(each[1])),
                (Column("hashes", right=True), lambda each: f"{len(each[2]):,}"),
                (time("quiet time"), lambda each: format_duration(quiet_estimate(each[2]))),
                (time("shortest"), lambda each: format_duration(min(each[2]))),
                (time("longest"), lambda each: format_duration(max(each[2]))),
                title="The figures behind the curves",
            ),
        ),
    )


def in_words(chart: Curves) -> str:
    """The axes, how many costs there are, from which to which, and what is marked."""
    points = [point for series in chart.series for point in series.points]
    first = min(points, key=lambda point: point.x)
    last = max(points, key=lambda point: point.x)
    marks = ", ".join(mark.label for mark in chart.marks)
    return (
        f"{chart.y.title} by {chart.x.title}: {len(points)} costs of {chart.title}, from"
        f" {format_duration(first.y)} at {chart.x.tick(first.x)} to {format_duration(last.y)} at"
        f" {chart.x.tick(last.x)}. Marked: {marks}."
    )
