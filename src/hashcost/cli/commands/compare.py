"""``calibrate compare``: machines side by side, by their profiles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from msgspec.structs import replace

from hashcost.cli.completion import complete_files, completer
from hashcost.cli.options import (
    FILE,
    GroupedCommand,
    policy_option,
    result_options,
    target_option,
    with_options,
)
from hashcost.cli.output import Output
from hashcost.core.errors import InconclusiveError, prefix_errors
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
    shell_complete=completer("hashers"),
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


@dataclass(frozen=True, kw_only=True)
class DecisionOptions:
    """The requirements of a cost for all, and the file that keeps it."""

    hashers: tuple[str, ...]
    policies: tuple[Policy, ...]
    explain: bool
    decision: Path | None
    lower: bool

    def committed(self) -> Decision | None:
        """Read the earlier decision, empty if the file does not exist; `None` without one.

        Raises:
            UsageError: ``--lower`` has no decision to lower.
            UnreadableInputError: the file is not a decision.
        """
        if self.decision is None:
            if self.lower:
                raise click.UsageError("--lower needs a decision; add --decision decision.toml")
            return None
        # The first decision is made without an earlier one.
        if not self.decision.is_file():
            return Decision()
        with prefix_errors("--decision"):
            return load_decision(self.decision)

    def compared(
        self,
        machines: Sequence[MeasuredMachine],
        target_seconds: float,
        committed: Decision | None,
    ) -> Comparison:
        """Put machines side by side, with one cost for all of them."""
        return put_side_by_side(
            machines,
            target_seconds=target_seconds,
            policies=self.policies,
            hashers=self.hashers,
            device=load_device(DEFAULT_DEVICE),
            committed=committed,
            lower=self.lower,
        )

    def keep(
        self, comparison: Comparison, committed: Decision | None, out: Output
    ) -> tuple[DecidedOutcome, ...]:
        """Decide, and write the file unless it says that already.

        Raises:
            InconclusiveError: nothing can be decided.
        """
        if self.decision is None or committed is None:
            return ()
        outcomes = decided(comparison, committed, now=this_host().date())
        if not outcomes:
            raise InconclusiveError(
                "--decision: nothing is written: too little is known for a cost for all"
            )
        decision = decision_of(outcomes)
        # A file that says the same already keeps its time, for whoever watches it.
        if decision != committed:
            save_decision(decision, self.decision)
            out.say_saved("the decision", self.decision)
        return outcomes


def warnings_of(machines: Sequence[MeasuredMachine]) -> Iterator[Notice]:
    """The warnings of the measurements, each kind once, with the first figure."""
    warnings = gathered(
        (notice.code, (machine.name, notice))
        for machine in machines
        for notice in machine.warnings
    )
    for pairs in warnings.values():
        names = [name for name, _ in pairs]
        messages = {notice.message for _, notice in pairs}
        _, first = pairs[0]
        message = f"{named([*dict.fromkeys(names)])}: {first.message}"
        # The figure is one machine's; the others have their own.
        if len(messages) > 1:
            message += f" (the figure of {names[0]})"
        yield replace(first, message=message)


@click.command(cls=GroupedCommand)
@click.argument(
    "paths", nargs=-1, required=True, metavar="PROFILE|FOLDER...", shell_complete=complete_files
)
@target_option("Time that one hash may take.  [default: the files' own, 250ms where they differ]")
@hashers_option
@decision_options
@result_options(quiet="No advice.")
def compare(
    paths: tuple[str, ...], target: float | None, asked: DecisionOptions, out: Output
) -> None:
    """Compare machines: one cost for all of them, and how long it takes on each.

    Nothing is timed. A folder means the JSON files in it. Machines with
    the same CPU, libraries and limits share a row.
    Example: calibrate compare web1.json web2.json --target 250ms
    """
    files = [Path(path) for path in paths]
    out.check(files, writes=[("--decision", asked.decision)])
    committed = asked.committed()
    machines, skipped = load_machines(files)
    _check_measured(asked.hashers, machines)
    # Files of different targets are compared at one, which the output then names.
    targets = {machine.target_seconds for machine in machines}
    seconds = target_of(machines) if target is None else target
    comparison = asked.compared(machines, seconds, committed)
    outcomes = asked.keep(comparison, committed, out)
    out.remark((*skipped, *decision_remarks(comparison, outcomes)))
    out.warn(warnings_of(machines))
    targets_differ = target is None and len(targets) > 1
    out.write(
        comparison_document(comparison, targets_differ=targets_differ, explained=asked.explain)
    )


def _check_measured(hashers: Sequence[str], machines: Sequence[MeasuredMachine]) -> None:
    """Refuse a hasher that no file has."""
    rows = [row for machine in machines for row in machine.measurements]
    measured = list(dict.fromkeys(row.hasher for row in rows))
    labels = {*measured, *(row.label for row in rows)}
    for name in hashers:
        if name not in labels:
            raise click.UsageError(
                f"--hasher: no file has {quoted(name, 60)}; choose {either(measured)}"
            )
