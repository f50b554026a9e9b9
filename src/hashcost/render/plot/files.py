"""SVG, PNG and PDF by matplotlib: readable in print and by the colour-blind.

Series differ in colour (Okabe and Ito), in line style and in marker. The same figure
gives the same bytes: no date, no random names.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hashcost.errors import UnavailableError, UsageError
from hashcost.render.plot.chart import Across, Axis, Bars, Curves, Figure, Mark, Series
from hashcost.render.plot.ticks import nice_ticks, padded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES: Final = (".svg", ".png", ".pdf")

_COLORS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito, Color Universal Design (2008); yellow is left out: it fails on white."""
_DASHES: Final = ("-", "--", "-.", ":")
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
_WIDTH_INCHES, _CHART_INCHES = 7.0, 3.9
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
    """See that a picture can be written in the form that its name asks for.

    Raises:
        UsageError: its suffix is none of `SUFFIXES`.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"--plot: {path} ends with none of {', '.join(SUFFIXES)}")


def check_available(extra: str = "plot") -> None:
    """See that matplotlib is there, before any work is done; ``extra`` brings it.

    Raises:
        UnavailableError: it is not; the message says how to get it.
    """
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise UnavailableError(
            f"matplotlib is not installed; pip install 'hashcost[{extra}]'"
        ) from error


@contextlib.contextmanager
def drawing(*, text: bool = False) -> Iterator[None]:
    """Draw with this program's settings, whatever the user's own are.

    In an SVG, ``text`` stays text instead of paths. A name that the font has no letters
    for is drawn with boxes, and no word about it.
    """
    import matplotlib as mpl

    settings: Any = {**_SETTINGS, "svg.fonttype": "none" if text else "path"}

    with (
        mpl.rc_context({**mpl.rcParamsDefault, **settings}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing")
        yield


def draw(figure: Figure, suffix: str) -> bytes:
    """The figure as a file of one of `SUFFIXES`.

    Raises:
        UnavailableError: matplotlib is not installed.
    """
    check_available()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    form = suffix.lstrip(".").lower()
    with drawing():
        count = len(figure.charts)
        canvas = Canvas(figsize=(_WIDTH_INCHES, _CHART_INCHES * count + 0.6), layout="constrained")
        FigureCanvasAgg(canvas)
        canvas.suptitle(figure.title, fontsize=12, fontweight="bold", x=0.02, ha="left")
        canvas.supxlabel(figure.caption, fontsize=7, color="#444444", x=0.02, ha="left")
        grid = canvas.subplots(count, 1, squeeze=False)
        for axes, chart in zip(grid[:, 0], figure.charts, strict=True):
            if isinstance(chart, Bars):
                draw_bars(axes, chart)
            else:
                draw_curves(axes, chart)
        content = io.BytesIO()
        canvas.savefig(content, format=form, dpi=_DOTS_PER_INCH, metadata=METADATA[form])
    return content.getvalue()


def draw_curves(axes: Axes, chart: Curves, *, halo: bool = True) -> None:
    """Draw points and curves; names in the chart have a ``halo`` where they are drawn as paths."""
    axes.set_title(chart.title, loc="left", fontsize=9, color="#333333")
    xs = [point.x for series in chart.series for point in series.points]
    xs += [mark.value for mark in chart.marks if mark.across is Across.VERTICAL]
    ys = [
        end
        for series in chart.series
        for point in series.points
        for end in (point.y, point.low or point.y, point.high or point.y)
    ]
    ys += [mark.value for mark in chart.marks if mark.across is Across.HORIZONTAL]
    _lay_out(axes, "x", chart.x, xs)
    _lay_out(axes, "y", chart.y, ys)
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    for index, series in enumerate(chart.series):
        _draw_series(axes, series, index)
    _draw_marks(axes, chart.marks, halo=halo)
    axes.legend(frameon=True, framealpha=0.9, edgecolor="none", fontsize=8, loc="lower right")


def _lay_out(axes: Axes, name: str, axis: Axis, values: list[float]) -> None:
    from matplotlib.ticker import NullLocator

    low, high = padded(values, 0.06, logarithmic=axis.logarithmic)
    if axis.logarithmic:
        axes.set(**{f"{name}scale": "log"})
    ticks = (
        [float(value) for value in range(int(min(values)), int(max(values)) + 1)]
        if axis.whole
        else nice_ticks(low, high, 9, logarithmic=axis.logarithmic)
    )
    axes.set(**{f"{name}lim": (low, high), f"{name}label": axis.title})
    axes.set(**{f"{name}ticks": ticks, f"{name}ticklabels": [axis.tick(each) for each in ticks]})
    # Half of the time that a drawing takes goes into minor ticks, even where none is seen.
    getattr(axes, f"{name}axis").set_minor_locator(NullLocator())


def _style(index: int) -> dict[str, Any]:
    return {
        "color": _COLORS[index % len(_COLORS)],
        "linestyle": _DASHES[index % len(_DASHES)],
        "marker": _MARKERS[index % len(_MARKERS)],
    }


def _draw_series(axes: Axes, series: Series, index: int) -> None:
    style = _style(index)
    curve = series.curve
    if series.joined and not curve:
        curve = tuple((point.x, point.y) for point in series.points if point.solid)
    if curve:
        axes.plot(
            [x for x, _ in curve],
            [y for _, y in curve],
            color=style["color"],
            linestyle=style["linestyle"],
            linewidth=1.2,
        )
    solid = [point for point in series.points if point.solid]
    hollow = [point for point in series.points if not point.solid]
    if solid:
        axes.errorbar(
            [point.x for point in solid],
            [point.y for point in solid],
            yerr=[
                [point.y - (point.low or point.y) for point in solid],
                [(point.high or point.y) - point.y for point in solid],
            ],
            **{**style, "linestyle": "none"},
            markersize=5,
            capsize=3,
            elinewidth=1,
            label=series.label,
        )
    if hollow:
        axes.plot(
            [point.x for point in hollow],
            [point.y for point in hollow],
            **{**style, "linestyle": "none"},
            markersize=5,
            markerfacecolor="white",
            label=f"{series.label}, predicted",
        )


def _draw_marks(axes: Axes, marks: Sequence[Mark], *, halo: bool) -> None:
    """Lines with their names; of several of one direction the outer ones point outwards."""
    for across in Across:
        together = sorted((m for m in marks if m.across is across), key=lambda m: m.value)
        for index, mark in enumerate(together):
            outer = len(together) > 1 and (
                index == 0 if across is Across.HORIZONTAL else index == len(together) - 1
            )
            _draw_mark(axes, mark, outer=outer, halo=halo)


def _draw_mark(axes: Axes, mark: Mark, *, outer: bool, halo: bool) -> None:
    """A line with its name above it or to its left; ``outer`` below it or to its right."""
    from matplotlib.patheffects import withStroke

    color = "#000000" if mark.series is None else _COLORS[mark.series % len(_COLORS)]
    behind: Any = {"path_effects": [withStroke(linewidth=3, foreground="white")]} if halo else {}
    if mark.across is Across.HORIZONTAL:
        axes.axhline(mark.value, color=color, linewidth=1, linestyle=(0, (6, 2)))
        axes.annotate(
            mark.label,
            (0.0, mark.value),
            xycoords=("axes fraction", "data"),
            xytext=(4, -3 if outer else 3),
            textcoords="offset points",
            va="top" if outer else "bottom",
            fontsize=8,
            color=color,
            **behind,
        )
        return
    axes.axvline(mark.value, color=color, linewidth=1, linestyle=(0, (1, 1.5)))
    axes.annotate(
        mark.label,
        (mark.value, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(3 if outer else -3, -2),
        textcoords="offset points",
        ha="left" if outer else "right",
        va="top",
        rotation=90,
        fontsize=7.5,
        color=color,
        **behind,
    )


def draw_bars(axes: Axes, chart: Bars, *, halo: bool = True) -> None:
    """Draw bars, standing or lying, with their errors."""
    axes.set_title(chart.title, loc="left", fontsize=9, color="#333333")
    places = range(len(chart.bars))
    values = [bar.value for bar in chart.bars]
    errors = [
        [bar.value - (bar.low or bar.value) for bar in chart.bars],
        [(bar.high or bar.value) - bar.value for bar in chart.bars],
    ]
    if chart.lying:
        drawn = axes.barh(places, values, height=0.62, color=_COLORS[0], xerr=errors)
        axes.bar_label(drawn, [chart.axis.tick(value) for value in values], padding=3, fontsize=8)
        axes.set_yticks(list(places), [bar.label for bar in chart.bars])
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
    else:
        axes.bar(
            places,
            values,
            width=1.0 if chart.touching else 0.7,
            color=_COLORS[0],
            edgecolor="white" if chart.touching else _COLORS[0],
            yerr=errors,
            capsize=3,
        )
        axes.set_xticks(list(places), [bar.label for bar in chart.bars])
    along = "x" if chart.lying else "y"
    axes.set(**{f"{along}label": chart.axis.title})
    if chart.axis.logarithmic:
        axes.set(**{f"{along}scale": "log"})
    if chart.lying:
        _lay_out_lying(axes, chart.axis, values)
    _draw_marks(axes, chart.marks, halo=halo)


def _lay_out_lying(axes: Axes, axis: Axis, values: Sequence[float]) -> None:
    """Leave room for the figures at the ends of the bars."""
    from matplotlib.ticker import NullLocator

    logarithmic = axis.logarithmic
    low = min(values) / 10 if logarithmic else 0.0
    high = max(values) * ((max(values) / low) ** 0.15 if logarithmic else 1.15)
    ticks = nice_ticks(low, high, 6, logarithmic=logarithmic)
    axes.set(xlim=(low, high), xticks=ticks, xticklabels=[axis.tick(each) for each in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(visible=True, axis="x", color="#dddddd", linewidth=0.6)
