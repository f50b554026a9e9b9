"""Waivers: findings that a person has accepted, with a reason and a last day. Pure.

A waiver is a line of comment at the finding, or a table ``[[accept]]`` in the settings. Days are
in UTC, and today is passed in.
"""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from hashcost.checks.judgement import (
    ACCEPTABLE,
    COSTLESS,
    STANDARD_INPUT,
    Accepted,
    CheckReport,
    InTests,
    Judgement,
    Outcome,
)
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cost_expressions import Cost, Place, parse_cost
from hashcost.core.errors import UsageError
from hashcost.core.machine import Notice
from hashcost.core.severity import Severity
from hashcost.core.text import either, printable
from hashcost.core.units import format_setting
from hashcost.core.waiver_comments import Comment, Comments
from hashcost.storage.settings import ListedWaiver

LONGEST_REASON: Final = 200
"""Characters."""
FURTHEST: Final = dt.timedelta(days=366)
"""A year from today, which may be a leap year."""
_LONGEST: Final = 1000  # characters of a whole waiver
_UNTIL: Final = re.compile(
    r"(?P<what>.*?)(?<!\s)\s++until\s++(?P<day>[^\s:]*+)\s*+:(?P<why>.*)", re.DOTALL
)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_VERDICTS: Final = re.compile(
    r"(?:(?P<cost>.*?)(?<![\s,])\s++)?(?P<verdicts>[a-z-]++(?:\s*+,\s*+[a-z-]++)*+)"
)
_WORDS: Final = {outcome.value: outcome for outcome in Outcome if outcome in ACCEPTABLE}
_BETTER: Final = (
    frozenset(Outcome) - ACCEPTABLE - {Outcome.UNAVAILABLE, Outcome.INCONCLUSIVE, Outcome.STALE}
)
"""Verdicts that need no waiver."""
_EXAMPLE: Final = "hashcost: accept bcrypt=10 below-min until YYYY-MM-DD: REASON"
_COSTLESS_EXAMPLES: Final = tuple(
    f"`accept {word} until …`" for word, outcome in _WORDS.items() if outcome in COSTLESS
)


class Waiver(msgspec.Struct, frozen=True, kw_only=True):
    """Verdicts that are accepted on a cost, or without a cost on an unknown one."""

    cost: Cost | None
    outcomes: frozenset[Outcome]
    until: dt.date
    """The last day on which it holds."""
    why: str

    def is_about(self, row: Judgement | InTests) -> bool:
        """Whether a row has the cost that it accepts."""
        if self.cost is None:
            return isinstance(row, Judgement) and row.outcome in self.outcomes
        params = self.cost.params or {}
        if self.cost.hasher.casefold() != row.hasher.casefold():
            return False
        if "" in params:  # The only knob of a hasher that is not built in has no name here.
            return list(params.values()) == list(row.params.values())
        return params == row.params

    @property
    def what(self) -> str:
        """The cost, or the verdicts, in words."""
        if self.cost is None:
            return either(sorted(outcome.value for outcome in self.outcomes))
        params = self.cost.params
        setting = "" if params is None else format_setting(params)
        return f"{self.cost.hasher} {setting}".strip()


def parse_waiver(text: str, today: dt.date) -> Waiver:
    """Read ``COST VERDICT[, VERDICT] until YYYY-MM-DD: REASON``, or ``unknown until …``.

    Raises:
        UsageError: it is not a waiver; the message says what is wrong, and quotes nothing.
    """
    if len(text) > _LONGEST:
        raise UsageError(f"it has more than {_LONGEST:,} characters; shorten it")
    parts = _UNTIL.fullmatch(text.strip())
    if parts is None:
        raise UsageError(f"it has no `until YYYY-MM-DD: REASON`; write `{_EXAMPLE}`")
    what = _VERDICTS.fullmatch(parts["what"].strip())
    if what is None:
        raise UsageError(f"it names no verdict after its cost; write `{_EXAMPLE}`")
    verdicts = [word.strip() for word in what["verdicts"].split(",")]
    if not _DAY.fullmatch(parts["day"]):
        raise UsageError("its day is not a date; write YYYY-MM-DD")
    try:
        until = dt.date.fromisoformat(parts["day"])
    except ValueError as error:
        raise UsageError("its day is not in the calendar; write another") from error
    return waiver_of(what["cost"] or "", verdicts, until, parts["why"], today)


def waiver_of(
    cost: str, verdicts: Sequence[str], until: dt.date, why: str, today: dt.date
) -> Waiver:
    """Make a waiver of its parts.

    Raises:
        UsageError: a part is wrong; the message quotes nothing.
    """
    if not verdicts or any(verdict not in _WORDS for verdict in verdicts):
        raise UsageError(f"it names no verdict that can be accepted; write {either(_WORDS)}")
    outcomes = frozenset(_WORDS[verdict] for verdict in verdicts)
    if not cost and not outcomes <= COSTLESS:
        raise UsageError(f"it names no cost before {verdicts[0]}; write `{_EXAMPLE}`")
    if cost and outcomes & COSTLESS:
        examples = either(_COSTLESS_EXAMPLES)
        raise UsageError(f"an unknown cost is accepted without a cost; write {examples}")
    if until > today + FURTHEST:
        raise UsageError(
            f"its day is more than a year away; set {today + FURTHEST} or an earlier one"
        )
    reason = printable(why)
    if not reason:
        raise UsageError("it gives no reason; write one after its day")
    if len(reason) > LONGEST_REASON:
        raise UsageError(f"its reason has more than {LONGEST_REASON} characters; shorten it")
    parsed = _cost(cost) if cost else None
    return Waiver(cost=parsed, outcomes=outcomes, until=until, why=reason)


def _cost(text: str) -> Cost:
    try:
        cost = parse_cost(text)
    except UsageError as error:
        if "=" in text:
            raise UsageError("its cost is wrong; write for example bcrypt=10") from error
        # Not every algorithm that stores passwords has a cost: `plain text`.
        return Cost(hasher=printable(text))
    if cost.params is None and cost.hasher in COST_NAMES:
        raise UsageError(f"it names {cost.hasher} without a cost; write for example bcrypt=10")
    return cost


class Placed(NamedTuple):
    """A waiver with its place, and how to find what it is about.

    A comment is about findings in its own file, by ``lines``; one in the settings about those
    in files that match ``where``, or about those in no file.
    """

    waiver: Waiver
    place: Place | None
    in_source: bool
    comments: Comments | None = None
    where: str | None = None

    def is_at(self, place: Place | None, typed: Collection[str]) -> bool:
        """Whether a finding at this place is one of those that it may be about.

        ``typed`` are the paths of costs that no file of the project sets.
        """
        if not self.in_source:
            if self.where is None:
                return place is None or place.path in typed
            return place is not None and fnmatchcase(place.path, self.where)
        if place is None or self.place is None or place.path != self.place.path:
            return False
        if place.line is None or self.comments is None:
            return True  # The finding is about the whole file.
        line = self.place.line
        return line is None or self.comments.is_about(line, place.line)


class Waivers(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was read of waivers, and in which files.

    ``comments`` are those of each file, by its path in the rows; ``files`` are all that
    were read, of which ``partly`` may set other costs than were looked for. ``listed`` are those
    of the settings, with ``where`` written as paths in the rows are.
    """

    comments: Mapping[str, Comments] = {}
    files: frozenset[str] = frozenset()
    partly: frozenset[str] = frozenset()
    typed: frozenset[str] = frozenset({STANDARD_INPUT})
    """The paths of costs that no file sets: those of standard input and of the settings."""
    notices: tuple[Notice, ...] = ()
    """Why some could not be read."""
    listed: tuple[tuple[ListedWaiver, str | None], ...] = ()
    given: tuple[str, ...] = ()
    """As a caller of the API writes them, about costs in no file."""

    def placed(self, today: dt.date) -> tuple[list[Placed], list[Notice]]:
        """Read all of them; a malformed one accepts nothing and is a notice."""
        placed: list[Placed] = []
        notices = list(self.notices)
        for path, comments in self.comments.items():
            for comment in comments.waivers:
                place = Place(path=path, line=comment.line)
                try:
                    waiver = _of_comment(comment, today)
                except UsageError as error:
                    notices.append(_malformed(place, str(error)))
                    continue
                placed.append(Placed(waiver, place, in_source=True, comments=comments))
        for listed, where in self.listed:
            try:
                waiver = waiver_of(listed.cost, listed.verdict, listed.until, listed.why, today)
            except UsageError as error:
                notices.append(_malformed(listed.place, str(error)))
                continue
            placed.append(Placed(waiver, listed.place, in_source=False, where=where))
        for text in self.given:
            try:
                waiver = parse_waiver(text, today)
            except UsageError as error:
                notices.append(_malformed(None, str(error)))
                continue
            placed.append(Placed(waiver, None, in_source=False))
        return placed, notices


def _of_comment(comment: Comment, today: dt.date) -> Waiver:
    if comment.over_lines:
        raise UsageError("it is in a comment of several lines; write it in one of one line")
    return parse_waiver(comment.said, today)


class Applied(NamedTuple):
    """Findings with the waivers that hold for them, and what is wrong with the others."""

    rows: tuple[Judgement, ...]
    stale: tuple[Judgement, ...]
    notices: tuple[Notice, ...]


def applied(
    report: CheckReport, waivers: Waivers, today: dt.date, in_tests: Sequence[InTests] = ()
) -> CheckReport:
    """Mark what is accepted in a report, and add what is wrong with waivers.

    A stale one is a row that fails; one past its day, a malformed one, and one whose verdict
    has become better are notices. ``in_tests`` are costs that are set and not judged.
    """
    outcome = apply(report.results, waivers, today, in_tests)
    return replace(
        report,
        results=(*outcome.rows, *outcome.stale),
        warnings=(*report.warnings, *outcome.notices),
    )


def apply(
    rows: Sequence[Judgement], waivers: Waivers, today: dt.date, in_tests: Sequence[InTests] = ()
) -> Applied:
    """Find what is accepted among findings; see `applied`."""
    placed, notices = waivers.placed(today)
    results = list(rows)
    in_file: dict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(results):
        if row.place is not None:
            in_file[row.place.path].append(index)
    stale: list[Judgement] = []
    for every in placed:
        waiver = every.waiver
        indices: Iterable[int] = range(len(results))
        if every.in_source and every.place is not None:
            indices = in_file[every.place.path]
        here = [at for at in indices if every.is_at(results[at].place, waivers.typed)]
        about = [at for at in here if waiver.is_about(results[at])]
        if waiver.cost is None and not about:
            about = here  # The cost may have become known.
        if not about:
            tested = any(
                every.is_at(test.place, waivers.typed) and waiver.is_about(test)
                for test in in_tests
            )
            if not tested and _is_stale(every, waivers):
                stale.append(_stale(every))
            continue
        matching = [at for at in about if results[at].outcome in waiver.outcomes]
        if waiver.until < today:
            notices.append(_expired(every))
        elif all(results[at].outcome in _BETTER for at in about):
            notices.append(_better(every, results[about[0]]))
        else:
            accepted = Accepted(
                until=waiver.until, why=waiver.why, place=every.place, in_source=every.in_source
            )
            for at in matching:
                results[at] = _accepted(results[at], accepted)
    return Applied(tuple(results), tuple(stale), tuple(notices))


def _accepted(row: Judgement, accepted: Accepted) -> Judgement:
    if row.accepted is not None and row.accepted.until >= accepted.until:
        return row
    return replace(row, accepted=accepted, severity=Severity.NOTE)


def _is_stale(every: Placed, waivers: Waivers) -> bool:
    """Whether all files that it may be about were read for every cost that they set."""
    where = every.where
    if every.in_source and every.place is not None:
        return every.place.path not in waivers.partly
    if where is None:
        return False
    read = [path for path in waivers.files if fnmatchcase(path, where)]
    return bool(read) and waivers.partly.isdisjoint(read)


def _stale(every: Placed) -> Judgement:
    waiver = every.waiver
    place = every.place or Place(path="")
    message = f"the waiver of {waiver.what} accepts what is no longer set here"
    if not every.in_source:
        message = f"the waiver of {waiver.what} accepts what {every.where} no longer sets"
    named = waiver.what if waiver.cost is None else waiver.cost.hasher
    judgement = Judgement.without_cost(Outcome.STALE, named, place, message, "remove the waiver")
    params = {} if waiver.cost is None or waiver.cost.params is None else waiver.cost.params
    return replace(judgement, params=params, severity=Severity.ERROR)


def _at(place: Place | None) -> str:
    return "" if place is None else f"{place}: "


def _malformed(place: Place | None, why: str) -> Notice:
    return Notice(code="malformed-waiver", message=f"{_at(place)}it accepts nothing: {why}")


def _expired(every: Placed) -> Notice:
    waiver = every.waiver
    return Notice(
        code="expired-waiver",
        message=f"{_at(every.place)}{waiver.what} was accepted until {waiver.until}",
        advice="mend it, or decide anew and set a later day",
    )


def _better(every: Placed, row: Judgement) -> Notice:
    return Notice(
        code="unneeded-waiver",
        message=f"{_at(every.place)}{every.waiver.what} is {row.outcome.value} now",
        advice="remove the waiver",
    )
