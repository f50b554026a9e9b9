"""Decide when a runtime that compiles while it runs is as fast as it gets. Pure.

Figures: Java 17 on an AMD EPYC guest, 2026-11-23.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from hashcost.runtimes.protocol import HashTimes

MOST_SECONDS: Final = 10.0
"""A hash whose compiler or heap is still busy then gets no time."""
# Share of the last hashes' time below which the compiler no longer matters.
_COMPILING: Final = 0.05
_HASHES: Final = 20
# The last hashes take at least this long: between two tasks the compiler rests for a while.
_LAST_SECONDS: Final = 0.4
HASH_SECONDS: Final = 0.01
"""CPU time that an untimed hash should take, so that it is compiled as a timed one is."""
_FRESH_PAGES: Final = 3
# Each takes 2 to 11 µs, so that these slow a hash of 40 ms by 1 % at most.
_FRESH_PAGES_A_SECOND: Final = 1000.0
# Time of a warm-up if there is a compiler.
_USUAL_SECONDS: Final = 1.0


@dataclass(eq=False)
class WarmUp:
    """The untimed hashes so far.

    It is met after ``least_seconds``, once the compiler took less than 5 % of the last twenty
    hashes, and done when the last did not fill the heap. Their own time cannot tell: code that
    waits for its compiler is steady and slow (tests/runtimes/test_warming.py).
    """

    least_seconds: float
    elapsed: float = 0.0
    _fills_heap: bool = False
    _last: deque[HashTimes] = field(default_factory=deque)

    def add(self, timed: HashTimes) -> None:
        """Note a hash."""
        self.elapsed += timed.wall
        self._fills_heap = fills_heap(timed)
        if timed.compiling is not None:
            self._last.append(timed)
        while len(self._last) > _HASHES + 1 and self._last_seconds > _LAST_SECONDS:
            self._last.popleft()

    @property
    def fraction(self) -> float:
        """The fraction that is done, of the warm-up that is known to be needed."""
        # Without a compiler no more is needed than what is known of the library.
        usual = max(self.least_seconds, 1e-9)
        if self._last:
            usual = max(usual, _USUAL_SECONDS)
        return min(self.elapsed / usual, 1.0)

    @property
    def is_done(self) -> bool:
        """Whether further hashes cannot help."""
        most = max(MOST_SECONDS, self.least_seconds)
        return (self.is_met and not self._fills_heap) or 0.0 < self.elapsed >= most

    @property
    def is_met(self) -> bool:
        """Whether hashes can be timed; the first tells whether there is a compiler."""
        return 0.0 < self.elapsed >= self.least_seconds and not self._is_compiling

    @property
    def _is_compiling(self) -> bool:
        # Too few to tell; none are kept where no compiler tells.
        if len(self._last) <= _HASHES:
            return bool(self._last)
        compiled = (self._last[-1].compiling or 0.0) - (self._last[0].compiling or 0.0)
        return compiled >= _COMPILING * self._last_seconds

    @property
    def _last_seconds(self) -> float:
        """Seconds of the hashes after the first."""
        return sum(timed.wall for timed in self._last) - self._last[0].wall


def fills_heap(timed: HashTimes) -> bool:
    """Whether a hash was slowed by pages of memory that its process used for the first time.

    While a JVM fills a heap that has grown, its argon2id takes two to eight times as long; in an
    application that has run for a while, every page has been used. Where no compiler tells, a
    library may ask the system for memory in each hash.
    """
    few = _FRESH_PAGES + _FRESH_PAGES_A_SECOND * timed.cpu
    return timed.compiling is not None and timed.faults > few
