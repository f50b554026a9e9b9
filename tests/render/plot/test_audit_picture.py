"""The picture of an audit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import MADE_UP
from hashcost.core.machine import Tool
from hashcost.core.measurement import Params
from hashcost.render.plot.audit import audit_figure
from hashcost.render.plot.chart import Histogram, Tally, Tone
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.verdicts.audit import Audit, audit, is_below_floor
from hashcost.worth.policies.catalogue import load_policy

OWASP = load_policy("owasp")


def hashed(hasher: str | None, params: Params, kind: Kind = Kind.HASHED) -> Reading:
    """A hash that was read."""
    return Reading(kind=kind, format=hasher or "other", hasher=hasher, params=params)


def judged(counted: dict[Reading, int], **options: Any) -> Audit:
    """An audit by OWASP's floors."""
    tool = Tool(name="hashcost", version="0")
    return audit(Counter(counted), tool=tool, layout="hash", **{"policies": (OWASP,), **options})


def timed(counted: dict[Reading, int]) -> Audit:
    """The same with the made-up times and a target of 40 ms."""
    return judged(counted, profile=MADE_UP, target_seconds=0.04)


def tally(found: Audit) -> Tally:
    """The chart of counts."""
    chart = audit_figure(found).charts[0]
    assert isinstance(chart, Tally)
    return chart


USUAL = {
    hashed("bcrypt", {"cost": 8}): 300,
    hashed("bcrypt", {"cost": 12}): 500,
    hashed("sha512-crypt", {"rounds": 5000}): 40,
    hashed("md5", {}, Kind.FAST): 2,
    hashed(None, {}, Kind.LOCKED): 3,
    hashed("bcrypt", {"cost": 12}, Kind.LOCKED): 4,
}


def test_weak_sound_and_unjudged() -> None:
    """A bar for each cost says how many there are, and how they stand to the floor."""
    assert [
        ("bcrypt=8", 300, Tone.WEAK),
        ("bcrypt=12", 500, Tone.SOUND),
        ("sha512-crypt=5000", 40, Tone.UNSURE),
        ("md5", 2, Tone.WEAK),
        ("locked", 7, Tone.UNSURE),
    ] == [(bar.label, bar.count, bar.tone) for bar in tally(judged(USUAL)).bars]


def test_the_key_says_what_share_is_weak() -> None:
    """The key has how many are weak, and their share of everything."""
    assert [
        "below the minimum of owasp: 302 (36 %)",
        "meets owasp: 500 (59 %)",
        "not judged: 47 (5.5 %)",
    ] == [meaning for _, meaning in tally(judged(USUAL)).key]
    without = tally(judged({hashed("md5", {}, Kind.FAST): 1}, policies=()))
    assert ["no cost to raise: 1 (100 %)"] == [meaning for _, meaning in without.key]


def test_counts_that_span_decades_stand_on_a_logarithmic_axis() -> None:
    """A rare cost is seen beside a common one."""
    rare = {hashed("bcrypt", {"cost": 8}): 1, hashed("bcrypt", {"cost": 12}): 100}
    even = {hashed("bcrypt", {"cost": 8}): 2, hashed("bcrypt", {"cost": 12}): 100}

    assert tally(judged(rare)).axis.logarithmic
    assert not tally(judged(even)).axis.logarithmic


@given(
    costs=st.dictionaries(
        st.integers(1_000, 10_000_000), st.integers(1, 10**6), min_size=9, max_size=200
    )
)
def test_many_costs_are_ranges_that_count_everything(costs: dict[int, int]) -> None:
    """Ranges are few, hold every hash, and none holds weak ones and others."""
    found = judged({hashed("pbkdf2-sha256", {"iterations": n}): many for n, many in costs.items()})
    bars = tally(found).bars
    weak = sum(group.count for group in found.groups if is_below_floor(group))

    assert len(bars) <= 9
    assert sum(costs.values()) == sum(bar.count for bar in bars)
    assert weak == sum(bar.count for bar in bars if bar.tone is Tone.WEAK)
    assert len({bar.label for bar in bars}) == len(bars)


def test_what_is_rare_beyond_measure_is_said() -> None:
    """Of very many bars the commonest are drawn, in their order, and the rest is counted."""
    counted = {hashed(f"x{index}", {}, Kind.FAST): index + 1 for index in range(30)}
    figure = audit_figure(judged(counted))
    (chart,) = figure.charts
    assert isinstance(chart, Tally)

    assert 24 == len(chart.bars)
    assert ("21 rarer ones are not drawn.",) == figure.notes


def test_times_stand_beside_the_target() -> None:
    """With a target hashes are also counted by their time, the target an edge of two bins."""
    figure = audit_figure(timed(USUAL))
    chart = figure.charts[1]
    assert isinstance(chart, Histogram)

    assert 0.04 in chart.edges
    assert ["target 40.0 ms"] == [mark.label for mark in chart.marks]
    assert [
        "cheaper than the target asks for: 342, 2 of them without a time",
        "worth the target: 500",
    ] == [layer.label for layer in chart.layers]
    assert 840 == sum(chart.totals)
    assert ("9 have no time: no hash, no cost, or not timed.",) == figure.notes


@pytest.mark.parametrize(
    "more",
    [
        {},
        {hashed("bcrypt", {"cost": 8}): 3},
        {hashed("md5", {}, Kind.FAST): 2, hashed(None, {}, Kind.LOCKED): 4},
        {hashed("yescrypt", {"cost": 5}): 2},
    ],
)
def test_the_key_counts_what_the_text_counts(more: dict[Reading, int]) -> None:
    """As many are cheaper, or cannot be told, in the key as in the text, timed or not."""
    found = timed({hashed("bcrypt", {"cost": 12}): 5, **more})
    chart = audit_figure(found).charts[1]
    assert isinstance(chart, Histogram)
    said = {
        layer.tone: int(layer.label.rpartition(": ")[2].partition(",")[0])
        for layer in chart.layers
    }

    assert found.below_target == said.get(Tone.WEAK, 0)
    assert found.undecided == said.get(Tone.UNSURE, 0)


@pytest.mark.parametrize("counted", [{hashed("md5", {}, Kind.FAST): 3}])
def test_without_a_time_there_is_one_chart(counted: dict[Reading, int]) -> None:
    """Where nothing has a time, or no target was given, the counts stand alone."""
    assert 1 == len(audit_figure(timed(counted)).charts)
    assert 1 == len(audit_figure(judged(USUAL)).charts)
