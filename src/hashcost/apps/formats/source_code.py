"""Source code: the costs that its calls and assignments set, by the rules of the scan."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from hashcost.apps.facts import Facts
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.text import last_wins
from hashcost.core.errors import UnreadError
from hashcost.core.text import printable
from hashcost.source_code.costs import SetCost, Setting
from hashcost.source_code.matching import Matches, found_in
from hashcost.source_code.scan import Failed, read_one
from hashcost.source_code.versions import Pin

_OF_DUMMY: Final = "it makes a dummy hash, which nobody has"


class SourceCode(Facts, frozen=True):
    """Code in the first of some ``languages`` in which any call is found.

    ``libraries`` are those of the scan's rules; with ``calls`` only calls that end in
    one of these count. ``last_wins`` says why only the last cost counts, if so, or only
    the last of those ``assigned`` to a name that ends so. What a call leaves out is the
    application's default, which its release decides; a call that has one of the ``presets`` in
    its name leaves out nothing.
    """

    languages: tuple[str, ...]
    libraries: tuple[str, ...]
    calls: tuple[str, ...] = ("",)
    presets: tuple[str, ...] = ()
    last_wins: str = ""
    assigned: tuple[str, ...] = ("",)

    def read(self, app: App, text: str) -> Costs:
        """Every cost that the code sets, and the calls beside them that do not tell theirs."""
        for language in self.languages:
            match = _matches(text, language, _pins(app))
            unknown = [setting for setting in match.unknown if not setting.in_tests]
            costs = [cost for cost in match.costs if self._counts(cost)]
            apart = [_apart(app, call) for call in match.of_no_password if self._counts(call)]
            dummies = [cost for cost in match.dummies if self._counts(cost)]
            apart += [self._row(app, cost).unless(_OF_DUMMY) for cost in dummies]
            if costs:
                rows = self._rows(app, costs, _idle(match.costs))
                rows += [_told(setting) for setting in unknown if self._counts(setting)]
                return rows + apart
            ours = [setting for setting in unknown if self._may_count(setting)]
            if ours or apart:
                return [_told(setting) for setting in ours] + apart
        return ()

    def _may_count(self, setting: Setting) -> bool:
        """Tell whether a setting may be the application's where no cost of its libraries is."""
        # Another library's digest says nothing about what this application hashes with.
        if setting.is_unfit:
            return self._counts(setting)
        return setting.call.endswith(self.calls)

    def _counts(self, setting: Setting) -> bool:
        if isinstance(setting, SetCost) and setting.follows and not setting.written:
            # It has a default that a setting of the application may replace: that counts.
            return False
        return setting.library in self.libraries and setting.call.endswith(self.calls)

    def _rows(self, app: App, costs: list[SetCost], idle: Collection[str]) -> list[Found]:
        rows = []
        groups: dict[str, list[Found]] = {}
        for cost in costs:
            row = self._row(app, cost)
            if cost.in_tests:
                rows.append(row.unless("only for tests, or another line overrides it"))
            elif cost.sets in idle:
                rows.append(replace(row, wins=False, why="each call has its own"))
            elif self.last_wins and cost.call.endswith(self.assigned):
                earlier = groups.setdefault(cost.library, [])
                if earlier:  # It adds to what was set before.
                    params = earlier[-1].params | row.params
                    lines = {**earlier[-1].lines, **row.lines}
                    row = replace(row, params=params, lines=lines)
                earlier.append(row)
            else:
                rows.append(row)
        for group in groups.values():
            rows += last_wins(group, self.last_wins)
        return rows

    def _row(self, app: App, cost: SetCost) -> Found:
        row = Found(
            hasher=cost.hasher,
            params=cost.params,
            line=cost.line,
            lines=cost.lines,
            why=cost.why,
            environment=cost.environment,
            blocks=cost.blocks,
        )
        # What a call leaves out has the application's default, unless it names its own.
        names_a_preset = any(preset in cost.call for preset in self.presets)
        has_default = app.default_of(cost.hasher) is not None
        if names_a_preset or not has_default or cost.params.keys() == set(cost.written):
            return row
        params = {name: cost.params[name] for name in cost.params if name in cost.written}
        return replace(row, params=params, why=cost.depends)


def _idle(costs: Sequence[SetCost]) -> Collection[str]:
    """The settings of a project that no call follows, since each has a cost of its own."""
    calls = [cost for cost in costs if cost.follows and not cost.sets]
    if calls and all(cost.written for cost in calls):
        return calls[0].follows
    return ()


def _apart(app: App, call: Setting) -> Found:
    """Make the row of a call that hashes no new password, which decides nothing."""
    row = Found(hasher=app.schemes[0].hasher, params={}, line=call.line)
    return row.unless(f"{printable(call.call)} hashes a random token, or only compares")


def _told(setting: Setting) -> Found:
    """Make the row of a setting that has no cost, or does not show it."""
    if setting.is_unfit:
        call = printable(setting.call)
        why = f"{call} uses {setting.hasher}, which protects passwords too little"
        return Found.unfit(setting.hasher, setting.line, why)
    return Found.undetermined(setting.line, _why(setting))


def _why(unknown: Setting) -> str:
    return f"{printable(unknown.call)}: {printable(unknown.why)}, which the file does not say"


def _pins(app: App) -> Mapping[str, Pin]:
    """Give the scan's rules the release of the application's package, if it is known."""
    if app.package is None or app.release is None:
        return {}
    return {app.package: Pin(app.release, "")}


def _matches(text: str, language: str, pins: Mapping[str, Pin]) -> Matches:
    if language == "python":  # Python's own parser neither crashes nor takes long.
        return found_in(text, language, pins=pins)
    if language == "php" and "<?" not in text:
        text = f"<?php {text}"
    matches = read_one(text, language, pins)
    if isinstance(matches, Failed):
        raise UnreadError(matches.reason, matches.why)
    return matches
