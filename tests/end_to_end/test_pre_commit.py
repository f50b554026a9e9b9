"""The hook as the page shows it, run by pre-commit on a project that `init` has set up."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import calibrate

pytest.importorskip("pre_commit", reason="pre-commit is absent")
pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).parents[2]
HOOK: Final = re.compile(r"^```yaml\n(repos:.*?)^```$", re.MULTILINE | re.DOTALL)
SOURCE: Final = "import bcrypt\nhashed = bcrypt.hashpw(b'', bcrypt.gensalt(rounds={}))\n"


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.check_output(["git", "-C", folder, *arguments], text=True).strip()


def test_the_hook_judges_what_is_staged(tmp_path: Path) -> None:
    """It passes on what `init` found, and refuses a cost that was lowered and staged."""
    (block,) = HOOK.findall((ROOT / "docs/ci.md").read_text("utf-8"))
    block = block.replace("https://github.com/<OWNER>/hashcost", str(ROOT))
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(ROOT / "docs/examples/server.json", project / "hashcost.json")
    (project / "login.py").write_text(SOURCE.format(12), "utf-8")
    _git(project, "init", "-q")
    ended = calibrate("init", cwd=project)
    config = block.replace("<COMMIT>", _git(ROOT, "rev-parse", "HEAD"))
    (project / ".pre-commit-config.yaml").write_text(config, "utf-8")

    def run() -> tuple[int, str]:
        _git(project, "add", "--all")
        run = subprocess.run(
            [sys.executable, "-m", "pre_commit", "run"],
            cwd=project,
            env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
            check=False,
        )
        return run.returncode, run.stdout + run.stderr

    before = run()
    (project / "login.py").write_text(SOURCE.format(9), "utf-8")
    after = run()

    assert 0 == ended.code
    assert 0 == before[0], before[1]
    assert 1 == after[0]
    assert "bcrypt cost=9 is below the minimum" in after[1]
