"""``calibrate check``: whether configured costs are still worth their target."""

from __future__ import annotations

import datetime as dt
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hashcost.cli.options import Age, Duration, Report, Share, on_terminal, output_options
from hashcost.cli.pictures import (
    check_drawable,
    picture_file,
    plot_option,
    told_apart,
    write_picture,
)

if TYPE_CHECKING:
    from hashcost.check import Configured, Judgement, Place, Standard
    from hashcost.model import Notice, Profile
    from hashcost.render.document import Severity
    from hashcost.settings import Settings

_FILE = click.Path(path_type=Path, dir_okay=False)
_FAILED = 1
_LARGEST_INPUT = 1 << 20
_DEFAULT_TARGET_SECONDS = 0.25
_DEFAULT_POLICIES = ("owasp",)
_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Where GitHub and GitLab say that they have put the repository."""
_FORMS = ("table", "json", "csv", "markdown", "github", "junit", "sarif", "gitlab")


@click.command(short_help="Check that configured costs are still worth their target.")
@click.argument("costs", nargs=-1, metavar="[HASHER=COST]... [-]")
@click.option(
    "--app",
    metavar="APP",
    help="Check what this application is configured with; the arguments are its files, and"
    " without any its usual one is read. `calibrate apps` lists them.",
)
@click.option(
    "--app-version",
    metavar="VERSION",
    help="The application's release, for what it does unless told."
    "  [default: the one installed, or the newest known]",
)
@click.option(
    "--import",
    "imports",
    is_flag=True,
    help="With --app django: run the settings of DJANGO_SETTINGS_MODULE instead of reading.",
)
@click.option(
    "-t", "--target", type=Duration(), help="Time that one hash may take.  [default: 250ms]"
)
@click.option(
    "--profile",
    type=_FILE,
    metavar="PROFILE",
    help="Judge by this saved profile; nothing is timed, and the answer is the same everywhere.",
)
@click.option("--max-age", type=Age(), help="Say so when the profile is older, for example 90d.")
@click.option(
    "--policy",
    multiple=True,
    metavar="NAME|FILE",
    help="Whose floors to hold to, `none` for nobody's; may be given several times."
    "  [default: owasp]",
)
@click.option("--max", "longest", type=Duration(), help="Fail when one hash takes longer.")
@click.option(
    "--tolerance",
    type=Share(),
    help="Share of the target that may be left unused.  [default: 20%]",
)
@click.option("--config", type=_FILE, metavar="FILE", help="Read the settings from this file.")
@click.option("--warn-only", is_flag=True, help="End with 0 whatever is found.")
@click.option(
    "--on-inconclusive",
    type=click.Choice(["pass", "fail"]),
    help="End with 0 or 1, instead of 3, when it cannot be told.",
)
@plot_option
@output_options(*_FORMS)
@click.option(
    "--report",
    "reports",
    type=Report(_FORMS),
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write the same result in another form to FILE too; may be given several times.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no advice.")
def check(
    costs: tuple[str, ...],
    app: str | None,
    app_version: str | None,
    imports: bool,
    target: float | None,
    profile: Path | None,
    max_age: float | None,
    policy: tuple[str, ...],
    longest: float | None,
    tolerance: float | None,
    config: Path | None,
    warn_only: bool,
    on_inconclusive: str | None,
    plot: str | None,
    form: str,
    output: Path | None,
    reports: tuple[tuple[str, Path], ...],
    quiet: bool,
) -> int:
    """Check that configured costs still take the time they should, and meet the floors.

    Costs are arguments, lines of standard input for `-`, those in hashcost.toml or
    the table [tool.hashcost] of pyproject.toml, or an --app's own. Example:
    calibrate check bcrypt=12 'argon2id=m=19456,t=2,p=1' --target 250ms
    """
    from hashcost import __version__
    from hashcost.check import (
        DEFAULT_TOLERANCE,
        REPORT_SCHEMA_VERSION,
        CheckReport,
        Standard,
        check_all,
    )
    from hashcost.cli.output import (
        append_summary,
        check_apart,
        check_outputs,
        write_result,
        write_warnings,
    )
    from hashcost.cli.profiles import profile_named
    from hashcost.cli.worth import policies_named
    from hashcost.completion import completed
    from hashcost.distribution import distribution_of
    from hashcost.model import Tool
    from hashcost.render.check import check_document
    from hashcost.render.plot.check import check_figure

    settings = _settings(config)
    costs, plot = told_apart(costs, plot, files=app is not None)
    picture = picture_file(plot)
    check_apart(output=output, plot=picture)
    check_outputs(output=output, plot=picture)
    check_drawable(plot, form=form, output=output)
    for _, path in reports:
        check_outputs(report=path)
    append_summary()
    target = target or settings.target or _DEFAULT_TARGET_SECONDS
    longest = longest or settings.max
    max_age = max_age or settings.max_age
    profile = profile or settings.profile
    on_inconclusive = on_inconclusive or settings.on_inconclusive
    tolerance = settings.tolerance if tolerance is None else tolerance
    policies = policy or settings.policy or _DEFAULT_POLICIES
    if longest is not None and longest < target:
        raise click.UsageError("--max: it is shorter than the target")
    standard = Standard(
        target_seconds=target,
        policies=policies_named(policies),
        tolerance=DEFAULT_TOLERANCE if tolerance is None else tolerance,
        longest_seconds=longest,
    )
    configured = _asked(costs, settings, app, app_version, imports=imports)
    if profile is None:
        configured = completed(configured)
        measured, results = _live(configured, standard, quiet=quiet)
        notices = measured.warnings
    else:
        measured = profile_named("--profile", profile)
        configured = tuple(_completed_by(measured, cost) for cost in configured)
        results = check_all(configured, measured, standard)
        notices = _doubts(measured, results, max_age)
    report = CheckReport(
        schema=REPORT_SCHEMA_VERSION,
        tool=Tool(name="hashcost", version=__version__),
        live=profile is None,
        measured=measured.created,
        machine=measured.machine,
        target_seconds=target,
        tolerance=standard.tolerance,
        longest_seconds=longest,
        results=results,
        warnings=notices,
    )
    failing, unsure = _severities(on_inconclusive, warn_only=warn_only)
    document = check_document(report, inconclusive=unsure, failing=failing)
    write_result(document, form, output)
    for other, path in reports:
        write_result(document, other, path)
    if plot is not None:
        found = [distribution_of(cost, measured) for cost in configured]
        write_picture(check_figure(report, found), plot)
    append_summary(document, notices)
    if not quiet:
        write_warnings(notices)
    return 0 if warn_only else exit_code(results, on_inconclusive)


def _severities(on_inconclusive: str | None, *, warn_only: bool) -> tuple[Severity, Severity]:
    """How much it matters that a cost fails, and that nobody can tell."""
    from hashcost.render.document import Severity

    failing = Severity.WARNING if warn_only else Severity.ERROR
    unsure = {"pass": Severity.NOTE, "fail": failing}
    return failing, unsure.get(on_inconclusive or "", Severity.WARNING)


def exit_code(results: Iterable[Judgement], on_inconclusive: str | None) -> int:
    """The code that a check ends with: a failure goes before what could not be told."""
    from hashcost.check import FAILING, Outcome
    from hashcost.errors import InconclusiveError, UnavailableError

    found = {row.outcome for row in results}
    if found & FAILING:
        return _FAILED
    if Outcome.UNAVAILABLE in found:
        return UnavailableError.exit_code
    if Outcome.INCONCLUSIVE in found:
        codes = {"pass": 0, "fail": _FAILED}
        return codes.get(on_inconclusive or "", InconclusiveError.exit_code)
    return 0


def _settings(config: Path | None) -> Settings:
    from hashcost.settings import SHARED_FILE, Settings, find_settings, load_settings

    if config is None:
        return find_settings(Path.cwd()) or Settings(path=Path())
    found = load_settings(config)
    if found is None:
        raise click.UsageError(
            f"--config: {config} has no table [tool.hashcost]; {SHARED_FILE} needs one"
        )
    return found


def _asked(
    costs: tuple[str, ...],
    settings: Settings,
    app: str | None,
    app_version: str | None,
    *,
    imports: bool,
) -> tuple[Configured, ...]:
    """The costs that are to be judged: of an application, or those that the user means."""
    from hashcost.cli.app_files import app_costs, django_costs

    if app_version is not None and app is None:
        raise click.UsageError("--app-version needs an --app")
    if imports and (app != "django" or costs or app_version is not None):
        raise click.UsageError("--import goes with --app django alone, without files")
    if imports:
        return django_costs()
    return _configured(costs, settings) if app is None else app_costs(app, costs, app_version)


def _configured(costs: Sequence[str], settings: Settings) -> tuple[Configured, ...]:
    """The costs that the user means: named here, or else in the settings."""
    if costs:
        lines = [line for cost in costs for line in (_lines() if cost == "-" else [(cost, None)])]
    elif settings.check:
        lines = [(text, _from_root(place)) for text, place in settings.check]
    else:
        raise click.UsageError(
            "no cost to check; name one, for example bcrypt=12, or list them as check = [...] in"
            " hashcost.toml"
        )
    if not lines:
        raise click.UsageError("standard input has no cost; write one a line, such as bcrypt=12")
    return tuple(_cost(text, place) for text, place in lines)


def _from_root(place: Place) -> Place:
    """The place as seen from the repository's top, as annotations want it, where CI tells."""
    from hashcost.check import Place

    path = Path(os.path.abspath(place.path))  # noqa: PTH100 - resolve() would follow links
    for root in filter(None, map(os.environ.get, _ROOTS)):
        if path.is_relative_to(root):
            return Place(path=str(path.relative_to(root)), line=place.line)
    return place


def _lines() -> list[tuple[str, Place | None]]:
    """The costs on standard input, one a line; what follows a # is left out."""
    from hashcost.check import STANDARD_INPUT, Place
    from hashcost.errors import UnreadableInputError

    if sys.stdin is None:
        raise UnreadableInputError("cannot read standard input: it is closed")
    try:
        content = sys.stdin.buffer.read(_LARGEST_INPUT + 1)
    except OSError as error:
        raise UnreadableInputError(
            f"cannot read standard input: {(error.strerror or str(error)).lower()}"
        ) from error
    if len(content) > _LARGEST_INPUT:
        raise UnreadableInputError(
            f"cannot read standard input: it is larger than {_LARGEST_INPUT:,} bytes"
        )
    found: list[tuple[str, Place | None]] = []
    for number, line in enumerate(content.decode(errors="replace").split("\n"), 1):
        text = line.partition("#")[0].strip()
        if text:
            found.append((text, Place(path=STANDARD_INPUT, line=number)))
    return found


def _cost(text: str, place: Place | None) -> Configured:
    from hashcost.check import Configured
    from hashcost.costs import parse_cost
    from hashcost.errors import UsageError

    try:
        cost = parse_cost(text)
        if cost.params is None:
            raise UsageError(f"{cost.label} has no cost; write for example {cost.label}=12")
    except UsageError as error:
        where = "" if place is None else f"{place}: "
        raise UsageError(f"{where}{error}") from error
    return Configured(
        hasher=cost.hasher, implementation=cost.implementation, params=cost.params, place=place
    )


def _live(
    configured: tuple[Configured, ...], standard: Standard, *, quiet: bool
) -> tuple[Profile, tuple[Judgement, ...]]:
    from hashcost.calibration import check_target
    from hashcost.checking import check_live
    from hashcost.cli.progress import progress_bar

    check_target(standard.target_seconds)
    with progress_bar("timing hashes", shown=not quiet and on_terminal()) as report:
        return check_live(configured, standard, progress=report)


def _completed_by(profile: Profile, cost: Configured) -> Configured:
    """The cost with every param as the profile's row of its hasher has them."""
    from hashcost.check import row_for
    from hashcost.completion import completed, completed_by
    from hashcost.model import Failure

    row = row_for(cost, profile.results)
    known = row.measured if isinstance(row, Failure) else row
    if known is not None:
        return completed_by(cost, known.knobs, known.params)
    return completed((cost,))[0] if row is None else cost


def _doubts(
    profile: Profile, results: Iterable[Judgement], max_age: float | None
) -> tuple[Notice, ...]:
    """What speaks against the profile: its age, and libraries that have changed since."""
    from hashcost.check import outdated
    from hashcost.completion import installed_versions

    labels = {f"{row.hasher}@{row.implementation}" for row in results if row.implementation}
    return outdated(profile, dt.datetime.now(dt.UTC), max_age, installed_versions(sorted(labels)))
