"""``calibrate check``: whether configured costs are still worth their target."""

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypedDict, Unpack

import click
import msgspec
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
from hashcost.render.document import Document
from hashcost.verdicts.check import check_all, check_one, confirmed, exit_code, outdated
from hashcost.verdicts.judgement import (
    DEFAULT_TOLERANCE,
    REPORT_SCHEMA_VERSION,
    STANDARD_INPUT,
    TIMED,
    CheckReport,
    Configured,
    InTests,
    Judgement,
    Outcome,
    ScanReport,
    Standard,
)
from hashcost.verdicts.legal_costs import completed, installed_versions

_LARGEST_INPUT: Final = 1 << 20
_WRITE_IT_THERE: Final = (
    "write the cost at the call, or look at a hash that it made: calibrate explain"
)
_READ_IT_YOURSELF: Final = "look for costs in it yourself, then skip it with --exclude"


class CheckOptions(TypedDict):
    """The options of `check_options`, as they are given."""

    target: float | None
    profile: Path | None
    policy: tuple[str, ...]
    longest: float | None
    config: Path | None
    reports: tuple[tuple[str, Path], ...]
    out: Output


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

    rows: Sequence[tuple[Configured | Judgement, str]]
    """Each with how its cost was found, where that is to be said."""
    on_unknown: str = "fail"
    """``pass`` or ``fail``, unless the settings say which."""
    said: Callable[[Document, CheckReport], Document] = lambda document, _: document
    """Add to the document what else there is to say of the place."""


class Basis(NamedTuple):
    """What costs are held to and judged by, and where the result goes."""

    given: CheckOptions
    settings: Settings
    standard: Standard
    profile: Profile | None
    host: Host
    pool: tuple[Candidate, ...]
    """What can be timed."""

    def complete(self, rows: Iterable[Configured | Judgement]) -> Gathered:
        """Give each cost every param, within the range of its hasher."""
        return Gathered(
            [
                (completed(row, self.profile, self.pool), "")
                if isinstance(row, Configured)
                else (row, "")
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
    " its usual one is read. `calibrate apps` lists them.",
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
    **given: Unpack[CheckOptions],
) -> int:
    """Check that configured costs still match the target time and meet the policies.

    Costs come from the arguments, from standard input (`-`) or from the files of an --app.
    Without any, they are the costs, applications and source code that hashcost.toml or
    [tool.hashcost] in pyproject.toml lists. Example:
    calibrate check bcrypt=12 'argon2id=m=19456,t=2,p=1' --target 250ms
    """
    settings = settings_for(given["config"])
    files = map(Path, costs) if app else (path for _, each in settings.app for path in each)
    basis = basis_of(given, settings, host, pool, files)
    if app_version is not None and app is None:
        raise click.UsageError("--app-version needs --app APP")
    if imports and (app != "django" or costs or app_version is not None):
        raise click.UsageError(
            "--import works only with --app django and without files; leave the files out"
        )
    # Costs that are named are judged without what reads files of applications or code.
    if app is None:
        gathered = [basis.complete(_named(costs))] if costs else [*_listed(basis)]
    else:
        from hashcost.cli.app_files import app_costs, django_costs

        rows = django_costs() if imports else app_costs(app, costs, app_version)
        gathered = [basis.complete(rows)]
    return decide_and_say(basis, gathered)


def basis_of(
    given: CheckOptions,
    settings: Settings,
    host: Host,
    pool: tuple[Candidate, ...],
    files: Iterable[Path],
) -> Basis:
    """Read what costs are held to, by the options, else the settings, else the profile.

    Whether every output can be written is found out before any work; ``files`` are read, too.
    """

    def named(key: str, option: object) -> str:
        """What the user wrote a value for, so that a message begins with it."""
        written = getattr(settings, key) is not None and not option
        return f"{settings.path}: {key}" if written else f"--{key}"

    path = given["profile"] or settings.profile
    reports = [report for _, report in given["reports"]]
    given["out"].check(path, settings.path, *files, report=reports)
    append_summary()
    profile = None
    if path is not None:
        profile = profile_named(named("profile", given["profile"]), path)
    usual = DEFAULT_TARGET_SECONDS if profile is None else profile.target_seconds
    target = given["target"] or settings.target or usual
    check_target(target, name=named("target", given["target"]))
    longest = given["longest"] or settings.max
    if longest is not None and longest < target:
        raise click.UsageError(f"{named('max', given['longest'])}: must be at least the target")
    tolerance = DEFAULT_TOLERANCE if settings.tolerance is None else settings.tolerance
    if settings.over_budget == "fail":
        allowed = target * (1 + tolerance)
        longest = allowed if longest is None else min(longest, allowed)
    policies = given["policy"] or settings.policy or ("owasp",)
    standard = Standard(
        target_seconds=target,
        policies=policies_named(policies, name=named("policy", given["policy"])),
        tolerance=tolerance,
        longest_seconds=longest,
    )
    return Basis(given, settings, standard, profile, host, pool)


def decide_and_say(basis: Basis, gathered: Sequence[Gathered]) -> int:
    """Judge all costs at once, write one report, and return the exit code."""
    settings, standard, out = basis.settings, basis.standard, basis.given["out"]
    rows = [row for place in gathered for row, _ in place.rows]
    # Each cost once, wherever it is set, so that none is timed or judged twice.
    by_identity = {row.identity(): row for row in rows if isinstance(row, Configured)}
    costs = list(by_identity.values())
    judgements: tuple[Judgement, ...] = ()
    notices: tuple[Notice, ...] = ()
    profile = basis.profile
    if profile is not None:
        judgements = check_all(costs, profile, standard)
        labels = {f"{row.hasher}@{row.implementation}" for row in judgements if row.implementation}
        installed = installed_versions(sorted(labels), basis.pool)
        notices = outdated(profile, basis.host.date(), settings.max_age, installed)
    elif costs:
        # A profile answers without what measures.
        from hashcost.verdicts.live_check import measure

        with progress_bar(quiet=out.quiet) as progress:
            timed = partial(
                measure, standard=standard, progress=progress, host=basis.host, pool=basis.pool
            )
            profile = timed(costs)
            judgements = check_all(costs, profile, standard)
            pairs = zip(costs, judgements, strict=True)
            doubted = [cost for cost, judgement in pairs if judgement.outcome in TIMED]
            if doubted:  # Measure again, in the reverse order, what would fail by its time.
                again = check_all(doubted, timed(doubted[::-1]), standard)
                judgements = confirmed(judgements, again)
        notices = profile.warnings
    judged = dict(zip(by_identity, judgements, strict=True))
    results = [
        [
            judged[row.identity()].at(row, remark) if isinstance(row, Configured) else row
            for row, remark in place.rows
        ]
        for place in gathered
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
        results=tuple(itertools.chain(*results)),
        warnings=notices,
    )
    unknown = [settings.on_unknown or place.on_unknown for place in gathered]
    document = check_document(
        report,
        [
            severity_of(row, settings.on_inconclusive, on_unknown)
            for place_results, on_unknown in zip(results, unknown, strict=True)
            for row in place_results
        ],
    )
    for place in gathered:
        document = place.said(document, report)
    out.warn(notices)
    out.write(document)
    for form, path in basis.given["reports"]:
        Output(form, path, quiet=True).write(document)
    append_summary(document, notices)
    return exit_code(zip(results, unknown, strict=True), settings.on_inconclusive)


def _listed(basis: Basis) -> Iterator[Gathered]:
    """Gather what the settings list.

    Raises:
        UsageError: they list nothing.
    """
    settings = basis.settings
    if settings.check:
        lines = (
            (text, Place(path=shown(Path(place.path)), line=place.line))
            for text, place in settings.check
        )
        yield basis.complete(_cost(text, place) for text, place in lines)
    if settings.app:
        from hashcost.cli.app_files import listed_app_costs

        yield basis.complete(listed_app_costs(settings))
    if settings.scan:
        with said_of(f"{settings.path}: scan"):
            yield source_code(basis, settings.scan)
    if not (settings.check or settings.app or settings.scan):
        raise click.UsageError(
            "nothing to check; name a cost such as bcrypt=12, or let `calibrate init` write"
            " hashcost.toml"
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

    with progress_bar(quiet=basis.given["out"].quiet) as progress:
        scanned = scan(
            paths, exclude=exclude, include_vendored=include_vendored, progress=progress
        )
    rows: list[tuple[Configured | Judgement, str]] = []
    in_tests: list[InTests] = []
    for setting in scanned.costs:
        place = Place(path=shown(setting.path), line=setting.line)
        hasher, params = setting.hasher, setting.params
        if setting.in_tests and not include_tests:
            in_tests.append(InTests(hasher=hasher, params=params, place=place, call=setting.call))
            continue
        cost = Configured(hasher=hasher, implementation=None, params=params)
        try:
            cost = completed(cost, basis.profile, basis.pool)
            rows.append((replace(cost, place=place), setting.why))
        except UsageError as error:  # It is outside the hasher's range.
            judgement = check_one(cost, None, basis.standard)
            if judgement.outcome is not Outcome.BELOW_FLOOR:
                advice = "set a cost that the library accepts"
                judgement = replace(
                    judgement, outcome=Outcome.UNKNOWN, message=str(error), advice=advice
                )
            rows.append((judgement.at(replace(cost, place=place), setting.why), ""))
    for call in scanned.unknown:
        if include_tests or not call.in_tests:
            why, advice = f"not read: {call.why}", _READ_IT_YOURSELF
            if call.call:
                why, advice = f"{call.call}: {call.why}", _WRITE_IT_THERE
            place = Place(path=shown(call.path), line=call.line or None)
            name = call.hasher or "unknown"
            rows.append((Judgement.without_cost(Outcome.UNKNOWN, name, place, why, advice), ""))
    rows.sort(key=lambda row: (row[0].place.path, row[0].place.line or 0) if row[0].place else ())
    return Gathered(
        rows=rows,
        on_unknown="pass",
        said=lambda document, report: scan_document(
            document,
            ScanReport(
                **msgspec.structs.asdict(report),
                files=scanned.files,
                parsed=scanned.parsed,
                in_tests=tuple(in_tests),
                skipped=scanned.skipped,
            ),
        ),
    )


def _named(costs: Sequence[str]) -> list[Configured]:
    """Read the costs that are arguments, or lines of standard input."""
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
