"""The command ``calibrate``: options, wiring and exit codes, a file per command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import click

from hashcost.cli.process import (
    INTERRUPTED,
    abandon,
    fill_closed,
    obeying_signals,
    say,
    system_refusal,
)
from hashcost.core.errors import HashcostError, UnwritableOutputError, UsageError
from hashcost.core.text import WITHHELD, may_be_secret, printable, without
from hashcost.core.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from hashcost.machine.host import Host

_DEFAULT = "recommend"
COMPLETE = "_CALIBRATE_COMPLETE"
"""The variable of the environment by which a shell asks what to offer."""
COMMANDS = {
    _DEFAULT: "Recommend a cost (the default command).",
    "apps": "List the applications and how they configure their cost.",
    "audit": "Count stored hashes by hasher and cost.",
    "capacity": "Show how many logins a second a cost allows.",
    "check": "Check that configured costs still match their target.",
    "compare": "Compare the profiles of several machines.",
    "completion": "Print the shell completion script.",
    "emit": "Write the recommended cost as an application's configuration.",
    "explain": "Explain one stored hash or one cost.",
    "fleet": "Measure many hosts, and find one cost for all of them.",
    "gpus": "List the devices that attackers guess on, and how fast.",
    "hashers": "List the hashers and whether they work here.",
    "init": "Set up a project: settings, a profile and the CI step.",
    "policies": "List the policies, their minimums and their sources.",
    "report": "Write an HTML report of what was measured.",
    "scan": "Check the costs in source code.",
    "sweep": "Time a hasher over a range of costs.",
}
"""Each command with its line in the help."""
_LISTINGS = ("apps", "completion", "gpus", "hashers", "policies")
"""Commands that share a module; each other has the module of its name."""

_READS_SECRETS = ("audit", "explain")
"""No message of these commands repeats an argument, nor the text of an unexpected error."""

_COST_OPTIONS = ("--cost", "--rounds", "--iterations")
_BROKEN_PIPE = 141
_LONGEST = 2000
"""Characters of a message: more than any of ours has, and less than some arguments."""
_EPILOG = """\b
Examples:
  calibrate --target 40ms                    the default hashers
  calibrate bcrypt pbkdf2-sha256@cryptography
  calibrate --save here.json                 keep what was measured ...
  calibrate --from here.json --target 100ms  ... and solve it again, at once
  calibrate check bcrypt=12 --profile here.json
\b
Exit codes:
  0 fine        1 a check failed: drifted, below a minimum, above --max
  2 wrong use, unreadable or unwritable file           4 not available
  3 too noisy or too little measured to tell
  5 target too slow   70 a bug   130 interrupted   141 output closed
"""


def load_command(name: str) -> click.Command:
    """Import one of the `COMMANDS`."""
    module = "listings" if name in _LISTINGS else name
    command: click.Command = getattr(import_module(f"{__name__}.commands.{module}"), name)
    command.short_help = COMMANDS[name]  # For the completion in a shell.
    return command


class _Calibrate(click.Group):
    """Imports a command when it is run; arguments without a command are the default one's.

    Since they are typed without its name, the help shows them as the group's own.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # Where a shell asks what may follow, nothing was typed yet.
        return super().parse_args(ctx, args if ctx.resilient_parsing else args or [_DEFAULT])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        return super().resolve_command(ctx, args if args[0] in COMMANDS else [_DEFAULT, *args])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands, and what the default one takes."""
        items = super().shell_complete(ctx, incomplete)
        default = click.Context(load_command(_DEFAULT), parent=ctx)
        items += default.command.shell_complete(default, incomplete)
        for parameter in default.command.params:
            if isinstance(parameter, click.Argument):
                items += parameter.shell_complete(default, incomplete)
        return items

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(
            ctx.command_path, "[HASHER[@IMPLEMENTATION]...] [OPTIONS] | COMMAND ..."
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        parameters = (*load_command(_DEFAULT).get_params(ctx), *self.params)
        records = [record for p in parameters if (record := p.get_help_record(ctx)) is not None]
        with formatter.section("Options"):
            formatter.write_dl(records)
        with formatter.section("Commands"):
            formatter.write_dl(
                [(f"{n}*" if n == _DEFAULT else n, text) for n, text in COMMANDS.items()]
            )


@click.group(
    cls=_Calibrate,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": True},
)
@click.version_option(__version__, prog_name="calibrate")
def calibrate() -> None:
    """Find the cost that makes one password hash take the time you want, here.

    Times each hasher with the library that will really do the hashing, on CPU
    time so that a busy machine does not weaken the answer, and prints the cost
    to configure with the error of its time.
    """


def main(arguments: Sequence[str] | None = None, *, host: Host | None = None) -> NoReturn:
    """Run the command and end the process: the only place that exits.

    ``host`` is another system than the running one, for tests.
    """
    if arguments is None:
        fill_closed()
    given = sys.argv[1:] if arguments is None else list(arguments)
    asked = os.environ.get(COMPLETE)
    try:
        if asked is not None:
            from hashcost.cli.completion import answer

            sys.exit(answer(calibrate, COMPLETE, asked))
        code, message = _run(given, host)
    except Exception as error:
        if os.environ.get("HASHCOST_DEBUG"):
            raise
        code, message = UnwritableOutputError.exit_code, system_refusal(error)
        if not message:
            secret = given[:1] and given[0] in _READS_SECRETS
            quoted, shows = ("", ", and may show what was read") if secret else (f": {error}", "")
            message = f"internal error; please report it: {type(error).__name__}{quoted}"
            message += f" (HASHCOST_DEBUG=1 shows where{shows})"
            code = HashcostError.exit_code
    if message:
        line = without(printable(message), sorted(_secrets(given), key=len, reverse=True))
        say(f"calibrate: {line if len(line) <= _LONGEST else f'{line[:_LONGEST]}…'}")
    sys.exit(code)


def _run(given: list[str], host: Host | None) -> tuple[int, str]:
    """Run the command: the code that it ends with, and why if that is to be said."""
    try:
        # Not click's own main(): it answers a closed pipe with 1 and Ctrl-C with two lines.
        with (
            obeying_signals(),
            calibrate.make_context("calibrate", [*given], obj=host) as context,
        ):
            code = calibrate.invoke(context) or 0
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as error:  # Help was shown, or the version.
        code = error.exit_code
        if not code and sys.stdout is None:
            return UnwritableOutputError.exit_code, "cannot write standard output: it is closed"
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED, "interrupted"
    except click.NoSuchOption as error:
        return UsageError.exit_code, _no_such_option(error)
    except (click.BadOptionUsage, click.MissingParameter) as error:
        return UsageError.exit_code, _incomplete(error, given)
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and error.message.startswith("Got unexpected"):
            return error.exit_code, _incomplete(error, given)
        return error.exit_code if error.exit_code != 1 else 2, error.format_message()
    except HashcostError as error:
        return error.exit_code, str(error)
    except BrokenPipeError:
        # Whoever reads us has seen enough.
        abandon(sys.stdout)
        return _BROKEN_PIPE, ""
    return code, ""


def _secrets(given: list[str]) -> Iterator[str]:
    """The values among the arguments that no message may repeat."""
    reads_secrets = given[:1] and given[0] in _READS_SECRETS
    for argument in given[1:] if reads_secrets else given:
        value = argument
        if argument.startswith("-"):
            value = argument.partition("=")[2] if argument.startswith("--") else argument[2:]
        if value and (reads_secrets or may_be_secret(value)):
            yield value


def _incomplete(error: click.UsageError, given: list[str]) -> str:
    """Say what is missing, or too much, with what to type."""
    name = given[0] if given[:1] and given[0] in COMMANDS else _DEFAULT
    path = "calibrate" if name == _DEFAULT else f"calibrate {name}"
    message = error.format_message().rstrip(".")
    if isinstance(error, click.BadOptionUsage) and message.endswith("requires an argument"):
        context = click.Context(load_command(name))
        options = context.command.params
        kind = next(p.make_metavar(context) for p in options if error.option_name in p.opts)
        return f"{error.option_name} needs a value: `{path} {error.option_name} {kind}`"
    return f"{message}; `{path} --help` shows an example"


def _no_such_option(error: click.NoSuchOption) -> str:
    """Say what to type instead of an option; those of the group are the command's as well."""
    from hashcost.core.text import hint

    command = error.ctx.command.name if error.ctx else None
    secret = command in _READS_SECRETS or may_be_secret(error.option_name)
    unknown = f"unknown option {WITHHELD if secret else error.option_name[:60]}"
    if error.option_name in _COST_OPTIONS:
        return f"{unknown}: a cost is an argument, such as `calibrate check bcrypt=12`"
    contexts = [context for context in (error.ctx, error.ctx and error.ctx.parent) if context]
    options = [o for c in contexts for p in c.command.get_params(c) for o in p.opts]
    listed = f"`{error.ctx.command_path if error.ctx else 'calibrate'} --help` lists them"
    return f"{unknown}; {hint(error.option_name, options, listed, cutoff=0.7)}"
