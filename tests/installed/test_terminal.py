"""What the user of an installed command sees on a terminal."""

import os
import pty
import subprocess
import termios
from pathlib import Path

import pytest

from end_to_end.command import TIMEOUT_SECONDS, read_terminal
from installed.user import AS_USER, ENVIRONMENTS, environment_of, program
from screens import shown, too_wide


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_run(environment: str, columns: int, home: Path) -> None:
    """With any version of rich that is allowed, the bar is drawn without markup and within the
    terminal, then the result names the libraries and ends with the setting to use.
    """
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, columns))
    with subprocess.Popen(
        [program(environment), "--target", "10ms"],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        cwd=home,
        env=environment_of(environment, home),
        **AS_USER,
    ) as process:
        os.close(follower)
        received = read_terminal(leader)
        process.wait(TIMEOUT_SECONDS)
    os.close(leader)
    screen = shown(received)

    assert "timing hashes" in received
    assert "[progress" not in received
    assert screen.widest <= columns
    assert [] == too_wide(screen.lines, columns)
    assert "Hashed by " in " ".join(screen.lines)
    assert screen.lines[-1].endswith(".")
