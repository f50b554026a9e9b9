"""How much to measure."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much to measure.

    ``samples`` short hashes carry the fit of a linear cost. Of a memory-hard one, hashes are
    timed at the answer until there are ``at_answer``. Either goes on, up to ``at_most`` times
    as many, while the interval reaches further than ``wanted`` to a side.
    """

    samples: int
    at_answer: int
    at_most: int
    wanted: float


FAST: Final = Effort(samples=12, at_answer=1, at_most=2, wanted=0.20)
NORMAL: Final = Effort(samples=24, at_answer=2, at_most=3, wanted=0.13)
PRECISE: Final = Effort(samples=96, at_answer=12, at_most=3, wanted=0.06)
