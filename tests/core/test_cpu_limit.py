"""What a login waits under a CPU quota, against periods that are played through."""

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from fakes import limited_to
from hashcost.core.cpu_limit import CpuLimit, format_wait

LIMITS = st.builds(
    CpuLimit,
    quota_seconds=st.floats(0.005, 0.3),
    period_seconds=st.floats(0.01, 0.2),
    burst_seconds=st.just(0.0) | st.floats(0.001, 0.2),
    threads=st.integers(1, 4),
)


def played(limit: CpuLimit, seconds: float, start: float) -> float:
    """Wall time of a hash, period by period: the pool is filled at the end of each."""
    quota, most = limit.quota_seconds, limit.quota_seconds + limit.burst_seconds
    pool, wall, left, room = most, 0.0, seconds, limit.period_seconds - start
    while True:
        run = min(left, room, pool / limit.threads)
        left -= run
        if left <= 1e-12:
            return wall + run
        wall += room
        pool = min(pool - run * limit.threads + quota, most)
        room = limit.period_seconds


@given(LIMITS, st.floats(0.001, 2.0), st.floats(0, 0.999))
def test_a_hash_waits_as_periods_say(limit: CpuLimit, seconds: float, start: float) -> None:
    """The wall time is that of a pool which each period fills up, with burst and threads."""
    start *= limit.period_seconds
    assert limit.wall_seconds(seconds, start) == pytest.approx(played(limit, seconds, start))


@given(LIMITS, st.floats(0.01, 2.0))
def test_the_answer_is_the_longest_hash_that_fits(limit: CpuLimit, target: float) -> None:
    """A login waits no longer than the target for it, and longer for any longer hash."""
    longest = limit.fitting(target)
    assert 0 < longest <= target
    assert limit.waits(longest) <= target
    assert limit.waits(longest * 1.01) > target


@table("cpus, burst, seconds, waits")
def test_a_login_waits(cpus: float, burst: float, seconds: float, waits: float) -> None:
    """The median over the start within a period, as measured and simulated."""
    limit = limited_to(cpus, burst=burst)
    assert limit.waits(seconds) == pytest.approx(waits, abs=0.0005)


@pytest.mark.parametrize("cpus", [0.5, 0.25])
@pytest.mark.parametrize("error", [0.03, 0.06, 0.1])
def test_hashes_that_scatter_wait_the_target(cpus: float, error: float) -> None:
    """In the median, though a quarter of a CPU stops each hash of 100 ms a second time."""
    limit, draw = limited_to(cpus), random.Random(1)
    longest = limit.fitting(0.1, error)
    walls = (
        limit.wall_seconds(longest * draw.gauss(1, error / 2), draw.uniform(0, 0.1))
        for _ in range(3000)
    )
    assert 0.085 <= statistics.median(walls) <= 0.105


def test_both_times_are_said() -> None:
    """A time under a quota is said with what a login waits for it."""
    assert "97.9 ms; 74.0 ms of CPU at 0.5 CPUs" == format_wait(0.074, limited_to(0.5))
    assert "74.0 ms" == format_wait(0.074, None)
