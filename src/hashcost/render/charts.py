"""The charts of sweeps and profiles as values, and their drawings by another process.

Under a limit of memory, the libraries of matplotlib end their process, with code 1 or by a signal.
"""

import itertools
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any, Final, TypeAlias

import msgspec

from hashcost.core.errors import HashcostError, UnwritableOutputError
from hashcost.core.measurement import Knob, Measurement, TimedHasher, work
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.text import escaped, printable
from hashcost.core.units import format_duration, format_setting
from hashcost.machine.environment import child_environment, import_path
from hashcost.recommend.sweeping import Sweep, SweepRow
from hashcost.render.wording import gathered
from hashcost.storage.extras import not_installed

_STYLES: Final[tuple[dict[str, Any], ...]] = (
    {"linestyle": "none", "color": "#0072B2", "marker": "o"},
    {"linestyle": "none", "color": "#D55E00", "marker": "s"},
    {"linestyle": "none", "color": "#009E73", "marker": "^"},
    {"linestyle": "none", "color": "#CC79A7", "marker": "D"},
    {"linestyle": "none", "color": "#56B4E9", "marker": "v"},
    {"linestyle": "none", "color": "#000000", "marker": "X"},
)
"""Okabe and Ito's colours, which the colour-blind tell apart, each with a marker."""
SUFFIXES: Final = (".svg", ".png", ".pdf")
_PROGRAM: Final = """\
import sys
sys.path[:] = sys.argv[1:]
from hashcost.render.drawing import answer
answer()
"""


class Series(msgspec.Struct, frozen=True):
    """Points or a line of one look, in matplotlib's words."""

    costs: Sequence[float]
    seconds: Sequence[float]
    look: dict[str, Any]
    errors: Sequence[Sequence[float]] = ()
    """The distances to the lower and to the upper ends of the intervals."""


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """The time of one hash by cost: a title, what it shows in words, and what to draw."""

    title: str
    words: str
    series: Sequence[Series]
    knob: Knob
    threads: int
    target_seconds: float


Order: TypeAlias = tuple[Sequence[Chart], str]
"""Charts to draw: in one file with this suffix, or without one each as a small SVG."""


def check_installed(extra: str = "plot") -> None:
    """Raise an error that says how to install the ``extra`` if matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise not_installed("matplotlib", extra)


def check_drawable() -> None:
    """Raise an error if nothing can be drawn here, before anything is timed for it."""
    check_installed()
    svgs_of(())


def file_of(charts: Sequence[Chart], suffix: str) -> bytes:
    """Draw the charts, below each other, as a file of one of `SUFFIXES`.

    Raises:
        UnwritableOutputError: matplotlib, or the system, refuses.
    """
    (content,) = _drawn((charts, suffix))
    return content


def svgs_of(charts: Sequence[Chart]) -> list[bytes]:
    """Draw each chart small, without a title or a background, for a page that has both.

    Raises:
        UnwritableOutputError: matplotlib, or the system, refuses.
    """
    return _drawn((charts, ""))


def _drawn(order: Order) -> list[bytes]:
    ended = subprocess.run(  # noqa: S603 (this program)
        [sys.executable, "-I", "-c", _PROGRAM, *import_path()],
        input=msgspec.json.encode(order),
        capture_output=True,
        env=child_environment(),
        check=False,
    )
    if not ended.returncode:
        return msgspec.json.decode(ended.stdout, type=list[bytes])
    why = f"exit code {ended.returncode}"
    lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    if ended.returncode < 0:
        why = f"killed by {signal.Signals(-ended.returncode).name}"
    elif lines:
        why = printable(lines[-1])[:200]
    # The child ends with this code if the mistake is in the drawing, and not in the system.
    if ended.returncode == HashcostError.exit_code:
        raise RuntimeError(why)
    raise UnwritableOutputError(f"cannot draw the charts: {why}")


def short_name(text: str, most: int = 40) -> str:
    """A name that leaves room for the drawing, of at most so many characters."""
    visible = escaped(text)
    shortened = textwrap.shorten(visible, most, placeholder="…")
    # A single long word is cut within.
    return shortened or f"{visible[:most]}…"


def sweep_charts(sweep: Sweep) -> list[Chart]:
    """Time by cost, a chart for each kind of cost, which hashers share."""
    pairs = []
    for measurement in sweep.profile.measurements:
        knob = measurement.knobs[0]
        if sweep.rows_of(measurement):
            pairs.append(((knob.name, knob.scale), measurement))
    kinds = gathered(pairs)
    charts = []
    for hashers in kinds.values():
        series: list[Series] = []
        for style, hasher in zip(itertools.cycle(_STYLES), hashers, strict=False):
            series += _curve(hasher.label, sweep.rows_of(hasher), style)
        chart = Chart(
            title=short_name(", ".join(map(_named, hashers)), 90),
            words="Time of one hash by cost. The figures are in the table.",
            series=series,
            knob=hashers[0].knobs[0],
            threads=max(hasher.threads for hasher in hashers),
            target_seconds=sweep.profile.target_seconds,
        )
        charts.append(chart)
    return charts


def _curve(label: str, rows: Sequence[SweepRow], style: dict[str, Any]) -> Iterator[Series]:
    """The curve of a hasher, and its points: filled where timed, hollow where predicted."""
    # The line is the model's: points beside it show how well it fits.
    costs = [row.cost for row in rows]
    fitted = [row.fitted_seconds for row in rows]
    yield Series(costs, fitted, {"color": style["color"], "linewidth": 1})
    looks = {
        "measured": {**style, "label": short_name(label)},
        "predicted": {**style, "label": "predicted", "markerfacecolor": "white"},
    }
    for status, look in looks.items():
        costs = []
        times = []
        below = []
        above = []
        for row in rows:
            if row.status == status:
                costs.append(row.cost)
                times.append(row.time_seconds)
                below.append(row.time_seconds - row.low_seconds)
                above.append(row.high_seconds - row.time_seconds)
        if costs:
            yield Series(costs, times, {**look, "capsize": 3}, [below, above])


def profile_charts(profile: Profile, rows: Sequence[Recommendation]) -> list[Chart]:
    """Each timed hash by its cost, with the model and the answer, a chart for each hasher."""
    charts: dict[str, Chart] = {}
    for row in rows:
        measurement = profile.measurement_of(row)
        # Of several answers of one hasher, the first is the one to use.
        if row.label in charts or measurement is None or not measurement.samples:
            continue
        cost, time = format_setting(row.params), format_duration(row.time_seconds)
        charts[row.label] = Chart(
            title=short_name(_named(row), 90),
            words=f"Time of one hash by cost; {cost} takes {time}.",
            series=list(_timed(row, measurement)),
            knob=row.knobs[0],
            threads=row.threads,
            target_seconds=profile.target_seconds,
        )
    return list(charts.values())


def _timed(row: Recommendation, measurement: Measurement) -> Iterator[Series]:
    """Each timed hash, by its other params in a style, the model's line and the answer."""
    knob = row.knobs[0]
    answer = row.params[knob.name]
    line = {answer}
    points: dict[str, list[tuple[int, float]]] = {}
    for sample in measurement.samples:
        seconds = measurement.seconds(sample)
        # A time that the correction for neighbours leaves nothing of has no logarithm.
        if seconds > 0:
            others = dict(sample.params)
            cost = others.pop(knob.name)
            line.add(cost)
            points.setdefault(format_setting(others), []).append((cost, seconds))
    for style, others_text in zip(itertools.cycle(_STYLES), sorted(points), strict=False):
        costs, times = zip(*points[others_text], strict=True)
        label = f"timed {others_text}".rstrip()
        yield Series(costs, times, {**style, "alpha": 0.6, "label": label})
    # The model of a hasher in memory is a surface, which no line of one knob shows.
    if row.model.parameter == knob.name and not knob.is_ladder:
        fitted = [row.model.seconds(work(row.model.scale, cost)) for cost in sorted(line)]
        yield Series(sorted(line), fitted, {"color": _STYLES[0]["color"], "linewidth": 1})
    look = {**_STYLES[1], "marker": "*", "markersize": 12}
    look["label"] = f"use {format_setting(row.params)}"
    yield Series((answer,), (row.time_seconds,), look)


def _named(hasher: TimedHasher) -> str:
    return f"{hasher.label} {hasher.implementation_version}"
