"""Waivers: findings that a person has accepted, with a reason and a last day. Pure.

A waiver is a line of comment at the finding, or a table ``[[accept]]`` in the settings. Days are
in UTC, and today is passed in.
"""

import contextlib
import datetime as dt
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

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
from hashcost.core.measurement import Params
from hashcost.core.severity import Severity
from hashcost.core.text import either, printable
from hashcost.core.units import format_setting
from hashcost.core.waiver_comments import Comments
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
    """Verdicts that are accepted on a cost, or without a cost on an unknown one.

    One in a comment is about findings in its own file, by their lines; one in the settings about
    those in files that match ``where``, or about those in no file.
    """

    cost: Cost | None
    outcomes: frozenset[Outcome]
    until: dt.date
    """The last day on which it holds."""
    why: str
    place: Place | None = None
    """Where it is written."""
    comments: Comments | None = None
    """The comments of its file, if it is one of them."""
    where: str | None = None

    def is_about(self, hasher: str, params: Params) -> bool:
        """Whether it accepts verdicts on this cost."""
        if self.cost is None or self.cost.hasher.casefold() != hasher.casefold():
            return False
        accepted = self.cost.params or {}
        if "" in accepted:
            # The only knob of a hasher that is not built in has no name here.
            return list(accepted.values()) == list(params.values())
        return accepted == params

    @property
    def what(self) -> str:
        """The cost, or the verdicts, in words."""
        if self.cost is None:
            return either(sorted(outcome.value for outcome in self.outcomes))
        if not self.cost.params:
            return self.cost.hasher
        return f"{self.cost.hasher} {format_setting(self.cost.params)}"

    def is_at(self, place: Place | None, typed: Collection[str]) -> bool:
        """Whether a finding at this place is one of those that it may be about.

        ``typed`` are the paths of costs that no file of the project sets.
        """
        if self.comments is None or self.place is None:
            if place is None:
                return self.where is None
            if self.where is None:
                return place.path in typed
            return fnmatchcase(place.path, self.where)
        if place is None or place.path != self.place.path:
            return False
        if self.place.line is None or place.line is None:
            return True  # The finding, or the waiver, is about the whole file.
        return self.comments.is_about(self.place.line, place.line)


def parse_waiver(text: str, today: dt.date) -> Waiver:
    """Read ``COST VERDICT[, VERDICT] until YYYY-MM-DD: REASON``, or ``unknown until …``.

    Raises:
        UsageError: it is not a waiver; the message says what is wrong, and quotes nothing.
    """
    # A comment of that length is no waiver, and is not worth matching.
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
    # What is unknown today may be another cost tomorrow.
    if cost and outcomes & COSTLESS:
        examples = either(_COSTLESS_EXAMPLES)
        raise UsageError(f"an unknown cost is accepted without a cost; write {examples}")
    # A waiver without an end would never be looked at again.
    if until > today + FURTHEST:
        raise UsageError(
            f"its day is more than a year away; set {today + FURTHEST} or an earlier one"
        )
    reason = printable(why)
    if not reason:
        raise UsageError("it gives no reason; write one after its day")
    if len(reason) > LONGEST_REASON:
        raise UsageError(f"its reason has more than {LONGEST_REASON} characters; shorten it")
    accepted = None
    if cost:
        accepted = _cost(cost)
    return Waiver(cost=accepted, outcomes=outcomes, until=until, why=reason)


def _cost(text: str) -> Cost:
    """Read the cost that a waiver accepts."""
    try:
        cost = parse_cost(text)
    except UsageError as error:
        if "=" in text:
            raise UsageError("its cost is wrong; write for example bcrypt=10") from error
        # Not every algorithm that stores passwords has a cost: `plain text`.
        return Cost(hasher=printable(text))
    # It would accept any cost of the hasher, however low.
    if cost.params is None and cost.hasher in COST_NAMES:
        raise UsageError(f"it names {cost.hasher} without a cost; write for example bcrypt=10")
    return cost


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

    def read(self, today: dt.date) -> tuple[list[Waiver], list[Notice]]:
        """Read all of them; a malformed one accepts nothing and is a notice."""
        waivers = []
        notices = list(self.notices)
        for path, comments in self.comments.items():
            for comment in comments.waivers:
                place = Place(path=path, line=comment.line)
                with _noting_malformed(notices, place):
                    # Its reason could hide on a line that nobody looks at.
                    if comment.over_lines:
                        raise UsageError(
                            "it is in a comment of several lines; write it in one of one line"
                        )
                    waiver = parse_waiver(comment.said, today)
                    waivers.append(replace(waiver, place=place, comments=comments))
        for listed, where in self.listed:
            with _noting_malformed(notices, listed.place):
                waiver = waiver_of(listed.cost, listed.verdict, listed.until, listed.why, today)
                waivers.append(replace(waiver, place=listed.place, where=where))
        for text in self.given:
            with _noting_malformed(notices, None):
                waivers.append(parse_waiver(text, today))
        return waivers, notices


@contextlib.contextmanager
def _noting_malformed(notices: list[Notice], place: Place | None) -> Iterator[None]:
    """Turn a waiver that cannot be read into a notice."""
    try:
        yield
    except UsageError as error:
        message = f"{_at(place)}it accepts nothing: {error}"
        notices.append(Notice(code="malformed-waiver", message=message))


def applied(
    report: CheckReport, waivers: Waivers, today: dt.date, in_tests: Sequence[InTests] = ()
) -> CheckReport:
    """Mark what is accepted in a report, and add what is wrong with waivers.

    A stale one is a row that fails; one past its day, a malformed one, and one whose verdict
    has become better are notices. ``in_tests`` are costs that are set and not judged.
    """
    rows, stale, notices = apply(report.results, waivers, today, in_tests)
    # A stale waiver fails: what it accepted may have moved to where nobody looks.
    return replace(report, results=(*rows, *stale), warnings=(*report.warnings, *notices))


def apply(
    rows: Sequence[Judgement], waivers: Waivers, today: dt.date, in_tests: Sequence[InTests] = ()
) -> tuple[list[Judgement], list[Judgement], list[Notice]]:
    """Find what is accepted among findings.

    Returns:
        The findings, with the waivers that hold for them; stale waivers, as findings; and what is
        wrong with other waivers.
    """
    written, notices = waivers.read(today)
    results = list(rows)
    in_file = defaultdict(list)
    for index, row in enumerate(results):
        if row.place is not None:
            in_file[row.place.path].append(index)
    stale = []
    for waiver in written:
        place = waiver.place
        indices: Iterable[int] = range(len(results))
        # A comment is about findings in its own file: most need not be looked at.
        is_comment = waiver.comments is not None
        if is_comment and place is not None:
            indices = in_file[place.path]
        here = [at for at in indices if waiver.is_at(results[at].place, waivers.typed)]
        about = _about(waiver, results, here)
        if not about:
            # A cost that tests set is not judged, and its waiver may stay.
            tested = [test for test in in_tests if waiver.is_at(test.place, waivers.typed)]
            is_tested = any(waiver.is_about(test.hasher, test.params) for test in tested)
            if not is_tested and _is_stale(waiver, waivers):
                stale.append(_stale(waiver))
        elif waiver.until < today:
            notices.append(
                Notice(
                    code="expired-waiver",
                    message=f"{_at(place)}{waiver.what} was accepted until {waiver.until}",
                    advice="mend it, or decide anew and set a later day",
                )
            )
        elif all(results[at].outcome in _BETTER for at in about):
            now = results[about[0]].outcome.value
            notices.append(
                Notice(
                    code="unneeded-waiver",
                    message=f"{_at(place)}{waiver.what} is {now} now",
                    advice="remove the waiver",
                )
            )
        else:
            accepted = Accepted(
                until=waiver.until, why=waiver.why, place=place, in_source=is_comment
            )
            for at in about:
                earlier = results[at].accepted
                # Of two waivers the one that holds longer counts.
                is_longer = earlier is None or earlier.until < waiver.until
                if results[at].outcome in waiver.outcomes and is_longer:
                    results[at] = replace(results[at], accepted=accepted, severity=Severity.NOTE)
    return results, stale, notices


def _about(waiver: Waiver, rows: Sequence[Judgement], here: Sequence[int]) -> Sequence[int]:
    """The rows, of those ``here``, that a waiver is about."""
    if waiver.cost is not None:
        return [at for at in here if waiver.is_about(rows[at].hasher, rows[at].params)]
    unknown = [at for at in here if rows[at].outcome in waiver.outcomes]
    # Otherwise the cost may have become known.
    return unknown or here


def _is_stale(waiver: Waiver, waivers: Waivers) -> bool:
    """Whether all files that it may be about were read for every cost that they set."""
    if waiver.comments is not None and waiver.place is not None:
        return waiver.place.path not in waivers.partly
    if waiver.where is None:
        return False
    # Only what was read for every cost can be known to have none.
    files = [path for path in waivers.files if fnmatchcase(path, waiver.where)]
    return bool(files) and waivers.partly.isdisjoint(files)


def _stale(waiver: Waiver) -> Judgement:
    """A waiver that accepts nothing, as a finding that fails."""
    message = f"the waiver of {waiver.what} accepts what {waiver.where} no longer sets"
    if waiver.comments is not None:
        message = f"the waiver of {waiver.what} accepts what is no longer set here"
    hasher, params = waiver.what, {}
    if waiver.cost is not None:
        hasher = waiver.cost.hasher
        params = waiver.cost.params or {}
    place = waiver.place or Place(path="")
    judgement = Judgement.without_cost(Outcome.STALE, hasher, place, message, "remove the waiver")
    return replace(judgement, params=params, severity=Severity.ERROR)


def _at(place: Place | None) -> str:
    return "" if place is None else f"{place}: "
