"""The options of ``check`` and ``scan``: what costs are held to, and where the result goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import click

from hashcost.cli.options import AGE, DURATION, FILE, SHARE, Report, output_options

_Command = TypeVar("_Command", bound=Callable[..., Any])

_FORMS = ("table", "json", "csv", "markdown", "github", "junit", "sarif", "gitlab")


class CheckOptions(TypedDict):
    """The options of `check_options`, as they are given."""

    target: float | None
    profile: Path | None
    max_age: float | None
    policy: tuple[str, ...]
    longest: float | None
    tolerance: float | None
    config: Path | None
    warn_only: bool
    on_inconclusive: str | None
    form: str
    output: Path | None
    reports: tuple[tuple[str, Path], ...]
    quiet: bool


_OPTIONS = (
    click.option(
        "-t", "--target", type=DURATION, help="Time that one hash may take.  [default: 250ms]"
    ),
    click.option(
        "--profile",
        type=FILE,
        metavar="PROFILE",
        help="Judge by this saved profile; nothing is timed, and the answer is the same"
        " everywhere.",
    ),
    click.option("--max-age", type=AGE, help="Say so when the profile is older, for example 90d."),
    click.option(
        "--policy",
        multiple=True,
        metavar="NAME|FILE",
        help="Whose floors to hold to, `none` for nobody's; may be given several times."
        "  [default: owasp]",
    ),
    click.option("--max", "longest", type=DURATION, help="Fail when one hash takes longer."),
    click.option(
        "--tolerance",
        type=SHARE,
        help="Share of the target that may be left unused, or taken beyond it.  [default: 20%]",
    ),
    click.option("--config", type=FILE, metavar="FILE", help="Read the settings from this file."),
    click.option("--warn-only", is_flag=True, help="End with 0 whatever is found."),
    click.option(
        "--on-inconclusive",
        type=click.Choice(["pass", "fail"]),
        help="End with 0 or 1, instead of 3, when it cannot be told.",
    ),
    output_options(*_FORMS),
    click.option(
        "--report",
        "reports",
        type=Report(_FORMS),
        multiple=True,
        metavar="FORMAT=FILE",
        help="Write the same result in another form to FILE too; may be given several times.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="No progress and no advice."),
)


def check_options(command: _Command) -> _Command:
    """The options that say what costs are held to, and where the result goes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
