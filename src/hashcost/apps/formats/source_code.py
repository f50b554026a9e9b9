"""Source code: the costs that its calls and assignments set, by the rules of the scan."""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UntoldError
from hashcost.core.text import printable
from hashcost.source_code.matching import Matches
from hashcost.source_code.reading import SetCost, Setting
from hashcost.source_code.scan import Failed, read_one

_DEFAULT: Final = re.compile(r"'s default\b")


class Format(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Code in the first of some ``languages`` in which any cost is found.

    ``libraries`` are those of the scan's rules; with ``calls`` only calls that end in
    one of these count. ``last_wins`` says why only the last cost counts, if so, or only
    the last of those ``assigned`` to a name that ends so.
    """

    languages: tuple[str, ...]
    libraries: tuple[str, ...]
    calls: tuple[str, ...] = ("",)
    last_wins: str = ""
    assigned: tuple[str, ...] = ("",)

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the code sets, and the calls beside them that do not tell theirs."""
        matches = [_matches(text, language) for language in self.languages]
        for each in matches:
            costs = [cost for cost in each.costs if self._counts(cost)]
            if costs:
                untold = [
                    one
                    for one in each.unknown
                    if self._counts(one) and not one.in_tests and "genSalt" not in one.why
                ]
                found = [*self._found(costs), *(_untold(one) for one in untold)]
                return tuple(sorted(found, key=lambda one: one.line))
        for unknown in (unknown for each in matches for unknown in each.unknown):
            if unknown.call.endswith(self.calls) and not unknown.in_tests:
                raise UntoldError(unknown.line, _why(unknown))
        return ()

    def _counts(self, found: Setting) -> bool:
        return found.library in self.libraries and found.call.endswith(self.calls)

    def _found(self, costs: Sequence[SetCost]) -> list[Found]:
        found = [
            (
                cost,
                Found(
                    hasher=cost.hasher,
                    params=cost.params,
                    line=cost.line,
                    why=cost.why,
                    usual=len(cost.params) == 1 and _DEFAULT.search(cost.why) is not None,
                ),
            )
            for cost in costs
        ]
        for_tests = [one.unless("only for tests") for cost, one in found if cost.in_tests]
        live = [(cost, one) for cost, one in found if not cost.in_tests]
        if not self.last_wins:
            return [*for_tests, *(one for _, one in live)]
        assigned = [one for cost, one in live if cost.call.endswith(self.assigned)]
        called = [one for cost, one in live if not cost.call.endswith(self.assigned)]
        return [*for_tests, *called, *last_wins(assigned, self.last_wins)]


def _untold(unknown: Setting) -> Found:
    return Found.untold(unknown.line, _why(unknown))


def _why(unknown: Setting) -> str:
    return f"{printable(unknown.call)}: {printable(unknown.why)}, which the file does not say"


def _matches(text: str, language: str) -> Matches:
    if language == "php" and "<?" not in text:
        text = f"<?php {text}"
    found = read_one(text, language)
    if isinstance(found, Failed):
        raise UntoldError(0, f"the code is not read: {found.why}")
    return found
