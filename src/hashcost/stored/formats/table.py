"""Which formats a text may be in, found by its first characters or by its length."""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from hashcost.stored.formats.interface import CONTROL, Format
from hashcost.stored.formats.reading import Kind, Reading

_LOCK = re.compile(r"(?:\*(?:LK|NP|LOCKED)\*|[!*])+")
_WORDS: Final = frozenset(("x", "NP", "LK", "UP"))
"""What stands where no hash is; ``x`` says that it is in shadow(5)."""
_LOCKED: Final = Reading(kind=Kind.LOCKED, format="locked")


class Table:
    """The formats of a table, told apart for one application or for any."""

    def __init__(self, formats: Iterable[Format], app: str | None = None) -> None:
        """Index the formats; those that the application writes come first."""
        self._app = app
        known = [one for one in formats if app in one.apps or not one.needs_app]
        known.sort(key=self._is_foreign)
        by_prefix: dict[str, list[Format]] = {}
        by_length: dict[int, list[Format]] = {}
        for one in known:
            for prefix in one.prefixes:
                by_prefix.setdefault(prefix, []).append(one)
            for length in one.lengths:
                by_length.setdefault(length, []).append(one)
        for prefix in by_prefix:
            if prefix != prefix.upper() and prefix.startswith("{"):
                by_prefix[prefix] += by_prefix.get(prefix.upper(), [])
        self._others = tuple(one for one in known if not one.prefixes and not one.lengths)
        self._by_prefix = {prefix: tuple(found) for prefix, found in by_prefix.items()}
        self._by_length = {length: tuple(found) for length, found in by_length.items()}
        self._sizes = {
            first: tuple(sorted({len(prefix) for prefix in by_prefix if prefix[0] == first}))
            for first in {prefix[0] for prefix in by_prefix}
        }
        self._sizes["{"] = tuple(
            sorted({len(p) for p in by_prefix if p[0] == "{" and p[-1] != "}"})
        )

    def read(self, text: str) -> Reading | None:
        """What a text says; none where it is in none of the formats."""
        first = text[:1]
        if first == "{":
            scheme = text[: text.find("}") + 1]
            formats = self._by_prefix.get(scheme) or self._by_prefix.get(scheme.upper())
            if formats is not None and (found := self._read_as(formats, text)):
                return found
        for size in self._sizes.get(first, ()):
            formats = self._by_prefix.get(text[:size])
            if formats is not None and (found := self._read_as(formats, text)):
                return found
        formats = self._by_length.get(len(text))
        if formats is not None:
            reading = self._read_as(formats, text)
            if reading is not None and reading.kind is not Kind.MALFORMED:
                return reading
        for one in self._others:
            found = one.read(text)
            if found is not None:
                return found
        return None

    def read_lock(self, text: str) -> Reading | None:
        """A field of passwd(5) or shadow(5) that locks an account.

        What is known of the hash that ``usermod -U`` would bring back is kept.
        """
        lock = _LOCK.match(text)
        if lock is None or CONTROL.search(text):
            return _LOCKED if text in _WORDS else None
        reading = self.read(text[lock.end() :])
        if reading is None or reading.kind not in {Kind.HASHED, Kind.FAST}:
            return _LOCKED
        return msgspec.structs.replace(reading, kind=Kind.LOCKED, notes=(*reading.notes, "locked"))

    def _read_as(self, formats: tuple[Format, ...], text: str) -> Reading | None:
        if len(formats) == 1:
            return formats[0].read(text) or _malformed(formats[0])
        likeliest: Reading | None = None
        for one in formats:
            reading = one.read(text)
            if reading is None:
                continue
            if likeliest is None:
                likeliest = reading
                if not self._is_foreign(one):
                    break
            elif (reading.hasher, reading.params) != (likeliest.hasher, likeliest.params):
                notes = (*likeliest.notes, "ambiguous-prefix")
                return msgspec.structs.replace(likeliest, notes=notes)
        return likeliest or _malformed(formats[0])

    def _is_foreign(self, one: Format) -> bool:
        return self._app not in one.apps


def _malformed(one: Format) -> Reading | None:
    return None if one.shared else Reading(kind=Kind.MALFORMED, format=one.name)
