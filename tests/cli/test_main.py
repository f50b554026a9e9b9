"""The command from its arguments to its end, in this process."""

import dataclasses
import errno
from typing import Final, get_type_hints
from unittest.mock import Mock

import click
import msgspec
import pytest
from click.testing import CliRunner

from end_to_end import command
from hashcost.cli import COMMANDS, calibrate, load_command, main
from hashcost.cli.output import ending
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.profile import Failure, Result
from hashcost.core.progress import AS_LINES
from hashcost.hashers import registry
from hashcost.storage.profile import load_profile
from made_up import PROFILE_FILE

PROFILE: Final = load_profile(PROFILE_FILE)
GOOD: Final = PROFILE.recommendations[0]
NOISY: Final = msgspec.structs.replace(GOOD, interval_seconds=(0.01, 0.06))
JUST: Final = msgspec.structs.replace(
    GOOD, interval_seconds=(0.76 * GOOD.time_seconds, 1.24 * GOOD.time_seconds)
)
LOPSIDED: Final = msgspec.structs.replace(
    GOOD, interval_seconds=(0.74 * GOOD.time_seconds, 1.05 * GOOD.time_seconds)
)


def failed(code: str) -> Failure:
    """A row that failed in this way."""
    return Failure(hasher="made-up", implementation="here", code=code, error="made up")


def test_a_later_cost_is_refused_before_an_earlier_one_is_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`capacity` hashes at no cost if it has to refuse another."""
    timed = Mock()
    monkeypatch.setattr("hashcost.cli.commands.capacity.measure_capacity", timed)
    ended = CliRunner().invoke(calibrate, ["capacity", "bcrypt=10", "bcrypt=3"])
    assert isinstance(ended.exception, UsageError)
    timed.assert_not_called()


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
        (MemoryError(), 2),
        (SystemExit(0), 70),
        (GeneratorExit(), 70),
        (SystemError("error return without exception set"), 2),
        (ImportError("failed to map segment", path="/lib/_library.abi3.so"), 2),
        (ImportError("cannot import name 'a'", path="/lib/library.py"), 70),
    ],
)
def test_every_error_is_one_line(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is raised ends as one line on standard error, and with its own code."""
    monkeypatch.setattr(registry, "candidates", Mock(side_effect=error))
    ended = command.calibrate("list", "hashers")

    assert (code, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert ended.err.startswith("calibrate: ")


def test_a_long_message_is_cut() -> None:
    """An argument of any length leaves the message on a few lines of a terminal."""
    ended = command.calibrate("completion", "bash", "x" * 50_000)

    assert 2 == ended.code
    assert ended.err.startswith("calibrate: Got unexpected extra argument (xxx")
    assert ended.err.endswith("xxx…\n")
    assert len(ended.err) < 2100


def test_a_command_that_takes_one_file_says_so() -> None:
    """A second file is refused with what the command takes, and is not shown."""
    ended = command.calibrate("audit", "one.txt", "two.txt")

    assert 2 == ended.code
    assert "; audit takes only one FILE; " in ended.err
    assert "two.txt" not in ended.err


def test_a_program_that_reads_progress_is_told_why_it_ends() -> None:
    """The last line has the reason, in the form of the others."""
    ended = command.calibrate("explain", "nothing=1", env={AS_LINES: "1"})
    told = msgspec.json.decode(ended.err)

    assert (2, "failed", 1.0) == (ended.code, told["phase"], told["fraction"])
    assert told["error"]


def test_colour_is_asked_for_before_or_after_the_command() -> None:
    """It may stand in either place, and `never` leaves no colour."""
    before, after, never = (
        command.calibrate(*words.split())
        for words in (
            "--color always list policies",
            "list policies --color always",
            "list policies --color never",
        )
    )
    assert before == after
    assert "\x1b[" in before.out
    assert "\x1b[" not in never.out


@pytest.mark.parametrize("name", ["audit", "explain"])
def test_a_command_that_does_not_load_is_one_line(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the arguments may be secrets, which only the loaded command tells apart."""
    monkeypatch.setattr("hashcost.cli.load_command", Mock(side_effect=MemoryError))
    ended = command.calibrate(name, "s3cret")
    assert (2, 1) == (ended.code, ended.err.count("\n"))
    assert "not enough memory" in ended.err
    assert "s3cret" not in ended.err


def test_a_bug_can_be_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    """With HASHCOST_DEBUG a bug shows its traceback."""
    monkeypatch.setenv("HASHCOST_DEBUG", "1")
    monkeypatch.setattr(registry, "candidates", Mock(side_effect=ZeroDivisionError))
    with pytest.raises(ZeroDivisionError):
        main(["list", "hashers"])


@pytest.mark.parametrize("name", ["calibrate", *COMMANDS])
def test_every_command_has_help_with_an_example(name: str) -> None:
    """Every command says in its help what it does, and shows how it is used."""
    arguments = ["--help"] if name == "calibrate" else [name, "--help"]
    result = CliRunner().invoke(calibrate, arguments, prog_name="calibrate")
    usage, description, *_ = result.output.split("\n\n")

    assert 0 == result.exit_code
    assert "Usage: calibrate" in usage
    assert description.strip()
    assert [] == [line for line in result.output.splitlines() if len(line) > 80]
    assert "Example" in result.output
    assert "calibrate " in result.output.partition("Example")[2]


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_is_another_spelling(name: str | None) -> None:
    """`calibrate help [COMMAND]` shows what `calibrate [COMMAND] --help` does, and is itself in
    no list of commands.
    """
    words = [] if name is None else [name]

    assert command.calibrate(*words, "--help") == command.calibrate("help", *words)
    assert "help" not in calibrate.list_commands(click.Context(calibrate))


@pytest.mark.parametrize(("arguments", "lines"), [(("-h",), 23), (("recommend", "-h"), 48)])
def test_help_fits_a_screen(arguments: tuple[str, ...], lines: int) -> None:
    """The commands fit one screen of 24 lines with a prompt, the main command's options two."""
    result = CliRunner().invoke(calibrate, arguments, prog_name="calibrate")

    assert len(result.output.splitlines()) <= lines


@pytest.mark.parametrize(("typed", "is_meant"), [("--memory", True), ("--mem", False)])
def test_an_option_that_begins_with_what_was_typed_is_offered(
    typed: str, *, is_meant: bool
) -> None:
    """`capacity` has an option for the memory of all hashes, besides that of one elsewhere."""
    ended = command.calibrate("capacity", "bcrypt", typed, "5GiB")
    assert ended.code == UsageError.exit_code
    assert is_meant == ended.err.endswith("; did you mean --memory-total?\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help(name: str) -> None:
    """No option goes unexplained."""
    options = [option for option in load_command(name).params if isinstance(option, click.Option)]

    assert [] == [option.name for option in options if not option.help]


@pytest.mark.parametrize(("name", "most"), [("recommend", 18), ("check", 15)])
def test_options_are_few(name: str, most: int) -> None:
    """Help lists no more options than a reader takes in, its own included."""
    result = CliRunner().invoke(calibrate, [name, "--help"], prog_name="calibrate")

    assert sum(line.startswith("  -") for line in result.output.splitlines()) <= most


@pytest.mark.parametrize("names", [("made-up",), ()])
@pytest.mark.parametrize(
    ("results", "code"),
    [
        ((GOOD,), 0),
        ((NOISY, NOISY), 3),
        ((GOOD, JUST), 0),
        ((GOOD, LOPSIDED), 3),
        ((GOOD, failed("inconclusive")), 3),
        ((GOOD, failed("wrong-answer")), 4),
        ((failed("unavailable"),), 4),
        ((failed("ended"),), 4),
        ((GOOD, failed("unreachable")), 5),
        ((GOOD, failed("wrong-answer"), failed("unreachable"), NOISY), 5),
    ],
)
def test_the_worst_row_decides(
    names: tuple[str, ...], results: tuple[Result, ...], code: int
) -> None:
    """What went wrong with any row is the command's code, the highest where several did."""
    ended_with, why = ending(msgspec.structs.replace(PROFILE, results=results), names)
    assert (code, bool(code)) == (ended_with, bool(why))


@pytest.mark.parametrize("code", ["unavailable", "ended"])
def test_a_hasher_that_cannot_run_fails_where_it_was_named(code: str) -> None:
    """Beside others, a hasher that cannot run here fails the command only if it was named."""
    profile = msgspec.structs.replace(PROFILE, results=(GOOD, failed(code)))
    assert (0, "") == ending(profile)
    for name in ("made-up", "made-up@here"):
        assert (4, "made-up@here: made up") == ending(profile, [GOOD.hasher, name])


def test_a_hasher_that_another_library_runs_does_not_fail() -> None:
    """With --all, a library that nobody has installed is passed over, unless it was named."""
    row = msgspec.structs.replace(GOOD, hasher="made-up", implementation="there")
    profile = msgspec.structs.replace(PROFILE, results=(row, failed("unavailable")))
    assert (0, "") == ending(profile, ["made-up"])
    assert 4 == ending(profile, ["made-up", "made-up@here"])[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_reaches_its_command(name: str) -> None:
    """Whatever is typed is a value of the command, which lacks none that it asks for."""
    command = load_command(name)
    typed = {param.name for param in command.params if param.expose_value}
    taken, needed = set(), set()
    for argument, kind in get_type_hints(command.callback).items():
        if not dataclasses.is_dataclass(kind):
            taken |= {argument} - {"return"}
            continue
        for field in dataclasses.fields(kind):
            taken.add(field.name)
            if field.default is dataclasses.MISSING:
                needed.add(field.name)

    assert typed <= taken
    assert needed <= typed
