"""``calibrate list``: the known applications, hashers, policies and devices."""

from collections.abc import Iterable, Iterator

import click
from msgspec.structs import replace

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app
from hashcost.apps.untunable import Untunable
from hashcost.cli.completion import completer
from hashcost.cli.elsewhere import RuntimeOptions, runtime_options, where_asked
from hashcost.cli.options import GroupedCommand, policies_named, result_options
from hashcost.cli.output import Output
from hashcost.core.errors import HashcostError
from hashcost.core.measurement import Knob
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


@click.command(cls=GroupedCommand)
@click.argument("kind", type=click.Choice(("apps", "hashers", "policies", "gpus")))
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completer())
@runtime_options()
@result_options()
def list(  # noqa: A001 (the command's name)
    kind: str, names: tuple[str, ...], runtimes: RuntimeOptions, out: Output
) -> None:
    """List applications, hashers, policies or devices; those you name are shown in full.

    An application has its settings, defaults and ranges, a hasher its knobs and whether it
    computes its known answers here, a policy its minimums, a device its published speeds.
    Your own policy file is checked and shown as it was read.

    Example: calibrate list apps laravel --format json
    """
    where = where_asked(runtimes, several=True)
    if runtimes.runtimes is not None and kind != "hashers":
        raise click.UsageError("--in applies only to `calibrate list hashers`; leave it out")
    out.check()
    unique = tuple(dict.fromkeys(names))
    in_full = bool(names)
    if kind == "apps":
        apps = _apps(unique or app_names(), where.host.describe().cpu_model)
        document = apps_document(tuple(apps), in_full=in_full)
    elif kind == "gpus":
        devices = tuple(map(load_device, unique or device_names()))
        document = gpus_document(devices, in_full=in_full)
    elif kind == "policies":
        policies = policies_named(names or policy_names(), name=None)
        document = policies_document(policies, in_full=in_full)
    else:
        with where.running():
            document = hashers_document(_hashers(names, where.pool))
    out.write(document)


def _apps(names: Iterable[str], cpu_model: str | None) -> Iterator[App | Untunable]:
    """The applications, with their times on a CPU model."""
    for name in names:
        app = load_app(name)
        yield app.on(cpu_model) if isinstance(app, App) else app


def _hashers(names: tuple[str, ...], pool: tuple[Candidate, ...]) -> tuple[Listing, ...]:
    """The hashers by name, with the implementation that runs where none is named."""
    chosen = select(names, every_implementation=True, available=pool)
    listings = {candidate.label: _listing(candidate) for candidate in pool}
    by_hasher = select((), every_implementation=False, available=pool)
    for implementations in by_hasher:
        rows = [listings[candidate.label] for candidate in implementations]
        # The first that can run stands for the hasher, as in a recommendation.
        available = [row for row in rows if row.available]
        runs = (available or rows)[0]
        listings[runs.label] = replace(runs, default=True)
    return tuple(listings[candidate.label] for (candidate,) in chosen)


def _listing(candidate: Candidate) -> Listing:
    """Load a hasher, and say whether it computes its known answers."""
    version = None
    knobs: tuple[Knob, ...] = ()
    reason = None
    try:
        hasher = candidate.load()
        # Known even where its answers are wrong.
        version, knobs = hasher.version, hasher.knobs
        check_known_answers(hasher)
    except HashcostError as error:
        reason = str(error)
    # A library may fail in any way, and the others are listed all the same.
    except (Exception, SystemExit) as error:
        reason = f"failed: {one_line(error)}"
    return Listing(
        hasher=candidate.hasher,
        implementation=candidate.implementation,
        version=version,
        available=reason is None,
        reason=reason,
        default=False,
        knobs=knobs,
    )
