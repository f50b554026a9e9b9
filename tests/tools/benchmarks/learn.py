"""``python -m tests.tools.benchmarks.learn [--write]``: how hashers slow with the probes.

Learns the curves in ``fit/data/slowdowns.toml`` from the recordings; ``--write`` replaces it.
"""

import math
import re
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import tomli_w

import hashcost.fit
from corpora import cases
from hashcost.fit.regression import Row, least_squares, product
from hashcost.fit.slowdown import LIKE, terms

from .recording import LEARNT, Hash, Recording

_ROUNDS: Final = 10
_FAR: Final = 3.0
"""A miss of so many times the median one counts half (Cauchy's weights)."""
FILE: Final = Path(hashcost.fit.__file__).parent / "data" / "slowdowns.toml"
_HEAD: Final = """\
# How hashers slow with the probes, and what the probes take on quiet cores.
# Made by `python -m tests.tools.benchmarks.learn --write` from tests/tools/benchmarks/recordings.

"""
_MACHINES: Final = cases(__file__, "learn.toml", "machines")
"""Vendor, family and model, the flags and the day of the recordings that tell quiet ratios."""
_VERSIONS: Final = (
    "pbkdf2-sha256@hashlib OpenSSL 3.0 / bcrypt@bcrypt 5.0 / argon2id@argon2-cffi 25.1"
)
CLASSES: Final = ("throughput", "latency", "memory")
_UNKNOWN: Final = {"class": 0.15, "quiet": 0.10, "shared": 0.05}
"""What is not known of a curve: of a hasher that was not recorded, of one that was recorded
where strangers hardly shared the core, and of others (any-machine: coverage of 95 %)."""
_SHARED: Final = ("probes-1", "probes-cpu", "probes-memory", "everything-2")
_PRIOR: Final = 1.0
"""What a class weighs beside what was recorded of a hasher itself."""


def robust_weights(misses: Sequence[float]) -> list[float]:
    """Less weight for what lies far off."""
    scale = _FAR * statistics.median(map(abs, misses)) + 1e-9
    return [1 / (1 + (miss / scale) ** 2) for miss in misses]


def robust(
    rows: Sequence[Row], targets: Sequence[float], weights: Sequence[float] = ()
) -> tuple[float, ...]:
    """The coefficients with less weight for outliers, which the rounds before tell."""
    given = weights or [1.0] * len(rows)
    used = list(given)
    found: tuple[float, ...] = ()
    for _ in range(_ROUNDS):
        found, _ = least_squares(rows, targets, used)
        misses = [y - product(found, row) for row, y in zip(rows, targets, strict=True)]
        used = [w * own for w, own in zip(given, robust_weights(misses), strict=True)]
    return found


def slower(timed: Hash, quiet: Sequence[float]) -> list[float]:
    """How much longer the probes around a hash took than on a quiet core."""
    both = zip(timed.before.seconds, timed.after.seconds, quiet, strict=True)
    return [math.log((before + after) / 2 / base) for before, after, base in both]


def kind_of(label: str) -> str:
    """The class of a hasher."""
    return LIKE.get(label.partition("@")[0], "throughput")


def slopes(
    label: str, recordings: Iterable[Recording], probes: int, prior: Sequence[float] = ()
) -> tuple[float, ...]:
    """How one hasher slows with so many probes, and with waiting for a CPU.

    Each cost in each recording has its own level. Only memory-hard ones follow the probe bound by
    memory, which on `everything-1` is slow at times when the others and their hashers are not;
    and only their memory is lost from the caches while they wait.
    """
    count, waits = (probes, 1) if kind_of(label) == "memory" else (2, 0)
    series = [
        (
            [
                (*terms(slower(each, recording.quiet))[:count], *[each.waited] * waits)
                for each in hashes
            ],
            [math.log(each.seconds) for each in hashes],
        )
        for recording in recordings
        for (name, _), hashes in recording.series().items()
        if name == label
    ]
    weights = [[1.0] * len(targets) for _, targets in series]
    found: tuple[float, ...] = ()
    for _ in range(_ROUNDS):
        rows: list[Sequence[float]] = []
        targets: list[float] = []
        for (xs, ys), own in zip(series, weights, strict=True):
            total = math.fsum(own)
            middle = [product(own, column) / total for column in zip(*xs, strict=True)]
            level = product(own, ys) / total
            rows += [[x - m for x, m in zip(row, middle, strict=True)] for row in xs]
            targets += [y - level for y in ys]
        flat = [w for own in weights for w in own]
        for index, expected in enumerate((*prior[:count], *prior[probes:])[: count + waits]):
            rows.append([float(index == at) for at in range(count + waits)])
            targets.append(expected)
            flat.append(_PRIOR)
        found, _ = least_squares(rows, targets, flat)
        weights = []
        for xs, ys in series:
            misses = [y - product(found, x) for x, y in zip(xs, ys, strict=True)]
            middle_miss = statistics.median(misses)
            weights.append(robust_weights([miss - middle_miss for miss in misses]))
    return (*found[:count], *(0.0,) * (probes - count), *(found[count:] or (0.0,)))


def learnt(names: Sequence[str]) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    """The curves of each hasher and class, by three probes and by two, with that of waiting."""
    recordings = [Recording(name) for name in names]
    labels = sorted({label for each in recordings for label, _ in each.series()})
    shared = [each for each in recordings if each.name in _SHARED] or recordings
    telling = sorted({label for each in shared for label, _ in each.series()})
    found: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {}
    for name in CLASSES:
        kin = [label for label in telling if kind_of(label) == name]
        three, two = (mean([slopes(label, shared, n) for label in kin]) for n in (3, 2))
        found[name] = three, two
    for label in labels:
        three, two = found[kind_of(label)]
        found[label] = slopes(label, recordings, 3, three), slopes(label, recordings, 2, two)
    return found


def mean(curves: Iterable[Sequence[float]]) -> tuple[float, ...]:
    """The mean of several curves."""
    return tuple(statistics.fmean(each) for each in zip(*curves, strict=True))


def latency(recordings: Iterable[Recording]) -> dict[str, tuple[float, ...]]:
    """How the probe bound by latency slows itself, by the ratios of the others to it."""
    rows: list[list[float]] = []
    targets: list[float] = []
    for recording in recordings:
        base = [math.log(each) for each in recording.quiet]
        for reading in (each.before for each in recording.hashes):
            x = [math.log(each) - q for each, q in zip(reading.seconds, base, strict=True)]
            rows.append([max(x[0] - x[1], 0.0), max(x[2] - x[1], 0.0)])
            targets.append(x[1])
    return {"three": robust(rows, targets), "two": robust([row[:1] for row in rows], targets)}


def document(names: Sequence[str] = LEARNT) -> dict[str, object]:
    """The file, learnt from these recordings."""
    recordings = [Recording(name) for name in names]
    rows = []
    for label, (three, two) in learnt(names).items():
        own = [r.name for r in recordings if label in {name for name, _ in r.series()}]
        kind = "class" if label in CLASSES else "shared" if {*own} & {*_SHARED} else "quiet"
        rows.append(
            {
                "hasher": label,
                "slopes": _rounded(three[:-1]),
                "without_memory": _rounded(two[:-1]),
                **({"waiting": round(three[-1], 4)} if three[-1] else {}),
                "unknown": _UNKNOWN[kind],
                "recordings": own or [*_SHARED],
            }
        )
    quiet = []
    for recording in recordings:
        if recording.name in _MACHINES:
            cpu, flags, day = _MACHINES[recording.name]
            throughput, memory = map(math.exp, recording.ratios)
            quiet.append(
                {
                    "cpu": cpu,
                    "flags": list(flags),
                    "probes": _VERSIONS,
                    "throughput": round(throughput, 4),
                    "memory": round(memory, 4),
                    "recording": recording.name,
                    "measured": day,
                }
            )
    bound = {name: _rounded(curve) for name, curve in latency(recordings).items()}
    return {"latency": bound, "sensitivity": rows, "quiet": quiet}


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(value, 4) for value in values]


def main() -> int:
    """Print what is learnt, or write it."""
    # A list a line: tomli_w writes one line an item.
    text = re.sub(
        r"\[\n([^][]*),\n\]",
        lambda items: "[" + ", ".join(line.strip() for line in items[1].split(",\n")) + "]",
        _HEAD + tomli_w.dumps(document()),
    )
    if "--write" in sys.argv:
        FILE.write_text(text, "utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
