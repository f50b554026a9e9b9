"""Does `calibrate check` ever cry wolf, quiet or busy, or miss a weak cost, and how long it takes.

No policy applies: its minimum would catch the weak cost without any measurement.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

from .fresh import Command, command
from .hogs import hog_count, state
from .report import Report, Table, cpu_count, seconds, verdict
from .settings import Settings, counter

_PROFILE_SECONDS, _LIVE_SECONDS = 0.25, 2.0
_WEAK: Final = "bcrypt=8"
_ALARMS: Final = frozenset({"drifted", "too-slow", "below-floor"})


def run(settings: Settings) -> Report:
    """Check a right cost, a weak one and one that leaves nothing of its target, in turn."""
    size = settings.size(40, 4)
    show = counter("check", size)
    checks: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    with command() as calibrate, tempfile.TemporaryDirectory() as folder:
        profile = str(Path(folder, "profile.json"))
        calibrate.call("bcrypt", "--target", "250ms", "--save", profile, "--quiet")
        tight = calibrate.calibrate("pbkdf2-sha256").rows["pbkdf2-sha256"].cost
        costs = {"bcrypt=12": "250ms", _WEAK: "250ms", f"pbkdf2-sha256={tight}": "40ms"}
        for index in range(size):
            for busy in (index % 2 == 1, index % 2 == 0):
                with state(busy=busy):
                    for cost, target in costs.items():
                        ended = _check(calibrate, cost, "--target", target)
                        checks[cost, "busy" if busy else "quiet"].append(ended)
            ended = _check(calibrate, "bcrypt=12", "--profile", profile)
            checks["bcrypt=12", "by a profile"].append(ended)
            show(index + 1)
    rows = []
    for (label, mode), checked in checks.items():
        outcomes = Counter(outcome for outcome, _ in checked)
        taken = statistics.median(wall for _, wall in checked)
        wanted = size if label == _WEAK else 0
        most = _PROFILE_SECONDS if "profile" in mode else _LIVE_SECONDS
        right = sum(outcomes[alarm] for alarm in _ALARMS) == wanted
        met = right and (taken <= most or label != "bcrypt=12")
        said = ", ".join(f"{name} {count}" for name, count in outcomes.most_common())
        rows.append((label, mode, said, str(wanted), seconds(taken), verdict(met=met)))
    columns = ("what", "state", "outcomes", "alarms wanted", "wall, median", "verdict")
    notes = [f"busy: {hog_count()} CPU-bound processes on {cpu_count()} cores"]
    return Report([Table(f"check, runs each: {size}", columns, rows, notes)])


def _check(calibrate: Command, *arguments: str) -> tuple[str, float]:
    options = ("--policy", "none", "--format", "json", "--quiet")
    checked = calibrate.answer("check", *arguments, *options)
    return json.loads(checked.output)["results"][0]["outcome"], checked.wall_seconds
