"""The verdicts of `calibrate check` and `calibrate scan`."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from hashcost.checks.judgement import (
    FAILING,
    STANDARD_INPUT,
    TIMED,
    Accepted,
    CheckReport,
    Judgement,
    Outcome,
    ScanReport,
    setting_to_write,
)
from hashcost.core.algorithms import guess_memory
from hashcost.core.cost_expressions import Place
from hashcost.core.cpu_limit import format_wait
from hashcost.core.machine import has_notice
from hashcost.core.profile import figures_of, listed_by, short_of
from hashcost.core.severity import Severity
from hashcost.core.text import joined
from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.recommend.huge_pages import VARIABLE, depends_on
from hashcost.render.document import Column, Document, Fields, Finding, Table, own, records, table
from hashcost.render.verdicts import verdict_pages
from hashcost.render.wording import (
    accepted_until,
    counted,
    library,
    listed,
    processors,
    time_of,
    without_minimum,
)

_Rows: TypeAlias = Sequence[Judgement]

_UNJUDGED: Final = frozenset({Outcome.UNKNOWN, Outcome.UNAVAILABLE, Outcome.INCONCLUSIVE})
_PLACES: Final = frozenset({Outcome.STALE, Outcome.UNREAD, Outcome.FAST_DIGEST})
"""Verdicts on a place, not on a cost."""
_TOLD_BY_TIME: Final = frozenset({Outcome.DRIFTED, Outcome.TOO_SLOW, Outcome.OVER_BUDGET})
"""Verdicts that the time of one hash explains."""

_MISSES_TARGET: Final = TIMED | {Outcome.OVER_BUDGET}
"""Verdicts on a cost that the target does not suit."""

_FAILS: Final = ("fails", "fail")
_NOT_JUDGED: Final = ("is not judged", "are not judged")
_WARNS: Final = {
    Outcome.DRIFTED: ("has drifted", "have drifted"),
    Outcome.OVER_BUDGET: ("takes longer than the target", "take longer than the target"),
    Outcome.AT_LIMIT: ("is the most that is accepted", "are the most accepted"),
}
"""The words for a cost that does not fail, and for several."""
_NOWHERE: Final = Place(path="")
_BY_TIME: Final = TIMED | {Outcome.FINE, Outcome.OVER_BUDGET}
"""Verdicts for which a policy need not have a minimum."""
_ONE_LEFT_OUT: Final = {"links": "link", "vendored folders": "vendored folder"}
"""Reasons that are nouns, in the singular."""
_WHERE: Final = Column("where", flexible=True, below=True)
_COLUMNS: Final = (
    Column("verdict", bold=True),
    Column("hasher", stays=True),
    Column("library", flexible=True),
    Column("cost", flexible=True),
    Column("one hash", stays=True),
    Column("set instead", flexible=True),
    _WHERE,
    Column("why", below=True),
)


def check_document(report: CheckReport) -> Document:
    """A row per cost, the failing ones first, each with its cure, and the verdict on all."""
    rows = sorted(report.results, key=_rank)  # Records and JSON keep the order of the files.
    cells = []
    has_several = _has_several_libraries(rows)
    for row, remark in zip(rows, _remarks(rows, report), strict=True):
        verdict = row.outcome.value
        if row.accepted is not None:
            verdict = "accepted"  # The remark has the verdict.
        cost = format_setting(row.params)
        instead = setting_to_write(
            row.instead or {}, row.also_set, present=row.params, named=row.named
        )
        where = str(row.place or "")
        implementation = ""
        if has_several:
            implementation = row.implementation or ""
        of = (verdict, row.hasher, implementation, cost)
        cells.append((*of, _time(row), instead, where, remark))
    return Document(
        tables=(table(_COLUMNS, cells, _measured(report)),),
        answer=(_answer(report),) if rows else (),
        records=records(report.results, _fields(report.target_seconds)),
        value=report,
        findings=tuple(map(_finding, report.results)),
    )


def _has_several_libraries(rows: _Rows) -> bool:
    """Tell whether costs of one hasher were judged by different libraries."""
    of_hasher: dict[str, str] = {}
    for row in rows:
        if row.implementation is None:
            continue
        if of_hasher.setdefault(row.hasher, row.implementation) != row.implementation:
            return True
    return False


def _rank(row: Judgement) -> tuple[bool, bool, int]:
    """The worst first, then what is accepted, then what is fine."""
    # The outcomes are listed from the worst on.
    badness = list(Outcome).index(row.outcome)
    return row.outcome is Outcome.FINE, row.accepted is not None, badness


def _is_concern(row: Judgement) -> bool:
    """Whether there is something left to decide about it."""
    return row.outcome is not Outcome.FINE and row.accepted is None


def _concerns(rows: _Rows) -> list[Judgement]:
    return [row for row in rows if _is_concern(row)]


def _measured(report: CheckReport) -> str:
    """When, where and by which libraries the times were measured; empty if nothing was."""
    timed = [row for row in report.results if row.implementation_version is not None]
    if not timed:
        return ""
    # A check without a profile times the hashes itself.
    line = f"Timed on {processors(report.machine)}"
    if not report.live:
        day = report.measured.astimezone(dt.UTC)
        line = f"Measured on {day:%Y-%m-%d} on {processors(report.machine)}"
    if report.machine.cpu_limit is not None:
        line += f", limited to {report.machine.cpu_limit}"
    return f"{line}, by {listed(map(library, timed))}"


def _remarks(rows: _Rows, report: CheckReport) -> list[str]:
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
            parts = [_why(row), row.note]
            cure = row.advice
            if row.instead is not None:
                # The cost to set has a column.
                cure = joined(_beyond_target(row, report), _written_by(row))
            if cure not in said:
                parts.append(cure)
            said.add(cure)
        remarks.append(joined(*parts))
    return remarks


def _told_in_full(rows: _Rows) -> Judgement | None:
    """The only cost that there is something to say about, or without one the only stale waiver."""
    concerned = _concerns(rows)
    only = [row for row in concerned if row.outcome is not Outcome.STALE] or concerned
    if len(only) == 1:
        return only[0]
    return None


def _why(row: Judgement) -> str:
    """The reason for a verdict that the figures of its row do not give."""
    if row.outcome is Outcome.BELOW_MIN:
        is_told = row.instead is not None and not row.out_of_range
    else:
        is_told = row.outcome in _TOLD_BY_TIME and row.time_seconds is not None
    if not is_told:
        return row.message
    # Of several minimums, name those that it is below.
    short = [check for check in row.floors if check.is_short]
    if short and len(row.floors) > 1:
        return f"below {figures_of(short)}"
    return ""


def _beyond_target(row: Judgement, report: CheckReport) -> str:
    """How long the cost to set takes, if a minimum makes it miss the target."""
    seconds = row.recommended_seconds
    if row.instead is None or seconds is None:
        return ""  # Nothing is advised, or it was not timed.
    limit = report.machine.cpu_limit
    wait = seconds
    if limit is not None:
        wait = limit.waits(seconds)  # The target is what a login waits.
    if wait <= report.target_seconds * (1 + report.tolerance):
        return ""
    instead = setting_to_write(row.instead, {}, present=row.params, named=row.named)
    return f"{instead} takes {format_wait(seconds, limit)}"


def _written_by(row: Judgement) -> str:
    """Name the command that writes a setting which the file lacks."""
    if not row.written_by:
        return ""
    return f"`{row.written_by}` writes the setting"


def _answer(report: CheckReport) -> str:
    """The verdict, what to do, and what both rest on."""
    # Nobody is to take a policy that says nothing of a cost for one that it meets.
    by_time = [(row.hasher, row.floors) for row in report.results if row.outcome in _BY_TIME]
    sentences = [_verdict(report), *without_minimum(by_time)]
    timed = [row for row in report.results if row.time_seconds is not None]
    for row in timed:
        memory = guess_memory(row.hasher, row.params) or 0.0
        if depends_on(report.machine, row.implementation or "", memory):
            sentences.append(f"That holds where the service has {VARIABLE}.")
            break
    if timed and has_notice(report.warnings, "first-run"):
        sentences.append("The times are of a first run here.")
    return " ".join(sentences)


def _verdict(report: CheckReport) -> str:
    """A single finding in full, or the number of several."""
    lone = _told_in_full(report.results)
    if lone is not None:
        return _lone_finding(lone, report)
    concerned = _concerns(report.results)
    if not concerned:
        return _all_fine(report)
    # Several findings are counted; the table has each.
    costs = _costs(report)
    said: list[str] = []
    kinds = _by_words(concerned)
    if kinds:
        ((one, several), rows), *others = kinds
        first = counted(len(rows), f"of {costs} {one}", f"of {costs} {several}")
        said = [f"{first}{_held_to(rows, report)}"]
        said += [counted(len(rows), *words) for words, rows in others]
    # Only places concern.
    elif fine := _fine(report):
        said = [f"{counted(fine, 'cost is', 'costs are')} fine at {_standard(report)}"]
    unread = sum(row.outcome is Outcome.UNREAD for row in concerned)
    if unread:
        said.append(counted(unread, "place is unread", "places are unread"))
    digests = sum(row.outcome is Outcome.FAST_DIGEST for row in concerned)
    if digests:
        places = counted(digests, "place makes", "places make")
        said.append(f"{places} a fast digest of a password")
    said += _accepted(report)
    stale = _stale(concerned)
    if stale:
        said.append(stale)
    return f"{', '.join(said)}: follow the table."


def _rows_of_costs(report: CheckReport) -> _Rows:
    """Leave out verdicts on places."""
    return [row for row in report.results if row.outcome not in _PLACES]


def _fine(report: CheckReport) -> int:
    """Count the costs that are neither a concern nor accepted."""
    rows = _rows_of_costs(report)
    return len(rows) - len(_concerns(rows)) - len(_waivers(rows))


def _costs(report: CheckReport) -> str:
    return counted(len(_rows_of_costs(report)), "cost", "costs")


def _waivers(rows: _Rows) -> list[Accepted]:
    return [row.accepted for row in rows if row.accepted is not None]


def _accepted(report: CheckReport) -> list[str]:
    """How many costs and places are accepted, and until when."""
    said = []
    costs = _waivers(_rows_of_costs(report))
    if costs:
        are = counted(len(costs), "cost is", "costs are")
        said.append(f"{are} {accepted_until(costs)}")
    places = _waivers([row for row in report.results if row.outcome in _PLACES])
    if places:
        are = counted(len(places), "place is", "places are")
        said.append(f"{are} {accepted_until(places)}")
    return said


def _stale(concerned: _Rows) -> str:
    """How many waivers accept nothing; empty if none."""
    count = sum(row.outcome is Outcome.STALE for row in concerned)
    if not count:
        return ""
    return counted(count, "waiver is stale", "waivers are stale")


def _standard(report: CheckReport) -> str:
    """The target, and the policies that say something of the costs."""
    standard = [format_duration(report.target_seconds)]
    for row in report.results:
        standard += listed_by(row.floors)
    return listed(standard)


def _held_to(rows: _Rows, report: CheckReport) -> str:
    """Name what some costs miss: the target, policies or both; else what all are held to."""
    short: list[str] = []
    for row in rows:
        short += short_of(row.floors)
    if any(row.outcome in _MISSES_TARGET for row in rows):
        return f" at {listed([format_duration(report.target_seconds), *short])}"
    if short:
        return f" under {listed(short)}"
    # What is no password hash fails by itself, whatever it is held to.
    if any(row.outcome in FAILING for row in rows):
        return ""
    return f" at {_standard(report)}"


def _lone_finding(lone: Judgement, report: CheckReport) -> str:
    """The finding and its cure, and how many others are accepted or stale."""
    sentences = [f"{joined(lone.message, lone.advice)}."]
    sentences += [f"{accepted}." for accepted in _accepted(report)]
    stale = _stale(_concerns(report.results))
    if stale and lone.outcome is not Outcome.STALE:
        sentences.append(f"{stale}.")
    return " ".join(sentences)


def _all_fine(report: CheckReport) -> str:
    """That every cost is fine or accepted, and every place accepted."""
    rows = _rows_of_costs(report)
    total = len(rows)
    waived = _accepted(report)
    fine = total - len(_waivers(rows))
    if fine and waived:
        costs = _costs(report)
        are_fine = counted(fine, f"of {costs} is fine", f"of {costs} are fine")
        return f"{are_fine} at {_standard(report)}, {', '.join(waived)}."
    if waived:
        return f"{', '.join(waived)}."
    every = {1: "The cost is", 2: "Both costs are"}.get(total, f"All {total:,} costs are")
    return f"{every} fine at {_standard(report)}."


def _by_words(concerned: _Rows) -> list[tuple[tuple[str, str], _Rows]]:
    """The costs of each kind of finding, after the words for one and for several of them."""
    kinds: dict[tuple[str, str], list[Judgement]] = {}
    for row in concerned:
        if row.outcome in _PLACES:
            continue
        # The check may be told to fail for it, but nothing shows that it is weak.
        if row.outcome in _UNJUDGED:
            words = _NOT_JUDGED
        elif row.severity is Severity.ERROR:
            words = _FAILS
        else:
            words = _WARNS[row.outcome]
        kinds.setdefault(words, []).append(row)
    order = [_FAILS, _NOT_JUDGED]
    # What only warns counts where nothing is worse.
    if _FAILS not in kinds:
        order += _WARNS.values()
    return [(words, kinds[words]) for words in order if words in kinds]


def _acceptance(accepted: Accepted) -> str:
    return f"accepted until {accepted.until}: {accepted.why}"


def _time(row: Judgement) -> str:
    if row.outcome in (Outcome.STALE, Outcome.FAST_DIGEST):
        return ""  # It is not about a hash that takes time.
    return time_of(row, "not timed")


def _fields(target_seconds: float) -> Fields:
    return {
        **own("hasher", "implementation", "implementation_version", "params"),
        "path": "place.path",
        "line": "place.line",
        **own("outcome", "time_seconds"),
        "low_seconds": "interval_seconds.0",
        "high_seconds": "interval_seconds.1",
        **own("wait_seconds"),
        "target_seconds": lambda _: target_seconds,
        **own("recommended", "recommended_seconds", "also_set"),
        "short_of": lambda row: short_of(row.floors),
        **own("message", "advice"),
        "accepted_until": "accepted.until",
        "accepted_why": "accepted.why",
    }


def _finding(row: Judgement) -> Finding:
    page = verdict_pages()[row.outcome.value]
    accepted = row.accepted
    why = ""
    if accepted is not None:
        why = _acceptance(accepted)
    place = row.place
    # Standard input is no file that an annotation could point to.
    if place is None or place.path == STANDARD_INPUT:
        place = _NOWHERE
    return Finding(
        rule=row.outcome.value,
        rule_title=page.title,
        rule_help=page.text,
        rule_page=page.paragraphs,
        severity=row.severity,
        subject=f"{row.hasher} {format_setting(row.params)}".strip(),
        message="; ".join(filter(None, (why, row.message, row.note, row.advice))),
        path=place.path or None,
        line=place.line,
        seconds=row.time_seconds,
        skipped=accepted is not None or row.outcome is Outcome.INCONCLUSIVE,
        accepted=why,
        in_source=accepted is not None and accepted.in_source,
    )


def scan_document(document: Document, report: ScanReport) -> Document:
    """The document of a check with how much was read, and below it the costs in tests."""
    files = counted(report.files, "source file", "source files")
    read = f"{files} read"
    left = []
    for reason, count in report.skipped.items():
        left.append(counted(count, _ONE_LEFT_OUT.get(reason, reason), reason))
    if left:
        read += f"; left out: {', '.join(left)}"
    apart = "keys for encryption, tokens, and hashes that are only compared, are"
    if report.keys:
        apart = counted(len(report.keys), "key for encryption is", "keys for encryption are")
    # The code may hash with another library, which takes another time.
    if any(_is_of_this_python(row) for row in report.results):
        read += "; times are of this Python's libraries"
    cells = [(row.hasher, format_setting(row.params), str(row.place)) for row in report.in_tests]
    # Costs in tests are listed, so that nobody takes one for overlooked.
    columns = (Column("hasher", stays=True), Column("cost", flexible=True), _WHERE)
    in_tests = table(columns, cells, "In tests or development, not judged:")
    others = (in_tests, _stored_apart(report), _keys(report))
    if report.results:
        (judged,) = document.tables
        judged = replace(judged, title="\n".join(filter(None, (judged.title, read))))
        return replace(document, tables=(judged, *others), value=report)
    # They may have a cost, which looks to readers like that of new hashes.
    where = f"in the {files} read"
    if report.in_tests:
        where += ", except in tests or development"
    answer = f"No cost of a password hash was found {where}; {apart} not judged."
    if not report.files:
        answer = "Nothing is judged: no source file was read."
    # Only a scan has sources.
    from hashcost.source_code.unread_languages import languages_left_out

    languages = languages_left_out(report.skipped)
    if languages:
        answer += (
            f" Code in {format_list(languages)} is not read: look for costs in it yourself, and"
            " judge them with `calibrate check`."
        )
    tables = (*document.tables, *others)
    return replace(document, tables=tables, value=report, head=(read,), answer=(answer,))


def _is_of_this_python(row: Judgement) -> bool:
    """Tell whether it was timed in this Python."""
    return row.implementation_version is not None and ":" not in (row.implementation or "")


def _stored_apart(report: ScanReport) -> Table:
    """The hashes that protect nobody, in a row for each setting and reason."""
    rows = [
        ((row.hasher or row.format, format_setting(row.params), row.why.value), row.place)
        for row in report.stored_apart
        for _ in range(row.count)
    ]
    columns = (
        Column("hasher", stays=True),
        Column("cost", flexible=True),
        Column("why", stays=True),
        _WHERE,
    )
    return table(columns, _by_first_place(rows), "Hashes that nobody has, not judged:")


def _keys(report: ScanReport) -> Table:
    """The keys for encryption, in a row for each setting."""
    rows = []
    for key in report.keys:
        cost = format_setting(key.params) or "unknown"
        rows.append(((key.hasher or "unknown", cost), key.place))
    columns = (Column("hasher", stays=True), Column("cost", flexible=True), _WHERE)
    return table(columns, _by_first_place(rows), "Keys for encryption, not judged:")


def _by_first_place(rows: Iterable[tuple[tuple[str, ...], Place]]) -> list[tuple[str, ...]]:
    """Join equal rows: a project may have thousands in its tests, so the first stands for all."""
    places: dict[tuple[str, ...], list[Place]] = {}
    for cells, place in rows:
        places.setdefault(cells, []).append(place)
    joined_rows = []
    for cells, of_cells in places.items():
        where = str(of_cells[0])
        if len(of_cells) > 1:
            where += f" and {len(of_cells) - 1:,} more"
        joined_rows.append((*cells, where))
    return joined_rows
