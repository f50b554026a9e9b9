"""``calibrate completion``: the script that a shell completes command lines with."""

import click
from click.shell_completion import get_completion_class

from hashcost.cli import COMPLETE
from hashcost.cli.completion import SHELLS


@click.command
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes commands, options, hashers, applications and files.

    With the wheel come the scripts for the folders in which shells look. Example:
    source <(calibrate completion bash)
    """
    kind = get_completion_class(shell)
    context = click.get_current_context()
    if kind is not None:
        click.echo(kind(context.find_root().command, {}, "calibrate", COMPLETE).source())
    context.exit()  # Where standard output is closed, this tells it.
