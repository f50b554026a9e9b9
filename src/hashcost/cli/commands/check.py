"""``calibrate check``: whether configured costs are still worth their target."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from hashcost.checks.check import exit_code
from hashcost.checks.judgement import (
    DEFAULT_TOLERANCE,
    STANDARD_INPUT,
    CostOrVerdict,
    InTests,
    Standard,
    StoredApart,
)
from hashcost.checks.judging import judge, typed_cost
from hashcost.checks.waivers import applied
from hashcost.cli.completion import completer
from hashcost.cli.elsewhere import RuntimeOptions, Where, runtime_options, where_asked
from hashcost.cli.inputs import Gathered, profile_named, settings_for, shown, whole_input
from hashcost.cli.options import (
    DURATION,
    FILE,
    GroupedCommand,
    Read,
    app_option,
    policies_named,
    profile_option,
    result_options,
    target_option,
    with_options,
)
from hashcost.cli.output import Output, append_summary
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadError, UsageError, prefix_errors
from hashcost.core.machine import Notice
from hashcost.core.profile import Profile
from hashcost.core.text import path_name, quoted
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target
from hashcost.render import FORMATS
from hashcost.render.commands.check import check_document, scan_document
from hashcost.storage.gate import Gate
from hashcost.storage.settings import MOST_CHECKS, Settings

if TYPE_CHECKING:
    from hashcost.checks.app_files import AppFiles
    from hashcost.checks.source_costs import SourceCosts


def _report(text: str) -> tuple[str, Path]:
    form, _, path = text.partition("=")
    if form not in FORMATS or not path:
        raise UsageError(
            f"{quoted(text, 24)} is not FORMAT=FILE; write for example sarif=check.sarif;"
            f" FORMAT is one of {', '.join(FORMATS)}"
        )
    return form, Path(path)


check_options = with_options(
    target_option("Time that one hash may take.  [default: that of the profile, else 250ms]"),
    profile_option(
        "Judge by this saved profile: times nothing and gives the same answer everywhere."
    ),
    click.option(
        "--policy",
        multiple=True,
        metavar="NAME|FILE",
        shell_complete=completer("policies"),
        help="Policy whose minimums must be met, or `none`; repeatable.  [default: owasp]",
    ),
    click.option("--max", "longest", type=DURATION, help="Fail when one hash takes longer."),
    click.option("--config", type=FILE, metavar="FILE", help="Read the settings from this file."),
    click.option(
        "--report",
        "reports",
        type=Read("report", _report),
        multiple=True,
        metavar="FORMAT=FILE",
        help="Also write the result to FILE in another format; repeatable.",
    ),
    click.option("--no-accept", is_flag=True, help="Ignore every waiver."),
    result_options(*FORMATS, quiet="No progress and no advice.", to_file=""),
)
"""The options of `check` and `scan`; the settings hold what a project decides once."""


@dataclass(frozen=True, kw_only=True)
class CriteriaOptions:
    """The options that say what costs are held to, and where the result goes besides."""

    target: float | None
    profile: Path | None
    policy: tuple[str, ...]
    longest: float | None
    config: Path | None
    reports: tuple[tuple[str, Path], ...]
    """Other formats, each with its file."""
    no_accept: bool


@dataclass(frozen=True, kw_only=True)
class Checking:
    """A check: its options, with the criteria that they, the settings and the profile give."""

    asked: CriteriaOptions
    out: Output
    settings: Settings
    standard: Standard
    profile: Profile | None
    where: Where
    gate: Gate
    """Everything that is read from the checkout passes it."""


@click.command(cls=GroupedCommand)
@click.argument(
    "costs",
    nargs=-1,
    metavar="[HASHER=COST]... [-]",
    shell_complete=completer("hashers", or_files=True),
)
@app_option(
    "Check this application's configuration; the arguments are its files, and without any"
    " its usual one is read. `calibrate list apps` lists them.",
    example="calibrate check --app {} FILE",
)
@click.option(
    "--app-version",
    metavar="VERSION",
    help="The application's release, which decides its defaults.  [default: the one that the"
    " project pins]",
)
@runtime_options()
@check_options
def check(
    costs: tuple[str, ...],
    app: str | None,
    app_version: str | None,
    asked: CriteriaOptions,
    runtimes: RuntimeOptions,
    out: Output,
) -> None:
    """Check that configured costs still match the target time and meet the policies.

    Costs come from the arguments, from standard input (`-`) or from the files of an --app.
    Without any, they are the costs, applications and source code that hashcost.toml or
    [tool.hashcost] in pyproject.toml lists. Example:
    calibrate check bcrypt=12 'argon2id=m=19456,t=2,p=1' --target 250ms
    """
    where = where_asked(runtimes, costs)
    if app_version is not None and app is None:
        raise click.UsageError("--app-version needs --app APP")
    # With an application, the arguments are its files.
    files = [Path(name) for name in costs] if app else []
    with where.running():
        checking = checking_of(asked, where, out, files)
        if app is not None:
            from hashcost.apps.registry import load_tunable
            from hashcost.checks.app_files import app_costs

            tunable = load_tunable(app, files, app_version)
            rows, read = app_costs(tunable, files, app_version, checking.gate)
            gathered = Gathered(rows=placed(rows, path_name), files=read)
        elif costs:
            gathered = Gathered(rows=typed(costs))
        else:
            gathered = listed(checking)
        conclude(checking, gathered)


def checking_of(
    asked: CriteriaOptions, where: Where, out: Output, files: Iterable[Path]
) -> Checking:
    """Read what costs are held to, by the options, else the settings, else the profile.

    Before any work, find out whether every output can be written, and replaces none of the
    ``files`` that are read, or those that the settings list.
    """
    gate = Gate()
    with gate.timed("the settings"):
        settings = settings_for(asked.config)
    path = asked.profile or settings.profile
    read = [path, settings.path, *files, *settings.scan]
    for _, listed_paths in settings.app:
        read += listed_paths
    out.check(read, writes=[("--report", report) for _, report in asked.reports])
    # That it cannot be added to is better known before hashes are timed.
    append_summary()
    saved = None
    if path is not None:
        with gate.timed(path):
            source = _source_of("profile", settings, asked.profile)
            saved = profile_named(source, path, where.host)
    return Checking(
        asked=asked,
        out=out,
        settings=settings,
        standard=_standard(asked, settings, saved, gate),
        profile=saved,
        where=where,
        gate=gate,
    )


def _source_of(key: str, settings: Settings, option: object) -> str:
    """Name the option or the setting that a value was written for."""
    if getattr(settings, key) is None or option:
        return f"--{key}"
    return f"{settings.path}: {key}"


def _standard(
    asked: CriteriaOptions, settings: Settings, saved: Profile | None, gate: Gate
) -> Standard:
    """The standard that costs are held to, by the options and the settings.

    Raises:
        UsageError: a value is out of range, or a policy is unknown.
    """
    # An option comes before the settings, and those before the profile.
    usual = DEFAULT_TARGET_SECONDS
    if saved is not None:
        usual = saved.target_seconds
    target = asked.target or settings.target or usual
    check_target(target, name=_source_of("target", settings, asked.target))
    longest = asked.longest or settings.max
    if longest is not None and longest < target:
        source = _source_of("max", settings, asked.longest)
        raise click.UsageError(f"{source}: must be at least the target")
    tolerance = settings.tolerance
    if tolerance is None:
        tolerance = DEFAULT_TOLERANCE
    if settings.over_budget == "fail":
        # What exceeds the target by more than the tolerance then fails.
        longest = min(longest or math.inf, target * (1 + tolerance))
    with gate.timed("the policies"):
        source = _source_of("policy", settings, asked.policy)
        policies = policies_named(asked.policy or settings.policy or ("owasp",), name=source)
    return Standard(
        target_seconds=target,
        policies=policies,
        tolerance=tolerance,
        longest_seconds=longest,
        on_drifted=settings.on_drifted,
        on_inconclusive=settings.on_inconclusive,
        on_unknown=settings.on_unknown,
    )


def conclude(checking: Checking, gathered: Gathered) -> None:
    """Judge all costs at once, accept what waivers accept, and end with the report's code."""
    settings, source, out = checking.settings, gathered.source, checking.out
    host = checking.where.host
    in_source: Sequence[CostOrVerdict] = ()
    in_tests: Sequence[InTests] = ()
    if source is not None:
        in_source, in_tests = source.rows, source.in_tests
    # All at once: what has to be timed is timed in one run.
    with out.progress() as progress:
        report = judge(
            gathered.rows,
            in_source,
            checking.standard,
            checking.profile,
            max_age=settings.max_age,
            host=host,
            pool=checking.where.pool,
            progress=progress,
        )
    if not checking.asked.no_accept:
        from hashcost.cli.waivers import waivers_in

        waivers = waivers_in(settings, gathered, checking.gate)
        report = applied(report, waivers, host.date().date(), in_tests)
    stored_apart = _stored_apart(gathered, checking.gate)
    if stored_apart:
        from hashcost.checks.dummies import stale_dummies

        notes = stale_dummies(stored_apart, report.results)
        report = replace(report, warnings=(*report.warnings, *notes))
    for_tests = [path for files in gathered.files for path in files.for_tests]
    if for_tests:
        left_out = [_for_tests(gathered.shown(path)) for path in for_tests]
        report = replace(report, warnings=(*report.warnings, *left_out))
    document = check_document(report)
    if source is not None:
        document = scan_document(document, source.report(report))
    for form, path in checking.asked.reports:
        Output(form, path, quiet=out.quiet).write(document)
    append_summary(document, report.warnings)
    # The report comes last, so that the verdict ends the screen.
    out.warn(report.warnings)
    out.write(document)
    out.end(exit_code(report.results), " ".join(document.answer))


def _for_tests(path: str) -> Notice:
    message = f"{path}: by its path, only tests read it; it is not judged"
    return Notice(code="for-tests", message=message)


def _stored_apart(gathered: Gathered, gate: Gate) -> list[StoredApart]:
    """The stored hashes, in source code and in the files of applications, that are not judged."""
    apart: list[StoredApart] = []
    if gathered.source is not None:
        apart += gathered.source.stored_apart
    if gathered.files:
        from hashcost.checks.source_costs import stored_apart_in

        texts = [text for files in gathered.files for text in files.texts]
        for file, text in texts:
            path = gathered.shown(file)
            # The costs of a file are judged although no time is left for its dummy hashes.
            with contextlib.suppress(UnreadError), gate.timed(path):
                apart += stored_apart_in(text, path)
    return apart


def placed(rows: Iterable[CostOrVerdict], shown: Callable[[str], str]) -> list[CostOrVerdict]:
    """The rows, with their paths as they are to be shown."""
    moved = []
    for row in rows:
        if row.place is None:
            moved.append(row)
        else:
            place = replace(row.place, path=shown(row.place.path))
            moved.append(replace(row, place=place))
    return moved


def listed(checking: Checking) -> Gathered:
    """The costs, and those of applications and source code, that the settings list."""
    settings = checking.settings
    if not (settings.check or settings.app or settings.scan):
        raise click.UsageError(
            "nothing to check; name a cost such as bcrypt=12, or let `calibrate init` write"
            " hashcost.toml"
        )

    def as_shown(path: str) -> str:
        return shown(Path(path))

    rows: list[CostOrVerdict] = [typed_cost(text, place) for text, place in settings.check]
    files: Sequence[AppFiles] = ()
    source = None
    # Source code first: to find it takes little of the time that it shares with applications.
    if settings.scan:
        with prefix_errors(f"{settings.path}: scan"):
            source = source_code(checking, settings.scan)
    if settings.app:
        from hashcost.checks.app_files import listed_app_costs

        costs, files = listed_app_costs(settings, checking.gate)
        rows += costs
    return Gathered(
        rows=placed(rows, as_shown), source=source, files=files, shown=as_shown, is_listed=True
    )


def source_code(
    checking: Checking,
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_tests: bool = False,
    include_vendored: bool = False,
) -> SourceCosts:
    """Gather the costs in the source code of folders and files; nothing of it is run."""
    from hashcost.checks.source_costs import costs_in_source
    from hashcost.source_code.scan import scan

    with checking.out.progress() as progress:
        scanned = scan(
            paths,
            exclude=exclude,
            include_vendored=include_vendored,
            gate=checking.gate,
            progress=progress,
        )
    pool = checking.where.pool
    return costs_in_source(scanned, checking.profile, pool, shown, include_tests=include_tests)


def typed(costs: Sequence[str]) -> list[CostOrVerdict]:
    """The costs that were typed, and for ``-`` those on standard input."""
    lines: list[tuple[str, Place | None]] = []
    for cost in costs:
        if cost == "-":
            lines += _lines()
        else:
            lines.append((cost, None))
    if not lines:
        raise click.UsageError(
            "standard input is empty; write one cost per line, such as bcrypt=12"
        )
    if len(lines) > MOST_CHECKS:
        raise click.UsageError(f"{len(lines):,} costs are too many; check at most {MOST_CHECKS:,}")
    rows: list[CostOrVerdict] = []
    # Each with the next, which may be its cost, typed apart.
    for (text, place), (following, _) in pairwise([*lines, ("", None)]):
        try:
            rows.append(typed_cost(text, place))
        except UsageError as error:
            # A line of standard input is named by its number instead.
            meant = _meant(text, following) if place is None else ""
            raise UsageError(meant or str(error)) from error
    return rows


def _meant(text: str, following: str) -> str:
    """Say what an argument that is not a cost was meant as; empty if that is not obvious."""
    if following:
        with contextlib.suppress(UsageError):
            cost = f"{text}={following}"
            typed_cost(cost)
            return f"{quoted(text)} and its cost are two arguments; did you mean {cost}?"
    if os.path.exists(text):  # noqa: PTH110 - of any length
        name = path_name(text)
        return (
            f"{name} is not a cost; `calibrate scan {name}` reads source code, and `calibrate"
            f" check --app APP {name}` the file of an application"
        )
    return ""


def _lines() -> list[tuple[str, Place | None]]:
    """Read the costs on standard input, one a line; what follows a # is left out."""
    lines: list[tuple[str, Place | None]] = []
    written = whole_input().decode(errors="surrogateescape").split("\n")
    for number, line in enumerate(written, 1):
        cost = line.partition("#")[0].strip()
        if cost:
            lines.append((cost, Place(path=STANDARD_INPUT, line=number)))
    return lines
