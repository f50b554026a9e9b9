"""Charts by matplotlib. The same values give the same bytes: no date, no random names."""

from __future__ import annotations

import contextlib
import io
import itertools
import logging
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hashcost.core.errors import UnwritableOutputError
from hashcost.core.measurement import Knob, Measurement, work
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.text import escaped
from hashcost.core.units import format_duration, format_setting
from hashcost.documents.extras import imported
from hashcost.documents.files import NO_SCRATCH
from hashcost.render.wording import gathered
from hashcost.sweep.sweeping import Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES: Final = (".svg", ".png", ".pdf")
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


@dataclass(frozen=True)
class Chart:
    """One chart: its title, its content in words, and how to draw it."""

    title: str
    words: str
    draw: Callable[[Axes], None]


def check_drawable(extra: str = "plot") -> None:
    """Raise an error that says how to install the ``extra`` if matplotlib is not available."""
    # Without a home it warns that it keeps its cache among the temporary files.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        imported("matplotlib", "matplotlib", extra)
    except OSError as error:
        raise UnwritableOutputError(NO_SCRATCH) from error


def file_of(charts: Sequence[Chart], suffix: str) -> bytes:
    """The charts, below each other, as a file of one of `SUFFIXES`."""
    with _settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.0, 3.9 * len(charts)), layout="constrained")
        for axes, chart in zip(figure.subplots(len(charts), squeeze=False), charts, strict=True):
            chart.draw(axes[0])
            axes[0].set_title(chart.title)
        return _saved(figure, suffix.lstrip(".").lower())


def svg_of(chart: Chart) -> bytes:
    """One small chart without a title or a background, for a page that has both."""
    with _settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.7, 3.1), layout="constrained")
        chart.draw(figure.subplots())
        svg = _saved(figure, "svg", transparent=True).decode()
    return _shortened(svg).encode()


def _shortened(svg: str) -> str:
    """A drawing in half as many bytes, without elements that are invisible or unused."""
    svg = re.sub(r"<metadata>.*?</metadata>|<!DOCTYPE[^>]*>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' id="[a-z0-9.]+_[0-9.axis_]+"| transform="rotate\(-0 [^"]*"', "", svg)
    svg = re.sub(r"(\d\.\d)\d+", r"\1", svg)  # A tenth of a point is not seen.
    return re.sub(r"\s+", " ", re.sub(r"\s*\n\s*(?=<)", "", svg))


def _saved(figure: Any, form: str, **options: Any) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format=form, metadata=_METADATA[form], **options)
    return content.getvalue()


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """Ignore the user's settings; a letter that the font lacks is a box, without a warning."""
    import matplotlib as mpl

    with mpl.rc_context({**mpl.rcParamsDefault, **_SETTINGS}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing")
        yield


def _named(text: str, most: int = 40) -> str:
    """A name that leaves room for the drawing."""
    return textwrap.shorten(escaped(text), most, placeholder="…") or f"{escaped(text)[:most]}…"


def _counts_steps(knob: Knob) -> bool:
    """Whether a cost counts steps, as bcrypt's does, so that it gets a linear axis."""
    return knob.doubles or (knob.is_ladder and knob.maximum <= _STEPS_COUNTED)


def sweep_charts(sweep: Sweep) -> tuple[Chart, ...]:
    """Time by cost, a chart for each kind of cost, which hashers share."""
    kinds = gathered(
        ((measurement.knobs[0].name, measurement.knobs[0].scale), measurement)
        for measurement in sweep.profile.measurements
        if sweep.rows_of(measurement)
    )
    return tuple(
        Chart(
            title=_named(", ".join(f"{m.label} {m.implementation_version}" for m in hashers), 90),
            words="Time of one hash by cost. The figures are in the table.",
            draw=partial(_draw_sweep, sweep, hashers),
        )
        for hashers in kinds.values()
    )


def _draw_sweep(sweep: Sweep, hashers: Sequence[Measurement], axes: Axes) -> None:
    for style, measurement in zip(itertools.cycle(_STYLES), hashers, strict=False):
        rows = sweep.rows_of(measurement)
        fitted = [row.fitted_seconds for row in rows]
        axes.plot([row.cost for row in rows], fitted, linewidth=1, color=style["color"])
        for status, label, look in (
            ("measured", _named(measurement.label), style),
            ("predicted", "predicted", {**style, "markerfacecolor": "white"}),
        ):
            points = [row for row in rows if row.status == status]
            if points:
                axes.errorbar(
                    [row.cost for row in points],
                    [row.time_seconds for row in points],
                    [
                        [row.time_seconds - row.low_seconds for row in points],
                        [row.high_seconds - row.time_seconds for row in points],
                    ],
                    **look,
                    linestyle="none",
                    capsize=3,
                    label=label,
                )
    wall = any(measurement.threads > 1 for measurement in hashers)
    _lay_out(axes, hashers[0].knobs[0], sweep.profile.target_seconds, wall=wall)


def profile_charts(profile: Profile, rows: Sequence[Recommendation]) -> tuple[Chart, ...]:
    """Each timed hash by its cost, with the model and the answer, a chart for each hasher."""
    first: dict[str, Recommendation] = {}
    for row in rows:
        first.setdefault(row.label, row)
    return tuple(
        Chart(
            title=_named(f"{row.label} {row.implementation_version}", 90),
            words=f"Time of one hash by cost; {format_setting(row.params)} takes"
            f" {format_duration(row.time_seconds)}.",
            draw=partial(_draw_row, row, measurement, profile.target_seconds),
        )
        for row in first.values()
        if (measurement := profile.measurement_of(row)) is not None and measurement.samples
    )


def _draw_row(
    row: Recommendation, measurement: Measurement, target_seconds: float, axes: Axes
) -> None:
    knob = row.knobs[0]
    cost = row.params[knob.name]
    points = gathered(
        (
            format_setting({k: v for k, v in sample.params.items() if k != knob.name}),
            (sample.params[knob.name], seconds),
        )
        for sample in measurement.samples
        if (seconds := measurement.seconds(sample)) > 0
    )
    for style, (others, pairs) in zip(
        itertools.cycle(_STYLES), sorted(points.items()), strict=False
    ):
        label = f"timed {others}".rstrip()
        axes.plot(*zip(*pairs, strict=True), **style, linestyle="none", alpha=0.6, label=label)
    if row.model.parameter == knob.name and not knob.is_ladder:
        costs = sorted({cost, *(x for pairs in points.values() for x, _ in pairs)})
        times = [row.model.seconds(work(row.model.scale, x)) for x in costs]
        axes.plot(costs, times, color=_STYLES[0]["color"], linewidth=1)
    answer: Any = {"color": "#D55E00", "marker": "*", "markersize": 12, "linestyle": "none"}
    axes.plot([cost], [row.time_seconds], **answer, label=f"use {format_setting(row.params)}")
    _lay_out(axes, knob, target_seconds, wall=row.threads > 1)


def _lay_out(axes: Axes, knob: Knob, target_seconds: float, *, wall: bool) -> None:
    """The two axes, the target and the key."""
    from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator, NullLocator

    target: Any = {"color": "#000000", "linestyle": "--", "linewidth": 1}
    axes.axhline(target_seconds, **target, label=f"target {format_duration(target_seconds)}")
    axes.set(
        xlabel="memory_kib, in KiB" if knob.name == "memory_kib" else knob.name,
        ylabel=f"{'wall' if wall else 'CPU'} time of one hash",
        yscale="log",
        xscale="linear" if _counts_steps(knob) else "log",
    )
    logarithmic = [axes.yaxis] if _counts_steps(knob) else [axes.xaxis, axes.yaxis]
    for axis in logarithmic:
        low, high = axis.get_view_interval()
        between = (1, 2, 5) if high < low * _FEW_DECADES else (1,)
        axis.set_major_locator(LogLocator(subs=between))
        axis.set_minor_locator(NullLocator())
    if _counts_steps(knob):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    else:
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.legend()
