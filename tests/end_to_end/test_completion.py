"""Completion in real shells."""

import itertools
import os
import shutil
from pathlib import Path
from typing import Final

import pytest

from corpora import cases
from end_to_end.command import COMMAND, calibrate, calibrate_installed

OFFERED: Final = cases(__file__, "completion.toml", "offered")
"""What is typed, and one of the words that are offered for it."""

DRIVERS: Final = cases(__file__, "completion.toml", "drivers")
"""What lets a shell complete a line without a terminal."""


@pytest.mark.parametrize(
    ("line", "shell"), [*zip(OFFERED, itertools.cycle(DRIVERS), strict=False)]
)
def test_shells_offer(line: tuple[str, str], shell: str, tmp_path: Path) -> None:
    """Commands, options, hashers, applications, policies, devices and files are offered."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    typed, word = line
    (tmp_path / "script").write_text(calibrate("completion", shell).out)
    (tmp_path / "settings.py").touch()
    path = f"{Path(COMMAND).parent}{os.pathsep}{os.environ['PATH']}"
    env = {"TYPED": typed, "PATH": path}
    ended = calibrate_installed(command=(shell, "-c", DRIVERS[shell]), cwd=tmp_path, env=env)

    offered = [line.split("\t")[0].split(":")[0].strip() for line in ended.out.splitlines()]
    assert word in offered, ended.err


def test_a_question_of_a_shell_times_nothing() -> None:
    """Whatever is in the variable, nothing is measured and no table is printed."""
    for instruction in ("zsh_complete", "nonsense"):
        env = {"_CALIBRATE_COMPLETE": instruction, "COMP_WORDS": "calibrate "}
        ended = calibrate_installed(env=env)
        assert "one hash" not in ended.out
        assert "" == ended.err
