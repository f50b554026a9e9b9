"""Accounts of macOS, as plutil writes the property list ShadowHashData in XML.

The members are those that ansible/ansible has in issue 36427, read 2026-11-29.
"""

import binascii
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hashcost.stored.lines import LONGEST

_START: Final = b"<key>SALTED-SHA512-PBKDF2</key>"
_END: Final = b"</dict>"
_MEMBER: Final = re.compile(
    rb"<key>(?P<name>[a-z]{1,20}+)</key>\s*+<(?:data|integer)>(?P<value>[^<]*+)</"
)


def is_plist(lines: Sequence[bytes]) -> bool:
    """Tell whether the first lines have an account in XML."""
    return any(_START in line for line in lines)


def passwords_in(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Find the hashes, written as hashcat does: the iterations, the salt and the key."""
    account: bytes | None = None
    for line in lines:
        if account is not None:
            account += b"\n" + line
        elif _START in line:
            _, _, account = line.partition(_START)
        # An account without an end is no longer than a line may be.
        if account is not None and (_END in line or len(account) > LONGEST):
            yield _hash(account)
            account = None


def _hash(account: bytes) -> bytes:
    members = {member["name"]: member["value"] for member in _MEMBER.finditer(account)}
    iterations = members.get(b"iterations", b"").strip()
    salt, key = (_in_hex(members.get(name, b"")) for name in (b"salt", b"entropy"))
    return b"$ml$%s$%s$%s" % (iterations, salt, key)


def _in_hex(data: bytes) -> bytes:
    try:
        return binascii.a2b_base64(b"".join(data.split()), strict_mode=True).hex().encode()
    except ValueError:
        return b""
