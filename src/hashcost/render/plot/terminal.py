"""Pictures in a terminal, drawn with characters by plotext."""

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Final

from hashcost.core.errors import UnavailableError
from hashcost.core.units import format_percent
from hashcost.documents.extras import how_to_install
from hashcost.render.folding import folded
from hashcost.render.plot.chart import (
    Axis,
    Bar,
    Bars,
    Chart,
    Curves,
    Figure,
    Histogram,
    Mark,
    Tally,
    Tone,
)
from hashcost.render.plot.ticks import padded, ticks_of
from hashcost.render.wording import farther_end, gathered

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
        parts.append([textwrap.fill(note, width) for note in figure.notes])
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in parts)


def _drawn(chart: Chart, *, width: int, color: bool) -> list[str]:
    match chart:
        case Curves():
            return _curves(chart, width=width, color=color)
        case Bars():
            return _bars(chart, width=width, color=color)
        case Histogram():
            return _histogram(chart, width=width, color=color)
        case Tally():
            return _tally(chart, width=width, color=color)


def _plotext() -> ModuleType:
    try:
        import plotext
    except ImportError as error:
        raise UnavailableError(f"plotext is not installed; {how_to_install('plot')}") from error
    module: ModuleType = plotext
    return module


def _positions(axis: Axis, values: Sequence[float]) -> list[float]:
    return [math.log10(value) if axis.logarithmic else value for value in values]


def _curves(chart: Curves, *, width: int, color: bool) -> list[str]:
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
    return [head, *filter(None, lines), *_in_lines(key, width)]


def _figure(bar: Bar, axis: Axis) -> str:
    """The value and its error, if that is known."""
    text = axis.tick(bar.value)
    if bar.low is None or bar.high is None or not bar.value:
        return text
    return f"{text} {farther_end(bar.value, (bar.low, bar.high))}"


def _bars(chart: Bars, *, width: int, color: bool) -> list[str]:
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
    return lines


_BLOCKS: Final = {Tone.SOUND: "█", Tone.WEAK: "▒", Tone.UNSURE: "░"}
_PAINTS: Final = {Tone.SOUND: "\x1b[34m", Tone.WEAK: "\x1b[33m", Tone.UNSURE: ""}
_RESET: Final = "\x1b[0m"
_SPANS: Final = ("┃", "┊", "╎")
_LEAST_CELLS = 8
_MOST_CELLS_EACH = 3


def _histogram(chart: Histogram, *, width: int, color: bool) -> list[str]:
    """A line per bin; marks are lines between bins, spans run along the bins they meet."""
    bins = list(zip(chart.edges, chart.edges[1:], strict=False))
    ticks = [chart.axis.tick(edge) for edge in chart.edges]
    lows, highs = max(map(len, ticks[:-1])), max(map(len, ticks[1:]))
    first, last = chart.edges[0], chart.edges[-1]
    spans = [span for span in chart.spans if span.low < last and span.high > first]
    totals = chart.totals
    figures = [f"{total:,}" if total else "" for total in totals]
    around = lows + len(" to ") + highs + len(spans) + max(map(len, figures)) + 4
    scale = min(_MOST_CELLS_EACH, max(_LEAST_CELLS, width - around) / max(totals))
    lines = folded(chart.title, width)
    lines += folded(f"{chart.axis.title}; how many {chart.counted}", width)
    after = _places(chart.marks, chart.edges)
    lines += [_line(mark, width) for mark in after.get(0, ())]
    for index, (low, high) in enumerate(bins):
        along = "".join(
            mark if span.low < high and span.high > low else " "
            for span, mark in zip(spans, _SPANS, strict=False)
        )
        drawn = "".join(
            _bar(layer.tone, _cells(layer.counts[index], scale), color=color)
            for layer in chart.layers
        )
        label = f"{ticks[index]:>{lows}} to {ticks[index + 1]:>{highs}}"
        lines.append(f"{label} {along}│{drawn} {figures[index]}".rstrip())
        lines += [_line(mark, width) for mark in after.get(index + 1, ())]
    key = [f"{_BLOCKS[layer.tone]} {layer.label}" for layer in chart.layers]
    key += [f"{mark} {span.label}" for span, mark in zip(spans, _SPANS, strict=False)]
    key += [
        f"{'↓' if mark.value > last else '↑'} {mark.label}, beyond"
        for mark in chart.marks
        if not first <= mark.value <= last
    ]
    return [*lines, *_in_lines(key, width)]


def _tally(chart: Tally, *, width: int, color: bool) -> list[str]:
    """A line per bar with its count and share; bars are as long as their counts, in proportion."""
    longest = max(len(bar.label) for bar in chart.bars)
    parts = (bar.count / chart.total for bar in chart.bars)
    shares = ["<0.1 %" if part < 0.0005 else format_percent(part) for part in parts]
    count_width = max(len(chart.axis.tick(bar.count)) for bar in chart.bars)
    figures = [
        f"{chart.axis.tick(bar.count):>{count_width}} {share:>6}"
        for bar, share in zip(chart.bars, shares, strict=True)
    ]
    beside = width - max(map(len, figures)) - _LEAST_CELLS - 4
    most = max(bar.count for bar in chart.bars)
    folds = longest > beside
    room = width - (2 if folds else longest) - max(map(len, figures)) - 3
    lines = folded(chart.title, width)
    for bar, figure in zip(chart.bars, figures, strict=True):
        drawn = _bar(bar.tone, _cells(bar.count, room / most), color=color)
        if folds:
            lines += [*folded(bar.label, width), f"  {figure} │{drawn}"]
        else:
            lines.append(f"{bar.label:<{longest}} {figure} │{drawn}")
    key = [f"{_BLOCKS[tone]} {meaning}" for tone, meaning in chart.key]
    return [*lines, *_in_lines(key, width)]


def _in_lines(key: Iterable[str], width: int) -> list[str]:
    """The key, no line wider than the drawing and no entry broken."""
    lines = [""]
    for entry in key:
        longer = f"{lines[-1]}   {entry}".strip()
        lines = [*lines[:-1], longer] if len(longer) <= width else [*lines, entry]
    return [line for line in lines if line]


def _cells(count: int, scale: float) -> int:
    """Cells of a bar; one at least where there is anything at all."""
    return max(round(count * scale), 1) if count else 0


def _bar(tone: Tone, cells: int, *, color: bool) -> str:
    drawn = _BLOCKS[tone] * cells
    return f"{_PAINTS[tone]}{drawn}{_RESET}" if color and drawn and _PAINTS[tone] else drawn


def _places(marks: Iterable[Mark], edges: Sequence[float]) -> dict[int, list[Mark]]:
    """Marks by the edge that is nearest to them."""

    def nearest(mark: Mark) -> int:
        return min(range(len(edges)), key=lambda index: abs(edges[index] - mark.value))

    within = [mark for mark in marks if edges[0] <= mark.value <= edges[-1]]
    return gathered((nearest(mark), mark) for mark in sorted(within, key=lambda each: each.value))


def _line(mark: Mark, width: int) -> str:
    return f"── {mark.label} ".ljust(width, "─")[:width]
