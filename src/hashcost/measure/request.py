"""The request that a calibration runs for: hashers, target and limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hashcost.core.errors import UsageError
from hashcost.core.measurement import Params
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target
from hashcost.measure.effort import NORMAL, Effort
from hashcost.measure.plan import SweepPlan
from hashcost.strength.policies.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Request:
    """The hashers to measure, the target, and the limits."""

    target_seconds: float = DEFAULT_TARGET_SECONDS
    """Time that one hash may take, above 0 and at most 60 s."""
    hashers: Sequence[str] = ()
    """Names, ``hasher`` or ``hasher@implementation``; by default, the default hashers."""
    every_implementation: bool = False
    """Measure every implementation instead of the preferred one."""
    also: Sequence[str] = ()
    """Further labels to measure, without rows of their own; unavailable ones are left out."""
    parallelism: int | None = None
    """Lanes of argon2id, one by default."""
    memory_bytes: int | None = None
    """Memory that one hash may take; by default a quarter of the free memory, within the control
    group's limit. Memory-hard hashers need it on a system that reports neither."""
    effort: Effort = NORMAL
    """How much to measure: `hashcost.FAST`, ``NORMAL`` or ``PRECISE``."""
    budget_seconds: float | None = None
    """Wall time after which no hash is started; by default 15 s, or more for a long target."""
    policies: Sequence[Policy] = ()
    """Policies whose minimums are preferred among the settings within the target."""
    enforce: bool = False
    """Whether to time hashes at the policies' minimums if the target cannot meet them."""
    extra_costs: Mapping[str, tuple[Params, ...]] = field(default_factory=dict)
    """Further costs to time, by memory-hard hasher."""
    sweep_plans: Mapping[str, SweepPlan] = field(default_factory=dict)
    """Costs that are timed in place of those that the target asks for, by label."""

    def check(self) -> None:
        """Refuse values out of range.

        Raises:
            UsageError: the target, the budget or the parallelism is wrong.
        """
        check_target(self.target_seconds)
        if self.budget_seconds is not None and not self.budget_seconds > 0:
            raise UsageError("--budget must be above zero")
        # How many lanes there is memory for depends on the machine.
        if self.parallelism is not None and self.parallelism < 1:
            raise UsageError("--parallelism must be above zero")
