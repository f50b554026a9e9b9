"""Recordings of single hashes between three probes, and what they say."""

import csv
import gzip
import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeVar

from hashcost.core.measurement import Params, Reading
from hashcost.fit.level import Probes, quiet_ratios, ratios_of, smoothed
from hashcost.fit.slowdown import sensitivity_of
from hashcost.hashers.built_in import ALGORITHMS

FOLDER: Final = Path(__file__).with_name("recordings")
LEARNT: Final = (
    *("probes-1", "probes-cpu", "probes-memory"),
    *("everything-1", "everything-2", "everything-3"),
)
"""What the curves are learnt from."""
JUDGED: Final = (*LEARNT, "everything-4")
"""What the estimate is judged by, each with curves learnt from the others."""

_Any = TypeVar("_Any")
_FIRST_PROBE: Final = "/1000"
_MEMORY_PROBE: Final = "/1024,1"
_IMPLEMENTATION: Final = {
    "bcrypt": "bcrypt",
    "argon2id": "argon2-cffi",
    "sha512-crypt": "libcrypt",
    "yescrypt": "libcrypt",
}
"""What hashed where a recording names only the hasher; else it was hashlib."""
_QUIET: Final = 0.08
"""The quantile of a probe that stands for a quiet core."""
_NEAR: Final = math.log(1.12)
"""Readings whose ratios are no further above the quiet ones are of a core that nobody shared."""
_FEWEST: Final = 8
_BLOCK: Final = 50
"""Consecutive readings whose median each of them is compared with."""


@dataclass(frozen=True)
class Hash:
    """One hash, and the readings before and after it."""

    label: str
    params: Params
    seconds: float
    wall_seconds: float
    faults: int
    before: Reading
    after: Reading

    @property
    def waited(self) -> float:
        """The logarithm of its wall time over its CPU time."""
        return max(math.log(self.wall_seconds / self.seconds), 0.0)

    @property
    def key(self) -> tuple[str, tuple[int, ...]]:
        """What was hashed."""
        return self.label, tuple(self.params.values())


@dataclass(frozen=True)
class Recording:
    """What was recorded of one machine."""

    name: str

    @cached_property
    def hashes(self) -> list[Hash]:
        """Every hash, in the order of time, between readings of probes that were warm."""
        path = FOLDER / f"{self.name}.csv.gz"
        with gzip.open(path, "rt", newline="") as file:
            lines = list(csv.DictReader(file))
        size = 4 if _MEMORY_PROBE in lines[2]["what"] else 3
        starts = [at for at, line in enumerate(lines) if line["what"].endswith(_FIRST_PROBE)]
        groups = [lines[at : end + 1] for at, end in pairwise(starts) if end - at == size]
        hashed = [group[-2]["what"] for group in groups]
        read = [
            _reading(
                float(probes[0]["at_seconds"]), [float(each["cpu_seconds"]) for each in probes]
            )
            for *probes, _, _ in groups
        ]
        readings = smoothed(_warm(read, [hashed[0], *hashed]))
        return [
            Hash(
                *_read(group[-2]["what"]),
                seconds=float(group[-2]["cpu_seconds"]),
                wall_seconds=float(group[-1]["at_seconds"]) - float(group[-2]["at_seconds"]),
                faults=int(group[-2].get("faults", 0)),
                before=before,
                after=after,
            )
            for group, (before, after) in zip(groups, pairwise(readings), strict=False)
        ]

    def series(self) -> dict[tuple[str, tuple[int, ...]], list[Hash]]:
        """The hashes by what was hashed."""
        found: dict[tuple[str, tuple[int, ...]], list[Hash]] = {}
        for each in self.hashes:
            found.setdefault(each.key, []).append(each)
        return found

    @cached_property
    def quiet(self) -> tuple[float, ...]:
        """What the probes take on a quiet core, in seconds."""
        times = zip(*(each.before.seconds for each in self.hashes), strict=True)
        return tuple(sorted(each)[int(len(each) * _QUIET)] for each in map(list, times))

    @cached_property
    def ratios(self) -> Probes:
        """The quiet ratios of the probes."""
        return quiet_ratios([_ratios(timed.before) for timed in self.hashes])

    def truth(self) -> dict[tuple[str, tuple[int, ...]], float]:
        """The quiet times: medians of the hashes on a core that nobody shared, at any clock.

        Ratios of probes tell that, whatever the clock does; a plain script on a quiet core
        sees the same median. What waiting costs is taken away: some recordings know no other.
        """
        found = {}
        for (label, costs), hashes in self.series().items():
            waiting = sensitivity_of(*label.split("@")).waiting
            quiet = [each for each in hashes if self._is_quiet(each)]
            if len(quiet) >= _FEWEST:
                times = (each.seconds * math.exp(-waiting * each.waited) for each in quiet)
                found[label, costs] = statistics.median(times)
        return found

    def _is_quiet(self, timed: Hash) -> bool:
        return all(
            ratio <= quiet + _NEAR
            for reading in (timed.before, timed.after)
            for ratio, quiet in zip(_ratios(reading), self.ratios, strict=True)
        )


def _ratios(reading: Reading) -> Probes:
    return ratios_of(tuple(map(math.log, reading.seconds)))


def windows(hashes: Sequence[_Any], size: int) -> Iterator[Sequence[_Any]]:
    """Consecutive hashes, or their places, half a window apart."""
    for at in range(0, len(hashes) - size + 1, max(1, size // 2)):
        yield hashes[at : at + size]


def _read(what: str) -> tuple[str, Params]:
    """``hasher@implementation/cost,cost``; costs that are left out are the usual ones."""
    name, _, costs = what.partition("/")
    hasher, _, implementation = name.partition("@")
    lowest = ALGORITHMS[hasher].lowest
    given = dict(zip(lowest, map(int, costs.split(",")), strict=False))
    label = f"{hasher}@{implementation or _IMPLEMENTATION.get(hasher, 'hashlib')}"
    return label, {**lowest, **given}


def _reading(at_seconds: float, seconds: Sequence[float]) -> Reading:
    throughput, latency, *memory = seconds
    return Reading(
        at_seconds=at_seconds,
        throughput_seconds=throughput,
        latency_seconds=latency,
        memory_seconds=memory[0] if memory else None,
    )


def _warm(readings: Sequence[Reading], hashed: Sequence[str]) -> list[Reading]:
    """Take away how much slower each kind of hash usually makes the probes after it.

    The probes of these recordings were not warmed up. The kind that slows them least leaves the
    caches as a warm-up does.
    """
    probes = [tuple(map(math.log, reading.seconds)) for reading in readings]
    excess: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for at in range(0, len(probes), _BLOCK):
        block = probes[at : at + _BLOCK]
        usual = [statistics.median(times) for times in zip(*block, strict=True)]
        for before, own in zip(hashed[at:], block, strict=False):
            excess[before].append(tuple(a - b for a, b in zip(own, usual, strict=True)))
    cold = {
        before: [statistics.median(misses) for misses in zip(*rows, strict=True)]
        for before, rows in excess.items()
    }
    least = [min(misses) for misses in zip(*cold.values(), strict=True)]
    return [
        _reading(
            reading.at_seconds,
            [math.exp(a - b + c) for a, b, c in zip(own, cold[before], least, strict=True)],
        )
        for reading, own, before in zip(readings, probes, hashed, strict=False)
    ]
