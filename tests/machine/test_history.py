"""What earlier runs saw: kept by context, bounded, and never in the way."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from fakes import NOW, TWO_CPUS, FakeClock, FakeCore, FakeHasher, fake_host, limited_to, measure
from hashcost.core.measurement import Params
from hashcost.fit.estimate import CHANGED, Point, Timed
from hashcost.machine.history import KEPT_RUNS, History, PastRun, hasher_key
from hashcost.machine.linux import malloc_of

CONTEXT = TWO_CPUS.context or ""
DAY = 86400.0


def run(ended: float = NOW, context: str = CONTEXT, seconds: float = 1e-3) -> PastRun:
    """A run of one hasher."""
    timed = Timed(points=(Point((1000,), seconds, 0, 9),), error=0.05)
    return PastRun(ended=ended, context=context, probe="p", level=(-8.0, -7.0), timed={"a": timed})


@pytest.fixture
def history(tmp_path: Path) -> History:
    """An empty one."""
    return History(tmp_path / "state" / "history.json")


class TestFile:
    """A small file in the user's state folder."""

    def test_what_is_added_is_found(self, history: History) -> None:
        """By context, probe and hasher."""
        history.add(run())
        past = history.past(CONTEXT, NOW + 1)
        assert past.runs == (run(),)
        assert past.levels("p") == ((-8.0, -7.0),)
        assert past.levels("q") == ()
        assert len(past.timed("a")) == 1
        assert past.timed("b") == ()

    def test_contexts_never_mix(self, history: History) -> None:
        """Two kinds of CPU that share a folder have a history each."""
        history.add(run(context="one"))
        history.add(run(context="two"))
        assert [each.context for each in history.past("one", NOW).runs] == ["one"]

    def test_what_is_old_is_forgotten(self, history: History) -> None:
        """After thirty days."""
        for days in (40, 20):
            history.add(run(NOW - days * DAY))
        assert len(history.past(CONTEXT, NOW).runs) == 1

    def test_it_does_not_grow_without_end(self, history: History) -> None:
        """Of one context the last runs are kept."""
        for index in range(KEPT_RUNS + 5):
            history.add(run(NOW + index))
        kept = history.past(CONTEXT, NOW + KEPT_RUNS + 5).runs
        assert (len(kept), kept[0].ended) == (KEPT_RUNS, NOW + 5)

    def test_a_run_that_measured_nothing_leaves_nothing(self, history: History) -> None:
        """No file is made."""
        history.add(msgspec.structs.replace(run(), timed={}))
        assert history.path is not None
        assert not history.path.exists()

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{",
            b"\xff",
            b'{"schema": 3, "runs": []}',
            b'{"schema": 4, "runs": [{}]}',
            b"[" * 9999,
        ],
    )
    def test_a_damaged_file_is_an_empty_history(self, history: History, content: bytes) -> None:
        """It is replaced by the next run."""
        assert history.path is not None
        history.path.parent.mkdir()
        history.path.write_bytes(content)
        assert history.all_runs() == ()
        history.add(run())
        assert history.all_runs() == (run(),)

    def test_a_pipe_blocks_nobody(self, history: History) -> None:
        """What is no file is neither read nor written through."""
        assert history.path is not None
        history.path.parent.mkdir()
        os.mkfifo(history.path)
        assert history.all_runs() == ()

    def test_a_folder_that_cannot_be_written_is_left_alone(self, tmp_path: Path) -> None:
        """Nothing depends on the history."""
        (tmp_path / "file").write_text("")
        History(tmp_path / "file" / "history.json").add(run())

    def test_none_is_kept_without_a_path(self) -> None:
        """As with --no-history."""
        History(None).add(run())
        assert History(None).past(CONTEXT, NOW).runs == ()

    def test_versions_and_lanes_are_told_apart(self) -> None:
        """A new library, or other lanes, begin anew."""
        keys = {hasher_key("a@b", version, lanes) for version in ("1", "2") for lanes in (1, 2)}
        assert len(keys) == 4


class TestContext:
    """What times depend on, beside the library."""

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("cpu_id", "AuthenticAMD 25 1 1"),
            ("cpu_count", 4),
            ("cpu_flags", ("sha_ni",)),
            ("cpu_limit", limited_to(0.5)),
            ("openssl_ia32cap", "0"),
            ("libc", "musl"),
            ("huge_pages", "always"),
            ("malloc", "glibc.malloc.hugetlb=1"),
        ],
    )
    def test_each_fact_makes_another_context(self, field: str, value: object) -> None:
        """The history of one is not that of the other."""
        assert msgspec.structs.replace(TWO_CPUS, **{field: value}).context != CONTEXT

    @pytest.mark.parametrize("field", ["kernel", "os", "python"])
    def test_what_changes_no_hash_makes_none(self, field: str) -> None:
        """A kernel is exchanged every week."""
        assert msgspec.structs.replace(TWO_CPUS, **{field: "other"}).context == CONTEXT

    def test_an_unknown_cpu_has_no_context(self) -> None:
        """The folder may be shared by several machines."""
        assert msgspec.structs.replace(TWO_CPUS, cpu_model=None).context is None

    @pytest.mark.parametrize(
        ("facts", "said"),
        [
            (
                {"malloc": "glibc.malloc.hugetlb=1"},
                "measured with small pages; this process has huge pages: glibc.malloc.hugetlb=1",
            ),
            ({"libc": "glibc 2.41"}, "measured with glibc 2.36; this process has glibc 2.41"),
            (
                {"huge_pages": ""},
                "measured with huge pages in mode madvise; this process has no huge pages",
            ),
            (
                {"cpu_limit": limited_to(0.5)},
                "measured with no CPU limit; this process has a limit of 0.5 CPUs",
            ),
            (
                {"openssl_ia32cap": "0"},
                "measured with no OPENSSL_ia32cap; this process has OPENSSL_ia32cap=0",
            ),
            ({"libc": "", "malloc": "jemalloc"}, ""),
            ({"cpu_model": "another", "malloc": "jemalloc"}, ""),
            ({"kernel": "2"}, ""),
        ],
    )
    def test_the_fact_that_differs_is_said(self, facts: Params, said: str) -> None:
        """In words, on the same CPU, where both know it."""
        small = msgspec.structs.replace(TWO_CPUS, huge_pages="madvise", libc="glibc 2.36")

        assert said == small.unlike(msgspec.structs.replace(small, **facts))

    @pytest.mark.parametrize(
        ("environment", "maps", "said"),
        [
            ({}, "", ""),
            (
                {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.cpu.x=2"},
                "",
                "glibc.malloc.hugetlb=1",
            ),
            ({"MALLOC_ARENA_MAX": "2", "HOME": "/x"}, "", "MALLOC_ARENA_MAX=2"),
            ({}, "7f r-xp 00 /usr/lib/libjemalloc.so.2\n", "jemalloc"),
            ({"GLIBC_TUNABLES": "glibc.malloc.x=\x1b[2J"}, "", "malformed"),
        ],
    )
    def test_settings_of_malloc(self, environment: Params, maps: str, said: str) -> None:
        """Those of glibc, or another allocator that is mapped."""
        assert malloc_of(environment, maps) == said  # type: ignore[arg-type]


class TestRuns:
    """Runs one after the other, on a clock that is told how quick the machine is."""

    def test_a_slower_cpu_is_believed_by_the_third_run(self, history: History) -> None:
        """Every interval holds the truth from the first; the answer follows from the third."""
        clock, core = FakeClock(), FakeCore(clock=FakeClock())
        for factor, index in [(1.0, i) for i in range(3)] + [(1.6, i) for i in range(6)]:
            core = FakeCore(clock=clock, slower=factor)
            hasher = FakeHasher(clock, noise=core.slowing)
            host = fake_host(clock, history=history)
            profile = measure(clock, hasher, target=0.04, probe=core.start, host=host)
            (row,), (found,) = profile.recommendations, profile.measurements
            true = factor * hasher.seconds(row.params["rounds"])
            low, high = row.interval_seconds
            assert low <= true <= high
            if factor > 1 and index < 2:
                assert found.doubt == CHANGED
            elif factor > 1:
                assert row.time_seconds == pytest.approx(true, rel=0.1)
                assert found.doubt == ""

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
