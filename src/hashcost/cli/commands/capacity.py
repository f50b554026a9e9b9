"""``calibrate capacity``: how many logins a second this machine can take."""

from pathlib import Path
from typing import Any

import click

from hashcost.cli.completion import complete_hashers
from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.host import current_host
from hashcost.cli.inputs import profile_named
from hashcost.cli.options import (
    DURATION,
    RATE,
    history_option,
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
@target_option("Without a cost: solve it for this time of one hash.  [default: 250ms]")
@profile_option("Without a cost: take the one of a saved profile.", name="origin")
@click.option(
    "--budget",
    type=DURATION,
    help="Time for each number of threads.  [default: 3s to 10s, as the hash is slow]",
)
@click.option(
    "--logins", type=RATE, help="Find the highest cost that holds so many, such as 20/s ..."
)
@click.option("--p95", type=DURATION, help="... with 95 of 100 answered within this time.")
@click.option(
    "--duration",
    type=DURATION,
    help="How long the logins of --logins arrive.  [default: 20s, more for few]",
)
@memory_total_option
@elsewhere_options("cost")
@history_option
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
    """Tell how many logins a second this machine can take, and how long each waits.

    The hash is run by 1, 2 and more threads for real; how logins fare that arrive
    at random is foreseen from that. With --logins and --p95 it is the other way
    round: the highest cost that holds them, confirmed by a run.
    """
    if (logins is None) != (p95 is None):
        given, lacking = ("--logins", "--p95") if p95 is None else ("--p95", "--logins")
        raise click.UsageError(f"{given} needs {lacking} as well")
    if logins is None and duration is not None:
        raise click.UsageError("--duration has no use without --logins")
    if logins is not None and target is not None:
        raise click.UsageError("--target has no use with --logins: --p95 is the limit")
    out.check(origin)
    asked = parse_cost(cost)
    profile = None if origin is None else profile_named("--from", origin)
    with progress_bar(quiet=out.quiet) as report:
        limits |= {"origin": profile, "progress": report, "host": current_host()}
        if logins is None or p95 is None:
            found = measure_capacity(asked, target=target, **limits)
        else:
            demand = Demand(logins_per_second=logins, p95_seconds=p95)
            seconds = DEFAULT_RUN_SECONDS if duration is None else duration
            found = meet_demand(asked, demand, seconds=seconds, **limits)
    out.write(capacity_document(found))
    out.warn(found.warnings)
    return 0 if found.code is None else EXIT_CODES[found.code]
