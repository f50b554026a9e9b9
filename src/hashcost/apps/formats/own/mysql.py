"""MySQL: the format of ``caching_sha2_password`` and its rounds, in ``my.cnf``."""

import re
from dataclasses import replace

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.ini_entries import entries
from hashcost.apps.files.lines import Entry
from hashcost.apps.interface import App, Found, Limits
from hashcost.core.errors import at_line
from hashcost.core.text import printable

_ROUNDS = "caching_sha2_password_digest_rounds"
_FORMAT = "caching_sha2_password_storage_format"
_PARAMS = {"sha256-crypt": "rounds", "pbkdf2-sha512": "iterations"}
_FORMATS = {
    "crypt5": "sha256-crypt",
    "0": "sha256-crypt",
    "pbkdf2_sha512": "pbkdf2-sha512",
    "1": "pbkdf2-sha512",
}
"""An enumeration, so that mysqld takes its numbers too."""
_SECTION = re.compile(r"mysqld|server|mysqld-[0-9.]{1,8}")
_SUFFIXES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def _found(entry: Entry, hasher: str, limits: Limits) -> Found:
    text = entry.value.strip("'\"")
    factor = _SUFFIXES.get(text[-1:].lower(), 1)
    written = whole_number(text if factor == 1 else text[:-1], _ROUNDS, entry.line) * factor
    rounds = limits.nearest(written)
    found = Found(hasher=hasher, params={_PARAMS[hasher]: rounds}, line=entry.line)
    if rounds == written:
        return found
    why = (
        f"MySQL takes multiples of {limits.step} from {limits.minimum} to {limits.maximum},"
        f" so {rounds} instead of {written}"
    )
    return replace(found, why=why, written=entry.value)


def _name(entry: Entry) -> str:
    """The variable; empty outside the server's sections."""
    name = entry.name.lower().replace("-", "_").removeprefix("loose_")
    return name if _SECTION.fullmatch(entry.section) is not None else ""


def _hasher(entry: Entry) -> str:
    word = entry.value.strip("'\"").lower()
    if word not in _FORMATS:
        raise at_line(entry.line, f"{_FORMAT} is {printable(word)[:40]!r}, which MySQL refuses")
    return _FORMATS[word]


def read(app: App, text: str) -> tuple[Found, ...]:
    """Every cost that the file sets, of the hasher that the last storage format names."""
    lines = entries(text, folded=False, bare_keys=True, inline_comments=("#",))
    named = [each for each in lines if _name(each) == _FORMAT]
    hasher = _hasher(named[-1]) if named else "sha256-crypt"
    limits = app.schemes[0].limits["rounds"]
    found = [_found(each, hasher, limits) for each in lines if _name(each) == _ROUNDS]
    if named and not found:
        return (Found(hasher=hasher, params={}, line=named[-1].line, why=f"no {_ROUNDS}"),)
    return last_wins(found, "the last one counts")
