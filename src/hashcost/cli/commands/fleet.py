"""``calibrate fleet``: many hosts measured from here, a few at a time, and one cost for them."""

import contextlib
import getpass
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
from msgspec.structs import replace

from hashcost.cli.commands.compare import (
    committed_decision,
    decision_options,
    hashers_option,
    keep_decision,
    warnings_of,
)
from hashcost.cli.elsewhere import runtime_options
from hashcost.cli.inputs import standard_input
from hashcost.cli.options import (
    DURATION,
    FOLDER,
    INPUT,
    SIZE,
    effort_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output, say_saved, write_remarks
from hashcost.cli.process import obeying_signals
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import (
    HashcostError,
    InconclusiveError,
    UnavailableError,
    UnreadableInputError,
    said_of,
)
from hashcost.core.progress import Progress, Stage
from hashcost.core.text import path_name
from hashcost.core.units import DEFAULT_TARGET_SECONDS
from hashcost.hashers.registry import select
from hashcost.machine.environment import child_environment
from hashcost.machines.comparison import compare as put_side_by_side
from hashcost.machines.deciding import DecidedOutcome
from hashcost.machines.fleet import Fleet, Folder, HostOutcome, Wanted
from hashcost.machines.hosts import FleetHost, each_once, hosts_in, inventory_hosts, prefix_words
from hashcost.machines.model import Comparison
from hashcost.machines.profile_files import machine_of
from hashcost.machines.running import Ended, Event, measured
from hashcost.render.commands.compare import decision_remarks
from hashcost.render.commands.fleet import fleet_document
from hashcost.render.wording import counted, named
from hashcost.runtimes.processes import Runtimes
from hashcost.storage.decision import Decision
from hashcost.storage.files import make_folder, read_limited, read_stream_limited
from hashcost.strength.attackers.device import DEFAULT_DEVICE, load_device
from hashcost.strength.policies.catalogue import policy_names
from hashcost.strength.policies.policy import Policy

_LARGEST_FILE: Final = 1 << 20
_FOLDER: Final = "fleet"
_FEWEST: Final = 2
"""Profiles to compare."""
_CLEANING_SECONDS: Final = 6.0
"""For the runs to end what they have started on the hosts."""
_EPILOG: Final = """\b
Examples:
  calibrate fleet web1 web2 --target 100ms
  calibrate fleet --inventory hosts.ini --limit web --decision decision.toml
  calibrate fleet app-1 --exec 'docker exec -i {host}' --in node --project .
  calibrate fleet pod/app-1 pod/app-2 --exec 'kubectl exec -i {host} --'
"""


@click.command(epilog=_EPILOG)
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
    runtime="python",
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
@result_options("table", "json", "csv", "markdown", quiet="No progress and no advice.")
def fleet(
    names: tuple[str, ...],
    hosts: Path | None,
    inventory: Path | None,
    limit: str | None,
    target: float | None,
    prefix: str | None,
    jobs: int,
    time_limit: float,
    folder: Path,
    fresh: bool,
    policies: tuple[Policy, ...],
    explain: bool,
    decision: Path | None,
    lower: bool,
    out: Output,
    **asked: Any,
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
    wanted = _wanted(target, policies, **asked)
    out.check(hosts, decision=decision)
    committed = committed_decision(decision, lower=lower)
    chosen = each_once(_chosen(names, hosts, inventory, limit))
    if not chosen:
        raise click.UsageError("no host given; name some, for example `calibrate fleet web1 web2`")
    user = _user_name()
    ways = {host: prefix_words(prefix, host, user) for host in chosen}
    make_folder(folder, typed=folder != Path(_FOLDER))
    kept = Folder(path=folder, wanted=wanted)
    kept.look(chosen)
    todo = [host for host in chosen if fresh or host not in kept.results]
    runs = measured(
        {host: wanted.arguments(host, ways[host]) for host in todo},
        at_once=jobs,
        seconds=time_limit,
        # The history is kept by CPU model: hosts alike would borrow each other's speed.
        environment={**child_environment(), "XDG_STATE_HOME": os.devnull},
    )
    with (
        progress_bar(quiet=out.quiet) as progress,
        obeying_signals(patience_seconds=_CLEANING_SECONDS),
        contextlib.closing(runs),  # An interruption may come between two events.
    ):
        _save_each(runs, kept, overall_progress(todo, progress))
    count = sum(row.outcome is HostOutcome.MEASURED for row in kept.results.values())
    if count and not out.quiet:
        say_saved(counted(count, "profile", "profiles"), folder)
    machines = [
        machine_of(kept.profiles[host], name=host.name, source=path_name(folder / host.file_name))
        for host in chosen
        if host in kept.profiles
    ]
    results = tuple(kept.results[host] for host in chosen)
    failed = [result.host for result in results if result.outcome is HostOutcome.FAILED]
    decided_for = {host for cost in (committed or Decision()).cost for host in cost.hosts}
    lost = [host.name for host in chosen if host not in kept.profiles and host.name in decided_for]
    comparison: Comparison | None = None
    outcomes: tuple[DecidedOutcome, ...] = ()
    undecided: HashcostError | None = None
    try:
        if len(machines) >= _FEWEST:
            comparison = put_side_by_side(
                machines,
                target_seconds=wanted.target_seconds,
                policies=policies,
                hashers=wanted.hashers,
                device=load_device(DEFAULT_DEVICE),
                committed=None if lost else committed,
                lower=lower,
            )
        if decision is not None and committed is not None:
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
            outcomes = keep_decision(comparison, committed, decision, quiet=out.quiet)
    except InconclusiveError as error:
        undecided = error
    if not out.quiet:
        write_remarks(decision_remarks(comparison, outcomes) if comparison else ())
        out.warn(warnings_of(machines))
    document = fleet_document(
        Fleet(target_seconds=wanted.target_seconds, hosts=results, comparison=comparison),
        explained=explain,
    )
    out.write(replace(document, answer=("Nothing is decided.",)) if lost else document)
    if failed:
        retry = (
            f"{named(failed)} could not be measured; run the same command again to try the rest"
        )
        raise UnavailableError(retry if undecided is None else f"{retry}; {undecided}")
    if undecided is not None:
        raise undecided


def _save_each(runs: Iterator[Event], kept: Folder, overall: Callable[[Event], None]) -> None:
    """Save the profiles of the runs as they end."""
    for event in runs:
        if isinstance(event, Ended):
            kept.take(event)
        overall(event)


def _user_name() -> str:
    """The name of the user who runs this; empty if the system does not know it."""
    with contextlib.suppress(KeyError, OSError):  # Python 3.13 raises the second.
        return getpass.getuser()
    return ""


def overall_progress(
    todo: Sequence[FleetHost], progress: Progress | None
) -> Callable[[Event], None]:
    """Report how far all hosts are together."""
    shares = dict.fromkeys(todo, 0.0)
    ended: set[FleetHost] = set()

    def report(event: Event) -> None:
        if isinstance(event, Ended):
            ended.add(event.host)
        shares[event.host] = 1.0 if isinstance(event, Ended) else event.stage.fraction
        if progress is not None:
            phase = f"{len(ended)} of {counted(len(todo), 'host', 'hosts')} done"
            progress(Stage(phase=phase, fraction=sum(shares.values()) / len(todo)))

    return report


def _wanted(
    target: float | None,
    policies: Sequence[Policy],
    *,
    hashers: tuple[str, ...],
    runtimes: str,
    project: str | None,
    effort: str,
    memory: int | None,
) -> Wanted:
    """The request to each host, refused at once if it is wrong for all of them."""
    runtime = runtimes.partition("=")[0]
    with said_of("--in"):
        offered = Runtimes().candidates(runtime)
    with said_of("--hasher"):
        select(hashers, every_implementation=False, available=offered)
    # The runs do without a policy that is a file here.
    listed = [policy.id for policy in policies if policy.id in policy_names()] or ["none"]
    options = ["--in", runtimes, "--effort", effort]
    options += [] if project is None else ["--project", project]
    options += ["--memory", f"{max(memory >> 10, 1)}KiB"] if memory else []
    options += [word for policy in listed for word in ("--policy", policy)]
    return Wanted(
        target_seconds=DEFAULT_TARGET_SECONDS if target is None else target,
        runtime=runtime,
        hashers=hashers,
        options=tuple(options),
    )


def _chosen(
    names: Sequence[str], hosts: Path | None, inventory: Path | None, limit: str | None
) -> Iterator[FleetHost]:
    """The hosts that were named, also those of a file or an inventory."""
    if inventory is not None:
        yield from inventory_hosts(inventory, limit)
    yield from (FleetHost(name=name) for name in names)
    if hosts is not None:
        with said_of("--hosts"):
            if hosts == Path("-"):
                content = read_stream_limited(
                    standard_input(), _LARGEST_FILE, name="standard input"
                )
            else:
                content = read_limited(hosts, _LARGEST_FILE)
            try:
                yield from hosts_in(content.decode())
            except UnicodeDecodeError as error:
                raise UnreadableInputError(
                    f"{path_name(hosts)} is not text in UTF-8; write it in UTF-8"
                ) from error
