"""``calibrate list``: the known applications, hashers, policies and devices."""

import click
from msgspec.structs import replace

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app
from hashcost.cli.completion import complete_listed
from hashcost.cli.elsewhere import Where, elsewhere_options
from hashcost.cli.inputs import policies_named
from hashcost.cli.options import result_options
from hashcost.cli.output import Output
from hashcost.core.errors import HashcostError
from hashcost.hashers.interface import check_known_answers
from hashcost.hashers.registry import Candidate, one_line, select
from hashcost.render.commands.listings import (
    Listing,
    apps_document,
    gpus_document,
    hashers_document,
    policies_document,
)
from hashcost.strength.attackers.device import device_names, load_device
from hashcost.strength.policies.catalogue import policy_names


@click.command
@click.argument("kind", type=click.Choice(("apps", "hashers", "policies", "gpus")))
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_listed)
@elsewhere_options(several=True)
@result_options("table", "json", "csv", "markdown")
def list(  # noqa: A001 (the command's name)
    kind: str, names: tuple[str, ...], out: Output, where: Where
) -> None:
    """List applications, hashers, policies or devices; those you name are shown in full.

    An application has its settings, defaults and ranges, a hasher its knobs and whether it
    computes its known answers here, a policy its minimums, a device its published speeds.
    Your own policy file is checked and shown as it was read.

    Example: calibrate list apps laravel --format json
    """
    runtimes = click.get_current_context().params["runtimes"]
    if runtimes is not None and kind != "hashers":
        raise click.UsageError("--in applies only to `calibrate list hashers`; leave it out")
    out.check()
    unique = dict.fromkeys(names)
    in_full = bool(names)
    if kind == "apps":
        cpu_model = where.host.describe().cpu_model
        apps = map(load_app, unique or app_names())
        here = tuple(app.on(cpu_model) if isinstance(app, App) else app for app in apps)
        document = apps_document(here, in_full=in_full)
    elif kind == "gpus":
        devices = tuple(map(load_device, unique or device_names()))
        document = gpus_document(devices, in_full=in_full)
    elif kind == "policies":
        policies = policies_named(names or policy_names(), name=None)
        document = policies_document(policies, in_full=in_full)
    else:
        document = hashers_document(_hashers(names, where.pool))
    out.write(document)


def _hashers(names: tuple[str, ...], pool: tuple[Candidate, ...]) -> tuple[Listing, ...]:
    chosen = select(names, every_implementation=True, available=pool)
    listings = {candidate.label: _listing(candidate) for candidate in pool}
    for implementations in select((), every_implementation=False, available=pool):
        rows = [listings[candidate.label] for candidate in implementations]
        runs = next((row for row in rows if row.available), rows[0])
        listings[runs.label] = replace(runs, default=True)
    return tuple(listings[candidate.label] for (candidate,) in chosen)


def _listing(candidate: Candidate) -> Listing:
    hasher = None
    reason = None
    try:
        hasher = candidate.load()
        check_known_answers(hasher)
    except HashcostError as error:
        reason = str(error)
    except (Exception, SystemExit) as error:
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
