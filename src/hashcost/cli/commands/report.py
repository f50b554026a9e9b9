"""``calibrate report``: what was measured, as one page to show."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from hashcost.cli.exit_code import exit_code
from hashcost.cli.options import FILE, output_option, target_option, worth_options
from hashcost.cli.output import check_outputs, write_remarks, write_text
from hashcost.core.errors import UnreachableError
from hashcost.core.profile import Profile
from hashcost.core.text import path_name
from hashcost.core.units import format_setting
from hashcost.recommend.recommendation import solve_again
from hashcost.render.commands.report import report_page
from hashcost.render.formats.html_format import check_available
from hashcost.sweep.file import load_measured
from hashcost.sweep.model import Sweep
from hashcost.sweep.target import solve_sweep_again
from hashcost.worth.appraisal import appraise, floors_of
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy

_PAGES = ("", ".html", ".htm", ".xhtml")
"""What a file may end with that holds the page."""


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
    gpu_hourly: float | None,
) -> int:
    """Write an HTML report of saved profiles and sweeps.

    The page has the costs, minimums, prices, curves and raw figures, and says how they
    were measured. It fetches nothing and needs no script. Example:
    calibrate report server.json -o report.html
    """
    check_available()
    check_outputs(*files, output=output)
    if output is None:
        load_measured(files[0])  # Another file is refused for what it is.
        name = path_name(files[0])
        raise click.UsageError(f"name the page: `calibrate report {name} -o report.html`")
    if output.suffix.lower() not in _PAGES:
        raise click.UsageError(
            f"--output: the page is HTML; write it to {output.stem[:60]}.html, which a browser"
            " prints to PDF"
        )
    measured: list[tuple[str, Profile | Sweep]] = []
    codes = [0]
    reasons: list[str] = []
    once: dict[str, Path] = {}
    for path in files:
        once.setdefault(os.path.realpath(path), path)
    files = tuple(once.values())
    for name, path in zip(_names(files), files, strict=True):
        found = load_measured(path)
        why: list[str] = []
        if isinstance(found, Profile):
            if target is not None:
                floors = floors_of(policies, enforced=False)
                found = solve_again(found, target, found.rounding, floors)
                codes.append(exit_code(found, named=False, measured=False))
                why += _why_profile(found) if codes[-1] else ()
            found = appraise(found, policies, devices, dollars_per_hour=gpu_hourly)
        elif target is not None:
            found = solve_sweep_again(found, target)
            why += _out_of_reach(found)
            codes.append(UnreachableError.exit_code if why else 0)
        reasons += (f"{name}: {each}" if len(files) > 1 else each for each in why)
        measured.append((name, found))
    page = report_page(
        measured, policies=policies, devices=devices, solved_again=target is not None
    )
    write_text(page, output)
    write_remarks(reasons)
    return max(codes)


def _why_profile(profile: Profile) -> tuple[str, ...]:
    """Why a profile that was solved again does not end well, a line a row."""
    return tuple(f"{row.label}: {row.error}" for row in profile.failures)


def _out_of_reach(sweep: Sweep) -> Iterator[str]:
    """The hashers of a sweep whose lowest cost takes longer than the target, by the fit."""
    for swept in sweep.hashers:
        fitted = swept.model is not None and not swept.knob.is_ladder
        if fitted and swept.target_cost is None:
            yield (
                f"{swept.label}: even {format_setting({swept.knob.name: swept.knob.minimum})}"
                " takes longer than the target by the fit; raise --target"
            )


def _names(files: tuple[Path, ...]) -> list[str]:
    """What each file is called on the page: its name, told apart where two have the same."""
    names: list[str] = []
    for path in files:
        name, count = path.name, 2
        while name in names:
            name, count = f"{path.stem}-{count}{path.suffix}", count + 1
        names.append(name)
    return [*map(path_name, names)]
