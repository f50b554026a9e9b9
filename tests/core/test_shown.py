"""What a name that is near several is answered, and durations of hours."""

from typing import Final

import pytest

from hashcost.core.text import hint
from hashcost.core.units import format_duration

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
