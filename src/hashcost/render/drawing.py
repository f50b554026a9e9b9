"""Draws charts by matplotlib. The same values give the same bytes: no date, no random names."""

from __future__ import annotations

import contextlib
import io
import itertools
import logging
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from hashcost.core.errors import HashcostError
from hashcost.core.measurement import Knob, work
from hashcost.core.units import format_duration, format_setting
from hashcost.recommend.sweeping import SweepRow
from hashcost.render.charts import Chart, OfRow, OfSweep, Order, short_name
from hashcost.storage.files import NO_SCRATCH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_REFUSALS: Final = (MemoryError, ImportError, OSError, SystemError)
"""Exceptions of a library that gets no memory or does not load."""
_STEPS_COUNTED: Final = 64
"""Most steps of a ladder, such as yescrypt's, that get a linear axis."""
_FEW_DECADES: Final = 1000
"""Most powers of ten of a logarithmic axis with ticks between them."""
_SETTINGS: Final[Any] = {
    "svg.hashsalt": "hashcost",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",  # The usual list of fonts would stand at every word.
    "font.size": 9.0,
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "grid.color": "#dddddd",
    "legend.fontsize": "small",
    "savefig.dpi": 200,
}
_METADATA: Final[Any] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}
_STYLES: Final[tuple[Any, ...]] = (
    {"color": "#0072B2", "marker": "o"},
    {"color": "#D55E00", "marker": "s"},
    {"color": "#009E73", "marker": "^"},
    {"color": "#CC79A7", "marker": "D"},
    {"color": "#56B4E9", "marker": "v"},
    {"color": "#000000", "marker": "X"},
)
"""Okabe and Ito's colours, which the colour-blind tell apart, each with a marker."""


def answer() -> None:
    """Draw the `Order` on standard input and write the files as JSON to standard output.

    What goes wrong is the last line on standard error. The exit code is 70 if it is a bug.
    """
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    # Without a home it warns that it keeps its cache among the temporary files.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        import matplotlib.figure  # noqa: F401
    except OSError:  # It finds no folder for its cache.
        sys.exit(NO_SCRATCH)
    try:
        if order.suffix:
            files = [file_of(order.charts, order.suffix)]
        else:
            files = [svg_of(chart) for chart in order.charts]
    except _REFUSALS:
        raise
    except Exception as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.exit(HashcostError.exit_code)
    sys.stdout.buffer.write(msgspec.json.encode(files))


def draw(chart: Chart, axes: Axes) -> None:
    """Draw the content of a chart."""
    if isinstance(chart.content, OfSweep):
        _draw_sweep(chart.content, axes)
    else:
        _draw_row(chart.content, axes)


def file_of(charts: Sequence[Chart], suffix: str) -> bytes:
    """The charts, below each other, as a file with this suffix."""
    with _settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.0, 3.9 * len(charts)), layout="constrained")
        for axes, chart in zip(figure.subplots(len(charts), squeeze=False), charts, strict=True):
            draw(chart, axes[0])
            axes[0].set_title(chart.title)
        return _saved(figure, suffix.lstrip(".").lower())


def svg_of(chart: Chart) -> bytes:
    """One small chart without a title or a background, for a page that has both."""
    with _settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.7, 3.1), layout="constrained")
        draw(chart, figure.subplots())
        svg = _saved(figure, "svg", transparent=True).decode()
    return _shortened(svg).encode()


def _shortened(svg: str) -> str:
    """A drawing in half as many bytes, without elements that are invisible or unused."""
    svg = re.sub(r"(?s)<metadata>(?:(?!<metadata>).)*?</metadata>|<!DOCTYPE[^<>]*>", "", svg)
    svg = re.sub(r' id="[a-z0-9.]+_[0-9.axis_]+"| transform="rotate\(-0 [^"]*"', "", svg)
    svg = re.sub(r"(\d\.\d)\d+", r"\1", svg)  # A tenth of a point is not seen.
    svg = re.sub(r"(?<!\s)(?=[^\S\n]*+\n)\s++(?=<)", "", svg)  # Lines that end before an element.
    return re.sub(r"\s+", " ", svg)


def _saved(figure: Any, form: str, *, transparent: bool = False) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format=form, metadata=_METADATA[form], transparent=transparent)
    return content.getvalue()


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """Ignore the user's settings; a letter that the font lacks is a box, without a warning."""
    import matplotlib as mpl

    with mpl.rc_context({**mpl.rcParamsDefault, **_SETTINGS}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing")
        yield


def _counts_steps(knob: Knob) -> bool:
    """Whether a cost counts steps, as bcrypt's does, so that it gets a linear axis."""
    return knob.doubles or (knob.is_ladder and knob.maximum <= _STEPS_COUNTED)


def _draw_sweep(content: OfSweep, axes: Axes) -> None:
    """The curve of each hasher, and its points: filled where timed, hollow where predicted."""
    for style, curve in zip(itertools.cycle(_STYLES), content.curves, strict=False):
        costs = [row.cost for row in curve.rows]
        # The line is the model's: points beside it show how well it fits.
        fitted = [row.fitted_seconds for row in curve.rows]
        axes.plot(costs, fitted, linewidth=1, color=style["color"])
        measured = [row for row in curve.rows if row.status == "measured"]
        predicted = [row for row in curve.rows if row.status == "predicted"]
        _draw_points(axes, measured, short_name(curve.measurement.label), style)
        _draw_points(axes, predicted, "predicted", {**style, "markerfacecolor": "white"})
    hashers = [curve.measurement for curve in content.curves]
    wall = any(measurement.threads > 1 for measurement in hashers)
    _lay_out(axes, hashers[0].knobs[0], content.target_seconds, wall=wall)


def _draw_points(axes: Axes, rows: Sequence[SweepRow], label: str, style: Any) -> None:
    """Times with the bars of their intervals."""
    if not rows:
        return
    costs = [row.cost for row in rows]
    times = [row.time_seconds for row in rows]
    below = [row.time_seconds - row.low_seconds for row in rows]
    above = [row.high_seconds - row.time_seconds for row in rows]
    look = {**style, "linestyle": "none", "capsize": 3}
    axes.errorbar(costs, times, [below, above], **look, label=label)


def _draw_row(content: OfRow, axes: Axes) -> None:
    """Each timed hash, by its other params in a style, the model's line and the answer."""
    row, knob = content.row, content.row.knobs[0]
    points: dict[str, list[tuple[int, float]]] = {}
    costs = {row.params[knob.name]}
    for sample in content.measurement.samples:
        seconds = content.measurement.seconds(sample)
        # A time that the correction for neighbours leaves nothing of has no logarithm.
        if seconds > 0:
            others = dict(sample.params)
            cost = others.pop(knob.name)
            costs.add(cost)
            points.setdefault(format_setting(others), []).append((cost, seconds))
    for style, others_text in zip(itertools.cycle(_STYLES), sorted(points), strict=False):
        timed, times = zip(*points[others_text], strict=True)
        label = f"timed {others_text}".rstrip()
        axes.plot(timed, times, **style, linestyle="none", alpha=0.6, label=label)
    # The model of a hasher in memory is a surface, which no line of one knob shows.
    if row.model.parameter == knob.name and not knob.is_ladder:
        line = sorted(costs)
        modelled = [row.model.seconds(work(row.model.scale, cost)) for cost in line]
        axes.plot(line, modelled, color=_STYLES[0]["color"], linewidth=1)
    answer: Any = {"color": "#D55E00", "marker": "*", "markersize": 12, "linestyle": "none"}
    label = f"use {format_setting(row.params)}"
    axes.plot([row.params[knob.name]], [row.time_seconds], **answer, label=label)
    _lay_out(axes, knob, content.target_seconds, wall=row.threads > 1)


def _lay_out(axes: Axes, knob: Knob, target_seconds: float, *, wall: bool) -> None:
    """The two axes, the target and the key."""
    from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator, NullLocator

    target: Any = {"color": "#000000", "linestyle": "--", "linewidth": 1}
    axes.axhline(target_seconds, **target, label=f"target {format_duration(target_seconds)}")
    clock = "wall" if wall else "CPU"
    axes.set(xlabel=knob.name, ylabel=f"{clock} time of one hash", yscale="log")
    if knob.name == "memory_kib":
        axes.set_xlabel("memory_kib, in KiB")
    logarithmic: list[Any] = [axes.yaxis]
    if _counts_steps(knob):
        axes.set_xscale("linear")
    else:
        axes.set_xscale("log")
        logarithmic = [axes.xaxis, axes.yaxis]
    for axis in logarithmic:
        low, high = axis.get_view_interval()
        # Where few powers of ten are in sight, ticks stand between them as well.
        between = (1, 2, 5) if high < low * _FEW_DECADES else (1,)
        axis.set_major_locator(LogLocator(subs=between))
        axis.set_minor_locator(NullLocator())
    if _counts_steps(knob):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    else:
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.legend()
