"""Completion in real shells."""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import COMMAND, calibrate, calibrate_installed

OFFERED: Final = [
    ("calibrate cap", "capacity"),
    ("calibrate --tar", "--target"),
    ("calibrate bcrypt pbkdf2-sha256@", "pbkdf2-sha256@hashlib"),
    ("calibrate check --app lar", "laravel"),
    ("calibrate --gpu rtx-40", "rtx-4090"),
    ("calibrate list gpus rtx-40", "rtx-4090"),
    ("calibrate check --app django sett", "settings.py"),
]
"""What is typed, and one of the words that are offered for it."""

DRIVERS: Final = {
    "bash": """\
source ./script
COMP_LINE="$TYPED"; COMP_POINT=${#COMP_LINE}
read -ra COMP_WORDS <<< "$TYPED"; COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
compopt() { :; }
_calibrate_completion calibrate
printf '%s\\n' "${COMPREPLY[@]}"
case $(declare -p COMPREPLY) in *'()') compgen -f -- "${COMP_WORDS[COMP_CWORD]}";; esac
""",
    "zsh": """\
words=(${=TYPED}); CURRENT=${#words}
compdef() { :; }
_describe() { print -rl -- "${(@P)3}"; }
compadd() { print -rl -- "${(@P)@[-1]}"; }
_path_files() { print -rl -- *; }
source ./script
_calibrate_completion
""",
    "fish": """\
source ./script
complete --do-complete "$TYPED"
""",
}
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
