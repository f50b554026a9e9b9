"""``calibrate gpus``: the devices that guess, and how fast."""

from __future__ import annotations

from pathlib import Path

import click

from hashcost.cli.options import output_options
from hashcost.cli.output import check_outputs, write_result
from hashcost.render.documents.gpus import gpus_document
from hashcost.worth.attackers.device import device_names, load_device


@click.command
@click.argument("names", nargs=-1, metavar="[NAME]...")
@output_options("table", "json", "csv", "markdown")
def gpus(names: tuple[str, ...], form: str, output: Path | None) -> None:
    """List every published speed of guessing with its source and its date.

    Example: calibrate gpus rtx-4090
    """
    check_outputs(output=output)
    found = tuple(load_device(name) for name in dict.fromkeys(names or device_names()))
    write_result(gpus_document(found), form, output)
