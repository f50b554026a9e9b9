"""Capacity: does a plain server meet what `calibrate capacity` predicts at 70 % load?

The command measures, then a script of its own serves random logins at the predicted rate. How a
few hundred logins fare also depends on how closely they happen to come, so a single p95 varies
by a tenth and more; medians of several repeats are judged.
"""

from __future__ import annotations

import json
import statistics
from typing import Any, Final

from hashcost.fit.order_statistics import quantile

from .fresh import command, module
from .report import Report, Table, change, setting, verdict
from .settings import Settings, counter

_COSTS: Final = {
    "bcrypt=10": ("bcrypt", {"cost": 10}),
    "pbkdf2-sha256=50000": ("pbkdf2-sha256", {"iterations": 50_000}),
}
_SECONDS: Final = 20.0
_LIMIT: Final = 0.10


def run(settings: Settings) -> Report:
    """Measure and serve in turn, for each hasher several times."""
    repeats = settings.size(7, 1)
    show = counter("capacity", repeats * len(_COSTS))
    runs: list[dict[str, Any]] = []
    rows = []
    with command() as calibrate:
        for name, (hasher, params) in _COSTS.items():
            ratios: list[tuple[float, float, float]] = []
            for _ in range(repeats):
                output = calibrate.call("capacity", name, "--format", "json", "--quiet").output
                prediction = json.loads(output)["prediction"]
                rate, workers = prediction["arrivals_per_second"], prediction["workers"]
                served = json.loads(
                    module(
                        "plain_load",
                        *(hasher, json.dumps(params), str(rate), str(_SECONDS), str(workers)),
                    ).output
                )
                responses = served["responses"]
                ratios.append(
                    (
                        len(responses) / served["lasted"] / rate - 1,
                        quantile(responses, 0.5) / prediction["p50_seconds"] - 1,
                        quantile(responses, 0.95) / prediction["p95_seconds"] - 1,
                    )
                )
                runs.append({"cost": name, "prediction": prediction, **served})
                show(len(runs))
            medians = [statistics.median(column) for column in zip(*ratios, strict=True)]
            met = max(map(abs, medians)) <= _LIMIT
            rows.append((hasher, setting(params), *map(change, medians), verdict(met=met)))
    table = Table(
        title=f"capacity: {_SECONDS:.0f} s of random logins served by a plain script at the"
        f" predicted rate; repeats: {repeats}",
        columns=("hasher", "setting", "rate held", "p50", "p95", "verdict"),
        rows=rows,
        notes=(f"against the prediction, medians; limit: {_LIMIT * 100:.0f} % for each",),
    )
    return Report(tables=[table], runs=runs)
