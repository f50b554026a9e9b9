"""The facts of a machine that bear on the speed of a hasher, and groups that share them. Pure.

A difference is told, never that it is the cause.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Final

import msgspec

from hashcost.compare.machines import Side
from hashcost.compare.model import Difference
from hashcost.compare.speed import on_both
from hashcost.core.measurement import Measurement
from hashcost.fit.solver import highest_within

_SHA1: Final = ("sha_ni", "sha1", "avx2", "asimd")
_SHA256: Final = ("sha_ni", "sha2", "avx2", "asimd")
_SHA512: Final = ("sha512", "avx2", "asimd")
_OPENSSL: Final = (
    *("hashlib", "cryptography", "node:crypto", "php:openssl_pbkdf2"),
    *("python:hashlib", "ruby:openssl"),
)
_FLAGS: Final = {
    **{f"pbkdf2-sha1@{library}": _SHA1 for library in _OPENSSL},
    **{f"pbkdf2-sha256@{library}": _SHA256 for library in _OPENSSL},
    **{f"pbkdf2-sha512@{library}": _SHA512 for library in _OPENSSL},
    "sha256-crypt@passlib": _SHA256,
    "sha512-crypt@passlib": _SHA512,
}
"""The instructions that OpenSSL chooses its code by when it runs (crypto/sha/asm). libxcrypt,
bcrypt, scrypt and Argon2 choose theirs when they are compiled, and so are not listed."""


_SHARE: Final = 0.75
"""Of a group, this share is as fast as the machine that stands for it, or faster. The slowest of
many would be the unluckiest run, and one cost for all would fall as the fleet grows."""


def _library_of(side: Side) -> str:
    """The code that hashes: for a hasher in Python, the interpreter with it."""
    parts = [side.measurement.implementation, side.measurement.implementation_version]
    if side.measurement.implementation == "passlib":
        parts += [side.machine.machine.python, side.machine.machine.openssl]
    return " ".join(parts)


def differences(baseline: Side, here: Side) -> tuple[Difference, ...]:
    """The facts that may make this hasher faster or slower here than there."""
    same = baseline.measurement.implementation == here.measurement.implementation
    whats = ["version" if same else "implementation", *_bearing(here.measurement)]
    there, own = _facts_of(baseline), _facts_of(here)
    return tuple(
        Difference(what=what, baseline=there[what], here=own[what])
        for what in whats
        if there[what] != own[what]
    )


def _bearing(measurement: Measurement) -> list[str]:
    """The facts that bear on the speed of a hasher, beside the library."""
    return [
        *("cpu_model", "architecture", "cpu_flags"),
        *(("cpu_count", "cpu_limit") if measurement.threads > 1 else ()),
        *(("kernel",) if measurement.climbs else ()),
        *(("openssl_ia32cap",) if measurement.label in _FLAGS else ()),
        *("virtualization", "password_bytes"),
    ]


def _facts_that_tell(side: Side) -> Hashable:
    """Facts that tell a machine from others for this hasher, its speed aside.

    A limit tells it too, though it slows no hash. A machine whose CPU is unknown is like no
    other.
    """
    facts = _facts_of(side)
    whats = ["implementation", "cpu_limit", *_bearing(side.measurement)]
    unknown = side.name if facts["cpu_model"] is None else None
    return (unknown, side.measurement.lanes, *(facts[what] for what in whats))


def _facts_of(side: Side) -> dict[str, str | None]:
    """The facts that bear on the speed of one hasher, with the CPU flags its library can use."""
    machine, usable = side.machine.machine, _FLAGS.get(side.measurement.label, ())
    return {
        **msgspec.structs.asdict(machine),
        "cpu_limit": None if machine.cpu_limit is None else f"{machine.cpu_limit:g}",
        "implementation": _library_of(side),
        "version": _library_of(side),
        "cpu_flags": " ".join(flag for flag in machine.cpu_flags if flag in usable),
        "cpu_count": str(machine.cpu_count),
        "password_bytes": str(side.machine.probe.password_bytes),
    }


def groups_of(sides: Sequence[Side], target_seconds: float) -> tuple[Side, ...]:
    """A group for each set of facts, called by the machine that stands for it.

    Of two or three machines that is the slowest.
    """
    alike: dict[Hashable, list[Side]] = {}
    for side in sides:
        alike.setdefault(_facts_that_tell(side), []).append(side)
    groups = []
    for members in alike.values():
        ordered = sorted(members, key=lambda side: _slowness(members[0], side, target_seconds))
        representative = ordered[math.ceil(_SHARE * len(ordered)) - 1]
        groups.append(replace(representative, machines=tuple(side.name for side in members)))
    return tuple(groups)


def _slowness(first: Side, side: Side, target_seconds: float) -> float:
    """How many times as long as on the first machine a hash takes; 1 if nothing compares them."""
    curve = first.measurement.fitted.curves[0]
    params = curve.at(highest_within(curve, target_seconds))
    both = on_both(first.measurement, side.measurement, params)
    return 1.0 if both is None else both[1].seconds / both[0].seconds
