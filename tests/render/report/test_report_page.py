"""What a report says, before it is laid out."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Sequence

import msgspec
import pytest

from fakes import FakeClock, FakeHasher, FakeLadder, swept
from hashcost.core.profile import Profile, Rounding
from hashcost.documents.profile import from_json
from hashcost.recommend.recommendation import solve_again
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.plot.chart import Bars, Curves
from hashcost.render.report.page import Page, Part
from hashcost.render.report.report import report_page
from hashcost.sweep.target import solve_sweep_again
from measured import EVERY, HARD, appraised, eight_rows, page_of


def part(page: Page, title: str) -> Part:
    """The first part of this title."""
    return next(each for section in page.sections for each in section.parts if each.title == title)


def said(profile: Profile, *names: str) -> tuple[str, ...]:
    """The sentences that a profile begins with."""
    return page_of(("here.json", profile), names=names or ("owasp",)).sections[0].summary


def only(profile: Profile, *labels: str) -> Profile:
    """The profile with these rows alone."""
    rows = tuple(row for row in profile.results if row.label in labels)
    return msgspec.structs.replace(profile, results=rows)


def test_the_answer_comes_first() -> None:
    """What to use meets the policy and costs an attacker most; or it is said what would."""
    one, several = only(EVERY, "bcrypt@bcrypt"), eight_rows()

    assert said(one)[0] == (
        "On 2 × AMD EPYC, one hash should take at most 40.0 ms. bcrypt cost=9 does not meet"
        " owasp; use bcrypt with --target 54.2ms."
    )
    assert said(several)[0].startswith(
        "On 2 × AMD EPYC, one hash should take at most 40.0 ms. Use argon2id@argon2-cffi"
        " m=19456,t=2,p=1: it meets owasp and costs an attacker most. It takes 35.0 ms"
    )


def test_rounding_is_said() -> None:
    """A cost at or above the target is not said to be at most that."""
    profile = solve_again(only(EVERY, "bcrypt@bcrypt"), 0.04, Rounding.UP)

    assert (
        "one hash should take at least 40.0 ms. Use bcrypt cost=10: it meets owasp. It takes"
        in said(profile)[0]
    )


def test_without_a_price_no_row_is_the_dearest() -> None:
    """Where no device was asked for, nothing is said of attackers."""
    (section,) = report_page([("here.json", eight_rows())]).sections

    assert (
        "one hash should take at most 40.0 ms. 8 settings do that: see the table."
        in section.summary[0]
    )
    assert not any("guess" in part.title for part in section.parts)
    assert "setting" == section.facts[0].name


def test_who_meets_the_floor_and_who_would_when() -> None:
    """A hasher below the floor comes with the target that meets it, one unnamed is told."""
    sentence = said(only(EVERY, "bcrypt@bcrypt", "sha512-crypt@libcrypt"))[1]

    assert sentence == (
        "owasp's minimum is met by bcrypt from --target 54.2ms."
        " owasp allows bcrypt only in existing systems."
        " owasp says nothing about sha512-crypt."
    )
    assert said(HARD)[1].startswith(
        "argon2id@argon2-cffi and argon2id@cryptography meet owasp's minimum"
    )
    assert "fips does not approve bcrypt" in said(only(EVERY, "bcrypt@bcrypt"), "fips")[1]


def test_an_informative_policy_asks_for_nothing() -> None:
    """What distributions ship is no floor that a cost could fall short of."""
    assert not any("distro" in each for each in said(EVERY, "distro-defaults"))


def test_the_price_of_guessing() -> None:
    """The dearest and the cheapest hasher are named with their prices."""
    assert (
        "Trying 2³² passwords on one rented NVIDIA GeForce RTX 4090 costs $35.27 with"
        " bcrypt@bcrypt, and $3.20 with sha256-crypt@passlib, the cheapest."
    ) in said(EVERY)


def test_how_sure_that_is() -> None:
    """The intervals are told with their confidence, and who has none."""
    assert said(EVERY)[-1] == (
        "On a quiet core the times lie within ±0.9% to ±3.4%, by the hasher, with 95 %"
        " confidence; too little was timed to rely on the result for sha256-crypt@passlib."
    )


def test_what_was_not_timed_is_said() -> None:
    """A target that is said to be solved."""
    profile = solve_again(EVERY, 0.1, Rounding.DOWN)
    (section,) = report_page([("here.json", profile)], solved_again=True).sections

    assert section.summary[-1].endswith("calculated from earlier measurements.")


def test_warnings_and_failures_are_seen() -> None:
    """What was wrong with the machine, and who failed, stands before any table."""
    (section,) = page_of(("here.json", EVERY)).sections

    assert ["the machine", "pbkdf2-sha1@hashlib", "argon2id@argon2-cffi"] == [
        caution.about for caution in section.cautions
    ]
    assert any(
        "this row was invented" in note
        for note in part(page_of(("x", EVERY)), "What to use").notes
    )


def test_figures_are_those_of_the_command() -> None:
    """The table of costs is the one that `calibrate` prints beside the same device, with the
    implementation last.
    """
    (table,) = part(page_of(("x", EVERY)), "What to use").tables
    printed = recommendation_document(appraised(EVERY, ())).tables[0]

    def moved(cells: Sequence[object]) -> tuple[object, ...]:
        return (cells[0], *cells[2:], cells[1])

    assert moved(printed.columns) == table.columns
    assert [(moved(row.cells), row.aside) for row in printed.rows] == [
        (row.cells, row.aside) for row in table.rows
    ]


def test_floors_prices_and_logins_have_tables_of_their_own() -> None:
    """Each matter has one table, a row for each hasher; logins only where they were counted."""
    page = page_of(("here.json", eight_rows()))
    tables = [
        part(page, title).tables
        for title in ("Minimums", "What guessing costs", "Logins a second")
    ]

    assert [[8], [8], [8]] == [[len(table.rows) for table in each] for each in tables]
    assert ["hasher", "implementation", "owasp minimum"] == [c.title for c in tables[0][0].columns]
    assert "logins/s" not in [column.title for column in tables[1][0].columns]
    with pytest.raises(StopIteration):
        part(page_of(("here.json", EVERY)), "Logins a second")


def test_every_price_has_its_source() -> None:
    """Behind the prices stands which tool was seen to guess at which cost, and where."""
    (table,) = part(page_of(("here.json", EVERY)), "What guessing costs").behind
    lines = table.title.splitlines()

    assert 6 == len(table.rows)
    assert lines[1].startswith("[1] ")
    assert all(row.cells[-1].endswith("]") for row in table.rows)


def test_a_curve_for_each_hasher() -> None:
    """Every row that was timed has a chart, and its figures are in a table behind."""
    curves = part(page_of(("here.json", eight_rows())), "Time by cost")
    (points,) = curves.behind
    charts = [each.chart for each in curves.pictures if isinstance(each.chart, Curves)]

    assert 8 == len(charts)
    assert len(points.rows) == sum(len(s.points) for chart in charts for s in chart.series) > 16
    assert "Marked: target 40.0 ms, use " in curves.pictures[0].words


def test_settings_of_equal_time_share_a_chart() -> None:
    """Of several settings of one hasher, which rest on the same hashes, one chart is drawn."""
    every = eight_rows()
    rows = every.results[-2:]
    profile = msgspec.structs.replace(every, results=(*rows, *rows))

    assert 2 == len(part(page_of(("here.json", profile)), "Time by cost").pictures)


def test_no_more_charts_than_a_page_can_show() -> None:
    """A profile of hundreds of hashers has its first forty drawn, and says so."""
    every = eight_rows()
    names = [f"lib{index}" for index in range(100)]
    measurements, rows = (
        tuple(msgspec.structs.replace(one, implementation=name) for name in names)
        for one in (every.measurements[0], every.results[0])
    )
    profile = msgspec.structs.replace(every, measurements=measurements, results=rows)
    curves = part(page_of(("x", profile)), "Time by cost")

    assert 40 == len(curves.pictures)
    assert ("60 more are in the raw figures.",) == curves.notes


def test_prices_are_drawn_where_they_compare() -> None:
    """Two prices are bars, one is none."""
    several, one = (
        part(page_of(("x", profile)), "What guessing costs").pictures
        for profile in (EVERY, only(EVERY, "bcrypt@bcrypt"))
    )

    assert isinstance(several[0].chart, Bars)
    assert () == one


def test_raw_figures_are_whole() -> None:
    """The JSON is a profile that can be solved again, the CSV has a line for each row."""
    json_file, csv_file = part(page_of(("a.b.json", EVERY)), "Raw figures").downloads
    rows = list(csv.DictReader(io.StringIO(csv_file.content.decode())))

    assert ("a.b.json", "a.b.csv") == (json_file.name, csv_file.name)
    assert EVERY.results[0].label == from_json(json_file.content, name="x").results[0].label
    assert len(EVERY.results) == len(rows)
    assert base64.b64encode(json_file.content)


def test_several_profiles_begin_with_a_glance() -> None:
    """Rows of several profiles stand in one table first, with file and machine."""
    page = page_of(("one.json", EVERY), ("two.json", HARD))
    glance = page.common[0]

    assert ["one.json"] * 6 + ["two.json"] * 3 == [row.cells[4] for row in glance.tables[0].rows]
    assert ("40.0 ms", "one.json", "2 × AMD EPYC") == glance.tables[0].rows[0].cells[3:6]
    assert () == page_of(("one.json", EVERY)).common


def test_what_several_files_share_is_set_side_by_side() -> None:
    """Machines with the same hashers are compared; with none in common there is nothing to say."""
    machine = msgspec.structs.replace(EVERY.machine, cpu_model="another")
    other = msgspec.structs.replace(EVERY, machine=machine)
    (side_by_side,) = page_of(("one.json", EVERY), ("two.json", other)).common[1:]
    titles = [table.title for table in side_by_side.tables]

    assert "One cost for all" in titles
    assert any(title.startswith("bcrypt, ") for title in titles)
    assert "no difference ±" in side_by_side.tables[1].rows[-1].cells[-1]
    assert side_by_side.pictures
    assert () == page_of(("one.json", EVERY), ("two.json", HARD)).common[1:]


def test_different_targets_are_told() -> None:
    """Files for different targets are compared at one of which the page says why."""
    other = solve_again(EVERY, 0.1, Rounding.DOWN)
    alike, differing = (
        page_of(("one.json", EVERY), ("two.json", second)).common[1] for second in (EVERY, other)
    )

    assert "different targets" not in alike.paragraphs[0]
    assert "at most 250 ms; the files were made for different targets" in differing.paragraphs[0]


def test_sweeps_are_seen_at_a_glance(clock: FakeClock) -> None:
    """Beside a profile and beside each other, sweeps have rows with the cost by their fit; of
    memory it is the highest step within the target that was timed.
    """
    line = swept(clock, FakeHasher(clock), costs="1000,2000,4000", budget=2.0, target=0.1)
    steps = swept(clock, FakeLadder(clock), target=0.1)
    beyond = solve_sweep_again(line, 1e-9)
    page = page_of(("line.json", line), ("steps.json", steps), ("beyond.json", beyond))
    first, second, third = page.common[0].tables[0].rows
    fitted, timed, none = (each.summary[0] for each in page.sections)

    assert line.hashers[0].target_cost is not None
    assert ("fake", f"rounds={line.hashers[0].target_cost}") == first.cells[:2]
    assert first.cells[2].startswith("~")
    assert "memory 1.0" == first.cells[-1]
    assert ("100 ms", "line.json") == first.cells[3:5]
    within = [
        row.cost for row in steps.rows if row.time_seconds is not None and row.time_seconds <= 0.1
    ]
    assert str(max(within)) in second.cells[1]
    assert not second.cells[2].startswith("~")
    assert ("none meets the target", "-") == third.cells[1:3]
    assert f"at most 100 ms, use fake {first.cells[1]}, which takes" in fitted
    assert fitted.endswith(" by the fit.")
    assert "the most memory that was timed within it" in timed
    assert "fake" in none


def test_a_sweep_has_its_curves_and_rows(clock: FakeClock) -> None:
    """A sweep is a section too, with its picture, its table and its notes."""
    sweep = swept(clock, FakeHasher(clock), costs="1000,2000,100000000", budget=2.0)
    page = page_of(("one.json", EVERY), ("sweep.json", sweep))
    (picture,) = part(page, "Time of one hash by cost").pictures

    assert 3 == len(part(page, "Cost by cost").tables[0].rows)
    assert "3 costs of fake@memory" in picture.words
    assert any(line.startswith("fitted: ") for line in page.sections[1].summary)


def test_a_profile_without_a_cost_is_reported() -> None:
    """Where every hasher failed, that is what the page says, without empty tables."""
    profile = msgspec.structs.replace(EVERY, results=EVERY.failures)
    (section,) = page_of(("here.json", profile)).sections

    assert "no hasher has a cost" in section.summary[0]
    assert () == section.facts
    assert ["How it was measured", "Raw figures"] == [each.title for each in section.parts]


def test_the_facts_are_of_the_first_row() -> None:
    """What is seen at once is the first row of the table: its cost, time, floor and price."""
    facts = page_of(("here.json", eight_rows())).sections[0].facts
    row = appraised(eight_rows(), ()).recommendations

    assert ["use this", "one hash", "owasp minimum", "2³² guesses", "logins a second"] == [
        fact.name for fact in facts
    ]
    assert facts[0].figure in {each.hasher for each in row}
    assert "met" == facts[2].figure
    assert facts[2].remark.startswith("the minimum takes ")
