"""Files beside the one that is read, pumped up so that what reads them might take all the time."""

from pathlib import Path

import pytest

from bounded import ends_in_time
from end_to_end.command import MADE_UP, calibrate

_BLANK_LINES = "\n" * 60_000
_WEAK = "import bcrypt\nbcrypt.gensalt(4)\n"
_SETTINGS = (
    "from django.contrib.auth.hashers import PBKDF2PasswordHasher\n"
    "class Hasher(PBKDF2PasswordHasher):\n    iterations = 1000\n"
    'PASSWORD_HASHERS = ["settings.Hasher"]\n'
)
_PROFILE = ("--profile", str(MADE_UP), "--target", "100ms", "-q")


@pytest.fixture(params=["requirements.txt", "go.mod", "Dockerfile", "pnpm-lock.yaml"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with weak costs, and with blank lines in what fixes versions."""
    (tmp_path / str(request.param)).write_text(_BLANK_LINES)
    (tmp_path / "a.py").write_text(_WEAK)
    (tmp_path / "settings.py").write_text(_SETTINGS)
    return tmp_path


def test_a_weak_cost_beside_blank_lines_fails(folder: Path) -> None:
    """The check of a weak cost fails whatever is beside its file: no limit of time hides it."""
    (folder / "hashcost.toml").write_text('scan = ["a.py"]\n')
    ended = calibrate("check", *_PROFILE, cwd=folder)
    assert 1 == ended.code
    assert "a.py:2" in ended.out
    assert "below" in ended.out


def test_a_configuration_beside_blank_lines_is_read(folder: Path) -> None:
    """The cost in an application's file is judged, and that file is not blamed."""
    ended = calibrate("check", "--app", "django", "settings.py", *_PROFILE, cwd=folder)
    assert 1 == ended.code
    assert "iterations=1000" in ended.out


def test_a_cost_beside_blank_lines_is_emitted(tmp_path: Path) -> None:
    """What fixes the versions takes no noticeable time of `emit --diff`, which took minutes."""
    (tmp_path / "requirements.txt").write_text("\n" * 150_000)
    (tmp_path / "settings.py").write_text(_SETTINGS)
    arguments = ("emit", "django", "--hasher", "pbkdf2-sha256", "--diff", "settings.py")
    solved = ("--from", str(MADE_UP), "--target", "100ms")
    ends_in_time(
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from pathlib import Path\n"
        "from end_to_end.command import calibrate\n"
        f"ended = calibrate(*{(*arguments, *solved)!r}, cwd=Path({str(tmp_path)!r}))\n"
        "assert '+    iterations = 600000' in ended.out\n",
        cpu_seconds=20,
    )
