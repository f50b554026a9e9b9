"""No runtime outlives the command, however that ends."""

import signal
import subprocess
from pathlib import Path

from corpora import table
from end_to_end.command import COMMAND, TIMEOUT_SECONDS, environment
from runtimes import fake, is_gone, pid_in

LABEL = "pbkdf2-sha256@node:crypto"


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
