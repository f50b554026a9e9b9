"""A limit of time or size never lets a weak cost pass, and nothing is read without one."""

import datetime as dt
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from unittest import mock

import pytest

from end_to_end.command import MADE_UP, Ended, calibrate
from hashcost.checks import app_files
from hashcost.cli.commands import emit, init
from hashcost.source_code import scan as scanning
from hashcost.storage import gate as gates
from hashcost.storage.files import LARGEST_FILE
from hashcost.storage.gate import Gate

PROFILE: Final = ("--target", "40ms", "--profile", str(MADE_UP))
WEAK: Final = "import bcrypt\nbcrypt.gensalt(4)\n"
PASSING: Final = 'on-unknown = "pass"\n'
"""Settings that let pass whatever may."""
LOCK: Final = "requirements.txt"


def walk_for_ever(*_: object, **__: object) -> Iterator[object]:
    """A walk through a folder that never finds a file."""
    while True:
        yield from ()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project, in which the command is run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hashcost.toml").write_text(PASSING, "utf-8")
    return tmp_path


def said(ended: Ended) -> str:
    """What both streams say, on one line."""
    return " ".join(f"{ended.out} {ended.err}".split())


def hanging_on(name: str) -> Callable[..., Any]:
    """A function that never ends with a file, which it names to the gate that it is given."""

    def hang(*arguments: object, **_: object) -> None:
        (gate,) = (each for each in arguments if isinstance(each, Gate))
        with gate.reading(name):
            while True:
                pass

    return hang


def test_blank_lines_in_a_lock_file_hide_no_weak_cost(folder: Path) -> None:
    """A lock file that takes long to search does not let a failing check pass."""
    (folder / LOCK).write_text("\n" * 60_000, "utf-8")
    (folder / "a.py").write_text(WEAK, "utf-8")
    (folder / "hashcost.toml").write_text(f'{PASSING}scan = ["a.py"]\n', "utf-8")
    ended = calibrate("check", *PROFILE)
    assert (1, True) == (ended.code, "a.py" in ended.out)


def test_a_lock_file_that_is_not_read_makes_what_needs_it_unread(folder: Path) -> None:
    """A cost whose default a lock file may decide is not guessed if that is too large."""
    with (folder / LOCK).open("wb") as stream:
        stream.truncate(LARGEST_FILE + 1)
    (folder / "a.py").write_text(WEAK, "utf-8")
    (folder / ".env").write_text("APP_KEY=x\n", "utf-8")
    (folder / "composer.lock").symlink_to(LOCK)
    scanned = calibrate("scan", "a.py", *PROFILE)
    assert (1, True) == (scanned.code, f"{LOCK} is larger than 16 MiB" in said(scanned))
    checked = calibrate("check", "--app", "laravel", ".env", *PROFILE)
    assert (1, True) == (checked.code, f"{LOCK} is larger than 16 MiB" in said(checked))


@pytest.mark.parametrize("line", ["# " + "x" * 9_000, f"DATA = '{'A' * 9_000}'"])
def test_a_long_line_hides_no_weak_cost(folder: Path, line: str) -> None:
    """A file that is named is read whatever its lines are."""
    (folder / "a.py").write_text(f"{line}\n{WEAK}", "utf-8")
    ended = calibrate("scan", "a.py", *PROFILE)
    assert (1, True) == (ended.code, "a.py:3" in ended.out)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.py", b"import bcrypt\0", "it is binary"),
        ("a.py", b"\0", "it is binary"),
        ("a.py", b"#\n" * (1 << 18) + b"#", "it is larger than 512 KiB"),
        ("a.py", b"import bcrypt\nbcrypt.gensalt(4\n", "not Python"),
        ("a.txt", b"bcrypt 4\n", "no language that is read has files of this name"),
    ],
)
def test_what_is_named_and_not_read_fails(
    folder: Path, name: str, content: bytes, why: str
) -> None:
    """A file that was named is read, or fails the check, whatever the settings let pass; what is
    left out of a folder and names no hashing library only counts.
    """
    (folder / name).write_bytes(content)
    (folder / "fine.py").write_text("import bcrypt\nbcrypt.gensalt(12)\n", "utf-8")
    ended = calibrate("scan", name, "fine.py", *PROFILE)
    assert (1, True) == (ended.code, why in said(ended))
    assert 0 == calibrate("scan", name, "fine.py", "--exclude", name, *PROFILE).code
    names_a_library = b"bcrypt" in content and name != "a.txt"
    assert int(names_a_library) == calibrate("scan", ".", *PROFILE).code


def test_a_constant_in_a_file_that_is_not_read_is_unread(folder: Path) -> None:
    """A cost in another file is unread if that file is, and another file of its name does not
    stand for it.
    """
    (folder / "a.py").write_text(
        "import bcrypt\nfrom config import ROUNDS\nbcrypt.gensalt(ROUNDS)\n", "utf-8"
    )
    (folder / "config.py").write_bytes(b"ROUNDS = 4\n\0")
    (folder / "other").mkdir()
    (folder / "other" / "config.py").write_text("ROUNDS = 12\n", "utf-8")
    ended = calibrate("scan", ".", *PROFILE)
    assert 1 == ended.code
    assert "config.py may set it, and is not read: it is binary" in said(ended)


def test_source_code_has_a_time_for_each_file_and_for_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not read because the time is up fails, in one row for all of them."""
    for name in "abc":
        (folder / f"{name}.py").write_text(WEAK, "utf-8")
    monkeypatch.setattr(scanning, "ALL_CPU_SECONDS", 0.0)
    ended = calibrate("scan", *PROFILE)
    assert 1 == ended.code
    assert "0 source files read; left out: 4 out of time" in said(ended)
    assert "took most of the 0 s of CPU time for source code; 3 more are not read" in said(ended)


def test_the_file_that_used_up_the_time_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check of an application blames the lock file that took the time, and fails."""
    (folder / ".env").write_text("BCRYPT_ROUNDS=12\n", "utf-8")
    monkeypatch.setattr(gates, "READING_SECONDS", 0.1)
    monkeypatch.setattr(app_files, "release_of", hanging_on("yarn.lock"))
    ended = calibrate("check", "--app", "laravel", ".env", *PROFILE)
    assert 1 == ended.code
    assert "unread" in ended.out
    assert "yarn.lock used up the 0.1 s of CPU time for reading" in said(ended)


def test_what_is_listed_is_read_or_a_row(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file that uses up the time hides no other finding, and every file that it keeps from
    being read is a row.
    """
    (folder / "a.py").write_text(WEAK, "utf-8")
    for name in ("one", "two"):
        (folder / f"{name}.env").write_text("BCRYPT_ROUNDS=12\n", "utf-8")
    settings = 'scan = ["a.py"]\napp = {laravel = "one.env", kratos = "two.env"}\n'
    (folder / "hashcost.toml").write_text(PASSING + settings, "utf-8")
    monkeypatch.setattr(gates, "READING_SECONDS", 2.0)
    monkeypatch.setattr(app_files, "release_of", hanging_on("yarn.lock"))
    ended = calibrate("check", *PROFILE)
    assert 1 == ended.code
    assert all(place in ended.out for place in ("a.py:2", "one.env", "two.env"))
    assert "1 of 1 cost fails under owasp, 2 places are unread" in said(ended)


def test_a_folder_that_is_not_searched_is_a_row(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that could not be searched fails, even if no file of it was found."""
    (folder / "a.py").write_text(WEAK, "utf-8")
    monkeypatch.setattr(scanning, "source_files", walk_for_ever)
    monkeypatch.setattr(gates, "READING_SECONDS", 2.0)
    ended = calibrate("scan", *PROFILE)
    assert 1 == ended.code
    assert "not all files are found: . used up the 2 s of CPU time for reading" in said(ended)


@pytest.mark.parametrize("stage", [1, 2])
def test_emit_reads_nothing_outside_of_the_time(
    stage: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever `emit` looks for versions, the time that is left ends it."""
    (folder / ".env").write_text("BCRYPT_ROUNDS=12\n", "utf-8")
    monkeypatch.setattr(gates, "READING_SECONDS", 2.0)
    calls = [None] * (stage - 1)
    hang = hanging_on("yarn.lock")

    def release_of(*arguments: object) -> object:
        return calls.pop() if calls else hang(*arguments)

    monkeypatch.setattr(emit, "release_of", release_of)
    ended = calibrate("emit", "laravel", "--diff", ".env", "--from", str(MADE_UP))
    assert 2 == ended.code
    assert "yarn.lock used up the 2 s of CPU time for reading" in said(ended)


def test_init_names_what_it_did_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates share one time; what it leaves out is named, and ends `init` with 1."""
    (folder / "hashcost.toml").unlink()
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / ".env").write_text("BCRYPT_ROUNDS=12\n", "utf-8")
    monkeypatch.setattr(gates, "READING_SECONDS", 0.1)
    monkeypatch.setattr(app_files, "release_of", hanging_on("yarn.lock"))
    monkeypatch.setattr(init, "_measured", mock.Mock(side_effect=AssertionError))
    (folder / "hashcost.json").write_bytes(MADE_UP.read_bytes())
    ended = calibrate("init")
    assert 1 == ended.code
    assert "one/.env and two/.env are left out: yarn.lock used up the 0.1 s of CPU" in said(ended)
    assert "not every file was read, so hashcost.toml may lack some" in ended.err


def test_patterns_of_git_are_matched_within_the_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A .gitignore that takes minutes to match is named, and what it hides fails."""
    deep = folder.joinpath(*["a" * 25] * 110)
    deep.mkdir(parents=True)
    (deep / "a.py").write_text(WEAK, "utf-8")
    (folder / "b.py").write_text("", "utf-8")
    lines = "".join(f"**/*a/**/x{number}\n" for number in range(2_000))
    (folder / ".gitignore").write_text(lines, "utf-8")
    monkeypatch.setattr(gates, "READING_SECONDS", 4.0)
    ended = calibrate("scan", *PROFILE)
    assert 1 == ended.code
    assert ".gitignore used up the 4 s of CPU time for reading" in said(ended)


@pytest.mark.parametrize("place", [".git/config", ".gitlab-ci.yml", ".gitignore", LOCK, ".env"])
def test_a_pipe_in_a_checkout_is_not_waited_for(
    place: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is opened in a checkout before it is asked whether it is a file."""
    (folder / "hashcost.toml").unlink()
    (folder / place).parent.mkdir(exist_ok=True)
    os.mkfifo(folder / place)
    (folder / "a.py").write_text("import bcrypt\nbcrypt.gensalt(12)\n", "utf-8")
    (folder / "hashcost.json").write_bytes(MADE_UP.read_bytes())
    monkeypatch.setattr(init, "_measured", mock.Mock(side_effect=AssertionError))
    with mock.patch("select.select", side_effect=AssertionError):  # Nobody waits for a writer.
        assert 0 == calibrate("init").code
        assert 0 == calibrate("check", "--target", "40ms").code


def test_a_person_may_accept_what_is_not_read(folder: Path) -> None:
    """A waiver with a reason and a last day is what lets an unread file pass."""
    (folder / "a.py").write_bytes(b"import bcrypt\0")
    day = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=30)
    waiver = f'[[accept]]\nwhere = "a.py"\nverdict = "unread"\nuntil = {day}\nwhy = "looked"\n'
    (folder / "hashcost.toml").write_text(f'{PASSING}scan = ["a.py"]\n{waiver}', "utf-8")
    assert 0 == calibrate("check", *PROFILE).code
    assert 1 == calibrate("check", "--no-accept", *PROFILE).code
