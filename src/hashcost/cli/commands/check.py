"""``calibrate check``: whether configured costs are still worth their target."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain, starmap
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
from hashcost.core.text import path_name, quoted
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


@dataclass(frozen=True)
class Options:
    """The options of `check` and `scan`."""

    target: float | None
    profile: Path | None
    policy: tuple[str, ...]
    longest: float | None
    config: Path | None
    reports: tuple[tuple[str, Path], ...]
    """Other formats, each with its file."""
    out: Output


def _taking_options(command: Callable[..., int]) -> Callable[..., int]:
    @functools.wraps(command)
    def run(**given: Any) -> int:
        values = {field.name: given.pop(field.name) for field in fields(Options)}
        return command(options=Options(**values), **given)

    return run


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
    _taking_options,
)
"""Give a command its `options`; what a project decides once stands in its settings."""


class Basis(NamedTuple):
    """The standard and the measurements that costs are judged by, and where the result goes."""

    options: Options
    settings: Settings
    standard: Standard
    profile: Profile | None
    host: Host
    pool: tuple[Candidate, ...]
    """The hashers that can be timed."""


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
    host: Host,
    pool: tuple[Candidate, ...],
    options: Options,
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
    basis = basis_of(options, map(Path, costs) if app else (), host, pool)
    if app is not None:
        from hashcost.cli.app_files import app_costs, django_costs

        rows = django_costs() if imports else app_costs(app, costs, app_version)
        return decide_and_say(basis, _placed(rows, path_name))
    if costs:
        return decide_and_say(basis, _named(costs))
    settings = basis.settings
    if not (settings.check or settings.app or settings.scan):
        raise click.UsageError(
            "nothing to check; name a cost such as bcrypt=12, or let `calibrate init` write"
            " hashcost.toml"
        )
    listed: list[Held] = list(starmap(_cost, settings.check))
    if settings.app:
        from hashcost.cli.app_files import listed_app_costs

        listed += listed_app_costs(settings)
    source = None
    if settings.scan:
        with said_of(f"{settings.path}: scan"):
            source = source_code(basis, settings.scan)
    return decide_and_say(basis, _placed(listed, lambda path: shown(Path(path))), source)


def basis_of(
    options: Options, files: Iterable[Path], host: Host, pool: tuple[Candidate, ...]
) -> Basis:
    """Read what costs are held to, by the options, else the settings, else the profile.

    Before any work, find out whether every output can be written, and replaces none of the
    ``files`` that are read, or those that the settings list.
    """
    settings = settings_for(options.config)

    def named(key: str, option: object) -> str:
        """Name the option or the setting that a value was written for."""
        written = getattr(settings, key) is not None and not option
        return f"{settings.path}: {key}" if written else f"--{key}"

    path = options.profile or settings.profile
    listed = chain(settings.scan, *(paths for _, paths in settings.app))
    written = [report for _, report in options.reports]
    options.out.check(path, settings.path, *files, *listed, report=written)
    append_summary()
    saved = None if path is None else profile_named(named("profile", options.profile), path, host)
    usual = DEFAULT_TARGET_SECONDS if saved is None else saved.target_seconds
    seconds = options.target or settings.target or usual
    check_target(seconds, name=named("target", options.target))
    limit = options.longest or settings.max
    if limit is not None and limit < seconds:
        raise click.UsageError(f"{named('max', options.longest)}: must be at least the target")
    tolerance = DEFAULT_TOLERANCE if settings.tolerance is None else settings.tolerance
    if settings.over_budget == "fail":
        limit = min(limit or math.inf, seconds * (1 + tolerance))
    policies = options.policy or settings.policy or ("owasp",)
    standard = Standard(
        target_seconds=seconds,
        policies=policies_named(policies, name=named("policy", options.policy)),
        tolerance=tolerance,
        longest_seconds=limit,
    )
    return Basis(options, settings, standard, saved, host, pool)


def decide_and_say(
    basis: Basis, configured: Iterable[Held], source: SourceCosts | None = None
) -> int:
    """Judge all costs at once, write one report, and return the exit code."""
    options, settings = basis.options, basis.settings
    standard, profile = basis.standard, basis.profile
    rows = [
        completed(row, profile, basis.pool) if isinstance(row, Configured) else row
        for row in configured
    ]
    # Much of what source code passes is computed where it runs.
    on_unknown = [settings.on_unknown or "fail"] * len(rows)
    if source is not None:
        rows += source.rows
        on_unknown += [settings.on_unknown or "pass"] * len(source.rows)
    # Each cost once, wherever it is set, so that none is timed or judged twice.
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

        with progress_bar(quiet=options.out.quiet) as progress:
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
        judged[row.identity()].at(row) if isinstance(row, Configured) else row for row in rows
    ]
    report = CheckReport(
        schema=REPORT_SCHEMA_VERSION,
        tool=TOOL,
        live=basis.profile is None,
        measured=basis.host.date() if profile is None else profile.created,
        machine=basis.host.describe() if profile is None else profile.machine,
        target_seconds=standard.target_seconds,
        tolerance=standard.tolerance,
        longest_seconds=standard.longest_seconds,
        results=tuple(results),
        warnings=notices,
    )
    severities = [
        severity_of(row, settings.on_inconclusive, wish)
        for row, wish in zip(results, on_unknown, strict=True)
    ]
    document = check_document(report, severities)
    if source is not None:
        document = scan_document(document, source.report(report))
    options.out.warn(notices)
    options.out.write(document)
    for form, path in options.reports:
        Output(form, path, quiet=True).write(document)
    append_summary(document, notices)
    return exit_code(zip(results, on_unknown, strict=True), settings.on_inconclusive)


def _placed(rows: Iterable[Held], shown: Callable[[str], str]) -> Iterator[Held]:
    for row in rows:
        place = row.place
        yield (
            row if place is None else replace(row, place=replace(place, path=shown(place.path)))
        )


def source_code(
    basis: Basis,
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_tests: bool = False,
    include_vendored: bool = False,
) -> SourceCosts:
    """Gather the costs in the source code of folders and files; nothing of it is run."""
    from hashcost.source_code.scan import scan
    from hashcost.verdicts.source_costs import costs_in_source

    with progress_bar(quiet=basis.options.out.quiet) as progress:
        scanned = scan(
            paths, exclude=exclude, include_vendored=include_vendored, progress=progress
        )
    return costs_in_source(
        scanned, basis.standard, basis.profile, basis.pool, shown, include_tests=include_tests
    )


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
