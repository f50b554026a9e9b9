"""Strings of every format, with salts and digests that are drawn anew each time.

``fixtures/samples.tsv`` has a line for each. In its readings ``+`` is before a note and ``@``
before the application to name; in its texts ``<hex 32>`` stands for 32 random digits.
"""

import base64
import random
import re
import string
from dataclasses import dataclass
from typing import Any, Final

from corpora import rows
from hashcost.stored.formats.reading import HashReading, Kind

CRYPT64: Final = "./" + string.digits + string.ascii_uppercase + string.ascii_lowercase
_ALPHABETS: Final = {
    "crypt": CRYPT64,
    "hex": "0123456789abcdef",
    "alnum": string.ascii_letters + string.digits,
    "raw": "\x01\x1fsalt~\x7f\n",
}
_KINDS: Final = {kind.value for kind in Kind}
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
        if kind == "bcrypt-base64":
            text = f"$2b${size:02}${self.crypt(52)}."
            return base64.b64encode(text.encode()).decode()
        text = self.characters(_ALPHABETS[kind.lower().removesuffix("-bytes")], size)
        if kind == "CRYPT-BYTES":
            return text.encode().hex().upper()
        return text.upper() if kind == "HEX" else text


@dataclass(frozen=True)
class Sample:
    """A string of one format with its reading, whatever its secrets."""

    text: str
    reading: HashReading
    app: str | None = None

    def make(self, secrets: Secrets) -> str:
        """The string with these secrets."""
        return _DRAWN.sub(secrets.fill, self.text)

    @property
    def label(self) -> str:
        """The name of its test."""
        return f"{self.reading.format} {self.reading.kind.value}"


def stated(written: str) -> tuple[dict[str, Any], str | None]:
    """What the words of a line say of a reading, and the application that they name."""
    fields: dict[str, Any] = {}
    app = None
    for word in written.split():
        name, equals, number = word.partition("=")
        if name == "blocks":
            fields["blocks"] = int(number)
        elif equals:
            fields.setdefault("params", {})[name] = int(number)
        elif word in _KINDS:
            fields["kind"] = Kind(word)
        elif word == "client-side":
            fields["client_side"] = True
        elif word.startswith("+"):
            fields["notes"] = (*fields.get("notes", ()), word[1:])
        elif word.startswith("@"):
            app = word[1:]
        else:
            fields["hasher"] = word
    return fields, app


def _sample(form: str, written: str, text: str) -> Sample:
    fields, app = stated(written)
    return Sample(text, HashReading(**{"kind": Kind.HASHED, "format": form, **fields}), app)


SAMPLES: Final = tuple(_sample(*row) for row in rows(__file__, "fixtures/samples.tsv"))
