"""Which clock is read."""

import time
from types import SimpleNamespace

import pytest

from corpora import table
from hashcost.machine.clock import Clock, Usage, system_clock


def _ticking(monkeypatch: pytest.MonkeyPatch, **resolutions: float) -> Clock:
    """The clock chosen on a system that has these clocks, and ticks of these seconds."""

    def clock_info(name: str) -> SimpleNamespace:
        if name not in resolutions:
            raise ValueError("unknown clock")
        return SimpleNamespace(resolution=resolutions[name])

    monkeypatch.setattr(time, "get_clock_info", clock_info)
    return system_clock()


@table("ticks, name")
def test_the_narrowest_fine_clock_is_read(
    monkeypatch: pytest.MonkeyPatch, ticks: dict[str, float], name: str
) -> None:
    """The thread's CPU time goes before the process's; without either wall time is read, and the
    clock says that it is no CPU time.
    """
    found = _ticking(monkeypatch, **ticks)
    expected = (name, getattr(time, name), time.perf_counter, name != "perf_counter")
    assert expected == (found.name, found.cpu, found.wall, found.measures_cpu)
    assert found.process_cpu is time.process_time


def test_a_system_that_does_not_count_tells_nothing() -> None:
    """Without the kernel's figures, as on Windows, no hash is said to take fresh pages."""
    clock = system_clock()
    assert (Usage(system_seconds=0.0, page_faults=0), None) == (clock.usage(), clock.queued())
