"""A probe that no runtime runs: it hashes at a speed that it makes up, and fails as it is told."""

import contextlib
import os
import stat
import sys
import time
from pathlib import Path
from typing import Final

from end_to_end.command import TIMEOUT_SECONDS
from hashcost.runtimes.hasher import RuntimeHasher
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.session import Timeouts

IMPATIENT: Final = Timeouts(greeting=0.6, answer=0.6, times_longest=0.0)


def loaded(elsewhere: Runtimes, label: str) -> RuntimeHasher:
    """The hasher of this label; its runtime is started."""
    runtime = label.partition("@")[2].partition(":")[0]
    candidates = {candidate.label: candidate for candidate in elsewhere.candidates(runtime)}
    hasher = candidates[label].load()
    assert isinstance(hasher, RuntimeHasher)
    return hasher


_PROBE: Final = Path(__file__).with_name("made_up_probe").read_text("utf-8")
"""It takes 100 ns an iteration, whatever the machine does, so that what is solved is exact."""


def fake(folder: Path, mode: str) -> str:
    """A command that behaves so, whatever it is told to run."""
    compiler = folder / "javac"
    if not compiler.exists():
        compiler.symlink_to("/bin/true")
    path = folder / f"runtime-{mode}"
    path.write_text(_PROBE.replace("{python}", sys.executable, 1))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


ENOUGH_SECONDS = 60.0
"""A hash that goes on takes hours."""


def pid_in(path: Path) -> int:
    """The process that has written its number there."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError):
            return int(path.read_text())
        time.sleep(0.01)
    raise AssertionError("the probe was never asked")


def is_gone(pid: int) -> bool:
    """Whether a process has ended, within a while."""
    deadline = time.monotonic() + ENOUGH_SECONDS
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        time.sleep(0.01)
    return False
