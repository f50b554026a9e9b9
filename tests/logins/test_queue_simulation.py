"""The simulated queue against laws of queues."""

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from hashcost.fit.order_statistics import quantile
from hashcost.logins import queue_simulation
from hashcost.logins.queue_simulation import Service, highest_scale, simulate
from laws import examples

LOGINS = 400


@pytest.fixture(autouse=True)
def short_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches simulate no longer than a test needs."""
    monkeypatch.setattr(queue_simulation, "_TRIAL_LOGINS", 6000)


loads = st.floats(0.05, 0.95)
services = st.builds(
    Service,
    workers=st.integers(1, 6),
    hash_seconds=st.lists(st.floats(0.01, 0.1), min_size=1, max_size=6).map(tuple),
)


def mean_wait(service: Service, rate: float) -> float:
    """The mean seconds from a login's arrival until a worker takes it."""
    return fmean(simulate(service, rate)) - fmean(service.hash_seconds)


@table("load, hash_seconds, variation")
def test_the_mean_wait_is_that_of_pollaczek_and_khinchine(
    load: float, hash_seconds: list[float], variation: float
) -> None:
    """One worker keeps logins waiting, on average, as long as the formula for M/G/1 says, by the
    squared variation of its hashes: rho s (1 + v) / 2 (1 - rho).
    """
    expected = load * 0.05 * (1 + variation) / (2 * (1 - load))
    waits = mean_wait(Service(workers=1, hash_seconds=tuple(hash_seconds)), load / 0.05)
    assert waits == pytest.approx(expected, rel=0.10 if load > 0.8 else 0.05)


def test_two_workers_wait_as_the_approximation_says() -> None:
    """Two workers at 70 % keep logins waiting half as long as M/M/2 (Cosmetatos: within 6 %)."""
    load, seconds = 0.7, 0.05
    markov = seconds * load**2 / (1 - load**2)
    waits = mean_wait(Service(workers=2, hash_seconds=(seconds,)), 2 * load / seconds)
    assert waits == pytest.approx(markov / 2, rel=0.08)


def test_the_first_logins_are_not_counted() -> None:
    """They find the queue empty, and would make a busy server look quicker than it is."""
    responses = simulate(Service(workers=1, hash_seconds=(1.0,)), 1e9, logins=LOGINS)
    assert min(responses) > 2.0


def test_an_idle_server_answers_at_once() -> None:
    """Where hardly anyone comes, nobody waits and a response is a hash."""
    responses = simulate(Service(workers=2, hash_seconds=(0.05,)), 1e-6, logins=LOGINS)
    assert (0.05, 0.05) == pytest.approx((min(responses), max(responses)), abs=1e-6)


@given(services, loads, loads)
def test_more_load_never_lowers_the_mean_wait(service: Service, one: float, other: float) -> None:
    """With the same draws, logins that come more often wait no less on average."""
    less, more = (
        fmean(simulate(service, load * service.most_per_second, logins=LOGINS))
        for load in sorted((one, other))
    )
    assert less <= more * (1 + 1e-9) + 1e-9


@given(services, loads, st.floats(1.0, 2.0), st.integers(0, 3))
def test_a_slower_hash_or_fewer_workers_never_shorten_a_response(
    service: Service, load: float, slower: float, more: int
) -> None:
    """With the same draws, neither percentile falls."""
    rate = load * service.most_per_second
    better = Service(workers=service.workers + more, hash_seconds=service.hash_seconds)
    now, then = (simulate(s, rate, logins=LOGINS) for s in (better, service.scaled(slower)))
    assert quantile(now, 0.5) <= quantile(then, 0.5) * (1 + 1e-9)
    assert quantile(now, 0.95) <= quantile(then, 0.95) * (1 + 1e-9)


@given(services, loads, st.floats(1.5, 20.0))
@examples(10)
def test_the_highest_cost_holds(service: Service, load: float, slack: float) -> None:
    """The factor that is found keeps the tail, and a hundredth more does not, unless that would
    ask for all that the workers can do.
    """
    rate = load * service.most_per_second
    limit = slack * max(service.hash_seconds)

    def tail(scale: float) -> float:
        return quantile(simulate(service.scaled(scale), rate, logins=6000), 0.95)

    scale = highest_scale(service, rate, limit)
    assert 0 < scale * load <= 0.98 * (1 + 1e-9)
    assert tail(scale) <= limit
    assert scale * load > 0.97 or tail(scale * 1.01) > limit * (1 - 1e-9)
