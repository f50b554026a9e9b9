"""What ``calibrate emit`` writes for an application, for the programs that are given it."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from apps.services import made_up_profile
from corpora import cases
from end_to_end.command import TIMEOUT_SECONDS, calibrate
from hashcost.apps.registry import load_tunable
from hashcost.core.measurement import Params
from hashcost.storage.profile import save_profile
from hashcost.stored.formats.registry import read

PASSWORD: Final = "zwoelf-Affen-7"  # noqa: S105 - no account has it
SBIN: Final = "/usr/local/sbin:/usr/sbin:/sbin"
TARGETS: Final = cases(__file__, "emitted.toml", "targets")
"""The lowest costs that fit are hashed in no time."""


@dataclass(frozen=True)
class Emitted:
    """A snippet, what was said with it, and the cost in it as ``check --app`` reads it."""

    snippet: str
    said: str
    hasher: str
    params: Params

    def assert_stored(self, stored: str, app: str | None = None) -> None:
        """Assert that a stored hash has exactly this cost."""
        reading = read(stored.strip(), app)
        assert (reading.hasher, reading.params) == (self.hasher, self.params)


def emitted(name: str, hasher: str, folder: Path, target: str = "") -> Emitted:
    """Emit for an application, by a made-up machine that hashes about as fast as a server."""
    profile = folder / f"{name}.json"
    save_profile(made_up_profile(name), profile)
    asked = ("--hasher", hasher, "--from", str(profile), "--target", target or TARGETS[hasher])
    ended = calibrate("emit", name, *asked)
    if ended.code == 4:
        pytest.skip(ended.err.strip())
    assert ended.code == 0, ended.err
    (cost,) = load_tunable(name).read(ended.out)
    assert (hasher, True) == (cost.hasher, cost.wins)
    return Emitted(ended.out, ended.err, hasher, cost.params)


def program(name: str) -> str:
    """Where a program is; the test is skipped where it is not."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SBIN}")
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def run(
    *command: str | Path,
    given: str = "",
    cwd: Path | None = None,
    user: str | None = None,
    env: dict[str, str] | None = None,
) -> str:
    """What a program writes; it must end well."""
    done = subprocess.run(
        [str(word) for word in command],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        user=user,
        env={**os.environ, "LC_ALL": "C.UTF-8", **(env or {})},
        timeout=TIMEOUT_SECONDS,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout
