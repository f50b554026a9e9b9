"""Pictures in a terminal, drawn with characters by plotext."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from hashcost.core.errors import UnavailableError
from hashcost.render.plot import terminal_counts
from hashcost.render.plot.chart import Axis, Bar, Bars, Chart, Curves, Figure, Histogram, Tally
from hashcost.render.plot.terminal_counts import in_lines
from hashcost.render.plot.ticks import padded, ticks_of
from hashcost.render.wording import farther_end

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_MARKERS: Final = ("●", "■", "▲", "◆", "▼", "+", "x")
_HOLLOW: Final = ("○", "□", "△", "◇", "▽", "+", "x")
_COLORS: Final = ("blue+", "orange+", "green+", "magenta+", "cyan+", "red+", "white")
_ROWS = 20
_LEAST_COLUMNS = 40


def check_available() -> None:
    """Raise an error that says how to install plotext if it is not available."""
    _plotext()


def draw(figure: Figure, *, width: int, color: bool) -> str:
    """The figure as lines no wider than this; fails as `check_available` does."""
    width = max(width, _LEAST_COLUMNS)
    parts = [_drawn(chart, width=width, color=color) for chart in figure.charts]
    if figure.notes:
        parts.append("".join(f"{textwrap.fill(note, width)}\n" for note in figure.notes))
    return "\n".join(parts)


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


def _positions(axis: Axis, values: Sequence[float]) -> list[float]:
    return [math.log10(value) if axis.logarithmic else value for value in values]


def _curves(chart: Curves, *, width: int, color: bool) -> str:
    plt = _plotext()
    plt.clear_figure()
    plt.plotsize(width, _ROWS)
    plt.theme("clear")
    xs = [point.x for series in chart.series for point in series.points]
    xs += [mark.value for mark in chart.marks if not mark.horizontal]
    ys = [point.y for series in chart.series for point in series.points]
    ys += [mark.value for mark in chart.marks if mark.horizontal]
    for limit, put, axis, values, room, count in (
        (plt.xlim, plt.xticks, chart.x, xs, 0.04, width // 10),
        (plt.ylim, plt.yticks, chart.y, ys, 0.06, 6),
    ):
        span = padded(values, room, logarithmic=axis.logarithmic)
        ticks = ticks_of(axis, values, span, count)
        limit(*_positions(axis, span))
        put(_positions(axis, ticks), [axis.tick(value) for value in ticks])
    for mark in chart.marks:
        if mark.horizontal:
            plt.hline(*_positions(chart.y, [mark.value]), "white")
        else:
            plt.vline(*_positions(chart.x, [mark.value]), "white")
    for index, series in enumerate(chart.series):
        solid = [(point.x, point.y) for point in series.points if point.solid]
        hollow = [(point.x, point.y) for point in series.points if not point.solid]
        for draw_points, points, marker in (
            (plt.plot, series.line, "braille"),
            (plt.scatter, solid, _MARKERS[index % len(_MARKERS)]),
            (plt.scatter, hollow, _HOLLOW[index % len(_HOLLOW)]),
        ):
            if points:
                draw_points(
                    _positions(chart.x, [x for x, _ in points]),
                    _positions(chart.y, [y for _, y in points]),
                    marker=marker,
                    color=_COLORS[index % len(_COLORS)],
                )
    return _framed(plt, chart, width=width, color=color)


def _framed(plt: ModuleType, chart: Curves, *, width: int, color: bool) -> str:
    text: str = plt.build()
    lines = [line.rstrip() for line in (text if color else _ESCAPES.sub("", text)).splitlines()]
    key = [
        f"{_MARKERS[index % len(_MARKERS)]} {series.label}"
        for index, series in enumerate(chart.series)
    ]
    if any(not point.solid for series in chart.series for point in series.points):
        key.append(f"{_HOLLOW[0]} predicted")
    key += [f"{'─' if mark.horizontal else '│'} {mark.label}" for mark in chart.marks]
    head = f"{chart.y.title}, by {chart.x.title}"
    return "\n".join([head, *(line for line in lines if line), *in_lines(key, width)]) + "\n"


def _figure(bar: Bar, axis: Axis) -> str:
    """The value and its error, if that is known."""
    text = axis.tick(bar.value)
    if bar.low is None or bar.high is None or not bar.value:
        return text
    return f"{text} {farther_end(bar.value, (bar.low, bar.high))}"


def _bars(chart: Bars, *, width: int, color: bool) -> str:
    """Bars lying down, so that a name of any length stands before its bar."""
    longest = max(len(bar.label) for bar in chart.bars)
    shown = [_figure(bar, chart.axis) for bar in chart.bars]
    room = max(8, width - longest - max(map(len, shown)) - 4)
    most = max(bar.value for bar in chart.bars) or 1.0
    lines = [chart.title or chart.axis.title]
    for bar, figure in zip(chart.bars, shown, strict=True):
        length = round(room * bar.value / most)
        drawn = ("█" if bar.solid else "░") * length
        drawn = f"\x1b[34m{drawn}\x1b[0m" if color and drawn else drawn
        lines.append(f"{bar.label:>{longest}} │{drawn} {figure}")
    return "\n".join(lines) + "\n"
