"""How much to measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much to measure.

    ``samples`` hashes of about ``sample_seconds`` each (a quarter of the target
    where that is shorter) carry the fit; ``confirmations`` are timed at the
    solved cost; ``brackets`` says whether the step above is timed too. Of a
    hasher that climbs a ladder, ``ladder_samples`` are timed at the solved cost.
    Where these leave much open, all hashers together are sampled until they no
    longer do, or for ``patience_seconds``.
    """

    samples: int
    sample_seconds: float
    confirmations: int
    brackets: bool
    ladder_samples: int
    patience_seconds: float
    least_seconds: float = 0.0
    """All hashers together are sampled for at least this long, to cover slow drift."""


FAST: Final = Effort(
    samples=9,
    sample_seconds=5e-3,
    confirmations=1,
    brackets=False,
    ladder_samples=6,
    patience_seconds=1.5,
)
NORMAL: Final = Effort(
    samples=12,
    sample_seconds=8e-3,
    confirmations=1,
    brackets=True,
    ladder_samples=6,
    patience_seconds=5.0,
)
PRECISE: Final = Effort(
    samples=72,
    sample_seconds=10e-3,
    confirmations=5,
    brackets=True,
    ladder_samples=18,
    patience_seconds=20.0,
    least_seconds=10.0,
)
