"""What a format of stored hashes is, and how a pattern reads one."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Concatenate, Final, TypeAlias, TypeVar

from hashcost.core.algorithms import refusal
from hashcost.stored.formats.reading import Kind, Reading

FormatReader: TypeAlias = Callable[[str], Reading | None]
"""Reads a string in one format; `None` if it is not in that format or its cost is illegal."""

LARGEST: Final = 2**32 - 1
"""The most iterations that passlib writes; others stop at 2^31 - 1."""

REMEMBERED: Final = 256
"""Settings that each format keeps; hashes of one application have but a few."""

CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""In no hash, but for what MySQL writes raw; surrogates are no text either."""

AboutT = TypeVar("AboutT")


@dataclass(frozen=True, kw_only=True)
class Format:
    """One way to write a hash.

    A text with one of ``prefixes`` is this format or malformed, unless other texts
    begin alike (``shared``); ``{SCHEMES}`` in capitals are met in any case. Text
    without a prefix is tried by its length in characters, and at last as the formats
    that have neither. ``apps`` write the format: where several formats read a text,
    the application decides, and what ``needs_app`` is not even tried without it.
    """

    name: str
    read: FormatReader
    prefixes: tuple[str, ...] = ()
    shared: bool = False
    lengths: tuple[int, ...] = ()
    apps: tuple[str, ...] = ()
    needs_app: bool = False


def reader(
    about: AboutT, pattern: str, setting: Callable[Concatenate[AboutT, ...], Reading | None]
) -> FormatReader:
    """Read strings that a pattern matches as a whole.

    What its groups hold is given to ``setting``, and remembered: a group may hold
    what a cost is written in, never salt or digest. Of a last group called ``key``,
    only the length in characters is given.
    """
    fullmatch: Callable[[str], re.Match[str] | None] | None = None
    has_key = "(?P<key>" in pattern

    @lru_cache(maxsize=REMEMBERED)
    def remembered(*groups: str | int | None) -> Reading | None:
        return setting(about, *groups)

    def read(text: str) -> Reading | None:
        nonlocal fullmatch
        if fullmatch is None:  # Few of the patterns are ever needed.
            fullmatch = re.compile(pattern).fullmatch
        found = fullmatch(text)
        if found is None:
            return None
        groups = found.groups()
        return remembered(*groups[:-1], len(groups[-1])) if has_key else remembered(*groups)

    return read


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
