"""What `calibrate capacity` shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcost.core.capacity import Capacity, Level, LoadRun, Prediction
from hashcost.core.units import (
    format_bytes,
    format_cost,
    format_duration,
    format_pairs,
    format_percent,
    format_rate,
)
from hashcost.render.document import Column, Document, Fields, Row, Scalar, Table, own, records
from hashcost.render.machine_line import place
from hashcost.render.wording import counted

LEVEL_COLUMNS: Final = (
    Column("at once"),
    Column("logins", right=True, bold=True),
    Column("p50", right=True),
    Column("p95", right=True),
    Column("memory", right=True),
    Column("rests on", flexible=True),
)

_FIELDS = (
    *("kind", "hasher", "implementation", "implementation_version", "params", "threads"),
    *("hashes", "logins_per_second", "p50_seconds", "p95_seconds", "max_seconds"),
    *("memory_bytes", "utilisation", "held", "error"),
)


def capacity_document(capacity: Capacity) -> Document:
    """A row per number of threads and one for random logins; or, of a demand, one per run."""
    columns, rows = _levels(capacity) if capacity.demand is None else _runs(capacity)
    return Document(
        head=(_title(capacity), _how(capacity), *place(capacity.machine, capacity.tool)),
        tables=(Table(columns=columns, rows=rows),),
        foot=() if capacity.error is None else (f"{capacity.label}: {capacity.error}",),
        fields=_FIELDS,
        records=tuple(_records(capacity)),
        value=capacity,
    )


def _title(capacity: Capacity) -> str:
    demand = capacity.demand
    if demand is None:
        cost = format_cost(capacity.params or {})
        most = max(level.logins_per_second for level in capacity.levels)
        return (
            f"Logins with {capacity.hasher}, {cost}: {format_rate(most)} at most on"
            f" {counted(capacity.cpus, 'CPU', 'CPUs')}"
        )
    held_by = "no cost" if capacity.params is None else format_cost(capacity.params)
    return (
        f"Logins with {capacity.hasher}: {format_rate(demand.logins_per_second)}, 95 of 100"
        f" within {format_duration(demand.p95_seconds)}, are held by {held_by}"
    )


def _how(capacity: Capacity) -> str:
    return (
        f"{capacity.implementation} {capacity.implementation_version}, measured in"
        f" {format_duration(capacity.duration_seconds)} on"
    )


def _levels(capacity: Capacity) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    rows = [Row(cells=level_cells(level)) for level in capacity.levels]
    if capacity.prediction is not None:
        rows.append(Row(cells=_prediction_cells(capacity.prediction)))
    return LEVEL_COLUMNS, tuple(rows)


def level_cells(level: Level) -> tuple[str, ...]:
    """What so many threads get done, below `LEVEL_COLUMNS`."""
    doubt = ", p95 rough" if level.p95_is_rough else ""
    if level.p95_seconds is None:
        doubt = ", too few for a p95"
    return (
        counted(level.threads, "thread", "threads"),
        format_rate(level.logins_per_second),
        format_duration(level.p50_seconds),
        "-" if level.p95_seconds is None else format_duration(level.p95_seconds),
        format_bytes(level.memory_bytes),
        f"{level.hashes} hashes{doubt}",
    )


def _prediction_cells(prediction: Prediction) -> tuple[str, ...]:
    return (
        f"{format_percent(prediction.load)} load",
        format_rate(prediction.arrivals_per_second),
        format_duration(prediction.p50_seconds),
        format_duration(prediction.p95_seconds),
        "",
        "foreseen, logins at random",
    )


def _runs(capacity: Capacity) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    columns = (
        Column("cost", flexible=True, bold=True, pairs=True),
        Column("logins", right=True),
        Column("p50", right=True),
        Column("p95", right=True),
        Column("longest", right=True),
        Column("busy", right=True),
        Column("verdict", flexible=True),
    )
    return columns, tuple(Row(cells=_run_cells(run)) for run in capacity.runs)


def _run_cells(run: LoadRun) -> tuple[str, ...]:
    verdict = "held" if run.held else "not held"
    if run.served < run.arrivals:
        verdict = "given up"
    rough = ", p95 rough" if run.p95_is_rough else ""
    return (
        format_cost(run.params),
        format_rate(run.logins_per_second),
        format_duration(run.p50_seconds),
        format_duration(run.p95_seconds),
        format_duration(run.max_seconds),
        format_percent(run.utilisation),
        f"{verdict} by {run.served} logins, {counted(run.workers, 'worker', 'workers')}{rough}",
    )


_TIMES: Final = ("logins_per_second", "p50_seconds", "p95_seconds")
_LEVEL: Final[Fields[Level]] = {
    "kind": lambda _: "level",
    "params": lambda level: format_pairs(level.params),
    **own("threads", "hashes", *_TIMES),
    "max_seconds": lambda level: max(level.latency_seconds),
    **own("memory_bytes"),
}
_PREDICTION: Final[Fields[Prediction]] = {
    "kind": lambda _: "prediction",
    "threads": lambda prediction: prediction.workers,
    "logins_per_second": lambda prediction: prediction.arrivals_per_second,
    **own("p50_seconds", "p95_seconds", "utilisation"),
}
_RUN: Final[Fields[LoadRun]] = {
    "kind": lambda _: "run",
    "params": lambda run: format_pairs(run.params),
    "threads": lambda run: run.workers,
    "hashes": lambda run: run.served,
    **own(*_TIMES, "max_seconds", "utilisation", "held"),
}


def _records(capacity: Capacity) -> Iterator[dict[str, Scalar]]:
    common: dict[str, Scalar] = {
        "hasher": capacity.hasher,
        "implementation": capacity.implementation,
        "implementation_version": capacity.implementation_version,
        "params": format_pairs(capacity.params or {}),
    }
    predictions = () if capacity.prediction is None else (capacity.prediction,)
    for record in (
        *records(capacity.levels, _LEVEL),
        *records(predictions, _PREDICTION),
        *records(capacity.runs, _RUN),
    ):
        yield common | record
    if capacity.error is not None:
        yield {**common, "params": None, "kind": "failure", "error": capacity.error}
