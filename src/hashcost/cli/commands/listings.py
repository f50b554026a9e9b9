"""The commands that list what there is: applications, devices, hashers, policies, completion."""

import click
import msgspec
from click.shell_completion import get_completion_class

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app
from hashcost.cli import COMPLETE
from hashcost.cli.completion import SHELLS, complete_apps, complete_devices, complete_policies
from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.inputs import policies_named
from hashcost.cli.options import result_options
from hashcost.cli.output import Output
from hashcost.core.errors import HashcostError
from hashcost.hashers.interface import check_known_answers
from hashcost.hashers.registry import Candidate, one_line, select
from hashcost.machine.host import Host, this_host
from hashcost.render.commands.listings import (
    Listing,
    apps_document,
    gpus_document,
    hashers_document,
    policies_document,
)
from hashcost.worth.attackers.device import device_names, load_device
from hashcost.worth.policies.catalogue import policy_names


@click.command
@click.argument(
    "names",
    nargs=-1,
    metavar="[APP]...",
    shell_complete=complete_apps,
)
@result_options("table", "json", "csv", "markdown")
def apps(names: tuple[str, ...], out: Output) -> None:
    """List the applications, or the settings, defaults and ranges of those you name.

    Example: calibrate apps laravel --format json
    """
    out.check()
    cpu_model = this_host().describe().cpu_model
    listed = map(load_app, dict.fromkeys(names or app_names()))
    here = tuple(app.on(cpu_model) if isinstance(app, App) else app for app in listed)
    out.write(apps_document(here, in_full=bool(names)))


@click.command
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    r"""Print the script that completes commands, options, hashers, applications and files.

    \b
    Example: calibrate completion bash > ~/.local/share/bash-completion/completions/calibrate
    zsh:     calibrate completion zsh > "${fpath[1]}/_calibrate"
    fish:    calibrate completion fish > ~/.config/fish/completions/calibrate.fish
    """
    kind = get_completion_class(shell)
    root = click.get_current_context().find_root()
    if kind is not None:
        click.echo(kind(root.command, {}, "calibrate", COMPLETE).source())


@click.command
@click.argument(
    "names",
    nargs=-1,
    metavar="[NAME]...",
    shell_complete=complete_devices,
)
@result_options("table", "json", "csv", "markdown")
def gpus(names: tuple[str, ...], out: Output) -> None:
    """List the published speeds and bandwidths with source and date.

    Example: calibrate gpus rtx-4090
    """
    out.check()
    out.write(gpus_document(tuple(map(load_device, dict.fromkeys(names or device_names())))))


@click.command
@elsewhere_options(several=True)
@result_options("table", "json", "csv", "markdown")
def hashers(out: Output, host: Host, pool: tuple[Candidate, ...]) -> None:
    """List every hasher with its version, knobs and ranges, and whether it works here.

    A hasher works if it computes its known answers. Examples:
    calibrate hashers --format json, calibrate hashers --in node --project DIR
    """
    out.check()
    listings = {candidate.label: _listing(candidate) for candidate in pool}
    for implementations in select((), every_implementation=False, available=pool):
        rows = [listings[candidate.label] for candidate in implementations]
        runs = next((row for row in rows if row.available), rows[0])
        listings[runs.label] = msgspec.structs.replace(runs, default=True)
    out.write(hashers_document(tuple(listings.values())))


def _listing(candidate: Candidate) -> Listing:
    hasher = None
    reason = None
    try:
        hasher = candidate.load()
        check_known_answers(hasher)
    except HashcostError as error:
        reason = str(error)
    except Exception as error:
        reason = f"failed: {one_line(error)}"
    return Listing(
        hasher=candidate.hasher,
        implementation=candidate.implementation,
        version=hasher.version if hasher else None,
        available=reason is None,
        reason=reason,
        default=False,
        knobs=hasher.knobs if hasher else (),
    )


@click.command
@click.argument(
    "names",
    nargs=-1,
    metavar="[NAME|FILE]...",
    shell_complete=complete_policies,
)
@result_options("table", "json", "csv", "markdown")
def policies(names: tuple[str, ...], out: Output) -> None:
    """List the policies with their sources, or every minimum of those you name.

    Your own policy file is checked and shown as it was read.

    Example: calibrate policies owasp fips
    """
    out.check()
    listed = policies_named(names or policy_names(), name=None)
    out.write(policies_document(listed, in_full=bool(names)))
