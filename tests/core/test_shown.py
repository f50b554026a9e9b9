"""Answers to names and hosts that are alike, durations of hours, and another machine's profile."""

from typing import Final

import pytest
from msgspec.structs import replace

from hashcost.core.machine import HostIdentity, is_same_host
from hashcost.core.text import hint
from hashcost.core.units import format_duration
from hashcost.core.waiver_comments import is_among
from hashcost.storage.profile import load_profile
from made_up import PROFILE_FILE

NAMES: Final = ("Sha2-a", "Sha2-b", "old-sha2", "sha1-sha2", "x-sha2", "y-sha2", "z-sha2")


def test_a_beginning_means_the_names_that_begin_with_it() -> None:
    """If many names contain what was typed, those that begin with it are offered."""
    assert hint("SHA2", NAMES) == hint("sha2", NAMES)
    assert ("Sha2-a" in hint("sha2", NAMES), "old-sha2" in hint("sha2", NAMES)) == (True, False)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(3600.0, "1.00 h"), (5400.0, "1.50 h"), (7200.0, "2.00 h"), (36000.0, "10.0 h")],
)
def test_an_hour_has_3600_seconds(seconds: float, shown: str) -> None:
    """Whole hours are shown as whole hours."""
    assert shown == format_duration(seconds)


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (HostIdentity(name="web1", id="a"), True),
        (HostIdentity(name="web1"), True),
        (HostIdentity(id="a"), True),
        (HostIdentity(name="web1", id="b"), False),
        (HostIdentity(name="web2", id="a"), False),
        (HostIdentity(), False),
        (None, False),
    ],
)
def test_a_host_is_the_same_if_all_that_both_tell_agrees(
    other: HostIdentity | None, *, is_same: bool
) -> None:
    """Name and id count where both have them; without either, nobody can say so."""
    assert is_same is is_same_host(HostIdentity(name="web1", id="a"), other)


@pytest.mark.parametrize(
    ("line", "is_inside"), [(1, False), (2, True), (4, True), (5, False), (7, True), (8, False)]
)
def test_a_line_is_in_the_range_that_begins_last_before_it(line: int, *, is_inside: bool) -> None:
    """Both ends of a range belong to it."""
    assert is_inside is is_among(line, ((2, 4), (7, 7)))


def test_a_profile_of_another_machine_says_which_fact_differs() -> None:
    """The notice names the fact and what to do."""
    profile = load_profile(PROFILE_FILE)
    profile = replace(profile, machine=replace(profile.machine, huge_pages="madvise"))
    elsewhere = replace(profile.machine, huge_pages="always")
    (notice,) = profile.in_context_of(elsewhere).warnings[len(profile.warnings) :]

    assert "always" in notice.message
    assert "measure again where and as the service hashes" == notice.advice
    assert profile.warnings == profile.in_context_of(profile.machine).warnings
