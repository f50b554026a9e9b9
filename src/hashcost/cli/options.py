"""Option types that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from hashcost.core.errors import UsageError

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Path(click.Path):
    """A path; `calibrate --help` shows options without loading `pathlib`."""

    def coerce_path_result(self, value: str | os.PathLike[str]) -> Path:
        """The path as a value of `pathlib`."""
        from pathlib import Path

        return Path(value)


FILE: Final = _Path(dir_okay=False)
OUTPUT: Final = _Path(allow_dash=True)

if TYPE_CHECKING:
    import os
    from pathlib import Path

    _FloatType = click.ParamType[float]
    _ReportType = click.ParamType[tuple[str, Path]]
else:
    _FloatType = _ReportType = click.ParamType  # Not generic before click 8.4.


class _Figure(_FloatType):
    """A figure with its unit; a bare number is refused."""

    def __init__(self, kind: str, name: str = "") -> None:
        self.name = name or kind
        self._kind = kind

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read the text; what is read already stays as it is."""
        if isinstance(value, int | float):
            return value
        # `calibrate --help` shows options without reading any.
        from hashcost.core import units

        parse: Callable[[str], float] = getattr(units, f"parse_{self._kind}")
        try:
            return parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


DURATION: Final = _Figure("duration")
"""In seconds."""
RATE: Final = _Figure("rate")
"""Per second."""
AGE: Final = _Figure("age")
"""In seconds."""
SHARE: Final = _Figure("share", "percentage")
"""A fraction of one, written as a percentage."""
SIZE: Final = _Figure("size")
"""In bytes."""

_LEAST_DOLLARS, _MOST_DOLLARS = 1e-6, 1e6
"""Beyond any rent; what is computed with it stays a figure."""


class Dollars(_FloatType):
    """An amount of money above zero, in dollars."""

    name = "dollars"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read the text, with a dollar sign or without."""
        if isinstance(value, float):
            return value
        try:
            dollars = float(value.removeprefix("$"))
        except ValueError:
            dollars = 0.0
        if not _LEAST_DOLLARS <= dollars <= _MOST_DOLLARS:
            self.fail(
                f"{value[:24]!r} is no amount above zero and up to a million;"
                " write for example 0.34",
                param,
                ctx,
            )
        return dollars


class Report(_ReportType):
    """A form of the result and the file that it goes to."""

    name = "report"

    def __init__(self, forms: Sequence[str]) -> None:
        self._forms = forms

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Path]:
        """Read ``FORMAT=FILE``."""
        if isinstance(value, tuple):
            return value[0], value[1]
        form, _, path = value.partition("=")
        if form not in self._forms or not path:
            self.fail(
                f"{value[:24]!r} is no FORMAT=FILE; write for example sarif=check.sarif; FORMAT is"
                f" one of {', '.join(self._forms)}",
                param,
                ctx,
            )
        from pathlib import Path

        return form, Path(path)


def target_option(told: str, *, default: str | None = None) -> Callable[[_Command], _Command]:
    """``--target``: the time of one hash; ``told`` is its help."""
    return click.option(
        *("-t", "--target"), type=DURATION, default=default, show_default=True, help=told
    )


def profile_option(name: str, told: str) -> Callable[[_Command], _Command]:
    """``--from`` or ``--profile``: a saved profile; ``told`` is its help."""
    return click.option(name, "origin", type=FILE, metavar="PROFILE", help=told)


def memory_option(command: _Command) -> _Command:
    """``--memory``: what one hash may take."""
    return click.option(
        "--memory",
        type=SIZE,
        help="Memory that one hash may take. [default: a quarter of what is free]",
    )(command)


def output_options(*formats: str) -> Callable[[_Command], _Command]:
    """``--format`` and ``--output``."""

    def decorate(command: _Command) -> _Command:
        command = click.option(
            "-o",
            "--output",
            type=OUTPUT,
            metavar="FILE",
            help="Write the result to FILE instead of standard output.",
        )(command)
        return click.option(
            "-f",
            "--format",
            "form",
            type=click.Choice(formats),
            default=formats[0],
            show_default=True,
            help="Form of the result.",
        )(command)

    return decorate


def rounding_option(command: _Command) -> _Command:
    """``--round``: how to round when the target falls between two costs."""
    return click.option(
        "--round",
        "rounding",
        type=click.Choice(["down", "up", "nearest"]),
        default="down",
        show_default=True,
        help="Which legal cost stands for a target between two.",
    )(command)


def policy_option(command: _Command) -> _Command:
    """``--policy``: whose floors a cost is compared with."""
    return click.option(
        "--policy",
        multiple=True,
        metavar="NAME|FILE",
        default=("owasp",),
        show_default=True,
        help="Whose floors to compare with, `none` for nobody's; may be given several times."
        " `calibrate policies` lists them.",
    )(command)


def worth_options(command: _Command) -> _Command:
    """``--policy``, ``--gpu`` and ``--gpu-hourly``: what a cost is compared with."""
    command = click.option(
        "--gpu-hourly",
        type=Dollars(),
        metavar="DOLLARS",
        help="What an hour of the attacker's device costs.  [default: a published rent]",
    )(command)
    command = click.option(
        "--gpu",
        metavar="DEVICE",
        default="rtx-4090",
        show_default=True,
        help="What an attacker guesses on, `none` for nothing; `calibrate gpus` lists them.",
    )(command)
    return policy_option(command)
