"""What somebody meant who typed a name that is not known. Pure."""

import difflib
from collections.abc import Collection
from typing import Final

_MOST_SHOWN: Final = 4


def hint(name: str, known: Collection[str], otherwise: str = "", *, cutoff: float = 0.6) -> str:
    """What to write instead: the names that begin so, or the one most like it.

    Args:
        name: What was typed.
        known: The names there are.
        otherwise: What to say if none is near; all of the names by default.
        cutoff: How much alike a name is to be, from 0 to 1.
    """
    typed = name.lower()
    near = [each for each in known if len(typed) > 1 and each.lower().startswith(typed)]
    if not 0 < len(near) <= _MOST_SHOWN:
        near = difflib.get_close_matches(typed, known, n=1, cutoff=cutoff)
    if near:
        return f"did you mean {either(near)}?"
    return otherwise or f"choose {either(known)}"


def either(names: Collection[str]) -> str:
    """Names to choose one from: ``a, b or c``."""
    *others, last = names or ("none",)
    return f"{', '.join(others)}{' or ' if others else ''}{last}"
