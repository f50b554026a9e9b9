"""``--plot``: the result as a picture, in the terminal or in a file.

What draws is imported only for a run that draws.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

import click

from hashcost.cli.output import Output, wants_color, write_text
from hashcost.cli.streams import say
from hashcost.documents.files import write_whole

if TYPE_CHECKING:
    from hashcost.render.plot.chart import Figure

_TERMINAL = "-"
_FIGURE_COLUMNS, _FIGURE_LINES = 80, 24


plot_option: Final = click.option(
    "--plot",
    is_flag=False,
    flag_value=_TERMINAL,
    metavar="[FILE]",
    help="Draw a chart below the table, or to FILE: .svg, .png or .pdf.",
)


@final
@dataclass(frozen=True)
class Picture:
    """What ``--plot`` asks for: a picture in a file, or below the table."""

    file: Path | None

    def check(self, out: Output) -> None:
        """Find out before any work is done whether it can be drawn, and has a place."""
        if self.file is None and (out.form != "table" or out.path is not None):
            raise click.UsageError(
                "--plot draws below the table; with --format or --output name a file"
            )
        from hashcost.render.plot import files, terminal

        (files if self.file else terminal).check_available()

    def write(self, figure: Figure) -> None:
        """Draw it; where there is nothing to see, say so."""
        from hashcost.render.plot import files, terminal

        if not figure.charts:
            say("--plot: nothing was timed, so there is nothing to draw; leave --plot out")
        elif self.file is not None:
            write_whole(self.file, files.draw(figure, self.file.suffix))
        else:
            width = shutil.get_terminal_size(fallback=(_FIGURE_COLUMNS, _FIGURE_LINES)).columns
            color = wants_color(sys.stdout)
            write_text("\n" + terminal.draw(figure, width=width, color=color), None)


def told_apart(
    names: tuple[str, ...], plot: str | None, out: Output, *, files: bool = False
) -> tuple[tuple[str, ...], Picture | None]:
    """The arguments and the picture: ``--plot bcrypt`` means the terminal, and an argument.

    With ``files`` arguments are names of files, or secrets that were meant to be in one:
    whatever ends as no picture does is an argument, and is not quoted.

    Raises:
        UsageError: a picture of another kind than can be drawn is asked for, or it is meant
            for the terminal, where no table goes.
        UnavailableError: the library that draws it is not installed.
    """
    if plot is None:
        return names, None
    picture = Picture(None)
    if plot != _TERMINAL:
        from hashcost.render.plot.files import SUFFIXES, check_suffix

        if Path(plot).suffix.lower() in SUFFIXES:
            picture = Picture(Path(plot))
        else:
            if not files and ("." in plot.partition("=")[0] or "/" in plot):
                check_suffix(Path(plot))
            names = (*names, plot)
    picture.check(out)
    return names, picture
