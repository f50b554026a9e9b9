"""The running system as one value."""

import datetime as dt
import os
import platform
import pwd
import time
from pathlib import Path
from unittest import mock

import pytest

from fakes import NOW, FakeClock, fake_host
from hashcost.machine.host import this_host


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32", "freebsd14"])
def test_every_system_can_be_asked(platform: str) -> None:
    """What a system does not tell is unknown, and keeps no one from measuring on it."""
    host = this_host(platform)
    machine, before, after = host.describe(), host.counters(), host.counters()
    assert machine.cpu_count >= 1
    assert machine.page_bytes
    assert before.wall_seconds <= after.wall_seconds
    assert host.clock.cpu() <= host.clock.cpu()
    assert host.available_memory()
    assert host.used_memory()
    assert machine.memory_bytes
    assert (host.clock.queued() is None) is (platform != "linux")


def test_it_is_now_and_here() -> None:
    """The time is that of the process, and the name that of the machine."""
    host = this_host()
    assert (platform.node() or None) == host.identity().name
    before = time.time()
    assert before <= host.now() <= time.time()


def test_a_date_is_in_utc_to_the_second(clock: FakeClock) -> None:
    """The date of a result is in UTC, to the second."""
    assert dt.datetime.fromtimestamp(NOW, dt.UTC) == fake_host(clock).date()


@pytest.mark.parametrize("folder", ["/state", "", "x/y"])
def test_the_history_is_in_the_users_state_folder(
    monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """Without a folder for state, or with one that is not absolute, it is in the home folder."""
    monkeypatch.setenv("XDG_STATE_HOME", folder)
    state = Path(folder) if folder.startswith("/") else Path.home() / ".local" / "state"
    assert state / "hashcost" / "history" == this_host("linux").history.path
    if folder.startswith("/"):  # Older releases of platformdirs ignore the variable there.
        assert state / "hashcost" == this_host("darwin").state


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_history_can_be_turned_off(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    """The null device in the place of a folder means that nothing is kept, on every system."""
    monkeypatch.setenv("XDG_STATE_HOME", os.devnull)
    host = this_host(platform)
    assert (None, None) == (host.state, host.history.path)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    """A process whose user is in no list of users has no state folder, and goes on."""
    for name in ("XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", mock.Mock(side_effect=KeyError("uid not found")))
    host = this_host(platform)
    assert (None, None) == (host.state, host.history.path)
