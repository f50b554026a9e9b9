"""From the costs in source code to a report on them: each judged as a check judges it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UsageError
from hashcost.core.measurement import Params
from hashcost.source_code.reading import SetCost
from hashcost.source_code.scan import Scanned
from hashcost.verdicts.judgement import CheckReport, Configured, Judgement, Outcome

Complete: TypeAlias = Callable[[Configured], Configured]
"""A cost with every param; raises UsageError where it is outside the hasher's range."""

_Key: TypeAlias = tuple[str, tuple[tuple[str, int], ...]]


_ADVICE: Final = "write the cost at the call, or look at a hash that it made: calibrate explain"
_UNREAD: Final = "look for costs in it yourself, then skip it with --exclude"
_ILLEGAL: Final = "set a cost that the library accepts"


class InTests(msgspec.Struct, frozen=True, kw_only=True):
    """A cost that tests set, which is not judged."""

    hasher: str
    params: Params
    place: Place
    call: str


class ScanReport(CheckReport, frozen=True, kw_only=True):
    """What the costs in source code are worth, and which of them it does not tell."""

    files: int
    parsed: int
    """How many of them may hold a cost."""
    in_tests: tuple[InTests, ...]
    skipped: dict[str, int]
    """How many files and folders were left out, by reason."""


@dataclass(frozen=True, kw_only=True)
class Sorted:
    """The costs of a scan: those to be timed and judged, and the others.

    ``outside`` are those that no hasher accepts, with the reason; a floor can judge them.
    """

    judged: tuple[tuple[Configured, SetCost], ...]
    outside: tuple[tuple[Configured, SetCost, str], ...]
    in_tests: tuple[InTests, ...]
    unknown: tuple[Judgement, ...]
    """The calls whose cost the code does not tell."""

    @property
    def distinct(self) -> tuple[Configured, ...]:
        """Each cost once, wherever it is, so that none is timed twice."""
        return tuple({_key(cost): bare(cost) for cost, _ in self.judged}.values())


def sort(
    scanned: Scanned, complete: Complete, shown: Callable[[Path], str], *, include_tests: bool
) -> Sorted:
    """Tell the costs that can be judged from the others; ``shown`` writes a path."""
    judged, outside, in_tests = [], [], []
    known: dict[_Key, Configured | str] = {}
    for found in scanned.costs:
        place = Place(path=shown(found.path), line=found.line)
        hasher, params = found.hasher, found.params
        if found.in_tests and not include_tests:
            in_tests.append(InTests(hasher=hasher, params=params, place=place, call=found.call))
            continue
        cost = Configured(hasher=hasher, implementation=None, params=params, place=place)
        key = _key(cost)
        if key not in known:
            try:
                known[key] = complete(bare(cost))
            except UsageError as error:
                known[key] = str(error)
        whole = known[key]
        if isinstance(whole, str):
            outside.append((cost, found, whole))
        else:
            judged.append((msgspec.structs.replace(whole, place=place), found))
    return Sorted(
        judged=tuple(judged),
        outside=tuple(outside),
        in_tests=tuple(in_tests),
        unknown=tuple(
            Judgement.without_cost(
                Outcome.UNKNOWN,
                found.hasher or "unknown",
                Place(path=shown(found.path), line=found.line or None),
                f"{found.call}: {found.why}" if found.call else f"not read: {found.why}",
                _ADVICE if found.call else _UNREAD,
            )
            for found in scanned.unknown
            if include_tests or not found.in_tests
        ),
    )


def everywhere(
    sorted_: Sorted,
    judgements: Iterable[Judgement],
    judge_outside: Callable[[Configured], Judgement],
) -> tuple[Judgement, ...]:
    """The judgement of each distinct cost at every place that has it, and what has none."""
    by_cost = {
        _key(cost): judgement for cost, judgement in zip(sorted_.distinct, judgements, strict=True)
    }
    found = [_at(by_cost[_key(cost)], cost.place, each.why) for cost, each in sorted_.judged]
    found += sorted_.unknown
    for cost, each, why in sorted_.outside:
        judgement = judge_outside(bare(cost))
        if judgement.outcome is not Outcome.BELOW_FLOOR:
            judgement = msgspec.structs.replace(
                judgement, outcome=Outcome.UNKNOWN, message=why, advice=_ILLEGAL
            )
        found.append(_at(judgement, cost.place, each.why))
    return tuple(sorted(found, key=lambda row: _order(row.place)))


def bare(cost: Configured) -> Configured:
    """The cost without its place."""
    return msgspec.structs.replace(cost, place=None)


def _key(cost: Configured) -> _Key:
    return cost.hasher, tuple(cost.params.items())


def _at(judgement: Judgement, place: Place | None, why: str) -> Judgement:
    message = f"{judgement.message} ({why})" if why else judgement.message
    return msgspec.structs.replace(judgement, place=place, message=message)


def _order(place: Place | None) -> tuple[str, int]:
    return ("", 0) if place is None else (place.path, place.line or 0)
