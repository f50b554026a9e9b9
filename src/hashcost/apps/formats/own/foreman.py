"""Foreman: ``bcrypt_cost`` and ``pbkdf2_cost`` in ``settings.yaml``, or by ``hammer``.

Read in theforeman/foreman: app/registries/foreman/settings/auth.rb (defaults),
app/services/foreman/password_hash.rb at bd37b5a1, and the setting's value, which is that of
settings.yaml where the file has one.
"""

from __future__ import annotations

import re
from dataclasses import replace

import msgspec

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.yaml_costs import Group, costs, of_first_document
from hashcost.apps.files.yaml_file import Value, values
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UnreadableInputError, printable

_GROUPS = {
    "bcrypt": Group(hasher="bcrypt", keys={"cost": "bcrypt_cost"}),
    "pbkdf2sha1": Group(hasher="pbkdf2-sha1", keys={"iterations": "pbkdf2_cost"}),
}
_HAMMER = re.compile(
    r"\bhammer\b[^#\n]*\bset\b[^#\n]*"
    r"--name[ =]['\"]?(?P<name>password_hash|bcrypt_cost|pbkdf2_cost)['\"]?[^#\n]*"
    r"--value[ =]['\"]?(?P<value>[A-Za-z0-9_]{1,30})"
)


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """It has no settings."""

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the file sets."""
        settings = _by_hammer(text) or _of_file(text)
        algorithm = next(
            (each for each in reversed(settings) if each.name == "password_hash" and each.wins),
            None,
        )
        name = "bcrypt" if algorithm is None else algorithm.text
        if name not in _GROUPS:
            raise UnreadableInputError(
                f"line {algorithm.line if algorithm else 0}: password_hash is"
                f" {printable(name)[:40]!r}, which has no cost; Foreman has bcrypt and pbkdf2sha1"
            )
        told = (
            "bcrypt is used unless password_hash says otherwise"
            if algorithm is None
            else f"password_hash is {name}"
        )
        read = [
            each
            for key, group in _GROUPS.items()
            for each in costs(
                settings,
                group,
                used=key == name,
                because="" if key == name else told,
                at=None if algorithm is None else algorithm.line,
            )
        ]
        return with_ranges(read, app.schemes, app.title)


def _of_file(text: str) -> tuple[Value, ...]:
    """The settings of a file, whose keys are symbols (``:bcrypt_cost:``)."""
    return tuple(
        replace(each, path=(str(each.path[0]).removeprefix(":"),))
        for each in of_first_document(values(text))
        if len(each.path) == 1
    )


def _by_hammer(text: str) -> tuple[Value, ...]:
    """What commands set, in a script; the last of each counts."""
    found = [
        Value(path=(match["name"],), text=match["value"], line=number)
        for number, line in enumerate(text.splitlines(), 1)
        if not line.lstrip().startswith("#")
        for match in _HAMMER.finditer(line)
    ]
    last = {each.path: each for each in found}
    return tuple(
        each
        if last[each.path] is each
        else replace(each, wins=False, why=f"line {last[each.path].line} sets it again")
        for each in found
    )
