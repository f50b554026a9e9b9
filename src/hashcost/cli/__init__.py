"""The command ``calibrate``: options, wiring and exit codes, a file per command."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import click

from hashcost.cli.process import (
    INTERRUPTED,
    USUAL_WIDTH,
    abandon,
    fill_closed,
    obeying_signals,
    system_refusal,
    tell,
    width_of,
)
from hashcost.core.errors import HashcostError, ResultError, UnwritableOutputError, UsageError
from hashcost.core.text import WITHHELD, either, hint, joined, misspelt, printable, quoted, without
from hashcost.core.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_DEFAULT = "recommend"
COMPLETE = "_CALIBRATE_COMPLETE"
"""The environment variable by which a shell asks for completions."""
GROUPS = {
    "Everyday": {
        _DEFAULT: "Recommend a cost (the default command).",
        "check": "Check that configured costs still match their target.",
        "emit": "Write the recommended cost as an application's configuration.",
    },
    "For a project": {
        "init": "Set up a project: settings, a profile and the CI step.",
        "scan": "Check the costs in source code.",
        "audit": "Count stored hashes by hasher and cost.",
        "explain": "Explain one stored hash or one cost.",
    },
    "Looking closer": {
        "sweep": "Time a hasher over a range of costs.",
        "capacity": "Show how many logins a second a cost allows.",
        "compare": "Compare the profiles of several machines.",
        "fleet": "Measure many hosts, and find one cost for all of them.",
        "report": "Write an HTML report of what was measured.",
        "list": "List applications, hashers, policies and devices.",
        "completion": "Print the shell completion script.",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
"""Each command with its line in the help."""

MAY_BE_SECRET = {
    "audit": ("source", "column", "last_login", "database", "query"),
    "explain": ("cost",),
}
"""The commands that are asked about secrets, each with the params that may hold one.

No message repeats what was typed for these or in a wrong place, nor the text of an unexpected
error.
"""
_HELP = "help"
"""Another spelling of ``--help``, which every command has; so it is in no list of commands."""

_COST = "a cost is an argument, such as `calibrate check bcrypt=12`"
_CPUS = "run it where the limit holds, which it heeds: in the container, or behind `taskset -c 0`"
_ARGUMENTS = {
    **dict.fromkeys(("--cost", "--rounds", "--iterations"), _COST),
    "--hasher": "a hasher is an argument, such as `calibrate bcrypt`",
    **dict.fromkeys(("--cpus", "--cpu"), _CPUS),
}
"""Options that other programs have, with what to type here."""
_KEPT_BY_A_PROFILE = {
    "--memory": "--memory SIZE",
    "--parallelism": "--parallelism LANES",
    "--effort": "--effort precise",
    "--huge-pages": "--huge-pages",
}
"""Options of `calibrate` that a saved profile keeps, as they are typed."""
_BROKEN_PIPE = 141
_NARROWEST = 30
"""Columns that the help takes at least: click needs room beside its longest title."""
_MARGIN = 2
"""Columns that the help leaves free on the right."""
_MESSAGE_CHARACTERS = 2000
"""Longer than any message of ours, shorter than some arguments in them."""
_COLORS = {"auto": None, "always": True, "never": False}


class _HelpFormatter(click.HelpFormatter):
    """Writes each term above its text if two columns have no room.

    There the lines that click leaves as they are, such as examples, break as well.
    """

    def getvalue(self) -> str:
        lines = []
        for line in super().getvalue().split("\n"):
            indent = " " * (len(line) - len(line.lstrip()) + self.indent_increment)
            broken = textwrap.wrap(
                line,
                self.width,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
            lines += broken or [""]
        return "\n".join(lines)

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        if self.width - self.current_indent >= 2 * col_max:
            super().write_dl(rows, col_max, col_spacing)
            return
        for term, text in rows:
            self.write_text(term.strip())
            with self.indentation():
                self.write_text(text)


class _Context(click.Context):
    formatter_class = _HelpFormatter


def load_command(name: str) -> click.Command:
    """Import one of the `COMMANDS`."""
    command: click.Command = getattr(import_module(f"{__name__}.commands.{name}"), name)
    command.context_class = _Context
    command.short_help = COMMANDS[name]  # For the completion in a shell.
    if all(parameter.name != "color" for parameter in command.params):
        command.params.append(_color_option(hidden=True))  # The help of `calibrate` has it.
    return command


def _show_help(name: str | None) -> None:
    context = click.get_current_context()
    shown = context.find_root()
    if name is not None:
        if name not in COMMANDS:
            raise click.UsageError(f"unknown command {quoted(name, 60)}; {hint(name, COMMANDS)}")
        shown = _Context(load_command(name), parent=shown, info_name=name)
    click.echo(shown.get_help())
    context.exit()  # Where standard output is closed, this tells it.


def _names_of_commands(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in COMMANDS if name.startswith(incomplete)]


def _help_command() -> click.Command:
    """``calibrate help [COMMAND]``."""
    name = click.Argument(["name"], required=False, shell_complete=_names_of_commands)
    return click.Command(
        _HELP, params=[name, _color_option(hidden=True)], callback=_show_help, hidden=True
    )


def _set_color(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.color = _COLORS[value]


def _color_option(*, hidden: bool = False) -> click.Option:
    return click.Option(
        ["--color"],
        type=click.Choice(list(_COLORS)),
        expose_value=False,
        hidden=hidden,
        callback=_set_color,
        help="When to colour, in every command.  [default: auto, on a terminal]",
    )


class _Calibrate(click.Group):
    """Imports a command when it is run; arguments without a command are the default one's.

    Since they are typed without its name, the help shows them as the group's own.
    """

    context_class = _Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == _HELP:
            return _help_command()
        return load_command(cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # Where a shell asks what may follow, nothing was typed yet.
        if not args and not ctx.resilient_parsing:
            args = [_DEFAULT]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and args[0] != _HELP:
            args = [_DEFAULT, *args]
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands, and what the default one takes."""
        items = super().shell_complete(ctx, incomplete)
        default = click.Context(load_command(_DEFAULT), parent=ctx)
        items += default.command.shell_complete(default, incomplete)
        names = default.command.params[0]
        items += names.shell_complete(default, incomplete)
        return items

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(
            ctx.command_path, "[HASHER[@IMPLEMENTATION]...] [OPTIONS] | COMMAND ..."
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        formatter.write_paragraph()
        for title, group in GROUPS.items():
            formatter.write_text(f"{title}:")
            with formatter.indentation():
                formatter.write_dl([(name.ljust(width), text) for name, text in group.items()])
        formatter.write_text(
            "Example: calibrate --target 40ms   Options: calibrate help recommend"
        )
        formatter.write_text("Everywhere: -h, --color auto|always|never   Version: -V, --version")


@click.group(
    cls=_Calibrate,
    params=[_color_option()],
    context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": True},
)
@click.version_option(__version__, "-V", "--version", message=f"hashcost {__version__}")
def calibrate() -> None:
    """Find the cost that makes one password hash take the time you want, here."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and end the process: the only place that exits."""
    if arguments is None:
        fill_closed()
    given = sys.argv[1:] if arguments is None else list(arguments)
    name = given[0] if given and given[0] in COMMANDS else _DEFAULT
    reads_secrets = name in MAY_BE_SECRET
    code, message = 0, ""
    try:
        _run([*given])
    except click.exceptions.Exit as error:  # Everything is said.
        code = error.exit_code
        if not code and sys.stdout is None:
            code = UnwritableOutputError.exit_code
            message = "cannot write standard output: it is closed"
    except (click.Abort, KeyboardInterrupt):
        code, message = INTERRUPTED, "interrupted"
    except click.ClickException as error:
        code, message = UsageError.exit_code, _wrong_use(error, name)
    except HashcostError as error:
        code, message = error.exit_code, str(error)
        reads_secrets = reads_secrets and not isinstance(error, ResultError)
    except BrokenPipeError:  # The reader has seen enough.
        code = _BROKEN_PIPE
        abandon(sys.stdout)
    except BaseException as error:
        # Among them is what a library raises to end the process, with a code of its own.
        if os.environ.get("HASHCOST_DEBUG"):
            raise
        code, message = _unexpected(error, reads_secrets=reads_secrets)
    if message:
        _tell_end(message, _that_may_be_secret(name, given[1:]) if reads_secrets else ())
    if code == INTERRUPTED and arguments is None:
        os._exit(code)  # Taking the interpreter apart takes 0.1 s, in each run of a fleet.
    sys.exit(code)


def _run(arguments: list[str]) -> None:
    """Run a command, or answer the shell that asks for completions."""
    asked = os.environ.get(COMPLETE)
    if asked is not None:
        from hashcost.cli.completion import answer

        raise click.exceptions.Exit(answer(calibrate, COMPLETE, asked))
    # Not click's own main(): it answers a closed pipe with 1 and Ctrl-C with two lines.
    width = max(min(width_of(sys.stdout), USUAL_WIDTH), _NARROWEST) - _MARGIN
    with (
        obeying_signals(),
        calibrate.make_context("calibrate", arguments, terminal_width=width) as context,
    ):
        calibrate.invoke(context)
    if sys.stdout is not None:
        sys.stdout.flush()


def _tell_end(message: str, secrets: Iterable[str]) -> None:
    """Say in one line why the command ends, in JSON if a program reads its progress."""
    from hashcost.core.progress import AS_LINES  # Most commands end well.

    line = without(printable(message), secrets)
    if len(line) > _MESSAGE_CHARACTERS:
        line = f"{line[:_MESSAGE_CHARACTERS]}…"
    if os.environ.get(AS_LINES):
        from hashcost.cli.progress import tell_failure

        tell_failure(line)
    else:
        tell(f"calibrate: {line}")


def _that_may_be_secret(name: str, arguments: Sequence[str]) -> list[str]:
    """The arguments of a command that may hold a secret, without the names of options.

    Those are all but the values of options that take words of ours, names of files or figures.
    """
    try:
        command = load_command(name)
    except Exception:  # The very reason why the command ends, such as a lack of memory.
        return sorted(arguments, key=len, reverse=True)
    context = click.Context(command, ignore_unknown_options=True, resilient_parsing=True)
    try:
        values, unknown, _ = command.make_parser(context).parse_args([*arguments])
    except click.UsageError:  # An option lacks its value.
        values, unknown = {}, [*arguments]
    secrets = [*unknown]
    for param in MAY_BE_SECRET[name]:
        value = values.get(param)
        if isinstance(value, str):
            secrets.append(value)
        elif isinstance(value, list | tuple):
            secrets += [text for text in value if isinstance(text, str)]
    # Most runs need none.
    from hashcost.core.algorithms import COST_NAMES
    from hashcost.stored.formats.typed import is_stored_only

    # What follows an option in the same word is its value.
    texts = [re.sub("^(--[^=]*=?|-.?)", "", text) for text in secrets]
    # The name of a hasher is a word of ours.
    texts = [text for text in texts if text not in COST_NAMES and not is_stored_only(text)]
    # A secret may be a part of another.
    return sorted(texts, key=len, reverse=True)


def _unexpected(error: BaseException, *, reads_secrets: bool) -> tuple[int, str]:
    """The exit code and message of an internal error, unless the system is to blame."""
    refusal = system_refusal(error)
    if refusal:
        return UnwritableOutputError.exit_code, refusal
    what = f"{type(error).__name__}: {error} (HASHCOST_DEBUG=1 shows where)"
    if reads_secrets:
        # The text may quote what was read.
        what = f"{type(error).__name__} (HASHCOST_DEBUG=1 shows where, and may show what was read)"
    return HashcostError.exit_code, f"internal error; please report it: {what}"


def _wrong_use(error: click.ClickException, name: str) -> str:
    """Click's message about a command, with what to type instead."""
    message = error.format_message().rstrip(".")
    options = f"`calibrate {name} --help`"
    if isinstance(error, click.NoSuchOption):
        return _unknown_option(error, name)
    if isinstance(error, click.BadOptionUsage):
        return f"{message}; {options} explains it"
    example = f"write for example `{_example_of(name)}`"
    if isinstance(error, click.MissingParameter):
        return f"{message}; {example}"
    if message.startswith("Got unexpected"):
        if name in MAY_BE_SECRET:
            # Between the parentheses is what was typed.
            message, _, _ = message.partition(" (")
            message += f" {WITHHELD}"
        # It may be the value of an option that was left out, as emit's --hasher.
        return joined(message, _number_taken(error, name), example, f"{options} lists the options")
    return error.format_message()


def _number_taken(error: click.ClickException, name: str) -> str:
    """Say that a command takes one argument, such as a file; nothing of one that takes others."""
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return ""
    arguments = [param for param in error.ctx.command.params if isinstance(param, click.Argument)]
    if len(arguments) != 1:
        return ""
    taken = arguments[0].make_metavar(error.ctx).strip("[]").removesuffix("|-")
    return f"{name} takes only one {taken}"


def _unknown_option(error: click.NoSuchOption, name: str) -> str:
    """Say that a command does not have an option, and what to type instead."""
    option = error.option_name
    owners = _commands_with(option)
    shown = quoted(option, 60)
    # An option of another command is no secret.
    if name in MAY_BE_SECRET and not owners:
        shown = WITHHELD
    cures = [_elsewhere(option, name, owners), _instead(error)]
    if not any(cures):
        cures = [f"`calibrate {name} --help` lists them"]
    return joined(f"unknown option {shown}", *cures)


def _commands_with(option: str) -> list[str]:
    """List the commands that have an option, as far as they load."""
    owners = []
    for name in COMMANDS:
        # An error is being told: another one would hide it.
        with contextlib.suppress(Exception):
            if option in _options_of(load_command(name)):
                owners.append(name)
    return owners


def _options_of(command: click.Command) -> set[str]:
    options: set[str] = set()
    for parameter in command.params:
        options.update((*parameter.opts, *parameter.secondary_opts))
    return options


def _elsewhere(option: str, name: str, owners: Sequence[str]) -> str:
    """Say where an option is that a command does not have; empty if most commands have it."""
    asked = _KEPT_BY_A_PROFILE.get(option)
    if asked is not None and "--from" in _options_of(load_command(name)):
        measured = f"`{_typed(_DEFAULT)} {asked} --save PROFILE`"
        return f"measure with it: {measured}, then `calibrate {name} --from PROFILE`"
    # A list of most commands would not help.
    if not owners or len(owners) > len(COMMANDS) / 2:
        return ""
    from hashcost.core.units import format_list  # Most runs need none.

    commands = format_list([f"`{_typed(owner)}`" for owner in owners])
    if len(owners) == 1:
        return f"{commands} has it"
    return f"{commands} have it"


def _typed(name: str) -> str:
    """Write a command as it is typed."""
    if name == _DEFAULT:
        return "calibrate"
    return f"calibrate {name}"


def _instead(error: click.NoSuchOption) -> str:
    """Say what to type instead of an option that a command does not have; empty if unclear."""
    if error.option_name in _ARGUMENTS:
        return _ARGUMENTS[error.option_name]
    # Click compares the dashes, too, so that any two short words are alike.
    words = {option.lstrip("-"): option for option in error.possibilities or ()}
    typed = error.option_name.lstrip("-")
    # A longer name that begins with the same word may be meant, too.
    near = misspelt(typed, words) or [word for word in words if word.startswith(f"{typed}-")]
    if not near:
        return ""
    return f"did you mean {either([words[word] for word in near])}?"


def _example_of(name: str) -> str:
    """The first example in a command's help."""
    command = load_command(name)
    examples = re.split("Examples?:", f"{command.help}\n{command.epilog}")[1]
    return examples.strip().splitlines()[0]
