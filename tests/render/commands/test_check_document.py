"""What is shown of a check, before any format."""

from typing import Final

import msgspec
import pytest
from msgspec.structs import replace

from checks import FORTY, MADE_UP, configured
from corpora import table
from hashcost.core.cost_expressions import Place
from hashcost.core.machine import Tool
from hashcost.core.severity import Severity
from hashcost.render import render
from hashcost.render.commands.check import check_document
from hashcost.render.document import Document, Finding
from hashcost.verdicts.check import check_all
from hashcost.verdicts.judgement import (
    REPORT_SCHEMA_VERSION,
    STANDARD_INPUT,
    CheckReport,
    Outcome,
    Standard,
)
from hashcost.worth.policies.catalogue import load_policy
from snapshots import Snapshot

PLACE: Final = Place(path="hashcost.toml", line=3)
STRICT: Final = Standard(
    target_seconds=0.04, policies=(load_policy("owasp"),), longest_seconds=0.1
)


def report(*costs: str, standard: Standard = FORTY, place: Place | None = None) -> CheckReport:
    """What one check by the made-up profile finds."""
    return CheckReport(
        schema=REPORT_SCHEMA_VERSION,
        tool=Tool(name="hashcost", version="0.1.0"),
        live=False,
        measured=MADE_UP.created,
        machine=MADE_UP.machine,
        target_seconds=standard.target_seconds,
        tolerance=standard.tolerance,
        longest_seconds=standard.longest_seconds,
        results=check_all([configured(cost, place=place) for cost in costs], MADE_UP, standard),
    )


def document(found: CheckReport, on_inconclusive: str | None = None) -> Document:
    """The document of a report."""
    standard = Standard(target_seconds=1, on_inconclusive=on_inconclusive)
    rows = (replace(row, severity=standard.severity_of(row.outcome)) for row in found.results)
    return check_document(replace(found, results=tuple(rows)))


def finding(cost: str, standard: Standard = FORTY, place: Place | None = PLACE) -> Finding:
    """The finding of one cost."""
    (found,) = document(report(cost, standard=standard, place=place)).findings
    return found


def test_csv(snapshot: Snapshot) -> None:
    """A record has its figures in seconds, the policies it falls short of and its place."""
    snapshot(render(document(report("bcrypt=9", standard=STRICT, place=PLACE)), "csv"))


def test_findings(snapshot: Snapshot) -> None:
    """What fails the check is an error, what costs only time a warning, the rest has passed."""
    typed = [(cost, FORTY) for cost in ("bcrypt=8", "bcrypt=9", "bcrypt=10", "yescrypt=5")]
    typed += [(cost, STRICT) for cost in ("bcrypt=9", "bcrypt=11")]
    findings = [finding(cost, standard) for cost, standard in typed]

    snapshot(msgspec.json.format(msgspec.json.encode(findings)).decode() + "\n")


@pytest.mark.parametrize(
    ("wish", "severity"),
    [("pass", Severity.NOTE), (None, Severity.WARNING), ("fail", Severity.ERROR)],
)
def test_what_nobody_can_tell(wish: str | None, severity: Severity) -> None:
    """An inconclusive cost matters as much as the check was told, and counts as skipped."""
    found = report("bcrypt=9")
    unsure = _with(found, outcome=Outcome.INCONCLUSIVE)
    (finding_,) = document(unsure, wish).findings

    assert (severity, True) == (finding_.severity, finding_.skipped)
    assert not document(found).findings[0].skipped


def test_standard_input_is_no_file() -> None:
    """A cost that was read from standard input is annotated nowhere."""
    found = finding("bcrypt=8", place=Place(path=STANDARD_INPUT, line=2))

    assert (None, None) == (found.path, found.line)


def test_every_outcome_has_words() -> None:
    """No outcome lacks a title or a help of its own."""
    findings = [
        document(_with(report("bcrypt=9"), outcome=outcome)).findings[0] for outcome in Outcome
    ]

    assert len(Outcome) == len({(row.rule_title, row.rule_help) for row in findings})


def test_head_of_a_live_check() -> None:
    """A check that timed its costs says so, in place of the profile's day."""
    live = replace(report("bcrypt=9"), live=True)

    assert document(live).head[0] == "1 cost checked against 40.0 ms, none failing"
    assert document(live).head[1].startswith("timed on 2 × AMD EPYC")


def _with(found: CheckReport, *, outcome: Outcome) -> CheckReport:
    results = tuple(replace(row, outcome=outcome) for row in found.results)
    return replace(found, results=results)


@table("costs, last")
def test_the_last_line_is_in_proportion(costs: tuple[str, ...], last: str) -> None:
    """A cost over budget is never called fine; what fails comes first."""
    (answer,) = document(report(*costs)).answer
    assert answer.startswith(last)
    assert ("fine" in answer) is last.endswith("fine.")
