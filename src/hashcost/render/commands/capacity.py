"""What `calibrate capacity` shows."""

from collections.abc import Iterator
from typing import Final

from hashcost.core.capacity import Capacity, Level, Prediction
from hashcost.core.units import (
    format_bytes,
    format_duration,
    format_pairs,
    format_percent,
    format_rate,
    format_setting,
)
from hashcost.render.document import Column, Document, Fields, Row, Scalar, Table, own, records
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
    *("memory_bytes", "load"),
)


def capacity_document(capacity: Capacity) -> Document:
    """A row per number of threads, and one for logins at random, which is predicted."""
    how = f"{library(capacity)}, measured in {format_duration(capacity.duration_seconds)} on"
    notes: list[str] = []
    timed = capacity.levels[0].params
    if timed != capacity.params:
        notes.append(
            f"hashes were timed at {format_setting(timed)}; the last row is predicted for"
            f" {format_setting(capacity.params)}"
        )
    if capacity.concurrency is not None:
        memory = {capacity.hasher: capacity.memory_bytes}
        notes.append(concurrency_note(capacity.concurrency, memory, capacity.cpus))
    rows = [Row(cells=level_cells(level)) for level in capacity.levels]
    rows.append(Row(cells=_prediction_cells(capacity.prediction)))
    return Document(
        head=(how, *place(capacity.machine, capacity.tool, (capacity,))),
        tables=(Table(columns=LEVEL_COLUMNS, rows=tuple(rows)),),
        notes=tuple(notes),
        answer=(_answer(capacity),),
        fields=_FIELDS,
        records=tuple(_records(capacity)),
        value=capacity,
    )


def _answer(capacity: Capacity) -> str:
    """How many logins a cost serves, or which cost serves them."""
    demand, cost = capacity.demand, f"{capacity.hasher} {format_setting(capacity.params)}"
    if demand is None:
        most = max(level.logins_per_second for level in capacity.levels)
        cpus = counted(capacity.cpus, "CPU", "CPUs")
        return f"{cost} serves at most {_logins(most)} on {cpus}."
    return (
        f"Use {cost}: {_logins(demand.logins_per_second)}, 95 of 100 within"
        f" {format_duration(capacity.prediction.p95_seconds)} (predicted)."
    )


def _logins(per_second: float) -> str:
    return format_rate(per_second).replace("/", " logins/")


def level_cells(level: Level) -> tuple[str, ...]:
    """What so many threads get done, below `LEVEL_COLUMNS`."""
    p95, doubt = "-", ", too few for a p95"
    if level.p95_seconds is not None:
        doubt = ", p95 rough" if level.p95_is_rough else ""
        p95 = format_duration(level.p95_seconds)
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


_COMMON: Final[Fields[Capacity]] = own("hasher", "implementation", "implementation_version")
_LEVEL: Final[Fields[Level]] = {
    "kind": lambda _: "level",
    "params": lambda level: format_pairs(level.params),
    **own("threads", "hashes", "logins_per_second", "p50_seconds", "p95_seconds", "memory_bytes"),
    "max_seconds": lambda level: max(level.latency_seconds),
}
_PREDICTION: Final[Fields[Prediction]] = {
    "kind": lambda _: "prediction",
    "params": lambda prediction: format_pairs(prediction.params),
    "threads": lambda prediction: prediction.workers,
    "logins_per_second": lambda prediction: prediction.arrivals_per_second,
    **own("p50_seconds", "p95_seconds", "load"),
}


def _records(capacity: Capacity) -> Iterator[dict[str, Scalar]]:
    (common,) = records((capacity,), _COMMON)
    for record in (
        *records(capacity.levels, _LEVEL),
        *records((capacity.prediction,), _PREDICTION),
    ):
        yield common | record
