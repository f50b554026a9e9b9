"""What the answer says of huge pages and page faults."""

from __future__ import annotations

import msgspec
import pytest

from hashcost.core.profile import Profile
from hashcost.recommend.huge_pages import Gain
from hashcost.render import render
from hashcost.render.commands import recommend
from hashcost.render.commands.recommend import recommendation_document
from hashcost.worth.attackers.device import load_device
from measured import HARD, appraised


def said(profile: Profile, *, explained: bool = False) -> str:
    """The table as it is printed, on one line."""
    document = recommendation_document(
        profile, devices=(load_device("rtx-4090"),), explained=explained
    )
    return " ".join(render(document, "table", width=80).split())


def test_a_gain_is_said_with_both_numbers_and_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one note before the answer."""
    profile = appraised(HARD, ())
    row = profile.recommendations[0]
    gain = Gain(row=row, params={**row.params, "memory_kib": 65536}, times=2.04)
    monkeypatch.setattr(recommend, "best_gain", lambda _: gain)
    text = said(profile)

    assert "argon2id m=65536,t=2,p=1 fits with huge pages: 2.0 times the area-time cost," in text
    assert "to crack: `calibrate argon2id --huge-pages --target" in text
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
