"""Completion in real shells."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import (
    COMMAND,
    TIMEOUT_SECONDS,
    calibrate,
    calibrate_installed,
    environment,
)

SHELLS: Final = ("bash", "zsh", "fish")

OFFERED: Final = [
    ("calibrate cap", "capacity"),
    ("calibrate --tar", "--target"),
    ("calibrate bcrypt pbkdf2-sha256@", "pbkdf2-sha256@hashlib"),
    ("calibrate check --app lar", "laravel"),
    ("calibrate --gpu rtx-40", "rtx-4090"),
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


def offered(shell: str, typed: str, folder: Path) -> str:
    """What a shell offers for a line."""
    script = calibrate("completion", shell)
    assert (0, "") == (script.code, script.err)
    (folder / "script").write_text(script.out)
    (folder / "settings.py").touch()
    path = f"{Path(COMMAND).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        [shell, "-c", DRIVERS[shell]],
        cwd=folder,
        env=environment({"TYPED": typed, "PATH": path}),
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return ended.stdout


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("typed", "word"), OFFERED)
def test_shells_offer(shell: str, typed: str, word: str, tmp_path: Path) -> None:
    """Commands, options, hashers, applications, policies, devices and files are offered."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    lines = offered(shell, typed, tmp_path).splitlines()
    assert word in [line.split("\t")[0].split(":")[0].strip() for line in lines]


def test_a_question_of_a_shell_times_nothing() -> None:
    """Whatever is in the variable, nothing is measured and no table is printed."""
    for instruction in ("zsh_complete", "nonsense"):
        env = {"_CALIBRATE_COMPLETE": instruction, "COMP_WORDS": "calibrate "}
        ended = calibrate_installed(env=env)
        assert "one hash" not in ended.out
        assert "" == ended.err
