"""The rule of the warm-up on recordings of fresh JVMs, beside several busy neighbours.

Java 17, two cores of an AMD EPYC guest, 2026-11-22: seven seconds of hashes each, of which
``warm_ups.jsonl.gz`` has when each ended, its CPU and wall time and the compiler's time so far.
A recording is left out in the middle of which a neighbour slowed the core by half.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from hashcost.runtimes.warming import WarmUp

_LIMIT: Final = {"bcrypt": 0.03, "pbkdf2-sha1": 0.08, "pbkdf2-sha256": 0.08, "pbkdf2-sha512": 0.08}
_TIMED: Final = 10


@dataclass(frozen=True)
class Recording:
    """The hashes of a fresh JVM."""

    library: str
    hasher: str
    hashes: list[tuple[float, float, float, float]]

    def error_from(self, first: int, timed: int = _TIMED) -> float:
        """How far the quiet speed of some hashes is from that of the last half."""
        cpu = [each[1] for each in self.hashes]
        _, steady, *_ = sorted(cpu[len(cpu) // 2 :])
        _, quiet, *_ = sorted(cpu[first : first + timed])
        return abs(quiet / steady - 1)

    def warm_from(self, least_seconds: float) -> int | None:
        """The first hash that is timed; None if the rule was not met in these seconds."""
        warm_up = WarmUp(least_seconds)
        for index, (ended, _, wall, compiling) in enumerate(self.hashes):
            warm_up.add(ended, wall, compiling)
            if warm_up.is_met:
                return index + 1
        return None


def _recordings() -> list[Recording]:
    packed = Path(__file__).with_name("warm_ups.jsonl.gz").read_bytes()
    read: list[dict[str, Any]] = [
        json.loads(each) for each in gzip.decompress(packed).splitlines()
    ]
    return [Recording(**each) for each in read]


_RECORDINGS: Final = [each for each in _recordings() if each.hasher in _LIMIT]
_EACH = pytest.mark.parametrize(
    "recording", _RECORDINGS, ids=lambda each: f"{each.hasher}-{each.library}"
)


@_EACH
@pytest.mark.parametrize("least_seconds", [1.0, 2.0])
def test_what_is_timed_after_the_warm_up_is_steady(
    least_seconds: float, recording: Recording
) -> None:
    """By 3 % for bcrypt and 8 % for PBKDF2, which have the same rule."""
    first = recording.warm_from(least_seconds)
    assert first is not None
    assert recording.error_from(first) <= _LIMIT[recording.hasher]


@_EACH
def test_no_hash_of_a_jvm_that_compiles_is_timed(recording: Recording) -> None:
    """Also if no time is set: a rule by time alone is not needed, and not enough."""
    first = recording.warm_from(0.0)
    assert first is not None
    assert first > _TIMED
    assert recording.error_from(first) <= 0.1


@_EACH
def test_without_a_warm_up_the_limits_are_missed(recording: Recording) -> None:
    """Or else the recordings would show nothing; bcrypt is hardly slower before."""
    if recording.hasher != "bcrypt":
        assert recording.error_from(0, timed=3) > _LIMIT[recording.hasher]
