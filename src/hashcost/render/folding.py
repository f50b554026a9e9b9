"""Text as it is folded to a width. Pure."""

import re
import textwrap
from typing import Final

_TYPED: Final = re.compile(r"(--[a-z][a-z-]*) (?=[^\s-])")
"""An option and its value, which are typed together."""
_JOINED: Final = "\u00a0"


def folded(text: str, width: int, *, indent: str = "") -> list[str]:
    """Lines of at most this width, broken only at spaces and never between option and value.

    Only a word that is longer than a line makes it wider; lines after the first are indented.
    """
    lines = textwrap.wrap(
        _TYPED.sub(rf"\1{_JOINED}", text),
        width,
        initial_indent=indent,
        subsequent_indent="  ",
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_JOINED, " ") for line in lines]
