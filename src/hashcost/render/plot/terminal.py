"""Pictures in a terminal, drawn with characters by plotext."""

from __future__ import annotations

import math
import re
import textwrap
from types import ModuleType
from typing import Final

from hashcost.core.errors import UnavailableError
from hashcost.render.plot import terminal_counts
from hashcost.render.plot.chart import (
    Across,
    Axis,
    Bar,
    Bars,
    Chart,
    Curves,
    Figure,
    Histogram,
    Tally,
)
from hashcost.render.plot.terminal_counts import in_lines
from hashcost.render.plot.ticks import nice_ticks, padded
from hashcost.render.wording import farther_end, plus_minus

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_MARKERS: Final = ("●", "■", "▲", "◆", "▼", "+", "x")
_HOLLOW: Final = ("○", "□", "△", "◇", "▽", "+", "x")
_COLORS: Final = ("blue+", "orange+", "green+", "magenta+", "cyan+", "red+", "white")
_ROWS = 20
_LEAST_COLUMNS = 40


def check_available() -> None:
    """See that plotext is there, before any work is done.

    Raises:
        UnavailableError: it is not; the message says how to get it.
    """
    _plotext()


def draw(figure: Figure, *, width: int, color: bool) -> str:
    """The figure as lines of text no wider than this, with a final newline.

    Raises:
        UnavailableError: plotext is not installed.
    """
    width = max(width, _LEAST_COLUMNS)
    drawn = [_drawn(chart, width=width, color=color) for chart in figure.charts]
    notes = [line for note in figure.notes for line in textwrap.wrap(note, width)]
    return "\n".join([*drawn, *(["\n".join(notes) + "\n"] if notes else [])])


def _drawn(chart: Chart, *, width: int, color: bool) -> str:
    match chart:
        case Curves():
            return _curves(chart, width=width, color=color)
        case Bars():
            return _bars(chart, width=width, color=color)
        case Histogram():
            return terminal_counts.draw_histogram(chart, width=width, color=color)
        case Tally():
            return terminal_counts.draw_tally(chart, width=width, color=color)


def _plotext() -> ModuleType:
    try:
        import plotext
    except ImportError as error:
        raise UnavailableError("plotext is not installed; pip install 'hashcost[plot]'") from error
    module: ModuleType = plotext
    return module


def _position(axis: Axis, value: float) -> float:
    return math.log10(value) if axis.logarithmic else value


def _curves(chart: Curves, *, width: int, color: bool) -> str:
    plt = _plotext()
    plt.clear_figure()
    plt.plotsize(width, _ROWS)
    plt.theme("clear")
    xs = [point.x for series in chart.series for point in series.points]
    xs += [mark.value for mark in chart.marks if mark.across is Across.VERTICAL]
    ys = [point.y for series in chart.series for point in series.points]
    ys += [mark.value for mark in chart.marks if mark.across is Across.HORIZONTAL]
    low_x, high_x = padded(xs, 0.04, logarithmic=chart.x.logarithmic)
    low_y, high_y = padded(ys, 0.06, logarithmic=chart.y.logarithmic)
    plt.xlim(_position(chart.x, low_x), _position(chart.x, high_x))
    plt.ylim(_position(chart.y, low_y), _position(chart.y, high_y))
    _ticks(plt.xticks, chart.x, (low_x, high_x), xs, width // 10)
    _ticks(plt.yticks, chart.y, (low_y, high_y), ys, 6)
    for mark in chart.marks:
        if mark.across is Across.HORIZONTAL:
            plt.hline(_position(chart.y, mark.value), "white")
        else:
            plt.vline(_position(chart.x, mark.value), "white")
    for index, series in enumerate(chart.series):
        hue = _COLORS[index % len(_COLORS)]
        curve = series.curve
        if series.joined and not curve:
            curve = tuple((p.x, p.y) for p in series.points if p.solid)
        if curve:
            plt.plot(
                [_position(chart.x, x) for x, _ in curve],
                [_position(chart.y, y) for _, y in curve],
                marker="braille",
                color=hue,
            )
        for points, markers in (
            ([p for p in series.points if p.solid], _MARKERS),
            ([p for p in series.points if not p.solid], _HOLLOW),
        ):
            if points:
                plt.scatter(
                    [_position(chart.x, p.x) for p in points],
                    [_position(chart.y, p.y) for p in points],
                    marker=markers[index % len(markers)],
                    color=hue,
                )
    return _framed(plt, chart, width=width, color=color)


def _ticks(
    put: object, axis: Axis, span: tuple[float, float], values: list[float], count: int
) -> None:
    found = (
        [float(value) for value in range(int(min(values)), int(max(values)) + 1)]
        if axis.whole
        else nice_ticks(*span, count, logarithmic=axis.logarithmic)
    )
    if callable(put):
        put([_position(axis, value) for value in found], [axis.tick(value) for value in found])


def _framed(plt: ModuleType, chart: Curves, *, width: int, color: bool) -> str:
    text: str = plt.build()
    lines = [line.rstrip() for line in (text if color else _ESCAPES.sub("", text)).splitlines()]
    key = [
        f"{_MARKERS[index % len(_MARKERS)]} {series.label}"
        for index, series in enumerate(chart.series)
    ]
    if any(not point.solid for series in chart.series for point in series.points):
        key.append(f"{_HOLLOW[0]} predicted")
    key += [
        f"{'─' if mark.across is Across.HORIZONTAL else '│'} {mark.label}" for mark in chart.marks
    ]
    head = f"{chart.y.title}, by {chart.x.title}"
    return "\n".join([head, *(line for line in lines if line), *in_lines(key, width)]) + "\n"


def _error(bar: Bar) -> str:
    """How far the farther end of the error is, behind the figure."""
    if bar.low is None or bar.high is None or not bar.value:
        return ""
    return f" {plus_minus(farther_end(bar.value, (bar.low, bar.high)))}"


def _bars(chart: Bars, *, width: int, color: bool) -> str:
    """Bars lying down, so that a name of any length stands before its bar."""
    longest = max((len(bar.label) for bar in chart.bars), default=0)
    shown = [f"{chart.axis.tick(bar.value)}{_error(bar)}" for bar in chart.bars]
    room = max(8, width - longest - max(map(len, shown), default=0) - 4)
    most = max((bar.value for bar in chart.bars), default=1.0) or 1.0
    lines = [chart.title or chart.axis.title]
    for bar, figure in zip(chart.bars, shown, strict=True):
        length = round(room * bar.value / most)
        drawn = ("█" if bar.solid else "░") * length
        drawn = f"\x1b[34m{drawn}\x1b[0m" if color and drawn else drawn
        lines.append(f"{bar.label:>{longest}} │{drawn} {figure}")
    return "\n".join(lines) + "\n"
