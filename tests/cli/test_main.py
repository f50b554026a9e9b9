"""The command from its arguments to its end, in this process."""

from __future__ import annotations

import errno

import click
import pytest
from click.testing import CliRunner

from fakes import FakeClock, fake_host
from hashcost.cli import COMMANDS, calibrate, load_command, main
from hashcost.core.errors import UnreadableInputError
from hashcost.hashers import registry


def ended(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one run."""
    with pytest.raises(SystemExit) as end:
        main(arguments, host=fake_host(FakeClock()))
    out, err = capsys.readouterr()
    code = end.value.code
    assert isinstance(code, int)
    return code, out, err


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["hashers", "-h"], ["recommend", "-h"]])
def test_help_ends_well(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Help goes to standard output and ends with 0."""
    code, out, err = ended(arguments, capsys)

    assert (0, "Usage: calibrate", "") == (code, out[:16], err)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (click.UsageError("wrong"), 2),
        (click.ClickException("wrong"), 2),
        (UnreadableInputError("cannot read it"), 2),
        (ZeroDivisionError("nothing\nin two lines"), 70),
        (OSError(errno.ENOSPC, "No space left on device"), 2),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), 2),
        (PermissionError(errno.EACCES, "Permission denied", "a\x1b"), 2),
        (RuntimeError("can't start new thread"), 2),
    ],
)
def test_every_error_is_one_line(
    error: BaseException,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever is raised ends as one line on standard error, and with its own code."""

    def fail() -> tuple[registry.Candidate, ...]:
        raise error

    monkeypatch.delenv("HASHCOST_DEBUG", raising=False)
    monkeypatch.setattr(registry, "candidates", fail)
    ended_with, out, err = ended(["hashers"], capsys)

    assert (code, "", 1) == (ended_with, out, err.count("\n"))
    assert err.startswith("calibrate: ")


def test_a_bug_can_be_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    """With HASHCOST_DEBUG a bug shows its traceback."""

    def fail() -> tuple[registry.Candidate, ...]:
        raise ZeroDivisionError

    monkeypatch.setenv("HASHCOST_DEBUG", "1")
    monkeypatch.setattr(registry, "candidates", fail)
    with pytest.raises(ZeroDivisionError):
        main(["hashers"], host=fake_host(FakeClock()))


def test_message_cannot_steer_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A message that quotes what someone else wrote holds no control character."""

    def fail() -> tuple[registry.Candidate, ...]:
        raise UnreadableInputError("cannot read \x1b[31m\x07a\nb")

    monkeypatch.setattr(registry, "candidates", fail)
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_, **__: False)
    _, _, err = ended(["hashers"], capsys)

    assert err.removesuffix("\n").isprintable()


@pytest.mark.parametrize("name", ["calibrate", *COMMANDS])
def test_every_command_has_help_with_an_example(name: str) -> None:
    """Every command says in its help what it does, and shows how it is used."""
    arguments = ["--help"] if name == "calibrate" else [name, "--help"]
    result = CliRunner().invoke(calibrate, arguments, prog_name="calibrate")
    usage, description, *_ = result.output.split("\n\n")

    assert 0 == result.exit_code
    assert "Usage: calibrate" in usage
    assert description.strip()
    assert "Example" in result.output
    assert "calibrate " in result.output.partition("Example")[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help(name: str) -> None:
    """No option goes unexplained."""
    command = load_command(name)
    options = [option for option in command.params if isinstance(option, click.Option)]

    assert [] == [option.name for option in options if not option.help]


@pytest.mark.parametrize(("name", "most"), [("calibrate", 18), ("check", 15)])
def test_options_are_few(name: str, most: int) -> None:
    """Help lists no more options than a reader takes in, its own included."""
    arguments = ["--help"] if name == "calibrate" else [name, "--help"]
    result = CliRunner().invoke(calibrate, arguments, prog_name="calibrate")

    assert sum(line.startswith("  -") for line in result.output.splitlines()) <= most
