"""``calibrate scan``: whether the costs in source code are still worth their target."""

from pathlib import Path
from typing import Unpack

import click
import msgspec

from hashcost.cli.check_run import CheckOptions, begin, check_options, shown
from hashcost.cli.progress import progress_bar
from hashcost.render.commands.scan import scan_document
from hashcost.source_code.tree import scan as read
from hashcost.verdicts.check import check_one
from hashcost.verdicts.source_costs import ScanReport, everywhere, sort


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
    Elixir. A call whose cost cannot be determined is `unknown`.
    Example: calibrate scan src --profile server.json --format sarif
    """
    run = begin(given, *paths, on_unknown="pass")
    with progress_bar(quiet=given["out"].quiet) as progress:
        scanned = read(
            paths or (Path(),),
            exclude=exclude,
            include_vendored=include_vendored,
            progress=progress,
        )
    found = sort(
        scanned,
        lambda cost: run.completed((cost,))[0],
        shown,
        include_tests=include_tests,
    )
    if found.distinct or run.profile is not None:
        measured, judgements, notices = run.check(found.distinct)
    else:
        measured, judgements, notices = None, (), ()
    results = everywhere(found, judgements, lambda cost: check_one(cost, None, run.standard))
    report = ScanReport(
        **msgspec.structs.asdict(run.report(measured, results, notices)),
        files=scanned.files,
        parsed=scanned.parsed,
        in_tests=found.in_tests,
        skipped=scanned.skipped,
    )
    document = scan_document(
        report, inconclusive=run.unsure, unknown=run.untold, failing=run.failing
    )
    run.write(document, notices)
    return run.end(document, results, notices)
