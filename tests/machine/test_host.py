"""The running system as one value."""

from __future__ import annotations

import datetime as dt
import os
import time

import pytest

from fakes import NOW, FakeClock, fake_host
from hashcost.machine.host import this_host
from hashcost.machine.posix import physical_memory
from hashcost.machine.windows import Windows


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32", "freebsd14"])
def test_every_system_can_be_asked(platform: str) -> None:
    """What a system does not tell is unknown, and keeps no one from measuring on it."""
    host = this_host(platform)
    machine, before, after = host.describe(), host.counters(), host.counters()
    assert machine.cpu_count >= 1
    assert machine.page_bytes
    assert before.wall_seconds <= after.wall_seconds
    assert host.clock.cpu() <= host.clock.cpu()
    assert (host.available_memory() is None) is (platform != "linux")
    assert (host.clock.queued() is None) is (platform != "linux")


def test_it_is_now_and_here() -> None:
    """Time and environment are those of the process."""
    host = this_host()
    before = time.time()
    assert before <= host.now() <= time.time()
    assert os.environ == host.environment


def test_a_date_is_in_utc_to_the_second(clock: FakeClock) -> None:
    """The date of a result is in UTC, to the second."""
    assert dt.datetime.fromtimestamp(NOW, dt.UTC) == fake_host(clock).date()


@pytest.mark.parametrize(
    ("environment", "model"),
    [
        (
            {"PROCESSOR_IDENTIFIER": "Intel64 Family 6 Model 158 Stepping 10, GenuineIntel"},
            "Intel64 Family 6 Model 158 Stepping 10, GenuineIntel",
        ),
        ({}, None),
    ],
)
def test_windows_identifies_its_cpu(environment: dict[str, str], model: str | None) -> None:
    """Windows puts family, model and stepping of the CPU into the environment."""
    found = Windows(environment=environment).describe()
    assert (model, None) == (found.cpu_model, found.memory_bytes)


def test_posix_knows_how_much_memory_there_is() -> None:
    """Physical memory is known on every Unix that tests run on."""
    assert (physical_memory() or 0) > 1 << 20
