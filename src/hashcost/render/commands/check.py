"""The verdicts of `calibrate check` and `calibrate scan`."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from hashcost.core.algorithms import guess_memory
from hashcost.core.units import format_duration, format_list, format_pairs, format_setting
from hashcost.recommend.huge_pages import VARIABLE, depends_on
from hashcost.render.document import Column, Document, Fields, Finding, own, records, table
from hashcost.render.wording import counted, machine_line, with_error
from hashcost.verdicts.judgement import (
    FAILING,
    STANDARD_INPUT,
    CheckReport,
    Judgement,
    Outcome,
    ScanReport,
)

_UNJUDGED: Final = frozenset({Outcome.UNKNOWN, Outcome.UNAVAILABLE, Outcome.INCONCLUSIVE})
_IMPROVED: Final = FAILING | {Outcome.OVER_BUDGET}
"""Verdicts for which another cost is certainly better."""

_WHERE: Final = Column("where", flexible=True, below=True)

_TITLES: Final = {
    Outcome.UNSUITABLE: "Passwords are not stored by a password hash",
    Outcome.UNKNOWN: "How passwords are hashed is unknown",
    Outcome.BELOW_FLOOR: "A password-hash cost is below a policy's minimum",
    Outcome.DRIFTED: "A password-hash cost has fallen behind its target",
    Outcome.TOO_SLOW: "A password hash takes longer than allowed",
    Outcome.UNAVAILABLE: "A password hash could not be timed",
    Outcome.INCONCLUSIVE: "A password-hash cost could not be judged",
    Outcome.OVER_BUDGET: "A password hash takes longer than its target",
    Outcome.FINE: "A password-hash cost matches its target",
}
_CLOSINGS: Final = {
    Outcome.UNSUITABLE: (
        "{cost} is not a password hash",
        "places use an algorithm that is not a password hash",
    ),
    Outcome.BELOW_FLOOR: ("{cost} is below the minimum", "costs are below the minimum"),
    Outcome.DRIFTED: (
        "{cost} has drifted, a higher cost fits {target}",
        "costs have drifted, higher ones fit {target}",
    ),
    Outcome.TOO_SLOW: ("{cost} takes more than {most}", "costs take more than {most}"),
    Outcome.UNKNOWN: ("1 cost is unknown", "costs are unknown"),
    Outcome.UNAVAILABLE: ("{cost} was not timed", "costs were not timed"),
    Outcome.INCONCLUSIVE: ("{cost} is inconclusive", "costs are inconclusive"),
    Outcome.OVER_BUDGET: (
        "{cost} takes {takes}; the target is {target}",
        "costs take longer than the target of {target}",
    ),
}
"""The end of a check on one cost with an outcome, and on several."""
_REHASH: Final = "Set the advised cost, and rehash each password when its user logs in."
_HELP: Final = {
    Outcome.UNSUITABLE: "Choose a password hash. Whoever has the stored passwords tries billions"
    " a second.",
    Outcome.UNKNOWN: "The file does not say how passwords are hashed, or at which cost."
    " Check the file that does, or a hash that was made; `on-unknown` in hashcost.toml lets it"
    " pass.",
    Outcome.BELOW_FLOOR: f"A policy asks for more than this cost. {_REHASH}",
    Outcome.DRIFTED: f"Hashes have become quicker: a higher cost fits the target. {_REHASH}",
    Outcome.TOO_SLOW: "Lower the cost, as far as the minimums allow, or raise --max.",
    Outcome.UNAVAILABLE: "Name a hasher that is in the profile and runs here, or measure again.",
    Outcome.INCONCLUSIVE: "Too few hashes were timed, or with too much noise. Measure again as"
    " advised, best into a profile on the machine that makes the hashes.",
    Outcome.OVER_BUDGET: "Lower the cost, as far as the minimums allow, or raise the target.",
    Outcome.FINE: "Nothing to do.",
}


def check_document(report: CheckReport) -> Document:
    """A row per cost, the failing ones first, with what to do below."""
    order = list(Outcome)
    rows = sorted(report.results, key=lambda row: order.index(row.outcome))
    return Document(
        head=_head(report),
        tables=(
            table(
                rows,
                (Column("verdict", bold=True), lambda row: row.outcome.word),
                (Column("hasher"), lambda row: row.hasher),
                (Column("cost", flexible=True), lambda row: format_setting(row.params)),
                (Column("one hash"), _time),
                (Column("set instead", flexible=True), _instead),
                (_WHERE, lambda row: str(row.place or "")),
            ),
        ),
        notes=tuple(
            f"{_sentence(row)}."
            for row in rows
            if row.outcome is not Outcome.FINE or row.note or row.time_seconds is None
        ),
        answer=_answer(report),
        records=records(report.results, _fields(report.target_seconds)),
        value=report,
        findings=tuple(map(_finding, report.results)),
    )


def _head(report: CheckReport) -> tuple[str, ...]:
    target = format_duration(report.target_seconds)
    day = f"{report.measured.astimezone(dt.UTC):%Y-%m-%d}"
    how = "timed on" if report.live else f"measured on {day} on"
    costs = counted(len(report.results), "cost", "costs")
    outcomes = [row.outcome for row in report.results]
    failing, unjudged = sum(o in FAILING for o in outcomes), sum(o in _UNJUDGED for o in outcomes)
    verdict = f"{failing or 'none'} failing{f', {unjudged} not judged' if unjudged else ''}"
    return f"{costs} checked against {target}, {verdict}", f"{how} {machine_line(report.machine)}"


def _answer(report: CheckReport) -> tuple[str, ...]:
    """A sentence on each kind of verdict, the worst first, and what they rest on."""
    by_outcome: dict[Outcome, list[Judgement]] = {outcome: [] for outcome in Outcome}
    for row in report.results:
        by_outcome[row.outcome].append(row)
    fine = len(by_outcome.pop(Outcome.FINE))
    sentences = [_closing(outcome, rows, report) for outcome, rows in by_outcome.items() if rows]
    if fine and not sentences:
        every = {1: "The cost is", 2: "Both costs are"}
        sentences.append(f"{every.get(fine, f'All {fine:,} costs are')} fine.")
    if any(_takes_huge_pages(report, row) for row in report.results):
        sentences.append(f"That holds where the service has {VARIABLE}.")
    is_timed = any(row.time_seconds is not None for row in report.results)
    if is_timed and any(notice.code == "first-run" for notice in report.warnings):
        sentences.append("The times are of a first run here.")
    return (" ".join(sentences),) if sentences else ()


def _closing(outcome: Outcome, rows: Sequence[Judgement], report: CheckReport) -> str:
    target = format_duration(report.target_seconds)
    one, several = _CLOSINGS[outcome]
    words = {"target": target, "most": format_duration(report.longest_seconds or 0.0)}
    if len(rows) == 1:
        (row,) = rows
        cost = f"{row.hasher} {format_setting(row.params)}".strip()
        advice = row.advice
        if outcome is Outcome.OVER_BUDGET:
            advice = f"{'lower it or ' if _instead(row) else ''}raise the target"
        return f"{one.format(cost=cost, takes=_time(row), **words)}: {advice}."
    better = dict.fromkeys(f"{row.hasher} {_instead(row)}" for row in rows if _instead(row))
    advice = f": set {format_list([*better])}" if better else ""
    if outcome is Outcome.OVER_BUDGET:
        advice = ": lower them or raise it"
    return f"{len(rows):,} {several.format(**words)}{advice}."


def _takes_huge_pages(report: CheckReport, row: Judgement) -> bool:
    memory = guess_memory(row.hasher, row.params) or 0.0
    return row.time_seconds is not None and depends_on(
        report.machine, row.implementation or "", memory
    )


def _instead(row: Judgement) -> str:
    better = row.recommended
    if better is None or better == row.params or row.outcome not in _IMPROVED:
        return ""
    return format_setting(better)


def _time(row: Judgement) -> str:
    if row.time_seconds is None:
        return "not timed"
    return with_error(row.time_seconds, row.interval_seconds, row.wait_seconds)


def _fields(target_seconds: float) -> Fields[Judgement]:
    return {
        **own("hasher", "implementation"),
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
    }


def _sentence(row: Judgement) -> str:
    """Why, how the cost was found, and what to do."""
    return "; ".join(filter(None, (row.message, row.note, row.advice)))


def _finding(row: Judgement) -> Finding:
    place = row.place if row.place and row.place.path != STANDARD_INPUT else None
    return Finding(
        rule=row.outcome.value,
        rule_title=_TITLES[row.outcome],
        rule_help=_HELP[row.outcome],
        severity=row.severity,
        subject=f"{row.hasher} {format_setting(row.params)}".strip(),
        message=_sentence(row),
        path=place.path if place else None,
        line=place.line if place else None,
        seconds=row.time_seconds,
        skipped=row.outcome is Outcome.INCONCLUSIVE,
    )


def scan_document(document: Document, report: ScanReport) -> Document:
    """The document of a check with how much was read, and below it the costs in tests."""
    files = counted(report.files, "source file", "source files")
    left = ", ".join(
        counted(count, reason.removesuffix("s"), reason)
        for reason, count in report.skipped.items()
    )
    in_tests = table(
        report.in_tests,
        (Column("hasher"), lambda row: row.hasher),
        (Column("cost", flexible=True), lambda row: format_setting(row.params)),
        (_WHERE, lambda row: str(row.place)),
        title="In tests, not judged:",
    )
    return replace(
        document,
        head=(
            *(document.head if report.results else ()),
            f"{files} read{f'; left out: {left}' if left else ''}",
        ),
        tables=(*document.tables, in_tests),
        notes=tuple(dict.fromkeys(document.notes)),
        answer=document.answer or (f"No cost is set in the {files} read.",),
        value=report,
    )
