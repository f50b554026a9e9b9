"""``calibrate check``: whether configured costs are still worth their target."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
from msgspec.structs import replace

from hashcost.checks.check import exit_code
from hashcost.checks.judgement import DEFAULT_TOLERANCE, STANDARD_INPUT, Held, Standard
from hashcost.checks.judging import configured, judge
from hashcost.checks.waivers import applied
from hashcost.cli.completion import complete_costs
from hashcost.cli.elsewhere import Where, elsewhere_options
from hashcost.cli.inputs import policies_named, profile_named, settings_for, shown, standard_input
from hashcost.cli.options import (
    DURATION,
    FILE,
    Read,
    app_option,
    profile_option,
    result_options,
    target_option,
    with_options,
)
from hashcost.cli.output import Output, append_summary
from hashcost.cli.progress import progress_bar
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UsageError, said_of
from hashcost.core.profile import Profile
from hashcost.core.text import path_name, quoted
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target
from hashcost.render import FORMATS
from hashcost.render.commands.check import check_document, scan_document
from hashcost.storage.files import read_stream_limited
from hashcost.storage.gate import Gate
from hashcost.storage.settings import MOST_CHECKS, Settings

if TYPE_CHECKING:
    from hashcost.checks.source_costs import SourceCosts
    from hashcost.cli.app_files import AppFile

_LARGEST_INPUT: Final = 1 << 20


def _report(text: str) -> tuple[str, Path]:
    form, _, path = text.partition("=")
    if form not in FORMATS or not path:
        raise UsageError(
            f"{quoted(text, 24)} is not FORMAT=FILE; write for example sarif=check.sarif;"
            f" FORMAT is one of {', '.join(FORMATS)}"
        )
    return form, Path(path)


check_options: Final = with_options(
    target_option("Time that one hash may take.  [default: that of the profile, else 250ms]"),
    profile_option(
        "Judge by this saved profile: times nothing and gives the same answer everywhere."
    ),
    click.option(
        "--policy",
        multiple=True,
        metavar="NAME|FILE",
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


class Basis(NamedTuple):
    """The standard that costs are held to, and where the result goes."""

    settings: Settings
    standard: Standard
    profile: Profile | None
    where: Where
    gate: Gate
    """Everything that is read from the checkout passes it."""
    reports: tuple[tuple[str, Path], ...]
    """Other formats, each with its file."""
    out: Output


@click.command
@click.argument("costs", nargs=-1, metavar="[HASHER=COST]... [-]", shell_complete=complete_costs)
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
@elsewhere_options("costs")
@check_options
def check(
    costs: tuple[str, ...],
    app: str | None,
    app_version: str | None,
    where: Where,
    no_accept: bool,
    **asked: Any,
) -> None:
    """Check that configured costs still match the target time and meet the policies.

    Costs come from the arguments, from standard input (`-`) or from the files of an --app.
    Without any, they are the costs, applications and source code that hashcost.toml or
    [tool.hashcost] in pyproject.toml lists. Example:
    calibrate check bcrypt=12 'argon2id=m=19456,t=2,p=1' --target 250ms
    """
    if app_version is not None and app is None:
        raise click.UsageError("--app-version needs --app APP")
    basis = basis_of(where, files=map(Path, costs) if app else (), **asked)
    gathered = Gathered()
    if app is not None:
        from hashcost.cli.app_files import app_costs

        costs_found = app_costs(app, costs, app_version, basis.gate, gathered.files)
        gathered.rows = placed(costs_found, path_name)
    elif costs:
        gathered.rows = typed(costs)
    else:
        gathered = listed(basis)
    judge_and_say(basis, gathered, no_accept=no_accept)


@dataclass
class Gathered:
    """The costs to judge, and the files of applications that they were read from."""

    rows: list[Held] = field(default_factory=list)
    source: SourceCosts | None = None
    files: list[AppFile] = field(default_factory=list)
    shown: Callable[[str], str] = path_name
    """How the rows write the paths of those files."""
    is_listed: bool = False
    """Whether these are the costs that the settings list."""


def basis_of(
    where: Where,
    *,
    files: Iterable[Path],
    target: float | None,
    profile: Path | None,
    policy: tuple[str, ...],
    longest: float | None,
    config: Path | None,
    reports: tuple[tuple[str, Path], ...],
    out: Output,
) -> Basis:
    """Read what costs are held to, by the options, else the settings, else the profile.

    Before any work, find out whether every output can be written, and replaces none of the
    ``files`` that are read, or those that the settings list.
    """
    gate = Gate()
    with gate.timed("the settings"):
        settings = settings_for(config)

    def named(key: str, option: object) -> str:
        """Name the option or the setting that a value was written for."""
        written = getattr(settings, key) is not None and not option
        return f"{settings.path}: {key}" if written else f"--{key}"

    path = profile or settings.profile
    read = (path, settings.path, *files, *settings.scan, *chain(*dict(settings.app).values()))
    out.check(*read, report=[report for _, report in reports])
    append_summary()
    saved = None
    if path is not None:
        with gate.timed(path):
            saved = profile_named(named("profile", profile), path, where.host)
    usual = DEFAULT_TARGET_SECONDS if saved is None else saved.target_seconds
    seconds = target or settings.target or usual
    check_target(seconds, name=named("target", target))
    limit = longest or settings.max
    if limit is not None and limit < seconds:
        raise click.UsageError(f"{named('max', longest)}: must be at least the target")
    tolerance = DEFAULT_TOLERANCE if settings.tolerance is None else settings.tolerance
    if settings.over_budget == "fail":
        limit = min(limit or math.inf, seconds * (1 + tolerance))
    with gate.timed("the policies"):
        policies = policies_named(
            policy or settings.policy or ("owasp",), name=named("policy", policy)
        )
    standard = Standard(
        target_seconds=seconds,
        policies=policies,
        tolerance=tolerance,
        longest_seconds=limit,
        on_drifted=settings.on_drifted,
        on_inconclusive=settings.on_inconclusive,
        on_unknown=settings.on_unknown,
    )
    return Basis(settings, standard, saved, where, gate, reports, out)


def judge_and_say(basis: Basis, gathered: Gathered, *, no_accept: bool) -> None:
    """Judge all costs at once, write one report, and end with its code."""
    out, source = basis.out, gathered.source
    with progress_bar(quiet=out.quiet) as progress:
        report = judge(
            gathered.rows,
            source.rows if source else (),
            basis.standard,
            basis.profile,
            max_age=basis.settings.max_age,
            host=basis.where.host,
            pool=basis.where.pool,
            progress=progress,
        )
    if not no_accept:
        from hashcost.cli.waivers import waivers_in

        waivers = waivers_in(basis.settings, gathered, basis.gate)
        today = basis.where.host.date().astimezone(dt.UTC).date()
        report = applied(report, waivers, today, source.in_tests if source else ())
    document = check_document(report)
    if source is not None:
        document = scan_document(document, source.report(report))
    for form, path in basis.reports:
        Output(form, path, quiet=out.quiet).write(document)
    append_summary(document, report.warnings)
    out.warn(report.warnings)
    out.write(document)
    out.end(exit_code(report.results), " ".join(document.answer))


def placed(rows: Iterable[Held], shown: Callable[[str], str]) -> list[Held]:
    """The rows, with their paths as they are to be shown."""
    return [
        replace(row, place=replace(row.place, path=shown(row.place.path))) if row.place else row
        for row in rows
    ]


def listed(basis: Basis) -> Gathered:
    """The costs, and those of applications and source code, that the settings list."""
    settings = basis.settings
    if not (settings.check or settings.app or settings.scan):
        raise click.UsageError(
            "nothing to check; name a cost such as bcrypt=12, or let `calibrate init` write"
            " hashcost.toml"
        )

    def as_shown(path: str) -> str:
        return shown(Path(path))

    gathered = Gathered(shown=as_shown, is_listed=True)
    rows: list[Held] = list(starmap(configured, settings.check))
    # Source code first: to find it takes little of the time that it shares with applications.
    if settings.scan:
        with said_of(f"{settings.path}: scan"):
            gathered.source = source_code(basis, settings.scan)
    if settings.app:
        from hashcost.cli.app_files import listed_app_costs

        rows += listed_app_costs(settings, basis.gate, gathered.files)
    gathered.rows = placed(rows, as_shown)
    return gathered


def source_code(
    basis: Basis,
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_tests: bool = False,
    include_vendored: bool = False,
) -> SourceCosts:
    """Gather the costs in the source code of folders and files; nothing of it is run."""
    from hashcost.checks.source_costs import costs_in_source
    from hashcost.source_code.scan import scan

    with progress_bar(quiet=basis.out.quiet) as progress:
        scanned = scan(
            paths,
            exclude=exclude,
            include_vendored=include_vendored,
            gate=basis.gate,
            progress=progress,
        )
    return costs_in_source(
        scanned, basis.profile, basis.where.pool, shown, include_tests=include_tests
    )


def typed(costs: Sequence[str]) -> list[Held]:
    """The costs that were typed, and for ``-`` those on standard input."""
    lines = [line for cost in costs for line in (_lines() if cost == "-" else [(cost, None)])]
    if not lines:
        raise click.UsageError(
            "standard input is empty; write one cost per line, such as bcrypt=12"
        )
    if len(lines) > MOST_CHECKS:
        raise click.UsageError(f"{len(lines):,} costs are too many; check at most {MOST_CHECKS:,}")
    read: list[Held] = []
    for (text, place), (following, _) in pairwise([*lines, ("", None)]):
        try:
            read.append(configured(text, place))
        except UsageError as error:
            meant = _meant(text, following) if place is None else ""
            raise UsageError(meant or str(error)) from error
    return read


def _meant(text: str, following: str) -> str:
    """Say what an argument that is not a cost was meant as; empty if that is not obvious."""
    if following:
        with contextlib.suppress(UsageError):
            cost = f"{text}={following}"
            configured(cost)
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
    content = read_stream_limited(standard_input(), _LARGEST_INPUT, name="standard input")
    lines = content.decode(errors="surrogateescape").split("\n")
    texts = ((number, line.partition("#")[0].strip()) for number, line in enumerate(lines, 1))
    return [(text, Place(path=STANDARD_INPUT, line=number)) for number, text in texts if text]
