"""A PHP file that holds one array of settings: what its keys are set to."""

import re
from dataclasses import replace
from typing import Final

from hashcost.apps.files.php_array import elements
from hashcost.apps.formats.assignments import one_winner
from hashcost.apps.formats.settings import NamedSettings, setting_of
from hashcost.apps.interface import App, Found

_PRODUCT: Final = re.compile(r"(?<==>)(\s*)([0-9]{1,9})\s*\*\s*([0-9]{1,9})(?=\s*(?:[,)\]]|//|#))")


def _multiplied(match: re.Match[str]) -> str:
    return f"{match[1]}{int(match[2]) * int(match[3])}"


class Format(NamedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys of the outermost array; ``constants`` are PHP's, with the numbers they stand for."""

    constants: dict[str, int]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the array sets."""
        found = [
            setting_of(replace(each, value=str(self.constants.get(each.value, each.value))))
            for each in elements(_PRODUCT.sub(_multiplied, text))
        ]
        return self.costs(app, tuple(one_winner(found, "last", "")))
