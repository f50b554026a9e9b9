"""Check: how long `calibrate check` takes, and does it ever cry wolf, or miss a weak cost?

Quiet and busy runs take turns, and each checks the cost that is right, one that is far
too weak, and one that leaves nothing of its target unused. No policy is held to: its
floor would catch the weak cost without any measurement.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from .fresh import Command, CommandError, Finished, command
from .fresh import run as finish
from .hogs import hog_count, state
from .report import Report, Table, cpu_count, seconds, verdict
from .settings import Settings, counter
from .spread import quartiles

_PROFILE_LIMIT: Final = 0.25
_LIVE_LIMIT: Final = 2.0
_STRONG: Final = ("bcrypt=12", "250ms")
_WEAK: Final = ("bcrypt=8", "250ms")
_TIGHT: Final = "pbkdf2-sha256"
_TIGHT_TARGET: Final = "40ms"
_ALARMS: Final = frozenset({"drifted", "too-slow", "below-floor"})


@dataclass
class _Runs:
    """What the runs of one state found of each cost, and how long they took."""

    outcomes: dict[str, list[str]] = field(default_factory=dict)
    wall_seconds: dict[str, list[float]] = field(default_factory=dict)

    def add(self, what: str, checked: Finished) -> None:
        """Keep the outcome of one check."""
        found = json.loads(checked.output)["results"][0]["outcome"]
        self.outcomes.setdefault(what, []).append(found)
        self.wall_seconds.setdefault(what, []).append(checked.wall_seconds)


def run(settings: Settings) -> Report:
    """Alternate quiet and busy runs; then check against a profile."""
    size = settings.size(40, 4)
    show = counter("check", size)
    found = {busy: _Runs() for busy in (False, True)}
    with command() as calibrate, tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile.json"
        calibrate.call("bcrypt", "--target", "250ms", "--save", str(profile), "--quiet")
        tight = f"{_TIGHT}={calibrate.calibrate(_TIGHT).rows[_TIGHT].cost}"
        costs = (_STRONG, _WEAK, (tight, _TIGHT_TARGET))
        for index in range(size):
            for busy in (index % 2 == 1, index % 2 == 0):
                with state(busy=busy):
                    for cost, target in costs:
                        what = "the same" if cost == tight else cost
                        found[busy].add(what, _check(calibrate, cost, "--target", target))
            show(index + 1)
        again = [
            _check(calibrate, "bcrypt=12", "--profile", str(profile)) for _ in range(size + 1)
        ]
    saved = [checked.wall_seconds for checked in again[1:]]
    return Report(
        tables=(_speed(saved, found), _verdicts(found, tight, size)),
        runs=[
            *(_record("busy" if busy else "quiet", runs) for busy, runs in found.items()),
            {"state": "profile", "wall_seconds": saved, "different_bytes": _variety(again)},
        ],
    )


def _record(name: str, runs: _Runs) -> dict[str, object]:
    return {"state": name, "outcomes": runs.outcomes, "wall_seconds": runs.wall_seconds}


def _check(calibrate: Command, *arguments: str) -> Finished:
    """One check, whatever it finds.

    Raises:
        CommandError: it found nothing at all.
    """
    checked = finish(
        [calibrate.path, "check", *arguments, "--policy", "none", "--format", "json", "--quiet"],
        calibrate.environment,
    )
    if not checked.output:
        raise CommandError(f"`calibrate check` ended with {checked.exit_code}: {checked.errors}")
    return checked


def _variety(checked: Sequence[Finished]) -> int:
    """How many different outputs there were."""
    return len({one.output for one in checked})


def _speed(saved: Sequence[float], found: dict[bool, _Runs]) -> Table:
    rows = [
        ("bcrypt 12 by a profile", saved, _PROFILE_LIMIT),
        ("bcrypt 12 at 250 ms, live", found[False].wall_seconds["bcrypt=12"], _LIVE_LIMIT),
        ("the same, busy", found[True].wall_seconds["bcrypt=12"], _LIVE_LIMIT),
        ("bcrypt 8, live, with its confirmation", found[False].wall_seconds["bcrypt=8"], None),
        ("the same, busy", found[True].wall_seconds["bcrypt=8"], None),
    ]
    return Table(
        title=f"check: wall time of the whole command, runs: {len(saved)}",
        columns=("what", "median", "quartiles", "largest", "limit", "verdict"),
        rows=[
            (
                what,
                seconds(statistics.median(times)),
                " … ".join(map(seconds, quartiles(times))),
                seconds(max(times)),
                "" if limit is None else f"≤ {limit:g} s",
                "" if limit is None else verdict(met=statistics.median(times) <= limit),
            )
            for what, times, limit in rows
        ],
    )


def _verdicts(found: dict[bool, _Runs], tight: str, size: int) -> Table:
    rows = []
    for busy, runs in found.items():
        for what, outcomes in runs.outcomes.items():
            alarms = sum(outcome in _ALARMS for outcome in outcomes)
            weak = what == "bcrypt=8"
            rows.append(
                (
                    f"{tight} at 40 ms" if what == "the same" else f"{what} at 250 ms",
                    "busy" if busy else "quiet",
                    str(alarms),
                    ", ".join(f"{name} {n}" for name, n in Counter(outcomes).most_common()),
                    str(size if weak else 0),
                    verdict(met=alarms == (size if weak else 0)),
                )
            )
    return Table(
        title=f"check: what is found live, runs each: {size}",
        columns=("what", "state", "alarms", "verdict of the runs", "wanted", "verdict"),
        rows=rows,
        notes=(
            f"busy: {hog_count()} CPU-bound processes on {cpu_count()} cores",
            f"{tight}: what a calibration had recommended just before",
        ),
    )
