"""Histograms and tallies by matplotlib; kinds differ in hatch as well as in colour."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from hashcost.core.units import format_percent
from hashcost.render.plot.chart import Axis, Histogram, Mark, Tally, Tone
from hashcost.render.plot.ticks import count_tick, nice_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLES: Final[dict[Tone, dict[str, Any]]] = {
    Tone.SOUND: {"facecolor": "#56B4E9", "edgecolor": "#003f66"},
    Tone.WEAK: {"facecolor": "#E69F00", "edgecolor": "#5c2a00", "hatch": "///"},
    Tone.UNSURE: {"facecolor": "#eeeeee", "edgecolor": "#555555", "hatch": "..."},
}
"""Okabe and Ito's, of unlike brightness, each with a hatch of its own."""
_MARK_DASHES: Final = ((), (6, 2), (1, 1.5), (6, 2, 1, 2))
_SPAN_STYLES: Final[Any] = (
    {"color": "#0072B2", "hatch": ""},
    {"color": "#009E73", "hatch": "\\\\"},
)
_MOST_TICKS = 8
_ROOM_ABOVE = 1.12
_COLUMNS_OF_KEY = 76
"""Characters that stand beside each other in the key."""
_LEAST_ON_LOG = 0.5
"""Where a logarithmic axis of counts begins: a bar of one is seen."""


def shortened(text: str, most: int = 32) -> str:
    """A text without its middle if it would leave no room for the drawing."""
    end = most // 3
    return text if len(text) <= most else f"{text[: most - end - 1]}…{text[-end:]}"


def lay_out(
    axes: Axes, name: str, axis: Axis, span: tuple[float, float], ticks: Sequence[float]
) -> None:
    """Give one direction, ``x`` or ``y``, its scale, its ends, its ticks and its name."""
    from matplotlib.ticker import NullLocator

    if axis.logarithmic:
        axes.set(**{f"{name}scale": "log"})
    axes.set(**{f"{name}lim": span, f"{name}label": shortened(axis.title, 60)})
    axes.set(**{f"{name}ticks": ticks, f"{name}ticklabels": [axis.tick(each) for each in ticks]})
    # Half of the time that a drawing takes goes into minor ticks, even where none is seen.
    getattr(axes, f"{name}axis").set_minor_locator(NullLocator())


def draw_histogram(axes: Axes, chart: Histogram) -> None:
    """Bars from edge to edge; marks and spans are named in the key, so that none hides a bar."""
    low, high = chart.edges[0], chart.edges[-1]
    floor = [0] * (len(chart.edges) - 1)
    for layer in chart.layers:
        axes.bar(
            chart.edges[:-1],
            layer.counts,
            [after - before for before, after in zip(chart.edges, chart.edges[1:], strict=False)],
            bottom=floor,
            align="edge",
            linewidth=0.6,
            label=layer.label,
            zorder=2,
            **_STYLES[layer.tone],
        )
        floor = [below + count for below, count in zip(floor, layer.counts, strict=True)]
    most = max(floor)
    for span, style in zip(chart.spans, cycle(_SPAN_STYLES), strict=False):
        if span.high >= low and span.low <= high:
            ends = max(span.low, low), min(span.high, high)
            axes.axvspan(*ends, **style, alpha=0.15, linewidth=0, label=span.label, zorder=1)
    for mark, dashes in zip(chart.marks, cycle(_MARK_DASHES), strict=False):
        if low <= mark.value <= high:
            line: Any = {"color": "#000000", "linewidth": 1.3, "linestyle": (0, dashes)}
            axes.axvline(mark.value, **line, label=mark.label, zorder=3)
    _point_beyond(axes, [mark for mark in chart.marks if mark.value < low], right=False)
    _point_beyond(axes, [mark for mark in chart.marks if mark.value > high], right=True)
    ticks = nice_ticks(low, high, _MOST_TICKS, logarithmic=chart.axis.logarithmic)
    lay_out(axes, "x", chart.axis, (low, high), ticks)
    many = Axis(title=chart.counted, tick=count_tick)
    lay_out(axes, "y", many, (0, most * _ROOM_ABOVE), _whole_ticks(0, most))
    axes.grid(visible=True, axis="y", color="#dddddd", linewidth=0.6)
    _draw_key(axes)


def _point_beyond(axes: Axes, marks: Sequence[Mark], *, right: bool) -> None:
    """Arrows to the side that marks lie on which are not on the axis."""
    if not marks:
        return
    axes.annotate(
        "\n".join(f"{mark.label} →" if right else f"← {mark.label}" for mark in marks),
        (1.0 if right else 0.0, 0.99),
        xycoords="axes fraction",
        xytext=(-4 if right else 4, 0),
        textcoords="offset points",
        ha="right" if right else "left",
        va="top",
        fontsize=8,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5},
        zorder=4,
    )


def _whole_ticks(low: float, high: float, *, logarithmic: bool = False) -> list[float]:
    ticks = nice_ticks(low, high, 6, logarithmic=logarithmic)
    return [tick for tick in ticks if tick == round(tick)]


def draw_tally(axes: Axes, chart: Tally) -> None:
    """Lying bars, the first one on top, each with its count and share."""
    logarithmic = chart.axis.logarithmic
    least = _LEAST_ON_LOG if logarithmic else 0.0
    for tone, meaning in chart.key:
        rows = [place for place, bar in enumerate(chart.bars) if bar.tone is tone]
        axes.barh(
            rows,
            [chart.bars[row].count - least for row in rows],
            left=least,
            height=0.72,
            linewidth=0.6,
            label=meaning,
            **_STYLES[tone],
        )
    for place, bar in enumerate(chart.bars):
        axes.annotate(
            f"{chart.axis.tick(bar.count)} ({format_percent(bar.count / chart.total)})",
            (bar.count, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    most = max(bar.count for bar in chart.bars)
    room = (most / least) ** 0.2 if least else 1.2
    scale = ", on a logarithmic scale" if logarithmic else ""
    axis = replace(chart.axis, title=f"{chart.axis.title}{scale}")
    ticks = _whole_ticks(least, most * room, logarithmic=logarithmic)
    lay_out(axes, "x", axis, (least, most * room), ticks)
    axes.set_yticks(range(len(chart.bars)), [bar.label for bar in chart.bars])
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.set_ylim(len(chart.bars) - 0.4, -0.6)
    axes.grid(visible=True, axis="x", color="#dddddd", linewidth=0.6)
    _draw_key(axes)


def _draw_key(axes: Axes) -> None:
    """Below the chart, where it hides nothing; in two columns where they fit."""
    _, labels = axes.get_legend_handles_labels()
    axes.legend(
        frameon=False,
        fontsize=8,
        loc="upper left",
        bbox_to_anchor=(0.0, 0.0),
        borderaxespad=3.6,
        ncols=2 if 2 * max(map(len, labels)) <= _COLUMNS_OF_KEY else 1,
        handlelength=2.4,
    )
