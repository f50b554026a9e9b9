"""Foresee the gain of huge pages for memory-hard hashers, from a measurement without. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from hashcost.core.algorithms import area_time
from hashcost.core.errors import UsageError
from hashcost.core.machine import HUGE_PAGES, MALFORMED, ON_REQUEST, Machine
from hashcost.fit.estimate import GLIBC_FRESH
from hashcost.fit.solver import settings_within, strongest_moving

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hashcost.core.measurement import Curve, Params, Surface
    from hashcost.core.profile import Profile, Recommendation
    from hashcost.hashers.registry import Candidate

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
_BY_MALLOC: Final = frozenset(
    {
        *("argon2-cffi", "cryptography", "hashlib", "python:hashlib", "php:password_hash"),
        *("node:crypto", "node:argon2", "ruby:openssl", "ruby:argon2"),
    }
)
"""Implementations that take a hash's memory from malloc. libcrypt and libsodium map it themselves,
and the JVM and Go have heaps of their own."""
_PRICE: Final = 0.13
"""Time of a fresh huge page, as a share of its small pages' (64 MiB written at once)."""
_WORTHWHILE: Final = 1.3
"""Least gain that is reported, as a multiple of the area-time cost."""
_MEMORY_HARD: Final = ("argon2id", "scrypt")
_UNGRANTED: Final = 0.1
"""Share of a hash's time from which on page faults show that it was given small pages."""


@dataclass(frozen=True, kw_only=True)
class Gain:
    """The setting of a hasher with huge pages that takes the same time."""

    row: Recommendation
    """The recommendation without huge pages."""
    params: Params
    times: float
    """The area-time cost, as a multiple of the row's."""


def best_gain(profile: Profile) -> Gain | None:
    """The largest gain that huge pages promise; `None` if there is none."""
    return max(_gains(profile), key=lambda gain: gain.times, default=None)


def unavailable(machine: Machine) -> str:
    """Explain why a process on this machine cannot use huge pages; empty if it can."""
    name, _, version = machine.libc.partition(" ")
    number = tuple(int(part) for part in version.split(".") if part.isdigit())
    if machine.huge_pages != ON_REQUEST:
        mode = f"mode {machine.huge_pages}" if machine.huge_pages else "no transparent huge pages"
        return f"the kernel has {mode}, and only mode {ON_REQUEST} waits to be asked"
    if name != "glibc" or number < _OLDEST_GLIBC:
        return f"it takes glibc 2.35 or later, and this is {machine.libc or 'another libc'}"
    others = [word for word in machine.malloc.split() if "=" not in word and word != MALFORMED]
    return f"memory comes from {others[0]}" if others else ""


def check_usable(machine: Machine, pool: Sequence[Candidate], names: Sequence[str]) -> None:
    """Check that huge pages can make one of the named hashers quicker.

    Hashers behind a prefix pass: whether they got huge pages shows only in their page faults.

    Raises:
        UsageError: huge pages cannot help.
    """
    chosen = [one for one in pool if not names or {one.hasher, one.label} & {*names}]
    why = unavailable(machine)
    if not any(one.implementation in _BY_MALLOC and one.hasher in _MEMORY_HARD for one in chosen):
        why = "none of these hashers takes much memory from malloc"
    if why and not any(one.is_remote for one in chosen):
        raise UsageError(f"--huge-pages does nothing here: {why}; leave it out")


def ungranted(profile: Profile) -> tuple[Recommendation, ...]:
    """Rows that asked for huge pages and were given small ones."""
    return tuple(
        row
        for row in profile.answers
        if depends_on(profile.machine, row.implementation, row.memory_bytes)
        and (row.page_fault_seconds or 0.0) >= _UNGRANTED * row.time_seconds
    )


def depends_on(machine: Machine, implementation: str, memory_bytes: float) -> bool:
    """Whether the time of a hash holds only if malloc asks for huge pages."""
    takes = implementation in _BY_MALLOC and memory_bytes >= GLIBC_FRESH
    return takes and machine.asks_for_huge_pages


def _gains(profile: Profile) -> Iterator[Gain]:
    settings = profile.machine.malloc.split()
    if unavailable(profile.machine) or {HUGE_PAGES, MALFORMED} & {*settings}:
        return
    for row in profile.answers:
        measurement = profile.measurement_of(row)
        if measurement is None or row.implementation not in _BY_MALLOC:
            continue
        surface = measurement.fitted.surface
        if surface is None:
            continue
        strength, limit = area_time(row.hasher), measurement.fitting(profile.target_seconds)
        target = max(limit, row.time_seconds)
        fitting = settings_within(measurement.fitted, partial(_limit, surface, target))
        # A GPU is bound by the bytes moved: more memory with fewer of them would help it.
        best = strongest_moving(row.hasher, fitting, row.params)
        if best is not None:
            before = strength(row.params, row.memory_bytes)
            times = strength(best.params, best.curve.memory_bytes) / before
            if times >= _WORTHWHILE:
                yield Gain(row=row, params=best.params, times=times)


def _limit(surface: Surface, target_seconds: float, curve: Curve) -> float:
    """The most time in small pages with which a hash fits the target in huge ones."""
    return target_seconds + surface.fresh_seconds(curve.memory_bytes) * (1 - _PRICE)
