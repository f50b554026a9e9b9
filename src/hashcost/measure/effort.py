"""The levels of effort that a measurement is made with."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much to measure.

    A linear hasher is fitted to ``samples`` short hashes; a memory-hard one is timed
    ``at_answer`` times at the answer. Up to ``at_most`` times as many are timed while the
    interval is wider than ``wanted`` to a side, as a fraction of the time.
    """

    samples: int
    at_answer: int
    at_most: int
    wanted: float


FAST: Final = Effort(samples=12, at_answer=1, at_most=2, wanted=0.20)
NORMAL: Final = Effort(samples=24, at_answer=2, at_most=6, wanted=0.15)
PRECISE: Final = Effort(samples=96, at_answer=12, at_most=3, wanted=0.06)
