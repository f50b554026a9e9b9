"""MySQL: ``caching_sha2_password_digest_rounds`` in ``my.cnf``."""

import re
from dataclasses import replace

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.ini_entries import entries
from hashcost.apps.files.lines import Entry
from hashcost.apps.interface import App, Found, Limits

_KEY = "caching_sha2_password_digest_rounds"
_SECTION = re.compile(r"mysqld|server|mysqld-[0-9.]{1,8}")
_SUFFIXES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def _found(entry: Entry, limits: Limits) -> Found:
    text = entry.value.strip("'\"")
    factor = _SUFFIXES.get(text[-1:].lower(), 1)
    written = whole_number(text if factor == 1 else text[:-1], _KEY, entry.line) * factor
    rounds = limits.nearest(written)
    found = Found(hasher="sha256-crypt", params={"rounds": rounds}, line=entry.line)
    if rounds == written:
        return found
    why = (
        f"MySQL takes multiples of {limits.step} from {limits.minimum} to {limits.maximum},"
        f" so {rounds} instead of {written}"
    )
    return replace(found, why=why, written=entry.value)


def _is_it(entry: Entry) -> bool:
    name = entry.name.lower().replace("-", "_").removeprefix("loose_")
    return name == _KEY and _SECTION.fullmatch(entry.section) is not None


def read(app: App, text: str) -> tuple[Found, ...]:
    """Every cost that the file sets."""
    lines = entries(text, folded=False, bare_keys=True, inline_comments=("#",))
    limits = app.schemes[0].limits["rounds"]
    found = [_found(each, limits) for each in lines if _is_it(each)]
    return last_wins(found, "the last one counts")
