"""``calibrate capacity``: how many logins a second this machine can take."""

from pathlib import Path
from typing import Any

import click

from hashcost.cli.completion import complete_hashers
from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.host import host_option
from hashcost.cli.inputs import profile_named
from hashcost.cli.options import (
    DURATION,
    RATE,
    memory_total_option,
    profile_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output
from hashcost.cli.progress import progress_bar
from hashcost.core.capacity import Demand
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import EXIT_CODES
from hashcost.logins.capacity import measure_capacity
from hashcost.logins.demand import DEFAULT_RUN_SECONDS, meet_demand
from hashcost.render.commands.capacity import capacity_document

_EPILOG = """\b
Examples:
  calibrate capacity bcrypt=12
  calibrate capacity argon2id=m=19456,t=2,p=1
  calibrate capacity pbkdf2-sha256 --logins 20/s --p95 250ms
  calibrate capacity argon2id --logins 20/s --p95 250ms --memory-total 1GiB
"""


@click.command(epilog=_EPILOG)
@click.argument(
    "cost",
    metavar="HASHER[@IMPLEMENTATION][=COST]",
    shell_complete=complete_hashers,
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
    help="Find the highest cost that keeps up with this many logins, such as 20/s ...",
)
@click.option("--p95", type=DURATION, help="... and answers 95 of 100 within this time.")
@click.option(
    "--duration",
    type=DURATION,
    help="How long to simulate the logins of --logins.  [default: 20s, more for few]",
)
@memory_total_option
@elsewhere_options("cost")
@host_option
@result_options("table", "json", "csv", "markdown", quiet="No progress and no advice.")
def capacity(
    cost: str,
    target: float | None,
    origin: Path | None,
    logins: float | None,
    p95: float | None,
    duration: float | None,
    out: Output,
    **limits: Any,
) -> int:
    """Show how many logins a second this machine can handle, and how long each takes.

    Runs real hashes in 1, 2 and more threads, and predicts from them how long logins
    take that arrive at random. With --logins and --p95 it finds the highest cost that
    keeps up, and confirms it by a run.
    """
    if (logins is None) != (p95 is None):
        given, lacking = ("--logins", "--p95") if p95 is None else ("--p95", "--logins")
        raise click.UsageError(f"{given} also needs {lacking}; add it")
    if logins is None and duration is not None:
        raise click.UsageError(
            "--duration works only with --logins; add --logins 20/s or leave it out"
        )
    if logins is not None and target is not None:
        raise click.UsageError(
            "--target does not apply to --logins, where --p95 is the limit; leave it out"
        )
    out.check(origin)
    asked = parse_cost(cost)
    profile = None if origin is None else profile_named("--from", origin)
    with progress_bar(quiet=out.quiet) as report:
        limits |= {"origin": profile, "progress": report}
        if logins is None or p95 is None:
            found = measure_capacity(asked, target=target, **limits)
        else:
            demand = Demand(logins_per_second=logins, p95_seconds=p95)
            seconds = DEFAULT_RUN_SECONDS if duration is None else duration
            found = meet_demand(asked, demand, seconds=seconds, **limits)
    out.warn(found.warnings)
    out.write(capacity_document(found))
    return 0 if found.code is None else EXIT_CODES[found.code]
