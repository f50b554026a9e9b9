"""Runs the installed command in a process of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from made_up import PROFILE_FILE

COMMAND: Final = str(Path(sys.executable).with_name("calibrate"))
MADE_UP: Final = PROFILE_FILE
"""A profile with invented times: what is solved from it was not timed here."""

QUICK: Final = ("--target", "3ms", "--fast", "--no-history")
QUICK_DEFAULT: Final = ("--target", "20ms", "--fast", "--no-history")
"""For the default hashers: the lowest legal cost of those in memory takes milliseconds."""

RAN: Final = (0, 3)
"""The codes of a run that did its work; how noisy the machine was is not the test's."""

TIMEOUT_SECONDS: Final = 120
"""A safety net; no test depends on speed."""

_NOT_INHERITED: Final = (
    "COLUMNS",
    "NO_COLOR",
    "FORCE_COLOR",
    "HASHCOST_DEBUG",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_WORKSPACE",
    "CI_PROJECT_DIR",
)


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a run ended."""

    code: int
    out: str
    err: str


def environment(
    env: Mapping[str, str] | None = None, *, libraries: Path | None = None
) -> dict[str, str]:
    """This process's environment without what changes output, and with ``env``.

    Modules in ``libraries`` are found before the installed ones.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
    path = [str(libraries)] if libraries else []
    path += [inherited["PYTHONPATH"]] if "PYTHONPATH" in inherited else []
    return {
        **inherited,
        "TERM": "xterm",
        **({"PYTHONPATH": os.pathsep.join(path)} if path else {}),
        **(env or {}),
    }


def calibrate(
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    libraries: Path | None = None,
    command: tuple[str, ...] = (COMMAND,),
) -> Ended:
    """Run the command with both streams in pipes."""
    ended = subprocess.run(
        [*command, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env=environment(env, libraries=libraries),
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return Ended(code=ended.returncode, out=ended.stdout, err=ended.stderr)


def calibrate_on_terminal(
    *arguments: str,
    terminal: Literal["out", "err", "both"] = "both",
    env: Mapping[str, str] | None = None,
) -> Ended:
    """Run the command with one stream, or both, on a terminal of 80 columns.

    With both, everything that the terminal received is in ``out``.
    """
    leader, follower = pty.openpty()
    on_out, on_err = terminal != "err", terminal != "out"
    with (
        subprocess.Popen(
            [COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=follower if on_out else subprocess.PIPE,
            stderr=follower if on_err else subprocess.PIPE,
            env=environment(env),
        ) as process,
        ThreadPoolExecutor() as readers,
    ):
        os.close(follower)
        received = readers.submit(read_terminal, leader)
        piped = process.stdout or process.stderr
        elsewhere = piped.read().decode() if piped else ""
        shown = received.result(TIMEOUT_SECONDS)
        code = process.wait(TIMEOUT_SECONDS)
    os.close(leader)
    return Ended(code=code, out=shown if on_out else elsewhere, err=elsewhere if on_out else shown)


def read_terminal(leader: int, until: str = "\0") -> str:
    """What a terminal receives, up to a text or to its end."""
    received = b""
    while until.encode() not in received:
        try:
            part = os.read(leader, 65536)
        except OSError:  # Linux's way to say that the other end is closed.
            break
        if not part:
            break
        received += part
    return received.decode().replace("\r\n", "\n")
