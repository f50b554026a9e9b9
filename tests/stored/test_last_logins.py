"""When users last logged in, in the forms that files and databases have."""

import datetime as dt
from typing import Final

import pytest

from hashcost.core.errors import UnreadableInputError
from hashcost.stored.last_logins import hours_since

NOW: Final = dt.datetime(2026, 11, 27, 12, 30, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("2026-11-27T10:00:00Z", 2),
        ("2026-11-27 10:00:00.123456", 2),
        ("2026-11-27T12:00:00+02:00", 2),
        (" 2026-11-26 ", 36),
        ("20261126", 36),
        (f"{NOW.timestamp() - 7200:.0f}", 2),
        (f"{NOW.timestamp() - 7200:.3f}", 2),
        # A clock that is ahead, or a zone that the text leaves out.
        ("2026-11-28T06:00:00", 0),
        (f"{NOW.timestamp() * 1000 - 7_200_000:.0f}", 2),
        ("", None),
        ("0", None),
        ("2021-11-20", 44004),
    ],
)
def test_a_last_login_is_read(text: str, hours: int | None) -> None:
    """ISO dates and times, Unix seconds and milliseconds are read; nothing and 0 mean never."""
    assert hours == hours_since(text, NOW, 1)


@pytest.mark.parametrize(
    "text",
    [
        *("yesterday", "27/11/2026", "20261127103000", "12345", "-17", "1e9"),
        *(
            "0000-00-00 00:00:00",
            "NULL",
            "None",
            "\u0661\u0667\u0669" * 3,
            "9" * 5000,
            "2026-11-2\n7",
        ),
        *("2026-11-27T10:00:00" + "0" * 100, "alice@example.com", "2026-11-31"),
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    """Anything else is refused in one line that names the row and repeats nothing of it."""
    with pytest.raises(
        UnreadableInputError, match=r"^--last-login: .* row 1,234 is neither"
    ) as it:
        hours_since(text, NOW, 1234)
    assert text not in str(it.value)
    assert "\n" not in str(it.value)


@pytest.mark.parametrize("text", ["2026-11-29", "9999-12-31", "2000000000", "2000000000000"])
def test_a_time_in_the_future_is_refused(text: str) -> None:
    """Nobody has logged in tomorrow: it is another column, or the clock is wrong."""
    with pytest.raises(UnreadableInputError, match="row 1 is in the future") as raised:
        hours_since(text, NOW, 1)
    assert text not in str(raised.value)
