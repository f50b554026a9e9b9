"""The charts of sweeps and profiles."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from msgspec.structs import replace

from fakes import FakeClock, FakeHasher, swept
from hashcost.core.errors import UnwritableOutputError
from hashcost.recommend.sweeping import Sweep
from hashcost.render import charts, drawing
from measured import EVERY, HARD, HOSTILE, eight_rows

WITHOUT_TEMPORARY_FILES: Final = """
import sys, tempfile
sys.path[:] = sys.argv[1:]
tempfile._candidate_tempdir_list = lambda: ["/dev/null"]
from hashcost.render.drawing import answer
answer()
"""
PREDICTED: Final = "1000,2000,4000,4000000"


@pytest.fixture
def sweep(clock: FakeClock) -> Sweep:
    """Three costs that were timed and one that was predicted."""
    found = swept(
        clock, FakeHasher(clock), costs=PREDICTED, budget_seconds=2.0, target_seconds=0.25
    )
    assert ["measured"] * 3 + ["predicted"] == [row.status for row in found.rows]
    return found


def implemented_by(sweep: Sweep, *names: str) -> Sweep:
    """The same sweep of as many implementations."""
    (measurement,) = sweep.profile.measurements
    measurements = tuple(replace(measurement, implementation=name) for name in names)
    return Sweep(
        profile=replace(sweep.profile, measurements=measurements),
        rows=tuple(replace(row, implementation=name) for name in names for row in sweep.rows),
    )


def labels(chart: charts.Chart) -> list[str]:
    """The key of a chart, in alphabetical order."""
    axes = Figure().subplots()
    drawing.draw(chart, axes)
    return sorted(axes.get_legend_handles_labels()[1])


def test_a_sweep_shows_its_points_and_target(sweep: Sweep) -> None:
    """Timed and predicted costs differ; the target is named."""
    (chart,) = charts.sweep_charts(sweep)

    assert "fake@memory 1.0" == chart.title
    assert ["fake@memory", "predicted", "target 250 ms"] == labels(chart)


def test_points_stand_where_they_were_timed(sweep: Sweep) -> None:
    """Every cost with a time has a point at that time, hollow if it was predicted."""
    axes = Figure().subplots()
    drawing.draw(charts.sweep_charts(sweep)[0], axes)
    drawn = {
        (x, y, line.get_markerfacecolor() == "white")
        for line in axes.lines
        if line.get_linestyle() == "None" and line.get_marker() == "o"
        for x, y in np.asarray(line.get_xydata()).tolist()
    }

    assert drawn == {(row.cost, row.time_seconds, row.status == "predicted") for row in sweep.rows}


def test_hashers_with_one_kind_of_cost_share_a_chart(sweep: Sweep) -> None:
    """Each is told apart by its name."""
    (together,) = charts.sweep_charts(implemented_by(sweep, "memory", "other"))

    assert {"fake@memory", "fake@other"} <= {*labels(together)}


def test_a_profile_shows_every_hash_and_the_answer() -> None:
    """Each timed row has one chart with the setting to use; other params tell points apart."""
    drawings = charts.profile_charts(eight_rows(), eight_rows().recommendations)
    bcrypt = next(chart for chart in drawings if chart.title.startswith("bcrypt"))

    assert 8 == len(drawings)
    assert ["target 40.0 ms", "timed", "use cost=9"] == labels(bcrypt)
    keys = {label for chart in drawings for label in labels(chart)}
    assert {"timed t=1,p=1", "timed t=2,p=1"} <= keys


def drawn_on_axes(chart: charts.Chart) -> Axes:
    """The axes of a chart."""
    axes = Figure().subplots()
    drawing.draw(chart, axes)
    return axes


def chart_of(label: str) -> charts.Chart:
    """The chart of one hasher in a profile of eight."""
    profile = eight_rows()
    rows = [row for row in profile.recommendations if row.label == label]
    (chart,) = charts.profile_charts(profile, rows)
    return chart


@pytest.mark.parametrize(
    ("label", "clock"), [("argon2id@argon2-cffi", "CPU"), ("argon2id@cryptography", "wall")]
)
def test_an_axis_names_the_clock(label: str, clock: str) -> None:
    """The time of a hash in one thread is CPU time; in several threads it is wall time."""
    assert f"{clock} time of one hash" == drawn_on_axes(chart_of(label)).get_ylabel()


@pytest.mark.parametrize(("label", "lines"), [("bcrypt@bcrypt", 1), ("yescrypt@libcrypt", 0)])
def test_only_a_hasher_without_memory_has_a_fitted_line(label: str, lines: int) -> None:
    """The times of a hasher in memory lie on a surface, so no line is drawn through them."""
    drawn_lines = drawn_on_axes(chart_of(label)).lines
    assert lines == sum(line.get_linestyle() == "-" for line in drawn_lines)


def test_a_profile_without_samples_has_no_chart() -> None:
    """Nothing is drawn of rows that rest on no hash that was kept."""
    bare = replace(
        EVERY, measurements=tuple(replace(each, samples=()) for each in EVERY.measurements)
    )

    assert [] == charts.profile_charts(bare, bare.recommendations)


def drawn(sweep: Sweep) -> Sequence[charts.Chart]:
    """Every kind of chart."""
    return (*charts.sweep_charts(sweep), *charts.profile_charts(HARD, HARD.recommendations))


@pytest.mark.parametrize(
    ("suffix", "start"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".PDF", b"%PDF")]
)
def test_the_same_charts_give_the_same_file(sweep: Sweep, suffix: str, start: bytes) -> None:
    """Each kind of file is what it is called, and the same charts give the same bytes."""
    content = charts.file_of(drawn(sweep), suffix)

    assert content.startswith(start)
    assert content == charts.file_of(drawn(sweep), suffix)


def test_a_file_names_nobody_and_no_time(sweep: Sweep) -> None:
    """The SVG has neither a date nor an address outside of its namespaces."""
    text = charts.file_of(drawn(sweep), ".svg").decode()

    assert not re.search(r'<dc:date>|(?:href|src)="http', text)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [HOSTILE, "\x1b[31m\u202e", "\u6f22\U0001f512", "x" * 200])
def test_any_name_is_drawn(sweep: Sweep, name: str) -> None:
    """Whatever a profile calls an implementation is text, without a warning of a font."""
    found = implemented_by(sweep, name)
    text = drawing.svg_of(charts.sweep_charts(found)[0]).decode()

    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_nowhere_to_put_matplotlibs_cache_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home and without a folder for temporary files, the variable to set is named."""
    for name in ("HOME", "MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, "/dev/null/none")
    monkeypatch.setattr(charts, "_PROGRAM", WITHOUT_TEMPORARY_FILES)
    with pytest.raises(UnwritableOutputError, match="set TMPDIR to a folder"):
        charts.check_drawable()


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        ("sys.stderr.write('OpenBLAS error: giving up.\\n'); os._exit(1)", "OpenBLAS error"),
        ("os.abort()", "killed by SIGABRT"),
        ("raise MemoryError", "MemoryError"),
    ],
)
def test_a_library_that_ends_its_process_is_one_line(
    ended: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a limit of memory OpenBLAS calls exit(1), which is the code of a failed check."""
    monkeypatch.setattr(charts, "_PROGRAM", f"import os, sys\n{ended}\n")
    with pytest.raises(UnwritableOutputError, match=f"^cannot draw the charts: {words}") as told:
        charts.check_drawable()
    assert "\n" not in str(told.value)


def test_a_mistake_in_the_drawing_is_a_bug(sweep: Sweep) -> None:
    """It is not taken for a system that refuses."""
    (chart,) = charts.sweep_charts(sweep)
    with pytest.raises(RuntimeError, match="KeyError: 'odd'"):
        charts.file_of([chart], ".odd")
