"""Whole numbers as configurations write them."""

import re

from hashcost.core.errors import UntoldError
from hashcost.core.text import printable

_HIGHEST_DIGITS = 18
_COUNT = re.compile(r"[0-9](?:_?[0-9])*")


def whole_number(text: str, name: str, line: int) -> int:
    """The number of a setting, as programming languages write it (``600_000`` too).

    Raises:
        UnreadableInputError: it is not one, or beyond any cost; the message has the line.
    """
    digits = text.strip().replace("_", "")
    if not _COUNT.fullmatch(text.strip()) or len(digits) > _HIGHEST_DIGITS:
        shown = printable(text)[:40]
        raise UntoldError(line, f"{name} is {shown!r}, which is not a whole number")
    return int(digits)
