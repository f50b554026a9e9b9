"""How much to measure."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much to measure.

    ``samples`` hashes of about ``sample_seconds`` each (a quarter of the target
    where that is shorter) carry the fit; ``confirmations`` are timed at the
    solved cost; ``brackets`` says whether the step above is timed too. Of a
    hasher that climbs a ladder, ``ladder_samples`` are timed at the solved cost.
    Sampling goes on until the core was seen quiet at moments ``spread_seconds`` apart
    (``blind_seconds`` where no earlier run tells quiet from shared, a third of that if
    both were seen), or for ``patience_seconds``.
    """

    samples: int
    sample_seconds: float
    confirmations: int
    brackets: bool
    ladder_samples: int
    spread_seconds: float
    blind_seconds: float
    patience_seconds: float


FAST: Final = Effort(
    samples=9,
    sample_seconds=2e-3,
    confirmations=1,
    brackets=False,
    ladder_samples=6,
    spread_seconds=0.1,
    blind_seconds=0.8,
    patience_seconds=1.5,
)
NORMAL: Final = Effort(
    samples=12,
    sample_seconds=2e-3,
    confirmations=1,
    brackets=True,
    ladder_samples=6,
    spread_seconds=0.2,
    blind_seconds=4.5,
    patience_seconds=5.0,
)
PRECISE: Final = Effort(
    samples=72,
    sample_seconds=4e-3,
    confirmations=5,
    brackets=True,
    ladder_samples=18,
    spread_seconds=10.0,
    blind_seconds=10.0,
    patience_seconds=20.0,
)
