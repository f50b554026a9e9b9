"""Strings of every format, with salts and digests that are drawn anew each time.

``fixtures/samples.tsv`` has a line for each. In its readings ``+`` is before a note and ``@``
before the application to name; in its texts ``<hex 32>`` stands for 32 random digits.
"""

import base64
import csv
import random
import re
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hashcost.stored.formats.reading import Kind, Reading

CRYPT64: Final = "./" + string.digits + string.ascii_uppercase + string.ascii_lowercase
_ALPHABETS: Final = {
    "crypt": CRYPT64,
    "hex": "0123456789abcdef",
    "alnum": string.ascii_letters + string.digits,
    "raw": "\x01\x1fsalt~\x7f\n",
}
_DRAWN: Final = re.compile(r"<([A-Za-z0-9-]+) (\d+)(?: ([0-9a-f]+))?>")


class Secrets:
    """Salts and digests from a seed, none of them a real one."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.drawn: list[str] = []

    def characters(self, alphabet: str, count: int) -> str:
        """So many characters of an alphabet, kept in ``drawn``."""
        text = "".join(self._random.choices(alphabet, k=count))
        self.drawn.append(text)
        return text

    def crypt(self, count: int) -> str:
        """In the alphabet of crypt."""
        return self.characters(CRYPT64, count)

    def hex(self, count: int) -> str:
        """Lower-case hexadecimal."""
        return self.characters(_ALPHABETS["hex"], count)

    def base64(self, size: int, *, head: bytes = b"") -> str:
        """So many bytes in base64, behind a head that is no secret."""
        text = base64.b64encode(head + self._random.randbytes(size)).decode()
        self.drawn.append(text[len(head) * 4 // 3 + 2 :].rstrip("="))
        return text

    def fill(self, match: re.Match[str]) -> str:
        """The text for a placeholder: its kind, its size and, of base64, its head in hex."""
        kind, size, head = match[1], int(match[2]), bytes.fromhex(match[3] or "")
        if kind in ("base64", "bare", "adapted", "base64-bytes"):
            text = self.base64(size, head=head)
            if kind == "base64-bytes":
                return text.encode().hex()
            text = text if kind == "base64" else text.rstrip("=")
            return text.replace("+", ".") if kind == "adapted" else text
        text = self.characters(_ALPHABETS[kind.lower().removesuffix("-bytes")], size)
        if kind == "CRYPT-BYTES":
            return text.encode().hex().upper()
        return text.upper() if kind == "HEX" else text


@dataclass(frozen=True)
class Sample:
    """A string of one format with its reading, whatever its secrets."""

    text: str
    reading: Reading
    app: str | None = None

    def make(self, secrets: Secrets) -> str:
        """The string with these secrets."""
        return _DRAWN.sub(secrets.fill, self.text)

    @property
    def label(self) -> str:
        """The name of its test."""
        return f"{self.reading.format} {self.reading.kind.value}"


def _sample(form: str, written: str, text: str) -> Sample:
    kind, hasher, app = Kind.HASHED, None, None
    params: dict[str, int] = {}
    more: dict[str, Any] = {}
    notes = []
    for word in written.split():
        name, equals, number = word.partition("=")
        if equals:
            (more if name == "blocks" else params)[name] = int(number)
        elif word in ("fast", "locked", "plain"):
            kind = Kind(word)
        elif word == "client-side":
            more["client_side"] = True
        elif word.startswith("+"):
            notes.append(word[1:])
        elif word.startswith("@"):
            app = word[1:]
        else:
            hasher = word
    reading = Reading(
        kind=kind, format=form, hasher=hasher, params=params, notes=tuple(notes), **more
    )
    return Sample(text, reading, app)


_FILE: Final = Path(__file__).with_name("fixtures") / "samples.tsv"
_ROWS: Final = csv.reader(
    _FILE.read_text("utf-8").splitlines()[1:], delimiter="\t", quoting=csv.QUOTE_NONE
)
SAMPLES: Final = tuple(_sample(*row) for row in _ROWS)
