"""``calibrate fleet``: many hosts measured from here, a few at a time, and one cost for them."""

import contextlib
import getpass
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from msgspec.structs import replace

from hashcost.cli.commands.compare import (
    DecisionOptions,
    decision_options,
    hashers_option,
    warnings_of,
)
from hashcost.cli.elsewhere import RuntimeOptions, runtime_options
from hashcost.cli.inputs import LIST_BYTES, whole_input
from hashcost.cli.options import (
    DURATION,
    FOLDER,
    INPUT,
    SIZE,
    GroupedCommand,
    effort_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output
from hashcost.cli.process import obeying_signals
from hashcost.core.errors import (
    HashcostError,
    InconclusiveError,
    UnavailableError,
    UnreadableInputError,
    prefix_errors,
)
from hashcost.core.progress import Progress, Stage
from hashcost.core.text import path_name
from hashcost.core.units import DEFAULT_TARGET_SECONDS
from hashcost.hashers.registry import select
from hashcost.machine.environment import child_environment
from hashcost.machines.deciding import DecidedOutcome
from hashcost.machines.fleet import Fleet, Folder, HostOutcome, HostResult, Wanted
from hashcost.machines.hosts import FleetHost, each_once, hosts_in, inventory_hosts, prefix_words
from hashcost.machines.model import Comparison
from hashcost.machines.profile_files import machine_of
from hashcost.machines.running import Ended, Event, measured
from hashcost.render.commands.compare import decision_remarks
from hashcost.render.commands.fleet import fleet_document
from hashcost.render.wording import counted, named
from hashcost.runtimes.processes import Runtimes
from hashcost.storage.decision import Decision
from hashcost.storage.files import make_folder, read_limited
from hashcost.strength.policies.catalogue import policy_names

_FOLDER = "fleet"
_PYTHON = "python"
_CLEANING_SECONDS = 6.0
"""For the runs to end what they have started on the hosts."""
_EPILOG = """\b
Examples:
  calibrate fleet web1 web2 --target 100ms
  calibrate fleet --inventory hosts.ini --limit web --decision decision.toml
  calibrate fleet app-1 --exec 'docker exec -i {host}' --in node --project .
  calibrate fleet pod/app-1 pod/app-2 --exec 'kubectl exec -i {host} --'
"""


@dataclass(frozen=True, kw_only=True)
class MeasuringOptions:
    """How to measure the hosts, and where to keep their profiles."""

    target: float | None
    effort: str
    memory: int | None
    jobs: int
    time_limit: float
    folder: Path
    fresh: bool


@click.command(cls=GroupedCommand, epilog=_EPILOG)
@click.argument("names", nargs=-1, metavar="[HOST...]")
@click.option(
    "--hosts",
    type=INPUT,
    metavar="FILE",
    help="File of hosts, one on each line; # starts a comment.",
)
@click.option(
    "--inventory",
    type=INPUT,
    metavar="FILE|SCRIPT|DIR",
    help="Ansible inventory to take the hosts from, read by ansible-inventory.",
)
@click.option("--limit", metavar="PATTERN", help="Only these hosts or groups of --inventory.")
@target_option("Time that one hash may take.  [default: 250ms]")
@hashers_option
@runtime_options(
    "Hash in python, node, php, ruby, perl, java or go there.",
    runtime=_PYTHON,
    help_exec="What runs a command on {host}; {user}, {port} and {name} are filled in, too."
    "  [default: ssh {host}]",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="INTEGER",
    default=5,
    show_default=True,
    help="How many hosts to measure at the same time.",
)
@click.option(
    "--time-limit",
    type=DURATION,
    default="600s",
    show_default=True,
    help="Give up on a host that takes longer.",
)
@click.option(
    "--save",
    "folder",
    type=FOLDER,
    metavar="DIR",
    default=_FOLDER,
    show_default=True,
    help="Folder for the profiles; a host that has one there is not measured again.",
)
@click.option("--fresh", is_flag=True, help="Measure every host again, even those with a profile.")
@effort_option
@click.option("--memory", type=SIZE, help="Memory that one hash may use on each host.")
@decision_options
@result_options(quiet="No progress and no advice.")
def fleet(
    names: tuple[str, ...],
    hosts: Path | None,
    inventory: Path | None,
    limit: str | None,
    measuring: MeasuringOptions,
    runtimes: RuntimeOptions,
    deciding: DecisionOptions,
    out: Output,
) -> None:
    """Measure many hosts from here, and find one cost for all of them.

    Nothing is installed there, and nothing stays. A host that cannot be measured is a row
    with its reason, and the command ends with 4. What was measured is kept: run it again to
    measure the rest.
    """
    if limit is not None and inventory is None:
        raise click.UsageError(
            "--limit needs an inventory; add --inventory FILE, or name the hosts"
        )
    wanted = _wanted(measuring, runtimes, deciding)
    out.check([hosts], writes=[("--decision", deciding.decision)])
    committed = deciding.committed()
    chosen = each_once(_named(names, hosts, inventory, limit))
    if not chosen:
        raise click.UsageError("no host given; name some, for example `calibrate fleet web1 web2`")
    user = ""
    # The system may not know the user's name; Python 3.13 raises an OSError then.
    with contextlib.suppress(KeyError, OSError):
        user = getpass.getuser()
    # A prefix that does not fill in is refused before a folder is made.
    ways = {host: prefix_words(runtimes.prefix, host, user) for host in chosen}

    # The usual folder is in the checkout, where a link could lead out of it.
    make_folder(measuring.folder, typed=measuring.folder != Path(_FOLDER))
    kept = Folder(path=measuring.folder, wanted=wanted)
    kept.look(chosen)
    _measure(ways, kept, measuring, out)
    machines = []
    for host in chosen:
        if host in kept.profiles:
            source = path_name(measuring.folder / host.file_name)
            machine = machine_of(kept.profiles[host], name=host.name, source=source)
            machines.append(machine)

    lost = _lost(chosen, kept, committed)
    comparison = None
    outcomes: tuple[DecidedOutcome, ...] = ()
    undecided = None
    try:
        if len(machines) > 1:
            earlier = committed
            if lost:
                # A cost for a host that is missing here does not bind the others.
                earlier = None
            comparison = deciding.compared(machines, wanted.target_seconds, earlier)
        if deciding.decision is not None and committed is not None:
            whole = _decidable(comparison, lost, deciding.decision)
            outcomes = deciding.keep(whole, committed, out)
    except InconclusiveError as error:
        undecided = error

    if comparison is not None:
        out.remark(decision_remarks(comparison, outcomes))
    out.warn(warnings_of(machines))
    # In the order in which the hosts were named.
    results = tuple(kept.results[host] for host in chosen)
    measured_fleet = Fleet(
        target_seconds=wanted.target_seconds, hosts=results, comparison=comparison
    )
    document = fleet_document(measured_fleet, explained=deciding.explain)
    if lost:
        document = replace(document, answer=("Nothing is decided.",))
    out.write(document)
    _end(results, undecided)


def _measure(
    ways: Mapping[FleetHost, tuple[str, ...]],
    kept: Folder,
    measuring: MeasuringOptions,
    out: Output,
) -> None:
    """Measure the hosts that have no profile in the folder, or all of them anew.

    ``ways`` has the command that leads to a shell on each host.
    """
    todo = [host for host in ways if measuring.fresh or host not in kept.results]
    arguments = {host: kept.wanted.arguments(ways[host]) for host in todo}
    runs = measured(
        arguments,
        at_once=measuring.jobs,
        seconds=measuring.time_limit,
        # The history is kept by CPU model: hosts alike would borrow each other's speed.
        environment={**child_environment(), "XDG_STATE_HOME": os.devnull},
    )
    with (
        out.progress() as progress,
        obeying_signals(patience_seconds=_CLEANING_SECONDS),
        contextlib.closing(runs),  # An interruption may come between two events.
    ):
        report = overall_progress(todo, progress)
        for event in runs:
            if isinstance(event, Ended):
                kept.take(event)
            report(event)
    outcomes = [row.outcome for row in kept.results.values()]
    count = outcomes.count(HostOutcome.MEASURED)
    if count:
        out.say_saved(counted(count, "profile", "profiles"), measuring.folder)


def _lost(hosts: Sequence[FleetHost], kept: Folder, committed: Decision | None) -> list[str]:
    """The hosts that the earlier decision is for, and that have no profile now."""
    if committed is None:
        return []
    decided_for = {name for cost in committed.cost for name in cost.hosts}
    missing = [host.name for host in hosts if host not in kept.profiles]
    return [name for name in missing if name in decided_for]


def _decidable(comparison: Comparison | None, lost: Sequence[str], decision: Path) -> Comparison:
    """The comparison, unless too little was measured to decide by it.

    Raises:
        InconclusiveError: a host is missing, or there is nothing to compare.
    """
    if lost:
        # A cost may have been as low for these hosts.
        raise InconclusiveError(
            f"--decision: {path_name(decision)} stays as it is, because it is also for"
            f" {named(lost)}; measure them, or leave them out"
        )
    if comparison is None:
        raise InconclusiveError(
            "--decision: nothing was written, since fewer than two hosts were measured"
        )
    return comparison


def _end(results: Sequence[HostResult], undecided: HashcostError | None) -> None:
    """Fail if a host could not be measured, or if nothing was decided."""
    failed = [result.host for result in results if result.outcome is HostOutcome.FAILED]
    if failed:
        why = f"{named(failed)} could not be measured; run the same command again to try the rest"
        if undecided is not None:
            why += f"; {undecided}"
        raise UnavailableError(why)
    if undecided is not None:
        raise undecided


def overall_progress(
    todo: Sequence[FleetHost], progress: Progress | None
) -> Callable[[Event], None]:
    """Report how far all hosts are together."""
    shares = dict.fromkeys(todo, 0.0)
    ended: set[FleetHost] = set()

    def report(event: Event) -> None:
        if isinstance(event, Ended):
            ended.add(event.host)
            shares[event.host] = 1.0
        else:
            host, stage = event
            shares[host] = stage.fraction
        if progress is not None:
            phase = f"{len(ended)} of {counted(len(todo), 'host', 'hosts')} done"
            fraction = sum(shares.values()) / len(todo)
            progress(Stage(phase=phase, fraction=fraction))

    return report


def _wanted(
    measuring: MeasuringOptions, runtimes: RuntimeOptions, deciding: DecisionOptions
) -> Wanted:
    """The request to each host, refused at once if it is wrong for all of them."""
    words = runtimes.runtimes or _PYTHON
    runtime = words.partition("=")[0]
    with prefix_errors("--in"):
        offered = Runtimes().candidates(runtime)
    with prefix_errors("--hasher"):
        select(deciding.hashers, every_implementation=False, available=offered)
    options = ["--in", words, "--effort", measuring.effort]
    if runtimes.project is not None:
        options += ["--project", runtimes.project]
    if measuring.memory:
        # The run takes whole KiB, and may not take more than was allowed.
        options += ["--memory", f"{max(measuring.memory >> 10, 1)}KiB"]
    # The runs do without a policy that is a file here.
    shipped = policy_names()
    policies = [policy.id for policy in deciding.policies if policy.id in shipped]
    for policy in policies or ["none"]:
        options += ["--policy", policy]
    return Wanted(
        target_seconds=measuring.target or DEFAULT_TARGET_SECONDS,
        runtime=runtime,
        hashers=deciding.hashers,
        options=tuple(options),
    )


def _named(
    names: Sequence[str], hosts: Path | None, inventory: Path | None, limit: str | None
) -> Iterator[FleetHost]:
    """The hosts that were named, also those of a file or an inventory."""
    if inventory is not None:
        yield from inventory_hosts(inventory, limit)
    for name in names:
        yield FleetHost(name=name)
    if hosts is not None:
        with prefix_errors("--hosts"):
            yield from _hosts_of_file(hosts)


def _hosts_of_file(path: Path) -> Iterator[FleetHost]:
    is_input = path == Path("-")
    content = whole_input() if is_input else read_limited(path, LIST_BYTES)
    # A host's name is ASCII, but a comment may be in any language.
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise UnreadableInputError(
            f"{path_name(path)} is not text in UTF-8; write it in UTF-8"
        ) from error
    return hosts_in(text)
