"""Recordings of single hashes between three probes, and what they say."""

from __future__ import annotations

import csv
import gzip
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeVar

from hashcost.core.measurement import Params, Reading
from hashcost.hashers.built_in import ALGORITHMS

FOLDER: Final = Path(__file__).with_name("recordings")
LEARNT: Final = ("probes-1", "probes-cpu", "probes-memory", "everything-1")
"""What the curves are learnt from."""

_Any = TypeVar("_Any")
_PROBES: Final = ("pbkdf2-sha256", "bcrypt", "argon2id")
_IMPLEMENTATION: Final = {
    "bcrypt": "bcrypt",
    "argon2id": "argon2-cffi",
    "sha512-crypt": "libcrypt",
    "yescrypt": "libcrypt",
}
"""What hashed where a recording names only the hasher; else it was hashlib."""
_QUIET: Final = 0.08
"""The quantile of a probe that stands for a quiet core."""
_NEAR: Final = 1.1
"""Hashes whose six probes took no more than so many times that were on a quiet core."""
_FEWEST: Final = 8


@dataclass(frozen=True)
class Hash:
    """One hash, and the readings before and after it."""

    label: str
    params: Params
    seconds: float
    faults: int
    before: Reading
    after: Reading

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
        """Every hash, in the order of time."""
        path = FOLDER / f"{self.name}.csv.gz"
        with gzip.open(path, "rt", newline="") as file:
            lines = list(csv.DictReader(file))
        groups = [lines[at : at + 4] for at in range(0, len(lines) - 3, 4)]
        found = []
        for group, following in pairwise(groups):
            label, params = _read(group[3]["what"])
            found.append(
                Hash(
                    label=label,
                    params=params,
                    seconds=float(group[3]["cpu_seconds"]),
                    faults=int(group[3].get("faults", 0)),
                    before=_reading(group),
                    after=_reading(following),
                )
            )
        return found

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

    def truth(self) -> dict[tuple[str, tuple[int, ...]], float]:
        """The quiet times: medians of the hashes between quiet readings."""
        return {
            key: statistics.median(quick)
            for key, hashes in self.series().items()
            if len(quick := [each.seconds for each in hashes if self._is_quiet(each)]) >= _FEWEST
        }

    def _is_quiet(self, timed: Hash) -> bool:
        return all(
            seconds <= quiet * _NEAR
            for reading in (timed.before, timed.after)
            for seconds, quiet in zip(reading.seconds, self.quiet, strict=True)
        )


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


def _reading(lines: Sequence[dict[str, str]]) -> Reading:
    throughput, latency, memory = (float(line["cpu_seconds"]) for line in lines[:3])
    assert [line["what"].partition("/")[0].partition("@")[0] for line in lines[:3]] == [*_PROBES]
    return Reading(
        at_seconds=float(lines[0]["at_seconds"]),
        throughput_seconds=throughput,
        latency_seconds=latency,
        memory_seconds=memory,
    )
