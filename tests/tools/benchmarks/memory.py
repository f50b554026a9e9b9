"""Memory: the peak resident size of a run.

A memory-hard hasher needs its memory while it hashes, so a run with one may take
that of one hash and as much as any other run beside it.
"""

from __future__ import annotations

import resource
import statistics
import sys
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from .fresh import Calibration, command
from .peers import choose_rounds
from .report import Report, Table, mebibytes, verdict
from .settings import FIVE, MEMORY_HARD, TARGET_SECONDS, Settings, counter

_LIMIT_BYTES: Final = 80 * 2**20
_LONG_SECONDS: Final = 0.25

_Runs: TypeAlias = Mapping[str, Sequence[Calibration]]


def run(settings: Settings) -> Report:
    """Run the command with the five hashers, with all of them, and with each memory-hard one."""
    runs = settings.size(5, 1)
    show = counter("memory", runs)
    light: dict[str, list[Calibration]] = {}
    heavy: dict[str, list[Calibration]] = {}
    with command() as calibrate:
        for index in range(runs):
            for what, options in (("the five hashers", ()), ("  by every library", ("--all",))):
                light.setdefault(what, []).append(calibrate.calibrate(*FIVE, *options))
            for what, arguments in (
                ("the default hashers", ()),
                ("everything (--all)", ("--all",)),
            ):
                heavy.setdefault(what, []).append(calibrate.calibrate(*arguments))
            for target in (TARGET_SECONDS, _LONG_SECONDS):
                for name in MEMORY_HARD:
                    found = calibrate.calibrate(name, target_seconds=target)
                    heavy.setdefault(f"{name} at {target * 1e3:.0f} ms", []).append(found)
            show(index + 1)
    peer = (choose_rounds(["bcrypt"]) if settings.quick else choose_rounds()).peak_bytes
    return Report(
        tables=(_light_table(light, peer, runs), _heavy_table(heavy, runs)),
        runs=[
            {"what": what, **found.as_json()}
            for what, every in (*light.items(), *heavy.items())
            for found in every
        ]
        + [{"what": "choose_rounds", "peak_bytes": peer}],
    )


def _light_table(runs: _Runs, peer: int, count: int) -> Table:
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    own_bytes = own if sys.platform == "darwin" else own * 1024
    rows = []
    for what, found in runs.items():
        peaks = [one.process.peak_bytes for one in found]
        rows.append(
            (
                what,
                mebibytes(statistics.median(peaks)),
                mebibytes(max(peaks)),
                f"< {mebibytes(_LIMIT_BYTES)}",
                verdict(met=max(peaks) < _LIMIT_BYTES),
            )
        )
    return Table(
        title=f"memory: peak resident size, runs: {count}",
        columns=("what", "median", "largest", "limit", "verdict"),
        rows=[*rows, ("choose_rounds' method, once", mebibytes(peer), mebibytes(peer), "", "")],
        notes=(f"less than the benchmark's own {mebibytes(own_bytes)} cannot be seen",),
    )


def _heavy_table(runs: _Runs, count: int) -> Table:
    rows = []
    for what, every in runs.items():
        found = [one for one in every if one.rows]
        if not found:
            continue
        hashes = [max(row.memory_bytes for row in one.rows.values()) for one in found]
        steps = [max(row.tried_bytes for row in one.rows.values()) for one in found]
        peaks = [one.process.peak_bytes for one in found]
        over_hash = max(peak - size for peak, size in zip(peaks, hashes, strict=True))
        over_step = max(peak - size for peak, size in zip(peaks, steps, strict=True))
        rows.append(
            (
                what,
                mebibytes(statistics.median(peaks)),
                mebibytes(max(peaks)),
                mebibytes(max(hashes)),
                mebibytes(over_hash),
                mebibytes(max(steps)),
                mebibytes(over_step),
                f"≤ {mebibytes(_LIMIT_BYTES)}",
                verdict(met=over_hash <= _LIMIT_BYTES),
                verdict(met=over_step <= _LIMIT_BYTES),
            )
        )
    return Table(
        title=f"memory: peak resident size beside that of one memory-hard hash, runs: {count}",
        columns=(
            "what",
            "median",
            "largest",
            "one hash",
            "beyond it",
            "largest timed",
            "beyond that",
            "limit",
            "by hash",
            "by step",
        ),
        rows=rows,
        notes=(
            "one hash: at the recommended setting, of the row that takes most",
            "largest timed: the largest step of memory of which a hash was timed, which may be",
            "one above the recommended; beyond: the largest difference of one run",
        ),
    )
