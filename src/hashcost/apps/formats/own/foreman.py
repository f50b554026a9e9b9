"""Foreman: ``bcrypt_cost`` and ``pbkdf2_cost`` in ``settings.yaml``, or by ``hammer``."""

import re
from dataclasses import replace

from hashcost.apps.files.lines import uncommented
from hashcost.apps.files.yaml_costs import of_first_document
from hashcost.apps.files.yaml_file import Scalar
from hashcost.apps.formats.assignments import one_winner
from hashcost.apps.formats.settings import NamedSettings
from hashcost.apps.interface import App, Found

_HAMMER = re.compile(
    r"\bhammer\b[^#\n]*\bset\b[^#\n]*"
    r"--name[ =]['\"]?(?P<name>password_hash|bcrypt_cost|pbkdf2_cost)['\"]?[^#\n]*"
    r"--value[ =]['\"]?(?P<value>[A-Za-z0-9_]{1,30})"
)


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
        Scalar(path=(match["name"],), text=match["value"], line=number)
        for number, line in uncommented(text)
        for match in _HAMMER.finditer(line)
    ]
    return tuple(one_winner(found, "last", ""))
