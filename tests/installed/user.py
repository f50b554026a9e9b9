"""The user of an installed command: nobody in particular, with a home and nothing else."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from end_to_end.command import TIMEOUT_SECONDS, Ended

FOLDER: Final = Path(os.environ["HASHCOST_INSTALLED"]).resolve()
"""What `.ci/installed` made."""
HOMES: Final = FOLDER / "homes"
ENVIRONMENTS: Final = ("plain", "all", "lowest")
"""Without extras, with all, and with all in the lowest versions on the oldest Python."""

_NOBODY: Final = 65534
_IS_ROOT: Final = os.geteuid() == 0
AS_USER: Final[dict[str, Any]] = (
    {"user": _NOBODY, "group": _NOBODY, "extra_groups": [], "umask": 0o022} if _IS_ROOT else {}
)
"""Arguments of `subprocess` that start a process as the user: nobody, unless that is us."""


def give_to_user(folder: Path) -> None:
    """Make the user the owner of a folder and of all that is in it."""
    if not _IS_ROOT:
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, _NOBODY, _NOBODY)


def program(environment: str, name: str = "calibrate") -> str:
    """The path of a program of an environment."""
    return str(FOLDER / environment / "bin" / name)


def environment_of(environment: str, home: Path) -> dict[str, str]:
    """Environment variables as after a login, with the environment's programs found first."""
    return {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PATH": f"{FOLDER / environment / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        "TERM": "xterm",
    }


def run(
    environment: str,
    *words: str,
    home: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> Ended:
    """Run a program of an environment as its user, in their home, with streams in pipes."""
    ended = subprocess.run(
        words,
        input=stdin,
        capture_output=True,
        text=True,
        cwd=home,
        env={**environment_of(environment, home), **(env or {})},
        timeout=TIMEOUT_SECONDS,
        check=False,
        **AS_USER,
    )
    return Ended(code=ended.returncode, out=ended.stdout, err=ended.stderr)
