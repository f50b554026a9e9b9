"""A calibrator of the simple kind: one wall-clock sample per rung, no repeats.

``python -m tests.benchmarks.one_sample JSON`` prints the settings as JSON. For
each hasher it climbs the memory steps that it is given, one hash each, until one
takes longer than the target; the last below that is kept. Then it climbs the
passes at that memory in the same way. Calibrators that time a fixed ladder work
like this; it hashes with the same libraries as the tool does by default.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, TypeAlias

from .fresh import Row, module
from .plain import prepare
from .settings import TARGET_SECONDS

Params: TypeAlias = dict[str, int]


def one_sample(rows: Iterable[Row]) -> dict[str, Params]:
    """Run it in a fresh process, on the ladders that these rows were solved on."""
    ladders = {}
    for row in rows:
        lowest = {name: steps[0] if steps else 1 for name, steps in row.knobs.items()}
        ladders[row.hasher] = {
            "lowest": {**row.params, **lowest},
            "knobs": {name: list(steps) for name, steps in row.knobs.items()},
        }
    settings: dict[str, Params] = json.loads(module("one_sample", json.dumps(ladders)).output)
    return settings


def _choose(hasher: str, lowest: Params, knobs: Mapping[str, Sequence[int]]) -> Params:
    chosen = lowest
    for name, steps in knobs.items():
        values: Iterable[int] = steps or count(chosen[name] + 1)
        chosen = _climb(hasher, chosen, ({**chosen, name: value} for value in values))
    return chosen


def _climb(hasher: str, start: Params, rungs: Iterable[Params]) -> Params:
    """The last rung below the target, or the start where none is."""
    kept = start
    for params in rungs:
        if _wall_seconds(hasher, params) > TARGET_SECONDS:
            break
        kept = params
    return kept


def _wall_seconds(hasher: str, params: Params) -> float:
    call = prepare(hasher, params)
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Choose a setting for each hasher."""
    ladders: dict[str, Any] = json.loads(sys.argv[1])
    json.dump(
        {hasher: _choose(hasher, **ladder) for hasher, ladder in ladders.items()}, sys.stdout
    )


if __name__ == "__main__":
    main()
