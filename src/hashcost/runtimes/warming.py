"""When a runtime that compiles while it runs is as quick as it gets. Pure."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

MOST_SECONDS: Final = 10.0
"""A compiler that is still at work then leaves the answer to its interval."""
_COMPILING: Final = 0.02
"""Share of the last hashes' time that is no longer worth waiting for."""
_HASHES: Final = 20


@dataclass(eq=False)
class WarmUp:
    """The untimed hashes so far.

    It is over after ``least_seconds``, once the compiler took less than 2 % of the last twenty
    hashes, where the runtime tells. Wall time cannot tell: code that waits for its compiler is
    steady and slow (six runs of Java, 2026-11-22).
    """

    least_seconds: float
    elapsed: float = 0.0
    _last: deque[tuple[float, float | None]] = field(
        default_factory=lambda: deque(maxlen=_HASHES + 1)
    )

    def add(self, elapsed: float, cpu: float, compiling: float | None) -> None:
        """Note a hash: seconds since the start, its time, and the compiler's in all."""
        self.elapsed = elapsed
        self._last.append((cpu, compiling))

    @property
    def fraction(self) -> float:
        """How much is done at least, of what is known to be needed."""
        return min(self.elapsed / max(self.least_seconds, 1e-9), 1.0)

    @property
    def is_done(self) -> bool:
        """Whether hashes can be timed."""
        if self.elapsed >= max(MOST_SECONDS, self.least_seconds):
            return True
        return self.elapsed >= self.least_seconds and not self._is_compiling

    @property
    def _is_compiling(self) -> bool:
        (_, first), *others = self._last
        last = others[-1][1] if others else first
        if first is None or last is None:
            return False
        if len(others) < _HASHES:
            return True
        return last - first > _COMPILING * sum(cpu for cpu, _ in others)
