"""Ticks of an axis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.render.plot.ticks import nice_step, nice_ticks, padded

_POSITIVE = st.floats(min_value=1e-9, max_value=1e12)


@given(low=_POSITIVE, factor=st.floats(min_value=1.5, max_value=1e9), count=st.integers(2, 12))
def test_ticks_lie_on_the_axis(low: float, factor: float, count: int) -> None:
    """Every tick lies between the ends, in order, and there are not many of them."""
    for logarithmic in (False, True):
        found = nice_ticks(low, low * factor, count, logarithmic=logarithmic)

        assert sorted(set(found)) == found
        assert all(low * 0.999 <= tick <= low * factor * 1.001 for tick in found)
        assert len(found) <= max(2 * count + 3, 12)


@pytest.mark.parametrize(("least", "step"), [(0.9, 1), (1.0, 1), (1.1, 2), (3, 5), (7, 10)])
def test_steps_are_round(least: float, step: float) -> None:
    """A step is one, two or five times a power of ten, and not below what is needed."""
    assert step == nice_step(least)


@given(values=st.lists(_POSITIVE, min_size=1), share=st.floats(min_value=0.01, max_value=0.2))
def test_padding_leaves_room(values: list[float], share: float) -> None:
    """Both ends lie outside the values; a logarithmic axis stays above zero."""
    for logarithmic in (False, True):
        low, high = padded(values, share, logarithmic=logarithmic)

        assert low <= min(values) <= max(values) <= high
        assert low < high
        assert not logarithmic or low > 0
