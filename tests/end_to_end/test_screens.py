"""What users see: the command on a terminal, read by a terminal emulator."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from corpora import table
from end_to_end.command import QUICK_DEFAULT, calibrate, calibrate_on_terminal
from hashcost.cli import COMMANDS
from screens import shown, too_wide
from snapshots import Snapshot

EXAMPLES: Final = Path(__file__).parents[2] / "docs" / "examples"
WIDTHS: Final = (40, 60, 80, 200)
TERMINALS: Final = {
    "colour": {"TERM": "xterm-256color"},
    "no colour": {"NO_COLOR": "1"},
    "dumb": {"TERM": "dumb"},
    "plain letters": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the folder that the documentation's examples run in."""
    return Path(shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("screens") / "examples"))


@table("columns, terminal, arguments")
def test_every_screen_fits(columns: int, terminal: str, arguments: str, folder: Path) -> None:
    """On any kind of terminal, no line is wider than the screen, and no markup shows."""
    env = TERMINALS[terminal]
    ended = calibrate_on_terminal(*arguments.split(), columns=columns, cwd=folder, env=env)
    lines = shown(ended.out).lines

    assert ended.code != 70, lines
    assert lines
    assert [] == too_wide(lines, columns)
    if terminal in {"dumb", "no colour"}:
        assert "\x1b" not in ended.out


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_help_fits(command: str, columns: int, folder: Path) -> None:
    """Help breaks its lines as narrow as the terminal is."""
    env = {"COLUMNS": str(columns)}
    ended = calibrate(*command.split(), "--help", cwd=folder, env=env)

    assert [] == too_wide(ended.out.splitlines(), columns)


@pytest.mark.parametrize("columns", WIDTHS)
@table("arguments")
def test_every_result_fits(arguments: str, columns: int, folder: Path) -> None:
    """At any width each table is drawn in a layout that fits."""
    env = {"COLUMNS": str(columns)}
    ended = calibrate(*arguments.split(), cwd=folder, env=env)

    assert ended.out
    assert [] == too_wide(ended.out.splitlines(), columns)


@table("arguments, columns", ids=("rows", "below", "narrow", "list", "bars"))
def test_what_is_seen(arguments: str, columns: int, folder: Path, snapshot: Snapshot) -> None:
    """A whole screen: titles stay at any width, and the answer is the last line."""
    ended = calibrate_on_terminal(*arguments.split(), columns=columns, cwd=folder)
    snapshot("".join(f"{line}\n" for line in shown(ended.out).lines))


def test_a_live_run_fits(folder: Path) -> None:
    """While hashes are timed and when they are, no line is wider than the screen, and no markup
    shows.
    """
    for columns in WIDTHS:
        ended = calibrate_on_terminal(*QUICK_DEFAULT, columns=columns, cwd=folder)
        screen = shown(ended.out)
        assert "timing hashes" in ended.out
        assert "[progress" not in ended.out
        assert screen.widest <= columns
        assert "Hashed by" in "\n".join(screen.lines)
