"""CSV: a whole literal, exact figures, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.profile import Failure, Profile
from hashcost.core.text import escaped
from hashcost.documents.profile import load_profile
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from made_up import PROFILE_FILE
from snapshots import Snapshot

PROFILE: Final = load_profile(PROFILE_FILE)

printable: Final = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")))


def read_back(profile: Profile) -> list[dict[str, str]]:
    """The profile's CSV as a program reads it."""
    return list(csv.DictReader(io.StringIO(render(recommendation_document(profile), "csv"))))


def failing(hasher: str, error: str) -> Profile:
    """A profile with one failure."""
    row = Failure(hasher=hasher, implementation="b", code="unavailable", error=error)
    return msgspec.structs.replace(PROFILE, results=(row,))


def guarded(text: str) -> str:
    """Text as it stands in a cell: not as a formula."""
    text = escaped(text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def test_whole_profile(snapshot: Snapshot) -> None:
    """A profile is one line per row, in seconds and bytes; what is unknown is empty."""
    snapshot(render(recommendation_document(PROFILE), "csv"))


@given(
    seconds=st.floats(min_value=1e-9, max_value=60.0),
    target=st.floats(min_value=1e-9, max_value=60.0),
)
def test_figures_are_exact(seconds: float, target: float) -> None:
    """A time read back from CSV is the very float that was measured."""
    row = PROFILE.recommendations[0]
    row = msgspec.structs.replace(row, time_seconds=seconds, wall_seconds=seconds)
    profile = msgspec.structs.replace(PROFILE, target_seconds=target, results=(row,))
    [record] = read_back(profile)

    assert (seconds, seconds, target) == (
        float(record["time_seconds"]),
        float(record["wall_seconds"]),
        float(record["target_seconds"]),
    )


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_text_is_no_formula(formula: str) -> None:
    """Text that a spreadsheet would run starts with an apostrophe instead."""
    [record] = read_back(failing(formula, formula))

    assert (f"'{formula}", f"'{formula}") == (record["hasher"], record["error"])


@given(hasher=printable, error=printable)
def test_any_text_keeps_the_number_of_columns(hasher: str, error: str) -> None:
    """No name or reason adds a column or a line."""
    text = render(recommendation_document(failing(hasher, error)), "csv")
    header, line = csv.reader(io.StringIO(text))

    assert len(header) == len(line)
    assert (guarded(hasher), guarded(error)) == (line[0], line[-1])
