"""``python -m tests.tools.benchmarks.record SECONDS FILE``: hash, and write one CSV line a hash.

Round after round, each round in a fresh order and beside another number of CPU-bound processes,
or beside none with ``--quiet``, three probes before each hash. What a line holds is in
`recordings/README.md`.
"""

import argparse
import csv
import gzip
import random
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from corpora import cases
from hashcost.hashers.registry import candidates
from hashcost.machine.host import this_host
from hashcost.measure.core_watch import PARTS, hash_probe
from hashcost.measure.runner import runner_of

from .hogs import hogs

_BESIDE: Final = (0, 0, 1, 3, 8)
"""The numbers of CPU-bound processes."""
_COSTS: Final[dict[str, list[list[int]]]] = cases(__file__, "record.toml", "costs")
COLUMNS: Final = ("at_seconds", "what", "cpu_seconds", "faults")


def record(seconds: float, path: Path, numbers: Sequence[int] = _BESIDE) -> int:
    """Time hashes for so long beside these numbers of processes, and write each of them.

    Returns the number of hashes.
    """
    host = this_host()
    probe = hash_probe(host.clock)
    assert probe is not None
    probes = [_what(labels[0], params.values()) for labels, params in PARTS]
    pool = {candidate.label: candidate for candidate in candidates()}
    runners = {label: runner_of(pool[label].load(), host.clock) for label in _COSTS}
    hashes = [(label, values) for label, costs in _COSTS.items() for values in costs]
    lines: list[tuple[str, str, str, int]] = []

    def write(began: float, what: str, cpu_seconds: float, faults: int = 0) -> None:
        lines.append((f"{began - start:.6f}", what, f"{cpu_seconds:.7f}", faults))

    start = time.perf_counter()
    with hogs(max(numbers)) as beside:
        while time.perf_counter() - start < seconds:
            random.shuffle(hashes)
            count = random.choice(numbers)
            for number, hog in enumerate(beside):
                hog.send_signal(signal.SIGCONT if number < count else signal.SIGSTOP)
            for label, values in hashes:
                began = time.perf_counter()
                for what, took in zip(probes, probe.read(cold=True), strict=True):
                    write(began, what, took)
                runner, began = runners[label], time.perf_counter()
                sample = runner.sample(dict(zip(runner.hasher.lowest, values, strict=True)))
                write(began, _what(label, values), sample.cpu_seconds, sample.page_faults)
    with gzip.open(path, "wt", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *lines])
    return len(lines)


def _what(label: str, values: Iterable[int]) -> str:
    return f"{label}/{','.join(map(str, values))}"


def main() -> int:
    """Record what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.benchmarks.record")
    parser.add_argument("seconds", type=float)
    parser.add_argument("file", type=Path)
    parser.add_argument("--quiet", action="store_true", help="beside no process")
    arguments = parser.parse_args()
    numbers: Sequence[int] = _BESIDE
    if arguments.quiet:
        numbers = (0,)
    print(f"{record(arguments.seconds, arguments.file, numbers):,} hashes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
