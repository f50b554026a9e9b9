"""``calibrate check``: whether configured costs are still worth their target."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
from msgspec.structs import replace

from hashcost.cli.completion import complete_apps, complete_costs
from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.inputs import policies_named, profile_named, settings_for, shown, standard_input
from hashcost.cli.options import DURATION, FILE, Read, profile_option, result_options, with_options
from hashcost.cli.output import Output, append_summary
from hashcost.cli.progress import progress_bar
from hashcost.core.cost_expressions import Place, parse_cost
from hashcost.core.errors import UsageError, said_of
from hashcost.core.machine import TOOL, Notice
from hashcost.core.profile import Profile
from hashcost.core.text import quoted
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target
from hashcost.documents.files import read_stream_limited
from hashcost.documents.settings import MOST_CHECKS, Settings
from hashcost.hashers.registry import Candidate
from hashcost.machine.host import Host
from hashcost.render import FORMATS
from hashcost.render.commands.check import check_document, scan_document, severity_of
from hashcost.verdicts.check import check_all, exit_code, outdated
from hashcost.verdicts.judgement import (
    DEFAULT_TOLERANCE,
    REPORT_SCHEMA_VERSION,
    STANDARD_INPUT,
    CheckReport,
    Configured,
    Held,
    Judgement,
    Standard,
)
from hashcost.verdicts.legal_costs import completed, installed_versions

if TYPE_CHECKING:
    from hashcost.verdicts.source_costs import SourceCosts

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
    click.option(
        *("-t", "--target"),
        type=DURATION,
        help="Time that one hash may take.  [default: that of the profile, else 250ms]",
    ),
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
    result_options(*FORMATS, quiet="No progress and no advice.", to_file=False),
)
"""The options of `check` and `scan`; what a project decides once stands in its settings."""


class Gathered(NamedTuple):
    """Costs of one kind of place, and judgements where there is no cost to be timed."""

    rows: Sequence[Held]
    on_unknown: str = "fail"
    """``pass`` or ``fail``, unless the settings say which."""
    source: SourceCosts | None = None
    """The source code that the rows are from."""


class Basis(NamedTuple):
    """The standard and the measurements that costs are judged by, and where the result goes."""

    settings: Settings
    standard: Standard
    profile: Profile | None
    host: Host
    pool: tuple[Candidate, ...]
    """The hashers that can be timed."""
    reports: tuple[tuple[str, Path], ...]
    """Other formats, each with its file."""
    out: Output

    def complete(self, rows: Iterable[Held]) -> Gathered:
        """Give each cost every param, within the range of its hasher."""
        return Gathered(
            [
                completed(row, self.profile, self.pool) if isinstance(row, Configured) else row
                for row in rows
            ]
        )


@click.command
@click.argument(
    "costs",
    nargs=-1,
    metavar="[HASHER=COST]... [-]",
    shell_complete=complete_costs,
)
@click.option(
    "--app",
    shell_complete=complete_apps,
    metavar="APP",
    help="Check this application's configuration; the arguments are its files, and without any"
    " its usual one is read. `calibrate list apps` lists them.",
)
@click.option(
    "--app-version",
    metavar="VERSION",
    help="The application's release, which decides its defaults.  [default: the installed one,"
    " or the newest known]",
)
@click.option(
    "--import",
    "imports",
    is_flag=True,
    help="With --app django: run the settings of DJANGO_SETTINGS_MODULE instead of reading.",
)
@elsewhere_options("costs")
@check_options
def check(
    costs: tuple[str, ...],
    app: str | None,
    app_version: str | None,
    imports: bool,
    config: Path | None,
    host: Host,
    pool: tuple[Candidate, ...],
    **given: Any,
) -> int:
    """Check that configured costs still match the target time and meet the policies.

    Costs come from the arguments, from standard input (`-`) or from the files of an --app.
    Without any, they are the costs, applications and source code that hashcost.toml or
    [tool.hashcost] in pyproject.toml lists. Example:
    calibrate check bcrypt=12 'argon2id=m=19456,t=2,p=1' --target 250ms
    """
    if app_version is not None and app is None:
        raise click.UsageError("--app-version needs --app APP")
    if imports and (app != "django" or costs or app_version is not None):
        raise click.UsageError(
            "--import works only with --app django and without files; leave the files out"
        )
    settings = settings_for(config)
    files = map(Path, costs) if app else (path for _, paths in settings.app for path in paths)
    basis = basis_of(settings, files, host, pool, **given)
    if app is not None:
        from hashcost.cli.app_files import app_costs, django_costs

        rows = django_costs() if imports else app_costs(app, costs, app_version)
        gathered = [basis.complete(rows)]
    elif costs:
        gathered = [basis.complete(_named(costs))]
    else:
        gathered = list(_listed(basis))
    return decide_and_say(basis, gathered)


def basis_of(
    settings: Settings,
    files: Iterable[Path],
    host: Host,
    pool: tuple[Candidate, ...],
    *,
    target: float | None,
    profile: Path | None,
    policy: tuple[str, ...],
    longest: float | None,
    reports: tuple[tuple[str, Path], ...],
    out: Output,
) -> Basis:
    """Read what costs are held to, by the options, else the settings, else the profile.

    Before any work, find out whether every output can be written, and replaces none of the
    ``files`` that are read.
    """

    def named(key: str, option: object) -> str:
        """Name the option or the setting that a value was written for."""
        written = getattr(settings, key) is not None and not option
        return f"{settings.path}: {key}" if written else f"--{key}"

    path = profile or settings.profile
    out.check(path, settings.path, *files, report=[report for _, report in reports])
    append_summary()
    saved = None if path is None else profile_named(named("profile", profile), path, host)
    usual = DEFAULT_TARGET_SECONDS if saved is None else saved.target_seconds
    seconds = target or settings.target or usual
    check_target(seconds, name=named("target", target))
    limit = longest or settings.max
    if limit is not None and limit < seconds:
        raise click.UsageError(f"{named('max', longest)}: must be at least the target")
    tolerance = DEFAULT_TOLERANCE if settings.tolerance is None else settings.tolerance
    if settings.over_budget == "fail":
        limit = min(limit or math.inf, seconds * (1 + tolerance))
    policies = policy or settings.policy or ("owasp",)
    standard = Standard(
        target_seconds=seconds,
        policies=policies_named(policies, name=named("policy", policy)),
        tolerance=tolerance,
        longest_seconds=limit,
    )
    return Basis(settings, standard, saved, host, pool, reports, out)


def decide_and_say(basis: Basis, gathered: Sequence[Gathered]) -> int:
    """Judge all costs at once, write one report, and return the exit code."""
    settings, standard, profile = basis.settings, basis.standard, basis.profile
    # Each cost once, wherever it is set, so that none is timed or judged twice.
    rows = itertools.chain.from_iterable(place.rows for place in gathered)
    costs = {row.identity(): row for row in rows if isinstance(row, Configured)}
    judgements: tuple[Judgement, ...] = ()
    notices: tuple[Notice, ...] = ()
    if profile is not None:
        judgements = check_all(costs.values(), profile, standard)
        labels = {f"{row.hasher}@{row.implementation}" for row in judgements if row.implementation}
        installed = installed_versions(sorted(labels), basis.pool)
        notices = outdated(profile, basis.host.date(), settings.max_age, installed)
    elif costs:
        # A profile answers without what measures.
        from hashcost.verdicts.live_check import check_here

        with progress_bar(quiet=basis.out.quiet) as progress:
            profile, judgements = check_here(
                [*costs.values()],
                standard,
                host=basis.host,
                pool=basis.pool,
                progress=progress,
            )
        notices = profile.warnings
    judged = dict(zip(costs, judgements, strict=True))
    results = [
        [
            judged[row.identity()].at(row) if isinstance(row, Configured) else row
            for row in place.rows
        ]
        for place in gathered
    ]
    unknown = [settings.on_unknown or place.on_unknown for place in gathered]
    code = exit_code(zip(results, unknown, strict=True), settings.on_inconclusive)
    report = CheckReport(
        schema=REPORT_SCHEMA_VERSION,
        tool=TOOL,
        live=basis.profile is None,
        measured=basis.host.date() if profile is None else profile.created,
        machine=basis.host.describe() if profile is None else profile.machine,
        target_seconds=standard.target_seconds,
        tolerance=standard.tolerance,
        longest_seconds=standard.longest_seconds,
        results=tuple(itertools.chain(*results)),
        warnings=notices,
    )
    severities = [
        severity_of(row, settings.on_inconclusive, on_unknown)
        for place_results, on_unknown in zip(results, unknown, strict=True)
        for row in place_results
    ]
    document = check_document(report, severities)
    for source in (place.source for place in gathered if place.source is not None):
        document = scan_document(document, source.report(report))
    basis.out.warn(notices)
    basis.out.write(document)
    for form, path in basis.reports:
        Output(form, path, quiet=True).write(document)
    append_summary(document, notices)
    return code


def _listed(basis: Basis) -> Iterator[Gathered]:
    """Gather what the settings list.

    Raises:
        UsageError: they list nothing.
    """
    settings = basis.settings
    if settings.check:
        yield basis.complete(map(_shown, itertools.starmap(_cost, settings.check)))
    if settings.app:
        from hashcost.cli.app_files import listed_app_costs

        yield basis.complete(map(_shown, listed_app_costs(settings)))
    if settings.scan:
        with said_of(f"{settings.path}: scan"):
            yield source_code(basis, settings.scan)
    if not (settings.check or settings.app or settings.scan):
        raise click.UsageError(
            "nothing to check; name a cost such as bcrypt=12, or let `calibrate init` write"
            " hashcost.toml"
        )


def _shown(row: Held) -> Held:
    place = row.place
    return (
        row if place is None else replace(row, place=replace(place, path=shown(Path(place.path))))
    )


def source_code(
    basis: Basis,
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_tests: bool = False,
    include_vendored: bool = False,
) -> Gathered:
    """Gather the costs in the source code of folders and files; nothing of it is run."""
    from hashcost.source_code.scan import scan
    from hashcost.verdicts.source_costs import costs_in_source

    with progress_bar(quiet=basis.out.quiet) as progress:
        scanned = scan(
            paths, exclude=exclude, include_vendored=include_vendored, progress=progress
        )
    source = costs_in_source(
        scanned, basis.standard, basis.profile, basis.pool, shown, include_tests=include_tests
    )
    return Gathered(source.rows, on_unknown="pass", source=source)


def _named(costs: Sequence[str]) -> list[Configured]:
    lines = [line for cost in costs for line in (_lines() if cost == "-" else [(cost, None)])]
    if not lines:
        raise click.UsageError(
            "standard input is empty; write one cost per line, such as bcrypt=12"
        )
    if len(lines) > MOST_CHECKS:
        raise click.UsageError(f"{len(lines):,} costs are too many; check at most {MOST_CHECKS:,}")
    return [_cost(text, place) for text, place in lines]


def _lines() -> list[tuple[str, Place | None]]:
    """Read the costs on standard input, one a line; what follows a # is left out."""
    content = read_stream_limited(standard_input(), _LARGEST_INPUT, name="standard input")
    lines = content.decode(errors="surrogateescape").split("\n")
    texts = ((number, line.partition("#")[0].strip()) for number, line in enumerate(lines, 1))
    return [(text, Place(path=STANDARD_INPUT, line=number)) for number, text in texts if text]


def _cost(text: str, place: Place | None) -> Configured:
    with contextlib.nullcontext() if place is None else said_of(str(place)):
        cost = parse_cost(text)
        if cost.params is None:
            raise UsageError(
                f"{cost.label} is only a hasher; add its cost, for example {cost.label}=12"
            )
    return Configured(
        hasher=cost.hasher, implementation=cost.implementation, params=cost.params, place=place
    )
