"""What earlier runs saw: kept by context, bounded, and never in the way."""

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from corpora import table
from fakes import (
    NOW,
    TWO_CPUS,
    FakeClock,
    FakeCore,
    FakeHasher,
    FakeLadder,
    fake_host,
    limited_to,
    measure,
)
from hashcost.checks.check import check_one
from hashcost.checks.judgement import Configured, Outcome, Standard
from hashcost.core.machine import HUGE_PAGES, Power
from hashcost.core.measurement import Params, Point, Timed
from hashcost.core.profile import Recommendation
from hashcost.hashers.built_in import could_have_run
from hashcost.machine.history import KEPT_RUNS, History, Past, PastRun, hasher_key
from hashcost.machine.linux import malloc_of

CONTEXT = TWO_CPUS.context or ""


def run(context: str = CONTEXT, seconds: float = 1e-3) -> PastRun:
    """A run of one hasher."""
    timed = Timed(points=(Point((1000,), seconds, 0, 9),), error=0.05)
    return PastRun(context=context, probe="p", level=(-8.0, -7.0), timed={"a": timed})


def seconds_of(past: Past) -> list[float]:
    """How long a hash took in each run."""
    return [timed.points[0].seconds for timed in past.timed("a")]


@pytest.fixture
def history(tmp_path: Path) -> History:
    """An empty one."""
    return History(tmp_path / "state" / "history")


class TestFiles:
    """Small files in the user's state folder."""

    def test_what_is_added_is_found(self, history: History) -> None:
        """By context, probe and hasher."""
        history.add(run())
        past = history.past(CONTEXT)
        assert past.runs == (run(),)
        assert past.levels("p") == ((-8.0, -7.0),)
        assert past.levels("q") == ()
        assert len(past.timed("a")) == 1
        assert past.timed("b") == ()

    def test_contexts_never_mix(self, history: History) -> None:
        """Two kinds of CPU that share a folder have a history each."""
        history.add(run(context="one"))
        history.add(run(context="two"))
        assert [each.context for each in history.past("one").runs] == ["one"]

    def test_it_does_not_grow_without_end(self, history: History) -> None:
        """Of one context the last runs are kept, and as many damaged files."""
        for index in range(KEPT_RUNS + 5):
            history.add(run(seconds=1.0 + index))
        kept = seconds_of(history.past(CONTEXT))
        assert (len(kept), kept[0]) == (KEPT_RUNS, 6.0)
        assert history.path is not None
        for number in range(2):
            for path in history.path.glob("*.json"):
                path.write_text("{")
            assert history.past(CONTEXT).damaged == (KEPT_RUNS if number == 0 else 1)
            history.add(run())
        assert len([*history.path.glob("*.damaged")]) == KEPT_RUNS

    def test_it_removes_only_its_own_files(self, history: History) -> None:
        """Whatever else is in the folder stays, and a link in its place is not followed."""
        assert history.path is not None
        history.path.mkdir(parents=True)
        other = history.path / "my-old-notes.json"
        other.touch()
        history.add(run())
        assert [other] == [path for path in history.path.iterdir() if path.stat().st_size == 0]
        link = history.path.with_name("link")
        link.symlink_to(history.path)
        assert "it is a link" == History(link).add(run())
        assert 2 == len([*history.path.iterdir()])

    def test_a_run_that_measured_nothing_leaves_nothing(self, history: History) -> None:
        """No file is made."""
        history.add(msgspec.structs.replace(run(), timed={}))
        assert history.path is not None
        assert not history.path.exists()

    @pytest.mark.parametrize(
        "content", [b"", b"{", b"\xff", b'{"schema": 6}', b"[" * 9999, "pipe", "link", "folder"]
    )
    def test_a_damaged_file_is_set_aside(
        self, history: History, content: bytes | str, tmp_path: Path
    ) -> None:
        """It costs no other run, is renamed and told of once, and a pipe blocks nobody."""
        assert history.path is not None
        history.add(run())
        (file,) = history.path.iterdir()
        other = file.with_name("000000000000002" + file.name[15:])
        if content == "pipe":
            os.mkfifo(other)
        elif content == "link":
            other.symlink_to(file)
        elif content == "folder":
            other.mkdir()
        elif isinstance(content, bytes):
            other.write_bytes(content)
        assert history.past(CONTEXT) == Past((run(),), damaged=1)
        assert history.past(CONTEXT) == Past((run(),), damaged=0)
        assert {file, other.with_suffix(".damaged")} == {*history.path.iterdir()}

    def test_another_version_is_passed_over(self, history: History) -> None:
        """Its runs are not read, and stay where that version finds them."""
        assert history.path is not None
        history.add(run())
        (file,) = history.path.iterdir()
        other = file.with_name("000000000000002" + file.name[15:])
        other.write_bytes(b'{"schema": 5}')
        assert history.past(CONTEXT) == Past((run(),))
        assert other.exists()

    @given(st.data())
    def test_a_changed_character_is_never_believed(self, drawn: st.DataObject) -> None:
        """Of a file of an earlier run in which anything was changed, nothing counts."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "state" / "history"
            history = History(path)
            history.add(run())
            (file,) = path.iterdir()
            content = bytearray(file.read_bytes())
            at = drawn.draw(st.integers(0, len(content) - 1))
            content[at] ^= drawn.draw(st.integers(1, 255))
            file.write_bytes(content)
            assert history.past(CONTEXT).runs == ()

    @pytest.mark.parametrize(
        ("key", "params", "is_believed"),
        [
            ("bcrypt@bcrypt 5.0.0 p=1", (31,), True),
            ("bcrypt@bcrypt 5.0.0 p=1", (40,), False),
            ("bcrypt@bcrypt 5.0.0 p=1", (4, 4), False),
            ("bcrypt@bcrypt 5.0.0 p=1", (), False),
            ("argon2id@argon2-cffi 25.1.0 p=1", (1024, 1, 1), True),
            ("argon2id@argon2-cffi 25.1.0 p=1", (1024, 1, 0), False),
            # Lower than calibration begins, but `explain` times what is asked about.
            ("argon2id@argon2-cffi 25.1.0 p=1", (16, 2, 1), True),
            ("scrypt@hashlib OpenSSL 3.0 p=1", (2, 1, 1), True),
            ("plugin@own 1 p=1", (40,), True),
        ],
    )
    def test_a_run_that_cannot_have_been_is_not_believed(
        self, history: History, key: str, params: tuple[int, ...], is_believed: bool
    ) -> None:
        """A run with a cost that its algorithm does not allow is set aside like a damaged file."""
        timed = {key: Timed(points=(Point(params, 1e-3, 0, 9),), error=0.05)}
        history.add(msgspec.structs.replace(run(), timed=timed))
        past = history.past(CONTEXT, could_have_run)
        assert (is_believed, not is_believed) == (len(past.runs) == 1, past.damaged == 1)

    def test_a_damaged_file_is_told_of(
        self, clock: FakeClock, history: History, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One line says how many files were damaged, also where none can be renamed."""
        host = fake_host(clock, history=history)
        measure(clock, FakeHasher(clock), host=host)
        assert history.path is not None
        (file,) = history.path.iterdir()
        content = file.read_text()
        file.write_text(content.replace("[[1]", "[[10]"))

        def refuse(*_: Any) -> None:
            raise PermissionError

        with monkeypatch.context() as patch:
            patch.setattr(Path, "rename", refuse)
            said = [measure(clock, FakeHasher(clock), host=host).warnings for _ in range(2)]
        said += [measure(clock, FakeHasher(clock), host=host).warnings for _ in range(2)]
        told = [[n.message for n in notices if n.code == "history"] for notices in said]
        message = "a damaged file of an earlier run is not used"
        assert told == [[message], [message], [message], []]

    @pytest.mark.parametrize("wrong", [10 * 86400.0, 40 * 86400.0, -6 * 365 * 86400.0])
    def test_a_wrong_clock_loses_no_run(
        self, clock: FakeClock, history: History, wrong: float
    ) -> None:
        """Runs while the date is days ahead, or years back, count like those before and after."""
        for now in (NOW, NOW, NOW + wrong, NOW + wrong, NOW):
            host = replace(fake_host(clock, history=history), now=partial(float, now))
            measure(clock, FakeHasher(clock), host=host)
        assert len(history.past(TWO_CPUS.context).runs) == 5

    def test_what_came_later_can_be_left_out(self, history: History) -> None:
        """A view of the history does not see runs that were added after it was made."""
        before = history.until_now()
        history.add(run(seconds=1.0))
        between = history.until_now()
        between.add(run(seconds=2.0))
        found = [seconds_of(each.past(CONTEXT)) for each in (before, between, history)]
        assert found == [[], [1.0], [1.0, 2.0]]

    def test_nothing_is_lost_among_many_writers(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of three batches of forty runs that end at once, every run is kept, also if writing
        takes long.
        """
        renamed = os.replace

        def slow(*names: Any, **folders: Any) -> None:
            time.sleep(0.1)
            renamed(*names, **folders)

        monkeypatch.setattr(os, "replace", slow)
        for batch in range(3):
            history = History(tmp_path / str(batch))
            with ThreadPoolExecutor(40) as pool:
                list(pool.map(history.add, [run(seconds=1.0 + at) for at in range(40)]))
            assert {1.0 + at for at in range(40)} == {*seconds_of(history.past(CONTEXT))}

    def test_only_its_user_may_open_it(self, history: History) -> None:
        """The folder and the one above it are made for the user only."""
        assert "" == history.add(run())
        assert history.path is not None
        for folder in (history.path, history.path.parent):
            assert 0o700 == stat.S_IMODE(folder.stat().st_mode)

    def test_a_folder_that_cannot_be_written_is_left_alone(self, tmp_path: Path) -> None:
        """Nothing depends on the history, and the reason is told without the path."""
        (tmp_path / "file").write_text("")
        assert "it is not a folder" == History(tmp_path / "file" / "history").add(run())
        assert "not a directory" == History(tmp_path / "file" / "a" / "history").add(run())

    @pytest.mark.parametrize("above", [False, True])
    @pytest.mark.parametrize("laid", ["link", "stranger"])
    def test_what_another_user_may_have_laid_is_not_believed(
        self, history: History, monkeypatch: pytest.MonkeyPatch, above: bool, laid: str
    ) -> None:
        """Runs behind a link, or in the folder of another user, are neither read nor added to."""
        history.add(run())
        assert history.path is not None
        folder = history.path.parent if above else history.path
        reason = "it is a link"
        if laid == "link":
            moved = folder.rename(folder.with_name("moved"))
            folder.symlink_to(moved)
        else:
            uid = folder.stat().st_uid
            monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
            reason = "it belongs to another user"
        assert reason == history.add(run())
        assert () == history.past(CONTEXT).runs
        assert 1 == len([*history.path.iterdir()])

    @pytest.mark.parametrize("kept", [True, False])
    def test_what_is_not_kept_is_said(self, clock: FakeClock, tmp_path: Path, kept: bool) -> None:
        """A first run promises a better one only where it is kept; where it is not, one line
        says so, and the run ends as any other.
        """
        state = tmp_path / "state"
        if not kept:
            state.symlink_to(tmp_path)
        host = fake_host(clock, history=History(state / "history"))
        profile = measure(clock, FakeHasher(clock), host=host)
        said = {notice.code: notice for notice in profile.warnings}

        assert profile.recommendations
        assert kept == ("know it better" in said["first-run"].message)
        assert kept == ("not-kept" not in said)
        if not kept:
            reason = "this run is not kept for later ones (state folder: it is a link)"
            assert reason == said["not-kept"].message
            assert "set XDG_STATE_HOME to a folder of your own" == said["not-kept"].advice

    def test_versions_and_lanes_are_told_apart(self) -> None:
        """A new library, or other lanes, begin anew."""
        keys = {hasher_key("a@b", version, lanes) for version in ("1", "2") for lanes in (1, 2)}
        assert len(keys) == 4


class TestContext:
    """What times depend on, beside the library."""

    @table("field, value")
    def test_each_fact_makes_another_context(self, field: str, value: Any) -> None:
        """The history of one is not that of the other."""
        value = limited_to(value) if field == "cpu_limit" else value
        assert msgspec.structs.replace(TWO_CPUS, **{field: value}).context != CONTEXT

    @pytest.mark.parametrize(
        ("field", "value"),
        [("kernel", "other"), ("os", "other"), ("python", "other"), ("cpu_count", 1)],
    )
    def test_what_changes_no_hash_makes_none(self, field: str, value: Any) -> None:
        """A kernel is exchanged every week, and `taskset` leaves fewer CPUs to a process."""
        assert msgspec.structs.replace(TWO_CPUS, **{field: value}).context == CONTEXT

    def test_an_unknown_cpu_has_no_context(self) -> None:
        """The folder may be shared by several machines."""
        assert msgspec.structs.replace(TWO_CPUS, cpu_model=None).context is None

    @table("facts, said")
    def test_the_fact_that_differs_is_said(self, facts: dict[str, Any], said: str) -> None:
        """In words, on the same CPU, where both know it."""
        small = msgspec.structs.replace(TWO_CPUS, huge_pages="madvise", libc="glibc 2.36")
        if "cpu_limit" in facts:
            facts = {"cpu_limit": limited_to(facts["cpu_limit"])}
        if "power" in facts:
            facts = {"power": Power(**facts["power"])}

        assert said == small.unlike(msgspec.structs.replace(small, **facts))

    @table("environment, maps, said")
    def test_settings_of_malloc(self, environment: Params, maps: str, said: str) -> None:
        """Those of glibc, or another allocator that is mapped."""
        assert malloc_of(environment, maps) == said  # type: ignore[arg-type]


@dataclass
class Sequence:
    """Runs on one machine, whose clock and library may take longer than at first."""

    history: History
    kind: type[FakeHasher]
    usual: Params | None = None

    def run(
        self, *, clock: float = 1.0, library: float = 1.0
    ) -> tuple[Recommendation, float, Outcome]:
        """Return the answer, its true time, and the verdict on the answer of the first run."""
        fake = FakeClock()
        core = FakeCore(clock=fake, slower=clock)
        hasher = self.kind(fake, noise=lambda: library * core.slowing())
        host = fake_host(fake, history=self.history)
        profile = measure(fake, hasher, target=0.04, probe=core.start, host=host)
        (row,) = profile.recommendations
        self.usual = self.usual or row.params
        cost = Configured(hasher="fake", implementation="memory", params=self.usual)
        verdict = check_one(cost, profile, Standard(target_seconds=0.04))
        return row, hasher.cpu_seconds(row.params) * clock * library, verdict.outcome


@dataclass(eq=False)
class Paged(FakeLadder):
    """A hasher whose memory is mapped afresh from 32 MiB on, in huge pages or in small ones.

    The first touch of a huge page that the host has taken back takes long.
    """

    implementation: str = "argon2-cffi"
    small: bool = True
    warm: int = 0

    def fresh_pages(self, params: Params) -> int:
        """Pages that one hash is given."""
        memory = params["memory"] if params["memory"] >= 32 else 0
        return memory * 256 if self.small else memory // 2

    def cpu_seconds(self, params: Params) -> float:
        """Small pages take half as long as a pass."""
        memory, passes = params["memory"], params["passes"]
        return memory * (passes + 0.5 * (self.small and memory >= 32)) * self.seconds_per_unit

    def spend(self, params: Params) -> None:
        """Let the time of one hash pass."""
        if not self.small and self.memory_bytes(params) > self.warm:
            self.clock.advance(cold := 2e-3 * params["memory"], cold)
        self.warm = 0
        super().spend(params)


class TestRuns:
    """Runs one after the other, on a clock that is told how quick the machine is."""

    @pytest.mark.parametrize("factor", [0.45, 2.1])
    @pytest.mark.parametrize("changed", ["clock", "library"])
    @pytest.mark.parametrize("kind", [FakeHasher, FakeLadder])
    def test_a_lasting_change_is_believed(
        self, history: History, kind: type[FakeHasher], changed: str, factor: float
    ) -> None:
        """Three runs, six on another machine and six back: every interval holds the truth, the
        third run's answer follows, and no check judges by the time before.
        """
        machine = Sequence(history, kind)
        machine.run()
        for factors in ([1.0] * 2, [factor] * 6, [1.0] * 6):
            for index, now in enumerate(factors):
                row, true, outcome = machine.run(**{changed: now})
                low, high = row.interval_seconds
                assert low <= true <= high
                late = index >= 2
                assert not late or row.time_seconds == pytest.approx(true, rel=0.1)
                right = Outcome.OVER_BUDGET if now > 1 else Outcome.DRIFTED
                right = right if now != 1 else Outcome.FINE
                assert outcome is right or (not late and outcome is Outcome.INCONCLUSIVE)

    @pytest.mark.parametrize("told", [True, False], ids=["setting", "faults"])
    def test_huge_pages_come_and_go(self, history: History, told: bool) -> None:
        """Three runs in small pages, six in huge ones and six in small ones, by the setting of
        malloc or because the kernel has none left: each interval holds the truth, and the third
        run's answer follows.
        """
        for small, runs in ((True, 3), (False, 6), (True, 6)):
            for index in range(runs):
                clock = FakeClock()
                hasher = Paged(clock, small=small, seconds_per_unit=0.4e-3)
                malloc = "" if told and small else HUGE_PAGES
                machine = msgspec.structs.replace(
                    TWO_CPUS, huge_pages="madvise", malloc=malloc, reports_free_pages=True
                )
                host = replace(
                    fake_host(clock, machine=machine, history=history),
                    warm_pages=partial(setattr, hasher, "warm"),
                )
                profile = measure(clock, hasher, target=0.1, host=host)
                (row,) = profile.recommendations
                codes = [notice.code for notice in profile.warnings]
                assert ("pages-taken-back" in codes) == (malloc == HUGE_PAGES)
                true, (low, high) = hasher.cpu_seconds(row.params), row.interval_seconds
                assert low <= true <= high
                if told or index >= 2:
                    assert row.time_seconds == pytest.approx(true, rel=0.1)
                    assert row.warnings == ()

    @pytest.mark.parametrize("implementation", ["java:bouncycastle", "go:x/crypto", "libcrypt"])
    def test_a_heap_of_its_own_gets_no_huge_pages(
        self, history: History, implementation: str
    ) -> None:
        """What malloc is told is another context, and changes neither time nor answer there."""
        rows, contexts, touched = list[Recommendation](), set(), list[int]()
        for malloc in ("", HUGE_PAGES):
            clock = FakeClock()
            hasher = Paged(clock, name="argon2id", implementation=implementation)
            machine = msgspec.structs.replace(
                TWO_CPUS, huge_pages="madvise", malloc=malloc, reports_free_pages=True
            )
            host = fake_host(clock, machine=machine, history=history)
            host = replace(host, warm_pages=touched.append)
            profile = measure(clock, hasher, target=0.1, host=host)
            rows += profile.recommendations
            contexts.add(profile.machine.context)
            assert "pages-taken-back" not in [notice.code for notice in profile.warnings]
        assert rows[0].params == rows[1].params
        assert (len(contexts), touched) == (2, [])

    @pytest.mark.parametrize("odd", [0.45, 2.1])
    @pytest.mark.parametrize("kind", [FakeHasher, FakeLadder])
    def test_one_odd_run_in_ten_changes_nothing(
        self, history: History, kind: type[FakeHasher], odd: float
    ) -> None:
        """The runs after it are as before."""
        machine = Sequence(history, kind)
        for now in [1.0] * 5 + [odd]:
            machine.run(clock=now)
        for _ in range(4):
            row, true, outcome = machine.run()
            assert row.time_seconds == pytest.approx(true, rel=0.02)
            assert (row.warnings, outcome) == ((), Outcome.FINE)

    def test_runs_narrow_the_interval(self, history: History) -> None:
        """The tenth knows better than the first."""
        clock = FakeClock()
        widths = []
        for _ in range(10):
            core = FakeCore(clock=clock)
            host = fake_host(clock, history=history)
            hasher = FakeHasher(clock)
            (row,) = measure(clock, hasher, probe=core.start, host=host).recommendations
            widths.append(row.error_fraction)
        assert widths[-1] < widths[1] < widths[0]
        assert widths[-1] < 0.06
