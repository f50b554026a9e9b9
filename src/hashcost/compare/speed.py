"""Speeds of machines beside each other, the facts that bear on them, and groups of equals. Pure.

A difference is told, never that it is the cause.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Final

import msgspec

from hashcost.compare.machines import Side
from hashcost.compare.model import Difference, RelativeSpeed, Standing
from hashcost.core.algorithms import guess_work
from hashcost.core.measurement import Interval, Measurement, Params
from hashcost.fit.solver import Solution, highest_within
from hashcost.fit.times import setting_at

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
_LARGEST: Final = 1e100
"""Beyond any ratio; a damaged file may hold times that are still further apart."""


def relative_speed(baseline: Solution, here: Solution) -> RelativeSpeed:
    """Hashes here for each of the baseline's in the same time, both at the same params.

    Each interval holds the quiet time 19 times of 20, and two machines are off by chance
    independently of each other. So the distances from the ratio to its ends add up as squares
    do, on the scale of logarithms, on which a ratio is a difference (Zou and Donner, "Construction
    of confidence limits about effect measures: a general approach", Statistics in Medicine 27,
    2008). To take the extremes of both instead would promise more than 95 %.
    """
    ratio = min(max(baseline.seconds / here.seconds, 1 / _LARGEST), _LARGEST)
    there = distances(baseline.seconds, baseline.interval)
    own = distances(here.seconds, here.interval)
    most = math.log(_LARGEST)
    below, above = (math.hypot(there[end], own[1 - end]) for end in (0, 1))
    return RelativeSpeed(
        params=here.params,
        ratio=ratio,
        low=ratio * math.exp(-min(below, most)),
        high=ratio * math.exp(min(above, most)),
    )


def standing(speed: RelativeSpeed) -> Standing:
    """Whether the machine is faster or slower, as far as the interval tells."""
    if speed.low > 1:
        return Standing.FASTER
    return Standing.SLOWER if speed.high < 1 else Standing.NO_DIFFERENCE


def on_both(
    baseline: Measurement, here: Measurement, params: Params | None
) -> tuple[Solution, Solution] | None:
    """Find a setting with a time on both: these params, or one of the lowest of each curve.

    Of these, the one with the most work of a guess.
    """
    settings = [] if params is None else [params]
    for measurement in (baseline, here):
        settings += [curve.at(curve.lowest) for curve in measurement.fitted.curves]
    times = [(setting_at(baseline, setting), setting_at(here, setting)) for setting in settings]
    both = [(one, other) for one, other in times if one is not None and other is not None]

    def worth(pair: tuple[Solution, Solution]) -> tuple[float, int]:
        solution = pair[0]
        work = guess_work(baseline.hasher, solution.params) or 0.0
        return work, solution.curve.memory_bytes

    return max(both, key=worth, default=None)


def distances(seconds: float, interval: Interval) -> tuple[float, float]:
    """From a time to both ends of its interval, as logarithms."""
    low, high = (math.log(max(end / seconds, 1 / _LARGEST)) for end in interval)
    return -low, high


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
        *(("kernel", "libc", "huge_pages", "malloc") if measurement.climbs else ()),
        *(("openssl_ia32cap",) if measurement.label in _FLAGS else ()),
        *("virtualization", "password_bytes"),
    ]


def _facts_of(side: Side) -> dict[str, str | None]:
    """The facts that bear on the speed of one hasher, with the CPU flags its library can use."""
    machine, usable = side.machine.machine, _FLAGS.get(side.measurement.label, ())
    library = f"{side.measurement.implementation} {side.measurement.implementation_version}"
    if side.measurement.implementation == "passlib":  # A hasher in Python runs as Python does.
        library = f"{library} {machine.python} {machine.openssl}"
    return {
        **msgspec.structs.asdict(machine),
        "cpu_limit": None if machine.cpu_limit is None else f"{machine.cpu_limit:g}",
        "implementation": library,
        "version": library,
        "cpu_flags": " ".join(flag for flag in machine.cpu_flags if flag in usable),
        "cpu_count": str(machine.cpu_count),
        "password_bytes": str(side.machine.probe.password_bytes),
    }


def groups_of(sides: Sequence[Side], target_seconds: float) -> tuple[Side, ...]:
    """A group for each set of facts, called by the machine that stands for it.

    Of two or three machines that is the slowest. A limit tells machines apart, though it slows
    no hash; a machine whose CPU is unknown is like no other.
    """
    groups: dict[Hashable, list[Side]] = {}
    for side in sides:
        facts = _facts_of(side)
        whats = ["implementation", "cpu_limit", *_bearing(side.measurement)]
        unknown = side.name if facts["cpu_model"] is None else None
        key = (unknown, side.measurement.lanes, *(facts[what] for what in whats))
        groups.setdefault(key, []).append(side)

    def slowness(first: Side, side: Side) -> float:
        curve = first.measurement.fitted.curves[0]
        params = curve.at(highest_within(curve, target_seconds))
        both = on_both(first.measurement, side.measurement, params)
        return 1.0 if both is None else both[1].seconds / both[0].seconds

    representatives = []
    for members in groups.values():
        ordered = sorted(members, key=lambda side, first=members[0]: slowness(first, side))  # type: ignore[misc]
        representative = ordered[math.ceil(_SHARE * len(ordered)) - 1]
        names = tuple(side.name for side in members)
        representatives.append(replace(representative, machines=names))
    return tuple(representatives)
