"""``calibrate gpus``: the devices that guess, and how fast."""

import click

from hashcost.cli.completion import complete_devices
from hashcost.cli.options import result_options
from hashcost.cli.output import Output
from hashcost.render.commands.listings import gpus_document
from hashcost.worth.attackers.device import device_names, load_device


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
    found = tuple(load_device(name) for name in dict.fromkeys(names or device_names()))
    out.write(gpus_document(found))
