"""PostgreSQL: ``scram_iterations`` in ``postgresql.conf``."""

import re
from collections.abc import Iterator

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import Entry
from hashcost.apps.interface import App, Found
from hashcost.core.errors import at_line
from hashcost.core.text import printable

_HIGHEST = 2**31 - 1
_SCRAM = "scram-sha-256"
_MD5 = frozenset({"md5", "on", "off", "true", "false", "yes", "no", "1", "0"})

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
    method = None
    for each in _settings(text):
        if each.name == "scram_iterations":
            found.append(_found(each.value, each.line))
            included = None
        elif each.name == "password_encryption":
            method = each
        elif each.name in {"include", "include_dir", "include_if_exists"}:
            included = each
    found = list(last_wins(found, "the last one in the file is used"))
    if found and included is not None:
        why = f"unless {included.value[:40]}, included on line {included.line}, sets another"
        found[-1] = found[-1].because(why)
    if method is None or method.value.lower() == _SCRAM:
        return tuple(found)
    apart = f"line {method.line} names another method"
    return (*(each.unless(apart) for each in found), _other(method))


def _other(method: Entry) -> Found:
    """A method that is not SCRAM; before PostgreSQL 14 ``on`` meant MD5 as well."""
    if method.value.lower() in _MD5:
        why = "password_encryption is md5: one MD5 of the password and the user's name"
        return Found.unfit("MD5", method.line, why)
    return Found.untold(method.line, f"password_encryption is {printable(method.value)[:40]}")


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
