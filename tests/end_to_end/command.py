"""Runs the command: in this process, as it is installed, or on a terminal.

A process of its own costs half a second and is for what only a process has: streams, signals,
libraries that are found first, the environment of the interpreter.
"""

import contextlib
import io
import os
import pty
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from unittest import mock

import click
import pytest

from hashcost.cli import load_command, main
from made_up import PROFILE_FILE

COMMAND: Final = str(Path(sys.executable).with_name("calibrate"))
MADE_UP: Final = PROFILE_FILE
"""A profile with invented times: what is solved from it was not timed here."""

QUICK: Final = ("--target", "3ms", "--effort", "fast")
QUICK_DEFAULT: Final = ("--target", "5ms", "--effort", "fast", "--memory", "4MiB")
"""For the default hashers: even the lowest cost of those in memory takes a millisecond."""

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


def formats_of(name: str) -> tuple[str, ...]:
    """The formats that a command offers."""
    (option,) = [option for option in load_command(name).params if option.name == "form"]
    assert isinstance(option.type, click.Choice)
    return tuple(map(str, option.type.choices))


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
    stdin: bytes = b"",
) -> Ended:
    """Run the command in this process, with streams, folder and environment of its own."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.dict(os.environ, environment(env), clear=True),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")),
        mock.patch.object(tempfile, "tempdir", None),  # what TMPDIR said before
        mock.patch.object(os, "get_terminal_size", side_effect=OSError("not a terminal")),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main(arguments)
    code = ended.value.code
    assert isinstance(code, int)
    return Ended(code=code, out=_text(out), err=_text(err))


def typed(text: str, **named: Sequence[str]) -> list[str]:
    """The words of a text, where a name stands for several."""
    return [word for each in text.split() for word in named.get(each, (each,))]


def _text(stream: io.TextIOWrapper) -> str:
    """What was written, with the line ends that a pipe read as text has."""
    stream.flush()
    stream.seek(0)
    return stream.read()


def calibrate_installed(
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    libraries: Path | None = None,
    command: tuple[str, ...] = (COMMAND,),
    stdin: bytes = b"",
) -> Ended:
    """Run the installed command in a process, with its streams in pipes."""
    ended = subprocess.run(
        [*command, *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=environment(env, libraries=libraries),
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    out, err = (
        io.TextIOWrapper(io.BytesIO(stream), encoding="utf-8").read()
        for stream in (ended.stdout, ended.stderr)
    )
    return Ended(code=ended.returncode, out=out, err=err)


def calibrate_on_terminal(
    *arguments: str,
    terminal: Literal["out", "err", "both"] = "both",
    columns: int = 80,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Ended:
    """Run the command with one stream, or both, on a terminal of so many columns.

    With both, everything that the terminal received is in ``out``.
    """
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, columns))
    on_out, on_err = terminal != "err", terminal != "out"
    with (
        subprocess.Popen(
            [COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=follower if on_out else subprocess.PIPE,
            stderr=follower if on_err else subprocess.PIPE,
            cwd=cwd,
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
