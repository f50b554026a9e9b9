"""Formats as data: the tables ``[[format]]`` in the files of ``data/``, a family each.

In their texts ``<WORDS>`` stand for the parts of patterns below, and for each value of
``each``, whose lists make one format of each of their columns.
"""

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Concatenate, Final, TypeAlias, TypeVar

import msgspec

from hashcost.core.algorithms import refusal
from hashcost.core.measurement import Params
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
        match = fullmatch(text)
        if match is None:
            return None
        groups = match.groups()
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


_CRYPT64: Final = "[./0-9A-Za-z]"
_BASE64: Final = "[A-Za-z0-9+/]"
_DES_LAST: Final = "[.26AEIMQUYcgkosw]"

_PARTS: Final = {
    # crypt(5); bcrypt has the same characters in another order.
    "CRYPT64": _CRYPT64,
    "CRYPT64 IN HEX": "(?:2[EeFf]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])",
    "BASE64": _BASE64,
    # Also as passlib adapts it, with "." for "+".
    "ANY BASE64": "[A-Za-z0-9+/.]",
    # To the end: no character is missing or left over, and the bits that fill it up are zero.
    "WHOLE BASE64": (
        "(?:[A-Za-z0-9+/.]{4})*+(?:[A-Za-z0-9+/.](?:[AQgw]|[A-Za-z0-9+/.][AEIMQUYcgkosw048]))?"
    ),
    "HEX": "[0-9A-Fa-f]",
    # Visible, but for "$" and ":", which end a salt in crypt strings and in shadow.
    "SALT": "[!-#%-9;-~]",
    "DJANGO SALT": r"[^$\x00-\x1f\x7f]",
    # Anything that may be typed.
    "TEXT": r"[^\x00-\x1f\x7f]*",
    # Of 32 bits; what it may be at most is for the reader to check.
    "COUNT": "[0-9]{1,10}",
    # 64 bits fill eleven characters but for two bits, which are zero.
    "DES LAST": _DES_LAST,
    "DES": f"{_CRYPT64}{{12}}{_DES_LAST}",
    # scrypt as Java's lambdaworks, Spring and Password4j pack it.
    "PACKED": rf"([1-9a-f][0-9a-f]{{4,5}})\${_BASE64}+={{0,2}}\${_BASE64}{{43,86}}={{0,2}}",
}
_WORDS: Final = re.compile("<([A-Z][A-Z0-9_ ]*)>")


class Count(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cost of one decimal number; the default is meant if none is written."""

    param: str
    minimum: int = 1
    maximum: int = LARGEST
    default: int | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A format as it is written down.

    Behind one of its ``prefixes`` it is what the pattern ``rest`` matches as a whole, and
    ``setting`` names the function that makes a reading of what the pattern's groups hold;
    or ``reader`` names one that reads the whole text. With ``inner`` it is what another
    format, or those of a family, read behind the prefix and ``prepend``.

    With ``inside`` it is only told behind the prefix of another. A cost that is not in the
    hash itself has its ``source``, and the day on which that was ``checked``. For the other
    keys see `Format` and `Reading`.
    """

    name: str
    prefixes: tuple[str, ...] = ()
    shared: bool = False
    rest: str = ""
    setting: str = "fixed"
    reader: str | None = None
    inner: str | None = None
    prepend: str = ""
    kind: Kind = Kind.HASHED
    hasher: str | None = None
    params: Params = {}
    count: Count | None = None
    blocks: int = 1
    client_side: bool = False
    notes: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()
    apps: tuple[str, ...] = ()
    needs_app: bool = False
    inside: bool = False
    source: str = ""
    checked: dt.date | None = None

    @property
    def digest(self) -> str:
        """The digest of PBKDF2."""
        return (self.hasher or "").removeprefix("pbkdf2-")

    @property
    def pattern(self) -> str:
        """The pattern of the whole text; the table compares most prefixes to the letter."""
        case = "i" if self.prefixes and self.prefixes[0].startswith("{") else ""
        return f"(?{case}:{'|'.join(map(re.escape, self.prefixes))}){_with_parts(self.rest)}"


def rows_of(family: str) -> tuple[Row, ...]:
    """The formats of a family, the likelier first."""
    text = files("hashcost.stored.formats").joinpath("data", f"{family}.toml").read_text("utf-8")
    tables = (one for table in tomllib.loads(text)["format"] for one in _columns(table))
    return tuple(msgspec.convert(table, Row, strict=False) for table in tables)


def _columns(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    columns = table.pop("each", None)
    if columns is None:
        yield table
        return
    for values in zip(*columns.values(), strict=True):
        yield _filled(table, dict(zip(columns, values, strict=True)))


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(item, words) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, words) for item in value]
    if isinstance(value, str):
        return _WORDS.sub(lambda found: words.get(found[1], found[0]), value)
    return value


def _with_parts(rest: str) -> str:
    """A pattern whose words are replaced; ``BASE64 OF`` so many bytes has what fills it up."""

    def part(found: re.Match[str]) -> str:
        name, _, size = found[1].rpartition(" ")
        if not size.isdecimal():
            return _PARTS[found[1]]
        characters = -(-int(size) * 4 // 3)
        if name == "BASE64 OF":
            return f"{_BASE64}{{{characters}}}={{{-int(size) % 3}}}"
        return f"{_BASE64}{{{characters},}}={{0,2}}"

    return _WORDS.sub(part, rest)
