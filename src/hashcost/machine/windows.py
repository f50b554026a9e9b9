"""Windows: the CPU by its family, model and stepping; how much memory there is is not known."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from hashcost.core.origin import Machine
from hashcost.machine.clock import Clock, system_clock
from hashcost.machine.facts import describe
from hashcost.machine.signals import Counters


@dataclass(frozen=True)
class Windows:
    """What the environment tells."""

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def clock(self) -> Clock:
        """The clocks; fresh pages are not counted."""
        return system_clock()

    def describe(self) -> Machine:
        """The machine, without its memory."""
        return describe(cpu_model=self.environment.get("PROCESSOR_IDENTIFIER"))

    def available_memory(self) -> int | None:
        """Not known."""
        return None

    def counters(self) -> Counters:
        """No counter but the time."""
        return Counters(wall_seconds=time.monotonic())
