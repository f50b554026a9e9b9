"""The installed command does what the tests of each command see it do in this process."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, calibrate, calibrate_installed
from hashcost.cli import COMMANDS

ANSWERED: Final = {
    "apps": ("apps", "django"),
    "audit": ("audit", "hashes.txt", "--format", "json"),
    "capacity": ("capacity", "yescrypt", "--from", "p.json"),
    "check": ("check", "bcrypt=8", "--profile", "p.json", "--target", "40ms"),
    "completion": ("completion", "bash"),
    "compare": ("compare", "p.json", "p.json", "--format", "markdown"),
    "emit": ("emit", "django", "--from", "p.json", "--output", "settings.py"),
    "explain": ("explain", "bcrypt=9", "--profile", "p.json"),
    "fleet": ("fleet", "web1", "--exec", "ssh"),
    "gpus": ("gpus", "rtx-4090", "--format", "csv"),
    "hashers": ("hashers",),
    "init": ("init", "--save", "p.json"),
    "policies": ("policies",),
    "recommend": ("--from", "p.json", "--target", "40ms", "--format", "json"),
    "report": ("report", "p.json", "-o", "report.html"),
    "scan": ("scan", "--profile", "p.json"),
    "sweep": ("sweep", "bcrypt", "--costs", "six"),
}
"""An answer of each command that is the same every time; of three that measure, a refusal."""


def test_nothing_is_left_of_a_run_in_this_process(tmp_path: Path) -> None:
    """Streams, folder and environment are what they were, whether a run ends well or not."""
    before = (sys.stdin, sys.stdout, sys.stderr, Path.cwd(), dict(os.environ))
    ends = [
        calibrate(*arguments, cwd=tmp_path, env={"COLUMNS": "40", "HASHCOST_DEBUG": "1"}).code
        for arguments in (("--help",), ("check", "bcrypt"), ("hashers",))
    ]

    assert [0, 2, 0] == ends
    assert before == (sys.stdin, sys.stdout, sys.stderr, Path.cwd(), dict(os.environ))


def test_every_command_is_run() -> None:
    """Each command is among them."""
    assert sorted(COMMANDS) == sorted(ANSWERED)


@pytest.mark.parametrize("name", ANSWERED)
def test_the_installed_command_does_the_same(name: str, tmp_path: Path) -> None:
    """Exit code, both streams and the files that are written are those of this process."""
    folders = tmp_path / "installed", tmp_path / "here"
    for folder in folders:
        folder.mkdir()
        shutil.copy(MADE_UP, folder / "p.json")
        (folder / "hashes.txt").write_text("$2b$08$" + "d" * 53 + "\n")
        (folder / "app.py").write_text("import bcrypt\nbcrypt.gensalt(8)\n")
    installed = calibrate_installed(*ANSWERED[name], cwd=folders[0])
    here = calibrate(*ANSWERED[name], cwd=folders[1])

    assert installed == here
    assert contents(folders[0]) == contents(folders[1])


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}
