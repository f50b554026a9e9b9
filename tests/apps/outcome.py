"""What comes of reading text that may be anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hashcost.core.errors import UnreadableInputError

_T = TypeVar("_T")


def outcome(read: Callable[[], _T]) -> tuple[_T | None, str]:
    """What was read, or the message that refuses it; any other exception is a failure."""
    try:
        return read(), ""
    except UnreadableInputError as error:
        return None, str(error)
