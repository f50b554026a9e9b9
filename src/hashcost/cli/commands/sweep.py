"""``calibrate sweep``: time against cost, with the fit and what lies off it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path

import click

from hashcost.cli.host import current_host
from hashcost.cli.inputs import policies_named
from hashcost.cli.options import (
    DURATION,
    FILE,
    memory_option,
    output_options,
    policy_option,
    target_option,
)
from hashcost.cli.output import (
    check_apart,
    check_outputs,
    on_terminal,
    write_result,
    write_warnings,
)
from hashcost.cli.plot import check_drawable, picture_file, plot_option, told_apart, write_picture
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import EXIT_CODES, InconclusiveError
from hashcost.core.units import format_duration
from hashcost.render.documents.sweep import sweep_document
from hashcost.sweep.driver import Estimate
from hashcost.sweep.driver import sweep as run
from hashcost.sweep.file import save_sweep
from hashcost.sweep.model import Status, Sweep


@click.command
@click.argument("names", nargs=-1, metavar="HASHER[@IMPLEMENTATION][=COSTS]...")
@click.option(
    "--costs",
    metavar="COSTS",
    help="1000,50000 or 6..17 or 1..1000000:100000.  [default: some around the target]",
)
@click.option(
    "--params",
    metavar="PARAMS",
    help="Other params than the one that is swept, such as t=2,p=1.",
)
@target_option("Time that one hash may take, with its unit; it is marked.", default="250ms")
@click.option(
    "--budget",
    type=DURATION,
    default="5s",
    show_default=True,
    help="Start no hash that would end later; costs that do not fit are predicted.",
)
@memory_option
@policy_option
@plot_option
@click.option("--save", type=FILE, metavar="FILE", help="Keep what was measured.")
@output_options("table", "json", "csv", "markdown")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no advice.")
def sweep(
    names: tuple[str, ...],
    costs: str | None,
    params: str | None,
    target: float,
    budget: float,
    memory: int | None,
    policy: tuple[str, ...],
    plot: str | None,
    save: Path | None,
    form: str,
    output: Path | None,
    quiet: bool,
) -> int:
    """Time a hasher over a range of costs: a row each with its error, and the fit.

    Costs that would burst the budget are predicted and marked ~. What the library does
    with a cost outside its range is said. Example:
    calibrate sweep sha512-crypt --costs 1000,50000,200000 --plot
    """
    names, plot = told_apart(names, plot)
    picture = picture_file(plot)
    if save == Path("-"):
        raise click.UsageError("--save needs a file; --format json writes the same to the output")
    check_apart(save=save, output=output, plot=picture)
    check_outputs(output=output, save=save, plot=picture)
    check_drawable(plot, form=form, output=output)
    policies = policies_named(policy)
    with contextlib.ExitStack() as stack:
        bar = _LateBar(stack, shown=not quiet and on_terminal(sys.stderr))
        found = run(
            names,
            costs=costs,
            target=target,
            budget=budget,
            params=params,
            memory=memory,
            policies=policies,
            announce=bar.announce,
            progress=bar.progress,
            host=current_host(),
        )
    if save is not None:
        save_sweep(found, save)
    write_result(sweep_document(found), form, output)
    if plot is not None:
        from hashcost.render.plot.sweep import sweep_figure

        write_picture(sweep_figure(found), plot)
    if not quiet:
        write_warnings(found.warnings)
    return exit_code(found)


def exit_code(found: Sweep) -> int:
    """The code that a sweep ends with: that of the worst hasher that failed.

    One that has no cost that was timed, refused or clamped is inconclusive.
    """
    told = (Status.MEASURED, Status.REFUSED, Status.CLAMPED)
    answered = {(row.hasher, row.implementation) for row in found.rows if row.status in told}
    silent = any((each.hasher, each.implementation) not in answered for each in found.hashers)
    codes = [EXIT_CODES[row.code] for row in found.failures]
    return max([*codes, InconclusiveError.exit_code] if silent else codes, default=0)


class _LateBar:
    """A progress bar that appears once it is known how long the work will take."""

    def __init__(self, stack: contextlib.ExitStack, *, shown: bool) -> None:
        self._stack = stack
        self._shown = shown
        self._report: Callable[[float], None] | None = None

    def announce(self, estimate: Estimate) -> None:
        """Say what lies ahead, and start the bar."""
        if not self._shown:
            return
        beyond = f", {estimate.predicted} predicted" if estimate.predicted else ""
        taken = format_duration(estimate.seconds)
        click.echo(f"about {taken}: {estimate.measured} costs to time{beyond}", err=True)
        self._report = self._stack.enter_context(progress_bar("timing hashes", quiet=False))

    def progress(self, fraction: float) -> None:
        """Move the bar."""
        if self._report is not None:
            self._report(fraction)
