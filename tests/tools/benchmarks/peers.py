"""The method of passlib's ``choose_rounds.py``, written anew from its description.

``python -m tests.tools.benchmarks.peers HASHER...`` prints the costs as JSON. The
method: the smallest of four means of four wall timings, first at half the work
of the default cost, then twice at the cost that the last estimate gives for
the target. It hashes with the same libraries as the tool does by default.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .fresh import module, work
from .plain import prepare
from .settings import STEP_HASHERS, TARGET_SECONDS

_DEFAULT_COSTS: Final = {
    "sha512-crypt": 656_000,
    "pbkdf2-sha1": 131_000,
    "pbkdf2-sha256": 29_000,
    "pbkdf2-sha512": 25_000,
    "bcrypt": 12,
}
"""``default_rounds`` in libpass 1.9.4."""
_LOWEST_COSTS: Final = {"sha512-crypt": 1000, "bcrypt": 4}


@dataclass(frozen=True)
class Chosen:
    """Costs by hasher, unrounded for steps, and the seconds of measuring without start-up."""

    costs: dict[str, float]
    wall_seconds: float


def choose_rounds(hashers: Sequence[str] = tuple(_DEFAULT_COSTS)) -> Chosen:
    """Run the method in a fresh process."""
    return Chosen(**json.loads(module("peers", *hashers).output))


def _choose(hasher: str) -> float:
    step = hasher in STEP_HASHERS
    units = work(_DEFAULT_COSTS[hasher], step=step) / 2
    for _ in range(3):
        cost = max(int(math.log2(units) if step else units), _LOWEST_COSTS.get(hasher, 1))
        units = work(cost, step=step) / _wall_seconds(hasher, cost) * TARGET_SECONDS
    return math.log2(units) if step else units


def _wall_seconds(hasher: str, cost: int) -> float:
    """The smallest of four means of four."""
    call = prepare(hasher, {"cost": cost})
    call()  # The hash that the timed calls verify.
    means = []
    for _ in range(4):
        times = []
        for _ in range(4):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        means.append(statistics.mean(times))
    return min(means)


def main() -> None:
    """Choose a cost for each hasher named."""
    start = time.perf_counter()
    costs = {hasher: _choose(hasher) for hasher in sys.argv[1:]}
    json.dump({"costs": costs, "wall_seconds": time.perf_counter() - start}, sys.stdout)


if __name__ == "__main__":
    main()
