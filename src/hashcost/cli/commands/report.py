"""``calibrate report``: what was measured, as one page to show."""

import os
from pathlib import Path

import click

from hashcost.cli.options import FILE, output_option, target_option, worth_options
from hashcost.cli.output import Output, ending
from hashcost.core.profile import Profile
from hashcost.core.text import path_name
from hashcost.machines.profile_files import unique_names
from hashcost.recommend.recommendation import solve_again
from hashcost.recommend.recorded import profile_from_json
from hashcost.render.commands.report import report_page
from hashcost.render.formats.html_format import check_available
from hashcost.storage.profile import load_profile
from hashcost.strength.appraisal import appraise
from hashcost.strength.attackers.device import Device
from hashcost.strength.policies.policy import Policy

_SUFFIXES = ("", ".html", ".htm", ".xhtml")


@click.command
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="PROFILE...")
@output_option("File to write, such as report.html, or `-` for standard output.  [required]")
@target_option("Solve for this target instead of the one in each file.")
@worth_options
def report(
    files: tuple[Path, ...],
    output: Path | None,
    target: float | None,
    policies: tuple[Policy, ...],
    devices: tuple[Device, ...],
) -> None:
    """Write an HTML report of saved profiles.

    The page has the costs, minimums, prices, charts and raw figures. It fetches nothing
    and needs no script. Example:
    calibrate report server.json -o report.html
    """
    check_available()
    out = Output("html", output, quiet=False)
    out.check(*files)
    if output is None:
        load_profile(files[0], profile_from_json)  # Another file is refused for what it is.
        name = path_name(files[0])
        raise click.UsageError(f"name the page: `calibrate report {name} -o report.html`")
    if output.suffix.lower() not in _SUFFIXES:
        raise click.UsageError(
            f"--output: the page is HTML; write it to {output.stem[:60]}.html, which a browser"
            " prints to PDF"
        )
    files = tuple({os.path.realpath(path): path for path in reversed(files)}.values())[::-1]
    measured: list[tuple[str, Profile]] = []
    endings = []
    for name, path in zip(unique_names(files), files, strict=True):
        profile = load_profile(path, profile_from_json)
        if target is not None:
            profile = solve_again(profile, target, policies)
            code, why = ending(profile, named=False)
            endings.append((code, f"{name}: {why}" if len(files) > 1 else why))
        measured.append((name, appraise(profile, policies, devices)))
    page = report_page(
        measured, policies=policies, devices=devices, solved_again=target is not None
    )
    out.put(page, what="the page")
    out.end(*max(endings, default=(0, "")))
