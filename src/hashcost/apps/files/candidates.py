"""Which of several settings in one file is the one that counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hashcost.apps.interface import Found


def last_wins(found: Sequence[Found], why: str) -> tuple[Found, ...]:
    """All of them; each overrides the one before it."""
    return _with_winner(found, len(found) - 1, why)


def first_wins(found: Sequence[Found], why: str) -> tuple[Found, ...]:
    """All of them; those after the first are ignored."""
    return _with_winner(found, 0, why)


def _with_winner(found: Sequence[Found], winner: int, why: str) -> tuple[Found, ...]:
    if len(found) < 2:
        return tuple(found)
    return tuple(
        replace(each, wins=index == winner, why=why if index == winner else each.why)
        for index, each in enumerate(found)
    )
