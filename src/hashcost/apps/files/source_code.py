"""Source code: the costs that its calls and assignments set, by the rules of the scan."""

from __future__ import annotations

from collections.abc import Collection

from hashcost.apps.interface import Found, Reader
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.source_code.matching import Matches, SetCost, found_in


def reader(
    *languages: str, libraries: Collection[str], calls: Collection[str] | None = None
) -> Reader:
    """A reader of the costs of some libraries, in the first language that finds any.

    ``libraries`` are those of the scan's rules; with ``calls`` only calls that end in
    one of these count.
    """

    def counts(cost: SetCost) -> bool:
        return cost.library in libraries and (
            calls is None or any(cost.call.endswith(call) for call in calls)
        )

    def read(text: str) -> tuple[Found, ...]:
        found = [_matches(text, language) for language in languages]
        for matches in found:
            costs = tuple(_found(cost) for cost in matches.costs if counts(cost))
            if costs:
                return costs
        for matches in found:
            for unknown in matches.unknown:
                if calls is None or any(unknown.call.endswith(call) for call in calls):
                    raise UnreadableInputError(
                        f"line {unknown.line}: {printable(unknown.call)}:"
                        f" {printable(unknown.why)}, which the file does not tell"
                    )
        return ()

    return read


def _matches(text: str, language: str) -> Matches:
    if language == "php" and "<?" not in text:
        text = f"<?php {text}"
    return found_in(text, language)


def _found(cost: SetCost) -> Found:
    return Found(hasher=cost.hasher, params=cost.params, line=cost.line, why=cost.why)
