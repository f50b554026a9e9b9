"""``python -m tests.tools.benchmarks.record SECONDS FILE``: hash, and write one CSV line a hash.

Round after round, without pause, each round in a fresh order. What a line holds is in
`recordings/README.md`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import sys
import time
from pathlib import Path
from typing import Final

from hashcost.core.measurement import work
from hashcost.hashers.registry import candidates
from hashcost.machine.host import this_host
from hashcost.measure.runner import InProcess

_HASHES: Final = (
    ("bcrypt@bcrypt", {"cost": 4}),
    ("bcrypt@bcrypt", {"cost": 6}),
    ("pbkdf2-sha1@hashlib", {"iterations": 8_000}),
    ("pbkdf2-sha256@hashlib", {"iterations": 4_000}),
    ("pbkdf2-sha256@hashlib", {"iterations": 8_000}),
    ("pbkdf2-sha512@hashlib", {"iterations": 4_000}),
    ("sha512-crypt@libcrypt", {"rounds": 8_000}),
)
COLUMNS: Final = ("t_us", "hasher", "units", "cpu_us", "wall_us")


def record(seconds: float, path: Path) -> int:
    """Time hashes for so long and write each of them; the number of hashes."""
    host = this_host()
    found = {each.label: each for each in candidates()}
    timed = [(InProcess(found[label].load(), host.clock), params) for label, params in _HASHES]
    shuffle, start, lines = random.Random().shuffle, time.perf_counter(), []
    while time.perf_counter() - start < seconds:
        shuffle(timed)
        for runner, params in timed:
            began = time.perf_counter() - start
            sample = runner.sample(params)
            (value,) = params.values()
            units = work(runner.traits.knobs[0].scale, value)
            lines.append(
                (
                    round(began * 1e6),
                    runner.traits.name,
                    round(units),
                    f"{sample.cpu_seconds * 1e6:.1f}",
                    f"{sample.wall_seconds * 1e6:.1f}",
                )
            )
    with gzip.open(path, "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(lines)
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
