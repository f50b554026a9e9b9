"""Compare: wall time of ``calibrate compare`` on a folder of a hundred profiles."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Final

from fakes import slowed_profile
from hashcost.core.profile import Profile
from hashcost.documents.profile import load_profile, save_profile

from .fresh import command
from .report import Report, Table, seconds, verdict
from .settings import Settings, counter
from .spread import quartiles

_PROFILES: Final = 100
_LIMIT: Final = 1.0
_FORMS: Final = ("table", "json", "csv")


def run(settings: Settings) -> Report:
    """Measure the default hashers once, make a machine of each speed of it, and compare."""
    rounds = settings.size(9, 3)
    show = counter("compare", rounds)
    times: dict[str, list[float]] = {form: [] for form in _FORMS}
    with command() as calibrate, tempfile.TemporaryDirectory() as folder:
        measured = Path(folder, "measured.json")
        calibrate.call("--target", "40ms", "--save", str(measured), "--quiet")
        profile = load_profile(measured)
        measured.unlink()
        size = _make(Path(folder), profile)
        for index in range(rounds):
            for form in _FORMS:
                call = calibrate.call("compare", folder, "--format", form)
                times[form].append(call.wall_seconds)
            show(index)
    rows = []
    for form, taken in times.items():
        low, high = quartiles(taken)
        middle = sorted(taken)[len(taken) // 2]
        rows.append(
            [
                f"{_PROFILES} profiles of {len(profile.results)} hashers, as {form}",
                f"{size / 2**20:.1f} MiB",
                seconds(middle),
                f"{seconds(low)} … {seconds(high)}",
                seconds(min(taken)),
                seconds(_LIMIT),
                verdict(met=middle <= _LIMIT),
            ]
        )
    columns = ("what", "size", "median", "quartiles", "smallest", "limit", "verdict")
    return Report(
        tables=[Table("Comparison of machines, start-up included", columns, rows)],
        runs=[{"wall_seconds": times}],
    )


def _make(folder: Path, profile: Profile) -> int:
    """Write the profiles of machines of many speeds; their size in bytes."""
    chance = random.Random(1)
    for index in range(_PROFILES):
        save_profile(
            slowed_profile(profile, chance.uniform(0.5, 2.0)), folder / f"web{index:03}.json"
        )
    return sum(path.stat().st_size for path in folder.iterdir())
