"""What goes to standard output, to standard error, to a terminal and to a pipe."""

import os
import subprocess
import sys
from typing import Final

import pytest

from corpora import table
from end_to_end.command import (
    COMMAND,
    MADE_UP,
    QUICK,
    TIMEOUT_SECONDS,
    Ended,
    calibrate,
    calibrate_installed,
    calibrate_on_terminal,
    environment,
    typed,
)

AGAIN: Final = ("--from", str(MADE_UP), "--target", "40ms")
REASON: Final = (
    "calibrate: pbkdf2-sha1@hashlib: computed a wrong hash for a known answer (RFC 6070)\n"
)
"""Why `AGAIN` ends with 4."""
BY: Final = ("--profile", str(MADE_UP))


def test_result_only_on_standard_output() -> None:
    """Standard output is the result only; notices go to standard error: of a saved run what
    matters to its answers, and all of it on request.
    """
    noisy = "too-noisy: sha256-crypt@passlib: when measured: the time is uncertain by more than"
    past = "steal: when measured: the hypervisor gave 3.0 % of this machine's CPU time"
    ended = calibrate(*AGAIN)
    explained = calibrate(*AGAIN, "--explain")

    assert REASON == ended.err
    assert "too uncertain at ±30%" in " ".join(ended.out.split())
    assert explained.err.startswith(past)
    assert noisy in " ".join(explained.err.split())
    assert explained.err.endswith(REASON)
    assert "steal" not in ended.out + explained.out


def test_quiet_and_short() -> None:
    """--quiet leaves only the table and the answer; --short a line a hasher, to paste."""
    ended = calibrate(*AGAIN)
    quiet = calibrate(*AGAIN, "--quiet")
    short = calibrate(*AGAIN, "--short")
    said = [line for line in ended.out.splitlines() if line not in quiet.out.splitlines()]

    assert (REASON, ended.code) == (quiet.err, quiet.code)
    assert ["crack", "from:", "owasp", "sha512-crypt"] == [line.split()[0] for line in said]
    assert "bcrypt@bcrypt cost=9  26.8 ms\n" in short.out
    assert "sha256-crypt@passlib rounds=80000  40.0 ms ±30%\n" in short.out
    assert short.err.endswith(REASON)


def test_a_terminal_gets_colour() -> None:
    """On a terminal the result and notices are coloured, a pipe gets no escape codes."""
    ended = calibrate_on_terminal(*AGAIN, "--explain")
    piped = calibrate("bcrypt", *QUICK)

    assert "\x1b[1mrounds=159000" in ended.out
    assert "calibrate: " not in ended.out, "the table has said why it ends with 4"
    assert "\x1b[33msteal\x1b[0m" in ended.out
    assert "\x1b" not in piped.out + piped.err
    assert "timing hashes" not in piped.err


@table("options, env")
def test_terminal_without_colour(options: tuple[str, ...], env: dict[str, str]) -> None:
    """Result and notices respect NO_COLOR, --color and a terminal without capabilities."""
    ended = calibrate_on_terminal(*AGAIN, *options, env=env)

    assert "rounds=159000" in ended.out
    assert "\x1b" not in ended.out


def test_progress_is_on_standard_error_only() -> None:
    """A progress bar is drawn on standard error when that is a terminal, and taken away; with
    NO_COLOR without a colour.
    """
    ended = calibrate_on_terminal("bcrypt", *QUICK, terminal="err", env={"NO_COLOR": "1"})

    assert "timing hashes" in ended.err
    assert ended.err.rpartition("timing hashes")[2].count("\x1b[2K") >= 1
    assert not [code for code in ("\x1b[3", "\x1b[9", "\x1b[1m", "\x1b[2m") if code in ended.err]
    assert "\x1b" not in ended.out


@pytest.mark.parametrize("columns", ["160", "80", "40", "1", "0", "-5", "many", ""])
def test_width(columns: str) -> None:
    """The result and the warnings fit the columns that there are; however few, or whatever
    COLUMNS holds, every figure is there.
    """
    ended = calibrate(*AGAIN, "--explain", env={"COLUMNS": columns})
    figures = ("iterations=320000", "39.9 ms ±1.6%", "41.2 ms", "76.5ms")

    assert [] == [figure for figure in figures if figure not in ended.out]
    if columns in {"80", "160"}:
        lines = (ended.out + ended.err.partition("calibrate: ")[0]).splitlines()
        assert [] == [line for line in lines if len(line) > int(columns)]
        assert (columns == "160") is ("cryptography 50.0.2 OpenSSL 4.0.3" in ended.out)


@pytest.mark.parametrize("arguments", [(*AGAIN, "--quiet"), ("--help",)])
def test_closed_pipe(arguments: tuple[str, ...]) -> None:
    """A reader that has seen enough, as ``| head -0``, ends the command without a word and
    with a code that means nothing else.
    """
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    finally:
        os.close(writer)

    assert (141, b"") == (ended.returncode, ended.stderr)


def redirected(redirection: str, *arguments: str) -> Ended:
    """Run the command with its streams redirected by a shell."""
    shell = ("/bin/sh", "-c", f'exec "$0" "$@" {redirection}', COMMAND)
    return calibrate_installed(*arguments, command=shell)


@table("redirection, arguments")
def test_standard_output_cannot_be_written(redirection: str, arguments: str) -> None:
    """A full disk or a closed standard output is no bug: 2, and a line if there is room for it."""
    ended = redirected(redirection, *typed(arguments, AGAIN=AGAIN))

    assert (2, "") == (ended.code, ended.out)
    if "2>" in redirection:
        assert "" == ended.err
    else:
        assert ended.err.startswith("calibrate: cannot write standard output: ")
        assert 1 == ended.err.count("\n")


@table("redirection, arguments, code")
def test_standard_error_cannot_be_written(redirection: str, arguments: str, code: int) -> None:
    """What there is to say is lost, and the result and the code are as they were."""
    ended = redirected(redirection, *typed(arguments, AGAIN=AGAIN, BY=BY))

    assert (code, "") == (ended.code, ended.err)
    assert bool(ended.out) is (code != 2)


@pytest.mark.parametrize("arguments", [("check", "bcrypt=9", *BY), ("scan", *BY), ("audit", "x")])
def test_without_a_working_directory(arguments: tuple[str, ...]) -> None:
    """Where the present folder was deleted, the line says so."""
    gone = 'folder=$(mktemp -d) && cd "$folder" && rmdir "$folder" && exec "$0" "$@"'
    ended = calibrate_installed(*arguments, command=("/bin/sh", "-c", gone, COMMAND))

    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert "calibrate: cannot read the working directory: " in ended.err


@pytest.mark.parametrize("redirection", ["<&-", "<&- >&- 2>&-"])
def test_no_file_takes_the_place_of_a_stream(redirection: str) -> None:
    """What is opened while a stream is closed is no stream of a child."""
    program = "import os; from hashcost.cli import process; process.fill_closed(); os._exit({})"
    opened = program.format("os.open(os.devnull, os.O_RDONLY)")
    shell = ("/bin/sh", "-c", f'exec "$0" -c "$1" {redirection}', sys.executable, opened)

    assert 2 < calibrate_installed(command=shell).code
