"""``calibrate capacity``: how many logins a second this machine can take."""

from pathlib import Path

import click

from hashcost.cli.completion import completer
from hashcost.cli.elsewhere import RuntimeOptions, runtime_options, where_asked
from hashcost.cli.inputs import profile_named
from hashcost.cli.options import (
    DURATION,
    RATE,
    SIZE,
    GroupedCommand,
    profile_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output
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


@click.command(cls=GroupedCommand, epilog=_EPILOG)
@click.argument(
    "cost", metavar="HASHER[@IMPLEMENTATION][=COST]", shell_complete=completer("hashers")
)
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
@runtime_options()
@result_options(quiet="No progress and no advice.")
def capacity(
    cost: str,
    target: float | None,
    origin: Path | None,
    logins: float | None,
    p95: float | None,
    budget: float | None,
    memory_total: int | None,
    runtimes: RuntimeOptions,
    out: Output,
) -> None:
    """Show how many logins a second this machine can handle, and how long each takes.

    Runs real hashes in 1, 2 and more threads, and predicts from them, by a simulated queue, how
    long logins take that arrive at random. With --logins and --p95 it finds the highest cost
    that is predicted to keep up.
    """
    where = where_asked(runtimes, (cost,))
    demand = _demand(logins, p95)
    # A target gives the cost; logins and p95 ask for it.
    if demand is not None and target is not None:
        raise click.UsageError(
            "--target does not apply to --logins, where --p95 is the limit; leave it out"
        )
    out.check([origin])
    with where.running(), out.progress() as report:
        asked = parse_cost(cost)
        saved = None
        if origin is not None:
            saved = profile_named("--from", origin, where.host)
        measured = measure_capacity(
            asked,
            target=target,
            demand=demand,
            origin=saved,
            budget=budget,
            memory_total=memory_total,
            progress=report,
            host=where.host,
            pool=where.pool,
        )
    out.warn(measured.warnings)
    out.write(capacity_document(measured))


def _demand(logins: float | None, p95: float | None) -> Demand | None:
    """The logins to keep up with; `None` if none were named.

    Raises:
        UsageError: one of the options is missing.
    """
    if logins is None and p95 is None:
        return None
    if p95 is None:
        raise click.UsageError("--logins also needs --p95; add it")
    if logins is None:
        raise click.UsageError("--p95 also needs --logins; add it")
    return Demand(logins_per_second=logins, p95_seconds=p95)
