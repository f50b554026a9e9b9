"""Where memory-hard hashers would gain from huge pages, and who has to ask for them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hashcost.core.machine import BY_MALLOC, HUGE_PAGES, MALFORMED, ON_REQUEST, Machine, Notice
from hashcost.core.measurement import GLIBC_FRESH
from hashcost.core.units import parse_release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hashcost.core.measurement import Measurement
    from hashcost.core.profile import Profile, Recommendation

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
_WORTHWHILE: Final = 0.2
"""Least share of a hash's time in page faults that is worth a note."""


def most_faulting(profile: Profile) -> Recommendation | None:
    """Find the row that page faults take the largest share of, if that is worth a note."""
    machine = profile.machine
    is_asked = {HUGE_PAGES, MALFORMED} & {*machine.malloc.split()}
    if unavailable(machine) or is_asked or machine.reports_free_pages:
        return None
    shares = {
        (row.page_fault_seconds or 0.0) / row.time_seconds: row
        for row in profile.answers
        if row.implementation in BY_MALLOC
    }
    share = max(shares, default=0.0)
    return shares[share] if share >= _WORTHWHILE else None


def unavailable(machine: Machine) -> str:
    """Explain why a process on this machine cannot use huge pages; empty if it can."""
    name, _, version = machine.libc.partition(" ")
    if machine.huge_pages != ON_REQUEST:
        mode = f"mode {machine.huge_pages}" if machine.huge_pages else "no transparent huge pages"
        return f"the kernel has {mode}, and only mode {ON_REQUEST} waits to be asked"
    if name != "glibc" or parse_release(version) < _OLDEST_GLIBC:
        return f"it takes glibc 2.35 or later, and this is {machine.libc or 'another libc'}"
    others = [word for word in machine.malloc.split() if "=" not in word and word != MALFORMED]
    return f"memory comes from {others[0]}" if others else ""


def page_notices(machine: Machine, timed: Sequence[Measurement]) -> tuple[Notice, ...]:
    """Warn of huge pages that the host takes back between two logins."""
    surfaces = [measurement.fitted.surface for measurement in timed]
    if not (machine.reports_free_pages and any(s and s.huge_pages for s in surfaces)):
        return ()
    message = (
        "the host takes free huge pages back: after a pause a hash takes up to three times as long"
    )
    return (Notice(code="pages-taken-back", message=message),)


def depends_on(machine: Machine, implementation: str, memory_bytes: float) -> bool:
    """Whether the time of a hash holds only if malloc asks for huge pages."""
    return memory_bytes >= GLIBC_FRESH and machine.gives_huge_pages(implementation)
