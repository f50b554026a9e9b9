"""JSON: the public schema as a whole literal, and a profile that comes back as it was."""

from __future__ import annotations

from typing import Final

from hashcost.core.profile import Rounding
from hashcost.documents.profile import from_json, load_profile
from hashcost.recommend.recommendation import solve_again
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from made_up import PROFILE_FILE

FILE: Final = PROFILE_FILE
"""A profile of schema 1, written by hand: it must stay readable for ever."""


def test_whole_profile() -> None:
    """A profile's JSON has every field of schema 1, in order, with figures in full."""
    document = recommendation_document(load_profile(FILE))

    assert FILE.read_text("utf-8") == render(document, "json")


def test_solved_again_reads_back() -> None:
    """A profile that was solved again, with rows that became unreachable, reads back too."""
    profile = solve_again(load_profile(FILE), 0.0005, Rounding.DOWN)
    printed = render(recommendation_document(profile, solved_again=True), "json")

    assert profile == from_json(printed.encode(), name="printed")
