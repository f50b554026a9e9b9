"""What is shown of a check, before any format."""

from typing import Final

import msgspec
import pytest
from msgspec.structs import replace

from checks import FORTY, MADE_UP, configured
from corpora import table
from hashcost.checks.check import check_one
from hashcost.checks.judgement import (
    REPORT_SCHEMA_VERSION,
    STANDARD_INPUT,
    CheckReport,
    Judgement,
    Outcome,
    Standard,
)
from hashcost.checks.judging import check
from hashcost.core.cost_expressions import Place
from hashcost.core.machine import Tool
from hashcost.core.severity import Severity
from hashcost.render import render
from hashcost.render.commands.check import check_document
from hashcost.render.document import Document, Finding
from hashcost.strength.policies.catalogue import load_policy
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
        results=tuple(
            check_one(configured(cost, place=place), MADE_UP, standard) for cost in costs
        ),
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


def test_a_live_check_says_so() -> None:
    """A check that timed its costs says so, in place of the profile's day."""
    live = replace(report("bcrypt=9"), live=True)

    assert document(live).tables[0].title.startswith("Timed on 2 × AMD EPYC")


@table("costs, last")
def test_the_last_line_is_in_proportion(costs: tuple[str, ...], last: str) -> None:
    """One finding is told whole, several are counted, and what passes is not mentioned."""
    assert (last,) == document(report(*costs)).answer


@table("costs, last")
def test_the_last_line_names_only_what_is_missed(costs: tuple[str, ...], last: str) -> None:
    """A cost that meets the policy fails by its time alone, and a weak one by the policy alone."""
    (told,) = document(report(*costs, standard=STRICT)).answer
    assert told.startswith(last)


def stale() -> Judgement:
    """The verdict on a waiver that accepts nothing."""
    return Judgement.without_cost(
        Outcome.STALE, "bcrypt", PLACE, "the waiver accepts nothing", "remove the waiver"
    )


@pytest.mark.parametrize(
    ("costs", "begins", "ends"),
    [
        (("bcrypt=8",), "bcrypt cost=8 ", "1 waiver is stale."),
        ((), "the waiver accepts nothing; ", "remove the waiver."),
        (("bcrypt=8", "bcrypt=7"), "2 of 2 costs fail ", "1 waiver is stale: follow the table."),
    ],
)
def test_a_stale_waiver_beside_costs(costs: tuple[str, ...], begins: str, ends: str) -> None:
    """The last line tells the only weak cost in full, and counts the waivers after it."""
    found = report(*costs)
    (answer,) = document(replace(found, results=(*found.results, stale()))).answer

    assert answer.startswith(begins)
    assert answer.endswith(ends)


WEAK: Final = (
    *("bcrypt=4", "bcrypt=5", "bcrypt=6", "bcrypt=7", "bcrypt=8", "bcrypt=13", "bcrypt=14"),
    *("pbkdf2-sha256=1000", "pbkdf2-sha256=2000", "pbkdf2-sha256=3000"),
)
UNTIMED: Final = ("yescrypt=5", "yescrypt=6", "scrypt=n=16384,r=8,p=5")


def ten(untimed: int = 0) -> str:
    """The table of ten findings, each at a place of its own, of which some were not timed."""
    costs = (*UNTIMED[:untimed], *WEAK[untimed:])
    found = report(*costs, standard=STRICT)
    places = [Place(path=f"src/accounts/{index}/settings.py", line=7) for index in range(10)]
    rows = (replace(row, place=at) for row, at in zip(found.results, places, strict=True))
    return render(document(replace(found, results=tuple(rows))), "table")


def test_ten_findings_fit_a_screen() -> None:
    """Ten findings fit 24 lines of 80 columns, with a line more for the second library, and for
    each cure that the table does not have.
    """
    assert 24 + 1 >= len(ten().splitlines())
    assert 24 + 1 + 2 >= len(ten(3).splitlines())
    assert 80 >= max(map(len, ten(3).splitlines()))


def test_a_finding_is_said_once() -> None:
    """Each place, and each cure that the table does not have, stands once above the verdict."""
    shown = " ".join(ten(3).split())
    findings, verdict = ten(3).rstrip().rsplit("\n\n", 1)

    assert [1] * 10 == [shown.count(f"src/accounts/{index}/") for index in range(10)]
    assert 1 == shown.count("measure it with `calibrate yescrypt --save PROFILE`")
    assert 1 == shown.count("measure it with `calibrate scrypt --save PROFILE`")
    assert 1 == shown.count("cost=10 takes 53.6 ms")
    assert "more than 100 ms" not in shown
    assert "cost=" in findings
    assert "cost=" not in verdict


def test_a_minimum_that_misses_the_target_says_its_time() -> None:
    """The cost to set says what it takes if a minimum makes it miss the target."""
    shown = render(document(report("bcrypt=8", "bcrypt=4", standard=STRICT)), "table")

    assert "cost=10 takes 53.6 ms" in shown


def test_which_policy_it_is() -> None:
    """Beside several policies, a row names those whose minimum it is below."""
    policies = tuple(map(load_policy, ("owasp", "anssi-bp28")))
    standard = Standard(target_seconds=0.04, policies=policies)
    shown = render(document(report("bcrypt=8", "bcrypt=4", standard=standard)), "table")

    assert "below the minimum of owasp" in shown
    assert "below" not in ten().replace("below-min", "")


def test_no_setting_for_a_hasher_that_is_not_approved() -> None:
    """Where a policy approves no cost of a hasher, none is advised."""
    strict = Standard(target_seconds=0.04, policies=(load_policy("disa-stig"),))
    (row,) = report("bcrypt=9", standard=strict).results
    (shown,) = document(report("bcrypt=9", standard=strict)).tables[0].rows

    assert (Outcome.NOT_APPROVED, None) == (row.outcome, row.instead)
    assert ("not-approved", "bcrypt", "cost=9") == shown[:3]
    assert "set instead" not in render(document(report("bcrypt=9", standard=strict)), "table")


def test_a_policy_without_a_minimum_is_not_called_met() -> None:
    """The answer says so of a cost that only the time judges, whether it is fine or too low."""
    policies = (load_policy("pci-dss-4"), load_policy("owasp"))
    standard = Standard(target_seconds=0.06, policies=policies)
    shown = render(document(report("bcrypt=10", standard=standard)), "table")

    assert shown.endswith(
        "\nThe cost is fine at 60.0 ms and owasp. pci-dss-4 has no minimum for bcrypt.\n"
    )
    drifted = document(report("bcrypt=10", standard=replace(standard, target_seconds=0.5)))
    assert drifted.answer[0].endswith(" pci-dss-4 has no minimum for bcrypt.")


def test_a_value_out_of_range_is_a_row() -> None:
    """It is below a minimum, or else unknown, with what is accepted; the others are judged."""
    costs = ("bcrypt=9", "bcrypt=99", "bcrypt=3")
    found = check(costs, MADE_UP, target_seconds=0.04, policies=STRICT.policies)

    assert [Outcome.BELOW_MIN, Outcome.UNKNOWN, Outcome.BELOW_MIN] == [
        row.outcome for row in found.results
    ]
    shown = " ".join(render(document(found), "table").split())
    assert "bcrypt takes cost from 4 to 31, not 99" in shown
    assert "bcrypt takes cost from 4 to 31, not 3 " in shown


def _with(found: CheckReport, *, outcome: Outcome) -> CheckReport:
    results = tuple(replace(row, outcome=outcome) for row in found.results)
    return replace(found, results=results)


def test_the_libraries_are_named_with_their_versions() -> None:
    """Above the table stands what computed the hashes that were timed, each library once."""
    shown = render(document(report("bcrypt=8", "bcrypt=4", "pbkdf2-sha256=1000")), "table")
    head, _, _ = " ".join(shown.split()).partition(" verdict ")
    assert head.endswith(", by bcrypt 5.0.0 and hashlib OpenSSL 3.0.19")


def test_costs_of_one_hasher_by_several_libraries_name_them() -> None:
    """Rows that differ only in the library that was timed have its name; others need none."""
    found = report("bcrypt=8", "bcrypt=8", "pbkdf2-sha256=1000")
    here, there, other = found.results
    there = replace(there, implementation="java:favre")
    _, _, rows = render(document(replace(found, results=(here, there, other))), "table").partition(
        "verdict"
    )
    assert "library" in rows
    assert "java:favre" in rows
    _, _, rows = render(document(replace(found, results=(there, other))), "table").partition(
        "verdict"
    )
    assert "java:favre" not in rows
