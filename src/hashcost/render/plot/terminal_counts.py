"""Histograms and tallies in a terminal: lying bars, a line each. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

from hashcost.core.units import format_percent
from hashcost.render.plot.chart import Histogram, Mark, Tally, Tone
from hashcost.render.wording import gathered

_BLOCKS: Final = {Tone.SOUND: "█", Tone.WEAK: "▒", Tone.UNSURE: "░"}
_COLORS: Final = {Tone.SOUND: "\x1b[34m", Tone.WEAK: "\x1b[33m", Tone.UNSURE: ""}
_RESET: Final = "\x1b[0m"
_SPANS: Final = ("┃", "┊", "╎")
_LEAST_CELLS = 8
_MOST_CELLS_EACH = 3


def draw_histogram(chart: Histogram, *, width: int, color: bool) -> str:
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
    lines = _wrapped(chart.title, width)
    lines += _wrapped(f"{chart.axis.title}; how many {chart.counted}", width)
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
    return "\n".join([*lines, *in_lines(key, width)]) + "\n"


def draw_tally(chart: Tally, *, width: int, color: bool) -> str:
    """A line per bar with its count and share; bars are as long as their counts, in proportion."""
    longest = max(len(bar.label) for bar in chart.bars)
    count_width = max(len(chart.axis.tick(bar.count)) for bar in chart.bars)
    figures = [
        f"{chart.axis.tick(bar.count):>{count_width}} {_share(bar.count / chart.total)}"
        for bar in chart.bars
    ]
    beside = width - max(map(len, figures)) - _LEAST_CELLS - 4
    most = max(bar.count for bar in chart.bars)
    folds = longest > beside
    room = width - (2 if folds else longest) - max(map(len, figures)) - 3
    lines = _wrapped(chart.title, width)
    for bar, figure in zip(chart.bars, figures, strict=True):
        drawn = _bar(bar.tone, _cells(bar.count, room / most), color=color)
        if folds:
            lines += [*_wrapped(bar.label, width), f"  {figure} │{drawn}"]
        else:
            lines.append(f"{bar.label:<{longest}} {figure} │{drawn}")
    key = [f"{_BLOCKS[tone]} {meaning}" for tone, meaning in chart.key]
    return "\n".join([*lines, *in_lines(key, width)]) + "\n"


def in_lines(key: Iterable[str], width: int) -> list[str]:
    """The key, no line wider than the drawing and no entry broken."""
    lines = [""]
    for entry in key:
        longer = f"{lines[-1]}   {entry}".strip()
        lines = [*lines[:-1], longer] if len(longer) <= width else [*lines, entry]
    return [line for line in lines if line]


def _share(fraction: float) -> str:
    return f"{'<0.1 %' if fraction < 0.0005 else format_percent(fraction):>6}"


def _cells(count: int, scale: float) -> int:
    """Cells of a bar; one at least where there is anything at all."""
    return max(round(count * scale), 1) if count else 0


def _bar(tone: Tone, cells: int, *, color: bool) -> str:
    drawn = _BLOCKS[tone] * cells
    return f"{_COLORS[tone]}{drawn}{_RESET}" if color and drawn and _COLORS[tone] else drawn


def _places(marks: Iterable[Mark], edges: Sequence[float]) -> dict[int, list[Mark]]:
    """Marks by the edge that is nearest to them."""

    def nearest(mark: Mark) -> int:
        return min(range(len(edges)), key=lambda index: abs(edges[index] - mark.value))

    within = [mark for mark in marks if edges[0] <= mark.value <= edges[-1]]
    return gathered((nearest(mark), mark) for mark in sorted(within, key=lambda each: each.value))


def _line(mark: Mark, width: int) -> str:
    return f"── {mark.label} ".ljust(width, "─")[:width]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="  ") if text else []
