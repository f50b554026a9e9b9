"""Option types that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click

from hashcost.cli.completion import complete_devices, complete_policies
from hashcost.core.errors import UsageError
from hashcost.core.text import path_name

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Path(click.Path):
    """A path; `calibrate --help` shows options without loading `pathlib`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a refusal that names it so that it is told from any other."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            name, shown = click.format_filename(value), path_name(value)
            self.fail(error.message.replace(name, shown), param, ctx)

    def coerce_path_result(self, value: str | os.PathLike[str]) -> Path:
        """The path as a value of `pathlib`."""
        from pathlib import Path

        return Path(value)


FILE: Final = _Path(dir_okay=False)
OUTPUT: Final = _Path(allow_dash=True)
FOLDER: Final = _Path(file_okay=False)
INPUT: Final = _Path(exists=True, allow_dash=True)

if TYPE_CHECKING:
    import os
    from pathlib import Path

    _ParamType = click.ParamType[Any]
else:
    _ParamType = click.ParamType  # Not generic before click 8.4.


class Read(_ParamType):
    """What a function reads from text, or refuses with a `UsageError`."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the text; what is read already stays as it is."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


def _figure(kind: str, name: str = "") -> Read:
    """A figure as ``parse_KIND`` of `core.units` reads it."""

    def parse(text: str) -> float:
        # `calibrate --help` shows options without reading any.
        from hashcost.core import units

        read: Callable[[str], float] = getattr(units, f"parse_{kind}")
        return read(text)

    return Read(name or kind, parse)


DURATION: Final = _figure("duration")
"""In seconds."""
RATE: Final = _figure("rate")
"""Per second."""
SIZE: Final = _figure("size")
"""In bytes."""

WHOLE: Final = _figure("whole", "integer")
"""A whole number."""


def _given_to(function: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """What a function of `hashcost.cli.inputs`, which help does without, makes of an option."""

    def convert(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        from hashcost.cli import inputs

        return getattr(inputs, function)(value)

    return convert


def target_option(told: str, *, default: str | None = None) -> Callable[[_Command], _Command]:
    """``--target``: the time of one hash; ``told`` is its help."""
    return click.option(
        *("-t", "--target"),
        type=DURATION,
        default=default,
        show_default=True,
        callback=_given_to("target_checked"),
        help=told,
    )


def profile_option(told: str, *, name: str = "profile") -> Callable[[_Command], _Command]:
    """``--profile``, or ``--from``: a saved profile, given as ``name``; ``told`` is its help."""
    return click.option("--profile", "--from", name, type=FILE, metavar="PROFILE", help=told)


memory_option: Final = click.option(
    "--memory",
    type=SIZE,
    help="Memory that one hash may use. [default: a quarter of what is free]",
)
effort_option: Final = click.option(
    "--effort",
    type=click.Choice(["fast", "normal", "precise"]),
    default="normal",
    show_default=True,
    help="How long to watch the core for a quiet moment.",
)
memory_total_option: Final = click.option(
    "--memory-total",
    type=SIZE,
    help="Memory for the whole process with all concurrent hashes."
    "  [default: what is free, within the container's limit]",
)


def output_option(told: str) -> Callable[[_Command], _Command]:
    """``--output``: the file to write; ``told`` is its help."""
    return click.option(*("-o", "--output"), type=OUTPUT, metavar="FILE", help=told)


def result_options(*formats: str, quiet: str = "") -> Callable[[_Command], _Command]:
    """``--format``, ``--output`` and, with this help, ``--quiet``; the command takes an `Output`.

    It is the argument ``out`` of the command.
    """
    written = output_option("Write the result to FILE instead of standard output.")
    return with_options(_format_option(formats), written, *_quiet_option(quiet), _taking_output)


def format_options(*formats: str, quiet: str) -> Callable[[_Command], _Command]:
    """The same without ``--output``, for commands that have ``--report``."""
    return with_options(_format_option(formats), *_quiet_option(quiet), _taking_output)


def _format_option(formats: Sequence[str]) -> Callable[[_Command], _Command]:
    return click.option(
        *("-f", "--format", "form"),
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Output format.",
    )


def _quiet_option(told: str) -> list[Callable[[_Command], _Command]]:
    return [click.option("-q", "--quiet", is_flag=True, help=told)] if told else []


def _taking_output(command: _Command) -> _Command:
    @functools.wraps(command)
    def run(
        *, form: str, output: Path | None = None, quiet: bool = False, **given: object
    ) -> int | None:
        from hashcost.cli.output import Output

        code: int | None = command(out=Output(form, output, quiet=quiet), **given)
        return code

    return cast("_Command", run)


def with_options(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Options together, in the order in which the help shows them."""
    return lambda command: functools.reduce(lambda done, add: add(done), options[::-1], command)


policy_option: Final = click.option(
    *("--policy", "policies"),
    multiple=True,
    metavar="NAME|FILE",
    shell_complete=complete_policies,
    default=("owasp",),
    show_default=True,
    callback=_given_to("policies_named"),
    help="Policy to compare with, or `none`; repeatable. `calibrate policies` lists them.",
)
worth_options: Final = with_options(
    policy_option,
    click.option(
        *("--gpu", "devices"),
        metavar="DEVICE",
        shell_complete=complete_devices,
        default="rtx-4090",
        show_default=True,
        callback=_given_to("devices_named"),
        help="Device that an attacker guesses on, or `none`; `calibrate gpus` lists them.",
    ),
)
"""What a cost is compared with: ``policies`` and ``devices``."""
