"""The verdicts of `calibrate check` and `calibrate scan`."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from hashcost.checks.judgement import (
    STANDARD_INPUT,
    Accepted,
    CheckReport,
    Judgement,
    Outcome,
    ScanReport,
)
from hashcost.core.algorithms import guess_memory
from hashcost.core.cpu_limit import format_wait
from hashcost.core.profile import Verdict
from hashcost.core.severity import Severity
from hashcost.core.text import joined
from hashcost.core.units import format_duration, format_list, format_pairs, format_setting
from hashcost.recommend.huge_pages import VARIABLE, depends_on
from hashcost.render.document import (
    Column,
    Document,
    Fields,
    Finding,
    Suppressed,
    own,
    records,
    table,
)
from hashcost.render.verdicts import verdict_pages
from hashcost.render.wording import (
    accepted_until,
    counted,
    processors,
    with_error,
    without_minimum,
)

_UNJUDGED: Final = frozenset({Outcome.UNKNOWN, Outcome.UNAVAILABLE, Outcome.INCONCLUSIVE})
_NO_COSTS: Final = frozenset({Outcome.STALE, Outcome.UNREAD})
"""Verdicts on a place, not on a cost."""
_TOLD_BY_TIME: Final = frozenset({Outcome.DRIFTED, Outcome.TOO_SLOW, Outcome.OVER_BUDGET})
"""Verdicts that the time of one hash explains."""

_PASSING: Final = frozenset({Outcome.FINE, Outcome.OVER_BUDGET})
_ONE_LEFT_OUT: Final = {"links": "link", "vendored folders": "vendored folder"}
"""Reasons that are nouns, in the singular."""
_WHERE: Final = Column("where", flexible=True, below=True)


def check_document(report: CheckReport) -> Document:
    """A row per cost, the failing ones first, each with its cure, and the verdict on all."""
    rows = sorted(report.results, key=_rank)
    remarks = _remarks(rows, report)
    return Document(
        tables=(
            table(
                zip(rows, remarks, strict=True),
                (Column("verdict", bold=True), lambda shown: _verdict_on(shown[0])),
                (Column("hasher"), lambda shown: shown[0].hasher),
                (Column("cost", flexible=True), lambda shown: format_setting(shown[0].params)),
                (Column("one hash"), lambda shown: _time(shown[0])),
                (Column("set instead", flexible=True), lambda shown: _instead(shown[0])),
                (_WHERE, lambda shown: str(shown[0].place or "")),
                (Column("why", below=True), lambda shown: shown[1]),
                title=_measured(report),
            ),
        ),
        answer=(_answer(report),) if rows else (),
        records=records(report.results, _fields(report.target_seconds)),
        value=report,
        findings=tuple(map(_finding, report.results)),
    )


def _rank(row: Judgement) -> tuple[bool, bool, int]:
    """The worst first, then what is accepted, then what is fine."""
    return row.outcome is Outcome.FINE, row.accepted is not None, list(Outcome).index(row.outcome)


def _verdict_on(row: Judgement) -> str:
    return row.outcome.value if row.accepted is None else "accepted"


def _is_concern(row: Judgement) -> bool:
    """Whether there is something left to decide about it."""
    return row.outcome is not Outcome.FINE and row.accepted is None


def _measured(report: CheckReport) -> str:
    """When, where and by which libraries the times were measured."""
    machine = report.machine
    limit = f", limited to {machine.cpu_limit}" if machine.cpu_limit is not None else ""
    how = "Timed"
    if not report.live:
        how = f"Measured on {report.measured.astimezone(dt.UTC):%Y-%m-%d}"
    libraries = dict.fromkeys(
        f"{row.implementation} {row.implementation_version}"
        for row in report.results
        if row.implementation_version is not None
    )
    by = f", by {format_list([*libraries])}" if libraries else ""
    return f"{how} on {processors(machine)}{limit}{by}"


def _remarks(rows: Sequence[Judgement], report: CheckReport) -> list[str]:
    """For each row, what its other cells do not say; of a cure that several share, only once."""
    # The last line says why, and what to do, if it is about one row.
    in_the_answer = _told_in_full(rows)
    said: set[str] = set()
    remarks = []
    for row in rows:
        parts = [row.note]
        if row.accepted is not None:
            parts = [f"{row.outcome.value}, {_acceptance(row.accepted)}", row.note]
        elif row is not in_the_answer and _is_concern(row):
            cure = row.advice if row.instead is None else _beyond_target(row, report)
            parts = [_why(row), row.note]
            if cure not in said:
                parts.append(cure)
            said.add(cure)
        remarks.append(joined(*parts))
    return remarks


def _told_in_full(rows: Sequence[Judgement]) -> Judgement | None:
    """The only cost that there is something to say about, or without one the only stale waiver."""
    concerned = [row for row in rows if _is_concern(row)]
    costs = [row for row in concerned if row.outcome is not Outcome.STALE]
    only = costs or concerned
    return only[0] if len(only) == 1 else None


def _why(row: Judgement) -> str:
    """The reason for a verdict that the figures of its row do not give."""
    is_told = row.outcome in _TOLD_BY_TIME and row.time_seconds is not None
    if row.outcome is Outcome.BELOW_MIN:
        is_told = row.instead is not None and not row.out_of_range
    if not is_told:
        return row.message
    short = [check.policy for check in row.floors if check.is_short]
    is_one_of_several = short and len(row.floors) > 1
    return f"below the minimum of {format_list(short)}" if is_one_of_several else ""


def _beyond_target(row: Judgement, report: CheckReport) -> str:
    """How long the cost to set takes, if a minimum makes it miss the target."""
    seconds, limit = row.recommended_seconds, report.machine.cpu_limit
    if row.instead is None or seconds is None:
        return ""  # Nothing is advised, or it was not timed.
    wait = limit.waits(seconds) if limit is not None else seconds
    if wait <= report.target_seconds * (1 + report.tolerance):
        return ""
    return f"{format_setting(row.instead)} takes {format_wait(seconds, limit)}"


def _answer(report: CheckReport) -> str:
    """The verdict, what to do, and what both rest on."""
    passing = [row for row in report.results if row.outcome in _PASSING]
    sentences = [_verdict(report), *without_minimum((row.hasher, row.floors) for row in passing)]
    if any(_takes_huge_pages(report, row) for row in report.results):
        sentences.append(f"That holds where the service has {VARIABLE}.")
    is_timed = any(row.time_seconds is not None for row in report.results)
    if is_timed and any(notice.code == "first-run" for notice in report.warnings):
        sentences.append("The times are of a first run here.")
    return " ".join(sentences)


def _verdict(report: CheckReport) -> str:
    """A single finding in full, or the number of several."""
    concerned = [row for row in report.results if _is_concern(row)]
    accepted = [row.accepted for row in report.results if row.accepted is not None]
    total = sum(row.outcome not in _NO_COSTS for row in report.results)
    costs = counted(total, "cost", "costs")
    until = accepted_until(accepted)
    stale = sum(row.outcome is Outcome.STALE for row in concerned)
    stale_waivers = counted(stale, "waiver is stale", "waivers are stale")
    lone = _told_in_full(report.results)
    if lone is not None:
        sentences = [f"{joined(lone.message, lone.advice)}."]
        if accepted:
            verb = "is" if len(accepted) == 1 else "are"
            sentences.append(f"{len(accepted):,} of {costs} {verb} {until}.")
        if stale and lone.outcome is not Outcome.STALE:
            sentences.append(f"{stale_waivers}.")
        return " ".join(sentences)
    checks = [check for row in report.results for check in row.floors]
    policies = dict.fromkeys(c.policy for c in checks if c.verdict is not Verdict.NOT_NAMED)
    standard = format_list([format_duration(report.target_seconds), *policies])
    if not concerned:
        every = {1: "The cost is", 2: "Both costs are"}.get(total, f"All {total:,} costs are")
        fine = total - len(accepted)
        if not accepted:
            return f"{every} fine at {standard}."
        if not fine:
            return f"{every} {until}."
        are_fine = counted(fine, f"of {costs} is fine", f"of {costs} are fine")
        return f"{are_fine} at {standard}, {len(accepted):,} {until}."
    said: list[str] = []
    for count, one, several in _counts(concerned) if total else ():
        if said:
            said.append(counted(count, one, several))
        else:
            said.append(
                f"{counted(count, f'of {costs} {one}', f'of {costs} {several}')} at {standard}"
            )
    unread = sum(row.outcome is Outcome.UNREAD for row in concerned)
    if unread:
        said.append(counted(unread, "place is unread", "places are unread"))
    if accepted:
        said.append(f"{len(accepted):,} {until}")
    if stale:
        said.append(stale_waivers)
    return f"{', '.join(said)}: follow the table."


def _counts(concerned: Sequence[Judgement]) -> list[tuple[int, str, str]]:
    """How many costs there are of each kind of finding, with the words for one and several."""
    costs = [row for row in concerned if row.outcome not in _NO_COSTS]
    unjudged = [row for row in costs if _is_unjudged(row)]
    slow = [row for row in costs if row.outcome is Outcome.OVER_BUDGET]
    drifted = [
        row
        for row in costs
        if row.outcome is Outcome.DRIFTED and row.severity is not Severity.ERROR
    ]
    limited = [row for row in costs if row.outcome is Outcome.AT_LIMIT]
    failing = len(costs) - sum(map(len, (unjudged, slow, drifted, limited)))
    counts = [(failing, "fails", "fail"), (len(unjudged), "is not judged", "are not judged")]
    if not failing:
        # What only warns counts where nothing is worse.
        counts.append((len(drifted), "has drifted", "have drifted"))
        counts.append((len(slow), "takes longer than the target", "take longer than the target"))
        counts.append((len(limited), "is the most that is accepted", "are the most accepted"))
    return [count for count in counts if count[0]] or [(0, "fails", "fail")]


def _acceptance(accepted: Accepted) -> str:
    return f"accepted until {accepted.until}: {accepted.why}"


def _is_unjudged(row: Judgement) -> bool:
    """Whether it could not be judged, and does not fail the check as if it were weak."""
    fails = row.severity is Severity.ERROR and row.outcome is not Outcome.UNAVAILABLE
    return row.outcome in _UNJUDGED and not fails


def _takes_huge_pages(report: CheckReport, row: Judgement) -> bool:
    memory = guess_memory(row.hasher, row.params) or 0.0
    return row.time_seconds is not None and depends_on(
        report.machine, row.implementation or "", memory
    )


def _instead(row: Judgement) -> str:
    return "" if row.instead is None else format_setting(row.instead)


def _time(row: Judgement) -> str:
    if row.outcome is Outcome.STALE:
        return ""  # It is about a waiver, not about a hash.
    if row.time_seconds is None:
        return "not timed"
    return with_error(row.time_seconds, row.interval_seconds, row.wait_seconds)


def _fields(target_seconds: float) -> Fields[Judgement]:
    return {
        **own("hasher", "implementation", "implementation_version"),
        "params": lambda row: format_pairs(row.params),
        "path": lambda row: row.place.path if row.place else None,
        "line": lambda row: row.place.line if row.place else None,
        "outcome": lambda row: row.outcome.value,
        **own("time_seconds"),
        "low_seconds": lambda row: row.interval_seconds[0] if row.interval_seconds else None,
        "high_seconds": lambda row: row.interval_seconds[1] if row.interval_seconds else None,
        **own("wait_seconds"),
        "target_seconds": lambda _: target_seconds,
        "recommended": lambda row: format_pairs(row.recommended) if row.recommended else None,
        **own("recommended_seconds"),
        "short_of": lambda row: " ".join(f.policy for f in row.floors if f.met is False),
        **own("message", "advice"),
        "accepted_until": lambda row: str(row.accepted.until) if row.accepted else None,
        "accepted_why": lambda row: row.accepted.why if row.accepted else None,
    }


def _sentence(row: Judgement) -> str:
    """Why, how the cost was found, and what to do, after a waiver that holds."""
    accepted = "" if row.accepted is None else _acceptance(row.accepted)
    return "; ".join(filter(None, (accepted, row.message, row.note, row.advice)))


def _finding(row: Judgement) -> Finding:
    place = row.place if row.place and row.place.path != STANDARD_INPUT else None
    suppressed = None
    if row.accepted is not None:
        suppressed = Suppressed(why=_acceptance(row.accepted), in_source=row.accepted.in_source)
    page = verdict_pages()[row.outcome.value]
    return Finding(
        rule=row.outcome.value,
        rule_title=page.title,
        rule_help=page.text,
        rule_page=page.paragraphs,
        severity=row.severity,
        subject=f"{row.hasher} {format_setting(row.params)}".strip(),
        message=_sentence(row),
        path=place.path if place else None,
        line=place.line if place else None,
        seconds=row.time_seconds,
        skipped=row.outcome is Outcome.INCONCLUSIVE or row.accepted is not None,
        suppressed=suppressed,
    )


def scan_document(document: Document, report: ScanReport) -> Document:
    """The document of a check with how much was read, and below it the costs in tests."""
    left = [
        counted(count, _ONE_LEFT_OUT.get(reason, reason), reason)
        for reason, count in report.skipped.items()
    ]
    files = counted(report.files, "source file", "source files")
    read = f"{files} read"
    if left:
        read += f"; left out: {', '.join(left)}"
    in_tests = table(
        report.in_tests,
        (Column("hasher"), lambda row: row.hasher),
        (Column("cost", flexible=True), lambda row: format_setting(row.params)),
        (_WHERE, lambda row: str(row.place)),
        title="In tests, not judged:",
    )
    scanned = replace(document, tables=(*document.tables, in_tests), value=report)
    if report.results:
        judged, *others = scanned.tables
        judged = replace(judged, title=f"{judged.title}\n{read}")
        return replace(scanned, tables=(judged, *others))
    answer = f"No cost is set in the {files} read."
    if not report.files:
        answer = "Nothing is judged: no source file was read."
    return replace(scanned, head=(read,), answer=(answer,))
