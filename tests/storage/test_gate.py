"""The gate for what is read from a checkout."""

import os
import signal
from itertools import count
from pathlib import Path
from unittest import mock

import pytest

from hashcost.core.errors import Unread, UnreadError
from hashcost.storage import gate as gates
from hashcost.storage.gate import READING_SECONDS, Gate, charge, time_left


def _for_ever() -> None:
    while True:
        pass


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "nothing"])
def test_what_is_no_file_is_never_opened(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe, which would wait for ever, and anything else but a file is refused at once."""
    path = tmp_path / "config"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    monkeypatch.setattr(os, "open", mock.Mock(side_effect=AssertionError))
    with pytest.raises(UnreadError) as refused:
        Gate().read(path)
    assert Unread.UNREADABLE is refused.value.reason


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever swaps the file after the question still cannot make the command wait."""
    os.mkfifo(tmp_path / "config")
    regular = Path(__file__).stat()
    monkeypatch.setattr(Path, "stat", lambda *_, **__: regular)
    with pytest.raises(UnreadError, match="is not a regular file"):
        Gate().read(tmp_path / "config")


def test_a_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is read up to its bound, and one that is larger not at all."""
    monkeypatch.setattr(gates, "LARGEST_FILE", 4)
    (tmp_path / "a").write_bytes(b"1234")
    assert Gate().read(tmp_path / "a") == b"1234"
    (tmp_path / "a").write_bytes(b"12345")
    with pytest.raises(UnreadError) as refused:
        Gate().read(tmp_path / "a")
    assert Unread.TOO_LARGE is refused.value.reason


def test_all_files_share_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time is used up nothing more is read, and the file that took it is named."""
    monkeypatch.setattr(gates, "READING_SECONDS", 0.05)
    gate = Gate()
    why = r"^poetry\.lock used up the 0\.05 s of CPU time for reading$"
    with gate.timed("a.py"), gate.reading("yarn.lock"):
        pass
    with pytest.raises(UnreadError, match=why), gate.timed("a.py"), gate.reading("poetry.lock"):
        _for_ever()
    with pytest.raises(UnreadError, match=why), gate.timed("b.py"):
        pytest.fail("nothing is left for this one")


def test_the_time_that_a_file_leaves_is_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """What each file takes is taken from the time for all, however little it is."""
    monkeypatch.setattr(gates, "READING_SECONDS", 60.0)
    ticks = count(step=0.5)
    monkeypatch.setattr(gates, "cpu_seconds", lambda: next(ticks))
    gate = Gate()
    for _ in range(120):
        with gate.timed("a"):
            pass
    with pytest.raises(UnreadError), gate.timed("a"):
        pytest.fail("nothing is left for this one")


def test_the_timer_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Afterwards nothing is left that could end other work."""
    monkeypatch.setattr(gates, "READING_SECONDS", 0.01)
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(UnreadError), Gate().timed("a"):
        _for_ever()
    assert before == signal.getsignal(signal.SIGPROF)
    assert (0.0, 0.0) == signal.getitimer(signal.ITIMER_PROF)


def test_a_file_that_takes_too_long_is_not_tried_again() -> None:
    """A name that is known to take too long is refused before it is opened."""
    gate = Gate(closed=["yarn.lock"])
    with pytest.raises(UnreadError) as refused, gate.reading("yarn.lock"):
        pytest.fail("it is read")
    assert Unread.TOO_SLOW is refused.value.reason


def test_what_a_child_spends_is_taken_from_the_time() -> None:
    """The CPU time of a child process counts as the command's own."""
    gate = Gate()
    with gate.timed("a"):
        charge(4.0)
    with gate.timed("b"):
        assert time_left() < READING_SECONDS - 3.9  # A timer is read to a hundredth.
    with pytest.raises(UnreadError, match="c used up"), gate.timed("c"):
        charge(READING_SECONDS)
    charge(1.0)  # Outside of a gate there is nothing to take it from.
