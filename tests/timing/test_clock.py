"""Which clock is read."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from hashcost.timing.clock import Clock, system_clock


def _ticking(monkeypatch: pytest.MonkeyPatch, **resolutions: float) -> Clock:
    """The clock chosen on a system that has these clocks, and ticks of these seconds."""

    def info(name: str) -> SimpleNamespace:
        if name not in resolutions:
            raise ValueError("unknown clock")
        return SimpleNamespace(resolution=resolutions[name])

    monkeypatch.setattr(time, "get_clock_info", info)
    return system_clock()


def test_the_threads_clock_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fine clock of the thread's own CPU time is used, beside wall time."""
    assert Clock(name="thread_time", cpu=time.thread_time, wall=time.perf_counter) == (
        _ticking(monkeypatch, thread_time=1e-9, process_time=1e-9)
    )


@pytest.mark.parametrize("others", [{}, {"thread_time": 15.6e-3}], ids=["absent", "coarse"])
def test_the_processs_clock_stands_in(
    monkeypatch: pytest.MonkeyPatch, others: dict[str, float]
) -> None:
    """Where the thread's clock is absent or too coarse, the process's is used."""
    assert Clock(name="process_time", cpu=time.process_time, wall=time.perf_counter) == (
        _ticking(monkeypatch, process_time=1e-7, **others)
    )


@pytest.mark.parametrize(
    "ticks", [{}, {"thread_time": 15.6e-3, "process_time": 15.6e-3}], ids=["absent", "coarse"]
)
def test_wall_time_is_the_last_resort(
    monkeypatch: pytest.MonkeyPatch, ticks: dict[str, float]
) -> None:
    """Without a fine CPU clock wall time is used, and the clock says that it is no CPU time."""
    assert Clock(
        name="perf_counter",
        cpu=time.perf_counter,
        wall=time.perf_counter,
        measures_cpu=False,
    ) == _ticking(monkeypatch, **ticks)


def test_this_system_has_a_clock() -> None:
    """The clocks of the system that runs the tests never go backwards."""
    clock = system_clock()
    first = clock.cpu(), clock.wall()
    second = clock.cpu(), clock.wall()
    assert first[0] <= second[0]
    assert first[1] <= second[1]
