"""What goes to standard output, to standard error, to a terminal and to a pipe."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from end_to_end.command import (
    COMMAND,
    MADE_UP,
    QUICK,
    TIMEOUT_SECONDS,
    calibrate,
    calibrate_installed,
    calibrate_on_terminal,
    environment,
)

AGAIN = ("--from", str(MADE_UP), "--target", "40ms")
BY = ("--profile", str(MADE_UP))


def test_result_alone_on_standard_output() -> None:
    """Standard output is the result alone; warnings with their cures go to standard error."""
    expected = """\
steal: the hypervisor gave 3.0 % of this machine's CPU time to others
  measure again at another hour

few-samples: sha256-crypt@passlib: fewer than 6 hashes were timed at this
  setting, so the error is unknown
  measure for this target again

"""
    ended = calibrate(*AGAIN)

    assert expected == ended.err
    assert "steal" not in ended.out
    assert "--budget" not in ended.out


def test_quiet() -> None:
    """--quiet leaves standard error empty and the result as it was."""
    ended = calibrate(*AGAIN, "--quiet")

    assert (calibrate(*AGAIN).out, "") == (ended.out, ended.err)


def test_pipe_gets_no_escape_codes() -> None:
    """Into a pipe go neither colours nor a progress bar."""
    ended = calibrate("bcrypt", *QUICK)

    assert "\x1b" not in ended.out + ended.err
    assert "timing hashes" not in ended.err


def test_terminal_gets_colour() -> None:
    """On a terminal the result and the warnings are coloured."""
    ended = calibrate_on_terminal(*AGAIN)

    assert "\x1b[1mrounds=159000" in ended.out
    assert "\x1b[33msteal\x1b[0m" in ended.out


def test_progress_is_on_standard_error_alone() -> None:
    """A progress bar is drawn on standard error when that is a terminal, and taken away."""
    ended = calibrate_on_terminal("bcrypt", *QUICK, terminal="err")

    assert "timing hashes" in ended.err
    assert ended.err.rpartition("timing hashes")[2].count("\x1b[2K") >= 1
    assert "\x1b" not in ended.out
    assert "timing" not in ended.out


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_terminal_without_colour(env: dict[str, str]) -> None:
    """NO_COLOR and a terminal without capabilities are respected by result and warnings."""
    ended = calibrate_on_terminal(*AGAIN, env=env)

    assert "rounds=159000" in ended.out
    assert "\x1b" not in ended.out


def test_progress_without_colour() -> None:
    """With NO_COLOR the progress bar sets no colour either."""
    ended = calibrate_on_terminal("bcrypt", *QUICK, terminal="err", env={"NO_COLOR": "1"})

    assert "timing hashes" in ended.err
    assert not [code for code in ("\x1b[3", "\x1b[9", "\x1b[1m", "\x1b[2m") if code in ended.err]


@pytest.mark.parametrize("columns", [80, 160])
def test_width(columns: int) -> None:
    """The result and the warnings fit the columns that there are."""
    ended = calibrate(*AGAIN, env={"COLUMNS": str(columns)})
    lines = (ended.out + ended.err).splitlines()

    assert [] == [line for line in lines if len(line) > columns]
    assert (columns == 160) is ("cryptography 50.0.2 OpenSSL 4.0.3" in ended.out)


@pytest.mark.parametrize("columns", ["40", "1", "0", "-5", "many", ""])
def test_odd_widths(columns: str) -> None:
    """However few the columns, or whatever COLUMNS holds, every figure is there."""
    ended = calibrate(*AGAIN, env={"COLUMNS": columns})
    figures = ("iterations=320000", "39.9 ms ±1.6%", "41.2 ms", "1.25×", "cost=10 next")

    assert [] == [figure for figure in figures if figure not in ended.out]


def test_plain_ascii_output() -> None:
    """Where the output's encoding has no ±, plain letters stand for it."""
    ended = calibrate_installed(*AGAIN, env={"PYTHONIOENCODING": "ascii"})

    assert "39.9 ms +-1.6%" in ended.out
    assert "2 x AMD EPYC" in ended.out
    assert "?" not in ended.out.replace("+-?", "")


@pytest.mark.parametrize(
    "arguments", [("bcrypt", *QUICK, "--quiet"), (*AGAIN, "--quiet"), ("hashers",), ("--help",)]
)
def test_closed_pipe(arguments: tuple[str, ...]) -> None:
    """A reader that has seen enough, as ``| head -0``, ends the command without a word and
    with a code that means nothing else.
    """
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [COMMAND, *arguments, *(() if "--help" in arguments else ("--format", "table"))],
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


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
def test_standard_output_cannot_be_written(redirection: str) -> None:
    """A full disk or a closed standard output is no bug: one line, and the code for it."""
    shell = ("/bin/sh", "-c", f'exec "$0" "$@" {redirection}', COMMAND)
    ended = calibrate_installed(*AGAIN, "--quiet", command=shell)

    assert (2, 1) == (ended.code, ended.err.count("\n"))
    assert "standard output" in ended.err


@pytest.mark.parametrize(
    ("arguments", "redirection"),
    [
        ("--help", ">/dev/full"),
        ("--version", ">&-"),
        ("check --help", ">/dev/full 2>/dev/full"),
        ("--help", ">&- 2>&-"),
    ],
)
def test_help_that_cannot_be_written(arguments: str, redirection: str) -> None:
    """Help and the version, too, end with 2 and a line where there is a place for it."""
    shell = ("/bin/sh", "-c", f'exec "$0" {arguments} {redirection}', COMMAND)
    ended = calibrate_installed(command=shell)

    assert (2, "") == (ended.code, ended.out)
    assert ("2>" in redirection) == (not ended.err)
    assert "2>" in redirection or ended.err.startswith("calibrate: cannot write standard output: ")


@pytest.mark.parametrize(
    ("redirection", "arguments", "code"),
    [
        ("2>/dev/full", ("nonsense",), 2),
        ("2>&-", AGAIN, 4),
        ("2>/dev/full", ("check", "bcrypt=4", *BY), 1),
    ],
)
def test_standard_error_cannot_be_written(
    redirection: str, arguments: tuple[str, ...], code: int
) -> None:
    """What there is to say is lost, and the result and the code are as they were."""
    shell = ("/bin/sh", "-c", f'exec "$0" "$@" {redirection}', COMMAND)
    ended = calibrate_installed(*arguments, command=shell)

    assert (code, "") == (ended.code, ended.err)
    assert bool(ended.out) is (code != 2)


@pytest.mark.parametrize(
    "arguments",
    [("check", "bcrypt=9", *BY), ("scan", *BY), ("check", "--app", "laravel"), ("audit", "x")],
)
def test_without_a_working_directory(arguments: tuple[str, ...]) -> None:
    """Where the present folder was deleted, the line says so."""
    gone = 'folder=$(mktemp -d) && cd "$folder" && rmdir "$folder" && exec "$0" "$@"'
    ended = calibrate_installed(*arguments, command=("/bin/sh", "-c", gone, COMMAND))

    assert (2, "") == (ended.code, ended.out)
    assert "calibrate: cannot read the working directory: " in ended.err
    assert 1 == ended.err.count("\n")


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_no_file_takes_the_place_of_a_stream(redirection: str) -> None:
    """What is opened while a stream is closed is no stream of a child."""
    program = "import os; from hashcost.cli import process; process.fill_closed(); os._exit({})"
    opened = program.format("os.open(os.devnull, os.O_RDONLY)")
    shell = ("/bin/sh", "-c", f'exec "$0" -c "$1" {redirection}', sys.executable, opened)

    assert 2 < calibrate_installed(command=shell).code
