"""How far the sessions of a target have come, by what is left to time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.progress import Progress, Stage
from hashcost.measure.core_watch import CoreWatch
from hashcost.measure.session import Session, waiting

TIMING: Final = "timing hashes"


@dataclass(eq=False)
class Meter:
    """Reports how much is done of all that is to be timed."""

    report: Progress | None
    sessions: Sequence[Session]
    watch: CoreWatch
    budget_seconds: float

    def tell(self) -> None:
        """Report how much is done."""
        if self.report is None:
            return
        due = [session.due for session in self.sessions if session.due is not None]
        elapsed = self.watch.elapsed
        timing = sum(each.later_seconds + each.expected_seconds for each in due)
        left = min(timing * waiting(self.sessions), max(self.budget_seconds - elapsed, 0.0))
        fraction = elapsed / max(elapsed + left, 1e-9)
        self.report(Stage(phase=TIMING, fraction=fraction, seconds_left=left))
