"""Order statistics against their definitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.fit.order_statistics import (
    CONFIDENCE,
    FEWEST_FOR_SURE_TAIL,
    FEWEST_FOR_TAIL,
    quantile,
)

_TIMES = st.floats(min_value=1e-6, max_value=10.0)


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 50), (0.95, 95), (0.951, 96), (0.001, 1), (1.0, 100)]
)
def test_a_quantile_is_one_of_the_values(share: float, value: int) -> None:
    """Of a hundred values, that many hundredths do not exceed the quantile."""
    assert value == quantile([float(number) for number in range(100, 0, -1)], share)


@given(st.lists(_TIMES, min_size=1, max_size=100), st.floats(0.01, 0.99))
def test_a_quantile_has_its_share_below(values: list[float], share: float) -> None:
    """At least the share of the values does not exceed the quantile, and fewer the next lower."""
    found = quantile(values, share)
    assert sum(value <= found for value in values) >= share * len(values) - 1e-6
    assert sum(value < found for value in values) <= share * len(values) + 1e-6


def test_how_many_a_95th_percentile_takes() -> None:
    """From 59 on the largest lies beyond the true one with 95 % confidence; of fewer than 20 not
    one lies beyond it.
    """
    assert 1 - 0.95**FEWEST_FOR_SURE_TAIL > CONFIDENCE > 1 - 0.95 ** (FEWEST_FOR_SURE_TAIL - 1)
    assert 1 == FEWEST_FOR_TAIL * 0.05
