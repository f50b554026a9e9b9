"""``calibrate report``: what was measured, as one page to show."""

import os
from pathlib import Path

import click

from hashcost.cli.options import (
    FILE,
    Criteria,
    GroupedCommand,
    criteria_options,
    output_option,
    target_option,
)
from hashcost.cli.output import Output, ending, worst
from hashcost.core.profile import Profile
from hashcost.core.text import path_name
from hashcost.machines.profile_files import unique_names
from hashcost.recommend.recommendation import solve_again
from hashcost.recommend.recorded import profile_from_json
from hashcost.render.commands.report import report_page
from hashcost.render.formats.html_format import check_available
from hashcost.storage.profile import load_profile
from hashcost.strength.appraisal import appraise

_SUFFIXES = ("", ".html", ".htm", ".xhtml")


@click.command(cls=GroupedCommand)
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="PROFILE...")
@output_option("File to write, such as report.html, or `-` for standard output.  [required]")
@target_option("Solve for this target instead of the one in each file.")
@criteria_options
def report(
    files: tuple[Path, ...], path: Path | None, target: float | None, criteria: Criteria
) -> None:
    """Write an HTML report of saved profiles.

    The page has the costs, minimums, prices, charts and raw figures. It fetches nothing
    and needs no script. Example:
    calibrate report server.json -o report.html
    """
    check_available()
    out = Output("html", path)
    out.check(files)
    if path is None:
        load_profile(files[0], profile_from_json)  # Another file is refused for what it is.
        name = path_name(files[0])
        raise click.UsageError(f"name the page: `calibrate report {name} -o report.html`")
    if path.suffix.lower() not in _SUFFIXES:
        raise click.UsageError(
            f"--output: the page is HTML; write it to {path.stem[:60]}.html, which a browser"
            " prints to PDF"
        )
    # The same machine twice would be two rows.
    once: dict[str, Path] = {}
    for file in files:
        once.setdefault(os.path.realpath(file), file)
    files = tuple(once.values())
    measured: list[tuple[str, Profile]] = []
    endings = []
    for name, file in zip(unique_names(files), files, strict=True):
        profile = load_profile(file, profile_from_json)
        # As it was measured, a profile has its answers already.
        if target is not None:
            profile = solve_again(profile, target, criteria.policies)
            code, why = ending(profile)
            if len(files) > 1:
                why = f"{name}: {why}"
            endings.append((code, why))
        measured.append((name, appraise(profile, criteria.policies, criteria.devices)))
    page = report_page(
        measured,
        policies=criteria.policies,
        devices=criteria.devices,
        solved_again=target is not None,
    )
    out.put(page, what="the page")
    out.end(*worst(endings))
