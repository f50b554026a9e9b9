"""``--plot``: the result as a picture, in the terminal or in a file.

What draws is imported only for a run that draws.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hashcost.cli.output import wants_color, write_text
from hashcost.documents.files import write_whole

if TYPE_CHECKING:
    from hashcost.render.plot.chart import Figure

_Command = TypeVar("_Command", bound=Callable[..., Any])

_TERMINAL = "-"
_FIGURE_COLUMNS, _FIGURE_LINES = 80, 24


def plot_option(command: _Command) -> _Command:
    """``--plot`` with a file, or without one for the terminal."""
    return click.option(
        "--plot",
        is_flag=False,
        flag_value=_TERMINAL,
        metavar="[FILE]",
        help="Draw it below the table, or to FILE: .svg, .png or .pdf.",
    )(command)


def told_apart(
    names: tuple[str, ...], plot: str | None, *, files: bool = False
) -> tuple[tuple[str, ...], str | None]:
    """The arguments and the picture: ``--plot bcrypt`` means the terminal, and an argument.

    With ``files`` arguments are names of files, or secrets that were meant to be in one:
    whatever ends as no picture does is an argument, and is not quoted.

    Raises:
        UsageError: a picture of another kind than can be drawn is asked for.
    """
    if plot is None or plot == _TERMINAL:
        return names, plot
    from hashcost.render.plot.files import SUFFIXES, check_suffix

    if Path(plot).suffix.lower() in SUFFIXES:
        return names, plot
    if not files and ("." in plot.partition("=")[0] or "/" in plot):
        check_suffix(Path(plot))
    return (*names, plot), _TERMINAL


def picture_file(plot: str | None) -> Path | None:
    """The file that the picture goes to; `None` for the terminal."""
    return None if plot in (None, _TERMINAL) else Path(plot or "")


def check_drawable(plot: str | None, *, form: str, output: Path | None) -> None:
    """Find out before any work is done whether the picture can be drawn, and has a place.

    Raises:
        UsageError: it is meant for the terminal, where no table goes.
        UnavailableError: the library that draws it is not installed.
    """
    if plot is None:
        return
    if plot == _TERMINAL and (form != "table" or output is not None):
        raise click.UsageError(
            "--plot draws below the table; with --format or --output name a file"
        )
    from hashcost.render.plot import files, terminal

    (terminal if plot == _TERMINAL else files).check_available()


def write_picture(figure: Figure, plot: str) -> None:
    """Draw to the file, or below the table; where there is nothing to see, say so.

    Raises:
        UnwritableOutputError: it cannot be written.
    """
    from hashcost.render.plot import files, terminal

    if not figure.charts:
        click.echo("--plot: nothing was timed, so there is nothing to draw", err=True)
        return
    picture = picture_file(plot)
    if picture is not None:
        write_whole(picture, files.draw(figure, picture.suffix))
        return
    width = shutil.get_terminal_size(fallback=(_FIGURE_COLUMNS, _FIGURE_LINES)).columns
    write_text("\n" + terminal.draw(figure, width=width, color=wants_color(sys.stdout)), None)
