"""Fields of passwd(5) and shadow(5) that lock an account."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from hashcost.stored.formats.alphabets import CONTROL
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.table import Table

_LOCK = re.compile(r"(?:\*(?:LK|NP|LOCKED)\*|[!*])+")
_CONTROL = re.compile(CONTROL)
_WORDS: Final = frozenset(("x", "NP", "LK", "UP"))
"""What stands where no hash is; ``x`` says that it is in shadow(5)."""
_LOCKED: Final = Reading(kind=Kind.LOCKED, format="locked")


def read_lock(text: str, table: Table) -> Reading | None:
    """A lock, with what is known of the hash that ``usermod -U`` would bring back."""
    lock = _LOCK.match(text)
    if lock is None or _CONTROL.search(text):
        return _LOCKED if text in _WORDS else None
    reading = table.read(text[lock.end() :])
    if reading is None or reading.kind not in {Kind.HASHED, Kind.FAST}:
        return _LOCKED
    return msgspec.structs.replace(reading, kind=Kind.LOCKED, notes=(*reading.notes, "locked"))
