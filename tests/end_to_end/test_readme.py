"""The README says what the command does, and what it shows can be run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import RAN, calibrate
from hashcost.cli import calibrate as group

README: Final = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def shown_commands() -> list[list[str]]:
    """The arguments of every ``$ calibrate …`` in a console block, in the order of the page."""
    blocks = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    prompts = [
        shlex.split(line.removeprefix("$ "), comments=True) for line in lines if line[:2] == "$ "
    ]
    return [words[1:] for words in prompts if words[0] == "calibrate"]


def test_shown_commands_run(tmp_path: Path) -> None:
    """Every command that the README shows runs as it is written, after those before it."""
    commands = shown_commands()
    ends = [(words, calibrate(*words, cwd=tmp_path)) for words in commands]

    assert commands
    assert [] == [(words, ended.code, ended.err) for words, ended in ends if ended.code not in RAN]


@pytest.mark.parametrize("name", sorted(set(group.commands) - {"recommend"}))
def test_every_command_is_documented(name: str) -> None:
    """Every command is shown in the README; the default one needs no name."""
    assert f"calibrate {name}" in README


def test_every_exit_code_is_documented() -> None:
    """Every exit code that --help gives has a row in the README."""
    codes = re.findall(r"\b(\d+) [a-z]", calibrate("--help").out.partition("Exit codes:")[2])
    section = README.partition("### Exit codes")[2].partition("\n#")[0]

    assert ["0", "2", "3", "4", "5", "70", "130", "141"] == codes
    assert [] == [code for code in codes if f"| {code} |" not in section]


@pytest.mark.parametrize("name", ["recommend", "sweep", "solve"])
def test_every_option_is_documented(name: str) -> None:
    """Every option of the default command, of sweep and of solve is named in the README."""
    options = [option for parameter in group.commands[name].params for option in parameter.opts]

    assert [] == [option for option in options if option[:2] == "--" and option not in README]
