"""``calibrate history``, on a fake host."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from fakes import NOW, TWO_CPUS, FakeClock, fake_host
from hashcost.cli import main
from hashcost.machine.history import History, PastRun, machine_key

Ran: TypeAlias = tuple[int, str, str]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the history is."""
    return tmp_path / "history.json"


@pytest.fixture
def calibrate(
    path: Path, clock: FakeClock, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Runs the command on a machine with this history: its code and what it wrote."""

    def calibrate(*arguments: str) -> Ran:
        with pytest.raises(SystemExit) as ended:
            main(["history", *arguments], host=fake_host(clock, history=History(path)))
        wrote = capsys.readouterr()
        return int(ended.value.code or 0), wrote.out, wrote.err

    return calibrate


@pytest.fixture
def two_runs(path: Path) -> None:
    """Two runs on this machine."""
    for ago in (120, 60):
        History(path).add(
            PastRun(
                ended=NOW - ago,
                machine=machine_key(TWO_CPUS) or "",
                seconds_per_unit={
                    "bcrypt@bcrypt 5.0.0": 1e-4,
                    "scrypt@hashlib 3 n 1024, r 8": 0.1,
                },
            )
        )


@pytest.mark.usefixtures("two_runs")
def test_it_shows_what_earlier_runs_know(calibrate: Callable[..., Ran], path: Path) -> None:
    """The file and this machine's runs are shown, and nothing is changed."""
    before = path.read_bytes()
    code, out, err = calibrate()
    assert (0, "") == (code, err)
    assert out.replace("\n", "").startswith(str(path))
    assert "This machine: Fake CPU x2" in out
    assert "bcrypt 5.0.0" in out
    assert before == path.read_bytes()


@pytest.mark.usefixtures("two_runs")
def test_json_has_the_rows(calibrate: Callable[..., Ran], path: Path) -> None:
    """--format json prints the path, and the hashers of each machine."""
    found = json.loads(calibrate("--format", "json")[1])
    assert ("history", str(path)) == (found["kind"], found["path"])
    assert ["bcrypt", "scrypt"] == [row["hasher"] for row in found["machines"][0]["hashers"]]


def test_an_empty_history_says_what_fills_it(calibrate: Callable[..., Ran]) -> None:
    """Without a file, the command says what fills it and ends well."""
    code, out, _ = calibrate()
    assert code == 0
    assert "No runs yet. `calibrate` and `calibrate check`" in out


@pytest.mark.usefixtures("two_runs")
def test_clear_forgets_all(calibrate: Callable[..., Ran], path: Path) -> None:
    """--clear removes the file and says how many runs it held."""
    assert (0, f"forgot 2 runs: {path}\n", "") == calibrate("--clear")
    assert not path.exists()
    assert (0, f"forgot 0 runs: {path}\n", "") == calibrate("--clear")


@pytest.mark.usefixtures("two_runs")
@pytest.mark.parametrize("name", ["bcrypt", "bcrypt@bcrypt"])
def test_forget_leaves_the_others(calibrate: Callable[..., Ran], path: Path, name: str) -> None:
    """--forget removes only the times of the named hasher."""
    assert (0, f"forgot {name} in 2 runs: {path}\n", "") == calibrate("--forget", name)
    kept = [list(run.seconds_per_unit) for run in History(path).read()]
    assert [["scrypt@hashlib 3 n 1024, r 8"]] * 2 == kept


@pytest.mark.usefixtures("two_runs")
def test_forget_names_what_there_is(calibrate: Callable[..., Ran]) -> None:
    """A hasher that no run timed is refused, with those that are there."""
    code, _, err = calibrate("--forget", "md5")
    assert code == 2
    assert "the history does not contain 'md5'; it has bcrypt@bcrypt, scrypt@hashlib" in err


def test_clear_and_forget_exclude_each_other(calibrate: Callable[..., Ran]) -> None:
    """Both at once are refused."""
    assert calibrate("--clear", "--forget", "bcrypt")[0] == 2


@pytest.mark.parametrize("content", [b"", b"{", b'{"schema": 1}', b"\xff", b"[" * 500_000])
def test_a_damaged_file_is_said_and_cleared(
    calibrate: Callable[..., Ran], path: Path, content: bytes
) -> None:
    """A file that is not a history is named, with the command that removes it."""
    path.write_bytes(content)
    for arguments in ((), ("--forget", "bcrypt")):
        code, out, err = calibrate(*arguments)
        assert (2, "") == (code, out)
        assert f"{path} is damaged, or from another version of hashcost" in err
        assert "`calibrate history --clear` removes it" in err
    assert (0, f"forgot a damaged file: {path}\n", "") == calibrate("--clear")
    assert not path.exists()


def test_a_folder_in_its_place_is_said(calibrate: Callable[..., Ran], path: Path) -> None:
    """What cannot be read or removed ends with 2 and the reason."""
    path.mkdir()
    for arguments in ((), ("--clear",)):
        code, _, err = calibrate(*arguments)
        assert (2, True) == (code, str(path) in err)
