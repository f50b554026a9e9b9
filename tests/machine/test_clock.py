"""Which clock is read."""

import time
from types import SimpleNamespace

import pytest

from corpora import table
from hashcost.machine.clock import Clock, Usage, system_clock


def _ticking(**resolutions: float) -> Clock:
    """The clock chosen on a system that has these clocks, and ticks of these seconds."""

    def clock_info(name: str) -> SimpleNamespace:
        if name not in resolutions:
            raise ValueError("unknown clock")
        return SimpleNamespace(resolution=resolutions[name])

    return system_clock(clock_info)


def _facts(clock: Clock) -> tuple[object, ...]:
    return clock.name, clock.cpu, clock.wall, clock.measures_cpu


def test_the_threads_clock_is_preferred() -> None:
    """A fine clock of the thread's own CPU time is used, beside wall time."""
    found = _ticking(thread_time=1e-9, process_time=1e-9)
    assert ("thread_time", time.thread_time, time.perf_counter, True) == _facts(found)
    assert found.process_cpu is time.process_time


@pytest.mark.parametrize("others", [{}, {"thread_time": 15.6e-3}], ids=["absent", "coarse"])
def test_the_processs_clock_stands_in(others: dict[str, float]) -> None:
    """Where the thread's clock is absent or too coarse, the process's is used."""
    found = _ticking(process_time=1e-7, **others)
    assert ("process_time", time.process_time, time.perf_counter, True) == _facts(found)


@table("ticks", ids=["absent", "coarse"])
def test_wall_time_is_the_last_resort(ticks: dict[str, float]) -> None:
    """Without a fine CPU clock wall time is used, and the clock says that it is no CPU time."""
    found = _ticking(**ticks)
    assert ("perf_counter", time.perf_counter, time.perf_counter, False) == _facts(found)


def test_a_system_that_does_not_count_tells_nothing() -> None:
    """Without the kernel's figures, as on Windows, no hash is said to take fresh pages."""
    clock = system_clock()
    assert (Usage(system_seconds=0.0, page_faults=0), None) == (clock.usage(), clock.queued())
