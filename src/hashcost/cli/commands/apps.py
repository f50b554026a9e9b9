"""``calibrate apps``: how each application configures the cost of its hashes."""

import click

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app
from hashcost.cli.completion import complete_apps
from hashcost.cli.elsewhere import given_host
from hashcost.cli.options import result_options
from hashcost.cli.output import Output
from hashcost.render.commands.listings import apps_document


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
    found = tuple(load_app(name) for name in dict.fromkeys(names or app_names()))
    cpu_model = given_host().describe().cpu_model
    here = tuple(app.on(cpu_model) if isinstance(app, App) else app for app in found)
    out.write(apps_document(here, in_full=bool(names)))
