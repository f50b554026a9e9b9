"""``calibrate sweep``: time against cost, with the fit and what lies off it."""

import contextlib
import shutil
import sys
from pathlib import Path
from typing import Any, Final

import click
from msgspec.structs import replace

from hashcost.cli.completion import complete_hashers
from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.options import (
    DURATION,
    FILE,
    memory_option,
    policy_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output, on_terminal, wants_color, write_text
from hashcost.cli.process import say
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import EXIT_CODES, InconclusiveError
from hashcost.core.progress import Progress
from hashcost.core.units import format_duration
from hashcost.documents.files import write_whole
from hashcost.machine.host import Host
from hashcost.render.commands.sweep import sweep_document
from hashcost.sweep.driver import Estimate
from hashcost.sweep.driver import sweep as run
from hashcost.sweep.file import save_sweep
from hashcost.sweep.model import Status, Sweep

_TERMINAL: Final = "-"


@click.command
@click.argument(
    "names",
    nargs=-1,
    metavar="HASHER[@IMPLEMENTATION][=COSTS]...",
    shell_complete=complete_hashers,
)
@click.option(
    "--costs",
    metavar="COSTS",
    help="1000,50000 or 6..17 or 1..1000000:100000.  [default: costs around the target]",
)
@click.option(
    "--params",
    metavar="PARAMS",
    help="The other parameters, such as t=2,p=1.",
)
@target_option("Target to mark, with its unit.", default="250ms")
@click.option(
    "--budget",
    type=DURATION,
    default="5s",
    show_default=True,
    help="Start no hash that would end after this; costs that do not fit are predicted.",
)
@memory_option
@policy_option
@click.option(
    "--plot",
    is_flag=False,
    flag_value=_TERMINAL,
    metavar="[FILE]",
    help="Draw a chart below the table, or to FILE: .svg, .png or .pdf.",
)
@click.option("--save", type=FILE, metavar="FILE", help="Save what was measured.")
@elsewhere_options("names", several=True)
@result_options("table", "json", "csv", "markdown", quiet="No progress and no advice.")
def sweep(
    names: tuple[str, ...],
    plot: str | None,
    save: Path | None,
    host: Host,
    out: Output,
    **asked: Any,
) -> int:
    """Time a hasher over a range of costs, with the error of each and the fitted curve.

    Costs that would exceed the budget are predicted and marked ~. Example:
    calibrate sweep sha512-crypt --costs 1000,50000,200000 --plot
    """
    if save == Path("-"):
        raise click.UsageError("--save needs a file; use --format json to print the same")
    picture = None if plot is None or plot == _TERMINAL else Path(plot)
    _check_plot(plot, picture, out)
    out.check(save=save, plot=picture)
    move: Progress | None = None

    def announce(estimate: Estimate) -> None:
        """Say what lies ahead, and start the bar now that it is known how long it takes."""
        nonlocal move
        if not out.quiet and on_terminal(sys.stderr):
            beyond = f", {estimate.predicted} predicted" if estimate.predicted else ""
            taken = format_duration(estimate.seconds)
            say(f"about {taken}: {estimate.measured} costs to time{beyond}")
            move = stack.enter_context(progress_bar(quiet=False))

    with contextlib.ExitStack() as stack:
        found = run(
            names,
            announce=announce,
            progress=lambda stage: move(stage) if move is not None else None,
            host=host,
            **asked,
        )
    if save is not None:
        save_sweep(replace(found, host=host.identity()), save)
    out.warn(found.warnings)
    out.write(sweep_document(found))
    if plot is not None:
        _draw(found, picture)
    return exit_code(found)


def _check_plot(plot: str | None, picture: Path | None, out: Output) -> None:
    """Find out before the work whether what ``--plot`` asks for can be drawn."""
    if plot is None:
        return
    from hashcost.render import charts, terminal_chart

    if picture is None:
        if out.form != "table" or out.path is not None:
            raise click.UsageError(
                "--plot draws below the table; with --format or --output name a file"
            )
        terminal_chart.check_available()
    elif picture.suffix.lower() not in charts.SUFFIXES:
        raise click.UsageError(
            f"--plot: the file must end with one of {', '.join(charts.SUFFIXES)}; to draw in the"
            " terminal, put --plot last"
        )
    else:
        charts.check_drawable()


def _draw(found: Sweep, picture: Path | None) -> None:
    """Draw the sweep in a file or below the table."""
    from hashcost.render import charts, terminal_chart

    if not charts.drawn_together(found):
        say("--plot: nothing was timed, so there is nothing to draw; leave --plot out")
    elif picture is not None:
        write_whole(picture, charts.file_of(charts.sweep_charts(found), picture.suffix))
    else:
        width = shutil.get_terminal_size(fallback=(80, 24)).columns
        text = terminal_chart.draw(found, width=width, color=wants_color(sys.stdout))
        write_text("\n" + text, None)


def exit_code(found: Sweep) -> int:
    """The code that a sweep ends with: that of the worst hasher that failed.

    One that has no cost that was timed or refused is inconclusive.
    """
    told = (Status.MEASURED, Status.REFUSED)
    answered = {(row.hasher, row.implementation) for row in found.rows if row.status in told}
    silent = any((each.hasher, each.implementation) not in answered for each in found.hashers)
    codes = [EXIT_CODES[row.code] for row in found.failures]
    return max([*codes, InconclusiveError.exit_code] if silent else codes, default=0)
