"""``calibrate hashers``: what could be timed, and what works here."""

import click
import msgspec

from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.options import result_options
from hashcost.cli.output import Output
from hashcost.core.errors import HashcostError
from hashcost.hashers.interface import check_known_answers
from hashcost.hashers.registry import Candidate, one_line, select
from hashcost.machine.host import Host
from hashcost.render.commands.listings import Listing, hashers_document


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
        found = [listings[candidate.label] for candidate in implementations]
        runs = next((listing for listing in found if listing.available), found[0])
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
