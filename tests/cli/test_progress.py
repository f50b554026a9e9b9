"""What a progress bar shows, and when it is drawn."""

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest

from corpora import table
from fakes import FakeClock
from hashcost.cli.commands.fleet import overall_progress
from hashcost.cli.progress import described, progress_bar
from hashcost.core.progress import AS_LINES, Progress, Stage, within
from hashcost.machines.hosts import FleetHost
from hashcost.machines.running import Ended
from screens import shown

HALF: Final = Stage(phase="timing hashes", fraction=0.5)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """What stands for standard error: a terminal of 80 columns."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return _Terminal()


@contextlib.contextmanager
def _bar(stream: io.StringIO, clock: FakeClock) -> Iterator[Progress]:
    with (
        contextlib.redirect_stderr(stream),
        progress_bar(quiet=False, now=lambda: clock.wall) as report,
    ):
        assert report is not None
        yield report


@table("stage, elapsed, said")
def test_phase_and_seconds_left(stage: dict[str, Any], elapsed: float, said: str) -> None:
    """The phase comes first, then the seconds left as far as anything tells."""
    assert said == described(Stage(**stage), elapsed)


def test_the_bar_is_drawn_ten_times_a_second_at_most(
    terminal: _Terminal, clock: FakeClock
) -> None:
    """A line has phase, time left, bar and percentage; soon after only another phase has."""
    with _bar(terminal, clock) as report:
        for _ in range(10):
            clock.advance(0.0, 0.06)
            report(HALF)
        report(Stage(phase="waiting", fraction=0.5))
        drawn = terminal.getvalue()
    assert (5, 1) == (drawn.count("timing hashes"), drawn.count("waiting"))
    assert "[" not in drawn.replace("\x1b[", ""), "no markup"
    assert all(part in drawn for part in ("timing hashes, 1 s left", "50%", "━"))


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}], ids=["colour", "no colour"])
def test_frames(
    monkeypatch: pytest.MonkeyPatch,
    terminal: _Terminal,
    clock: FakeClock,
    columns: int,
    env: dict[str, str],
) -> None:
    """Each frame has the phase, the time left and the share that is done, within the terminal;
    100 % is not said before the end, and then nothing is left of the bar.
    """
    for name, value in {"COLUMNS": str(columns), **env}.items():
        monkeypatch.setenv(name, value)
    frames = []
    with _bar(terminal, clock) as report:
        for fraction in (0.0, 0.07, 0.474, 0.999, 1.0):
            # The end is shown however soon it follows the frame before.
            pause = 0.05 if fraction == 1.0 else 1.0
            clock.advance(0.0, pause)
            report(Stage(phase="timing hashes", fraction=fraction, seconds_left=9 - 9 * fraction))
            screen = shown(terminal.getvalue())
            frames.append(" ".join(screen.lines[0].replace("━", "").split()))
            assert screen.widest <= columns
    plain = [re.sub("[╸╺] ?", "", frame) for frame in frames]
    percentages = (("9", "0%"), ("8", "7%"), ("5", "47%"), ("1", "99%"), ("0", "100%"))
    assert [f"timing hashes, {left} s left {done}" for left, done in percentages] == plain
    assert [] == shown(terminal.getvalue()).lines


def test_the_bar_never_steps_back(terminal: _Terminal, clock: FakeClock) -> None:
    """If more turns out to be needed, it waits; another phase has a bar of its own."""
    drawn = []
    with _bar(terminal, clock) as report:
        assert [] == shown(terminal.getvalue()).lines, "nothing without words"
        for phase, fraction in (("timing", 0.7), ("timing", 0.3), ("timing", 0.9), ("next", 0.1)):
            clock.advance(0.0, 1.0)
            report(Stage(phase=phase, fraction=fraction, seconds_left=3.0))
            drawn.append(shown(terminal.getvalue()).lines[0].split()[-1])
    assert ["70%", "70%", "90%", "10%"] == drawn


@pytest.mark.parametrize("left", [None, 9.0, 17.2])
def test_a_long_run_says_so_once_at_its_start(
    terminal: _Terminal, clock: FakeClock, left: float | None
) -> None:
    """In a pipe that is all; --quiet says nothing at all."""
    pipe = io.StringIO()
    for stream in (terminal, pipe):
        with _bar(stream, clock) as report:
            report(Stage(phase="timing", fraction=0.1, seconds_left=99.0))  # A first guess.
            clock.advance(0.0, 0.6)
            for _ in range(3):
                report(Stage(phase="timing", fraction=0.2, seconds_left=left))
    with contextlib.redirect_stderr(terminal), progress_bar(quiet=True) as none:
        assert none is None
    said = "This takes about 18 s.\n" if left == 17.2 else ""
    assert (said, said.count("18")) == (pipe.getvalue(), terminal.getvalue().count("about 18"))


def test_a_phase_is_a_part_of_the_whole() -> None:
    """A phase that begins at a fifth of the whole is half done at three fifths."""
    told: list[Stage] = []
    report: Progress = told.append
    within(report, "hashing", 0.2)(0.5)
    within(None, "hashing")(0.5)
    assert [("hashing", "60%")] == [(each.phase, f"{each.fraction:.0%}") for each in told]


def test_a_line_for_each_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is a stage in JSON, ten a second at most, also where nobody watches."""
    monkeypatch.setenv(AS_LINES, "1")
    stream, clock = io.StringIO(), FakeClock()
    with _bar(stream, clock) as report:
        report(HALF)
        report(HALF)
        clock.wall += 0.2
        report(HALF)

    assert [HALF, HALF] == [
        msgspec.json.decode(line, type=Stage) for line in stream.getvalue().splitlines()
    ]


def test_a_fleet_is_as_far_as_all_its_hosts() -> None:
    """Half of one of two runs is a quarter; a host whose run ends is done, also by failing."""
    web1, web2 = FleetHost(name="web1"), FleetHost(name="web2")
    stages: list[Stage] = []
    report = overall_progress([web1, web2], stages.append)
    report((web1, HALF))
    report(Ended(host=web2, seconds=2.0, profile=None, error="refuses"))
    assert [("0 of 2 hosts done", 0.25), ("1 of 2 hosts done", 0.75)] == [
        (stage.phase, stage.fraction) for stage in stages
    ]
