"""From the costs in source code to a report on them: each judged as a check judges it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

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
        return tuple({_key(cost): replace(cost, place=None) for cost, _ in self.judged}.values())


def sort(
    scanned: Scanned, complete: Complete, shown: Callable[[Path], str], *, include_tests: bool
) -> Sorted:
    """Tell the costs that can be judged from the others; ``shown`` writes a path."""
    judged, outside, in_tests = [], [], []
    completed: dict[_Key, Configured | str] = {}
    for found in scanned.costs:
        place = Place(path=shown(found.path), line=found.line)
        hasher, params = found.hasher, found.params
        if found.in_tests and not include_tests:
            in_tests.append(InTests(hasher=hasher, params=params, place=place, call=found.call))
            continue
        cost = Configured(hasher=hasher, implementation=None, params=params)
        if _key(cost) not in completed:
            try:
                completed[_key(cost)] = complete(cost)
            except UsageError as error:
                completed[_key(cost)] = str(error)
        whole = completed[_key(cost)]
        if isinstance(whole, str):
            outside.append((replace(cost, place=place), found, whole))
        else:
            judged.append((replace(whole, place=place), found))
    unknown = tuple(
        Judgement.without_cost(
            Outcome.UNKNOWN,
            setting.hasher or "unknown",
            Place(path=shown(setting.path), line=setting.line or None),
            f"{setting.call}: {setting.why}" if setting.call else f"not read: {setting.why}",
            _ADVICE if setting.call else _UNREAD,
        )
        for setting in scanned.unknown
        if include_tests or not setting.in_tests
    )
    return Sorted(
        judged=tuple(judged), outside=tuple(outside), in_tests=tuple(in_tests), unknown=unknown
    )


def everywhere(
    sorted_: Sorted,
    judgements: Iterable[Judgement],
    judge_outside: Callable[[Configured], Judgement],
) -> tuple[Judgement, ...]:
    """Give the judgement of each distinct cost every place that has it, and add what has none."""
    by_cost = dict(zip(map(_key, sorted_.distinct), judgements, strict=True))
    rows = [(by_cost[_key(cost)], cost, found.why) for cost, found in sorted_.judged]
    for cost, found, why in sorted_.outside:
        judgement = judge_outside(replace(cost, place=None))
        if judgement.outcome is not Outcome.BELOW_FLOOR:
            judgement = replace(judgement, outcome=Outcome.UNKNOWN, message=why, advice=_ILLEGAL)
        rows.append((judgement, cost, found.why))
    placed = [
        replace(
            judgement,
            place=cost.place,
            message=f"{judgement.message} ({why})" if why else judgement.message,
        )
        for judgement, cost, why in rows
    ]
    return tuple(sorted((*placed, *sorted_.unknown), key=_order))


def _key(cost: Configured) -> _Key:
    return cost.hasher, tuple(cost.params.items())


def _order(row: Judgement) -> tuple[str, int]:
    return ("", 0) if row.place is None else (row.place.path, row.place.line or 0)
