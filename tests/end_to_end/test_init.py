"""``calibrate init`` and then ``calibrate check``, by the installed command."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from end_to_end.command import Ended, calibrate_installed

MOST_RUNS: Final = 5
"""A run that is too noisy writes nothing, and is repeated, as it says."""


def run(project: Path, *arguments: str) -> Ended:
    """Run the command in the project, without waiting for a quiet core."""
    return calibrate_installed(*arguments, cwd=project)


def test_init_and_then_check(tmp_path: Path) -> None:
    """After the one, the other covers the application and the code, and times nothing."""
    for name, text in {
        ".gitlab-ci.yml": "",
        ".env": "APP_KEY=x\nBCRYPT_ROUNDS=4\n",
        "src/users.py": "import bcrypt\n\nbcrypt.gensalt(4)\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    runs = 0
    while (started := run(tmp_path, "init", "--target", "10ms")).code == 3:
        assert not (tmp_path / "hashcost.toml").exists()
        runs += 1
        assert runs < MOST_RUNS, started.err
    assert 0 == started.code, started.err
    assert started.out.startswith("password-hash-cost:\n")
    before = (tmp_path / "hashcost.json").read_bytes()

    checked = run(tmp_path, "check")
    assert 1 == checked.code, checked.err
    assert "2 costs checked against 10.0 ms, 2 failing\nmeasured on" in checked.out
    assert ".env:2" in checked.out
    assert "src/users.py:3" in checked.out

    again = run(tmp_path, "init")
    assert (0, started.out) == (again.code, again.out)
    assert "unchanged" in again.err
    assert before == (tmp_path / "hashcost.json").read_bytes()
