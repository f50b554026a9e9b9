"""The system that hashes run on, as one value that tests can replace.

A fact that the system does not give is `None`, never a default.
"""

import datetime as dt
import os
import sys
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import msgspec

from hashcost.core.machine import HostIdentity, Machine
from hashcost.machine.clock import Clock
from hashcost.machine.facts import System
from hashcost.machine.history import History
from hashcost.machine.signals import Counters


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """Clocks, memory, CPU facts and counters of one system."""

    clock: Clock
    now: Callable[[], float]
    """Seconds since 1970."""
    describe: Callable[[], Machine]
    available_memory: Callable[[], int | None]
    """Bytes that this process could still take."""
    used_memory: Callable[[], int | None]
    """Bytes that this process holds."""
    counters: Callable[[], Counters]
    state: Path | None
    """The user's folder for what this program keeps; `None` if there is no home directory."""
    history: History
    """The quiet speeds of earlier runs."""
    identity: Callable[[], HostIdentity] = HostIdentity
    """Asked only for a file that names the host."""
    on_one_core: Callable[[Collection[int]], AbstractContextManager[None]] = lambda _: (
        nullcontext()
    )
    """Keeps this thread and these on one core, where the system can."""
    warm_pages: Callable[[int], None] = lambda _: None
    """Makes huge pages for so many bytes quick to get, where the system can."""

    def date(self) -> dt.datetime:
        """The date in UTC, to the second."""
        return dt.datetime.fromtimestamp(int(self.now()), dt.UTC)


def this_host(platform: str = sys.platform) -> Host:
    """Return the running system, asked in the way of its operating system."""
    system = System()
    if platform == "linux":
        from hashcost.machine.linux import Linux

        system = Linux()
    state = _state_folder(platform)
    history = None
    if state is not None:
        history = state / "history"
    return Host(
        clock=system.clock(),
        now=time.time,
        describe=system.describe,
        available_memory=system.available_memory,
        used_memory=system.used_memory,
        counters=system.counters,
        state=state,
        history=History(history),
        identity=system.identity,
        on_one_core=system.on_one_core,
        warm_pages=system.warm_pages,
    )


def _state_folder(platform: str) -> Path | None:
    """The folder; `None` if ``XDG_STATE_HOME`` is the null device, or no home is known."""
    given = os.environ.get("XDG_STATE_HOME", "").strip()
    if given == os.devnull:
        return None
    # Older releases of platformdirs read the variable on few systems.
    if given.startswith("/"):
        return Path(given, "hashcost")
    if platform == "linux":
        # The same as by platformdirs, which takes 4 ms to import.
        folder = Path(os.path.expanduser("~/.local/state"), "hashcost")  # noqa: PTH111
    else:
        from platformdirs import user_state_path

        try:
            folder = user_state_path("hashcost", appauthor=False)
        except RuntimeError:
            return None
    # Without a home, the path is still relative: `~`, or that of an older platformdirs.
    if not folder.is_absolute():
        return None
    return folder
