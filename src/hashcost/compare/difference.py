"""What two machines differ in that bears on speed, and what changed on one. Pure.

What differs is told, never that it is the cause: that nobody has measured.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from hashcost.compare.measured_machine import Side
from hashcost.compare.model import Cause, Difference, RelativeSpeed, Standing
from hashcost.compare.speed import standing
from hashcost.core.machine import Machine
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
        parts += [side.measured.machine.python, side.measured.machine.openssl]
    return " ".join(parts)


def differences(baseline: Side, here: Side) -> tuple[Difference, ...]:
    """What may make this hasher faster or slower here than there."""
    same = baseline.measurement.implementation == here.measurement.implementation
    whats = ["version" if same else "implementation", *_bearing(here.measurement)]
    return _differing(whats, _facts_of(baseline), _facts_of(here))


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


@dataclass(frozen=True, kw_only=True)
class Moved:
    """How fast one hasher is beside what it was."""

    label: str
    speed: RelativeSpeed
    library_changed: bool

    @property
    def standing(self) -> Standing:
        """What the ratio says."""
        return standing(self.speed)


def cause_of(hashers: Sequence[Moved]) -> Cause:
    """Who did it, as far as the hashers' movements tell.

    - Nothing moved: nobody.
    - A library, where it alone changed what moved: every hasher that moved has another
      library than before, and some hasher whose library is the same stood still.
    - The machine, where all moved the same way and one ratio lies in all intervals, with
      a hasher among them whose library is the same.
    - Anything else, such as a new library without a hasher to hold it against, is unclear.
    """
    known = [each for each in hashers if each.standing is not Standing.UNKNOWN]
    moved = [each for each in known if each.standing is not Standing.NO_DIFFERENCE]
    if not known:
        return Cause.UNCLEAR
    if not moved:
        return Cause.NOTHING
    unchanged = [each for each in known if not each.library_changed]
    if unchanged and all(each.library_changed for each in moved):
        return Cause.LIBRARY
    one_way = len({each.standing for each in known}) == 1
    lows = [each.speed.low for each in known if each.speed.low is not None]
    highs = [each.speed.high for each in known if each.speed.high is not None]
    alike = one_way and max(lows) <= min(highs)
    return Cause.MACHINE if unchanged and alike else Cause.UNCLEAR
