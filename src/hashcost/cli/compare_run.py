"""What `compare` and `fleet` share: a decision that is kept, and what machines were warned of."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
import msgspec

from hashcost.cli.elsewhere import given_host
from hashcost.cli.options import FILE, policy_option
from hashcost.compare.deciding import Outcome, decided, decision_of
from hashcost.compare.machines import MeasuredMachine
from hashcost.compare.model import Comparison
from hashcost.core.decision import Decision
from hashcost.core.errors import InconclusiveError, said_of
from hashcost.core.machine import Notice
from hashcost.core.text import path_name
from hashcost.documents.decision import load_decision, save_decision
from hashcost.render.commands.compare import named
from hashcost.render.wording import gathered


def decision_options(command: Callable[..., None]) -> Callable[..., None]:
    """``--policy``, ``--explain``, ``--decision`` and ``--lower``, in this order in the help."""
    for option in (
        click.option("--lower", is_flag=True, help="Let --decision take a lower cost."),
        click.option(
            "--decision",
            type=FILE,
            help="Keep the cost for all in this TOML file; one that it holds changes only when"
            " the measurements rule it out.",
        ),
        click.option("--explain", is_flag=True, help="A row for each machine, not each group."),
        policy_option,
    ):
        command = option(command)
    return command


def committed_decision(path: Path | None, *, lower: bool) -> Decision | None:
    """What was decided before, if anything was.

    Raises:
        UsageError: there is no decision to lower.
        UnreadableInputError: the file is no decision.
    """
    if lower and path is None:
        raise click.UsageError("--lower needs a decision; add --decision decision.toml")
    if path is None or not path.is_file():
        return None
    with said_of("--decision"):
        return load_decision(path)


def keep_decision(
    found: Comparison,
    committed: Decision | None,
    path: Path,
    *,
    lower: bool,
    unknown: Sequence[str] = (),
) -> tuple[Outcome, ...]:
    """Decide, and write the file unless it says that already.

    Raises:
        InconclusiveError: nothing can be decided, or the file is for one of the ``unknown``
            hosts as well.
    """
    decided_for = {host for cost in (committed.cost if committed else ()) for host in cost.hosts}
    lost = [host for host in unknown if host in decided_for]
    if lost:
        # A cost may have been as low for these hosts.
        raise InconclusiveError(
            f"--decision: {path_name(path)} stays as it is, because it is also for {named(lost)};"
            " measure them, or leave them out"
        )
    outcomes = decided(found, committed, now=given_host().date(), lower=lower)
    if not outcomes:
        raise InconclusiveError(
            "--decision: nothing is written: too little is known for a cost for all"
        )
    if decision_of(outcomes) != committed:
        save_decision(decision_of(outcomes), path)
    return outcomes


def warnings_of(machines: Sequence[MeasuredMachine]) -> Iterator[Notice]:
    """What the machines were warned of when they were measured, each kind once."""
    found = gathered(
        (notice.code, (each.name, notice)) for each in machines for notice in each.warnings
    )
    for notices in found.values():
        names = list(dict.fromkeys(name for name, _ in notices))
        first = notices[0][1]
        alike = all(notice.message == first.message for _, notice in notices)
        whose = "" if alike else f" (the figure of {names[0]})"
        yield msgspec.structs.replace(first, message=f"{named(names)}: {first.message}{whose}")
