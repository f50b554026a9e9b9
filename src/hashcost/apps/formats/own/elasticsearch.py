"""Elasticsearch: ``xpack.security.authc.password_hashing.algorithm``."""

import re
from dataclasses import replace

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.yaml_costs import named, of_first_document, setting
from hashcost.apps.files.yaml_file import Scalar
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UntoldError
from hashcost.core.text import printable

_KEY = "xpack.security.authc.password_hashing.algorithm"
_FIPS = "xpack.security.fips_mode.enabled"
_NAME = re.compile(
    r"(?:bcrypt(?P<cost>[0-9]{1,2})?|pbkdf2(?:_stretch)?(?:_(?P<iterations>[0-9]{1,9}))?)"
)


def _found(value: Scalar, app: App) -> Found:
    match = _NAME.fullmatch(value.text.strip().lower())
    if match is None:
        shown = printable(value.text)[:40]
        raise UntoldError(value.line, f"{_KEY} is {shown!r}, which Elasticsearch does not know")
    hasher = "bcrypt" if match[0].startswith("bcrypt") else "pbkdf2-sha512"
    given = {param: int(count) for param, count in match.groupdict().items() if count}
    return Found(
        hasher=hasher,
        params=given or app.newest(hasher),
        line=value.line,
        wins=value.wins,
        why=value.why,
        written=value.written or match[0],
    )


def read(app: App, text: str) -> tuple[Found, ...]:
    """Every cost that the file sets."""
    found = of_first_document(text)
    named_ones = named(found, _KEY)
    fips = setting(found, _FIPS)
    if not named_ones and fips is not None and fips.text.strip().lower() == "true":
        named_ones = [replace(fips, text="pbkdf2_stretch", why="the default in FIPS mode")]
    return with_ranges([_found(each, app) for each in named_ones], app)
