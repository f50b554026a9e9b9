"""Sweeps: two articles' costs within a budget, and what was predicted measured afterwards.

The machine's own speed moves, so a predicted cost is timed in turn with one that the
sweep measured; both against the sweep gives what prediction adds, without the drift.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Final

from .fresh import Command, command, module
from .report import Report, Table, change, percent, seconds, verdict
from .settings import Settings, counter

_FIRST: Final = "1000,5000,10000,50000,100000,500000,1000000"
_FIRST_LIMIT: Final = 6.0
_SECOND: Final = "100001..1000001:100000"
_SECOND_BUDGETS: Final = (5.0, 15.0)
_PREDICTED_LIMIT: Final = 0.03
_LONGEST_CHECK: Final = 2.5
"""Seconds beyond which one hash is not timed afterwards, but for the longest of each hasher."""
_PAIRS: Final = 3


def run(settings: Settings) -> Report:
    """The first article's sweep, and the second's with a check of what it predicted."""
    repeats = settings.size(5, 1)
    show = counter("sweep", repeats)
    first: list[dict[str, Any]] = []
    second: list[dict[str, Any]] = []
    checked: list[dict[str, Any]] = []
    with command() as calibrate:
        for index in range(repeats):
            first.append(_sweep(calibrate, "sha512-crypt", "--costs", _FIRST))
            show(index + 1)
        names = [f"pbkdf2-{digest}={_SECOND}" for digest in ("sha1", "sha256", "sha512")]
        for budget in _SECOND_BUDGETS[: 1 if settings.quick else None]:
            for asked in (names, ["bcrypt=6..17"]):
                found = _sweep(calibrate, *asked, "--budget", f"{budget:g}s")
                second.append(found)
                checked += [
                    {"budget": budget, **each} for each in _check(found, quick=settings.quick)
                ]
    return Report(
        tables=(
            _times("sweep: the first article's seven costs of sha512-crypt", first, _FIRST_LIMIT),
            _budgets(second),
            _predictions(checked),
        ),
        runs=[
            {"first": first, "second": second, "predicted": checked},
        ],
    )


def _sweep(calibrate: Command, *arguments: str) -> dict[str, Any]:
    """The rows of a sweep, and what the whole command took."""
    finished = calibrate.call("sweep", *arguments, "--format", "json", "--quiet")
    rows: list[dict[str, Any]] = json.loads(finished.output)
    for row in rows:
        reach = max(
            row["time_seconds"] - row["low_seconds"], row["high_seconds"] - row["time_seconds"]
        )
        is_timed = row["status"] == "measured"
        row["relative_error"] = reach / row["time_seconds"] if is_timed else None
    return {"wall_seconds": finished.wall_seconds, "rows": rows}


def _check(found: Mapping[str, Any], *, quick: bool) -> list[dict[str, Any]]:
    """Time predicted costs, each in turn with the longest measured one of its hasher."""
    checks = []
    for hasher in dict.fromkeys(row["hasher"] for row in found["rows"]):
        rows = [row for row in found["rows"] if row["hasher"] == hasher]
        measured = [row for row in rows if row["status"] == "measured"]
        predicted = [row for row in rows if row["status"] == "predicted"]
        if not measured or not predicted:
            continue
        short = [row for row in predicted if row["time_seconds"] <= _LONGEST_CHECK]
        chosen = short[-1:] if quick else [*short, *(predicted[-1:] if not short else [])]
        checks += [_pair(measured[-1], row) for row in chosen]
    return checks


def _pair(known: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    ratios, times = [], []
    repeats = max(2, round(row["time_seconds"] / known["time_seconds"]))
    for _ in range(_PAIRS):
        before = _plain(known, repeats)
        taken = _plain(row, 2)
        after = _plain(known, repeats)
        now = (before + after) / 2
        times.append(taken)
        ratios.append((row["time_seconds"] / known["time_seconds"]) / (taken / now) - 1)
    return {
        "hasher": row["hasher"],
        "cost": row["cost"],
        "predicted_seconds": row["time_seconds"],
        "seconds": statistics.median(times),
        "off": row["time_seconds"] / statistics.median(times) - 1,
        "per_machine": statistics.median(ratios),
    }


def _plain(row: Mapping[str, Any], times: int) -> float:
    """Median CPU seconds of hashes by a plain script."""
    params = {row["parameter"]: row["cost"]}
    script = module("plain", row["hasher"], json.dumps(params), str(times))
    taken: list[float] = json.loads(script.output)
    return statistics.median(taken)


def _times(title: str, runs: Sequence[Mapping[str, Any]], limit: float) -> Table:
    walls = [run["wall_seconds"] for run in runs]
    rows = [row for run in runs for row in run["rows"]]
    barred = sum(row["relative_error"] is not None for row in rows)
    errors = [row["relative_error"] for row in rows if row["relative_error"] is not None]
    return Table(
        title=f"{title}; runs: {len(runs)}",
        columns=("what", "median", "longest", "limit", "verdict"),
        rows=[
            (
                "wall time of the whole command",
                seconds(statistics.median(walls)),
                seconds(max(walls)),
                f"< {limit:g} s",
                verdict(met=max(walls) < limit),
            ),
            (
                f"±, of {barred} costs of {len(rows)} that were timed",
                percent(statistics.median(errors)),
                percent(max(errors)),
                "",
                "",
            ),
        ],
    )


def _budgets(runs: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        title="sweep: the second article's costs, thirty of PBKDF2 and bcrypt 6 to 17",
        columns=("what", "costs", "timed", "predicted", "wall time", "largest ±", "largest off"),
        rows=[
            (
                ", ".join(dict.fromkeys(row["hasher"] for row in run["rows"])),
                str(len(run["rows"])),
                str(sum(row["status"] == "measured" for row in run["rows"])),
                str(sum(row["status"] == "predicted" for row in run["rows"])),
                seconds(run["wall_seconds"]),
                _largest(run["rows"], "relative_error"),
                _largest(run["rows"], "residual"),
            )
            for run in runs
        ],
        notes=("wall time: with start-up; budgets 5 s, 5 s, 15 s, 15 s",),
    )


def _largest(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    return percent(max((abs(row[name]) for row in rows if row[name] is not None), default=0.0))


def _predictions(checked: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        title="what was predicted, measured afterwards",
        columns=(
            "hasher",
            "budget",
            "cost",
            "predicted",
            "measured",
            "off",
            "per machine",
            "limit",
            "verdict",
        ),
        rows=[
            (
                each["hasher"],
                seconds(each["budget"]),
                str(each["cost"]),
                seconds(each["predicted_seconds"]),
                seconds(each["seconds"]),
                change(each["off"]),
                change(each["per_machine"]),
                f"±{percent(_PREDICTED_LIMIT)}",
                verdict(met=abs(each["per_machine"]) <= _PREDICTED_LIMIT),
            )
            for each in checked
        ],
        notes=(
            "per machine: beside the longest cost that the sweep measured, timed in turn with it",
        ),
    )
