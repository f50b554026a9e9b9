"""Groups of machines with the same facts, and the machine that stands for each. Pure."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Final

from hashcost.compare.common import times_at
from hashcost.compare.machines import Side
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


def groups_of(sides: Sequence[Side], target_seconds: float) -> tuple[Side, ...]:
    """A group for each set of facts, called by the machine that stands for it.

    Of two or three machines that is the slowest.
    """
    groups: dict[Hashable, list[Side]] = {}
    for side in sides:
        groups.setdefault(_facts(side), []).append(side)
    representatives = []
    for members in groups.values():
        ordered = _fastest_first(members, target_seconds)
        representative = ordered[math.ceil(_SHARE * len(ordered)) - 1]
        names = tuple(side.name for side in members)
        representatives.append(replace(representative, machines=names))
    return tuple(representatives)


def _facts(side: Side) -> Hashable:
    """The facts that bear on the speed of this hasher.

    A limit tells machines apart, though it slows no hash; a machine whose CPU is unknown is
    like no other.
    """
    machine, measurement = side.machine.machine, side.measurement
    usable = _FLAGS.get(measurement.label)
    return (
        side.name if machine.cpu_model is None else None,
        *(measurement.label, measurement.implementation_version, measurement.lanes),
        *(machine.cpu_model, machine.architecture, machine.cpu_limit, machine.virtualization),
        side.machine.probe.password_bytes,
        machine.cpu_count if measurement.threads > 1 else None,
        *((machine.kernel, machine.libc, machine.huge_pages) if measurement.climbs else ()),
        machine.malloc if measurement.climbs else None,
        tuple(flag for flag in machine.cpu_flags if flag in (usable or ())),
        machine.openssl_ia32cap if usable else None,
        # A hasher in Python runs as Python does.
        *((machine.python, machine.openssl) if measurement.implementation == "passlib" else ()),
    )


def _fastest_first(members: Sequence[Side], target_seconds: float) -> list[Side]:
    """Order machines by their time at one setting that all of them know, near the target."""
    for curve in reversed(members[0].measurement.fitted.curves):
        times = times_at(members, curve.at(highest_within(curve, target_seconds)))
        if times is not None:
            pairs = zip(times, members, strict=True)
            return [side for _, side in sorted(pairs, key=lambda pair: pair[0].seconds)]
    return list(members)
