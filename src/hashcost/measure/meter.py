"""How far the sessions of a target have come: by what is left to time, and the core's state."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from hashcost.core.progress import Progress, Stage
from hashcost.measure.core_watch import CoreWatch
from hashcost.measure.session import slowdown
from hashcost.measure.target_session import TargetSession

TIMING: Final = "timing hashes"
WAITING: Final = "a neighbour is slowing this core; waiting for a quiet moment"
_LINGERS_SECONDS: Final = 0.5
"""A core that was shared is called so for as long, lest the words flicker."""


@dataclass(eq=False)
class Meter:
    """Reports how much is done of all that is to be timed."""

    report: Progress | None
    sessions: Sequence[TargetSession]
    watch: CoreWatch
    budget_seconds: float
    _shared_at: float = field(default=-math.inf, init=False)
    """When the core was last seen shared."""

    def tell(self) -> None:
        """Report how much is done."""
        if self.report is not None:
            self.report(self._stage())

    def _stage(self) -> Stage:
        due = [each.request for each in self.sessions if each.request is not None]
        if not due:
            return Stage(phase=TIMING, fraction=1.0, seconds_left=0.0)
        elapsed, patience = self.watch.elapsed, self.watch.patience_left
        if self.watch.is_shared:
            self._shared_at = elapsed
        shared = elapsed - self._shared_at < _LINGERS_SECONDS
        waits = patience > 0 and shared and all(each.waits for each in due)
        watching = patience if waits else self.watch.seconds_left
        slow, most = slowdown(self.sessions), max(self.budget_seconds - elapsed, 0.0)
        if self.watch.is_known:  # The core is watched while hashes are timed.
            timing = sum(each.later_seconds + each.expected_seconds for each in due)
            left = min(max(watching, timing * slow), most)
        else:
            timing = sum(
                each.later_seconds + (0.0 if each.waits else each.expected_seconds) for each in due
            )
            left = min(watching + timing * slow, most)
        return Stage(
            phase=WAITING if waits else TIMING,
            fraction=elapsed / max(elapsed + left, 1e-9),
            seconds_left=min(watching, left) if waits else left,
            may_end_sooner=waits,
        )
