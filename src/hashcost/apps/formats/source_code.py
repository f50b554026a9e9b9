"""Source code: the costs that its calls and assignments set, by the rules of the scan."""

from __future__ import annotations

import msgspec

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UntoldError, printable
from hashcost.source_code.matching import Matches, found_in


class Format(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Code in the first of some ``languages`` in which any cost is found.

    ``libraries`` are those of the scan's rules; with ``calls`` only calls that end in
    one of these count. ``last_wins`` says why only the last cost counts, if so.
    """

    languages: tuple[str, ...]
    libraries: tuple[str, ...]
    calls: tuple[str, ...] = ("",)
    last_wins: str = ""

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the code sets."""
        matches = [_matches(text, language) for language in self.languages]
        for each in matches:
            found = [
                Found(hasher=cost.hasher, params=cost.params, line=cost.line, why=cost.why)
                for cost in each.costs
                if cost.library in self.libraries and cost.call.endswith(self.calls)
            ]
            if found:
                return last_wins(found, self.last_wins) if self.last_wins else tuple(found)
        for unknown in (unknown for each in matches for unknown in each.unknown):
            if unknown.call.endswith(self.calls):
                raise UntoldError(
                    unknown.line,
                    f"{printable(unknown.call)}:"
                    f" {printable(unknown.why)}, which the file does not tell",
                )
        return ()


def _matches(text: str, language: str) -> Matches:
    if language == "php" and "<?" not in text:
        text = f"<?php {text}"
    return found_in(text, language)
