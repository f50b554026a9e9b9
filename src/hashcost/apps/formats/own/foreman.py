"""Foreman: ``bcrypt_cost`` and ``pbkdf2_cost`` in ``settings.yaml``, or by ``hammer``."""

import re
from collections.abc import Iterator
from dataclasses import replace

from hashcost.apps.files.lines import uncommented
from hashcost.apps.files.yaml_costs import of_first_document
from hashcost.apps.files.yaml_file import Scalar
from hashcost.apps.formats.assignments import one_winner
from hashcost.apps.formats.settings import NamedSettings
from hashcost.apps.interface import App, Found

_HAMMER = re.compile(r"\bhammer\b")
_SET = re.compile(r"\bset\b")
_KEY = re.compile(r"--name[ =]['\"]?(?P<name>password_hash|bcrypt_cost|pbkdf2_cost)")
_VALUE = re.compile(r"--value[ =]['\"]?(?P<value>[A-Za-z0-9_]{1,30})")


class Format(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a YAML file, or those that the commands of a script make."""

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the file sets."""
        return self.costs(app, _by_hammer(text) or _of_file(text))


def _of_file(text: str) -> tuple[Scalar, ...]:
    """The settings of a file, whose keys are symbols (``:bcrypt_cost:``)."""
    return tuple(
        replace(each, path=(str(each.path[0]).removeprefix(":"),))
        for each in of_first_document(text)
        if len(each.path) == 1
    )


def _by_hammer(text: str) -> tuple[Scalar, ...]:
    """What commands set; the last of each counts."""
    found = [
        Scalar(path=(name,), text=value, line=number)
        for number, line in uncommented(text)
        for part in line.split("#")
        for name, value in _given(part)
    ]
    return tuple(one_winner(found, "last", ""))


def _given(command: str) -> Iterator[tuple[str, str]]:
    """The name and the value that a command sets, looked for one after the other."""
    hammer = _HAMMER.search(command)
    begins = None if hammer is None else _SET.search(command, hammer.end())
    if begins is None:
        return
    value = next(reversed([*_VALUE.finditer(command, begins.end())]), None)
    end = 0 if value is None else value.start()
    name = next(reversed([*_KEY.finditer(command, begins.end(), end)]), None)
    if name is not None and value is not None:
        yield name["name"], value["value"]
