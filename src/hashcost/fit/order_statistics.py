"""Order statistics: no distribution is assumed and no sample is thrown away. Pure."""

import math
from collections.abc import Sequence

CONFIDENCE = 0.95
"""The confidence of every interval that is printed."""

FEWEST_FOR_TAIL = 20
"""Below this not one sample in twenty lies beyond the 95th percentile."""
FEWEST_FOR_SURE_TAIL = 59
"""From here on the largest sample lies beyond the 95th percentile with 95 % confidence:
1 - 0.95**59 > 0.95."""


def quantile(values: Sequence[float], share: float) -> float:
    """The lowest of the values that at least this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered) - 1e-9), 1) - 1]
