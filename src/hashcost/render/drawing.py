"""Draws charts by matplotlib. The same values give the same bytes: no date, no random names."""

from __future__ import annotations

import contextlib
import io
import logging
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from hashcost.core.errors import HashcostError
from hashcost.core.measurement import Knob
from hashcost.core.units import format_duration
from hashcost.render.charts import Chart, Order
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


def answer() -> None:
    """Draw the `Order` on standard input and write the files as JSON to standard output.

    What goes wrong is the last line on standard error. The exit code is 70 if it is a bug.
    """
    charts, suffix = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    # Without a home it warns that it keeps its cache among the temporary files.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        import matplotlib.figure  # noqa: F401
    except OSError:  # It finds no folder for its cache.
        sys.exit(NO_SCRATCH)
    try:
        files = []
        if suffix:
            files.append(file_of(charts, suffix))
        else:
            files += map(svg_of, charts)
    except _REFUSALS:
        raise
    except Exception as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.exit(HashcostError.exit_code)
    sys.stdout.buffer.write(msgspec.json.encode(files))


def draw(chart: Chart, axes: Axes) -> None:
    """Draw the series of a chart, the target, the two axes and the key."""
    for series in chart.series:
        if series.errors:
            axes.errorbar(series.costs, series.seconds, series.errors, **series.look)
        else:
            axes.plot(series.costs, series.seconds, **series.look)
    _lay_out(axes, chart)


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


def _lay_out(axes: Axes, chart: Chart) -> None:
    from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator, NullLocator

    knob = chart.knob
    target: Any = {"color": "#000000", "linestyle": "--", "linewidth": 1}
    label = f"target {format_duration(chart.target_seconds)}"
    axes.axhline(chart.target_seconds, **target, label=label)
    clock = "CPU"
    if chart.threads > 1:
        clock = "wall"
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
