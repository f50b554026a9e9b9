"""Memory: the peak resident size of a run."""

from __future__ import annotations

import resource
import statistics
import sys
from collections.abc import Sequence
from typing import Final

from .fresh import command
from .peers import choose_rounds
from .report import Report, Table, mebibytes, verdict
from .settings import Settings, counter

_LIMIT_BYTES: Final = 80 * 2**20


def run(settings: Settings) -> Report:
    """Run the command with the default hashers and with all of them."""
    runs = settings.size(5, 1)
    show = counter("memory", runs)
    peaks: dict[str, list[int]] = {}
    with command() as calibrate:
        for index in range(runs):
            for what, found in (
                ("the default hashers", calibrate.calibrate().process),
                ("every implementation (--all)", calibrate.calibrate("--all").process),
            ):
                peaks.setdefault(what, []).append(found.peak_bytes)
            show(index + 1)
    peer = (choose_rounds(["bcrypt"]) if settings.quick else choose_rounds()).peak_bytes
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    own_bytes = own if sys.platform == "darwin" else own * 1024
    return Report(
        tables=(
            Table(
                title=f"memory: peak resident size, runs: {runs}",
                columns=("what", "median", "largest", "limit", "verdict"),
                rows=[
                    *(_row(what, found) for what, found in peaks.items()),
                    ("choose_rounds' method, once", mebibytes(peer), mebibytes(peer), "", ""),
                ],
                notes=(f"less than the benchmark's own {mebibytes(own_bytes)} cannot be seen",),
            ),
        ),
        runs=[{"peak_bytes": peaks, "choose_rounds_peak_bytes": peer}],
    )


def _row(what: str, peaks: Sequence[int]) -> tuple[str, ...]:
    return (
        what,
        mebibytes(statistics.median(peaks)),
        mebibytes(max(peaks)),
        f"< {mebibytes(_LIMIT_BYTES)}",
        verdict(met=max(peaks) < _LIMIT_BYTES),
    )
