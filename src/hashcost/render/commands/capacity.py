"""The result of `calibrate capacity`: a row per number of threads."""

from collections.abc import Iterator
from typing import Final

from hashcost.core.profile import Level
from hashcost.core.units import (
    format_bytes,
    format_duration,
    format_pairs,
    format_percent,
    format_rate,
    format_setting,
)
from hashcost.logins.capacity import Capacity, Prediction
from hashcost.render.document import Column, Document, Fields, Row, Table, own, records
from hashcost.render.wording import concurrency_note, counted, known, library, place

_COLUMNS: Final = (
    Column("at once"),
    Column("logins", right=True, bold=True),
    Column("p50", right=True),
    Column("p95", right=True),
    Column("memory", right=True),
    Column("rests on", flexible=True),
)
_FIELDS: Final = (
    *("kind", "hasher", "implementation", "implementation_version", "params", "threads"),
    *("hashes", "logins_per_second", "p50_seconds", "p95_seconds", "max_seconds"),
    *("memory_bytes", "load"),
)
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


def capacity_document(capacity: Capacity) -> Document:
    """A row per number of threads, and one for logins at random, which is predicted."""
    cost = f"{capacity.hasher} {format_setting(capacity.params)}"
    if capacity.demand is None:
        most = max(level.logins_per_second for level in capacity.levels)
        cpus = counted(capacity.cpus, "CPU", "CPUs")
        answer = f"{cost} serves at most {_logins(most)} on {cpus}."
    else:
        answer = (
            f"Use {cost}: {_logins(capacity.demand.logins_per_second)}, 95 of 100 within"
            f" {format_duration(capacity.prediction.p95_seconds)} (predicted)."
        )
    (common,) = records((capacity,), own("hasher", "implementation", "implementation_version"))
    lines = (*records(capacity.levels, _LEVEL), *records((capacity.prediction,), _PREDICTION))
    cells = (*map(_level_cells, capacity.levels), _prediction_cells(capacity.prediction))
    return Document(
        head=(
            f"{library(capacity)}, measured in {format_duration(capacity.duration_seconds)} on",
            *place(capacity.machine, capacity.tool, (capacity,)),
        ),
        tables=(Table(columns=_COLUMNS, rows=tuple(Row(cells=row) for row in cells)),),
        notes=tuple(_notes(capacity)),
        answer=(answer,),
        fields=_FIELDS,
        records=tuple(common | line for line in lines),
        value=capacity,
    )


def _notes(capacity: Capacity) -> Iterator[str]:
    timed = capacity.levels[0].params
    if timed != capacity.params:
        yield (
            f"hashes were timed at {format_setting(timed)}; the last row is predicted for"
            f" {format_setting(capacity.params)}"
        )
    if capacity.concurrency is not None:
        memory = {capacity.hasher: capacity.memory_bytes}
        yield concurrency_note(capacity.concurrency, memory, capacity.cpus)


def _logins(per_second: float) -> str:
    return format_rate(per_second).replace("/", " logins/")


def _level_cells(level: Level) -> tuple[str, ...]:
    doubt = ", p95 rough" if level.p95_is_rough else ""
    return (
        counted(level.threads, "thread", "threads"),
        format_rate(level.logins_per_second),
        format_duration(level.p50_seconds),
        known(level.p95_seconds, format_duration),
        format_bytes(level.memory_bytes),
        f"{level.hashes} hashes{', too few for a p95' if level.p95_seconds is None else doubt}",
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
