"""Ctrl-C half-way."""

import os
import pty
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

from corpora import cases
from end_to_end.command import COMMAND, TIMEOUT_SECONDS, environment, read_terminal

ENDLESS: Final = cases(__file__, "interruption.toml", "endless")
"""A bcrypt that knows its known answer, says that it was called, and does not return for long.

Python hears of no signal meanwhile.
"""

IN_THREADS: Final = ENDLESS.replace(
    "    Path(__file__)",
    """    if threading.current_thread() is threading.main_thread():
        sum(range(200 << int(setting[4:6])))
        return setting + b"." * 31
    Path(__file__)""",
).replace("import hashlib", "import hashlib\nimport threading")
"""A bcrypt that takes its time in the main thread, and never ends in another."""


def interrupted(
    library: str, folder: Path, *arguments: str, sent: signal.Signals = signal.SIGINT
) -> tuple[int, str, str]:
    """Interrupt a run as soon as its bcrypt hashes; its code and streams."""
    libraries = folder / "libraries"
    libraries.mkdir()
    (libraries / "bcrypt.py").write_text(library)
    with subprocess.Popen(
        [COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=folder,
        env=environment(libraries=libraries),
    ) as process:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not (libraries / "hashing").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(sent)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    return process.returncode, out, err


@pytest.mark.parametrize(
    ("effort", "sent"), [("fast", signal.SIGTERM), ("precise", signal.SIGINT)]
)
def test_interrupted(effort: str, sent: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C and SIGTERM end a run within a hash, with 130 and one line, and leave no output and
    no temporary file.
    """
    (tmp_path / "kept").write_text("as it was")
    options = ("--effort", effort, "--output", "kept", "--save", "profile")
    ended = interrupted(ENDLESS, tmp_path, "pbkdf2-sha1", "bcrypt", *options, sent=sent)

    assert (130, "", "calibrate: interrupted\n") == ended
    assert {tmp_path / "kept", tmp_path / "libraries"} == set(tmp_path.iterdir())
    assert "as it was" == (tmp_path / "kept").read_text()


def test_interrupted_while_loading(tmp_path: Path) -> None:
    """Ctrl-C before the command is loaded ends with 130 and one line, too."""
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    ended = subprocess.run(
        [COMMAND, "--version"],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=environment(libraries=tmp_path),
        timeout=TIMEOUT_SECONDS,
    )

    assert (130, "", "calibrate: interrupted\n") == (ended.returncode, ended.stdout, ended.stderr)


def test_interrupted_in_threads(tmp_path: Path) -> None:
    """Ctrl-C ends a load also while its threads are in a hash that does not end."""
    ended = interrupted(IN_THREADS, tmp_path, "capacity", "bcrypt=5")

    assert (130, "", "calibrate: interrupted\n") == ended


def test_interrupted_while_hashing(tmp_path: Path) -> None:
    """A run with real libraries that is interrupted takes its progress bar away and leaves
    nothing, in the history either.
    """
    outputs, state = tmp_path / "outputs", tmp_path / "state"
    outputs.mkdir()
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "--effort", "precise", "--target", "20ms", "--output", "result"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=follower,
        cwd=outputs,
        env=environment({"XDG_STATE_HOME": str(state)}),
    ) as process:
        os.close(follower)
        read_terminal(leader, until="timing hashes")
        process.send_signal(signal.SIGINT)
        shown = read_terminal(leader)
        out, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    os.close(leader)

    assert (130, b"") == (process.returncode, out)
    assert "calibrate: interrupted\n" == shown.rpartition("\x1b[2K")[2]
    assert [outputs] == list(tmp_path.rglob("*"))
