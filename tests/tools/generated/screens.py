"""Screenshots as SVG, drawn by rich from what the command prints; nothing is timed."""

import html
import io
import re
from pathlib import Path
from typing import Final
from unittest import mock

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from end_to_end.command import calibrate
from hashcost.cli import output

SCREENS: Final = {
    "recommend": (80, "--from server.json --target 40ms"),
    "check": (96, "check"),
    "compare": (80, "compare web1.json web2.json --hasher pbkdf2-sha256 --hasher bcrypt"),
}
"""Each screen with its columns and the command."""
_FONTS: Final = re.compile(r" *@font-face \{\{.*?\}\}\n", re.DOTALL)
"""Rich would have them fetched from elsewhere."""


def screens(docs: Path) -> dict[str, str]:
    """The pictures by the names of their files."""
    return {
        f"{name}.svg": _drawn(name, command, columns, docs)
        for name, (columns, command) in SCREENS.items()
    }


def words(picture: str) -> list[str]:
    """What a picture says, whichever version of rich drew it."""
    return [html.unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", picture)]


def _drawn(name: str, command: str, columns: int, docs: Path) -> str:
    env = {"COLUMNS": str(columns), "TERM": "xterm-256color"}
    with mock.patch.object(output, "on_terminal", return_value=True):
        shown = calibrate(*command.split(), cwd=docs / "examples", env=env).out
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ calibrate {command}", style="bold"), soft_wrap=True)
    console.print(Text.from_ansi(shown.rstrip("\n")))
    code = _FONTS.sub("", CONSOLE_SVG_FORMAT).replace(
        "font-family: Fira Code, monospace", "font-family: 'DejaVu Sans Mono', Menlo, monospace"
    )
    picture = console.export_svg(title="calibrate", code_format=code, unique_id=f"screen-{name}")
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"
