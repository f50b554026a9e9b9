"""Files full of secrets that can be recognised wherever they come out."""

import base64
import csv
import io
import json
import random
import re
import string
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import hashcost
from corpora import cases
from stored.formats.samples import SAMPLES, Secrets

FRAGMENT: Final = 6
"""Characters of a secret that are too many to be seen."""

FIXTURES: Final = Path(__file__).parent / "stored" / "formats" / "fixtures" / "stored_hashes.jsonl"
_WORDS: Final = frozenset(
    {
        *("additionalParameters", "hashIterations", "isSHA512", "pbkdf2Sync"),
        *("PBKDF2WithHmacSHA1", "PBKDF2WithHmacSHA256", "PBKDF2WithHmacSHA512"),
        "PBKDF2WITHHMACSHA512",
    }
)
"""Parts of real hashes that are as long as salts and no secrets."""
_STYLE: Final = (Path(hashcost.__file__).parent / "render/formats/page.css").read_text("utf-8")
"""Six digits of a secret may be those of a colour, which every page has."""


class SecretFile:
    """Names and hashes of one seed; another seed differs in what is secret alone."""

    def __init__(self, seed: int, *, real: bool = False) -> None:
        secrets = Secrets(seed)
        names = random.Random(seed)
        made = [sample.make(secrets) for sample in SAMPLES]
        self.hashes = [text for text in made if text.isprintable()]
        self.secrets = {part for part in secrets.drawn if len(part) >= FRAGMENT}
        if real:
            rows = map(json.loads, FIXTURES.read_text("utf-8").splitlines())
            self.hashes += [row["hash"] for row in rows if row["hash"].isprintable()]
            self.secrets |= set(_parts(self.hashes))
        plain = "".join(names.choices(string.ascii_letters, k=12)) + "!7"
        self.secrets.add(plain)
        self.hashes += [plain, f"$2b$12${plain}", "", "!", f"!{self.hashes[0]}"]
        # A short run of letters only is no base64 to a reader.
        salt, digest = secrets.base64(36), secrets.hex(56)
        self.secrets |= {salt, digest}
        self.hashes += [
            *(digest, f"0x{digest}", f"{{{plain}}}{salt}", f"${plain[:-2]}${salt}${digest}"),
            *(f"{plain}:{salt}", f"sha256:1000:{salt}:{digest}", f'{{"{plain}":"{digest}"}}'),
        ]
        self.names = ["".join(names.choices(string.ascii_letters, k=14)) for _ in self.hashes]
        self.secrets |= set(self.names)
        self._fragments = {
            secret[at : at + FRAGMENT]
            for secret in self.secrets
            for at in range(len(secret) - FRAGMENT + 1)
            if not secret[at : at + FRAGMENT].isdecimal()
            and secret[at : at + FRAGMENT] not in _STYLE
        }

    def leaked(self, text: str) -> set[str]:
        """The fragments of secrets that stand in a text."""
        fragments = {text[at : at + FRAGMENT] for at in range(len(text) - FRAGMENT + 1)}
        return fragments & self._fragments

    def lines(self) -> bytes:
        """A hash a line."""
        return "".join(f"{text}\n" for text in self.hashes if text).encode()

    def users(self) -> bytes:
        """``user:hash`` lines."""
        pairs = zip(self.names, self.hashes, strict=True)
        return "".join(f"{name}:{text}\n" for name, text in pairs).encode()

    def shadow(self) -> bytes:
        """Lines of nine fields, as in shadow, of hashes without a colon."""
        pairs = zip(self.names, self.hashes, strict=True)
        return "".join(
            f"{name}:{text}:19000:0:99999:7:::\n" for name, text in pairs if ":" not in text
        ).encode()

    def table(self) -> bytes:
        """CSV with a column ``password``."""
        text = io.StringIO()
        rows = zip(self.names, self.hashes, strict=True)
        csv.writer(text).writerows([("user", "password"), *rows])
        return text.getvalue().encode()

    def entries(self) -> bytes:
        """LDIF with folded lines, each second value in base64."""
        text = []
        for index, (name, hash_) in enumerate(zip(self.names, self.hashes, strict=True)):
            encoded = f": {base64.b64encode(hash_.encode()).decode()}"
            line = f"userPassword:{encoded if index % 2 or hash_[:1] == ' ' else f' {hash_}'}"
            folded = "\n ".join(line[at : at + 75] for at in range(0, len(line), 75))
            text.append(f"dn: uid={name},dc=example\nuid: {name}\n{folded}\n\n")
        return "".join(text).encode()

    def objects(self) -> bytes:
        """JSON lines with a member ``password``."""
        return "".join(
            json.dumps({"user": name, "password": text}) + "\n"
            for name, text in zip(self.names, self.hashes, strict=True)
        ).encode()


def _parts(hashes: Iterable[str]) -> Iterable[str]:
    """What is salt or digest in real hashes: long, or of all kinds of characters."""
    for text in hashes:
        for part in re.split(r"[^A-Za-z0-9+/]", text):
            mixed = all(re.search(kind, part) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
            if part not in _WORDS and (len(part) >= 16 or (mixed and len(part) >= 8)):
                yield part


TYPED: Final = tuple(cases(__file__, "secret_files.toml", "typed"))
"""Secrets that somebody may type where a name belongs, told by characters that no name has."""

UNMARKED: Final = tuple(cases(__file__, "secret_files.toml", "unmarked"))
"""Others, which no guess tells from names."""
