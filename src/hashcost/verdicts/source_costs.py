"""The costs that source code sets: which can be judged, and what is to be said of the others."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UsageError
from hashcost.source_code.scan import Scanned
from hashcost.verdicts.judgement import Configured, InTests, Judgement, Outcome

_ADVICE: Final = "write the cost at the call, or look at a hash that it made: calibrate explain"
_UNREAD: Final = "look for costs in it yourself, then skip it with --exclude"
_ILLEGAL: Final = "set a cost that the library accepts"


@dataclass(frozen=True, kw_only=True)
class SourceCosts:
    """The costs of a scan, by their places, and those in tests."""

    rows: tuple[tuple[Configured | Judgement, str], ...]
    """Each with how it was found, where that is to be said."""
    in_tests: tuple[InTests, ...]


def sort(
    scanned: Scanned,
    *,
    complete: Callable[[Configured], Configured],
    judge_illegal: Callable[[Configured], Judgement],
    shown: Callable[[Path], str],
    include_tests: bool,
) -> SourceCosts:
    """Tell the costs that can be timed from the others.

    ``complete`` gives a cost every param and raises a UsageError outside the hasher's range;
    ``judge_illegal`` judges such a cost by the policies; ``shown`` writes a path.
    """
    rows: list[tuple[Configured | Judgement, str]] = []
    in_tests: list[InTests] = []
    for setting in scanned.costs:
        place = Place(path=shown(setting.path), line=setting.line)
        hasher, params = setting.hasher, setting.params
        if setting.in_tests and not include_tests:
            test = InTests(hasher=hasher, params=params, place=place, call=setting.call)
            in_tests.append(test)
            continue
        cost = Configured(hasher=hasher, implementation=None, params=params)
        try:
            rows.append((msgspec.structs.replace(complete(cost), place=place), setting.why))
        except UsageError as error:
            judgement = judge_illegal(cost)
            if judgement.outcome is not Outcome.BELOW_FLOOR:
                judgement = msgspec.structs.replace(
                    judgement, outcome=Outcome.UNKNOWN, message=str(error), advice=_ILLEGAL
                )
            cost = msgspec.structs.replace(cost, place=place)
            rows.append((judgement.at(cost, setting.why), ""))
    for call in scanned.unknown:
        if include_tests or not call.in_tests:
            judgement = Judgement.without_cost(
                Outcome.UNKNOWN,
                call.hasher or "unknown",
                Place(path=shown(call.path), line=call.line or None),
                f"{call.call}: {call.why}" if call.call else f"not read: {call.why}",
                _ADVICE if call.call else _UNREAD,
            )
            rows.append((judgement, ""))
    return SourceCosts(
        rows=tuple(sorted(rows, key=lambda row: _place(row[0]))), in_tests=tuple(in_tests)
    )


def _place(row: Configured | Judgement) -> tuple[str, int]:
    return ("", 0) if row.place is None else (row.place.path, row.place.line or 0)
