"""``calibrate capacity``: how many logins a second this machine can take."""

from collections.abc import Sequence
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
from hashcost.cli.output import Output, write_notices
from hashcost.core.cost_expressions import Cost, parse_cost
from hashcost.core.errors import InconclusiveError, UsageError
from hashcost.logins.capacity import measure_capacity
from hashcost.logins.costs import check_costs
from hashcost.logins.model import Demand
from hashcost.logins.prediction import measured_comparison, predicted_comparison
from hashcost.machine.memory import concurrency
from hashcost.recommend.saved import rows_named
from hashcost.render.commands.capacity import capacity_document, comparison_document

_EPILOG = """\b
Examples:
  calibrate capacity bcrypt=10 bcrypt=12
  calibrate capacity argon2id=m=19456,t=2,p=1
  calibrate capacity pbkdf2-sha256 --logins 20/s --p95 250ms
  calibrate capacity argon2id --logins 20/s --p95 250ms --memory-total 1GiB
"""


@click.command(cls=GroupedCommand, epilog=_EPILOG)
@click.argument(
    "costs",
    metavar="HASHER[@IMPLEMENTATION][=COST]...",
    nargs=-1,
    required=True,
    shell_complete=completer("hashers"),
)
@target_option(
    "If no cost is given: solve for this time per hash."
    "  [default: that of the profile, else 250ms]"
)
@profile_option("Predict from a saved profile, and measure nothing.", name="origin")
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
    costs: tuple[str, ...],
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
    that is predicted to keep up. Several costs are compared in one table. With --from, the times
    of a saved profile take the place of the hashes.
    """
    where = where_asked(runtimes, costs)
    asked = [parse_cost(cost) for cost in costs]
    asks_for_cost = logins is not None or p95 is not None
    _check_together(asked, target, budget, origin, asks_for_cost=asks_for_cost)
    demand = _demand(logins, p95)
    out.check([origin])
    if origin is not None:
        saved = profile_named("--from", origin, where.host)
        shared = None
        if memory_total is not None:
            shared = concurrency(where.host, asked=memory_total)
        predicted = predicted_comparison(asked, saved, target=target, demand=demand, shared=shared)
        if not out.quiet:
            used = [row for cost in asked for row in rows_named(saved, cost.label)]
            write_notices(saved.only(*used), saved=True)
        document = comparison_document(predicted)
        out.write(document)
        if any(row.is_too_uncertain for row in predicted.rows):
            out.end(InconclusiveError.exit_code, document.answer[0])
        return
    measured = []
    with where.running(), out.progress() as report:
        check_costs(asked, where.pool)
        for cost in asked:
            one = measure_capacity(
                cost,
                target=target,
                demand=demand,
                budget=budget,
                memory_total=memory_total,
                progress=report,
                host=where.host,
                pool=where.pool,
            )
            measured.append(one)
    document = capacity_document(measured[0])
    warnings = measured[0].warnings
    if len(measured) > 1:
        compared = measured_comparison(measured)
        document = comparison_document(compared)
        warnings = compared.warnings
    out.warn(warnings)
    out.write(document)


def _check_together(
    costs: Sequence[Cost],
    target: float | None,
    budget: float | None,
    origin: Path | None,
    *,
    asks_for_cost: bool,
) -> None:
    """Refuse options that do not go together."""
    # A target gives the cost; logins and p95 ask for it.
    if asks_for_cost and target is not None:
        raise UsageError(
            "--target does not apply to --logins, where --p95 is the limit; leave it out"
        )
    if any(cost.params is not None for cost in costs):
        if asks_for_cost:
            raise UsageError(
                "--logins finds the highest cost; name the hasher without a cost, or leave"
                " --logins and --p95 out to see how many logins a cost serves"
            )
        if target is not None:
            raise UsageError("--target does not apply when a cost is given; leave one of them out")
    if asks_for_cost and len(costs) > 1:
        raise UsageError("--logins finds the cost of one hasher; name only one")
    if budget is not None and origin is not None:
        raise UsageError("--budget does not apply to --from, which measures nothing; leave it out")


def _demand(logins: float | None, p95: float | None) -> Demand | None:
    """The logins to keep up with; `None` if none were named.

    Raises:
        UsageError: one of the options is missing.
    """
    if logins is None and p95 is None:
        return None
    if p95 is None:
        raise UsageError(
            "--logins also needs --p95, the longest that 95 of 100 logins may wait; add for"
            " example --p95 500ms"
        )
    if logins is None:
        raise UsageError(
            "--p95 also needs --logins, how many come in a second; add for example --logins 20/s"
        )
    return Demand(logins_per_second=logins, p95_seconds=p95)
