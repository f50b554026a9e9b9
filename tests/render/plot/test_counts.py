"""Histograms and tallies, in a terminal and as files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hashcost.render.plot import files, terminal
from hashcost.render.plot.chart import (
    Axis,
    Counted,
    Figure,
    Histogram,
    Layer,
    Mark,
    Span,
    Tally,
    Tone,
)

HISTOGRAM = Histogram(
    title="one cost",
    axis=Axis(title="time", tick="{:g} s".format),
    counted="hashes",
    edges=(1.0, 2.0, 3.0, 4.0),
    layers=(
        Layer(label="timed", tone=Tone.SOUND, counts=(2, 0, 1)),
        Layer(label="scaled", tone=Tone.UNSURE, counts=(1, 0, 0)),
    ),
    marks=(
        Mark(label="judged", value=2.1),
        Mark(label="limit", value=9.0),
        Mark(label="least", value=0.5),
    ),
    spans=(
        Span(label="interval", low=0.5, high=2.5),
        Span(label="elsewhere", low=7.0, high=8.0),
    ),
)
TALLY = Tally(
    title="all",
    axis=Axis(title="stored hashes", tick="{:,.0f}".format),
    bars=(
        Counted(label="bcrypt=8", count=10, tone=Tone.WEAK),
        Counted(label="bcrypt=12", count=30, tone=Tone.SOUND),
        Counted(label="locked", count=0, tone=Tone.UNSURE),
    ),
    key=((Tone.WEAK, "weak"), (Tone.SOUND, "fine"), (Tone.UNSURE, "no hash")),
    total=40,
)


def drawn(chart: Histogram | Tally, width: int = 40, *, color: bool = False) -> str:
    """The chart as text."""
    return terminal.draw(Figure(charts=(chart,)), width=width, color=color)


def test_a_histogram_in_a_terminal() -> None:
    """A line a bin with its count; marks between bins, or named as beyond; a span runs along."""
    assert drawn(HISTOGRAM).splitlines() == [
        "one cost",
        "time; how many hashes",
        "1 s to 2 s ┃│██████░░░ 3",
        "── judged ──────────────────────────────",
        "2 s to 3 s ┃│",
        "3 s to 4 s  │███ 1",
        "█ timed   ░ scaled   ┃ interval",
        "↓ limit, beyond   ↑ least, beyond",
    ]


def test_a_tally_in_a_terminal() -> None:
    """A line a bar, as long as its share, with count and share; nothing has no bar."""
    assert drawn(TALLY, 46).splitlines() == [
        "all",
        "bcrypt=8  10   25 % │▒▒▒▒▒▒▒▒",
        "bcrypt=12 30   75 % │█████████████████████████",
        "locked     0 <0.1 % │",
        "▒ weak   █ fine   ░ no hash",
    ]


def test_a_long_name_stands_above_its_bar() -> None:
    """A name that leaves no room for a bar has a line of its own."""
    name = "argon2id=m=19456,t=2,p=1 to m=65536,t=3,p=4"
    text = drawn(replace(TALLY, bars=(Counted(label=name, count=3, tone=Tone.WEAK),)))

    assert " ".join(name.split()) in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 40
    assert "  3 " in text


@given(
    counts=st.lists(st.integers(0, 10**7), min_size=1, max_size=24).filter(any),
    width=st.integers(40, 200),
)
def test_no_line_is_wider_than_the_terminal(counts: list[int], width: int) -> None:
    """However much there is to count, it fits, and what there is of anything is seen."""
    layer = Layer(label="timed", tone=Tone.WEAK, counts=tuple(counts))
    edges = tuple(float(index) for index in range(len(counts) + 1))
    bars = tuple(Counted(label=f"cost {n}", count=n, tone=Tone.WEAK) for n in counts)
    histogram = drawn(replace(HISTOGRAM, edges=edges, layers=(layer,)), width)
    tally = drawn(replace(TALLY, bars=bars, total=sum(counts)), width)

    for text in (histogram, tally):
        assert max(map(len, text.splitlines())) <= width
        lines = [line for line in text.splitlines() if "│" in line]
        assert [count > 0 for count in counts] == ["▒" in line for line in lines]


@pytest.mark.parametrize("chart", [HISTOGRAM, TALLY])
def test_colour_is_for_a_terminal_that_wants_it(chart: Histogram | Tally) -> None:
    """With colour the characters are the same: nothing is told by colour alone."""
    colored = drawn(chart, color=True)

    assert "\x1b[" in colored
    assert drawn(chart) == terminal._ESCAPES.sub("", colored)


@pytest.mark.parametrize("suffix", files.SUFFIXES)
def test_files_are_drawn_again_alike(suffix: str) -> None:
    """The same picture has the same bytes, on either kind of axis."""
    charts = (
        replace(HISTOGRAM, axis=replace(HISTOGRAM.axis, logarithmic=True)),
        replace(TALLY, axis=replace(TALLY.axis, logarithmic=False), bars=TALLY.bars[:2]),
    )
    figure = Figure(charts=charts, notes=("one more",), caption="here")

    drawn_once = files.draw(figure, suffix)
    assert drawn_once == files.draw(figure, suffix)
    assert drawn_once != files.draw(replace(figure, notes=()), suffix)


def test_every_tone_has_its_hatch_and_its_block() -> None:
    """The colour-blind, and a printer in black, tell them apart."""
    from hashcost.render.plot import file_counts, terminal

    assert len(Tone) == len({style.get("hatch") for style in file_counts._STYLES.values()})
    assert len(Tone) == len({*terminal._BLOCKS.values()})


def test_marks_stand_at_their_values_in_a_file() -> None:
    """A mark is drawn at its value between the edges, and one beyond them is no line."""
    from matplotlib.figure import Figure as Canvas

    from hashcost.render.plot.file_counts import draw_histogram

    axes = Canvas().subplots()
    draw_histogram(axes, HISTOGRAM)

    lines: list[Any] = [line.get_xdata() for line in axes.get_lines()]

    assert [[2.1, 2.1]] == [list(line) for line in lines]
    assert (1.0, 4.0) == axes.get_xlim()
    said = [text.get_text() for text in axes.texts]
    assert ["← least", "limit →"] == said


def test_notes_stand_below() -> None:
    """What is not drawn is said below everything that is."""
    text = terminal.draw(Figure(charts=(TALLY,), notes=("3 more.",)), width=60, color=False)

    assert text.endswith("\n\n3 more.\n")
