"""Hashes that name their format, anywhere in a text: a configuration, a script, source code."""

import re
from collections.abc import Iterator
from typing import Final

from hashcost.stored.formats.reading import HASHES, HashReader

# `${NAME}` and `{{ name }}` are variables. Commas stand in the hashes of Argon2. Compose doubles
# dollars, shells and PHP put a backslash before them, and JSON may put one before a slash.
_NAMED: Final = re.compile(
    rb"(?P<mark>\\?\$\$?[a-zA-Z0-9_-]{1,32}\\?\$"
    rb"|(?<![${#%])\{[A-Za-z0-9@._-]{2,32}\}"
    rb"|\bPBKDF2WithHmacSHA[0-9]{3}:|@ByteArray\(|\bJDJ[hi5]JD"
    rb"|\b(?:pbkdf2|PBKDF2|scrypt|argon2|bcrypt|SCRAM|sha[0-9]|SHA1|md5|MD5)[\w:-]{0,40}\$)"
    rb"(?:[^\s\"'`;<>\\,]|\\(?=[$/])|,(?=[a-z]=[0-9]))++"
)
_BEHIND: Final = re.compile(rb"[:)\]}|&*]")
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
