"""The verdicts of `calibrate check` and `calibrate scan`."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from hashcost.core.algorithms import guess_memory
from hashcost.core.units import format_duration, format_list, format_pairs, format_setting
from hashcost.recommend.huge_pages import VARIABLE, depends_on
from hashcost.render.document import (
    Column,
    Document,
    Fields,
    Finding,
    Severity,
    own,
    records,
    table,
)
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
"""Where another cost is better for certain."""

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


def severity_of(row: Judgement, on_inconclusive: str | None, on_unknown: str) -> Severity:
    """How much a judgement matters, by what a project says of those that cannot tell."""
    unsure = {"pass": Severity.NOTE, "fail": Severity.ERROR}
    severities = {
        Outcome.UNKNOWN: unsure[on_unknown],
        Outcome.INCONCLUSIVE: unsure.get(on_inconclusive or "", Severity.WARNING),
        Outcome.OVER_BUDGET: Severity.WARNING,
        Outcome.FINE: Severity.PASSED,
    }
    return severities.get(row.outcome, Severity.ERROR)


def check_document(report: CheckReport, severities: Sequence[Severity]) -> Document:
    """A row per cost, the failing ones first, with what to do below.

    ``severities`` are those of the report's results, in their order.
    """
    order = list(Outcome)
    rows = sorted(report.results, key=lambda row: order.index(row.outcome))
    fields = _fields(report.target_seconds)
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
        fields=tuple(fields),
        records=records(report.results, fields),
        value=report,
        findings=tuple(map(_finding, report.results, severities)),
    )


def _counts(report: CheckReport) -> tuple[int, int]:
    """The number of costs that fail, and of those that could not be judged."""
    outcomes = [row.outcome for row in report.results]
    return sum(o in FAILING for o in outcomes), sum(o in _UNJUDGED for o in outcomes)


def _head(report: CheckReport) -> tuple[str, ...]:
    target = format_duration(report.target_seconds)
    day = f"{report.measured.astimezone(dt.UTC):%Y-%m-%d}"
    how = "timed on" if report.live else f"measured on {day} on"
    costs = counted(len(report.results), "cost", "costs")
    failing, unjudged = _counts(report)
    verdict = f"{failing or 'none'} failing{f', {unjudged} not judged' if unjudged else ''}"
    return f"{costs} checked against {target}, {verdict}", f"{how} {machine_line(report.machine)}"


def _answer(report: CheckReport) -> tuple[str, ...]:
    failing, unjudged = _counts(report)
    sentences = []
    if failing:
        better = dict.fromkeys(
            f"{row.hasher} {setting}"
            for row in report.results
            if row.outcome in FAILING and (setting := _instead(row))
        )
        use = f": set {format_list([*better])}" if better else ""
        sentences.append(f"{counted(failing, 'cost fails', 'costs fail')}{use}.")
    if unjudged:
        sentences.append(f"{counted(unjudged, 'cost was', 'costs were')} not judged.")
    over = [row for row in report.results if row.outcome is Outcome.OVER_BUDGET]
    target = format_duration(report.target_seconds)
    if len(over) == 1 and over[0].time_seconds is not None:
        takes = format_duration(over[0].time_seconds)
        lower = "lower it or " if _instead(over[0]) else ""
        cost = f"{over[0].hasher} {format_setting(over[0].params)}"
        sentences.append(f"{cost} takes {takes}; the target is {target}: {lower}raise the target.")
    elif over:
        sentences.append(
            f"{len(over):,} costs take longer than the target of {target}: lower them or raise it."
        )
    if report.results and not sentences:
        fine = len(report.results)
        sentences.append("The cost is fine." if fine == 1 else f"All {fine:,} costs are fine.")
    if any(_takes_huge_pages(report, row) for row in report.results):
        sentences.append(f"That holds where the service has {VARIABLE}.")
    return (" ".join(sentences),) if sentences else ()


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
    time = with_error(row.time_seconds, row.interval_seconds)
    return f"{format_duration(row.wait_seconds)}; {time} of CPU" if row.wait_seconds else time


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


def _finding(row: Judgement, severity: Severity) -> Finding:
    place = row.place if row.place and row.place.path != STANDARD_INPUT else None
    return Finding(
        rule=row.outcome.value,
        rule_title=_TITLES[row.outcome],
        rule_help=_HELP[row.outcome],
        severity=severity,
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
    left = ", ".join(f"{count:,} {reason}" for reason, count in report.skipped.items())
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
            *(document.head if report.results else ("no cost found",)),
            f"{files} read{f'; left out: {left}' if left else ''}",
        ),
        tables=(*document.tables, in_tests),
        notes=tuple(dict.fromkeys(document.notes)),
        value=report,
    )
