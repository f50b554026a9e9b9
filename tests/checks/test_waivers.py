"""What a waiver says, which findings it accepts, and what is said of a wrong one."""

import datetime as dt
from typing import Final

import pytest
from msgspec.structs import replace

from corpora import table
from fakes import FakeClock, fake_host
from hashcost.checks.check import exit_code
from hashcost.checks.judgement import (
    ACCEPTABLE,
    STANDARD_INPUT,
    CheckReport,
    InTests,
    Judgement,
    Outcome,
    Standard,
)
from hashcost.checks.judging import check
from hashcost.checks.waivers import Waivers, applied, parse_waiver
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UsageError
from hashcost.core.severity import Severity
from hashcost.core.waiver_comments import Comment, Comments
from hashcost.storage.profile import load_profile
from hashcost.storage.settings import ListedWaiver
from made_up import PROFILE_FILE

TODAY: Final = dt.date(2026, 11, 27)
PATH: Final = "src/users.py"
REPORT: Final = check((), load_profile(PROFILE_FILE))


def row(outcome: Outcome, *, line: int | None = 5, path: str = PATH) -> Judgement:
    """A finding about bcrypt with cost 10."""
    judgement = Judgement.without_cost(outcome, "bcrypt", Place(path=path, line=line), "m", "a")
    severity = Standard(target_seconds=1.0).severity_of(outcome)
    params = {} if outcome is Outcome.UNKNOWN else {"cost": 10}
    return replace(judgement, params=params, severity=severity)


def comment(said: str, *, line: int = 4) -> Comments:
    """A comment directly above the fifth line."""
    return Comments((Comment(line, said),), {5: (((4, 5),),)})


def judged(
    waivers: Waivers, *rows: Judgement, today: dt.date = TODAY, in_tests: tuple[InTests, ...] = ()
) -> CheckReport:
    """The report of some findings, with waivers."""
    return applied(replace(REPORT, results=rows), waivers, today, in_tests)


def in_file(said: str, *rows: Judgement, line: int = 4, today: dt.date = TODAY) -> CheckReport:
    """The report of findings in a file with one comment."""
    waivers = Waivers(comments={PATH: comment(said, line=line)}, files=frozenset({PATH}))
    return judged(waivers, *rows, today=today)


@table("text, cost, verdicts, why")
def test_a_waiver_names_a_cost_its_verdicts_and_a_reason(
    text: str, cost: str, verdicts: list[str], why: str
) -> None:
    """The cost is written as in the table or on the command line, and a reason is escaped."""
    waiver = parse_waiver(text, TODAY)

    assert cost == waiver.what
    assert set(verdicts) == {outcome.value for outcome in waiver.outcomes}
    assert (dt.date(2027, 3, 1), why) == (waiver.until, waiver.why)


@table("text, message")
def test_a_malformed_waiver_says_what_is_wrong(text: str, message: str) -> None:
    """The message names the part that is wrong and what to write, and quotes nothing."""
    with pytest.raises(UsageError) as refused:
        parse_waiver(text, TODAY)

    assert str(refused.value).startswith(message)
    assert "s3cret" not in str(refused.value)


def test_a_reason_is_short() -> None:
    """A reason has at most 200 characters, so that a table can show it."""
    parse_waiver(f"bcrypt=10 drifted until 2027-03-01: {'x' * 200}", TODAY)
    with pytest.raises(UsageError, match="more than 200 characters; shorten it"):
        parse_waiver(f"bcrypt=10 drifted until 2027-03-01: {'x' * 201}", TODAY)


def test_a_day_is_at_most_a_year_away() -> None:
    """A waiver comes back for a decision after a year."""
    parse_waiver("bcrypt=10 drifted until 2027-11-28: x", TODAY)
    with pytest.raises(UsageError, match="2027-11-28 or an earlier one"):
        parse_waiver("bcrypt=10 drifted until 2027-11-29: x", TODAY)


@pytest.mark.parametrize("outcome", Outcome)
def test_what_can_be_accepted(outcome: Outcome) -> None:
    """What needs another measurement, or is itself about a waiver, cannot be accepted. The note
    on a fast digest can, since names may mislead.
    """
    fails = Standard(target_seconds=1.0).severity_of(outcome) is Severity.ERROR
    never = {Outcome.UNAVAILABLE, Outcome.INCONCLUSIVE, Outcome.STALE}
    may_mislead = outcome is Outcome.FAST_DIGEST
    assert (may_mislead or (fails and outcome not in never)) == (outcome in ACCEPTABLE)


def test_what_is_accepted_does_not_fail_and_is_still_there() -> None:
    """A finding keeps its verdict, and has the waiver with its place."""
    report = in_file("bcrypt=10 below-min until 2027-03-01: legacy", row(Outcome.BELOW_MIN))

    (result,) = report.results
    assert Outcome.BELOW_MIN is result.outcome
    assert result.accepted is not None
    assert (dt.date(2027, 3, 1), "legacy", True) == (
        result.accepted.until,
        result.accepted.why,
        result.accepted.in_source,
    )
    assert Place(path=PATH, line=4) == result.accepted.place
    assert (0, ()) == (exit_code(report.results), report.warnings)


@table("said, line")
def test_a_waiver_of_something_else_accepts_nothing(said: str, line: int) -> None:
    """Another cost, another verdict and a comment that is not at the finding leave it failing."""
    report = in_file(said, row(Outcome.BELOW_MIN), line=line)

    assert report.results[0].accepted is None
    assert 1 == exit_code(report.results)


def test_a_finding_without_a_line_is_accepted_anywhere_in_its_file() -> None:
    """A default that no line sets has none to put the waiver at."""
    report = in_file(
        "bcrypt=10 below-min until 2027-03-01: x", row(Outcome.BELOW_MIN, line=None), line=90
    )

    assert 0 == exit_code(report.results)


def test_an_unknown_cost_is_accepted_without_a_cost() -> None:
    """The waiver of an unknown cost holds only where one is unknown."""
    said = "unknown until 2027-03-01: looked at"

    assert 0 == exit_code(in_file(said, row(Outcome.UNKNOWN)).results)
    assert 1 == exit_code(in_file(said, row(Outcome.DRIFTED)).results)
    (notice,) = in_file(said, row(Outcome.FINE)).warnings
    assert "unneeded-waiver" == notice.code


def test_a_waiver_holds_to_the_end_of_its_day() -> None:
    """On the day after, the finding fails again and a line says so."""
    said = "bcrypt=10 below-min until 2027-03-01: x"
    on_the_day = in_file(said, row(Outcome.BELOW_MIN), today=dt.date(2027, 3, 1))
    after = in_file(said, row(Outcome.BELOW_MIN), today=dt.date(2027, 3, 2))

    assert 0 == exit_code(on_the_day.results)
    assert 1 == exit_code(after.results)
    (notice,) = after.warnings
    assert "expired-waiver" == notice.code
    assert f"{PATH}:4: bcrypt cost=10 was accepted until 2027-03-01" == notice.message


def test_a_waiver_of_a_cost_that_is_gone_is_stale() -> None:
    """It fails, as a row at its own place, since it could hide a later cost."""
    said = "bcrypt=8 below-min until 2027-03-01: x"
    report = in_file(said, row(Outcome.FINE))

    stale = report.results[1]
    assert (Outcome.STALE, Place(path=PATH, line=4)) == (stale.outcome, stale.place)
    assert 1 == exit_code(report.results)


def test_a_waiver_is_not_stale_where_not_everything_was_read() -> None:
    """A cost in tests is still set, and another reader may find what this one did not look for."""
    said = "bcrypt=10 below-min until 2027-03-01: x"
    waivers = Waivers(comments={PATH: comment(said)}, files=frozenset({PATH}))
    test = InTests(
        hasher="bcrypt", params={"cost": 10}, place=Place(path=PATH, line=5), call="gensalt"
    )

    assert () == judged(waivers, in_tests=(test,)).results
    assert 1 == len(judged(waivers).results)
    assert () == judged(replace(waivers, partly=frozenset({PATH}))).results


def test_a_waiver_that_is_no_longer_needed_is_mentioned() -> None:
    """A verdict that has become better is one notice; one that is worse fails by itself."""
    said = "bcrypt=10 drifted until 2027-03-01: x"

    (notice,) = in_file(said, row(Outcome.FINE)).warnings
    assert ("unneeded-waiver", "remove the waiver") == (notice.code, notice.advice)
    for outcome in (Outcome.BELOW_MIN, Outcome.INCONCLUSIVE):
        assert () == in_file(said, row(outcome)).warnings


def test_a_malformed_comment_is_one_notice() -> None:
    """It accepts nothing; the place is named, and what it says is not repeated."""
    report = in_file("bcrypt=10 s3cret", row(Outcome.BELOW_MIN))

    assert 1 == exit_code(report.results)
    (notice,) = report.warnings
    assert "malformed-waiver" == notice.code
    assert notice.message.startswith(f"{PATH}:4: it accepts nothing: it has no `until")
    assert "s3cret" not in str(report)


def listed(where: str | None, *, cost: str = "bcrypt=10", files: tuple[str, ...] = ()) -> Waivers:
    """A waiver in the settings."""
    waiver = ListedWaiver(
        place=Place(path="hashcost.toml", line=9),
        verdict=("below-min",),
        until=dt.date(2027, 3, 1),
        why="x",
        cost=cost,
    )
    typed = frozenset({STANDARD_INPUT, "hashcost.toml"})
    return Waivers(listed=((waiver, where),), files=frozenset(files), typed=typed)


@table("where, path, holds")
def test_the_settings_accept_by_path_or_pattern(
    where: str | None, path: str | None, holds: bool
) -> None:
    """Without ``where``, a waiver is about costs that no file has, as on a command line."""
    finding = row(Outcome.BELOW_MIN, path=path or "")
    finding = finding if path else replace(finding, place=None)
    report = judged(listed(where or None, files=(PATH, "web/a.json")), finding)

    assert holds == (report.results[0].accepted is not None)


def test_a_waiver_in_the_settings_is_stale_only_if_its_file_was_read() -> None:
    """What this run did not read may well have the cost."""
    assert () == judged(listed("src/*.py")).results
    assert () == judged(listed(None, files=(PATH,))).results
    (stale,) = judged(listed("src/*.py", files=(PATH,))).results
    assert (Outcome.STALE, 9) == (stale.outcome, stale.place and stale.place.line)


def test_the_later_of_two_waivers_counts() -> None:
    """Two comments about one finding do not contradict each other."""
    both = Comments(
        (
            Comment(4, "bcrypt=10 below-min until 2027-03-01: a"),
            Comment(5, "bcrypt=10 below-min until 2027-02-01: b"),
        ),
        {5: (((4, 5),),)},
    )
    report = judged(Waivers(comments={PATH: both}), row(Outcome.BELOW_MIN))

    assert report.results[0].accepted is not None
    assert "a" == report.results[0].accepted.why


def test_the_api_accepts_too() -> None:
    """`hashcost.check` takes waivers of the costs that it is given."""
    profile, host = load_profile(PROFILE_FILE), fake_host(FakeClock())
    day = host.date().date() + dt.timedelta(days=30)

    def report(waiver: str) -> CheckReport:
        return check(["bcrypt=4"], profile, accept=[waiver], host=host)

    assert 0 == exit_code(report(f"bcrypt=4 below-min until {day}: x").results)
    malformed = report("bcrypt=4 below-min: x")
    assert 1 == exit_code(malformed.results)
    assert "malformed-waiver" in {notice.code for notice in malformed.warnings}
