"""What the answer says of huge pages and page faults."""

from __future__ import annotations

import msgspec

from hashcost.core.machine import ON_REQUEST
from hashcost.core.profile import Profile
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.worth.attackers.device import load_device
from measured import HARD


def said(profile: Profile, *, explained: bool = False) -> str:
    """The table as it is printed, on one line."""
    document = recommendation_document(
        profile, devices=(load_device("rtx-4090"),), explained=explained
    )
    return " ".join(render(document, "table", width=80).split())


def test_what_huge_pages_would_spare_is_said_with_the_command() -> None:
    """In one note before the answer."""
    row = HARD.recommendations[0]
    third = msgspec.structs.replace(row, page_fault_seconds=row.time_seconds / 3)
    asked = msgspec.structs.replace(HARD.machine, huge_pages=ON_REQUEST, libc="glibc 2.36")
    text = said(msgspec.structs.replace(HARD, machine=asked, results=(third,)))

    assert "would spare most of the 33 % of argon2id" in text
    assert "`calibrate argon2id --huge-pages --target" in text
    assert text.index("huge pages") < text.rindex("Use ")


def test_each_share_of_page_faults_is_explained() -> None:
    """Only there: it is part of the time."""
    first, *others = HARD.recommendations
    half = msgspec.structs.replace(first, page_fault_seconds=first.time_seconds / 2)
    profile = msgspec.structs.replace(HARD, results=(half, *others))

    assert "page faults: 50 % of argon2id" in said(profile, explained=True)
    assert "page faults" not in said(msgspec.structs.replace(HARD, results=(half,)))
    none = msgspec.structs.replace(first, page_fault_seconds=0.004 * first.time_seconds)
    assert "page faults" not in said(
        msgspec.structs.replace(HARD, results=(none,)), explained=True
    )
