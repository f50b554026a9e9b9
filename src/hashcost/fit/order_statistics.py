"""Order statistics: they assume no distribution and drop no sample. Pure."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final

CONFIDENCE = 0.95
"""The confidence of every interval that is printed."""
REACH: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Half the width of an interval, in standard errors."""

FEWEST_FOR_TAIL = 20
"""Fewest samples of which one lies beyond the 95th percentile."""
FEWEST_FOR_SURE_TAIL = 59
"""Fewest samples whose largest lies beyond the 95th percentile with 95 % confidence:
1 - 0.95**59 > 0.95."""


def quantile(values: Sequence[float], share: float) -> float:
    """The lowest of the values that at least this share of them does not exceed."""
    ordered = sorted(values)
    # A product that should be whole may be rounded up: 0.07 * 100 is more than 7.
    rank = math.ceil(share * len(ordered) - 1e-9)
    return ordered[max(rank, 1) - 1]
