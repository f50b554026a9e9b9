"""``calibrate scan``: whether the costs in source code are still worth their target."""

from __future__ import annotations

import datetime as dt
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from hashcost.cli.check import (
    _completed_by,
    _doubts,
    _live,
    _settings,
    _severities,
    check,
    exit_code,
)
from hashcost.cli.options import on_terminal

if TYPE_CHECKING:
    from hashcost.check import Configured, Judgement, Standard
    from hashcost.model import Machine, Notice, Profile
    from hashcost.scan.tree import Scanned
    from hashcost.settings import Settings

_Command = TypeVar("_Command", bound=click.Command)
_DEFAULT_TARGET_SECONDS = 0.25
_DEFAULT_POLICIES = ("owasp",)
_LIKE_CHECK = (
    *("target", "profile", "max_age", "policy", "longest", "tolerance", "config"),
    *("warn_only", "on_inconclusive", "form", "output", "quiet"),
)
"""The options that mean here what they mean to ``check``."""


def _judged_like_check(command: _Command) -> _Command:
    """Give a command the options of ``check``: what costs are held to, and the result's form."""
    command.params += [each for each in check.params if each.name in _LIKE_CHECK]
    return command


@_judged_like_check
@click.command(short_help="Check the costs that are written in source code.")
@click.argument(
    "paths", nargs=-1, metavar="[DIR|FILE]...", type=click.Path(path_type=Path, exists=False)
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Leave out what matches, in the form of a line of .gitignore; may be given several"
    " times.",
)
@click.option("--include-tests", is_flag=True, help="Judge the costs in tests too.")
@click.option(
    "--include-vendored", is_flag=True, help="Read folders such as node_modules and vendor too."
)
@click.option(
    "-v", "--verbose", is_flag=True, help="List the calls whose cost the file does not tell."
)
def scan(
    paths: tuple[Path, ...],
    exclude: tuple[str, ...],
    include_tests: bool,
    include_vendored: bool,
    verbose: bool,
    target: float | None,
    profile: Path | None,
    max_age: float | None,
    policy: tuple[str, ...],
    longest: float | None,
    tolerance: float | None,
    config: Path | None,
    warn_only: bool,
    on_inconclusive: str | None,
    form: str,
    output: Path | None,
    quiet: bool,
) -> int:
    """Find the costs in source code and judge each as `check` does; nothing is run.

    Reads Python, JavaScript, TypeScript, PHP, Ruby, Java, Kotlin, Go, C#, Rust and
    Elixir. Example: calibrate scan src --profile server.json --format sarif
    """
    from hashcost import __version__
    from hashcost.check import REPORT_SCHEMA_VERSION, check_all, judge
    from hashcost.cli.output import append_summary, check_outputs, write_result, write_warnings
    from hashcost.cli.profiles import profile_named
    from hashcost.completion import completed
    from hashcost.model import Tool
    from hashcost.render.scan import scan_document
    from hashcost.scanning import ScanReport, everywhere, sort

    settings = _settings(config)
    check_outputs(output=output)
    standard = _standard(settings, target, policy, longest, tolerance)
    profile = profile or settings.profile
    on_inconclusive = on_inconclusive or settings.on_inconclusive
    measured = None if profile is None else profile_named("--profile", profile)
    scanned = _scanned(paths or (Path(),), exclude, include_vendored=include_vendored, quiet=quiet)
    complete = (
        (lambda cost: completed((cost,))[0])
        if measured is None
        else partial(_completed_by, measured)
    )
    found = sort(scanned, complete, _shown, include_tests=include_tests)
    notices: tuple[Notice, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    if measured is not None:
        judgements = check_all(found.distinct, measured, standard)
        notices = _doubts(measured, judgements, max_age or settings.max_age)
    elif found.distinct:
        measured, judgements = _live(found.distinct, standard, quiet=quiet)
        notices = measured.warnings

    def judge_outside(cost: Configured) -> Judgement:
        return (
            judge(cost, None, standard)
            if measured is None
            else check_all((cost,), measured, standard)[0]
        )

    results, not_judged = everywhere(found, judgements, judge_outside)
    when, machine = _when_and_where(measured)
    report = ScanReport(
        schema=REPORT_SCHEMA_VERSION,
        tool=Tool(name="hashcost", version=__version__),
        live=profile is None,
        measured=when,
        machine=machine,
        target_seconds=standard.target_seconds,
        tolerance=standard.tolerance,
        longest_seconds=standard.longest_seconds,
        results=results,
        warnings=notices,
        files=scanned.files,
        parsed=scanned.parsed,
        in_tests=found.in_tests,
        not_judged=not_judged,
        skipped=scanned.skipped,
    )
    failing, unsure = _severities(on_inconclusive, warn_only=warn_only)
    document = scan_document(report, inconclusive=unsure, failing=failing, verbose=verbose)
    write_result(document, form, output)
    append_summary(document, notices)
    if not quiet:
        write_warnings(notices)
    return 0 if warn_only else exit_code(results, on_inconclusive)


def _standard(
    settings: Settings,
    target: float | None,
    policy: tuple[str, ...],
    longest: float | None,
    tolerance: float | None,
) -> Standard:
    """What the costs are held to, by the options and else by the settings."""
    from hashcost.calibration import check_target
    from hashcost.check import DEFAULT_TOLERANCE, Standard
    from hashcost.cli.worth import policies_named

    target = target or settings.target or _DEFAULT_TARGET_SECONDS
    check_target(target)
    longest = longest or settings.max
    tolerance = settings.tolerance if tolerance is None else tolerance
    if longest is not None and longest < target:
        raise click.UsageError("--max: it is shorter than the target")
    return Standard(
        target_seconds=target,
        policies=policies_named(policy or settings.policy or _DEFAULT_POLICIES),
        tolerance=DEFAULT_TOLERANCE if tolerance is None else tolerance,
        longest_seconds=longest,
    )


def _scanned(
    paths: tuple[Path, ...], exclude: tuple[str, ...], *, include_vendored: bool, quiet: bool
) -> Scanned:
    from hashcost.cli.progress import progress_bar
    from hashcost.scan.tree import scan as read

    with progress_bar("reading source", shown=not quiet and on_terminal()) as report:
        return read(paths, exclude=exclude, include_vendored=include_vendored, progress=report)


def _shown(path: Path) -> str:
    """The path from the present folder, as annotations want it, where it is below that."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    here = Path.cwd()
    return (whole.relative_to(here) if whole.is_relative_to(here) else path).as_posix()


def _when_and_where(measured: Profile | None) -> tuple[dt.datetime, Machine]:
    from hashcost.timing.machine import describe_machine

    if measured is None:
        return dt.datetime.now(dt.UTC), describe_machine()
    return measured.created, measured.machine
