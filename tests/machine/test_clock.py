"""Which clock is read."""

from __future__ import annotations

import mmap
import sys
import time
from dataclasses import astuple
from types import SimpleNamespace

import pytest

from hashcost.machine.clock import Clock, Usage, system_clock


def _ticking(monkeypatch: pytest.MonkeyPatch, **resolutions: float) -> Clock:
    """The clock chosen on a system that has these clocks, and ticks of these seconds."""

    def info(name: str) -> SimpleNamespace:
        if name not in resolutions:
            raise ValueError("unknown clock")
        return SimpleNamespace(resolution=resolutions[name])

    monkeypatch.setattr(time, "get_clock_info", info)
    return system_clock()


def _facts(clock: Clock) -> tuple[object, ...]:
    return clock.name, clock.cpu, clock.wall, clock.measures_cpu


def test_the_threads_clock_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fine clock of the thread's own CPU time is used, beside wall time."""
    found = _ticking(monkeypatch, thread_time=1e-9, process_time=1e-9)
    assert ("thread_time", time.thread_time, time.perf_counter, True) == _facts(found)
    assert found.process_cpu is time.process_time


@pytest.mark.parametrize("others", [{}, {"thread_time": 15.6e-3}], ids=["absent", "coarse"])
def test_the_processs_clock_stands_in(
    monkeypatch: pytest.MonkeyPatch, others: dict[str, float]
) -> None:
    """Where the thread's clock is absent or too coarse, the process's is used."""
    found = _ticking(monkeypatch, process_time=1e-7, **others)
    assert ("process_time", time.process_time, time.perf_counter, True) == _facts(found)


@pytest.mark.parametrize(
    "ticks", [{}, {"thread_time": 15.6e-3, "process_time": 15.6e-3}], ids=["absent", "coarse"]
)
def test_wall_time_is_the_last_resort(
    monkeypatch: pytest.MonkeyPatch, ticks: dict[str, float]
) -> None:
    """Without a fine CPU clock wall time is used, and the clock says that it is no CPU time."""
    found = _ticking(monkeypatch, **ticks)
    assert ("perf_counter", time.perf_counter, time.perf_counter, False) == _facts(found)


def test_this_system_has_a_clock() -> None:
    """The clocks of the system that runs the tests never go backwards."""
    clock = system_clock()
    first, second = (
        (clock.cpu(), clock.wall(), clock.process_cpu(), *astuple(clock.usage())) for _ in range(2)
    )
    assert all(before <= after for before, after in zip(first, second, strict=True))


def test_fresh_pages_are_counted() -> None:
    """Memory that is touched for the first time shows as page faults, where they are counted."""
    pytest.importorskip("resource")
    clock = system_clock()
    before = clock.usage().page_faults
    with mmap.mmap(-1, 64 * mmap.PAGESIZE) as fresh:
        for page in range(64):
            fresh[page * mmap.PAGESIZE] = 1
        after = clock.usage().page_faults
    assert after - before >= 64


def test_a_system_that_does_not_count_pages_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the kernel's figures, as on Windows, no hash is said to take fresh pages."""
    monkeypatch.setitem(sys.modules, "resource", None)
    assert Usage(system_seconds=0.0, page_faults=0) == system_clock().usage()
