"""``calibrate capacity``: how many logins a second this machine can take."""

from pathlib import Path

import click

from hashcost.cli.completion import complete_hashers
from hashcost.cli.elsewhere import Where, elsewhere_options
from hashcost.cli.inputs import profile_named
from hashcost.cli.options import (
    DURATION,
    RATE,
    SIZE,
    profile_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output
from hashcost.cli.progress import progress_bar
from hashcost.core.cost_expressions import parse_cost
from hashcost.logins.capacity import measure_capacity
from hashcost.logins.model import Demand
from hashcost.render.commands.capacity import capacity_document

_EPILOG = """\b
Examples:
  calibrate capacity bcrypt=12
  calibrate capacity argon2id=m=19456,t=2,p=1
  calibrate capacity pbkdf2-sha256 --logins 20/s --p95 250ms
  calibrate capacity argon2id --logins 20/s --p95 250ms --memory-total 1GiB
"""


@click.command(epilog=_EPILOG)
@click.argument("cost", metavar="HASHER[@IMPLEMENTATION][=COST]", shell_complete=complete_hashers)
@target_option("If no cost is given: solve for this time per hash.  [default: 250ms]")
@profile_option("If no cost is given: take it from a saved profile.", name="origin")
@click.option(
    "--budget",
    type=DURATION,
    help="Time for each number of threads.  [default: 3s to 10s, longer for slow hashes]",
)
@click.option(
    "--logins",
    type=RATE,
    help="Find the highest cost that should keep up with this many logins, such as 20/s ...",
)
@click.option("--p95", type=DURATION, help="... and answers 95 of 100 within this time.")
@click.option(
    "--memory-total",
    type=SIZE,
    help="Memory for the whole process with all concurrent hashes."
    "  [default: what is free, within the container's limit]",
)
@elsewhere_options("cost")
@result_options("table", "json", "csv", "markdown", quiet="No progress and no advice.")
def capacity(
    cost: str,
    target: float | None,
    origin: Path | None,
    logins: float | None,
    p95: float | None,
    budget: float | None,
    memory_total: int | None,
    where: Where,
    out: Output,
) -> None:
    """Show how many logins a second this machine can handle, and how long each takes.

    Runs real hashes in 1, 2 and more threads, and predicts from them, by a simulated queue, how
    long logins take that arrive at random. With --logins and --p95 it finds the highest cost
    that is predicted to keep up.
    """
    if (logins is None) != (p95 is None):
        given, lacking = ("--logins", "--p95") if p95 is None else ("--p95", "--logins")
        raise click.UsageError(f"{given} also needs {lacking}; add it")
    if logins is not None and target is not None:
        raise click.UsageError(
            "--target does not apply to --logins, where --p95 is the limit; leave it out"
        )
    demand = None
    if logins is not None and p95 is not None:
        demand = Demand(logins_per_second=logins, p95_seconds=p95)
    out.check(origin)
    with progress_bar(quiet=out.quiet) as report:
        measured = measure_capacity(
            parse_cost(cost),
            target=target,
            demand=demand,
            origin=None if origin is None else profile_named("--from", origin, where.host),
            budget=budget,
            memory_total=memory_total,
            progress=report,
            host=where.host,
            pool=where.pool,
        )
    out.warn(measured.warnings)
    out.write(capacity_document(measured))
