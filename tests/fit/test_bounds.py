"""What is known of a time that was not measured: that it is between two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import MEMORY_HARD, measurement_of
from hashcost.fit.times import least_seconds_at, most_seconds_at, setting_at

ROW = measurement_of("argon2id@argon2-cffi", MEMORY_HARD)


@given(memory=st.integers(8, 2**32), passes=st.integers(1, 99), lanes=st.integers(1, 16))
def test_the_bounds_are_in_order(memory: int, passes: int, lanes: int) -> None:
    """What a hash takes at least is never more than what it takes at most."""
    params = {"memory_kib": memory, "time_cost": passes, "parallelism": lanes}
    least, most = (bound(ROW, params) for bound in (least_seconds_at, most_seconds_at))
    assert least is None or most is None or least <= most * (1 + 1e-9)


def test_what_was_timed_is_both_bounds() -> None:
    """At memory that was timed the two are its time."""
    params = {"memory_kib": 12288, "time_cost": 3, "parallelism": 1}
    known = setting_at(ROW, params)
    assert known is not None
    assert least_seconds_at(ROW, params) == most_seconds_at(ROW, params) == known.seconds


def test_further_lanes_save_their_share_at_most() -> None:
    """Four lanes take a quarter of one at least."""
    params = {"memory_kib": 12288, "time_cost": 5, "parallelism": 4}
    assert pytest.approx(0.0575 / 4) == least_seconds_at(ROW, params)
