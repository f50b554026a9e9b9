"""Nothing that is read is run, and nothing of the folder in which the command is started."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, calibrate_installed
from end_to_end.hostile import leaves_a_mark, put_modules

READ: Final = {
    "app.py": "import bcrypt\nbcrypt.gensalt(8)\n",
    "settings.py": "PASSWORD_HASHERS = ['django.contrib.auth.hashers.PBKDF2PasswordHasher']\n",
    "manage.py": "",
}


@pytest.mark.parametrize(
    "arguments",
    [
        ("scan", ".", "--profile", "p.json"),
        ("check", "bcrypt=8", "--profile", "p.json"),
        ("check", "--app", "django", "settings.py", "--profile", "p.json"),
        ("report", "p.json", "-o", "report.html"),
        ("audit", "app.py"),
        ("hashers",),
    ],
    ids=" ".join,
)
def test_nothing_of_a_project_is_run(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Code is parsed, never run; modules beside it are not taken for installed ones."""
    project, marks = tmp_path / "project", tmp_path / "marks"
    for folder in (project, marks):
        folder.mkdir()
    put_modules(project, marks)
    for name, text in READ.items():
        (project / name).write_text(leaves_a_mark(marks) + text)
    shutil.copy(MADE_UP, project / "p.json")
    ended = calibrate_installed(*arguments, cwd=project)

    assert [] == list(marks.iterdir())
    assert ended.code in {0, 1, 3}, ended.err
