"""``calibrate apps``: how each application configures the cost of its hashes."""

from __future__ import annotations

from pathlib import Path

import click

from hashcost.apps.registry import app_names, load_app
from hashcost.cli.options import output_options
from hashcost.cli.output import check_outputs, write_result
from hashcost.render.documents.apps import apps_document


@click.command
@click.argument("names", nargs=-1, metavar="[APP]...")
@output_options("table", "json", "csv", "markdown")
def apps(names: tuple[str, ...], form: str, output: Path | None) -> None:
    """List the applications; of those that are named, settings, defaults, ranges and more.

    Example: calibrate apps laravel --format json
    """
    check_outputs(output=output)
    found = tuple(load_app(name) for name in dict.fromkeys(names or app_names()))
    write_result(apps_document(found, in_full=bool(names)), form, output)
