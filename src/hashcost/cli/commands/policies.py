"""``calibrate policies`` and ``calibrate gpus``: the figures that costs are compared with."""

from __future__ import annotations

from pathlib import Path

import click

from hashcost.cli.options import output_options


@click.command(short_help="List the policies, their floors and where these are from.")
@click.argument("names", nargs=-1, metavar="[NAME|FILE]...")
@output_options("table", "json", "csv", "markdown")
def policies(names: tuple[str, ...], form: str, output: Path | None) -> None:
    """List the policies with their sources; of those that are named, every floor.

    A file of your own is checked and shown as it was understood. Example:
    calibrate policies owasp fips
    """
    from hashcost.cli.output import check_outputs, write_result
    from hashcost.cli.worth import policies_named
    from hashcost.render.policies import policies_document
    from hashcost.worth.policies.catalogue import policy_names

    check_outputs(output=output)
    found = policies_named(names or policy_names(), name=None)
    write_result(policies_document(found, in_full=bool(names)), form, output)


@click.command(short_help="List the devices that guess, and how fast.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@output_options("table", "json", "csv", "markdown")
def gpus(names: tuple[str, ...], form: str, output: Path | None) -> None:
    """List every published speed of guessing with its source and its date.

    Example: calibrate gpus rtx-4090
    """
    from hashcost.cli.output import check_outputs, write_result
    from hashcost.render.devices import devices_document
    from hashcost.worth.attackers.device import device_names, load_device

    check_outputs(output=output)
    found = tuple(load_device(name) for name in dict.fromkeys(names or device_names()))
    write_result(devices_document(found), form, output)
