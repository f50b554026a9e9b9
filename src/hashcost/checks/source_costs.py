"""The costs that source code sets, and the places where the cost is unknown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import asdict, replace

from hashcost.checks.judgement import (
    CheckReport,
    Configured,
    Held,
    InTests,
    Judgement,
    Outcome,
    ScanReport,
)
from hashcost.checks.judging import completed
from hashcost.core.cost_expressions import Place
from hashcost.core.profile import Profile
from hashcost.hashers.registry import Candidate
from hashcost.source_code.reading import Setting
from hashcost.source_code.scan import Scanned

_WRITE_IT_THERE: Final = (
    "write the cost at the call, or look at a hash that it made with `calibrate explain`"
)
_READ_IT_YOURSELF: Final = (
    "look for costs in it yourself, then accept it, or use `calibrate scan --exclude`"
)
_HASH_SLOWLY: Final = "hash it with argon2id or bcrypt, and rehash each password at a login"


@dataclass(frozen=True, kw_only=True)
class SourceCosts:
    """Costs and unknowns in source code, and the costs in tests, which are not judged."""

    scanned: Scanned
    rows: tuple[Held, ...]
    in_tests: tuple[InTests, ...]

    def report(self, report: CheckReport) -> ScanReport:
        """Add to a report how much was read, and what is not judged."""
        return ScanReport(
            **asdict(report),
            files=self.scanned.files,
            parsed=self.scanned.parsed,
            in_tests=self.in_tests,
            skipped=self.scanned.skipped,
        )


def costs_in_source(
    scanned: Scanned,
    profile: Profile | None,
    pool: Sequence[Candidate],
    shown: Callable[[Path], str],
    *,
    include_tests: bool,
) -> SourceCosts:
    """Complete the costs that were found.

    ``shown`` writes a path as the reader should see it.
    """
    rows: list[Held] = []
    in_tests = []
    for setting in scanned.costs:
        place = Place(path=shown(setting.path), line=setting.line)
        hasher, params = setting.hasher, setting.params
        # Tests are quick on purpose, and protect nobody.
        if setting.in_tests and not include_tests:
            in_tests.append(InTests(hasher=hasher, params=params, place=place, call=setting.call))
            continue
        cost = Configured(hasher=hasher, params=params, note=setting.why)
        rows.append(replace(completed(cost, profile, pool), place=place))
    for call in scanned.unknown:
        if include_tests or not call.in_tests:
            place = Place(path=shown(call.path), line=call.line or None)
            rows.append(_without_cost(call, place))
    for digest in scanned.digests:
        place = Place(path=shown(digest.path), line=digest.line)
        why = f"{digest.call}: it keeps a password as {digest.hasher}, a fast digest"
        rows.append(
            Judgement.without_cost(Outcome.FAST_DIGEST, digest.hasher, place, why, _HASH_SLOWLY)
        )
    # Known and unknown costs come in the order in which one reads the files.
    rows.sort(key=_by_place)
    return SourceCosts(scanned=scanned, rows=tuple(rows), in_tests=tuple(in_tests))


def _by_place(row: Held) -> tuple[str, int]:
    """The file and the line, by which rows are sorted."""
    if row.place is None:
        return "", 0
    return row.place.path, row.place.line or 0


def _without_cost(call: Setting, place: Place) -> Judgement:
    """Judge a call whose cost is not told, or a file that was not read."""
    name = call.hasher or "unknown"
    outcome = Outcome.UNKNOWN if call.unread is None else Outcome.UNREAD
    if call.call:
        why = f"{call.call}: {call.why}"
        return Judgement.without_cost(outcome, name, place, why, _WRITE_IT_THERE)
    why = f"not read: {call.why}"
    return Judgement.without_cost(outcome, name, place, why, _READ_IT_YOURSELF)
