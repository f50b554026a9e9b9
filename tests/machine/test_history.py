"""What earlier runs measured."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import NOW, TWO_CPUS
from hashcost.core.machine import Machine
from hashcost.core.measurement import Params
from hashcost.machine.history import KEPT_RUNS, History, PastRun, hasher_key, machine_key
from laws import examples

DAY = 86_400.0
HERE = "Fake CPU x2 | fake | 1"

ADD_FIFTY = """
import sys
from pathlib import Path
from hashcost.machine.history import History, PastRun

print("ready", flush=True)
sys.stdin.readline()
for number in range(50):
    rates = {f"{sys.argv[2]} {number}": 1e-6}
    run = PastRun(ended=1.8e9 + number, machine=sys.argv[2], seconds_per_unit=rates)
    History(Path(sys.argv[1])).add(run)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a history may be kept."""
    return tmp_path / "history.json"


def _run(
    ended: float = NOW, *, machine: str = HERE, ratio: float = 1.0, **rates: float
) -> PastRun:
    """A run that ended then; without rates, it timed one hasher."""
    return PastRun(
        ended=ended,
        machine=machine,
        probe="probe",
        quiet_ratio=ratio,
        seconds_per_unit=rates or {"key": 1e-6},
    )


def _write(path: Path, *runs: object) -> None:
    """A history as another program may have left it."""
    path.write_bytes(msgspec.json.encode({"schema": 3, "runs": runs}))


class TestKeys:
    """Which runs are compared."""

    @pytest.mark.parametrize(
        "change",
        [{"cpu_model": "other"}, {"cpu_count": 99}, {"architecture": "vax"}, {"kernel": "1.0"}],
        ids=str,
    )
    def test_another_machine_is_another_key(self, change: dict[str, str | int]) -> None:
        """Runs on another CPU or kernel are not compared with these."""
        assert machine_key(TWO_CPUS) != machine_key(msgspec.structs.replace(TWO_CPUS, **change))

    def test_what_does_not_change_the_speed_is_no_part(self) -> None:
        """The same machine under another Python has the same key."""
        other = msgspec.structs.replace(TWO_CPUS, python="CPython 4.0")
        assert machine_key(TWO_CPUS) == machine_key(other)

    def test_an_unknown_cpu_has_no_key(self) -> None:
        """On a machine whose CPU is unknown, no run is comparable with another."""
        assert machine_key(msgspec.structs.replace(TWO_CPUS, cpu_model=None)) is None

    def test_another_hasher_or_version_is_another_key(self) -> None:
        """Runs of another implementation or version are not compared with these."""
        questions = [("a@b", "1"), ("a@c", "1"), ("a@b", "2")]
        assert len({hasher_key(*question, {}) for question in questions}) == 3

    def test_other_memory_is_another_key(self) -> None:
        """A pass over other memory, or in other lanes, is not compared with this one."""
        fixed: list[Params] = [{}, {"memory": 1}, {"memory": 2}, {"memory": 1, "lanes": 2}]
        assert len({hasher_key("a@b", "1", params) for params in fixed}) == 4


class TestReading:
    """A file that is no history counts as empty."""

    @pytest.mark.parametrize(
        "content",
        [
            pytest.param(b"", id="empty"),
            pytest.param(b"{", id="cut"),
            pytest.param(b"[]", id="a list"),
            pytest.param(b"\xff\xfe", id="not text"),
            pytest.param(b"[" * 500_000, id="nested"),
            pytest.param(b" " * ((1 << 20) + 1), id="too large"),
            pytest.param(b'{"a@b 1": [{"ended": 1.0, "seconds_per_unit": 1e-6}]}', id="schema 1"),
            pytest.param(b'{"schema": 4, "runs": []}', id="a later schema"),
            pytest.param(b'{"schema": 3, "runs": [{"ended": 1}]}', id="no machine"),
        ],
    )
    def test_a_damaged_file_is_replaced(self, path: Path, content: bytes) -> None:
        """A file that is damaged, or of another format, is empty, and the next run replaces it."""
        path.write_bytes(content)
        assert History(path).all_runs() == ()
        History(path).add(_run())
        assert (_run(),) == History(path).all_runs()

    @pytest.mark.parametrize(
        "absurd",
        [
            {"ended": -1.0},
            {"ended": 1e300},
            {"quiet_ratio": 0.0},
            {"quiet_ratio": 1e300},
            {"seconds_per_unit": {"key": 1e300}},
            {"seconds_per_unit": {"key": -1e-6}},
            {"seconds_per_unit": {"key": 0.0}},
            {"seconds_per_unit": {"key": 5e-324}},
        ],
        ids=str,
    )
    def test_absurd_figures_are_not_believed(self, path: Path, absurd: dict[str, object]) -> None:
        """A file with a figure that cannot be is empty, and the next run replaces it."""
        _write(path, msgspec.to_builtins(_run()) | absurd)
        assert History(path).all_runs() == ()
        History(path).add(_run())
        assert (_run(),) == History(path).all_runs()

    def test_a_pipe_is_not_waited_for(self, path: Path) -> None:
        """A FIFO in place of the file is empty, and the next run replaces it."""
        os.mkfifo(path)
        assert History(path).all_runs() == ()
        History(path).add(_run())
        assert (_run(),) == History(path).all_runs()

    def test_a_link_is_not_followed(self, path: Path) -> None:
        """A link in place of the file is empty and replaced; what it leads to stays as it was."""
        other = path.with_name("other.json")
        History(other).add(_run(machine="other"))
        path.symlink_to(other)
        assert History(path).all_runs() == ()
        History(path).add(_run())
        assert (_run(),) == History(path).all_runs()
        assert (_run(machine="other"),) == History(other).all_runs()

    def test_a_link_in_place_of_the_lock_keeps_nothing(self, path: Path) -> None:
        """Where the lock is a link nothing is kept, and what it leads to stays as it was."""
        other = path.with_name("other")
        other.write_bytes(b"content")
        path.with_suffix(".lock").symlink_to(other)
        History(path).add(_run())
        assert other.read_bytes() == b"content"
        assert not path.exists()

    def test_an_absent_file_is_empty(self, path: Path) -> None:
        """Without a file, or without a path, there is no past."""
        assert History(path).all_runs() == History(None).all_runs() == ()


class TestPast:
    """The runs that still count."""

    def test_a_month_counts(self, path: Path) -> None:
        """Runs older than thirty days, and runs of the future, are left out."""
        ended = (NOW - 31 * DAY, NOW - 30 * DAY, NOW - 1.0, NOW, NOW + 1.0)
        _write(path, *map(_run, ended))
        past = History(path).past(TWO_CPUS, NOW)
        assert ended[1:4] == tuple(run.ended for run in past.runs)

    @pytest.mark.parametrize("model", ["other", None])
    def test_another_machine_has_its_own_past(self, path: Path, model: str | None) -> None:
        """Runs of another machine do not count, and on an unknown one none do."""
        History(path).add(_run())
        other: Machine = msgspec.structs.replace(TWO_CPUS, cpu_model=model)
        assert History(path).past(other, NOW).runs == ()
        assert History(path).past(TWO_CPUS, NOW).runs == (_run(),)

    def test_another_hasher_has_its_own_past(self, path: Path) -> None:
        """What a hasher took is told by the runs that timed it, the oldest first."""
        for index, run in enumerate((_run(one=1e-6, two=2e-6), _run(two=4e-6), _run(one=3e-6))):
            History(path).add(msgspec.structs.replace(run, ended=NOW + index))
        past = History(path).past(TWO_CPUS, NOW + 2)
        assert ((1e-6, 3e-6), (2e-6, 4e-6), ()) == tuple(map(past.rates, ("one", "two", "three")))

    def test_the_latest_runs_tell_a_rate(self, path: Path) -> None:
        """Of many runs the latest tell what a hasher took."""
        count = KEPT_RUNS // 2
        _write(path, *(_run(NOW - count + index, key=1.0 + index) for index in range(count)))
        rates = History(path).past(TWO_CPUS, NOW).rates("key")
        assert len(rates) < count
        assert rates == tuple(float(count - len(rates) + 1 + index) for index in range(len(rates)))

    @pytest.mark.parametrize(
        ("ago", "lasting"),
        [((7200, 3700, 1), True), ((9000, 7200, 60, 1), True), ((9000, 3000, 60, 1), False)],
    )
    def test_a_change_lasts_for_an_hour(
        self, path: Path, ago: tuple[float, ...], lasting: bool
    ) -> None:
        """Three runs within an hour do not tell a change of the machine from a neighbour."""
        _write(path, *(_run(NOW - each) for each in ago))
        past = History(path).past(TWO_CPUS, NOW)
        assert past.is_lasting("key") is lasting
        assert not past.is_lasting("other")

    def test_another_probe_has_its_own_ratios(self, path: Path) -> None:
        """Readings of another probe, or of none, are not compared with these."""
        other = msgspec.structs.replace(_run(), probe="other")
        blind = msgspec.structs.replace(_run(), probe=None, quiet_ratio=None)
        _write(path, _run(ratio=0.9), other, blind, _run(ratio=1.1))
        assert (0.9, 1.1) == History(path).past(TWO_CPUS, NOW).ratios("probe")


class TestAdd:
    """Keeping a run."""

    @examples(20)
    @given(st.lists(st.floats(min_value=1e-9, max_value=1.0), min_size=1, max_size=30))
    def test_runs_are_read_in_the_order_they_were_kept(self, speeds: list[float]) -> None:
        """What was kept is what counts, the oldest first."""
        with tempfile.TemporaryDirectory() as folder:
            history = History(Path(folder) / "history.json")
            for index, seconds in enumerate(speeds):
                history.add(_run(NOW + index, key=seconds))
            assert tuple(speeds) == history.past(TWO_CPUS, NOW + len(speeds)).rates("key")

    def test_processes_at_the_same_time_lose_no_run(self, path: Path) -> None:
        """Two processes that keep fifty runs each leave a hundred."""
        adding = [
            subprocess.Popen(
                [sys.executable, "-c", ADD_FIFTY, path, machine],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for machine in ("one", "two")
        ]
        for process in adding:  # Each waits until both are there.
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
        for process in adding:
            assert process.stdin is not None
            process.stdin.write(b"go\n")
            process.stdin.flush()
        for process in adding:
            process.communicate(timeout=60)
        assert [0, 0] == [process.returncode for process in adding]
        runs = History(path).all_runs()
        assert {f"{machine} {number}" for machine in ("one", "two") for number in range(50)} == {
            key for run in runs for key in run.seconds_per_unit
        }
        assert len(runs) == 100

    def test_the_file_does_not_grow_without_end(self, path: Path) -> None:
        """Of each machine the latest runs are kept, and those of a month."""
        runs = [_run(NOW - index) for index in range(KEPT_RUNS + 5, 0, -1)]
        _write(path, _run(NOW - 31 * DAY), *runs, _run(machine="other"))
        History(path).add(_run())
        kept = History(path).all_runs()
        assert (KEPT_RUNS, 1) == tuple(
            sum(run.machine == machine for run in kept) for machine in (HERE, "other")
        )
        assert (NOW - KEPT_RUNS + 1, NOW) == (kept[0].ended, kept[-1].ended)

    def test_the_file_can_be_read_however_much_a_run_timed(self, path: Path) -> None:
        """Where the runs would fill more than may be read, the oldest are dropped."""
        for index in range(5):
            rates = {f"{number:0100}": 1e-6 for number in range(2500)}
            run = msgspec.structs.replace(_run(NOW + index), seconds_per_unit=rates)
            History(path).add(run)
        runs = History(path).all_runs()
        assert 1 < len(runs) < 5
        assert NOW + 4 == runs[-1].ended

    def test_a_new_folder_is_the_users_own(self, path: Path) -> None:
        """A folder that is made for the history can be read by its owner alone."""
        kept = path.parent / "state" / path.name
        History(kept).add(_run())
        assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700

    def test_a_folder_that_cannot_be_written_is_left_alone(self, tmp_path: Path) -> None:
        """A history that cannot be kept keeps no one from measuring."""
        (tmp_path / "file").write_bytes(b"content")
        (tmp_path / "folder").mkdir()
        History(tmp_path / "file" / "history.json").add(_run())
        History(tmp_path / "folder").add(_run())
        assert (tmp_path / "file").read_bytes() == b"content"
        assert [] == list((tmp_path / "folder").iterdir())

    def test_nothing_to_keep_leaves_no_file(self, path: Path) -> None:
        """A run that saw no quiet core, or a host without a history, leaves no file."""
        History(path).add(msgspec.structs.replace(_run(), seconds_per_unit={}))
        History(None).add(_run())
        assert [] == list(path.parent.iterdir())
