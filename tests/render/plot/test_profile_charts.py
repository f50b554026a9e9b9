"""The curves of a profile, and what guessing costs as bars."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Final

import msgspec
import pytest

from hashcost.core.measurement import Measurement, Sample
from hashcost.core.profile import Recommendation
from hashcost.fit.order_statistics import quiet_estimate
from hashcost.render.plot.chart import Axis, Curves, Mark, Point, Series
from hashcost.render.plot.inline import draw_apart, inline_svg
from hashcost.render.plot.time_by_cost import price_chart, profile_chart, timed_at
from hashcost.worth.attackers.device import load_device
from hashcost.worth.policies.catalogue import load_policy
from measured import EVERY, appraised, eight_rows

GPU: Final = load_device("rtx-4090")
PROFILE: Final = appraised(eight_rows(), (load_policy("owasp"),))
ROWS: Final = {row.label: row for row in PROFILE.recommendations}


def measured_of(row: Recommendation) -> Measurement:
    """What a row rests on."""
    found = PROFILE.measurement_of(row)
    assert found is not None
    return found


def chart(row: Recommendation) -> Curves:
    """The chart of a row that was timed, at its target."""
    found = profile_chart(row, measured_of(row), 0.04)
    assert found is not None
    return found


def test_points_are_what_was_timed() -> None:
    """A point for each cost: its quiet time, with the range of all hashes."""
    row = ROWS["bcrypt@bcrypt"]
    (series,) = chart(row).series
    highest = series.points[-1]
    times = {params["cost"]: seconds for params, seconds in timed_at(measured_of(row))}

    assert [4.0, 6.0, 9.0] == [point.x for point in series.points]
    assert (min(times[9]), quiet_estimate(times[9]), max(times[9])) == (
        highest.low,
        highest.y,
        highest.high,
    )


def test_the_model_runs_through_all_costs() -> None:
    """The curve is the row's model from the lowest cost to the highest, on its own scale."""
    for label in ("bcrypt@bcrypt", "sha512-crypt@libcrypt"):
        row = ROWS[label]
        (series,) = chart(row).series
        (first, lowest), (last, highest) = series.curve[0], series.curve[-1]
        log2 = label.startswith("bcrypt")

        assert (series.points[0].x, series.points[-1].x) == pytest.approx((first, last))
        assert row.model.seconds(2**first if log2 else first) == pytest.approx(lowest)
        assert row.model.seconds(2**last if log2 else last) == pytest.approx(highest)


def test_on_a_ladder_nothing_lies_between_steps() -> None:
    """Steps of memory are points alone: no curve, and no line that joins them."""
    ladder = next(row for row in ROWS.values() if row.hasher == "yescrypt")
    (series,) = chart(ladder).series

    assert ((), False) == (series.curve, series.joined)


def test_target_cost_and_floor_are_marked() -> None:
    """The target lies across, the recommended cost and the floor stand at theirs."""
    marks = chart(ROWS["bcrypt@bcrypt"]).marks

    assert [
        ("target 40.0 ms", 0.04, True),
        ("use cost=9", 9.0, False),
        ("owasp minimum", 10.0, False),
    ] == [(mark.label, mark.value, mark.horizontal) for mark in marks]


def test_a_floor_of_other_params_stands_at_its_time() -> None:
    """A floor that differs in more than the cost on the axis has no place there but its time."""
    row = ROWS["argon2id@cryptography"]
    (check,) = row.floors
    other = msgspec.structs.replace(check, params={"memory_kib": 19456, "time_cost": 2})
    (mark,) = chart(msgspec.structs.replace(row, floors=(other,))).marks[2:]

    assert (check.time_seconds, True) == (mark.value, mark.horizontal)


def test_what_was_not_timed_has_no_chart() -> None:
    """A row without hashes has no curve."""
    row = ROWS["bcrypt@bcrypt"]
    untimed = msgspec.structs.replace(measured_of(row), samples=())

    assert profile_chart(row, untimed, 0.04) is None


def test_a_clock_that_saw_no_time_is_left_out() -> None:
    """A hash of no time has no place on a logarithmic axis."""
    row = ROWS["bcrypt@bcrypt"]
    idle = Sample(params={"cost": 4}, cpu_seconds=0.0, wall_seconds=0.0)

    untold = msgspec.structs.replace(measured_of(row), samples=(idle,))
    assert profile_chart(row, untold, 0.04) is None


def test_several_threads_are_on_the_clock_on_the_wall() -> None:
    """A hash in several threads is drawn by the time that was solved for it."""
    row = ROWS["argon2id@cryptography"]

    assert row.threads > 1
    assert "wall time of one hash" == chart(row).y.title


def test_every_hasher_with_a_price_is_a_bar() -> None:
    """Bars are the table's prices, in its order, along a linear axis however far they differ."""
    rows = [row for row in ROWS.values() if row.attacker]
    found = price_chart(rows, GPU)
    assert found is not None
    dear = msgspec.structs.replace(rows[0].attacker[0], dollars_per_2_32_guesses=1e6)
    wide = price_chart([msgspec.structs.replace(rows[0], attacker=(dear,)), *rows[1:]], GPU)
    assert wide is not None

    assert [row.attacker[0].dollars_per_2_32_guesses for row in rows] == [
        b.value for b in found.bars
    ]
    assert [False, False] == [found.axis.logarithmic, wide.axis.logarithmic]
    assert ["$0", "$50", "$25.66", "$282"] == [found.axis.tick(x) for x in (0, 50, 25.66, 282)]


def test_one_price_is_no_chart() -> None:
    """One bar says nothing, and a device without a rent none at all."""
    assert price_chart([ROWS["bcrypt@bcrypt"]], GPU) is None
    assert price_chart(EVERY.recommendations, GPU) is None


def inlined(found: Curves, id_: str = "here") -> ET.Element:
    """The chart as an element of a page."""
    (content,) = draw_apart([found])
    return ET.fromstring(inline_svg(content, id_=id_, title="a <b>", words="c & d"))


def test_an_inlined_drawing_has_the_colours_of_the_page() -> None:
    """No colour of its own is left, so that a dark page has its own."""
    for row in ROWS.values():
        styles = " ".join(element.get("style", "") for element in inlined(chart(row)).iter())

        assert "var(--series-1)" in styles
        assert "var(--ink)" in styles
        assert [] == re.findall(r"#[0-9a-f]{3,6}\b", styles)
        assert "DejaVu" not in styles


def test_inlined_ids_do_not_clash() -> None:
    """Every id begins with the drawing's own, and every reference leads to one."""
    elements = list(inlined(chart(ROWS["bcrypt@bcrypt"]), "fig").iter())
    ids = {element.get("id") for element in elements} - {None}
    used = {element.get("href", "").removeprefix("#") for element in elements} - {""}

    assert used
    assert all(str(id_).startswith("fig-") for id_ in ids)
    assert used <= ids
    assert {"fig-title", "fig-words"} <= ids


def test_an_inlined_drawing_is_named() -> None:
    """Its first children are its title and what it shows, as text."""
    root = inlined(chart(ROWS["bcrypt@bcrypt"]))

    assert [("title", "a <b>"), ("desc", "c & d")] == [(e.tag, e.text) for e in root[:2]]
    assert ("img", "here-title here-words") == (root.get("role"), root.get("aria-labelledby"))
    assert "metadata" not in {element.tag for element in root.iter()}
    assert root.get("width") is None


def test_a_legend_is_for_several_series() -> None:
    """A chart of one hasher, which its heading names, needs no key; of two it does."""
    point = (Point(x=1.0, y=1.0), Point(x=2.0, y=2.0))
    charts = [
        Curves(
            x=Axis(title="x"),
            y=Axis(title="y"),
            series=tuple(Series(label=f"series {n}", points=point) for n in range(count)),
        )
        for count in (1, 2)
    ]
    alone, both = (content.decode() for content in draw_apart(charts))

    assert "series 0" not in alone
    assert "series 0" in both


def test_names_of_marks_beside_each_other_are_apart() -> None:
    """Of two lines at nearly one place, the names stand on the outer sides."""
    found = Curves(
        x=Axis(title="x"),
        y=Axis(title="y"),
        series=(Series(label="s", points=(Point(x=0.0, y=0.0), Point(x=10.0, y=10.0))),),
        marks=tuple(
            Mark(label=f"{name} {number}", value=value, horizontal=name == "horizontal")
            for name in ("horizontal", "vertical")
            for number, value in ((1, 5.0), (2, 5.1))
        ),
    )
    (content,) = draw_apart([found])
    at = {
        element.text: re.findall(r"[\d.]+", element.get("transform", ""))
        for element in ET.fromstring(content).iter("{http://www.w3.org/2000/svg}text")
    }

    # An upright name begins with where it stands, one that lies with a turn of nothing.
    assert float(at["vertical 2"][0]) - float(at["vertical 1"][0]) > 8
    assert float(at["horizontal 1"][2]) - float(at["horizontal 2"][2]) > 8


def test_a_name_is_no_formula() -> None:
    """Dollars and backslashes in a name are drawn as they are."""
    names = {"$\\frac{$", "$y$"}
    found = Curves(
        x=Axis(title="$\\frac{$"),
        y=Axis(title="$y$"),
        series=(Series(label="$a_", points=(Point(x=1.0, y=1.0),)),),
    )
    (content,) = draw_apart([found])

    assert names <= {element.text for element in ET.fromstring(content).iter()}
