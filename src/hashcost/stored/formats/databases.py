"""What PostgreSQL, MySQL, SQL Server and Oracle keep for their users.

PostgreSQL: src/backend/libpq/crypt.c. MySQL: sql/auth/sha2_password.cc; its salt is
raw bytes, so it is often shown in hexadecimal. The others: passlib, handlers/.
"""

from __future__ import annotations

import re
from typing import Final

from hashcost.stored.formats.alphabets import CRYPT64, HEX
from hashcost.stored.formats.interface import Format, always, fast, hashed, shaped
from hashcost.stored.formats.reading import Reading

_CACHING_SHA2 = "mysql caching_sha2"
_FEWEST_THOUSANDS = 5


def _caching_sha2(digits: str) -> Reading | None:
    """sha256-crypt with thousands of rounds, three hexadecimal digits of them."""
    thousands = int(digits, 16)
    if thousands < _FEWEST_THOUSANDS:
        return None
    return hashed(_CACHING_SHA2, "sha256-crypt", {"rounds": 1000 * thousands})


_read_caching_sha2 = shaped(
    rf"\$A\$([0-9A-F]{{3}})\$[\x01-#%-\x7f]{{20}}{CRYPT64}{{43}}", _caching_sha2
)


_IS_HEXADECIMAL = re.compile(rf"0x(?:[0-7]{HEX}){{70}}")


def _read_hexadecimal(text: str) -> Reading | None:
    if _IS_HEXADECIMAL.fullmatch(text) is None:
        return None
    return _read_caching_sha2(bytes.fromhex(text[2:]).decode("ascii"))


def _mssql(name: str, version: str, hasher: str, characters: int) -> Format:
    """Four bytes of salt and the digest; in 2000, also that of the upper case."""
    pattern = rf"{version}{HEX}{{{8 + characters}}}"
    return Format(
        name=name,
        lengths=(len(version) + 8 + characters,),
        read=shaped(pattern, always(fast(name, hasher))),
    )


FORMATS: Final = (
    Format(
        name="postgresql md5",
        lengths=(35,),
        apps=("postgresql",),
        read=shaped("md5[0-9a-f]{32}", always(fast("postgresql md5", "md5"))),
    ),
    Format(name=_CACHING_SHA2, prefixes=("$A$",), apps=("mysql",), read=_read_caching_sha2),
    Format(
        name=_CACHING_SHA2,
        prefixes=("0x244124",),
        apps=("mysql",),
        read=_read_hexadecimal,
    ),
    Format(
        name="mysql native",
        lengths=(41,),
        apps=("mysql",),
        read=shaped(r"\*[0-9A-F]{40}", always(fast("mysql native", "sha1", "unsalted"))),
    ),
    Format(
        name="mysql old",
        lengths=(16,),
        apps=("mysql",),
        read=shaped("[0-9a-f]{16}", always(fast("mysql old", "mysql323", "unmarked", "unsalted"))),
    ),
    _mssql("mssql 2005", "0x0100", "sha1", 40),
    _mssql("mssql 2000", "0x0100", "sha1", 80),
    _mssql("mssql 2012", "0x0200", "sha512", 128),
    Format(
        name="oracle 11",
        lengths=(62,),
        read=shaped(f"S:{HEX}{{60}}", always(fast("oracle 11", "sha1"))),
    ),
)
