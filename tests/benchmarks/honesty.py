"""Honesty: does the printed interval hold for runs minutes apart, quiet and busy?

One history is kept for the whole benchmark, as on a user's machine; the same
runs are made without one. Intervals are compared at one common cost, the median
of those recommended, so that rounding a cost moves nothing.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .fresh import Calibration, command
from .hogs import state
from .reference import reference
from .report import Report, Table, percent, verdict
from .settings import FIVE, Settings, counter
from .spread import range_share, reach

_LEAST_SHARE: Final = 0.93
_WIDEST: Final = {
    "sha512-crypt": 0.02,
    "pbkdf2-sha1": 0.04,
    "pbkdf2-sha256": 0.04,
    "pbkdf2-sha512": 0.04,
    "bcrypt": 0.02,
}
_KINDS: Final = ((False, True), (True, True), (False, False), (True, False))
"""Busy, with the history: each once per slot."""
_FIRST: Final = 10


@dataclass(frozen=True, kw_only=True)
class _Run:
    started: float
    busy: bool
    history: bool
    reference_seconds: float
    calibration: Calibration


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """One run's answer for one hasher at the common cost."""

    busy: bool
    history: bool
    seconds: float
    low: float
    high: float
    half_width: float | None

    def holds(self, truth: float) -> bool:
        """Whether the printed interval contains the truth."""
        return self.low <= truth <= self.high


def run(settings: Settings) -> Report:
    """Spread slots of four runs evenly over the time."""
    slots = settings.size(40, 4)
    minutes = settings.minutes
    if minutes is None:
        minutes = 0.0 if settings.quick else 10.0
    pause = minutes * 60 / max(slots - 1, 1)
    show = counter("honesty", slots)
    runs: list[_Run] = []
    start = time.monotonic()
    with command() as calibrate:
        for slot in range(slots):
            time.sleep(max(0.0, start + slot * pause - time.monotonic()))
            turn = slot % len(_KINDS)
            for busy, history in (*_KINDS[turn:], *_KINDS[:turn]):
                arguments = () if history else ("--no-history",)
                began = time.monotonic() - start
                with state(busy=busy):
                    runs.append(
                        _Run(
                            started=began,
                            busy=busy,
                            history=history,
                            reference_seconds=reference(),
                            calibration=calibrate.calibrate(*FIVE, *arguments),
                        )
                    )
            show(slot + 1)
    over = (time.monotonic() - start) / 60
    claims = {name: _claims(name, runs) for name in runs[0].calibration.rows}
    return Report(
        tables=(_coverage(claims, slots, over), _widths(claims), _wander(runs)),
        runs=[
            {
                "started_seconds": run.started,
                "busy": run.busy,
                "history": run.history,
                "reference_seconds": run.reference_seconds,
                **run.calibration.as_json(),
            }
            for run in runs
        ],
    )


def _claims(name: str, runs: Sequence[_Run]) -> list[_Claim]:
    found = [(run, run.calibration.rows[name]) for run in runs if name in run.calibration.rows]
    common = int(statistics.median_low([row.cost for _, row in found]))
    claims = []
    for run, row in found:
        seconds = row.seconds_at(common)
        low, high = row.interval_seconds or (float("inf"), float("-inf"))
        claims.append(
            _Claim(
                busy=run.busy,
                history=run.history,
                seconds=seconds,
                low=seconds * low / row.time_seconds,
                high=seconds * high / row.time_seconds,
                half_width=row.half_width,
            )
        )
    return claims


def _coverage(claims: dict[str, list[_Claim]], slots: int, over: float) -> Table:
    rows = []
    for history in (True, False):
        for name, every in claims.items():
            truth = statistics.median(claim.seconds for claim in every)
            kind = [claim for claim in every if claim.history is history]
            quiet = _share([claim for claim in kind if not claim.busy], truth)
            busy = _share([claim for claim in kind if claim.busy], truth)
            shares = [share for share in (quiet, busy) if share is not None]
            rows.append(
                (
                    name,
                    "kept" if history else "none",
                    _shown(_share(kind, truth)),
                    _shown(quiet),
                    _shown(busy),
                    _shown(_share(kind[:_FIRST], truth)),
                    _shown(_share(kind[_FIRST:], truth)),
                    f"≥ {_LEAST_SHARE * 100:.0f} %",
                    verdict(met=min(shares, default=0.0) >= _LEAST_SHARE),
                )
            )
    return Table(
        title=f"honesty: runs whose printed interval holds the median of all runs;"
        f" {slots} quiet and {slots} busy runs of each kind over {over:.1f} minutes",
        columns=(
            "hasher",
            "history",
            "all",
            "quiet",
            "busy",
            f"first {_FIRST}",
            "rest",
            "limit",
            "verdict",
        ),
        rows=rows,
        notes=("the limit is for quiet and for busy runs",),
    )


def _widths(claims: dict[str, list[_Claim]]) -> Table:
    rows = []
    for history in (True, False):
        for name, every in claims.items():
            kind = [claim for claim in every if claim.history is history]
            widths = [claim.half_width for claim in kind if claim.half_width is not None]
            if not widths:
                continue
            widest = _WIDEST.get(name)
            rows.append(
                (
                    name,
                    "kept" if history else "none",
                    f"±{percent(statistics.median(widths))}",
                    f"±{percent(max(widths))}",
                    f"±{percent(reach([claim.seconds for claim in every]))}",
                    f"±{percent(widest)}" if widest else "",
                    verdict(met=max(widths) <= widest) if widest else "",
                )
            )
    return Table(
        title="honesty: half the width of the interval, as printed",
        columns=("hasher", "history", "median", "largest", "95 % of runs", "limit", "verdict"),
        rows=rows,
        notes=("95 % of runs: how far from their median that share of all runs fell",),
    )


def _wander(runs: Sequence[_Run]) -> Table:
    rows = []
    for what, chosen in (
        ("quiet", [run for run in runs if not run.busy]),
        ("busy", [run for run in runs if run.busy]),
        ("all", list(runs)),
    ):
        times = [run.reference_seconds for run in chosen]
        rows.append(
            (
                what,
                f"{statistics.median(times) * 1e3:.3f} ms",
                f"±{percent(reach(times))}",
                percent(range_share(times)),
            )
        )
    return Table(
        title="honesty: the machine meanwhile, fixed work outside the tool before each run",
        columns=("what", "median", "95 % within", "(max - min) / median"),
        rows=rows,
    )


def _share(claims: Sequence[_Claim], truth: float) -> float | None:
    if not claims:
        return None
    return sum(claim.holds(truth) for claim in claims) / len(claims)


def _shown(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.0f} %"
