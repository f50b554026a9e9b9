"""How many hashes below the minimum are left in some months, if every login rehashes. Pure.

If logins are stationary, the time to a user's next login is distributed as the time since the
last one (a renewal process seen at a random moment: its age and its residual life).
"""

import enum
import math
from collections import Counter
from typing import Final

import msgspec

_HOURS_A_MONTH: Final = 365 * 24 // 12
_MONTHS: Final = (1, 3, 12)


class ForecastBasis(enum.Enum):
    """The figures that a forecast rests on."""

    LAST_LOGINS = "last-logins"
    LOGIN_RATE = "login-rate"
    """Then the forecast is a lower bound."""


class Remainder(msgspec.Struct, frozen=True, kw_only=True):
    """The hashes that are still below the minimum after some months."""

    months: int
    hashes: int


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """How many hashes below the minimum are left, if every login from now on rehashes."""

    basis: ForecastBasis
    logins_per_second: float | None = None
    """Logins of all users together; `None` if it rests on last logins."""
    remaining: tuple[Remainder, ...]


def by_last_logins(below_min: Counter[int | None]) -> Forecast:
    """Forecast by the hours since the last login of each user below the minimum.

    `None` stands for no login. Those remain in a month whose last login is more than a month ago.
    Where logins rehash already, nobody below the minimum has logged in of late, so that this is
    the most that remains, not the number.
    """
    remaining = []
    for months in _MONTHS:
        least = months * _HOURS_A_MONTH
        hashes = 0
        for hours, count in below_min.items():
            if hours is None or hours >= least:
                hashes += count
        remaining.append(Remainder(months=months, hashes=hashes))
    return Forecast(basis=ForecastBasis.LAST_LOGINS, remaining=tuple(remaining))


def by_login_rate(below_min: int, users: int, logins_per_second: float) -> Forecast:
    """Forecast the least that remains if ``users`` log in so often together.

    Equal users log in as Poisson processes, of which a share of exp(-rate t / users) has no
    event. Users who differ leave more, since exp is convex (Jensen's inequality).
    """
    remaining = []
    for months in _MONTHS:
        seconds = months * _HOURS_A_MONTH * 3600.0
        share = math.exp(-logins_per_second * seconds / max(users, 1))
        remaining.append(Remainder(months=months, hashes=math.floor(below_min * share)))
    return Forecast(
        basis=ForecastBasis.LOGIN_RATE,
        logins_per_second=logins_per_second,
        remaining=tuple(remaining),
    )
