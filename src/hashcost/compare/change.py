"""One machine at two times: whether it changed, or a library on it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from hashcost.compare.model import Cause, RelativeSpeed, Standing
from hashcost.compare.speed import standing
from hashcost.core.machine import Machine

_LASTING = attrgetter("cpu_model", "cpu_count", "cpu_flags", "architecture", "virtualization")
_MEMORY_TOLERANCE = 0.01
"""A kernel keeps some of the memory to itself, another one a little more."""


def is_same_machine(one: Machine, other: Machine) -> bool:
    """Whether nothing tells two machines apart.

    A profile holds no name on purpose, so two machines of one kind look the same. What
    an update changes (system, kernel, Python, OpenSSL, a limit) makes no other machine.
    Two machines whose CPU is unknown are two.
    """
    alike = _LASTING(one) == _LASTING(other) and _is_alike(one.memory_bytes, other.memory_bytes)
    return alike and one.cpu_model is not None


def _is_alike(one: int | None, other: int | None) -> bool:
    if one is None or other is None:
        return one == other
    return abs(one - other) <= _MEMORY_TOLERANCE * max(one, other)


@dataclass(frozen=True, kw_only=True)
class Moved:
    """How fast one hasher is beside what it was."""

    label: str
    speed: RelativeSpeed
    library_changed: bool

    @property
    def standing(self) -> Standing:
        """What the ratio says."""
        return standing(self.speed)


def cause_of(hashers: Sequence[Moved]) -> Cause:
    """Who did it, as far as the hashers' movements tell.

    - Nothing moved: nobody.
    - A library, where it alone changed what moved: every hasher that moved has another
      library than before, and some hasher whose library is the same stood still.
    - The machine, where all moved the same way and one ratio lies in all intervals, with
      a hasher among them whose library is the same.
    - Anything else, such as a new library without a hasher to hold it against, is unclear.
    """
    known = [each for each in hashers if each.standing is not Standing.UNKNOWN]
    moved = [each for each in known if each.standing is not Standing.NO_DIFFERENCE]
    if not known:
        return Cause.UNCLEAR
    if not moved:
        return Cause.NOTHING
    unchanged = [each for each in known if not each.library_changed]
    if unchanged and all(each.library_changed for each in moved):
        return Cause.LIBRARY
    if unchanged and _moved_alike(known):
        return Cause.MACHINE
    return Cause.UNCLEAR


def _moved_alike(hashers: Sequence[Moved]) -> bool:
    one_way = len({each.standing for each in hashers}) == 1
    lows = [each.speed.low for each in hashers if each.speed.low is not None]
    highs = [each.speed.high for each in hashers if each.speed.high is not None]
    return one_way and max(lows) <= min(highs)
