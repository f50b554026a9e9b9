"""Formats as data: the tables ``[[format]]`` in the files of ``data/``, a family each.

In their texts ``<WORDS>`` are replaced by the parts of patterns below and by the words of
``each``, which makes a format for each set of words (`spelt_out`).
"""

import datetime as dt
import re
from typing import Final

import msgspec

from hashcost.core.measurement import Params
from hashcost.core.package_data import data_table, spelt_out
from hashcost.stored.formats.reading import Kind

LARGEST: Final = 2**32 - 1
"""The most iterations that passlib writes; others stop at 2^31 - 1."""

_CRYPT64: Final = "[./0-9A-Za-z]"
_BASE64: Final = "[A-Za-z0-9+/]"
_DES_LAST: Final = "[.26AEIMQUYcgkosw]"

_PARTS: Final = {
    # crypt(5); bcrypt has the same characters in another order.
    "CRYPT64": _CRYPT64,
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
    """One way to write a hash.

    Behind one of its ``prefixes`` it is what the pattern ``rest`` matches as a whole. The
    groups of the pattern hold a ``count``, or what the function that ``setting`` names makes a
    reading of; or ``reader`` names one that reads the whole text. With ``inner`` it is what
    another format, or those of a family, read behind the prefix and ``prepend``.

    A text with one of the prefixes is this format or malformed, unless other texts begin
    alike (``shared``). Text without a prefix is tried by its length in characters, and at
    last as the formats that have neither. ``apps`` write the format: where several formats
    read a text, the application decides, and what ``needs_app`` is not even tried without
    it. With ``inside`` it is only met behind the prefix of another. A cost that is not in
    the hash itself has its ``source``, and the day on which that was ``checked``.
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
    def pattern(self) -> str:
        """The pattern of the whole text."""
        prefixes = "|".join(map(re.escape, self.prefixes))
        # Schemes in braces are written in any case, other prefixes to the letter.
        flags = ""
        if self.prefixes and self.prefixes[0].startswith("{"):
            flags = "i"
        return f"(?{flags}:{prefixes}){_WORDS.sub(_part, self.rest)}"


def rows_of(family: str) -> tuple[Row, ...]:
    """List the formats of a family, the likelier first."""
    rows = []
    for table in data_table(f"stored/formats/data/{family}.toml")["format"]:
        # The words of ``each`` are texts, and some stand for numbers.
        rows += msgspec.convert(spelt_out(table), list[Row], strict=False)
    return tuple(rows)


def _part(word: re.Match[str]) -> str:
    """Find the pattern of a word; that of so many bytes in base64 has what fills it up."""
    name, _, size = word[1].rpartition(" ")
    if not size.isdecimal():
        return _PARTS[word[1]]
    count = int(size)
    # Four characters for each three bytes, rounded up; then signs up to a multiple of four.
    characters = -(-count * 4 // 3)
    if name == "BASE64 OF":
        return f"{_BASE64}{{{characters}}}={{{-count % 3}}}"
    return f"{_BASE64}{{{characters},}}={{0,2}}"
