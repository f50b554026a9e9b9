"""``calibrate scan``: whether the costs in source code are still worth their target."""

from pathlib import Path

import click

from hashcost.cli.commands.check import (
    CriteriaOptions,
    check_options,
    checking_of,
    conclude,
    source_code,
)
from hashcost.cli.elsewhere import here
from hashcost.cli.inputs import Gathered
from hashcost.cli.options import GroupedCommand
from hashcost.cli.output import Output


@click.command(cls=GroupedCommand)
@click.argument(
    "paths", nargs=-1, metavar="[DIR|FILE]...", type=click.Path(path_type=Path, exists=False)
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Skip what matches this .gitignore pattern; repeatable.",
)
@click.option("--include-tests", is_flag=True, help="Also judge costs in tests.")
@click.option(
    "--include-vendored", is_flag=True, help="Also read folders such as node_modules and vendor."
)
@check_options
def scan(
    paths: tuple[Path, ...],
    exclude: tuple[str, ...],
    include_tests: bool,
    include_vendored: bool,
    asked: CriteriaOptions,
    out: Output,
) -> None:
    """Find the costs in source code and judge each like `check`; no code is run.

    Reads Python, JavaScript, TypeScript, PHP, Ruby, Java, Kotlin, Go, C#, Rust and
    Elixir: the folders that hashcost.toml lists, or the present one. A call whose cost
    cannot be determined is `unknown`. Stored hashes in any file are judged too.
    Example: calibrate scan app --profile server.json --format sarif
    """
    checking = checking_of(asked, here(), out, paths)
    source = source_code(
        checking,
        # By default, all below the present folder.
        paths or checking.settings.scan or (Path(),),
        exclude=exclude,
        include_tests=include_tests,
        include_vendored=include_vendored,
    )
    # The costs that the settings list are for `check`.
    conclude(checking, Gathered(source=source))
