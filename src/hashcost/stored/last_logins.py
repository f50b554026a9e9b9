"""When users last logged in, as files and databases write it."""

import datetime as dt
import re
from typing import Final

from hashcost.core.errors import UnreadableInputError

# Unix seconds since 1973; eight digits are a date.
_UNIX_SECONDS: Final = re.compile(r"[0-9]{9,11}(?:\.[0-9]{1,9})?")
# Also since 1973, as JavaScript and Java write them; fourteen digits are a date and a time.
_UNIX_MILLISECONDS: Final = re.compile(r"[0-9]{12,13}")
# Clocks of several machines may differ, and a time without a zone is read as UTC.
_AHEAD: Final = dt.timedelta(days=1)
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_HOUR: Final = dt.timedelta(hours=1)


def hours_since(text: str, now: dt.datetime, row: int) -> int | None:
    """Count the whole hours since a last login; `None` if the user never logged in.

    A text is an ISO 8601 date or time, or Unix seconds or milliseconds; nothing and
    ``0`` mean no login. No message repeats it, since the column may be another than was meant.

    Raises:
        UnreadableInputError: it is something else, or in the future.
    """
    text = text.strip()
    if text in ("", "0"):
        return None
    try:
        time = _time(text)
    except (ValueError, OverflowError):
        raise UnreadableInputError(
            f"--last-login: the value of row {row:,} is neither an ISO date or time, such as"
            " 2026-11-27T08:00:00Z, nor Unix seconds or milliseconds; convert it, or leave it"
            " empty for never"
        ) from None
    elapsed = now - time
    if elapsed < -_AHEAD:
        raise UnreadableInputError(
            f"--last-login: the value of row {row:,} is in the future; name the column of the last"
            " logins, and set the clock if it is wrong"
        )
    return max(elapsed // _HOUR, 0)


def _time(text: str) -> dt.datetime:
    if _UNIX_SECONDS.fullmatch(text):
        return _EPOCH + dt.timedelta(seconds=float(text))
    if _UNIX_MILLISECONDS.fullmatch(text):
        return _EPOCH + dt.timedelta(milliseconds=int(text))
    time = dt.datetime.fromisoformat(text)
    if time.tzinfo is None:
        return time.replace(tzinfo=dt.UTC)
    return time
