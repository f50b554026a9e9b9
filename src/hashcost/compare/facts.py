"""The facts of a machine that bear on the speed of a hasher. Pure.

Machines with the same facts are grouped. A difference is told, never that it is the cause.
"""

from collections.abc import Hashable
from typing import Final

import msgspec

from hashcost.compare.machines import Side
from hashcost.compare.model import Difference
from hashcost.core.measurement import Measurement

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


def library_of(side: Side) -> str:
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


def facts_that_tell(side: Side) -> Hashable:
    """What tells a machine from others for this hasher, its speed aside.

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
        "implementation": library_of(side),
        "version": library_of(side),
        "cpu_flags": " ".join(flag for flag in machine.cpu_flags if flag in usable),
        "cpu_count": str(machine.cpu_count),
        "password_bytes": str(side.machine.probe.password_bytes),
    }
