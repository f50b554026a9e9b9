"""A snippet of each Python application, put where it belongs, in the program itself."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from corpora import cases
from end_to_end.command import TIMEOUT_SECONDS, environment
from end_to_end.emitted import PASSWORD, emitted
from hashcost.apps.registry import load_tunable
from hashcost.apps.schemes import Scheme

pytestmark = pytest.mark.slow


PROGRAMS: Final = cases(__file__, "apps_python.toml", "programs")
"""Where a snippet goes. What is run beside it is in ``programs/``: it hashes a password and prints
JSON: the stored hash, and whether it verifies the right password and a wrong one.
"""
_CASES: Final = [
    pytest.param(app, scheme, id=f"{app} {scheme.hasher}")
    for app in PROGRAMS
    for scheme in load_tunable(app).schemes
]


def _program(app: str, folder: Path, snippet: str) -> tuple[str, bool, bool]:
    (folder / PROGRAMS[app]).write_text(snippet, "utf-8")
    source = Path(__file__).with_name("programs").joinpath(f"{app}.py.txt").read_text("utf-8")
    (folder / "run_it.py").write_text(f"PASSWORD = {PASSWORD!r}\n{source}", "utf-8")
    done = subprocess.run(
        [sys.executable, "run_it.py"],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env=environment(),
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    stored, right, wrong = json.loads(done.stdout)
    return stored, right, wrong


@pytest.mark.parametrize(("app", "scheme"), _CASES)
def test_round_trip(app: str, scheme: Scheme, tmp_path: Path) -> None:
    """The program that runs with the snippet stores hashes of exactly the emitted cost, and
    verifies them. Ansible has yescrypt since 2.21, and refuses it where passlib is installed.
    """
    if (app, scheme.hasher) == ("ansible", "yescrypt"):
        release = version("ansible-core")
        if tuple(map(int, release.split(".")[:2])) < (2, 21):
            pytest.skip(f"ansible-core {release} has no yescrypt")
        (tmp_path / "absent").mkdir()
        (tmp_path / "absent" / "passlib.py").write_text("raise ImportError\n")
    cost = emitted(app, scheme.hasher, tmp_path)
    stored, right, wrong = _program(app, tmp_path, cost.snippet)
    assert (True, False) == (right, wrong)
    cost.assert_stored(stored)
