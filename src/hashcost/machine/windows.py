"""Windows: the CPU by its family, model and stepping; how much memory there is is not known."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from hashcost.core.machine import Machine
from hashcost.machine.facts import System, without_marks


@dataclass(frozen=True)
class Windows(System):
    """What the environment tells."""

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def describe(self) -> Machine:
        """The machine, without its memory."""
        cpu_model = without_marks(self.environment.get("PROCESSOR_IDENTIFIER"))
        return msgspec.structs.replace(super().describe(), cpu_model=cpu_model)
