"""What two machines differ in that bears on the speed of a hasher. Pure.

What differs is told, never that it is the cause: that nobody has measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from hashcost.compare.measured_machine import Side
from hashcost.compare.model import Difference
from hashcost.core.machine import Machine

_SHA1: Final = ("sha_ni", "sha1", "avx2", "asimd")
_SHA256: Final = ("sha_ni", "sha2", "avx2", "asimd")
_SHA512: Final = ("sha512", "avx2", "asimd")
_FLAGS: Final = {
    "pbkdf2-sha1@hashlib": _SHA1,
    "pbkdf2-sha1@cryptography": _SHA1,
    "pbkdf2-sha256@hashlib": _SHA256,
    "pbkdf2-sha256@cryptography": _SHA256,
    "pbkdf2-sha512@hashlib": _SHA512,
    "pbkdf2-sha512@cryptography": _SHA512,
    "sha256-crypt@passlib": _SHA256,
    "sha512-crypt@passlib": _SHA512,
}
"""The instructions that OpenSSL chooses its code by when it runs (crypto/sha/asm). libxcrypt,
bcrypt, scrypt and Argon2 choose theirs when they are compiled, and so are not listed."""


def library_of(side: Side) -> str:
    """The code that hashes: for a hasher in Python, the interpreter with it."""
    parts = [side.measurement.implementation, side.measurement.implementation_version]
    if side.measurement.implementation == "passlib":
        parts += [side.measured.machine.python, side.measured.machine.openssl]
    return " ".join(parts)


def differences(baseline: Side, here: Side) -> tuple[Difference, ...]:
    """What may make this hasher faster or slower here than there."""
    same = baseline.measurement.implementation == here.measurement.implementation
    whats = ["version" if same else "implementation", "cpu_model", "architecture", "cpu_flags"]
    whats += ["cpu_count", "cpu_limit"] if here.measurement.threads > 1 else []
    whats += ["kernel"] if here.measurement.climbs else []
    whats += ["virtualization", "password_bytes"]
    return _differing(whats, _facts_of(baseline), _facts_of(here))


def changed_facts(baseline: Machine, here: Machine) -> tuple[Difference, ...]:
    """What else is not as it was on a machine that is the same."""
    whats = ["kernel", "os", "python", "openssl", "cpu_limit"]
    return _differing(whats, _facts(baseline), _facts(here))


def _facts(machine: Machine) -> dict[str, str | None]:
    limit = None if machine.cpu_limit is None else f"{machine.cpu_limit:g}"
    return {**msgspec.structs.asdict(machine), "cpu_limit": limit}


def _facts_of(side: Side) -> dict[str, str | None]:
    """What bears on the speed of one hasher; of the CPU, the flags that its library can use."""
    machine, usable = side.measured.machine, _FLAGS.get(side.measurement.label, ())
    return {
        **_facts(machine),
        "implementation": library_of(side),
        "version": library_of(side),
        "cpu_flags": " ".join(flag for flag in machine.cpu_flags if flag in usable),
        "cpu_count": str(machine.cpu_count),
        "password_bytes": str(side.measured.probe.password_bytes),
    }


def _differing(
    whats: Iterable[str], baseline: Mapping[str, str | None], here: Mapping[str, str | None]
) -> tuple[Difference, ...]:
    return tuple(
        Difference(what=what, baseline=baseline[what], here=here[what])
        for what in whats
        if baseline[what] != here[what]
    )
