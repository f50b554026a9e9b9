"""MediaWiki's types: ``:A:``, ``:B:`` and ``:pbkdf2:`` (includes/password/)."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT, HEX, bytes_of_base64
from hashcost.stored.formats.interface import Format, always, fast, number, shaped
from hashcost.stored.formats.pbkdf2 import of_base64
from hashcost.stored.formats.reading import Reading

_APPS = ("mediawiki",)


def _pbkdf2(digest: str, digits: str, key_bytes: str, key: int) -> Reading | None:
    if number(key_bytes, 1, 9999) != bytes_of_base64(key):
        return None
    return of_base64("mediawiki pbkdf2", digest, digits, key)


FORMATS: Final = (
    Format(
        name="mediawiki pbkdf2",
        prefixes=(":pbkdf2:",),
        apps=_APPS,
        read=shaped(
            rf":pbkdf2:(sha1|sha256|sha512):({COUNT}):([0-9]{{1,4}})"
            rf":{BASE64}*={{0,2}}:(?P<key>{BASE64}{{16,}})={{0,2}}",
            _pbkdf2,
        ),
    ),
    Format(
        name="mediawiki B",
        prefixes=(":B:",),
        apps=_APPS,
        read=shaped(rf":B:[0-9A-Za-z]+:{HEX}{{32}}", always(fast("mediawiki B", "md5"))),
    ),
    Format(
        name="mediawiki A",
        prefixes=(":A:",),
        apps=_APPS,
        read=shaped(f":A:{HEX}{{32}}", always(fast("mediawiki A", "md5", "unsalted"))),
    ),
)
