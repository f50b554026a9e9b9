"""``calibrate sweep``: time against cost, with the fit and the residuals."""

from pathlib import Path
from types import ModuleType

import click
from msgspec.structs import replace

from hashcost.cli.completion import complete_hashers
from hashcost.cli.elsewhere import Where, elsewhere_options
from hashcost.cli.inputs import save_into, saved_before
from hashcost.cli.options import DURATION, FILE, memory_option, result_options, target_option
from hashcost.cli.output import Output, say_saved, write_notices
from hashcost.cli.process import tell
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import EXIT_CODES, InconclusiveError
from hashcost.core.profile import is_too_noisy
from hashcost.core.units import format_list
from hashcost.recommend.sweeping import Sweep
from hashcost.recommend.sweeping import sweep as run
from hashcost.render.commands.sweep import sweep_document
from hashcost.render.wording import plus_minus
from hashcost.storage.files import write_whole


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
@click.option("--params", metavar="PARAMS", help="The other parameters, such as t=2,p=1.")
@target_option("Target to mark, with its unit.", default="250ms")
@click.option(
    "--budget",
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
@elsewhere_options("names", several=True)
@result_options("table", "json", "csv", "markdown", quiet="No progress and no advice.")
def sweep(
    names: tuple[str, ...],
    costs: str | None,
    params: str | None,
    target: float,
    budget: float,
    memory: int | None,
    plot: Path | None,
    save: Path | None,
    where: Where,
    out: Output,
) -> None:
    """Time a hasher over a range of costs, with the error of each and the fitted curve.

    Costs that would exceed the budget are predicted and marked ~. Example:
    calibrate sweep sha512-crypt --costs 1000,50000,200000 --plot curve.svg
    """
    if save == Path("-"):
        raise click.UsageError("--save needs a file; use --format json to print the rows")
    charts = None if plot is None else _drawing(plot)
    out.check(save=save, plot=plot)
    identity = where.host.identity() if save is not None else None
    # Another machine's is refused before the work.
    saved_before(save, where.host.describe(), identity)
    with progress_bar(quiet=out.quiet) as report:
        swept = run(
            names,
            costs=costs,
            target=target,
            budget=budget,
            params=params,
            memory=memory,
            pool=where.pool,
            progress=report,
            host=where.host,
        )
    if save is not None:
        profile = replace(swept.profile, host=identity)
        save_into(profile, save, lambda whole: whole, quiet=out.quiet)
    if charts is not None and plot is not None:
        if swept.rows:
            write_whole(plot, charts.file_of(charts.sweep_charts(swept), plot.suffix))
            if not out.quiet:
                say_saved("the chart", plot)
        else:
            tell("--plot: nothing was timed, so there is nothing to draw; leave --plot out")
    if not out.quiet:
        write_notices(swept.profile)
    out.write(sweep_document(swept))
    out.end(*ending(swept))


def _drawing(picture: Path) -> ModuleType:
    """Import the charts, once it is known that the picture can be drawn."""
    from hashcost.render import charts  # Most sweeps draw nothing.

    if picture.suffix.lower() not in charts.SUFFIXES:
        raise click.UsageError(
            f"--plot: the file must end with one of {', '.join(charts.SUFFIXES)}"
        )
    charts.check_drawable()
    return charts


def ending(swept: Sweep) -> tuple[int, str]:
    """The exit code of a sweep, that of its worst failure, and the reason.

    A hasher without a timed cost is inconclusive; an unreachable target is not a failure.
    """
    profile = swept.profile
    reasons = [
        (EXIT_CODES[row.code], f"{row.label}: {row.error}")
        for row in profile.failures
        if profile.measurement_of(row) is None
    ]
    timed = {row.label for row in swept.rows if row.samples}
    untimed = [row.label for row in profile.measurements if row.label not in timed]
    if untimed:
        why = f"no cost of {format_list(untimed)} was timed: give more time with --budget"
        reasons.append((InconclusiveError.exit_code, why))
    doubtful = [row for row in profile.recommendations if is_too_noisy(row)]
    if doubtful:
        times = [f"{row.label} ({plus_minus(row.error_fraction)})" for row in doubtful]
        why = f"too uncertain: {format_list(times)}; give more time with --budget"
        reasons.append((InconclusiveError.exit_code, why))
    return max(reasons, default=(0, ""), key=lambda reason: reason[0])
