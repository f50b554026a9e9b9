"""How a format of stored hashes is described, so that a table can dispatch to it.

A family of formats is a file that exports ``FORMATS``; ``registry.py`` lists the
families. See ``bcrypt.py`` for a short example.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias, TypedDict, Unpack

import msgspec

from hashcost.core.algorithms import refusal
from hashcost.core.measurement import Params
from hashcost.stored.formats.alphabets import TEXT
from hashcost.stored.formats.reading import Kind, Reading

FormatReader: TypeAlias = Callable[[str], Reading | None]
"""Reads a string in one format; `None` if it is not in that format or its cost is illegal."""

Setting: TypeAlias = Callable[..., Reading | None]
"""Reads a format's name and what the groups of its pattern hold."""

LARGEST: Final = 2**32 - 1
"""The most iterations that passlib writes; others stop at 2^31 - 1."""

REMEMBERED: Final = 256
"""Settings that each format keeps; hashes of one application have but a few."""


class Where(TypedDict, total=False):
    """Where a format is tried; see `Format`."""

    lengths: tuple[int, ...]
    apps: tuple[str, ...]
    needs_app: bool


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


def reader(name: str, pattern: str, setting: Setting) -> FormatReader:
    """Read strings that a pattern matches as a whole.

    What its groups hold is given to ``setting``, and remembered: a group may hold
    what a cost is written in, never salt or digest. Of a last group called ``key``,
    only the length in characters is given.
    """
    compiled = re.compile(pattern)
    match = compiled.fullmatch

    @lru_cache(maxsize=REMEMBERED)
    def remembered(*groups: str | int | None) -> Reading | None:
        return setting(name, *groups)

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


def shaped(
    name: str,
    prefixes: str | tuple[str, ...],
    rest: str,
    setting: Setting,
    **where: Unpack[Where],
) -> Format:
    """A format of strings that a pattern matches behind their prefix; see `reader`."""
    known = (prefixes,) if isinstance(prefixes, str) else prefixes
    # The table compares all other prefixes to the letter.
    case = "i" if known and known[0].startswith("{") else ""
    head = f"(?{case}:{'|'.join(map(re.escape, known))})"
    return Format(name=name, prefixes=known, read=reader(name, head + rest, setting), **where)


def fast(
    name: str,
    prefixes: str | tuple[str, ...],
    rest: str,
    hasher: str,
    *notes: str,
    **where: Unpack[Where],
) -> Format:
    """A format of digests without a cost."""
    return shaped(name, prefixes, rest, always(hasher, notes=notes, kind=Kind.FAST), **where)


def plain(name: str, *prefixes: str, **where: Unpack[Where]) -> Format:
    """A format of passwords that stand behind a prefix as they are."""
    return shaped(name, prefixes, TEXT, always(kind=Kind.PLAIN), **where)


def wrapper(
    name: str, prefix: str, inner: FormatReader, *, prepend: str = "", apps: tuple[str, ...] = ()
) -> Format:
    """A prefix in front of another format; ``prepend`` is what the other lacks there."""

    def read(text: str) -> Reading | None:
        reading = inner(prepend + text[len(prefix) :])
        return None if reading is None else msgspec.structs.replace(reading, format=name)

    return Format(name=name, prefixes=(prefix,), apps=apps, read=read)


def always(
    hasher: str | None = None,
    params: Params | None = None,
    *,
    notes: tuple[str, ...] = (),
    blocks: int = 1,
    kind: Kind = Kind.HASHED,
) -> Setting:
    """The setting of a format that has but one."""

    def setting(name: str) -> Reading:
        return Reading(
            kind=kind, format=name, hasher=hasher, params=params or {}, blocks=blocks, notes=notes
        )

    return setting


def counted(
    hasher: str | None,
    param: str,
    minimum: int,
    maximum: int,
    *,
    default: int | None = None,
    notes: tuple[str, ...] = (),
    client_side: bool = False,
) -> Setting:
    """A cost of one decimal number; the default is meant if none is written."""

    def setting(name: str, digits: str | None) -> Reading | None:
        value = default if digits is None else number(digits, minimum, maximum)
        return hashed(name, hasher, {param: value}, *notes, client_side=client_side)

    return setting


def hashed(
    name: str,
    hasher: str | None,
    params: Mapping[str, int | None],
    *notes: str,
    client_side: bool = False,
) -> Reading | None:
    """A password hash of this cost; `None` if the algorithm has no such cost."""
    legal = {param: value for param, value in params.items() if value is not None}
    if len(legal) < len(params) or refusal(hasher or "", legal):
        return None
    return Reading(
        kind=Kind.HASHED,
        format=name,
        hasher=hasher,
        params=legal,
        client_side=client_side,
        notes=notes,
    )


def number(digits: str, minimum: int, maximum: int) -> int | None:
    """A decimal number as every format writes it; `None` outside its range.

    Leading zeros and signs are in no format; ``int`` would read them.
    """
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 20:
        return None
    value = int(digits)
    if (digits[0] == "0" and digits != "0") or not minimum <= value <= maximum:
        return None
    return value
