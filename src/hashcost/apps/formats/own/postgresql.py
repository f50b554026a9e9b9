"""PostgreSQL: ``scram_iterations`` in ``postgresql.conf``."""

import re
from collections.abc import Iterator

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import Entry
from hashcost.apps.interface import App, Found
from hashcost.core.errors import at_line

_HIGHEST = 2**31 - 1

_LINE = re.compile(
    r"\s*(?P<name>[A-Za-z_][A-Za-z0-9_.]*)(?:\s*=\s*|\s+)(?P<value>'(?:[^']|'')*'|[^\s#']+)"
    r"\s*(?:#.*)?"
)
_DECIMAL = re.compile(r"(?P<whole>[0-9]+)\.[0-9]*")
_HEXADECIMAL = re.compile(r"0[xX](?P<digits>[0-9A-Fa-f]{1,8})")


def _settings(text: str) -> Iterator[Entry]:
    """Every setting; names know no case."""
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is not None:
            yield Entry(match["name"].lower(), match["value"].strip("'").strip(), number)


def read(app: App, text: str) -> tuple[Found, ...]:
    """The iterations that the file sets; files that it includes are not looked at."""
    found: list[Found] = []
    included = None
    for each in _settings(text):
        if each.name == "scram_iterations":
            found.append(_found(each.value, each.line))
            included = None
        elif each.name in {"include", "include_dir", "include_if_exists"}:
            included = each
    found = list(last_wins(found, "the last one in the file is used"))
    if found and included is not None:
        why = f"unless {included.value[:40]}, included on line {included.line}, sets another"
        found[-1] = found[-1].because(why)
    return tuple(found)


def _found(value: str, line: int) -> Found:
    decimal, hexadecimal = _DECIMAL.fullmatch(value), _HEXADECIMAL.fullmatch(value)
    if hexadecimal is not None:
        count = int(hexadecimal["digits"], 16)
    else:
        whole = decimal["whole"] if decimal is not None else value
        count = whole_number(whole, "scram_iterations", line)
    if not 1 <= count <= _HIGHEST:
        raise at_line(line, f"PostgreSQL does not start with scram_iterations {count}")
    return Found(hasher="pbkdf2-sha256", params={"iterations": count}, line=line)
