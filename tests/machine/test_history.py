"""What earlier runs measured."""

from __future__ import annotations

import stat
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import NOW, TWO_CPUS, FakeClock, fake_host
from hashcost.machine import history
from hashcost.machine.history import KEPT_RUNS, PastRun
from laws import examples

DAY = 86_400.0


def _runs(*ended: float) -> list[PastRun]:
    """Runs that ended then, of a different speed each."""
    return [
        PastRun(ended=time, seconds_per_unit=float(index))
        for index, time in enumerate(ended, start=1)
    ]


class TestDefaultPath:
    """Where the history is kept."""

    def test_it_is_in_the_state_folder(self, clock: FakeClock) -> None:
        """The history is where the user keeps the state of programs."""
        host = fake_host(clock, environment={"XDG_STATE_HOME": "/state"}, home=Path("/home"))
        assert Path("/state/hashcost/history.json") == history.default_path(host)

    @pytest.mark.parametrize(
        "environment", [{}, {"XDG_STATE_HOME": ""}, {"XDG_STATE_HOME": "x/y"}]
    )
    def test_it_is_in_the_home_folder_otherwise(
        self, clock: FakeClock, environment: dict[str, str]
    ) -> None:
        """Without a state folder, or with one that is not absolute, the home folder's is used."""
        host = fake_host(clock, environment=environment, home=Path("/home/someone"))
        assert Path("/home/someone/.local/state/hashcost/history.json") == (
            history.default_path(host)
        )

    def test_there_is_none_without_a_home(self, clock: FakeClock) -> None:
        """A user without a home folder has no history."""
        assert history.default_path(fake_host(clock)) is None


class TestKey:
    """Which runs are compared."""

    @pytest.mark.parametrize(
        "change",
        [{"cpu_model": "other"}, {"cpu_count": 99}, {"architecture": "vax"}, {"kernel": "1.0"}],
        ids=str,
    )
    def test_another_machine_is_another_key(self, change: dict[str, str | int]) -> None:
        """Runs on another CPU or kernel are not compared with these."""
        other = msgspec.structs.replace(TWO_CPUS, **change)
        assert history.key("a@b", "1", TWO_CPUS, {}) != history.key("a@b", "1", other, {})

    def test_another_hasher_or_version_is_another_key(self) -> None:
        """Runs of another implementation or version are not compared with these."""
        questions = [("a@b", "1"), ("a@c", "1"), ("a@b", "2")]
        assert len({history.key(*question, TWO_CPUS, {}) for question in questions}) == 3

    def test_other_memory_is_another_key(self) -> None:
        """A pass over other memory, or in other lanes, is not compared with this one."""
        fixed = [{}, {"memory": 1}, {"memory": 2}, {"memory": 1, "lanes": 2}]
        assert len({history.key("a@b", "1", TWO_CPUS, params) for params in fixed}) == 4

    def test_an_unknown_cpu_has_no_key(self) -> None:
        """On a machine whose CPU is unknown, no run is comparable with another."""
        machine = msgspec.structs.replace(TWO_CPUS, cpu_model=None)
        assert history.key("a@b", "1", machine, {}) is None

    def test_what_does_not_change_the_speed_is_no_part(self) -> None:
        """The same machine under another Python has the same key."""
        other = msgspec.structs.replace(TWO_CPUS, python="CPython 4.0")
        assert history.key("a@b", "1", TWO_CPUS, {}) == history.key("a@b", "1", other, {})


class TestLoad:
    """Reading the file."""

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{",
            b"[]",
            b'{"a": 1}',
            b'{"a": [{"ended": "x", "seconds_per_unit": 1}]}',
            b'{"a": [{"ended": 1}]}',
            b"\xff\xfe",
            b"[" * 500_000,
            b" " * ((1 << 20) + 1),
        ],
    )
    def test_a_damaged_file_is_an_empty_history(self, tmp_path: Path, content: bytes) -> None:
        """A file that is not a history is taken for none, and replaced by the next run."""
        path = tmp_path / "history.json"
        path.write_bytes(content)
        assert history.load(path) == {}
        history.record(path, {"key": 1e-6}, NOW)
        assert history.load(path) == {"key": [PastRun(ended=NOW, seconds_per_unit=1e-6)]}

    def test_an_absent_file_is_an_empty_history(self, tmp_path: Path) -> None:
        """Without a file, or without a path, there is no past."""
        assert history.load(tmp_path / "absent.json") == {}
        assert history.load(None) == {}


class TestRecent:
    """The runs that still count."""

    def test_a_month_counts(self) -> None:
        """Runs older than thirty days, and runs of the future, are left out."""
        runs = _runs(NOW - 31 * DAY, NOW - 30 * DAY, NOW - 1.0, NOW, NOW + 1.0)
        assert (2.0, 3.0, 4.0) == history.recent({"key": runs}, "key", NOW)

    def test_the_last_forty_count(self) -> None:
        """Of more runs than are kept, the latest count."""
        runs = _runs(*(NOW - 100.0 + index for index in range(50)))
        assert tuple(float(index) for index in range(11, 51)) == (
            history.recent({"key": runs}, "key", NOW)
        )

    def test_a_time_that_cannot_be_does_not_count(self) -> None:
        """A run of no time, or less, is not believed."""
        runs = [PastRun(ended=NOW, seconds_per_unit=seconds) for seconds in (0.0, -1.0, 1.0)]
        assert (1.0,) == history.recent({"key": runs}, "key", NOW)

    def test_another_key_has_its_own_past(self) -> None:
        """Runs of another key do not count, and without a key none do."""
        assert history.recent({"key": _runs(NOW)}, "other", NOW) == ()
        assert history.recent({"key": _runs(NOW), "": _runs(NOW)}, None, NOW) == ()


class TestRecord:
    """Adding a run."""

    @examples(20)
    @given(st.lists(st.floats(min_value=1e-9, max_value=1.0), min_size=1, max_size=50))
    def test_runs_are_read_in_the_order_they_were_recorded(self, speeds: list[float]) -> None:
        """What was recorded is what counts, oldest first, as many as are kept."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "history.json"
            for index, seconds in enumerate(speeds):
                history.record(path, {"key": seconds}, NOW + index)
            recorded = history.recent(history.load(path), "key", NOW + len(speeds))
        assert tuple(speeds[-KEPT_RUNS:]) == recorded

    def test_the_file_does_not_grow_without_end(self, tmp_path: Path) -> None:
        """No more runs are kept than count, and old ones are dropped."""
        path = tmp_path / "history.json"
        history.record(path, {"old": 1e-6, "key": 1e-6}, NOW - 40 * DAY)
        for index in range(KEPT_RUNS + 5):
            history.record(path, {"key": 1e-6}, NOW + index)
        runs = history.load(path)["key"]
        assert (KEPT_RUNS, NOW + 5) == (len(runs), runs[0].ended)

    def test_other_keys_stay(self, tmp_path: Path) -> None:
        """Recording one hasher keeps the past of the others."""
        path = tmp_path / "history.json"
        history.record(path, {"one": 1e-6, "two": 2e-6}, NOW)
        history.record(path, {"one": 3e-6}, NOW + 1)
        loaded = history.load(path)
        assert ((1e-6, 3e-6), (2e-6,)) == (
            history.recent(loaded, "one", NOW + 1),
            history.recent(loaded, "two", NOW + 1),
        )

    def test_a_new_folder_is_the_users_own(self, tmp_path: Path) -> None:
        """A folder that is made for the history can be read by its owner alone."""
        path = tmp_path / "state" / "history.json"
        history.record(path, {"key": 1e-6}, NOW)
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700

    def test_a_folder_that_cannot_be_written_is_left_alone(self, tmp_path: Path) -> None:
        """A history that cannot be kept keeps no one from measuring."""
        (tmp_path / "file").write_bytes(b"content")
        history.record(tmp_path / "file" / "history.json", {"key": 1e-6}, NOW)
        history.record(tmp_path, {"key": 1e-6}, NOW)
        assert (tmp_path / "file").read_bytes() == b"content"
        assert [tmp_path / "file"] == list(tmp_path.iterdir())

    def test_without_a_path_or_a_row_nothing_is_written(self, tmp_path: Path) -> None:
        """Nothing to keep, nothing to find it by, or nowhere to keep it leaves no file."""
        history.record(tmp_path / "history.json", {}, NOW)
        history.record(tmp_path / "history.json", {None: 1e-6}, NOW)
        history.record(None, {"key": 1e-6}, NOW)
        assert [] == list(tmp_path.iterdir())
