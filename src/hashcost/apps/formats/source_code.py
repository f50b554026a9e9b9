"""Source code: the costs that its calls and assignments set, by the rules of the scan."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

import msgspec

from hashcost.apps.interface import App, Found
from hashcost.apps.text import in_order, last_wins
from hashcost.core.errors import UnreadError, UntoldError
from hashcost.core.text import printable
from hashcost.source_code.matching import Matches, found_in
from hashcost.source_code.reading import SetCost, Setting
from hashcost.source_code.scan import Failed, read_one

_DEFAULT: Final = re.compile(r"'s default\b")
_ENVIRONMENT: Final = re.compile(r"unless the environment sets (\w+)")


class SourceCode(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Code in the first of some ``languages`` in which any call is found.

    ``libraries`` are those of the scan's rules; with ``calls`` only calls that end in
    one of these count. ``last_wins`` says why only the last cost counts, if so, or only
    the last of those ``assigned`` to a name that ends so. What a
    call leaves out is the application's default, which its release decides.
    """

    languages: tuple[str, ...]
    libraries: tuple[str, ...]
    calls: tuple[str, ...] = ("",)
    last_wins: str = ""
    assigned: tuple[str, ...] = ("",)

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """Every cost that the code sets, and the calls beside them that do not tell theirs."""
        for language in self.languages:
            match = _matches(text, language)
            costs = [cost for cost in match.costs if self._counts(cost)]
            if costs:
                untold = [
                    Found.untold(unknown.line, _why(unknown))
                    for unknown in match.unknown
                    if self._counts(unknown)
                    and not unknown.in_tests
                    and "genSalt" not in unknown.why
                ]
                return in_order([*self._in_order(app, costs, _idle(match.costs)), *untold])
            for unknown in match.unknown:
                if unknown.call.endswith(self.calls) and not unknown.in_tests:
                    raise UntoldError(unknown.line, _why(unknown))
        return ()

    def _counts(self, setting: Setting) -> bool:
        # A default that a setting of the application may replace is left to that.
        follows = isinstance(setting, SetCost) and setting.follows and not setting.written
        counts = setting.library in self.libraries and setting.call.endswith(self.calls)
        return counts and not follows

    def _in_order(self, app: App, costs: list[SetCost], idle: Collection[str]) -> Iterator[Found]:
        groups: dict[str, list[Found]] = {}
        for cost in costs:
            row = self._of(app, cost)
            if cost.in_tests:
                yield row.unless("only for tests, or another line overrides it")
            elif cost.sets in idle:
                yield replace(row, wins=False, why="each call has its own")
            elif self.last_wins and cost.call.endswith(self.assigned):
                earlier = groups.setdefault(cost.library, [])
                if earlier:  # It adds to what was set before.
                    params = {**earlier[-1].params, **row.params}
                    lines = {**earlier[-1].lines, **row.lines}
                    row = replace(row, params=params, lines=lines)
                earlier.append(row)
            else:
                yield row
        for group in groups.values():
            yield from last_wins(group, self.last_wins)

    def _of(self, app: App, cost: SetCost) -> Found:
        params, why = cost.params, cost.why
        if _DEFAULT.search(why) and app.default_of(cost.hasher, None) is not None:
            params = {name: count for name, count in params.items() if name in cost.written}
            why = cost.depends
        return Found(
            hasher=cost.hasher,
            params=params,
            line=cost.line,
            lines=cost.lines,
            why=why,
            environment=environment_in(why),
        )


def _idle(costs: Sequence[SetCost]) -> Collection[str]:
    """The settings of a project that no call follows, since each has a cost of its own."""
    calls = [cost for cost in costs if cost.follows and not cost.sets]
    return calls[0].follows if calls and all(cost.written for cost in calls) else ()


def environment_in(why: str) -> str:
    """The variable that may set a value which was read from code, by what is said of it."""
    match = _ENVIRONMENT.search(why)
    return "" if match is None else "variable" if match[1] == "it" else match[1]


def _why(unknown: Setting) -> str:
    return f"{printable(unknown.call)}: {printable(unknown.why)}, which the file does not say"


def _matches(text: str, language: str) -> Matches:
    if language == "python":  # Python's own parser neither crashes nor takes long.
        return found_in(text, language)
    if language == "php" and "<?" not in text:
        text = f"<?php {text}"
    matches = read_one(text, language)
    if isinstance(matches, Failed):
        raise UnreadError(matches.reason, matches.why)
    return matches
