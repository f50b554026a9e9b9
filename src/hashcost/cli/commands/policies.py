"""``calibrate policies``: the minimums that costs are compared with."""

import click

from hashcost.cli.completion import complete_policies
from hashcost.cli.inputs import policies_named
from hashcost.cli.options import result_options
from hashcost.cli.output import Output
from hashcost.render.commands.listings import policies_document
from hashcost.worth.policies.catalogue import policy_names


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
    found = policies_named(names or policy_names(), name=None)
    out.write(policies_document(found, in_full=bool(names)))
