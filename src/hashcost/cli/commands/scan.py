"""``calibrate scan``: whether the costs in source code are still worth their target."""

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

import click
import msgspec

from hashcost.cli.commands.check import (
    Basis,
    CheckOptions,
    Gathered,
    basis_of,
    check_options,
    decide_and_say,
)
from hashcost.cli.elsewhere import given_host
from hashcost.cli.inputs import settings_for, shown
from hashcost.cli.progress import progress_bar
from hashcost.hashers.registry import candidates
from hashcost.render.commands.check import scan_document
from hashcost.source_code import scan as reading
from hashcost.verdicts.check import check_one
from hashcost.verdicts.judgement import ScanReport
from hashcost.verdicts.legal_costs import completed
from hashcost.verdicts.source_costs import sort


@click.command
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
    **given: Unpack[CheckOptions],
) -> int:
    """Find the costs in source code and judge each like `check`; no code is run.

    Reads Python, JavaScript, TypeScript, PHP, Ruby, Java, Kotlin, Go, C#, Rust and
    Elixir: the folders that hashcost.toml lists, or the present one. A call whose cost
    cannot be determined is `unknown`.
    Example: calibrate scan src --profile server.json --format sarif
    """
    settings = settings_for(given["config"])
    read = paths or settings.scan or (Path(),)
    basis = basis_of(given, settings, given_host(), candidates(), read)
    gathered = source_code(
        basis,
        read,
        exclude=exclude,
        include_tests=include_tests,
        include_vendored=include_vendored,
    )
    return decide_and_say(basis, [gathered])


def source_code(
    basis: Basis,
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_tests: bool = False,
    include_vendored: bool = False,
) -> Gathered:
    """Gather the costs in the source code of folders and files; nothing of it is run."""
    with progress_bar(quiet=basis.given["out"].quiet) as progress:
        scanned = reading.scan(
            paths, exclude=exclude, include_vendored=include_vendored, progress=progress
        )
    costs = sort(
        scanned,
        complete=lambda cost: completed(cost, basis.profile, basis.pool),
        judge_illegal=lambda cost: check_one(cost, None, basis.standard),
        shown=shown,
        include_tests=include_tests,
    )
    return Gathered(
        rows=[row for row, _ in costs.rows],
        remarks=[why for _, why in costs.rows],
        on_unknown="pass",
        said=lambda document, report: scan_document(
            document,
            ScanReport(
                **msgspec.structs.asdict(report),
                files=scanned.files,
                parsed=scanned.parsed,
                in_tests=costs.in_tests,
                skipped=scanned.skipped,
            ),
        ),
    )
