"""Hashes in several threads at once. No figure here depends on how quick the machine is."""

import gc
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.errors import WrongAnswerError
from hashcost.hashers.interface import Hasher, ReadyCall
from hashcost.logins.load import Span, closed_loop, throughput
from hashcost.machine.clock import Clock, system_clock
from hashcost.measure.runner import runner_of
from hashcost.runtimes import session
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.table import Location
from runtimes import fake

OUTPUT: Final = b"0123456789abcdef"


def calls(count: int, run: Callable[[], bytes | None] = lambda: OUTPUT) -> list[ReadyCall]:
    """As many threads' calls."""
    return [ReadyCall(run=run, length=len(OUTPUT)) for _ in range(count)]


def three_each(counts: Sequence[int], elapsed: float) -> bool:
    """Enough once every thread has done three."""
    return min(counts) >= 3


class TestClosedLoop:
    """Every thread hashes as fast as it can."""

    @pytest.mark.parametrize("threads", [1, 2, 5])
    def test_every_thread_does_its_share(self, threads: int) -> None:
        """The loop ends when there is enough, and not before; each hash ends after it began and
        before the next of its thread begins.
        """
        closed = closed_loop(system_clock(), calls(threads), enough=three_each, where="")
        assert threads == len(closed.spans)
        for mine in closed.spans:
            moments = [moment for span in mine for moment in (span.start, span.end)]
            assert len(mine) >= 3
            assert moments == sorted(moments)

    def test_threads_run_at_once(self) -> None:
        """A hash runs while another does: two that wait for each other both end."""
        meeting = threading.Barrier(2, timeout=30)
        met = threading.Event()

        def run() -> bytes:
            if threading.current_thread() is not threading.main_thread() and not met.is_set():
                meeting.wait()
                met.set()
            return OUTPUT

        closed = closed_loop(system_clock(), calls(2, run), enough=three_each, where="")
        assert met.is_set()
        assert len(closed.hashes) >= 6

    def test_nothing_but_the_hash_stands_between_the_readings(self) -> None:
        """Of a thread, the hash alone is between two readings of the clock."""
        events: list[str] = []

        def noting(event: str) -> float:
            events.append(event)
            return 0.0

        def run() -> bytes:
            noting("hash")
            return OUTPUT

        clock = Clock(
            name="noting",
            cpu=lambda: noting("cpu"),
            wall=lambda: noting("wall"),
            process_cpu=lambda: 0.0,
        )
        closed_loop(clock, calls(1, run), enough=three_each, where="")
        alone_warm_and_start = ["hash", "hash", "wall"]
        timed = ["cpu", "wall", "hash", "wall", "cpu"]
        assert [*alone_warm_and_start, "cpu", *timed * 3, "cpu"] == events

    @pytest.mark.parametrize(("queued", "wanted"), [(3.0, 1.0), (0.0, 0.25)])
    def test_waiting_for_a_cpu_is_wanting_one(self, queued: float, wanted: float) -> None:
        """A thread wants a CPU while it uses one or queues for it, and not while it is blocked."""
        hashes = itertools.count()
        passed = 0

        def run() -> bytes:
            nonlocal passed
            passed = next(hashes)
            return OUTPUT

        clock = Clock(
            name="made up",
            cpu=lambda: passed,
            wall=lambda: 4.0 * passed,
            process_cpu=lambda: passed,
            queued=lambda: queued * passed,
        )
        closed = closed_loop(clock, calls(1, run), enough=three_each, where="")
        assert wanted == closed.wanted_cpus
        assert [1.0] * 3 == [span.cpu_seconds for span in closed.hashes]

    def test_a_hash_in_another_process_wants_a_whole_cpu(self) -> None:
        """Its thread here only waits for the answer, which says nothing about the CPU there."""
        hashes = itertools.count(1.0)
        clock = Clock(name="idle", cpu=lambda: 0.0, wall=lambda: next(hashes))
        call = ReadyCall(run=lambda: OUTPUT, length=len(OUTPUT), wall_elsewhere=lambda: 0.5)
        closed = closed_loop(clock, [call], enough=three_each, where="")
        assert closed.wanted_cpus == 1.0

    def test_the_collector_rests(self) -> None:
        """Garbage is not collected while hashes are timed."""
        collecting: list[bool] = []

        def run() -> bytes:
            if threading.current_thread() is not threading.main_thread():
                collecting.append(gc.isenabled())
            return OUTPUT

        closed_loop(system_clock(), calls(2, run), enough=three_each, where="")
        assert {False} == set(collecting)
        assert gc.isenabled()

    def test_what_is_no_hash_ends_the_loop(self) -> None:
        """A failure token is an error that says where, in whichever thread it comes."""
        outputs = iter([OUTPUT] * 5)
        with pytest.raises(WrongAnswerError, match=r"failure token \*0 .* at cost=12$"):
            closed_loop(
                system_clock(),
                calls(2, lambda: next(outputs, b"*0")),
                enough=lambda counts, elapsed: False,
                where="at cost=12",
            )

    def test_another_hash_than_alone_ends_the_loop(self) -> None:
        """A library that is not safe in threads is found: each output is that of a lone hash."""
        outputs = iter([OUTPUT] * 5)
        with pytest.raises(WrongAnswerError, match="a different hash in a thread"):
            closed_loop(
                system_clock(),
                calls(2, lambda: next(outputs, OUTPUT[::-1])),
                enough=lambda counts, elapsed: False,
                where="",
            )

    def test_a_library_that_chooses_its_salt_has_other_hashes(self) -> None:
        """They cannot be compared; each is a whole hash of the setting."""
        outputs = (b"$2y$%013d" % count for count in itertools.count())
        call = ReadyCall(run=lambda: next(outputs), prefix=b"$2y$", length=17, repeats=False)
        closed = closed_loop(system_clock(), [call], enough=three_each, where="")
        assert len(closed.hashes) == 3

    @pytest.mark.parametrize("good", [0, 1, 2, 5])
    def test_whatever_a_library_raises_is_raised(self, good: int) -> None:
        """An exception in a thread, warming up or later, ends all threads and arrives here."""
        outputs = iter([OUTPUT] * good)

        def run() -> bytes:
            try:
                return next(outputs)
            except StopIteration:
                raise MemoryError("no room") from None

        before = threading.active_count()
        with pytest.raises(MemoryError, match="no room"):
            closed_loop(
                system_clock(), calls(3, run), enough=lambda counts, elapsed: False, where=""
            )
        assert before == threading.active_count()


def test_a_straggler_does_not_lower_the_throughput() -> None:
    """A thread that does more, when the other has ended, takes longer for it."""
    short = [Span(index, index + 1.0) for index in range(10)]
    long = [*short, Span(10.0, 11.0), Span(11.0, 12.0)]
    assert throughput([short, long]) == pytest.approx(2.0)


def test_threads_that_hardly_meet() -> None:
    """The time that a thread waits for Python's lock before its first hash counts."""
    first = [Span(index, index + 1.0) for index in range(10)]
    second = [Span(9.5, 10.0), Span(10.0, 10.5)]
    assert throughput([first, second]) == pytest.approx(10 / 10 + 2 / 10.5)


@given(st.lists(st.lists(st.floats(1e-6, 10.0), min_size=2, max_size=20), min_size=1, max_size=5))
def test_throughput_is_no_more_than_the_threads_can_do(taken: list[list[float]]) -> None:
    """So many threads do no more in a second than their quickest hash would allow."""
    spans = []
    for mine in taken:
        moment, row = 0.0, []
        for seconds in mine:
            row.append(Span(moment, moment + seconds))
            moment += seconds
        spans.append(row)
    quickest = min(span.seconds for mine in spans for span in mine)
    assert 0 < throughput(spans) <= len(spans) / quickest * (1 + 1e-6)


@pytest.fixture
def hasher(tmp_path: Path) -> Iterator[Hasher]:
    """One that a process of its own hashes for."""
    with Runtimes(Location(command=fake(tmp_path, "good"))) as elsewhere:
        yield next(
            each for each in elsewhere.candidates("node") if each.hasher == "pbkdf2-sha256"
        ).load()


@pytest.mark.parametrize("threads", [1, 3])
def test_each_thread_has_a_process_of_its_own(threads: int, hasher: Hasher) -> None:
    """No hash waits for that of another thread."""
    runner = runner_of(hasher, system_clock())
    made = runner.ready_calls({"iterations": 1000}, threads)
    assert (threads, threads) == (len(made), len(session._live))
