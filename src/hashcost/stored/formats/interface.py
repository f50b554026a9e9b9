"""How a format of stored hashes is described, so that a table can dispatch to it.

A family of formats is a file that exports ``FORMATS``; ``registry.py`` lists the
families. See ``grub.py`` for a short example.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import msgspec

from hashcost.core.measurement import Params
from hashcost.stored.formats.reading import Kind, Reading

FormatReader: TypeAlias = Callable[[str], Reading | None]
"""Reads a string in one format; `None` if it is not in that format or its cost is illegal."""

REMEMBERED = 256
"""Settings that each format keeps; hashes of one application have but a few."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """One way to write a hash.

    A text with one of ``prefixes`` is this format or malformed; ``{SCHEMES}`` in
    capitals are met in any case. Text without a prefix is tried by its length in
    characters, and at last as the formats that have neither. ``apps`` write the
    format: where several formats read a text, the application decides, and what
    ``needs_app`` is not even tried without it.
    """

    name: str
    read: FormatReader
    prefixes: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()
    apps: tuple[str, ...] = ()
    needs_app: bool = False


def shaped(pattern: str, setting: Callable[..., Reading | None]) -> FormatReader:
    """Read strings that a pattern matches as a whole.

    What its groups hold is given to ``setting``, and remembered: a group may hold
    what a cost is written in, never salt or digest. Of a last group called ``key``,
    the length in characters alone is given.
    """
    compiled = re.compile(pattern)
    match = compiled.fullmatch
    remembered = lru_cache(maxsize=REMEMBERED)(setting)

    def read(text: str) -> Reading | None:
        found = match(text)
        return None if found is None else remembered(*found.groups())

    def read_with_length(text: str) -> Reading | None:
        found = match(text)
        if found is None:
            return None
        *cost, key = found.groups()
        return remembered(*cost, len(key))

    return read_with_length if "key" in compiled.groupindex else read


def renamed(inner: FormatReader, name: str, *, skip: int, prepend: str = "") -> FormatReader:
    """Read what follows the first characters as another format does, under this name."""

    def read(text: str) -> Reading | None:
        reading = inner(prepend + text[skip:])
        return None if reading is None else msgspec.structs.replace(reading, format=name)

    return read


def wrapper(
    name: str, prefix: str, inner: FormatReader, *, prepend: str = "", apps: tuple[str, ...] = ()
) -> Format:
    """A prefix in front of another format."""
    read = renamed(inner, name, skip=len(prefix), prepend=prepend)
    return Format(name=name, prefixes=(prefix,), apps=apps, read=read)


def hashed(name: str, hasher: str, params: Params, *notes: str) -> Reading:
    """A password hash of this cost."""
    return Reading(kind=Kind.HASHED, format=name, hasher=hasher, params=params, notes=notes)


def fast(name: str, hasher: str, *notes: str) -> Reading:
    """A digest without a cost."""
    return Reading(kind=Kind.FAST, format=name, hasher=hasher, notes=notes)


def always(reading: Reading) -> Callable[[], Reading]:
    """The setting of a format that has but one."""
    return lambda: reading


def number(digits: str, minimum: int, maximum: int) -> int | None:
    """A decimal number as every format writes it, or none outside its range.

    Leading zeros and signs are in no format; ``int`` would read them.
    """
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 20:
        return None
    value = int(digits)
    if (digits[0] == "0" and digits != "0") or not minimum <= value <= maximum:
        return None
    return value
