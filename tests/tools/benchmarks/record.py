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

from hashcost.core.measurement import Params
from hashcost.hashers.registry import candidates
from hashcost.machine.host import this_host
from hashcost.measure.runner import Runner

PROBES: Final[tuple[tuple[str, Params], ...]] = (
    ("pbkdf2-sha256@hashlib", {"iterations": 1000}),
    ("bcrypt@bcrypt", {"cost": 4}),
    ("argon2id@argon2-cffi", {"memory_kib": 1024, "time_cost": 1, "parallelism": 1}),
)
_COSTS: Final[dict[str, tuple[tuple[int, ...], ...]]] = {
    "sha512-crypt@libcrypt": ((5000,),),
    "sha256-crypt@libcrypt": ((5000,),),
    "sha512-crypt@passlib": ((3000,),),
    "pbkdf2-sha1@hashlib": ((6000,),),
    "pbkdf2-sha1@cryptography": ((10_000,),),
    "pbkdf2-sha256@hashlib": ((6000,), (60_000,)),
    "pbkdf2-sha256@cryptography": ((10_000,),),
    "pbkdf2-sha512@hashlib": ((3000,),),
    "pbkdf2-sha512@cryptography": ((5000,),),
    "bcrypt@bcrypt": ((6,), (9,)),
    "bcrypt@libcrypt": ((6,),),
    "scrypt@hashlib": ((4096, 8, 1), (8192, 8, 2), (32_768, 8, 1)),
    "scrypt@cryptography": ((8192, 8, 1),),
    "scrypt@libcrypt": ((8192, 8, 1),),
    "argon2id@argon2-cffi": (
        *((8192, 1, 1), (8192, 3, 1), (19_456, 2, 1), (31_744, 1, 1)),
        *((32_768, 1, 1), (47_104, 1, 1), (65_536, 1, 1), (65_536, 2, 1)),
    ),
    "argon2id@cryptography": ((19_456, 2, 1),),
    "yescrypt@libcrypt": ((3,), (4,), (5,), (6,), (7,)),
}
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
