"""``calibrate compare``: machines side by side, by their profiles."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from hashcost.cli.completion import complete_files, complete_hashers
from hashcost.cli.options import FILE, policy_option, result_options, target_option, with_options
from hashcost.cli.output import Output, say_saved, write_remarks
from hashcost.core.errors import InconclusiveError, said_of
from hashcost.core.machine import Notice
from hashcost.core.text import either, quoted
from hashcost.machine.host import this_host
from hashcost.machines.comparison import compare as put_side_by_side
from hashcost.machines.comparison import target_of
from hashcost.machines.deciding import DecidedOutcome, decided, decision_of
from hashcost.machines.model import Comparison
from hashcost.machines.profile_files import MeasuredMachine, load_machines
from hashcost.render.commands.compare import comparison_document, decision_remarks
from hashcost.render.wording import gathered, named
from hashcost.storage.decision import Decision, load_decision, save_decision
from hashcost.strength.attackers.device import DEFAULT_DEVICE, load_device
from hashcost.strength.policies.policy import Policy

hashers_option = click.option(
    *("--hasher", "hashers"),
    multiple=True,
    metavar="NAME",
    shell_complete=complete_hashers,
    help="Only this hasher, or hasher@implementation; repeatable.",
)
decision_options = with_options(
    policy_option,
    click.option("--explain", is_flag=True, help="A row for each machine, not each group."),
    click.option(
        "--decision",
        type=FILE,
        help="Keep the cost for all in this TOML file; one that it holds changes only when"
        " the measurements rule it out.",
    ),
    click.option("--lower", is_flag=True, help="Let --decision take a lower cost."),
)


def committed_decision(path: Path | None, *, lower: bool) -> Decision | None:
    """Read the earlier decision, empty if the file does not exist; `None` without ``--decision``.

    Raises:
        UsageError: ``--lower`` has no decision to lower.
        UnreadableInputError: the file is not a decision.
    """
    if lower and path is None:
        raise click.UsageError("--lower needs a decision; add --decision decision.toml")
    if path is None:
        return None
    if not path.is_file():
        return Decision()
    with said_of("--decision"):
        return load_decision(path)


def keep_decision(
    comparison: Comparison, committed: Decision, path: Path, *, quiet: bool
) -> tuple[DecidedOutcome, ...]:
    """Decide, and write the file unless it says that already.

    Raises:
        InconclusiveError: nothing can be decided.
    """
    outcomes = decided(comparison, committed, now=this_host().date())
    if not outcomes:
        raise InconclusiveError(
            "--decision: nothing is written: too little is known for a cost for all"
        )
    if decision_of(outcomes) != committed:
        save_decision(decision_of(outcomes), path)
        if not quiet:
            say_saved("the decision", path)
    return outcomes


def warnings_of(machines: Sequence[MeasuredMachine]) -> Iterator[Notice]:
    """The warnings of the measurements, each kind once, with the first figure."""
    warnings = gathered(
        (notice.code, (machine.name, notice))
        for machine in machines
        for notice in machine.warnings
    )
    for notices in warnings.values():
        names, (first, *others) = zip(*notices, strict=True)
        alike = all(notice.message == first.message for notice in others)
        whose = "" if alike else f" (the figure of {names[0]})"
        message = f"{named([*dict.fromkeys(names)])}: {first.message}{whose}"
        yield msgspec.structs.replace(first, message=message)


@click.command
@click.argument(
    "paths", nargs=-1, required=True, metavar="PROFILE|FOLDER...", shell_complete=complete_files
)
@target_option("Time that one hash may take.  [default: the files' own, 250ms where they differ]")
@hashers_option
@decision_options
@result_options("table", "json", "csv", "markdown", quiet="No advice.")
def compare(
    paths: tuple[str, ...],
    target: float | None,
    hashers: tuple[str, ...],
    policies: tuple[Policy, ...],
    explain: bool,
    decision: Path | None,
    lower: bool,
    out: Output,
) -> None:
    """Compare machines: one cost for all of them, and how long it takes on each.

    Nothing is timed. A folder means the JSON files in it. Machines with
    the same CPU, libraries and limits share a row.
    Example: calibrate compare web1.json web2.json --target 250ms
    """
    out.check(*map(Path, paths), decision=decision)
    committed = committed_decision(decision, lower=lower)
    machines, skipped = load_machines([Path(path) for path in paths])
    measurements = [timed for machine in machines for timed in machine.measurements]
    measured = list(dict.fromkeys(timed.hasher for timed in measurements))
    for name in hashers:
        if name not in {*measured, *(timed.label for timed in measurements)}:
            raise click.UsageError(
                f"--hasher: no file has {quoted(name, 60)}; choose {either(measured)}"
            )
    comparison = put_side_by_side(
        machines,
        target_seconds=target_of(machines) if target is None else target,
        policies=policies,
        hashers=hashers,
        device=load_device(DEFAULT_DEVICE),
        committed=committed,
        lower=lower,
    )
    outcomes: tuple[DecidedOutcome, ...] = ()
    if decision is not None and committed is not None:
        outcomes = keep_decision(comparison, committed, decision, quiet=out.quiet)
    several = len({machine.target_seconds for machine in machines}) > 1
    if not out.quiet:
        write_remarks((*skipped, *decision_remarks(comparison, outcomes)))
        out.warn(warnings_of(machines))
    out.write(
        comparison_document(
            comparison, targets_differ=target is None and several, explained=explain
        )
    )
