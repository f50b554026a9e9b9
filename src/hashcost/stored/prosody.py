"""Accounts of Prosody, each in a file that returns a table of Lua.

Prosody writes a member a line (util/serialization.lua of bjc/prosody at f14f1b331f, read
2026-11-29).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

_START: Final = b"return {"
_MEMBER: Final = re.compile(
    rb'\t\["(?P<name>[a-z_]{1,30}+)"\] = '
    rb'(?:"(?P<text>[^"\\]*+)"|(?P<number>[0-9]{1,10}+));?[ \t]*+'
)
_HASHED: Final = frozenset({b"iteration_count", b"salt", b"stored_key"})
"""The members of an account whose password is hashed; else it has the password itself."""


def is_prosody(lines: Sequence[bytes]) -> bool:
    """Tell whether the first lines return a table of Lua that has a password."""
    shown = [line for line in lines if line.strip()]
    return shown[:1] == [_START] and any(passwords_in(lines))


def passwords_in(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Find the passwords; a hash is written as an object of JSON with its members."""
    members: dict[bytes, bytes] = {}
    for line in lines:
        if line == _START:
            members = {}
        match = _MEMBER.fullmatch(line)
        if match is not None:
            members[match["name"]] = match["text"] or match["number"] or b""
        # Members of a table in the table are indented.
        if line[:1] != b"}":
            continue
        if members.keys() >= _HASHED:
            yield _object(members)
        elif b"password" in members:
            yield members[b"password"]


def _object(members: dict[bytes, bytes]) -> bytes:
    """Write the hash of an account as JSON."""
    return msgspec.json.encode(
        {
            "iteration_count": int(members[b"iteration_count"] or 0),
            "salt": members[b"salt"].decode(errors="replace"),
            "stored_key": members[b"stored_key"].decode(errors="replace"),
        }
    )
