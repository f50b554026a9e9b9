"""``calibrate check``: whether configured costs are still worth their target."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

import click

from hashcost.cli.check_run import CheckOptions, begin, check_options, shown
from hashcost.cli.completion import complete_apps, complete_costs
from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.inputs import standard_input
from hashcost.cli.plot import plot_option, told_apart
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import UsageError, said_of
from hashcost.core.place import Place
from hashcost.core.quoting import WITHHELD, may_be_secret
from hashcost.documents.files import read_stream_limited
from hashcost.documents.settings import MOST_CHECKS, Settings
from hashcost.render.commands.check import check_document
from hashcost.verdicts.judgement import STANDARD_INPUT, Configured, Judgement

_LARGEST_INPUT = 1 << 20


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
@plot_option
@elsewhere_options("costs")
@check_options
def check(
    costs: tuple[str, ...],
    app: str | None,
    app_version: str | None,
    imports: bool,
    plot: str | None,
    **given: Unpack[CheckOptions],
) -> int:
    """Check that configured costs still take the time they should, and meet the floors.

    Costs are arguments, lines of standard input for `-`, those in hashcost.toml or
    the table [tool.hashcost] of pyproject.toml, or an --app's own. Example:
    calibrate check bcrypt=12 'argon2id=m=19456,t=2,p=1' --target 250ms
    """
    costs, picture = told_apart(costs, plot, given["out"], files=app is not None)
    run = begin(given, *(map(Path, costs) if app else ()), plot=picture and picture.file)
    held = _asked(costs, run.settings, app, app_version, imports=imports)
    configured = run.completed([each for each in held if isinstance(each, Configured)])
    measured, judged, notices = run.check(configured)
    rest = iter(judged)
    results = tuple(next(rest) if isinstance(each, Configured) else each for each in held)
    report = run.report(measured, results, notices)
    document = check_document(
        report, inconclusive=run.unsure, unknown=run.untold, failing=run.failing
    )
    run.write(document)
    if picture is not None:
        from hashcost.render.plot.check import check_figure
        from hashcost.verdicts.sample_times import distribution_of

        whole = iter(configured)
        found = [
            distribution_of(next(whole), measured)
            if measured is not None and isinstance(each, Configured)
            else None
            for each in held
        ]
        picture.write(check_figure(report, found))
    return run.end(document, results, notices)


def _asked(
    costs: tuple[str, ...],
    settings: Settings,
    app: str | None,
    app_version: str | None,
    *,
    imports: bool,
) -> tuple[Configured | Judgement, ...]:
    """The costs of an application, with what is not told, or those that the user means."""
    if app_version is not None and app is None:
        raise click.UsageError("--app-version needs an --app")
    if imports and (app != "django" or costs or app_version is not None):
        raise click.UsageError("--import goes with --app django alone, without files")
    if app is None:
        return _configured(costs, settings)
    from hashcost.cli.app_files import app_costs, django_costs

    if imports:
        return django_costs()
    return app_costs(app, costs, app_version)


def _configured(costs: Sequence[str], settings: Settings) -> tuple[Configured, ...]:
    """The costs that the user means: named here, or else in the settings."""
    if costs:
        lines = [line for cost in costs for line in (_lines() if cost == "-" else [(cost, None)])]
    elif settings.check:
        lines = [
            (text, Place(path=shown(Path(place.path)), line=place.line))
            for text, place in settings.check
        ]
    else:
        raise click.UsageError(
            "no cost to check; name one, for example bcrypt=12, or list them as check = [...] in"
            " hashcost.toml"
        )
    if not lines:
        raise click.UsageError("standard input has no cost; write one a line, such as bcrypt=12")
    if len(lines) > MOST_CHECKS:
        raise click.UsageError(f"there are {len(lines):,} costs; check at most {MOST_CHECKS:,}")
    return tuple(_cost(text, place) for text, place in lines)


def _lines() -> list[tuple[str, Place | None]]:
    """The costs on standard input, one a line; what follows a # is left out."""
    content = read_stream_limited(standard_input(), _LARGEST_INPUT, name="standard input")
    found: list[tuple[str, Place | None]] = []
    for number, line in enumerate(content.decode(errors="surrogateescape").split("\n"), 1):
        text = line.partition("#")[0].strip()
        if text:
            found.append((text, Place(path=STANDARD_INPUT, line=number)))
    return found


def _cost(text: str, place: Place | None) -> Configured:
    with contextlib.nullcontext() if place is None else said_of(str(place)):
        cost = parse_cost(text)
        if may_be_secret(cost.hasher):
            raise UsageError(f"{WITHHELD} is no hasher; write for example bcrypt=12")
        if cost.params is None:
            raise UsageError(f"{cost.label} has no cost; write for example {cost.label}=12")
    return Configured(
        hasher=cost.hasher, implementation=cost.implementation, params=cost.params, place=place
    )
