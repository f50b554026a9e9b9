"""``python -m tests.tools.benchmarks.record SECONDS FILE``: hash, and write one CSV line a hash.

Round after round, without pause, each round in a fresh order, three probes before each hash.
What a line holds is in `recordings/README.md`.
"""

import argparse
import csv
import gzip
import random
import sys
import time
from pathlib import Path
from typing import Final

from corpora import cases
from hashcost.core.measurement import Params
from hashcost.hashers.registry import candidates
from hashcost.machine.host import this_host
from hashcost.measure.runner import Runner

PROBES: Final[tuple[tuple[str, Params], ...]] = (
    ("pbkdf2-sha256@hashlib", {"iterations": 1000}),
    ("bcrypt@bcrypt", {"cost": 4}),
    ("argon2id@argon2-cffi", {"memory_kib": 1024, "time_cost": 1, "parallelism": 1}),
)
_COSTS: Final[dict[str, list[list[int]]]] = cases(__file__, "record.toml", "costs")
COLUMNS: Final = ("at_seconds", "what", "cpu_seconds", "faults")


def record(seconds: float, path: Path) -> int:
    """Time hashes for so long and write each of them; the number of hashes."""
    host = this_host()
    pool = {candidate.label: candidate for candidate in candidates()}
    runners = {
        label: Runner(pool[label].load(), host.clock)
        for label in {*_COSTS, *(label for label, _ in PROBES)}
    }
    hashes = [
        (label, dict(zip(runners[label].hasher.lowest, values, strict=True)))
        for label, costs in _COSTS.items()
        for values in costs
    ]
    lines: list[tuple[str, str, str, int]] = []
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        random.shuffle(hashes)
        for timed in hashes:
            warm = runners[PROBES[0][0]]
            warm.sample(warm.hasher.lowest)
            for label, params in (*PROBES, timed):
                began = time.perf_counter() - start
                sample = runners[label].sample(params)
                what = f"{label}/{','.join(map(str, params.values()))}"
                line = (f"{began:.6f}", what, f"{sample.cpu_seconds:.7f}", sample.page_faults)
                lines.append(line)
    with gzip.open(path, "wt", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *lines])
    return len(lines)


def main() -> int:
    """Record what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.benchmarks.record")
    parser.add_argument("seconds", type=float)
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    print(f"{record(arguments.seconds, arguments.file):,} hashes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
