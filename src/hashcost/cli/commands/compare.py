"""``calibrate compare``: machines side by side, by their profiles."""

from collections.abc import Sequence
from pathlib import Path

import click

from hashcost.cli.compare_run import (
    committed_decision,
    decision_options,
    keep_decision,
    warnings_of,
)
from hashcost.cli.completion import complete_files
from hashcost.cli.options import result_options, target_option
from hashcost.cli.output import Output, write_remarks
from hashcost.compare.comparison import compare as put_side_by_side
from hashcost.compare.comparison import target_of
from hashcost.compare.deciding import Outcome, decision_of
from hashcost.compare.machines import MeasuredMachine, load_machines
from hashcost.core.text import either, hint, path_name, quoted
from hashcost.render.commands.compare import comparison_document, decision_remarks
from hashcost.worth.policies.policy import Policy


@click.command
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    metavar="PROFILE|FOLDER...",
    shell_complete=complete_files,
)
@target_option("Time that one hash may take.  [default: the files' own, 250ms where they differ]")
@click.option(
    "--hasher",
    "hashers",
    multiple=True,
    metavar="NAME",
    help="Only this hasher, or hasher@implementation; repeatable.",
)
@click.option(
    "--baseline",
    metavar="NAME",
    help="Machine that the others are compared with.  [default: the first]",
)
@decision_options
@result_options("table", "json", "csv", "markdown", quiet="No advice.")
def compare(
    paths: tuple[str, ...],
    target: float | None,
    hashers: tuple[str, ...],
    baseline: str | None,
    policies: tuple[Policy, ...],
    explain: bool,
    decision: Path | None,
    lower: bool,
    out: Output,
) -> None:
    """Compare machines: cost, relative speed, and one cost for all of them.

    Nothing is timed. A folder stands for the JSON files in it. Machines with the same CPU,
    libraries and limits share a row. Example: calibrate compare web1.json web2.json --target 250ms
    """
    out.check(*map(Path, paths), decision=decision)
    committed = committed_decision(decision, lower=lower)
    machines, skipped = load_machines([Path(path) for path in paths])
    measurements = [measurement for each in machines for measurement in each.measurements]
    known = list(dict.fromkeys(measurement.hasher for measurement in measurements))
    labels = {measurement.label for measurement in measurements}
    for name in hashers:
        if name not in known and name not in labels:
            raise click.UsageError(
                f"--hasher: no file has {quoted(name, 60)}; choose {either(known)}"
            )
    found = put_side_by_side(
        machines,
        baseline=_named(baseline, machines),
        target_seconds=target_of(machines) if target is None else target,
        policies=policies,
        hashers=hashers,
        committed=committed,
    )
    others = list(dict.fromkeys(each.baseline for each in found.hashers))
    if baseline is not None and found.baseline not in others:
        raise click.UsageError(
            f"--baseline: {found.baseline} has none of the hashers that are compared;"
            f" name another machine, such as {others[0]}"
        )
    outcomes: tuple[Outcome, ...] = ()
    if decision is not None:
        outcomes = keep_decision(found, committed, decision, lower=lower)
    several = len({each.target_seconds for each in machines}) > 1
    if not out.quiet:
        write_remarks((*skipped, *decision_remarks(found, outcomes)))
        out.warn(warnings_of(machines))
    out.write(
        comparison_document(
            found,
            policies=policies,
            targets_differ=target is None and several,
            explained=explain,
            decision=decision_of(outcomes) if outcomes else None,
        )
    )


def _named(name: str | None, machines: Sequence[MeasuredMachine]) -> MeasuredMachine:
    """The machine of this name, or the first; an unknown name is refused."""
    for each in machines:
        if name is None or path_name(name) in (each.name, each.source):
            return each
    known = [each.name for each in machines]
    told = hint(name or "", known, f"choose {either(known[:10])}")
    raise click.UsageError(f"--baseline: no machine is called {quoted(name or '', 60)}; {told}")
