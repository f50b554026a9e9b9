"""Option types that several commands share."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from hashcost.cli.completion import complete_apps, complete_devices, complete_policies
from hashcost.cli.inputs import devices_named, policies_named
from hashcost.cli.output import Output
from hashcost.core.errors import UsageError
from hashcost.core.text import path_name, printable
from hashcost.core.units import check_target, format_list, parse_duration, parse_rate, parse_size

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Path(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a refusal that names it unambiguously."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            name, shown = click.format_filename(value), path_name(value)
            self.fail(error.message.replace(name, shown), param, ctx)


FILE: Final = _Path(dir_okay=False, path_type=Path)
OUTPUT: Final = _Path(allow_dash=True, path_type=Path)
FOLDER: Final = _Path(file_okay=False, path_type=Path)
INPUT: Final = _Path(exists=True, allow_dash=True, path_type=Path)


class Read(click.ParamType):  # type: ignore[type-arg]  # Not generic before click 8.4.
    """A value that a function reads from text, or refuses with a `UsageError`."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the text; a value that is already read stays as it is."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


DURATION: Final = Read("duration", parse_duration)
"""In seconds."""
RATE: Final = Read("rate", parse_rate)
"""Per second."""
SIZE: Final = Read("size", parse_size)
"""In bytes."""


def _checked_target(_: click.Context, __: click.Parameter, seconds: float | None) -> float | None:
    if seconds is not None:
        check_target(seconds)
    return seconds


def target_option(help_text: str, *, default: str | None = None) -> Callable[[_Command], _Command]:
    """``--target``: the time of one hash."""
    return click.option(
        *("-t", "--target"),
        type=DURATION,
        default=default,
        show_default=True,
        callback=_checked_target,
        help=help_text,
    )


def profile_option(help_text: str, *, name: str = "profile") -> Callable[[_Command], _Command]:
    """``--profile``, or ``--from``: a saved profile, given as ``name``."""
    return click.option("--profile", "--from", name, type=FILE, metavar="PROFILE", help=help_text)


def app_option(help_text: str, *, example: str = "") -> Callable[[_Command], _Command]:
    """``--app``: the name of the application that all arguments belong to.

    ``example`` is the command for one application, in place of ``{}``.
    """

    def only(context: click.Context, _: click.Parameter, names: tuple[str, ...]) -> str | None:
        if len(names) < 2:
            return names[0] if names else None
        # The order of options and arguments is lost, so nothing tells whose each argument is.
        command = "the command once for each"
        if example:
            command = format_list([f"`{example.format(printable(name[:60]))}`" for name in names])
        raise click.UsageError(f"--app takes one application; run {command}", context)

    return click.option(
        "--app",
        metavar="APP",
        multiple=True,
        callback=only,
        shell_complete=complete_apps,
        help=help_text,
    )


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
    help="How many hashes to time.",
)


def output_option(help_text: str) -> Callable[[_Command], _Command]:
    """``--output``: the file to write."""
    return click.option(*("-o", "--output"), type=OUTPUT, metavar="FILE", help=help_text)


def result_options(
    *formats: str,
    quiet: str = "",
    to_file: str = "Write the result to FILE instead of standard output.",
) -> Callable[[_Command], _Command]:
    """``--format`` and, each if it has a help, ``--output`` and ``--quiet``.

    The command takes them as one `Output`, its argument ``out``.
    """

    def taking_output(command: _Command) -> _Command:
        @functools.wraps(command)
        def run(
            *, form: str, output: Path | None = None, quiet: bool = False, **given: object
        ) -> None:
            command(out=Output(form, output, quiet=quiet), **given)

        return cast("_Command", run)

    options = [
        click.option(
            *("-f", "--format", "form"),
            type=click.Choice(formats),
            default=formats[0],
            show_default=True,
            help="Output format.",
        )
    ]
    if to_file:
        options.append(output_option(to_file))
    if quiet:
        options.append(click.option("-q", "--quiet", is_flag=True, help=quiet))
    return with_options(*options, taking_output)


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
    callback=lambda _, __, names: policies_named(names),
    help="Policy to compare with, or `none`; repeatable. `calibrate list policies` lists them.",
)
worth_options: Final = with_options(
    policy_option,
    click.option(
        *("--gpu", "devices"),
        multiple=True,
        metavar="DEVICE",
        shell_complete=complete_devices,
        default=("rtx-4090",),
        show_default=True,
        callback=lambda _, __, names: devices_named(names),
        help="Device that an attacker guesses on, or `none`; `calibrate list gpus` lists them.",
    ),
)
"""The options for comparing a cost: ``policies`` and ``devices``."""
