"""Hashes that name their format, anywhere in a text: a configuration, a script, source code."""

import re
from collections.abc import Iterator
from typing import Final

from hashcost.stored.formats.reading import HASHES, HashReader

_NAMES: Final = (
    *("pbkdf2", "PBKDF2", "scrypt", "argon2", "bcrypt", "SCRAM", "sha[0-9]", "SHA1", "md5", "MD5"),
)
"""Beginnings of words that name a format in front of a dollar."""


def _at_word(name: str) -> str:
    """Make a pattern for a word that begins with a name, whose first sign is the pattern's, too.

    Python skips to the next sign that a pattern may begin with if that comes before anything else.
    """
    return rf"{name[0]}(?<!\w{name[0]}){name[1:]}"


# Compose doubles dollars, and shells and PHP put a backslash before them.
_DOLLARS: Final = r"\$\$?[a-zA-Z0-9_-]{1,32}\\?\$"
_MARKS: Final = (
    _DOLLARS,
    rf"\\{_DOLLARS}",
    # `${NAME}` and `{{ name }}` are variables.
    r"\{(?<![${#%]\{)[A-Za-z0-9@._-]{2,32}\}",
    _at_word(r"PBKDF2WithHmacSHA[0-9]{3}:"),
    # Jupyter's salt has twelve digits; elsewhere the iterations stand before it.
    _at_word(r"sha(?:1|256|512):(?:[0-9a-f]{12}|[0-9]{1,10}):"),
    r"@ByteArray\(",
    _at_word(r"ENC\([0-9]{1,10}:"),
    _at_word(r"JDJ[hi5]JD"),
    _at_word(r"c2NyeXB0A[A-D](?=[A-Za-z0-9+/]{118}(?![A-Za-z0-9+/=]))"),
    _at_word(r"sha256#"),
    _at_word(r"md5#"),
    # SQL Server and MySQL, whose digests are longer than what else begins so.
    _at_word(r"0x0[12]00(?=[0-9A-F]{48})"),
    r"\*(?=[0-9A-F]{40}(?![0-9A-Za-z]))",
    # CouchDB, whose key, salt and iterations are between commas.
    r"-(?<![\w-]-)pbkdf2(?::sha[0-9]{3})?-[0-9a-f]{40,128},[0-9a-f]{1,64},(?=[0-9])",
    r"-(?<![\w-]-)hashed-[0-9a-f]{40},(?=[0-9a-f])",
    # Redis' lists of users.
    r"#(?<!\S#)(?=[0-9a-f]{64}(?![0-9A-Za-z]))",
    *(rf"{_at_word(name)}[\w:-]{{0,40}}\$" for name in _NAMES),
)
# Commas stand in the hashes of Argon2, and JSON may put a backslash before a slash.
_REST: Final = r"(?:[^\s\"'`;<>|\\,]|\\(?=[$/])|,(?=[a-z]=[0-9]))++"
_NAMED: Final = re.compile(f"(?P<mark>{'|'.join(_MARKS)}){_REST}".encode())
_BEHIND: Final = re.compile(rb"[:)\]}&*]")
"""Characters that may follow a hash without a blank."""


def named_in(content: bytes, read: HashReader) -> Iterator[tuple[int, bytes]]:
    """Find the hashes in a text, each with the place of its first byte."""
    for named in _NAMED.finditer(content):
        for text in _spellings(named[0], len(named["mark"])):
            if read(text).kind in HASHES:
                yield named.start(), text
                break


def _spellings(text: bytes, mark: int) -> Iterator[bytes]:
    """List what a text, which begins with a mark of so many bytes, may stand for."""
    rest = _BEHIND.split(text[mark:], maxsplit=1)[0]
    cut = text[:mark] + rest.rstrip(b".,!?")
    # Django has doubled dollars of its own, so what is written comes first.
    for whole in dict.fromkeys((text, cut)):
        plain = whole.replace(b"\\", b"")
        yield plain
        if b"$$" in plain:
            yield plain.replace(b"$$", b"$")
