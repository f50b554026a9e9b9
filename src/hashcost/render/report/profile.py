"""What a profile says, part by part. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hashcost.core.profile import Profile
from hashcost.core.units import format_list
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.commands.worth import dearest_first
from hashcost.render.document import Document, Row, Table
from hashcost.render.machine_line import machine_line
from hashcost.render.notices import notices
from hashcost.render.report.curves import curves_part
from hashcost.render.report.origin import cautions, measured_part, raw_part
from hashcost.render.report.page import Part, Section
from hashcost.render.report.summary import facts, sentences
from hashcost.render.report.worth import capacity_part, floors_part, guessing_part
from hashcost.render.wording import asked
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy

_MARKS: Final = (
    "± is how far off the CPU time of one hash on a quiet core may be, wall what a clock on the"
    " wall said. ~ marks a time that was not measured: it takes at least that."
)
_HOW: Final = (
    "Each hasher first computes known answers: one with a wrong answer is never timed. Hashes"
    " are then timed in turn, in a fresh order each round, on the CPU's clock, so that a busy"
    " machine does not weaken the answer; the wall clock stands beside it."
)
_WHY: Final = (
    "A neighbour on the same core slows a hash down on the CPU's clock too. Two short probes tell"
    " when; hashes timed meanwhile do not count. The median of the others is the"
    " time. The ± is where the time on a quiet core lies, by order statistics and by how earlier"
    " runs on the machine differ."
)
_USE: Final = " `calibrate --from` answers another target from the JSON, without measuring again."


def profile_section(
    profile: Profile,
    *,
    name: str,
    policies: Sequence[Policy],
    devices: Sequence[Device],
    solved_again: bool,
) -> Section:
    """The whole of one profile; ``name`` is that of its file, without a folder.

    ``policies`` and ``devices`` are those that the profile was appraised by.
    """
    rows = dearest_first(profile.recommendations)
    document = recommendation_document(
        profile, solved_again=solved_again, policies=policies, devices=devices
    )
    parts = (
        _recommended(profile, document),
        floors_part(rows, policies),
        guessing_part(rows, devices),
        capacity_part(rows),
        curves_part(profile, rows),
        measured_part(
            profile,
            asked_for=f"one hash in {asked(profile.target_seconds, profile.rounding)}",
            how=(_HOW, _WHY),
        ),
        raw_part(document, name, lines_of="hasher", use=_USE),
    )
    return Section(
        title=machine_line(profile.machine),
        origin=name,
        facts=facts(profile, policies, devices),
        summary=sentences(profile, policies, devices, solved_again=solved_again),
        cautions=cautions(profile),
        parts=tuple(part for part in parts if part is not None),
    )


def _recommended(profile: Profile, document: Document) -> Part | None:
    table = document.tables[0]
    if not table.rows:
        return None
    of_rows = [(notice, labels) for notice, labels in notices(profile) if labels]
    said = (
        f"{format_list(labels)}: {'; '.join(filter(None, (notice.message, notice.advice)))}"
        for notice, labels in of_rows
    )
    # With the implementation last, a phone shows the cost unscrolled.
    order = sorted(
        range(len(table.columns)), key=lambda index: table.columns[index].title == "implementation"
    )
    columns = tuple(table.columns[index] for index in order)
    rows = tuple(
        Row(cells=tuple(row.cells[index] for index in order), aside=row.aside)
        for row in table.rows
    )
    moved = Table(title=table.title, columns=columns, rows=rows)
    return Part(title="What to use", tables=(moved,), notes=(*said, _MARKS))
