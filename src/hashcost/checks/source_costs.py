"""The costs that source code sets, and the places where the cost is unknown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import asdict, replace

from hashcost.checks.audit import has_cost
from hashcost.checks.judgement import (
    CheckReport,
    Configured,
    CostKind,
    CostOrVerdict,
    InTests,
    Judgement,
    KeyMade,
    Outcome,
    ScanReport,
    StoredApart,
)
from hashcost.checks.judging import completed
from hashcost.checks.stored_only import cure_of_other_digest, without_library
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cost_expressions import Apart, Place
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile
from hashcost.core.text import AT_EACH_REQUEST, IF_AT_EACH_REQUEST, joined
from hashcost.core.units import format_setting
from hashcost.hashers.registry import Candidate
from hashcost.source_code.costs import SetCost, Setting
from hashcost.source_code.scan import Scanned
from hashcost.source_code.stored_hashes import StoredHash, stored_in

_EXPLAIN_IT: Final = (
    "pass the cost in use, or a hash that it made, to `calibrate explain`; a scan knows what is"
    " written at the call"
)
_USE_ANOTHER: Final = (
    "hash with argon2id, which RFC 9106 recommends; a library without it needs an update"
)
_READ_IT_YOURSELF: Final = (
    "look for costs in it yourself, then accept it, or use `calibrate scan --exclude`"
)
_HASH_SLOWLY: Final = "hash it with argon2id, and rehash each password at a login"
_STORE_SLOWLY: Final = (
    "if it is stored, store an argon2id hash, or what your policy approves, and rehash each"
    " password at a login"
)


@dataclass(frozen=True, kw_only=True)
class SourceCosts:
    """Costs, unknowns and stored hashes, and those in tests and the like, which are not judged."""

    scanned: Scanned
    rows: tuple[CostOrVerdict, ...]
    in_tests: tuple[InTests, ...]
    stored_apart: tuple[StoredApart, ...]
    keys: tuple[KeyMade, ...]

    def report(self, report: CheckReport) -> ScanReport:
        """Add to a report how much was read, and what is not judged."""
        return ScanReport(
            **asdict(report),
            files=self.scanned.files,
            parsed=self.scanned.parsed,
            in_tests=self.in_tests,
            stored_apart=self.stored_apart,
            keys=self.keys,
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
    rows: list[CostOrVerdict] = []
    in_tests = []
    for setting in scanned.costs:
        place = Place(path=shown(setting.path), line=setting.line)
        hasher, params = setting.hasher, setting.params
        # Tests are quick on purpose, and protect nobody.
        if setting.in_tests and not include_tests:
            # Tests may have settings of their own, which decide about a default.
            if setting.follows and not setting.written:
                continue
            in_tests.append(InTests(hasher=hasher, params=params, place=place, call=setting.call))
            continue
        # Old releases of some packages hash by argon2i, and programs may name any digest.
        if hasher not in COST_NAMES:
            written = format_setting(params)
            why = f"{setting.call}: its algorithm is {hasher} ({written}), which is not judged"
            cure = cure_of_other_digest(hasher, params) or _USE_ANOTHER
            judged = Judgement.without_cost(Outcome.UNKNOWN, hasher, place, why, cure)
            rows.append(replace(judged, params=params))
            continue
        cost = Configured(
            hasher=hasher,
            params=params,
            blocks=setting.blocks,
            note=setting.why,
            memory_limit=setting.memory_limit,
            named=dict(setting.named),
        )
        rows.append(replace(completed(cost, profile, pool), place=place))
    for call in scanned.unknown:
        if include_tests or not call.in_tests:
            place = Place(path=shown(call.path), line=call.line or None)
            rows.append(_without_cost(call, place))
    for digest in scanned.digests:
        place = Place(path=shown(digest.path), line=digest.line)
        why = f"{digest.call} makes a fast digest of a password ({digest.hasher})"
        rows.append(
            Judgement.without_cost(Outcome.FAST_DIGEST, digest.hasher, place, why, _STORE_SLOWLY)
        )
    stored_apart = []
    for stored in scanned.stored:
        place = Place(path=shown(stored.path), line=stored.line)
        if stored.apart is None or (include_tests and stored.apart is Apart.TESTS):
            rows.append(_stored(stored, place, profile, pool))
        else:
            stored_apart.append(_apart(stored, stored.apart, place))
    stored_apart += [_dummy(cost, shown) for cost in scanned.dummies]
    # Known and unknown costs come in the order in which one reads the files.
    rows.sort(key=_by_place)
    return SourceCosts(
        scanned=scanned,
        rows=tuple(rows),
        in_tests=tuple(in_tests),
        stored_apart=tuple(stored_apart),
        keys=tuple(_key_made(key, shown(key.path)) for key in scanned.keys),
    )


def _key_made(key: Setting, path: str) -> KeyMade:
    params: Params = {}
    if isinstance(key, SetCost):
        params = key.params
    place = Place(path=path, line=key.line)
    return KeyMade(hasher=key.hasher, params=params, place=place, call=key.call)


def stored_apart_in(text: str, path: str) -> list[StoredApart]:
    """The stored hashes in an application's file, known by ``path``, that are not judged."""
    return [
        _apart(stored, stored.apart, Place(path=path, line=stored.line))
        for stored in stored_in(text.encode(errors="replace"))
        if stored.apart is not None
    ]


def _apart(stored: StoredHash, why: Apart, place: Place) -> StoredApart:
    reading = stored.reading
    return StoredApart(
        format=reading.format,
        hasher=reading.hasher or "",
        params=reading.params,
        place=place,
        count=stored.count,
        why=why,
    )


def _dummy(cost: SetCost, shown: Callable[[Path], str]) -> StoredApart:
    """List a hash that the code makes and nobody has, which may be kept as long as it runs."""
    return StoredApart(
        format="",
        hasher=cost.hasher,
        params=cost.params,
        place=Place(path=shown(cost.path), line=cost.line),
        count=1,
        why=Apart.DUMMY,
    )


def _stored(
    stored: StoredHash, place: Place, profile: Profile | None, pool: Sequence[Candidate]
) -> CostOrVerdict:
    """A cost that stored hashes state, or the judgement of those without one."""
    reading = stored.reading
    hasher = reading.hasher or reading.format
    note = "stored hash"
    if stored.count > 1:
        note = f"{stored.count:,} stored hashes"
    if reading.format != hasher:
        note += f": {reading.format}"
    if stored.is_basic:
        note = joined(note, AT_EACH_REQUEST)
    # Servers of files and mail have such files, too.
    elif "htpasswd" in (place.path or ""):
        note = joined(note, IF_AT_EACH_REQUEST)
    if has_cost(reading):
        cost = Configured(
            hasher=hasher,
            params=reading.params,
            blocks=reading.blocks,
            note=note,
            kind=CostKind.STORED,
            is_fixed="fixed-cost" in reading.notes,
            client_side=reading.client_side,
        )
        return replace(completed(cost, profile, pool), place=place)
    return replace(without_library(reading, place, CostKind.STORED), note=note)


def _by_place(row: CostOrVerdict) -> tuple[str, int]:
    """The file and the line, by which rows are sorted."""
    if row.place is None:
        return "", 0
    return row.place.path, row.place.line or 0


def _without_cost(call: Setting, place: Place) -> Judgement:
    """Judge a call without a cost, or whose cost is not told, or a file that was not read."""
    name = call.hasher or "unknown"
    outcome = Outcome.UNKNOWN if call.unread is None else Outcome.UNREAD
    if call.is_unfit:
        why = f"{call.call} uses {name}, which protects passwords too little"
        return Judgement.without_cost(Outcome.UNSUITABLE, name, place, why, _HASH_SLOWLY)
    if call.call:
        why = f"{call.call}: {call.why}"
        return Judgement.without_cost(outcome, name, place, why, _EXPLAIN_IT)
    why = f"not read: {call.why}"
    return Judgement.without_cost(outcome, name, place, why, _READ_IT_YOURSELF)
