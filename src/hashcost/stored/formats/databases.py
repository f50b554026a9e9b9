"""What PostgreSQL, MySQL, SQL Server and Oracle keep for their users.

PostgreSQL: src/backend/libpq/crypt.c. MySQL: sql/auth/sha2_password.cc; its salt is
raw bytes, so it is often shown in hexadecimal. The others: passlib, handlers/.
"""

from __future__ import annotations

import re
from typing import Final

from hashcost.stored.formats.alphabets import CRYPT64, HEX
from hashcost.stored.formats.interface import Format, fast, hashed, shaped
from hashcost.stored.formats.reading import Reading

_MYSQL = ("mysql",)
_FEWEST_THOUSANDS = 5


def _rounds(name: str, digits: str) -> Reading | None:
    """sha256-crypt with thousands of rounds, three hexadecimal digits of them."""
    thousands = int(digits, 16)
    if thousands < _FEWEST_THOUSANDS:
        return None
    return hashed(name, "sha256-crypt", {"rounds": 1000 * thousands})


_CACHING_SHA2 = shaped(
    "mysql caching_sha2",
    "$A$",
    rf"([0-9A-F]{{3}})\$[\x01-#%-\x7f]{{20}}{CRYPT64}{{43}}",
    _rounds,
    apps=_MYSQL,
)
_IS_HEXADECIMAL = re.compile(rf"0x(?:[0-7]{HEX}){{70}}")


def _read_hexadecimal(text: str) -> Reading | None:
    if _IS_HEXADECIMAL.fullmatch(text) is None:
        return None
    return _CACHING_SHA2.read(bytes.fromhex(text[2:]).decode("ascii"))


def _mssql(name: str, version: str, hasher: str, characters: int) -> Format:
    """Four bytes of salt and the digest; in 2000, also that of the upper case."""
    size = 8 + characters
    return fast(name, (), f"{version}{HEX}{{{size}}}", hasher, lengths=(len(version) + size,))


FORMATS: Final = (
    fast("postgresql md5", (), "md5[0-9a-f]{32}", "md5", lengths=(35,), apps=("postgresql",)),
    _CACHING_SHA2,
    Format(name=_CACHING_SHA2.name, prefixes=("0x244124",), apps=_MYSQL, read=_read_hexadecimal),
    fast("mysql native", (), r"\*[0-9A-F]{40}", "sha1", "unsalted", lengths=(41,), apps=_MYSQL),
    fast(
        "mysql old",
        (),
        "[0-9a-f]{16}",
        "mysql323",
        "unmarked",
        "unsalted",
        lengths=(16,),
        apps=_MYSQL,
    ),
    _mssql("mssql 2005", "0x0100", "sha1", 40),
    _mssql("mssql 2000", "0x0100", "sha1", 80),
    _mssql("mssql 2012", "0x0200", "sha512", 128),
    fast("oracle 11", (), f"S:{HEX}{{60}}", "sha1", lengths=(62,)),
)
