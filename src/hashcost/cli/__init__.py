"""The command ``calibrate``: options, wiring and exit codes, a file per command.

Commands import what they need when they run, so that ``--help`` stays quick.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import click
from click_default_group import DefaultGroup

from hashcost.cli.commands.apps import apps
from hashcost.cli.commands.audit import audit
from hashcost.cli.commands.capacity import capacity
from hashcost.cli.commands.check import check
from hashcost.cli.commands.compare import compare
from hashcost.cli.commands.emit import emit
from hashcost.cli.commands.explain import explain
from hashcost.cli.commands.hashers import hashers
from hashcost.cli.commands.policies import gpus, policies
from hashcost.cli.commands.recommend import recommend
from hashcost.cli.commands.report import report
from hashcost.cli.commands.scan import scan
from hashcost.cli.commands.solve import solve
from hashcost.cli.commands.sweep import sweep
from hashcost.core.errors import HashcostError, printable
from hashcost.core.version import __version__

if TYPE_CHECKING:
    from hashcost.machine.host import Host

_INTERRUPTED = 130
_BROKEN_PIPE = 141
_EPILOG = """\b
Examples:
  calibrate --target 40ms                    the default hashers
  calibrate bcrypt pbkdf2-sha256@cryptography
  calibrate --save here.json                 keep what was measured ...
  calibrate --from here.json --target 100ms  ... and solve it again, at once
  calibrate check bcrypt=12 --profile here.json
\b
Exit codes:
  0 fine        1 a check failed: drifted, below a floor, slower than --max
  2 wrong use, unreadable or unwritable file           4 not available
  3 too noisy or too little measured to tell
  5 target out of reach   70 a bug   130 interrupted   141 output closed
"""


class _Calibrate(DefaultGroup):  # type: ignore[misc]
    """Shows the default command's arguments as its own, since they are typed without its name."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        parameters = (*recommend.get_params(ctx), *self.params)
        records = [record for p in parameters if (record := p.get_help_record(ctx)) is not None]
        with formatter.section("Options"):
            formatter.write_dl(records)
        self.format_commands(ctx, formatter)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(
            ctx.command_path, "[HASHER[@IMPLEMENTATION]...] [OPTIONS] | COMMAND ..."
        )


@click.group(
    cls=_Calibrate,
    default="recommend",
    default_if_no_args=True,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="calibrate")
def calibrate() -> None:
    """Find the cost that makes one password hash take the time you want, here.

    Times each hasher with the library that will really do the hashing, on CPU
    time so that a busy machine does not weaken the answer, and prints the cost
    to configure with the error of its time.
    """


calibrate.add_command(recommend)
for command in (
    check,
    scan,
    capacity,
    sweep,
    solve,
    compare,
    report,
    emit,
    apps,
    audit,
    explain,
    hashers,
    policies,
    gpus,
):
    calibrate.add_command(command)


def main(arguments: Sequence[str] | None = None, *, host: Host | None = None) -> NoReturn:
    """Run the command and end the process: the only place that exits.

    ``host`` is another system than the running one, for tests.
    """
    try:
        # Not click's own main(): it answers a closed pipe with 1 and Ctrl-C with two lines.
        given = sys.argv[1:] if arguments is None else list(arguments)
        with calibrate.make_context("calibrate", given, obj=host) as context:
            code = calibrate.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as error:
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = _complain("interrupted", _INTERRUPTED)
    except click.ClickException as error:
        code = _complain(error.format_message(), error.exit_code if error.exit_code != 1 else 2)
    except HashcostError as error:
        code = _complain(str(error), error.exit_code)
    except BrokenPipeError:
        # Whoever reads us has seen enough; keep the interpreter from flushing again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = _BROKEN_PIPE
    except Exception as error:
        if (os.environ if host is None else host.environment).get("HASHCOST_DEBUG"):
            raise
        code = _complain(
            f"internal error, please report it: {type(error).__name__}: {error}"
            " (HASHCOST_DEBUG=1 shows where)",
            HashcostError.exit_code,
        )
    sys.exit(code or 0)


def _complain(message: str, code: int) -> int:
    with contextlib.suppress(OSError):
        click.echo(f"calibrate: {printable(message)}", err=True)
    return code
