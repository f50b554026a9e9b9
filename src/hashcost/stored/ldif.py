"""Passwords in LDIF (RFC 2849), as directory servers export and change them.

python-ldap's parser needs the libraries of OpenLDAP, and ldif3 is not maintained; both hold
whole records. This one holds a line, and decodes only passwords.
"""

import binascii
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hashcost.stored.lines import BROKEN, LONGEST

# Attributes of hashes as text (RFC 2307, RFC 3112, the servers' own); also userPassword's OID.
_TEXT: Final = (b"userpassword", b"authpassword", b"olcrootpw", b"nsslapd-rootpw", b"2.5.4.35")
# The prefix that says what a value of each attribute is, by the name in lower case.
_PREFIXES: Final = {
    **dict.fromkeys(_TEXT, b""),
    **dict.fromkeys((b"ipanthash", b"sambantpassword", b"ntpassword", b"unicodepwd"), b"$NT$"),
    **dict.fromkeys((b"sambalmpassword", b"lmpassword", b"dbcspwd"), b"$LM$"),
}

# Bytes of NT and LM hashes, which some servers store raw and others as text.
_DIGEST_BYTES = 16
_QUOTE: Final = '"'.encode("utf-16-le")

_START: Final = re.compile(
    rb"version: *[0-9]+|dn:: *[A-Za-z0-9+/]|dn: *[A-Za-z0-9][\w.;-]* *=", re.IGNORECASE
)
# A password, or what a change does to the attribute that it names.
_LINE: Final = re.compile(
    rb"(%s|changetype|delete)(?:;[\w;.-]*)?:(:|<|) *(.*)" % b"|".join(map(re.escape, _PREFIXES)),
    re.IGNORECASE | re.DOTALL,
)


def is_ldif(lines: Sequence[bytes]) -> bool:
    """Tell whether the first line after comments begins LDIF, or is a password in it."""
    for line in lines:
        if line.strip() and line[:1] not in (b"#", b" "):
            return _START.match(line) is not None or any(passwords_in([line]))
    return False


def passwords_in(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Find the passwords; of changes, those that are added or put in place of others.

    A value that cannot be read is `BROKEN`, also one that is in another file.
    """
    changes = False
    removes = False
    for line in _unfolded(lines):
        if line == b"":  # The end of a record.
            changes = False
            removes = False
        if line == b"-":  # The end of one of its changes.
            removes = False
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        attribute, marked, value = match.groups()
        attribute = attribute.lower()
        if attribute == b"changetype":
            changes = value.strip().lower() == b"modify"
        elif attribute == b"delete":
            removes = changes
        elif not removes:
            yield _value(_PREFIXES[attribute], marked, value.rstrip(b" "))


def _unfolded(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines with what continues them, of which no more is kept than of the longest line."""
    parts: list[bytes] = []
    size = 0
    for line in lines:
        if line[:1] != b" ":
            if parts:
                yield b"".join(parts)
            parts, size = [line], 0
        elif size < LONGEST:
            parts.append(line[1:])
            size += len(line)
    if parts:
        yield b"".join(parts)


def _value(prefix: bytes, marked: bytes, value: bytes) -> bytes:
    """Write a value as a text that says which digest it is, where only its attribute did."""
    if marked == b"<":
        return BROKEN
    if marked:
        try:
            value = binascii.a2b_base64(value, strict_mode=True)
        except ValueError:
            return BROKEN
    if not prefix or not value:
        return value
    # A client sends Active Directory the password itself, in quotes.
    if value.startswith(_QUOTE) and value.endswith(_QUOTE):
        return b"{CLEARTEXT}" + value.decode("utf-16-le", "replace").strip('"').encode()
    if len(value) == _DIGEST_BYTES:
        value = value.hex().encode()
    return prefix + value
