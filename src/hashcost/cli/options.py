"""Options that several commands share, and the values in which commands take them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import click

from hashcost.cli.completion import completer
from hashcost.core.errors import UsageError, prefix_errors
from hashcost.core.text import path_name, printable
from hashcost.core.units import check_target, format_list, parse_duration, parse_rate, parse_size
from hashcost.strength.policies.catalogue import load_policies
from hashcost.strength.policies.policy import Policy

if TYPE_CHECKING:
    from hashcost.strength.attackers.device import Device

_Function = TypeVar("_Function", bound=Callable[..., Any])


class GroupedCommand(click.Command):
    """A command that takes its options in groups.

    An argument of its function whose type is a dataclass gets the options that are named as the
    fields. So a function has as many arguments as there are groups, however many options.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function with what was typed."""
        function: Any = self.callback
        arguments = {}
        for name, kind in get_type_hints(function).items():
            if isinstance(kind, type) and dataclasses.is_dataclass(kind):
                # A field whose option this command does not have keeps its default.
                fields = [field.name for field in dataclasses.fields(kind)]
                values = {field: ctx.params[field] for field in fields if field in ctx.params}
                arguments[name] = kind(**values)
            elif name in ctx.params:
                arguments[name] = ctx.params[name]
        return ctx.invoke(function, **arguments)


class _Path(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a refusal that names it unambiguously."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            # Click shows a name as it is, which may hold a line end or an escape sequence.
            name, shown = click.format_filename(value), path_name(value)
            self.fail(error.message.replace(name, shown), param, ctx)


FILE = _Path(dir_okay=False, path_type=Path)
OUTPUT = _Path(allow_dash=True, path_type=Path)
FOLDER = _Path(file_okay=False, path_type=Path)
INPUT = _Path(exists=True, allow_dash=True, path_type=Path)


class Read(click.ParamType):  # type: ignore[type-arg]  # Not generic before click 8.4.
    """A value that a function reads from text, or refuses with a `UsageError`."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the text."""
        try:
            return self._parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


DURATION = Read("duration", parse_duration)
"""In seconds."""
RATE = Read("rate", parse_rate)
"""Per second."""
SIZE = Read("size", parse_size)
"""In bytes."""


def _checked_target(_: click.Context, __: click.Parameter, seconds: float | None) -> float | None:
    # Not in the type: a budget and a limit are durations out of this range.
    if seconds is not None:
        check_target(seconds)
    return seconds


def target_option(
    help_text: str, *, name: str = "target", default: str | None = None
) -> Callable[[_Function], _Function]:
    """``--target``, given as ``name``: the time of one hash."""
    return click.option(
        *("-t", "--target", name),
        type=DURATION,
        default=default,
        show_default=True,
        callback=_checked_target,
        help=help_text,
    )


def profile_option(help_text: str, *, name: str = "profile") -> Callable[[_Function], _Function]:
    """``--profile``, or ``--from``: a saved profile, given as ``name``."""
    return click.option("--profile", "--from", name, type=FILE, metavar="PROFILE", help=help_text)


def app_option(help_text: str, *, example: str = "") -> Callable[[_Function], _Function]:
    """``--app``: the name of the application that all arguments belong to.

    ``example`` is the command for one application, in place of ``{}``.
    """

    def only(context: click.Context, _: click.Parameter, names: tuple[str, ...]) -> str | None:
        if not names:
            return None
        if len(names) == 1:
            return names[0]
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
        shell_complete=completer("apps"),
        help=help_text,
    )


memory_option = click.option(
    *("--memory", "memory_bytes"),
    type=SIZE,
    help="Memory that one hash may use. [default: a quarter of what is free]",
)
effort_option = click.option(
    "--effort",
    type=click.Choice(["fast", "normal", "precise"]),
    default="normal",
    show_default=True,
    help="How many hashes to time.",
)


_FORMATS = ("table", "json", "csv", "markdown")


def output_option(help_text: str) -> Callable[[_Function], _Function]:
    """``--output``: the file to write."""
    return click.option(*("-o", "--output", "path"), type=OUTPUT, metavar="FILE", help=help_text)


def result_options(
    *formats: str,
    quiet: str = "",
    to_file: str = "Write the result to FILE instead of standard output.",
) -> Callable[[_Function], _Function]:
    """``--format`` and, each if it has a help, ``--output`` and ``--quiet``.

    The command takes them as one `Output`. Without ``formats``, it has the usual ones.
    """
    formats = formats or _FORMATS
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
    return with_options(*options)


def with_options(*options: Callable[[_Function], _Function]) -> Callable[[_Function], _Function]:
    """Options together, in the order in which the help shows them."""

    def decorate(function: _Function) -> _Function:
        # Decorators apply from the last to the first.
        for add in reversed(options):
            function = add(function)
        return function

    return decorate


def policies_named(names: tuple[str, ...], *, name: str | None = "--policy") -> tuple[Policy, ...]:
    """The policies of these names or files; no policy for ``none``.

    Messages begin with ``name``: what the policies were written for, `None` for an argument.
    """
    with prefix_errors(name):
        return load_policies(names)


def devices_named(names: tuple[str, ...]) -> tuple[Device, ...]:
    """The device of this name; no device for ``none``."""
    from hashcost.strength.attackers.device import load_device  # A check asks for none.

    with prefix_errors("--gpu"):
        if len(names) > 1:
            raise UsageError("one device is enough; name it once")
        return tuple(load_device(name) for name in names if name != "none")


policy_option = click.option(
    *("--policy", "policies"),
    multiple=True,
    metavar="NAME|FILE",
    shell_complete=completer("policies"),
    default=("owasp",),
    show_default=True,
    callback=lambda _, __, names: policies_named(names),
    help="Policy to compare with, or `none`; repeatable. `calibrate list policies` lists them.",
)


@dataclass(frozen=True, kw_only=True)
class Criteria:
    """The options for comparing a cost."""

    policies: tuple[Policy, ...]
    devices: tuple[Device, ...]
    """The device that an attacker guesses on; empty if prices are not asked for."""


criteria_options = with_options(
    policy_option,
    click.option(
        *("--gpu", "devices"),
        multiple=True,
        metavar="DEVICE",
        shell_complete=completer("gpus"),
        default=("rtx-4090",),
        show_default=True,
        callback=lambda _, __, names: devices_named(names),
        help="Device that an attacker guesses on, or `none`; `calibrate list gpus` lists them.",
    ),
)
"""The options of `Criteria`."""
