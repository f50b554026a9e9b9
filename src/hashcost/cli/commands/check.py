"""``calibrate check``: whether configured costs are still worth their target."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

import click

from hashcost.cli.check_parts import Part, completed, conclude
from hashcost.cli.check_run import (
    CheckOptions,
    CheckRun,
    begin,
    check_options,
    settings_for,
    shown,
)
from hashcost.cli.completion import complete_apps, complete_costs
from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.inputs import standard_input
from hashcost.core.cost_expressions import Place, parse_cost
from hashcost.core.errors import UsageError, said_of
from hashcost.documents.files import read_stream_limited
from hashcost.documents.settings import MOST_CHECKS
from hashcost.hashers.registry import Candidate
from hashcost.machine.host import Host
from hashcost.verdicts.judgement import STANDARD_INPUT, Configured

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
    run = begin(given, settings, host, pool, *files)
    if app_version is not None and app is None:
        raise click.UsageError("--app-version needs --app APP")
    if imports and (app != "django" or costs or app_version is not None):
        raise click.UsageError(
            "--import works only with --app django and without files; leave the files out"
        )
    # Costs that are named are judged without what reads files of applications or code.
    if app is None:
        parts = [_named(run, costs)] if costs else _listed(run)
    else:
        from hashcost.cli.files.app_files import app_costs, django_costs

        parts = [completed(run, django_costs() if imports else app_costs(app, costs, app_version))]
    return conclude(run, parts)


def _listed(run: CheckRun) -> list[Part]:
    """The parts that the settings list.

    Raises:
        UsageError: they list none.
    """
    settings = run.settings
    parts = []
    if settings.check:
        lines = [
            (text, Place(path=shown(Path(place.path)), line=place.line))
            for text, place in settings.check
        ]
        parts.append(_whole(run, lines))
    if settings.app:
        from hashcost.cli.files.app_files import listed_app_costs

        parts.append(completed(run, listed_app_costs(settings)))
    if settings.scan:
        from hashcost.cli.source_part import source_code

        with said_of(f"{settings.path}: scan"):
            parts.append(source_code(run, settings.scan))
    if not parts:
        raise click.UsageError(
            "nothing to check; name a cost such as bcrypt=12, or let `calibrate init` write"
            " hashcost.toml"
        )
    return parts


def _named(run: CheckRun, costs: Sequence[str]) -> Part:
    """The costs that are arguments, or lines of standard input."""
    lines = [line for cost in costs for line in (_lines() if cost == "-" else [(cost, None)])]
    if not lines:
        raise click.UsageError(
            "standard input is empty; write one cost per line, such as bcrypt=12"
        )
    return _whole(run, lines)


def _whole(run: CheckRun, lines: Sequence[tuple[str, Place | None]]) -> Part:
    if len(lines) > MOST_CHECKS:
        raise click.UsageError(f"{len(lines):,} costs are too many; check at most {MOST_CHECKS:,}")
    return completed(run, [_cost(text, place) for text, place in lines])


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
        if cost.params is None:
            raise UsageError(
                f"{cost.label} is only a hasher; add its cost, for example {cost.label}=12"
            )
    return Configured(
        hasher=cost.hasher, implementation=cost.implementation, params=cost.params, place=place
    )
