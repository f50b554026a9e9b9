"""What two machines differ in that bears on the speed of a hasher. Pure.

What differs is told, never that it is the cause: that nobody has measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcost.compare.measured_machine import MeasuredMachine
from hashcost.compare.model import Difference
from hashcost.core.measurement import Measurement
from hashcost.core.origin import Machine

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


def library_of(measurement: Measurement, machine: Machine) -> str:
    """The code that hashes: for a hasher in Python, the interpreter with it."""
    parts = [measurement.implementation, measurement.implementation_version]
    if measurement.implementation == "passlib":
        parts += [machine.python, machine.openssl]
    return " ".join(parts)


def differences(
    baseline: MeasuredMachine,
    baseline_measurement: Measurement,
    here: MeasuredMachine,
    measurement: Measurement,
) -> tuple[Difference, ...]:
    """What may make this hasher faster or slower here than there."""
    pairs = [_library(baseline, baseline_measurement, here, measurement)]
    there, own = baseline.machine, here.machine
    pairs += [
        ("cpu_model", there.cpu_model, own.cpu_model),
        ("architecture", there.architecture, own.architecture),
        ("cpu_flags", _flags(baseline_measurement, there), _flags(measurement, own)),
    ]
    if measurement.threads > 1:
        pairs += [
            ("cpu_count", str(there.cpu_count), str(own.cpu_count)),
            ("cpu_limit", _limit(there), _limit(own)),
        ]
    if measurement.climbs:
        pairs.append(("kernel", there.kernel, own.kernel))
    pairs.append(("virtualization", there.virtualization, own.virtualization))
    pairs.append(("password_bytes", _password(baseline), _password(here)))
    return tuple(_differing(pairs))


def changed_facts(baseline: Machine, here: Machine) -> tuple[Difference, ...]:
    """What else is not as it was on a machine that is the same."""
    pairs: list[tuple[str, str | None, str | None]] = [
        ("kernel", baseline.kernel, here.kernel),
        ("os", baseline.os, here.os),
        ("python", baseline.python, here.python),
        ("openssl", baseline.openssl, here.openssl),
        ("cpu_limit", _limit(baseline), _limit(here)),
    ]
    return tuple(_differing(pairs))


def _library(
    baseline: MeasuredMachine,
    baseline_measurement: Measurement,
    here: MeasuredMachine,
    measurement: Measurement,
) -> tuple[str, str | None, str | None]:
    there, own = (
        library_of(baseline_measurement, baseline.machine),
        library_of(measurement, here.machine),
    )
    if baseline_measurement.implementation != measurement.implementation:
        return "implementation", there, own
    return "version", there, own


def _flags(measurement: Measurement, machine: Machine) -> str:
    """Those that this hasher's library can use, of those that the machine has."""
    return " ".join(
        flag for flag in machine.cpu_flags if flag in _FLAGS.get(measurement.label, ())
    )


def _limit(machine: Machine) -> str | None:
    return None if machine.cpu_limit is None else f"{machine.cpu_limit:g}"


def _password(measured: MeasuredMachine) -> str:
    return str(measured.probe.password_bytes)


def _differing(pairs: list[tuple[str, str | None, str | None]]) -> Iterator[Difference]:
    for what, baseline, here in pairs:
        if baseline != here:
            yield Difference(what=what, baseline=baseline, here=here)
