"""What an application accepts of a cost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hashcost.apps.interface import Limits


@given(st.integers(0, 10_000_000))
def test_the_nearest_is_the_highest_below(value: int) -> None:
    """A value between two multiples is taken down, and one outside to the nearest end."""
    limits = Limits(minimum=5000, maximum=4_095_000, step=1000)
    nearest = limits.nearest(value)
    assert nearest % 1000 == 0
    assert 5000 <= nearest <= 4_095_000
    assert nearest == min(max(value // 1000 * 1000, 5000), 4_095_000)
