"""Foresee the gain of huge pages for memory-hard hashers, from a measurement without. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.algorithms import Strength, strength_of
from hashcost.core.machine import BY_MALLOC, HUGE_PAGES, MALFORMED, ON_REQUEST, Machine, Notice
from hashcost.core.measurement import GLIBC_FRESH, Measurement, Params
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.units import parse_release
from hashcost.fit.solver import answer
from hashcost.recommend.library_times import with_reused_memory
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.policy import Policy

VARIABLE: Final = f"GLIBC_TUNABLES={HUGE_PAGES}"
"""The environment variable that a service needs."""
PLACES: Final = (
    f"The time holds only where the service has {VARIABLE}:",
    f"  systemd     Environment={VARIABLE}, below [Service] in a drop-in",
    f"  Dockerfile  ENV {VARIABLE}",
    f"  Compose     environment: [{VARIABLE}]",
    "  Kubernetes  env:",
    "              - name: GLIBC_TUNABLES",
    f"                value: {HUGE_PAGES}",
    f"  shell       export {VARIABLE}",
)
"""Lines of a comment: how each kind of service is given the variable."""
_OLDEST_GLIBC: Final = (2, 35)
_PRICE: Final = 0.13
"""Time of a fresh huge page, as a share of its small pages' (64 MiB written at once)."""
_WORTHWHILE: Final = 1.3
"""Least gain that is reported, as a multiple of both prices together."""


@dataclass(frozen=True, kw_only=True)
class Gain:
    """The setting of a hasher with huge pages that takes the same time."""

    row: Recommendation
    """The recommendation without huge pages."""
    params: Params
    before: Strength
    after: Strength

    @property
    def times(self) -> float:
        """Both prices together, as a multiple of the row's."""
        return self.after.product / self.before.product

    @property
    def on_gpu(self) -> float:
        """The price of a guess on a GPU, as a multiple of the row's."""
        return self.after.gpu / self.before.gpu

    @property
    def on_hardware(self) -> float:
        """The price of a guess on hardware made for it, as a multiple of the row's."""
        return self.after.hardware / self.before.hardware


def best_gain(profile: Profile, policies: Sequence[Policy] = ()) -> Gain | None:
    """The largest gain that huge pages promise, if any."""
    machine = profile.machine
    settings = machine.malloc.split()
    # It has them, or its settings cannot be read.
    is_asked = HUGE_PAGES in settings or MALFORMED in settings
    if is_asked or machine.reports_free_pages or unavailable(machine):
        return None
    gains = []
    for row in profile.answers:
        if row.implementation in BY_MALLOC:
            gain = _gain(profile, row, policies)
            if gain is not None:
                gains.append(gain)
    return max(gains, key=lambda gain: gain.times, default=None)


def unavailable(machine: Machine) -> str:
    """Explain why a process on this machine cannot use huge pages; empty if it can."""
    name, _, version = machine.libc.partition(" ")
    if machine.huge_pages != ON_REQUEST:
        mode = "no transparent huge pages"
        if machine.huge_pages:
            mode = f"mode {machine.huge_pages}"
        return f"the kernel has {mode}, and only mode {ON_REQUEST} waits to be asked"
    # The tunable came with glibc 2.35.
    if name != "glibc" or parse_release(version) < _OLDEST_GLIBC:
        return f"it takes glibc 2.35 or later, and this is {machine.libc or 'another libc'}"
    for word in machine.malloc.split():
        # A setting of glibc has a value; any other word names an allocator in its place.
        if "=" not in word and word != MALFORMED:
            return f"memory comes from {word}"
    return ""


def page_notices(machine: Machine, timed: Sequence[Measurement]) -> tuple[Notice, ...]:
    """Warn of huge pages that the host takes back between two logins."""
    surfaces = [measurement.fitted.surface for measurement in timed]
    has_huge_pages = any(surface is not None and surface.huge_pages for surface in surfaces)
    if not has_huge_pages or not machine.reports_free_pages:
        return ()
    message = (
        "the host takes free huge pages back: after a pause a hash takes up to three times as long"
    )
    return (Notice(code="pages-taken-back", message=message),)


def depends_on(machine: Machine, implementation: str, memory_bytes: float) -> bool:
    """Whether the time of a hash holds only if malloc asks for huge pages."""
    return memory_bytes >= GLIBC_FRESH and machine.gives_huge_pages(implementation)


def _gain(profile: Profile, row: Recommendation, policies: Sequence[Policy]) -> Gain | None:
    """The gain of one hasher; `None` if it is not worthwhile."""
    measurement = profile.measurement_of(row)
    if measurement is None or measurement.fitted.surface is None:
        return None
    surface = measurement.fitted.surface
    # A minimum that takes longer than the target is compared at its own time.
    target = max(measurement.fitting(profile.target_seconds), row.time_seconds)
    fitted = with_reused_memory(measurement.fitted, surface, 1 - _PRICE)
    best = answer(row.hasher, fitted, target, floors_of(policies, row.hasher)).fitting
    if best is None:
        return None
    before = strength_of(row.hasher, row.params, row.memory_bytes)
    after = best.strength(row.hasher)
    # Changing a service is worth only a gain that one would notice.
    if after.product < _WORTHWHILE * before.product:
        return None
    return Gain(row=row, params=best.params, before=before, after=after)
