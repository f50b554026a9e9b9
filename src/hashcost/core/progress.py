"""Progress of a long task."""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

AS_LINES: Final = "HASHCOST_PROGRESS_LINES"
"""The environment variable by which a program asks for each `Stage` as a line of JSON."""


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """How far a long task has come."""

    phase: str
    """The current phase, in words."""
    fraction: float
    """The share of the whole that is done."""
    seconds_left: float | None = None
    """Until the phase ends; the display estimates it if it is `None`."""
    error: str = ""
    """Why the task has failed, in the last line that a program reads of it."""


Progress: TypeAlias = Callable[[Stage], None]
"""Called only between samples, never while a hash is timed."""
Advance: TypeAlias = Callable[[float], None]
"""Called with the fraction of one phase that is done."""


def within(report: Progress | None, phase: str, begins: float = 0.0, ends: float = 1.0) -> Advance:
    """Report a phase that takes the whole from one share to another."""

    # Without anybody to tell, the phases call the same function, which does nothing.
    def advance(fraction: float) -> None:
        if report is not None:
            report(Stage(phase=phase, fraction=begins + (ends - begins) * fraction))

    return advance
