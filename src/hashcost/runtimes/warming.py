"""When a runtime that compiles while it runs is as quick as it gets. Pure."""

import math
import statistics
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hashcost.fit.quiet_speed import MOST_SLOWED

MOST_SECONDS: Final = 10.0
"""A hash whose compiler is still at work then is not timed."""
_COMPILING: Final = 0.05
"""Share of the last hashes' time that is no longer worth waiting for."""
_HASHES: Final = 20
_LAST_SECONDS: Final = 0.4
"""The last hashes take at least this long: between two tasks the compiler rests for a while."""
_FAR_SLOWER: Final = 1.3
"""Taking this many times as long as before, or as another process, is not chance: fresh JVMs
differ by up to a fifth on the same code (runtimes.toml)."""
_FEW: Final = 8
_SLOWED_SECONDS: Final = 5.0
"""How long to wait for a hash to be as quick as before, if a neighbour may have slowed it."""
_CALLS: Final = 700
"""HotSpot compiles a method for good after 600 calls at the earliest
(Tier4MinInvocationThreshold), and calls the one that runs a whole hash once for each."""
_CALLS_SECONDS: Final = 2.0
"""Slow hashes get fewer calls."""
_SHORT_SECONDS: Final = 4e-4
_LONG_SECONDS: Final = 0.01
"""A long hash is compiled while it runs, as at the cost that is timed."""


def as_quick(seconds: Sequence[float]) -> list[bool]:
    """Which of several processes took about as long as the quickest for the same work."""
    return [each <= min(seconds) * _FAR_SLOWER for each in seconds]


class _Hash(NamedTuple):
    seconds: float
    compiling: float


@dataclass(eq=False)
class WarmUp:
    """The untimed hashes so far.

    It is over after ``least_seconds``, once the compiler has seen enough of them and took less
    than 5 % of the last twenty, and the last few are about as quick as any before. Their own time
    is not enough: code that waits for its compiler is steady and slow
    (tests/runtimes/test_recorded_warm_ups.py). Nor is the compiler's: it rests while code that was
    compiled and given up again is slow until it is compiled anew.
    """

    least_seconds: float
    elapsed: float = 0.0
    _count: int = 0
    _last: deque[_Hash] = field(default_factory=deque)
    _rates: deque[float] = field(default_factory=lambda: deque(maxlen=_FEW))
    _quickest: float = math.inf

    def add(self, seconds: float, compiling: float | None, unit_seconds: float) -> None:
        """Note a hash, by its wall time, and by its CPU time for each unit of work.

        ``compiling`` is the compiler's time in all; None if the runtime has none.
        """
        self.elapsed += seconds
        self._count += 1
        self._rates.append(unit_seconds)
        if len(self._rates) == _FEW:
            self._quickest = min(self._quickest, self.unit_seconds)
        if compiling is None:
            return
        self._last.append(_Hash(seconds, compiling))
        while len(self._last) > _HASHES + 1 and self._last_seconds > _LAST_SECONDS:
            self._last.popleft()

    @property
    def unit_seconds(self) -> float:
        """CPU time for each unit of work, in the middle of the last few hashes."""
        return statistics.median(self._rates)

    @property
    def hash_seconds(self) -> float:
        """CPU time that the next hash should take at least: many are short, the last are long."""
        return _SHORT_SECONDS if self._lacks_calls(_CALLS) else _LONG_SECONDS

    @property
    def fraction(self) -> float:
        """How much is done, of what is known to be needed."""
        parts = [self.elapsed / max(self.least_seconds, 1e-9), 1.0]
        if self._last:
            parts.append(max(self._count / (_CALLS + _HASHES), self.elapsed / _CALLS_SECONDS))
        return min(parts)

    @property
    def is_done(self) -> bool:
        """Whether hashing on is no use."""
        most = max(MOST_SECONDS, self.least_seconds)
        return self.is_met or 0.0 < self.elapsed >= most

    @property
    def is_met(self) -> bool:
        """Whether hashes can be timed; the first tells whether there is a compiler."""
        if not 0.0 < self.elapsed >= self.least_seconds:
            return False
        waits = self._lacks_calls(_CALLS + _HASHES) or self._is_compiling or self._was_quicker
        return not waits

    def _lacks_calls(self, needed: int) -> bool:
        """Whether a compiler has seen fewer hashes than this, and there is time for more."""
        return bool(self._last) and self._count < needed and self.elapsed < _CALLS_SECONDS

    @property
    def _was_quicker(self) -> bool:
        """Whether earlier hashes took far less time than the last few.

        A neighbour may be the reason: after a while it is no longer waited for.
        """
        most = MOST_SLOWED if self.elapsed >= _SLOWED_SECONDS else _FAR_SLOWER
        return 0 < self._quickest * most < self.unit_seconds

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
