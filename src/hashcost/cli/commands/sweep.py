"""``calibrate sweep``: time against cost, with the fit and the residuals."""

from pathlib import Path

import click
from msgspec.structs import replace

from hashcost.cli.completion import completer
from hashcost.cli.elsewhere import RuntimeOptions, runtime_options, where_asked
from hashcost.cli.inputs import save_into, saved_before
from hashcost.cli.options import (
    DURATION,
    FILE,
    GroupedCommand,
    memory_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output, too_uncertain, worst, write_notices
from hashcost.cli.process import tell
from hashcost.core.errors import EXIT_CODES, InconclusiveError
from hashcost.core.units import format_list
from hashcost.recommend.sweeping import Sweep, SweepRequest
from hashcost.recommend.sweeping import sweep as run
from hashcost.render.commands.sweep import sweep_document
from hashcost.storage.files import write_whole


@click.command(cls=GroupedCommand)
@click.argument(
    "hashers",
    nargs=-1,
    metavar="HASHER[@IMPLEMENTATION][=COSTS]...",
    shell_complete=completer("hashers"),
)
@click.option(
    "--costs",
    metavar="COSTS",
    help="1000,50000 or 6..17 or 1..1000000:100000.  [default: costs around the target]",
)
@click.option("--params", metavar="PARAMS", help="The other parameters, such as t=2,p=1.")
@target_option("Target to mark, with its unit.", name="target_seconds", default="250ms")
@click.option(
    *("--budget", "budget_seconds"),
    type=DURATION,
    default="5s",
    show_default=True,
    help="Start no hash that would end after this; costs that do not fit are predicted.",
)
@memory_option
@click.option(
    "--plot", type=FILE, metavar="FILE", help="Draw a chart to FILE: .svg, .png or .pdf."
)
@click.option("--save", type=FILE, metavar="PROFILE", help="Save what was measured as a profile.")
@runtime_options()
@result_options(quiet="No progress and no advice.")
def sweep(
    request: SweepRequest,
    plot: Path | None,
    save: Path | None,
    runtimes: RuntimeOptions,
    out: Output,
) -> None:
    """Time a hasher over a range of costs, with the error of each and the fitted curve.

    Costs that would exceed the budget are predicted and marked ~. Example:
    calibrate sweep sha512-crypt --costs 1000,50000,200000 --plot curve.svg
    """
    where = where_asked(runtimes, request.hashers, several=True)
    # Standard output has the rows already.
    if save == Path("-"):
        raise click.UsageError("--save needs a file; use --format json to print the rows")
    if plot is not None:
        _check_drawable(plot)
    out.check(writes=[("--save", save), ("--plot", plot)])
    if save is not None:
        # A file of another machine is refused before any work is done.
        saved_before(save, where.host.describe(), where.host.identity())
    with where.running(), out.progress() as report:
        swept = run(request, progress=report, host=where.host, pool=where.pool)
    if save is not None:
        save_into(replace(swept.profile, host=where.host.identity()), save, out)
    if plot is not None:
        _draw(swept, plot, out)
    if not out.quiet:
        write_notices(swept.profile)
    out.write(sweep_document(swept))
    out.end(*ending(swept))


def _check_drawable(picture: Path) -> None:
    """Refuse a picture that cannot be drawn, before any work is done."""
    from hashcost.render import charts  # Most sweeps draw nothing.

    if picture.suffix.lower() not in charts.SUFFIXES:
        raise click.UsageError(
            f"--plot: the file must end with one of {', '.join(charts.SUFFIXES)}"
        )
    charts.check_drawable()


def _draw(swept: Sweep, picture: Path, out: Output) -> None:
    # The rest of the answer stands, so this does not fail.
    if not swept.rows:
        tell("--plot: nothing was timed, so there is nothing to draw; leave --plot out")
        return
    from hashcost.render import charts

    write_whole(picture, charts.file_of(charts.sweep_charts(swept), picture.suffix))
    out.say_saved("the chart", picture)


def ending(swept: Sweep) -> tuple[int, str]:
    """The exit code of a sweep, that of its worst failure, and the reason.

    A hasher without a timed cost is inconclusive; an unreachable target is not a failure.
    """
    profile = swept.profile
    reasons = [
        (EXIT_CODES[row.code], str(row))
        for row in profile.failures
        if profile.measurement_of(row) is None
    ]
    timed = {row.label for row in swept.rows if row.samples}
    # Predictions alone are no answer.
    untimed = [row.label for row in profile.measurements if row.label not in timed]
    if untimed:
        why = f"no cost of {format_list(untimed)} was timed: give more time with --budget"
        reasons.append((InconclusiveError.exit_code, why))
    doubtful = too_uncertain(profile, "give more time with --budget")
    if doubtful:
        reasons.append((InconclusiveError.exit_code, doubtful))
    return worst(reasons)
