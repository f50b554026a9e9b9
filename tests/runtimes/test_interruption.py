"""No runtime outlives the command, however that ends."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from corpora import table
from end_to_end.command import COMMAND, TIMEOUT_SECONDS, environment
from runtimes import fake

LABEL = "pbkdf2-sha256@node:crypto"
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


@table("arguments")
def test_ctrl_c_ends_a_hash_in_a_runtime(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """A hash that would take hours ends with the command, at once, and with one line."""
    command = fake(tmp_path, "works")
    with subprocess.Popen(
        [COMMAND, *arguments, "--in", f"node={command}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    ) as process:
        probe = pid_in(Path(f"{command}.pid"))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (130, "", "calibrate: interrupted\n") == (process.returncode, out, err)
    assert is_gone(probe)


def test_a_killed_command_leaves_no_runtime(tmp_path: Path) -> None:
    """A probe ends with its input, after the hash that it computes."""
    command = fake(tmp_path, "dawdles")
    with subprocess.Popen(
        [COMMAND, LABEL, "--target", "4ms", "--in", f"node={command}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        probe = pid_in(Path(f"{command}.pid"))
        process.kill()
    assert is_gone(probe)
