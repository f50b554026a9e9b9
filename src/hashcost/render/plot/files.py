"""SVG, PNG and PDF by matplotlib: readable in print and by the colour-blind.

Series differ in colour (Okabe and Ito), in line style and in marker. The same figure
gives the same bytes: no date, no random names.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hashcost.core.errors import UnavailableError, UsageError
from hashcost.core.foreign import path_name
from hashcost.documents.extras import how_to_install
from hashcost.render.plot.chart import Bars, Chart, Curves, Figure, Histogram, Mark, Series, Tally
from hashcost.render.plot.file_counts import draw_histogram, draw_tally, lay_out, shortened
from hashcost.render.plot.ticks import nice_ticks, padded, ticks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES: Final = (".svg", ".png", ".pdf")

COLORS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito, Color Universal Design (2008); yellow is left out: it fails on white."""
_DASHES: Final = ("-", "--", "-.", ":")
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
_WIDTH_INCHES, _CHART_INCHES = 7.0, 3.9
_BAR_INCHES, _FRAME_INCHES = 0.19, 0.9
_LONGEST_LINE = 90
"""Characters of a title that fit across a chart."""
_DOTS_PER_INCH = 200
_SETTINGS: Final[Any] = {
    "svg.hashsalt": "hashcost",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "pdf.fonttype": 42,
}
METADATA: Final[Any] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


def check_suffix(path: Path) -> None:
    """Raise a usage error if a picture's name ends with none of `SUFFIXES`."""
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"--plot: {path_name(path)} ends with none of {', '.join(SUFFIXES)}")


def check_available(extra: str = "plot") -> None:
    """Raise an error that says how to install the ``extra`` if matplotlib is not available."""
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise UnavailableError(f"matplotlib is not installed; {how_to_install(extra)}") from error


@contextlib.contextmanager
def drawing(*, text: bool = False) -> Iterator[None]:
    """Draw with this program's settings, not the user's; ``text`` stays text in an SVG.

    Letters that the font lacks are drawn as boxes, without a warning.
    """
    import matplotlib as mpl

    settings: Any = {**_SETTINGS, "svg.fonttype": "none" if text else "path"}
    with mpl.rc_context({**mpl.rcParamsDefault, **settings}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing")
        yield


def draw(figure: Figure, suffix: str) -> bytes:
    """The figure as a file of one of `SUFFIXES`; fails as `check_available` does."""
    check_available()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    form = suffix.lstrip(".").lower()
    with drawing():
        heights = [_inches(chart) for chart in figure.charts]
        canvas = Canvas(figsize=(_WIDTH_INCHES, sum(heights) + 0.6), layout="constrained")
        FigureCanvasAgg(canvas)
        canvas.suptitle(figure.title, fontsize=12, fontweight="bold", x=0.02, ha="left")
        below = "\n".join((*figure.notes, figure.caption))
        canvas.supxlabel(below, fontsize=7, color="#444444", x=0.02, ha="left")
        grid = canvas.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
        for axes, chart in zip(grid[:, 0], figure.charts, strict=True):
            draw_chart(axes, chart)
        content = io.BytesIO()
        canvas.savefig(content, format=form, dpi=_DOTS_PER_INCH, metadata=METADATA[form])
    return content.getvalue()


def _inches(chart: Chart) -> float:
    """How high a chart is drawn: every bar has its own line of text."""
    match chart:
        case Bars():
            return _BAR_INCHES * len(chart.bars) + _FRAME_INCHES
        case Tally():
            return 1.3 + 0.2 * len(chart.bars)
        case _:
            return _CHART_INCHES


def draw_chart(axes: Axes, chart: Chart, *, halo: bool = True) -> None:
    """Draw a chart; names in it have a ``halo`` where they are drawn as paths."""
    axes.set_title(shortened(chart.title, _LONGEST_LINE), loc="left", fontsize=9, color="#333333")
    match chart:
        case Curves():
            _draw_curves(axes, chart, halo=halo)
        case Bars():
            _draw_bars(axes, chart)
        case Histogram():
            draw_histogram(axes, chart)
        case Tally():
            draw_tally(axes, chart)


def _draw_curves(axes: Axes, chart: Curves, *, halo: bool) -> None:
    points = [point for series in chart.series for point in series.points]
    xs = [point.x for point in points]
    xs += [mark.value for mark in chart.marks if not mark.horizontal]
    ys = [end for p in points for end in (p.y, p.low or p.y, p.high or p.y)]
    ys += [mark.value for mark in chart.marks if mark.horizontal]
    for name, axis, values in (("x", chart.x, xs), ("y", chart.y, ys)):
        span = padded(values, 0.06, logarithmic=axis.logarithmic)
        lay_out(axes, name, axis, span, ticks_of(axis, values, span, 9))
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    for index, series in enumerate(chart.series):
        _draw_series(axes, series, index)
    # Of several marks of one direction the outer one points outwards.
    for horizontal in (True, False):
        together = [mark for mark in chart.marks if mark.horizontal is horizontal]
        together.sort(key=lambda mark: mark.value, reverse=not horizontal)
        for index, mark in enumerate(together):
            _draw_mark(axes, mark, outer=index == 0 and len(together) > 1, halo=halo)
    axes.legend(frameon=True, framealpha=0.9, edgecolor="none", fontsize=8, loc="best")


def _error(value: float, low: float | None, high: float | None) -> tuple[float, float]:
    return value - (low or value), (high or value) - value


def _style(index: int) -> dict[str, Any]:
    return {
        "color": COLORS[index % len(COLORS)],
        "linestyle": _DASHES[index % len(_DASHES)],
        "marker": _MARKERS[index % len(_MARKERS)],
    }


def _draw_series(axes: Axes, series: Series, index: int) -> None:
    style = _style(index)
    if series.line:
        line: Any = {"color": style["color"], "linestyle": style["linestyle"], "linewidth": 1.2}
        axes.plot(*zip(*series.line, strict=True), **line)
    style |= {"linestyle": "none", "markersize": 5}
    solid = [(p.x, p.y, *_error(p.y, p.low, p.high)) for p in series.points if p.solid]
    hollow = [(point.x, point.y) for point in series.points if not point.solid]
    if solid:
        xs, ys, *errors = zip(*solid, strict=True)
        ends: Any = {"yerr": errors, "capsize": 3, "elinewidth": 1}
        axes.errorbar(xs, ys, **style, **ends, label=shortened(series.label))
    if hollow:
        style |= {"markerfacecolor": "white", "label": f"{shortened(series.label)}, predicted"}
        axes.plot(*zip(*hollow, strict=True), **style)


def _draw_mark(axes: Axes, mark: Mark, *, outer: bool, halo: bool) -> None:
    """A line with its name above it or to its left; ``outer`` below it or to its right."""
    from matplotlib.patheffects import withStroke

    color = "#000000" if mark.series is None else COLORS[mark.series % len(COLORS)]
    behind: Any = {"path_effects": [withStroke(linewidth=3, foreground="white")]} if halo else {}
    if mark.horizontal:
        axes.axhline(mark.value, color=color, linewidth=1, linestyle=(0, (6, 2)))
        place: Any = {
            "xy": (0.0, mark.value),
            "xycoords": ("axes fraction", "data"),
            "xytext": (4, -3 if outer else 3),
            "va": "top" if outer else "bottom",
            "fontsize": 8,
        }
    else:
        axes.axvline(mark.value, color=color, linewidth=1, linestyle=(0, (1, 1.5)))
        place = {
            # At the bottom: time rises with cost, so points are seldom there.
            "xy": (mark.value, 0.0),
            "xycoords": ("data", "axes fraction"),
            "xytext": (3 if outer else -3, 3),
            "ha": "left" if outer else "right",
            "va": "bottom",
            "rotation": 90,
            "fontsize": 7.5,
        }
    axes.annotate(
        shortened(mark.label), textcoords="offset points", color=color, **place, **behind
    )


def _draw_bars(axes: Axes, chart: Bars) -> None:
    """Bars beside their names, with the figures in a column; hollow where it is not solid.

    They lie along an axis from nothing, or from a tenth of the least if it is logarithmic.
    """
    places = range(len(chart.bars))
    axes.barh(
        places,
        [bar.value for bar in chart.bars],
        height=0.7,
        color=[COLORS[4] if bar.solid else "white" for bar in chart.bars],
        edgecolor=COLORS[0],
        linewidth=0.8,
    )
    for place, bar in zip(places, chart.bars, strict=True):
        if bar.high:
            axes.errorbar(
                bar.value,
                place,
                xerr=[[end] for end in _error(bar.value, bar.low, bar.high)],
                fmt="none",
                ecolor="#000000",
                elinewidth=1,
                capsize=2,
            )
        axes.annotate(
            chart.axis.tick(bar.value),
            (1.01, place),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=7,
        )
    axes.set_yticks(list(places), [shortened(bar.label) for bar in chart.bars], fontsize=7.5)
    axes.set_ylim(len(chart.bars) - 0.4, -0.6)
    logarithmic = chart.axis.logarithmic
    ends = [bar.high or bar.value for bar in chart.bars] + [mark.value for mark in chart.marks]
    low = min(bar.low or bar.value for bar in chart.bars) / 10 if logarithmic else 0.0
    high = max(ends) * 1.05
    ticks = nice_ticks(low, high, 6, logarithmic=logarithmic)
    lay_out(axes, "x", chart.axis, (low, high), ticks)
    axes.xaxis.label.set_fontsize(8)
    for mark in chart.marks:
        axes.axvline(mark.value, color="#000000", linewidth=1, linestyle=(0, (6, 2)))
    axes.grid(visible=True, axis="x", color="#dddddd", linewidth=0.6)
