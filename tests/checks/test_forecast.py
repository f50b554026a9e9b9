"""The forecast against simulated users."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Final

import pytest

from hashcost.checks.forecast import Forecast, ForecastBasis, by_last_logins, by_login_rate

USERS: Final = 100_000
_DAY: Final = 1 / 86400
"""A login a day, in logins a second."""
_MONTH_SECONDS: Final = 365 / 12 * 86400


def rates(name: str, generator: random.Random) -> list[float]:
    """The logins a second of each user, on average one in 60 days."""
    if name == "equal":
        return [_DAY / 60] * USERS
    # Half of the users log in less than once in 117 days.
    return [generator.gammavariate(0.7, _DAY / 60 / 0.7) for _ in range(USERS)]


def hours(seconds: float) -> int:
    """Whole hours, as last logins are counted."""
    return math.floor(seconds / 3600)


def left(following: Sequence[float]) -> list[int]:
    """How many have not logged in after 1, 3 and 12 months."""
    return [sum(wait > months * _MONTH_SECONDS for wait in following) for months in (1, 3, 12)]


def predicted(forecast: Forecast) -> list[int]:
    """The numbers of a forecast."""
    return [rest.hashes for rest in forecast.remaining]


@pytest.mark.parametrize("name", ["equal", "gamma"])
@pytest.mark.parametrize("rehashing_months", [0, 6])
def test_last_logins_foretell_who_is_left(name: str, rehashing_months: int) -> None:
    """The forecast by last logins is within 1 % of the users, whether their rates are equal or
    not. Where logins have rehashed for months, it is not below what is left by more than that.
    """
    generator = random.Random(52)
    below: Counter[int | None] = Counter()
    following = []
    for rate in rates(name, generator):
        last, coming = generator.expovariate(rate), generator.expovariate(rate)
        # Who has logged in since logins rehash is not below the minimum.
        if last > rehashing_months * _MONTH_SECONDS:
            below[hours(last)] += 1
            following.append(coming)
    forecast = by_last_logins(below)
    assert ForecastBasis.LAST_LOGINS is forecast.basis
    for told, seen in zip(predicted(forecast), left(following), strict=True):
        assert seen - told <= 0.01 * USERS
        if not rehashing_months:
            assert told - seen <= 0.01 * USERS


def test_one_user_who_has_been_away_for_long_is_left() -> None:
    """Few users are not forecast to return because none of them has of late."""
    assert [1, 1, 0] == predicted(by_last_logins(Counter({11 * 730: 1})))


@pytest.mark.parametrize("name", ["equal", "gamma"])
@pytest.mark.parametrize("share_below", [1.0, 0.4])
def test_a_rate_of_logins_foretells_the_least_that_is_left(name: str, share_below: float) -> None:
    """The forecast by a rate is within 1 % of the users if they are equal, and never above what
    is left by more than 0.5 % if they are not.
    """
    generator = random.Random(52)
    own = rates(name, generator)
    following = [generator.expovariate(rate) for rate in own if generator.random() < share_below]
    forecast = by_login_rate(len(following), USERS, sum(own))
    assert ForecastBasis.LOGIN_RATE is forecast.basis
    for told, seen in zip(predicted(forecast), left(following), strict=True):
        assert told - seen <= 0.005 * USERS
        if name == "equal":
            assert abs(told - seen) <= 0.01 * USERS


def test_who_has_never_logged_in_is_left() -> None:
    """Without a last login, or with one more than a year ago, nobody is expected in a year."""
    year = 365 * 24
    below: Counter[int | None] = Counter({None: 5, 0: 3, 100: 7, year - 1: 11, year: 13})
    assert [29, 29, 18] == predicted(by_last_logins(below))
    assert [5, 5, 5] == predicted(by_last_logins(Counter({None: 5})))
    assert [0, 0, 0] == predicted(by_last_logins(Counter()))
    assert [0, 0, 0] == predicted(by_login_rate(0, 0, 1.0))
