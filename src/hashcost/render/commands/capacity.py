"""What `calibrate capacity` shows."""

from collections.abc import Iterator
from typing import Final

from hashcost.core.capacity import Capacity, Level, LoadRun, Prediction
from hashcost.core.units import (
    format_bytes,
    format_duration,
    format_pairs,
    format_percent,
    format_rate,
    format_setting,
)
from hashcost.render.document import (
    Column,
    Document,
    Fields,
    Row,
    Scalar,
    Table,
    own,
    records,
    table,
)
from hashcost.render.wording import concurrency_note, counted, library, place

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
    how = f"{library(capacity)}, measured in {format_duration(capacity.duration_seconds)} on"
    notes: tuple[str, ...] = ()
    if capacity.concurrency is not None and capacity.memory_bytes is not None:
        memory = {capacity.hasher: capacity.memory_bytes}
        notes = (concurrency_note(capacity.concurrency, memory, capacity.cpus),)
    return Document(
        head=(how, *place(capacity.machine, capacity.tool, (capacity,))),
        tables=(_levels(capacity) if capacity.demand is None else _runs(capacity),),
        notes=notes,
        answer=() if capacity.error is not None else (_answer(capacity),),
        foot=() if capacity.error is None else (f"{capacity.label}: {capacity.error}",),
        fields=_FIELDS,
        records=tuple(_records(capacity)),
        value=capacity,
    )


def _answer(capacity: Capacity) -> str:
    """How many logins a cost serves, or which cost serves them."""
    demand = capacity.demand
    if demand is None:
        cost = format_setting(capacity.params or {})
        most = max(level.logins_per_second for level in capacity.levels)
        return (
            f"{capacity.hasher} {cost} serves at most {_logins(most)} on"
            f" {counted(capacity.cpus, 'CPU', 'CPUs')}."
        )
    return (
        f"Use {capacity.hasher} {format_setting(capacity.params or {})}: it serves"
        f" {_logins(demand.logins_per_second)}, 95 of 100 within"
        f" {format_duration(demand.p95_seconds)}."
    )


def _logins(per_second: float) -> str:
    return format_rate(per_second).replace("/", " logins/")


def _levels(capacity: Capacity) -> Table:
    rows = [Row(cells=level_cells(level)) for level in capacity.levels]
    if capacity.prediction is not None:
        rows.append(Row(cells=_prediction_cells(capacity.prediction)))
    return Table(columns=LEVEL_COLUMNS, rows=tuple(rows))


def level_cells(level: Level) -> tuple[str, ...]:
    """What so many threads get done, below `LEVEL_COLUMNS`."""
    p95, doubt = "-", ", too few for a p95"
    if level.p95_seconds is not None:
        p95, doubt = format_duration(level.p95_seconds), _rough(level)
    return (
        counted(level.threads, "thread", "threads"),
        format_rate(level.logins_per_second),
        format_duration(level.p50_seconds),
        p95,
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
        "predicted, logins at random",
    )


def _rough(run: Level | LoadRun) -> str:
    return ", p95 rough" if run.p95_is_rough else ""


def _runs(capacity: Capacity) -> Table:
    return table(
        capacity.runs,
        (
            Column("cost", flexible=True, bold=True),
            lambda run: format_setting(run.params),
        ),
        (Column("logins", right=True), lambda run: format_rate(run.logins_per_second)),
        (Column("p50", right=True), lambda run: format_duration(run.p50_seconds)),
        (Column("p95", right=True), lambda run: format_duration(run.p95_seconds)),
        (Column("longest", right=True), lambda run: format_duration(run.max_seconds)),
        (Column("busy", right=True), lambda run: format_percent(run.utilisation)),
        (Column("verdict", flexible=True), _verdict),
    )


def _verdict(run: LoadRun) -> str:
    verdict = "met" if run.held else "missed"
    if run.served < run.arrivals:
        verdict = "given up"
    workers = counted(run.workers, "worker", "workers")
    return f"{verdict} by {run.served} logins, {workers}{_rough(run)}"


_TIMES: Final = ("logins_per_second", "p50_seconds", "p95_seconds")
_COMMON: Final[Fields[Capacity]] = {
    **own("hasher", "implementation", "implementation_version"),
    "params": lambda capacity: format_pairs(capacity.params or {}),
}
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
    (common,) = records((capacity,), _COMMON)
    predictions = () if capacity.prediction is None else (capacity.prediction,)
    for record in (
        *records(capacity.levels, _LEVEL),
        *records(predictions, _PREDICTION),
        *records(capacity.runs, _RUN),
    ):
        yield common | record
    if capacity.error is not None:
        yield {**common, "params": None, "kind": "failure", "error": capacity.error}
