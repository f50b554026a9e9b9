"""The simulated queue against what is known of queues."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.logins import queue_simulation as queueing
from hashcost.logins.queue_simulation import (
    Service,
    fewest_servers,
    highest_rate,
    highest_scale,
    respond,
    schedule,
    service,
    simulate,
    works_like,
)
from laws import examples

LOGINS = 400


@pytest.fixture(autouse=True)
def short_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that do not simulate longer than a test needs."""
    monkeypatch.setattr(queueing, "_TRIAL_LOGINS", 6000)


loads = st.floats(0.05, 0.95)
factors = st.lists(st.floats(0.5, 3.0), min_size=1, max_size=6).map(tuple)


@st.composite
def services(draw: st.DrawFn) -> Service:
    """Workers that are the slower the more of them are at work, up to sharing one core."""
    workers = draw(st.integers(1, 6))
    seconds = [draw(st.floats(1e-3, 1.0))]
    for busy in range(2, workers + 1):
        growth = draw(st.floats(1.0, busy / (busy - 1)))
        seconds.append(seconds[-1] * growth)
    return Service(seconds=tuple(seconds), factors=draw(factors))


@pytest.mark.parametrize("load", [0.3, 0.5, 0.7, 0.9])
def test_the_mean_wait_is_that_of_pollaczek_and_khinchine(load: float) -> None:
    """One worker whose hashes all take the same keeps logins waiting for as long, on average, as
    the formula for M/D/1 says: rho s / 2 (1 - rho).
    """
    seconds = 0.05
    expected = load * seconds / (2 * (1 - load))
    outcome = simulate(Service(seconds=(seconds,)), load / seconds)
    assert outcome.mean_wait_seconds == pytest.approx(expected, rel=0.10 if load > 0.8 else 0.04)


def test_the_mean_wait_grows_with_the_spread_of_service_times() -> None:
    """Of hashes that take 0.5 or 1.5 times the mean, with a squared variation of 1/4, logins wait
    1.25 times as long as of even ones (Pollaczek-Khinchine).
    """
    even = simulate(Service(seconds=(0.05,)), 14.0)
    spread = simulate(Service(seconds=(0.05,), factors=(0.5, 1.5)), 14.0)
    assert spread.mean_wait_seconds / even.mean_wait_seconds == pytest.approx(1.25, rel=0.05)


def test_slow_stretches_make_longer_queues_than_the_same_hashes_in_any_order() -> None:
    """A machine that is slow for a while lets logins wait longer than one whose slow hashes
    are scattered: the order in which the hashes were measured counts.
    """
    quick, slow = [0.8] * 100, [1.4] * 100
    scattered = [factor for pair in zip(quick, slow, strict=True) for factor in pair]
    waits = [
        simulate(Service(seconds=(0.05, 0.05), factors=tuple(order)), 28.0).mean_wait_seconds
        for order in (quick + slow, scattered)
    ]
    assert waits[0] > 2 * waits[1]


@given(factors, st.integers(1, 50), st.randoms(use_true_random=False))
def test_what_logins_take_was_measured(
    spread: tuple[float, ...], count: int, chance: random.Random
) -> None:
    """As many as are asked for, each of them a hash that was measured."""
    works = works_like(Service(seconds=(0.05,), factors=spread), count, chance)
    assert len(works) == count
    assert set(works) <= set(spread)


@given(st.integers(1, 40))
@examples(10)
def test_every_measured_hash_is_drawn_as_often(size: int) -> None:
    """Stretches favour none of the hashes that were measured."""
    spread = tuple(float(number) for number in range(1, size + 1))
    works = works_like(Service(seconds=(0.05,), factors=spread), 40_000, random.Random(1))
    assert sum(works) / len(works) == pytest.approx(sum(spread) / size, rel=0.05)


def test_an_idle_server_answers_at_once() -> None:
    """Where hardly anyone comes, nobody waits and a response is a hash."""
    outcome = simulate(Service(seconds=(0.05, 0.06)), 1e-6, logins=LOGINS)
    assert pytest.approx((0.05, 0.05, 0.0)) == (
        outcome.p50_seconds,
        outcome.p95_seconds,
        outcome.mean_wait_seconds,
    )


@given(services(), loads, loads)
def test_more_load_never_lowers_the_mean_wait(
    served: Service, one_load: float, other_load: float
) -> None:
    """With the same draws, logins that come more often wait no less on average."""
    low, high = sorted((one_load, other_load))
    waits = [
        simulate(served, load * served.most_per_second, logins=LOGINS).mean_wait_seconds
        for load in (low, high)
    ]
    assert waits[0] <= waits[1] * (1 + 1e-9) + 1e-12


@given(services(), loads, st.floats(1.0, 2.0))
def test_a_slower_hash_never_shortens_a_response(
    served: Service, load: float, slower: float
) -> None:
    """With the same draws, a cost that takes longer lowers neither percentile."""
    rate = load * served.most_per_second
    now, then = (simulate(s, rate, logins=LOGINS) for s in (served, served.scaled(slower)))
    assert now.p50_seconds <= then.p50_seconds * (1 + 1e-9)
    assert now.p95_seconds <= then.p95_seconds * (1 + 1e-9)


@given(st.integers(1, 8), factors, loads)
def test_more_workers_are_no_worse_than_one(
    workers: int, spread: tuple[float, ...], load: float
) -> None:
    """Workers who do not hinder each other let nobody wait longer than one of them would."""
    alone = Service(seconds=(0.05,), factors=spread)
    several = alone.grown(workers)
    rate = load * alone.most_per_second
    assert (
        simulate(several, rate, logins=LOGINS).mean_wait_seconds
        <= simulate(alone, rate, logins=LOGINS).mean_wait_seconds + 1e-12
    )


@given(services(), st.floats(0.1, 0.9))
@examples(25)
def test_below_full_load_the_queue_does_not_grow(served: Service, load: float) -> None:
    """Below what the workers can do at most, all logins leave soon after the last has come."""
    count = 5_000
    rate = load * served.most_per_second
    chance = random.Random(1)
    due = schedule(count, count / rate, chance)
    works = chance.choices(served.factors, k=count)
    responses = respond(served, due, works)
    longest = max(served.seconds) * max(served.factors)
    assert max(responses) < 400 * longest / (1 - load)
    assert min(responses) >= min(served.seconds) * min(served.factors) * (1 - 1e-9)


@given(services(), loads)
def test_workers_are_busy_for_no_more_than_the_load(served: Service, load: float) -> None:
    """The workers' busy share is that of the work that comes: less than the load, since with few
    at work each is quicker, and never above one.
    """
    outcome = simulate(served, load * served.most_per_second, logins=LOGINS)
    assert 0 < outcome.utilisation <= min(1.0, 1.2 * load + 0.05)


def test_first_come_first_served() -> None:
    """Of two workers, who come while both hash are served in the order in which they came."""
    served = Service(seconds=(1.0, 1.0))
    responses = respond(served, [0.0, 0.1, 0.2, 0.3], [1.0, 1.0, 1.0, 1.0])
    assert pytest.approx([1.0, 1.0, 1.8, 1.8]) == responses


def test_two_at_work_slow_each_other_down() -> None:
    """A hash that is alone for half of its work and then beside another takes what each half
    takes.
    """
    served = Service(seconds=(1.0, 2.0))
    responses = respond(served, [0.0, 0.5], [1.0, 1.0])
    # Half the work alone in 0.5 s, the other half together in 1 s; then the second one alone.
    assert pytest.approx([1.5, 1.5]) == responses


class TestService:
    """Service times from what was measured."""

    def test_lie_on_a_line_between_the_measured(self) -> None:
        """Between two measured numbers of threads a line is drawn."""
        found = service({1: 1.0, 2: 1.2, 4: 1.6}, 4)
        assert pytest.approx((1.0, 1.2, 1.4, 1.6)) == found.seconds

    def test_fewer_at_work_are_not_slower(self) -> None:
        """Where noise made a lone hash slower than two at once, the later figure counts."""
        assert (1.0, 1.0) == service({1: 1.3, 2: 1.0}, 2).seconds

    def test_many_workers_are_bounded_work(self) -> None:
        """A thousand workers are simulated as one is."""
        served = service({1: 0.05, 1024: 0.06}, 1024)
        outcome = simulate(served, 0.7 * served.most_per_second, logins=LOGINS)
        assert outcome.p95_seconds == pytest.approx(0.06, rel=0.2)


class TestSearches:
    """The highest and the fewest that hold a tail."""

    @given(services(), loads, st.floats(1.5, 20.0))
    @examples(10)
    def test_the_highest_cost_holds(self, served: Service, load: float, slack: float) -> None:
        """The factor that is found keeps the tail, and a hundredth more does not, unless it
        would ask for all that the workers can do.
        """
        rate = load * served.most_per_second
        limit = slack * served.seconds[-1] * max(served.factors)

        def tail(scale: float) -> float:
            trial = simulate(served.scaled(scale), rate, logins=queueing._TRIAL_LOGINS)
            return trial.p95_seconds

        scale = highest_scale(served, rate, limit)
        assert 0 < scale * load <= 0.98 * (1 + 1e-9)
        assert tail(scale) <= limit
        assert scale * load > 0.97 or tail(scale * 1.01) > limit * (1 - 1e-9)

    def test_the_highest_rate_holds(self) -> None:
        """Twice as quick workers hold twice the rate with half the tail."""
        served = Service(seconds=(0.05, 0.05))
        slow, quick = highest_rate(served, 0.2), highest_rate(served.scaled(0.5), 0.1)
        assert 20 < slow < 40
        assert quick == pytest.approx(2 * slow, rel=0.01)

    def test_no_rate_helps_a_hash_that_takes_too_long(self) -> None:
        """Where one hash takes longer than the tail, no rate is held and no workers are enough."""
        served = Service(seconds=(0.05, 0.05))
        assert 0.0 == pytest.approx(highest_rate(served, 0.04), abs=0.05)
        assert fewest_servers(served, 10.0, 0.04) is None

    def test_enough_workers_and_not_one_less(self) -> None:
        """The number of workers that is found keeps the tail, and one less does not."""
        served, rate, limit = Service(seconds=(0.05, 0.05)), 100.0, 0.2
        enough = fewest_servers(served, rate, limit)
        assert enough is not None
        assert simulate(served.grown(enough), rate).p95_seconds <= limit
        assert simulate(served.grown(enough - 1), rate).p95_seconds > limit

    def test_a_crowd_beyond_reason(self) -> None:
        """For a rate that no number of CPUs of today holds there is no answer."""
        assert fewest_servers(Service(seconds=(1.0,)), 1e9, 10.0) is None


@given(st.integers(1, 500), st.floats(1.0, 1e4), st.integers(0, 2**32))
def test_a_schedule_keeps_its_rate(count: int, seconds: float, seed: int) -> None:
    """As many logins come as were asked for, within the time and in order."""
    due = schedule(count, seconds, random.Random(seed))
    assert count == len(due)
    assert list(due) == sorted(due)
    assert 0 <= due[0] <= due[-1] <= seconds
