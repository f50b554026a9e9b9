"""Pictures, in a terminal and as files."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from msgspec.structs import replace

from fakes import STEPS, FakeClock, FakeHasher, FakeLadder, swept
from hashcost.core.errors import UnavailableError, UsageError
from hashcost.render.plot import files, terminal
from hashcost.render.plot.chart import Axis, Bar, Bars, Curves, Figure, Mark
from hashcost.render.plot.time_by_cost import sweep_figure
from hashcost.worth.policies.catalogue import load_policy

BARS = Figure(
    charts=(
        Bars(
            title="rate",
            axis=Axis(title="hashes a second"),
            bars=(
                Bar(label="one", value=10.0, low=9.0, high=11.0),
                Bar(label="another one", value=5.0, solid=False),
            ),
            marks=(Mark(label="half", value=5.0),),
        ),
    )
)


@pytest.fixture
def figure(clock: FakeClock) -> Figure:
    """Three hashers, two of which share a chart; a floor, and points that are predicted."""
    hashers = (
        FakeHasher(clock, name="pbkdf2-sha1"),
        FakeHasher(clock, name="pbkdf2-sha256", seconds_per_unit=2e-6),
        FakeHasher(clock, name="bcrypt", knob=STEPS, seconds_per_unit=1e-4),
        FakeLadder(clock, name="argon2id", passes=None),
    )
    names = [
        f"{hasher.label}={costs}"
        for hasher, costs in zip(
            hashers, ("1000,10000,10000000", "1000,10000", "6..14", "1..64"), strict=True
        )
    ]
    return sweep_figure(
        swept(clock, *hashers, names=names, budget=5.0, policies=(load_policy("owasp"),))
    )


def test_hashers_that_count_the_same_share_a_chart(figure: Figure) -> None:
    """A chart is of one kind of cost, log axes where costs span decades, whole steps else."""
    charts = [chart for chart in figure.charts if isinstance(chart, Curves)]

    assert [2, 1, 1] == [len(chart.series) for chart in charts]
    assert [True, False, True] == [chart.x.logarithmic for chart in charts]
    assert [False, True, False] == [chart.x.whole for chart in charts]
    assert all(chart.y.logarithmic for chart in charts)


def test_target_and_floors_are_marked(figure: Figure) -> None:
    """The target lies across every chart; a policy's floor stands where it is of the knob."""
    charts = [chart for chart in figure.charts if isinstance(chart, Curves)]
    marks = [mark for chart in charts for mark in chart.marks]

    assert 3 == sum(mark.label == "target 250 ms" for mark in marks)
    assert [10.0] == [mark.value for mark in charts[1].marks if not mark.horizontal]


def test_predicted_points_are_hollow(figure: Figure) -> None:
    """What was not timed is drawn otherwise than what was."""
    chart = figure.charts[0]
    assert isinstance(chart, Curves)

    assert [True, True, False] == [point.solid for point in chart.series[0].points]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_terminal_is_not_overrun(figure: Figure, width: int) -> None:
    """No line is wider than the terminal, unless a single entry of the key is."""
    text = terminal.draw(figure, width=width, color=False)

    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= width
    assert "● pbkdf2-sha1@memory" in text
    assert "○ predicted" in text
    assert "target 250 ms" in text


def test_colour_is_for_a_terminal_that_wants_it(figure: Figure) -> None:
    """With colour there are escape codes, and the same characters without them."""
    plain, colored = (terminal.draw(figure, width=80, color=color) for color in (False, True))
    stripped = terminal._ESCAPES.sub("", colored)

    assert "\x1b[" in colored
    assert [line.rstrip() for line in plain.splitlines()] == [
        line.rstrip() for line in stripped.splitlines()
    ]


def test_bars_lie_with_their_names() -> None:
    """Bars are as long as their values, what was not measured is lighter."""
    text = terminal.draw(BARS, width=40, color=False)

    assert text.splitlines()[0] == "rate"
    assert abs(text.count("█") - 2 * text.count("░")) <= 1
    assert " another one │" in "\n" + text.replace("\n", "\n ")


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")]
)
def test_files_are_what_their_name_says(figure: Figure, suffix: str, magic: bytes) -> None:
    """SVG, PNG and PDF are written, and the same picture has the same bytes."""
    once, again = (files.draw(figure, suffix) for _ in range(2))

    assert once.startswith(magic)
    assert once == again


def test_svg_holds_no_date_and_is_well_formed(figure: Figure) -> None:
    """An SVG can be kept beside the code: no date is in it."""
    content = files.draw(figure, ".svg")

    assert ET.fromstring(content).tag.endswith("svg")
    assert b"<dc:date>" not in content


def test_bars_are_drawn_as_a_file() -> None:
    """Bars are drawn too, on a logarithmic axis as well."""
    (chart,) = BARS.charts
    assert isinstance(chart, Bars)
    axis = replace(chart.axis, logarithmic=True)
    logarithmic = replace(BARS, charts=(replace(chart, axis=axis),))

    assert files.draw(BARS, ".svg") != files.draw(logarithmic, ".svg")


def test_series_differ_in_more_than_colour() -> None:
    """The colour-blind, and a printer in black, tell seven series apart by marker."""
    styles = [files._style(index) for index in range(7)]

    assert 7 == len({style["marker"] for style in styles})
    assert 7 == len({style["color"] for style in styles})
    assert len({style["linestyle"] for style in styles}) > 1


def test_another_suffix_is_refused() -> None:
    """A name that says no form is refused with those that there are."""
    with pytest.raises(UsageError, match=r"--plot: x\.gif ends with none of \.svg, \.png, \.pdf"):
        files.check_suffix(Path("x.gif"))


def test_without_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib or plotext the message has the command that brings them."""
    for library, check in (
        ("matplotlib", files.check_available),
        ("plotext", terminal.check_available),
    ):
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(UnavailableError, match=r"pip install 'matplotlib>=\S+' 'plotext<"):
            check()
