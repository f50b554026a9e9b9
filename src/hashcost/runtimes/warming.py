"""When a runtime that compiles while it runs is as quick as it gets. Pure."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final, NamedTuple

MOST_SECONDS: Final = 10.0
"""A hash whose compiler is still at work then is not timed."""
_COMPILING: Final = 0.02
"""Share of the last hashes' time that is no longer worth waiting for."""
_HASHES: Final = 20
_LAST_SECONDS: Final = 0.4
"""The last hashes take at least this long: between two tasks the compiler rests for a while."""


class _Hash(NamedTuple):
    seconds: float
    compiling: float


@dataclass(eq=False)
class WarmUp:
    """The untimed hashes so far.

    It is over after ``least_seconds`` and once the compiler took less than 2 % of the last
    twenty hashes. Their own time cannot tell: code that waits for its compiler is steady and
    slow (tests/runtimes/test_recorded_warm_ups.py).
    """

    least_seconds: float
    elapsed: float = 0.0
    _last: deque[_Hash] = field(default_factory=deque)

    def add(self, seconds: float, compiling: float | None) -> None:
        """Note a hash, by its wall time.

        ``compiling`` is the compiler's time in all; None if the runtime has none.
        """
        self.elapsed += seconds
        if compiling is None:
            return
        self._last.append(_Hash(seconds, compiling))
        while len(self._last) > _HASHES + 1 and self._last_seconds > _LAST_SECONDS:
            self._last.popleft()

    @property
    def fraction(self) -> float:
        """How much is done, of what is known to be needed."""
        return min(self.elapsed / max(self.least_seconds, 1e-9), 1.0)

    @property
    def is_done(self) -> bool:
        """Whether hashing on is no use."""
        most = max(MOST_SECONDS, self.least_seconds)
        return self.is_met or 0.0 < self.elapsed >= most

    @property
    def is_met(self) -> bool:
        """Whether hashes can be timed; the first tells whether there is a compiler."""
        return 0.0 < self.elapsed >= self.least_seconds and not self._is_compiling

    @property
    def _is_compiling(self) -> bool:
        if not self._last:
            return False
        if len(self._last) <= _HASHES:
            return True
        compiled = self._last[-1].compiling - self._last[0].compiling
        return compiled >= _COMPILING * self._last_seconds

    @property
    def _last_seconds(self) -> float:
        """How long the hashes took that followed the first of them."""
        return sum(each.seconds for each in self._last) - self._last[0].seconds
