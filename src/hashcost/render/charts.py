"""The charts of sweeps and profiles as values, and their drawings by another process.

Under a limit of memory, the libraries of matplotlib end their process, with code 1 or by a signal.
"""

import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Final, TypeAlias

import msgspec

from hashcost.core.errors import HashcostError, UnwritableOutputError
from hashcost.core.measurement import Measurement, Scale, TimedHasher
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.text import escaped, printable
from hashcost.core.units import format_duration, format_setting
from hashcost.machine.environment import child_environment, import_path
from hashcost.recommend.sweeping import Sweep, SweepRow
from hashcost.storage.extras import not_installed

SUFFIXES: Final = (".svg", ".png", ".pdf")
_PROGRAM: Final = """\
import sys
sys.path[:] = sys.argv[1:]
from hashcost.render.drawing import answer
answer()
"""


class ChartCurve(msgspec.Struct, frozen=True):
    """The costs that a sweep timed of one hasher."""

    measurement: Measurement
    rows: tuple[SweepRow, ...]


class OfSweep(msgspec.Struct, frozen=True, tag="sweep"):
    """Time by cost, of hashers that share a kind of cost."""

    curves: tuple[ChartCurve, ...]
    target_seconds: float


class OfRow(msgspec.Struct, frozen=True, tag="row"):
    """Each timed hash of one hasher, with the answer."""

    row: Recommendation
    measurement: Measurement
    target_seconds: float


Content: TypeAlias = OfSweep | OfRow


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """One chart: its title, what it shows in words, and its content."""

    title: str
    words: str
    content: Content


class Order(msgspec.Struct, frozen=True):
    """Charts to draw: in one file with this suffix, or without one each as a small SVG."""

    charts: tuple[Chart, ...]
    suffix: str = ""


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
    (content,) = _drawn(Order(tuple(charts), suffix))
    return content


def svgs_of(charts: Sequence[Chart]) -> list[bytes]:
    """Draw each chart small, without a title or a background, for a page that has both.

    Raises:
        UnwritableOutputError: matplotlib, or the system, refuses.
    """
    return _drawn(Order(tuple(charts)))


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


def sweep_charts(sweep: Sweep) -> tuple[Chart, ...]:
    """Time by cost, a chart for each kind of cost, which hashers share."""
    kinds: dict[tuple[str, Scale], list[ChartCurve]] = {}
    for measurement in sweep.profile.measurements:
        knob = measurement.knobs[0]
        rows = sweep.rows_of(measurement)
        if rows:
            curve = ChartCurve(measurement, rows)
            kinds.setdefault((knob.name, knob.scale), []).append(curve)
    charts = []
    for curves in kinds.values():
        hashers = [_named(curve.measurement) for curve in curves]
        chart = Chart(
            title=short_name(", ".join(hashers), 90),
            words="Time of one hash by cost. The figures are in the table.",
            content=OfSweep(tuple(curves), sweep.profile.target_seconds),
        )
        charts.append(chart)
    return tuple(charts)


def profile_charts(profile: Profile, rows: Sequence[Recommendation]) -> tuple[Chart, ...]:
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
            content=OfRow(row, measurement, profile.target_seconds),
        )
    return tuple(charts.values())


def _named(hasher: TimedHasher) -> str:
    return f"{hasher.label} {hasher.implementation_version}"
