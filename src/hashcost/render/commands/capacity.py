"""The result of `calibrate capacity`: a row per number of threads."""

from collections.abc import Iterator
from typing import Final

from hashcost.core.measurement import Params
from hashcost.core.profile import Concurrency
from hashcost.core.units import (
    format_bytes,
    format_duration,
    format_percent,
    format_rate,
    format_setting,
)
from hashcost.logins.costs import POLICY
from hashcost.logins.model import (
    Capacity,
    CapacityComparison,
    CapacityRow,
    Prediction,
    ThreadLevel,
)
from hashcost.render.document import Column, Document, Fields, Records, Table, own, records, table
from hashcost.render.wording import counted, known, library, place, plus_minus, without_minimum
from hashcost.strength.policies.catalogue import load_policy
from hashcost.strength.policies.policy import assess_all

_COLUMNS: Final = (
    Column("at once"),
    Column("quiet", right=True, bold=True),
    Column("now", right=True),
    Column("waiting", right=True),
    Column("p50", right=True),
    Column("p95", right=True),
    Column("memory", right=True),
    Column("hashes", right=True),
)
_COMPARED: Final = (
    Column("cost"),
    Column("library", below=True),
    Column("at most", right=True, bold=True),
    Column("load", right=True),
    Column("p50", right=True),
    Column("p95", right=True),
    Column("memory", right=True),
    Column("hashes"),
)
_MEMORY_WORTH_SAYING: Final = 1 << 20
_KEPT_BY_THREADS: Final = 32 << 20
"""glibc's DEFAULT_MMAP_THRESHOLD_MAX: less may stay with the thread that freed it."""
_WORTH_SAYING: Final = 0.1
"""Share of the time spent waiting that qualifies the answer."""
_COMMON: Final = own("hasher", "implementation", "implementation_version")
_LEVEL: Final[Fields] = {
    "kind": lambda _: "level",
    **own("params", "threads", "hashes", "quiet_logins_per_second", "logins_per_second"),
    **own("p50_seconds", "p95_seconds"),
    "max_seconds": lambda level: max(level.latency_seconds),
    **own("memory_bytes"),
}
_PREDICTION: Final[Fields] = {
    "kind": lambda _: "prediction",
    **own("params"),
    "threads": "workers",
    "quiet_logins_per_second": "arrivals_per_second",
    **own("p50_seconds", "p95_seconds", "load"),
}

_COMPARED_FIELDS: Final[Fields] = {
    "kind": lambda row: "predicted" if row.is_predicted else "measured",
    **_COMMON,
    "params": "prediction.params",
    "threads": "prediction.workers",
    **own("logins_per_second"),
    "load": "prediction.load",
    "p50_seconds": "prediction.p50_seconds",
    "p95_seconds": "prediction.p95_seconds",
    **own("memory_bytes", "error_fraction"),
}


def capacity_document(capacity: Capacity) -> Document:
    """A row per number of threads, and one for logins at random, which is predicted."""
    (common,) = records((capacity,), _COMMON).rows
    rows = [common | level for level in records(capacity.levels, _LEVEL).rows]
    rows += [common | line for line in records((capacity.prediction,), _PREDICTION).rows]
    # A prediction has fields of its own, and lacks some of a level's.
    fields = dict.fromkeys(("kind", *_COMMON, *_LEVEL, *_PREDICTION))
    cells = (*map(_level_cells, capacity.levels), _prediction_cells(capacity.prediction))
    return Document(
        head=(
            f"{library(capacity)}, measured in {format_duration(capacity.duration_seconds)} on",
            *place(capacity.machine, capacity.tool, (capacity,)),
        ),
        tables=(Table(columns=_COLUMNS, rows=cells),),
        notes=tuple(_notes(capacity)),
        answer=(_answer(capacity),),
        records=Records(tuple(fields), tuple(rows)),
        value=capacity,
    )


def comparison_document(comparison: CapacityComparison) -> Document:
    """A row per cost, each at a load that a server can plan with."""
    rows = comparison.rows
    libraries = dict.fromkeys(map(library, rows))
    head = place(comparison.machine, comparison.tool, rows)
    day = f"{comparison.created:%Y-%m-%d}"
    how = f"measured {day} on"
    notes = ["p50 and p95 are for logins that arrive at random at that load, waits included."]
    if rows[0].is_predicted:
        how = f"predicted from a profile of {day} of"
        notes.append(
            "The profile timed one hash at a time, as precisely as ± says. With all CPUs busy a"
            " hash may take longer; without --from, that is measured here."
        )
    return Document(
        head=(f"{', '.join(libraries)}, {how}", *head),
        tables=(table(_COMPARED, [_compared(row, len(libraries)) for row in rows]),),
        notes=tuple(notes),
        answer=(_comparison_answer(comparison),),
        records=records(rows, _COMPARED_FIELDS),
        value=comparison,
    )


def _compared(row: CapacityRow, libraries: int) -> tuple[str, ...]:
    prediction = row.prediction
    by = ""
    # The head names the only one.
    if libraries > 1:
        by = library(row)
    basis = "measured"
    if row.is_predicted:
        basis = f"predicted {plus_minus(row.error_fraction)}"
    return (
        _cost_of(row),
        by,
        format_rate(row.logins_per_second),
        format_percent(prediction.load),
        format_duration(prediction.p50_seconds),
        format_duration(prediction.p95_seconds),
        format_bytes(row.memory_bytes),
        basis,
    )


def _comparison_answer(comparison: CapacityComparison) -> str:
    """The cost that holds the demand, or the most logins of the first cost and of the last."""
    first, last = comparison.rows[0], comparison.rows[-1]
    marked = ""
    if last.is_predicted:
        marked = " (predicted)"
    doubtful = [row for row in comparison.rows if row.is_too_uncertain]
    if doubtful:
        error = plus_minus(max(row.error_fraction or 0.0 for row in doubtful))
        again = f"`calibrate {doubtful[0].hasher} --effort precise --save FILE`"
        marked += f"; too uncertain at {error}: measure again with {again}"
    if comparison.demand is not None:
        within = format_duration(last.prediction.p95_seconds)
        logins = _logins(comparison.demand.logins_per_second)
        use = f"Use {_cost_of(last)}: {logins}, 95 of 100 within {within}{marked}."
        return " ".join([use, *_unlisted(last.hasher, last.prediction.params)])
    cpus = counted(comparison.cpus, "quiet CPU", "quiet CPUs")
    answer = f"On {cpus} {_cost_of(first)} serves at most {_logins(first.logins_per_second)}"
    if last is not first:
        answer += f", {_cost_of(last)} {_logins(last.logins_per_second)}"
    return f"{answer}{marked}."


def _cost_of(row: CapacityRow) -> str:
    return f"{row.hasher} {format_setting(row.prediction.params)}"


def _answer(capacity: Capacity) -> str:
    """The cost that holds the logins that were asked for, or the most logins of this one."""
    cost = f"{capacity.hasher} {format_setting(capacity.params)}"
    best = max(capacity.levels, key=lambda level: level.quiet_logins_per_second)
    if capacity.demand is None:
        cpus = counted(capacity.cpus, "CPU", "CPUs")
        answer = f"{cost} serves at most {_logins(best.quiet_logins_per_second)} on {cpus}"
    else:
        within = format_duration(capacity.prediction.p95_seconds)
        logins = _logins(capacity.demand.logins_per_second)
        answer = f"Use {cost}: {logins}, 95 of 100 within {within} (predicted)"
    # Neighbours took part of the time, which the quiet rate leaves out.
    if best.waiting > _WORTH_SAYING:
        answer += " when the machine is quiet"
    answer += "."
    if capacity.demand is None:
        return answer
    return " ".join([answer, *_unlisted(capacity.hasher, capacity.params)])


def _unlisted(hasher: str, params: Params) -> list[str]:
    """Say that the policy has no minimum for a cost to use."""
    checks = assess_all((load_policy(POLICY),), hasher, params)
    return without_minimum([(hasher, checks)])


def _notes(capacity: Capacity) -> Iterator[str]:
    yield "The last row is predicted for logins that arrive at random on a quiet machine."
    # A demand may need another cost than the one that was timed.
    timed = capacity.levels[0].params
    if timed != capacity.params:
        asked = format_setting(capacity.params)
        yield f"Hashes were timed at {format_setting(timed)}; the last row predicts {asked}."
    if capacity.concurrency is not None:
        yield _limit_note(capacity, capacity.concurrency)


def _limit_note(capacity: Capacity, limit: Concurrency) -> str:
    note = f"Set the limit of concurrent hashes (semaphore, pool or workers) to {limit.at_once}"
    size = capacity.memory_bytes
    if size < _MEMORY_WORTH_SAYING:
        return f"{note}."
    taken, memory = format_bytes(limit.at_once * size), format_bytes(limit.memory_bytes)
    own_share = format_bytes(limit.process_bytes)
    note += (
        f": they take {taken} of {memory}. Beside the process's own {own_share} there is room for"
        f" {limit.room_bytes // size:,}; beyond that it may be killed."
    )
    if size < _KEPT_BY_THREADS:
        note += (
            " With glibc, if a semaphore limits a larger thread pool, also set"
            " MALLOC_MMAP_THRESHOLD_=1048576, or every thread keeps the memory of a hash."
        )
    return note


def _logins(per_second: float) -> str:
    return format_rate(per_second).replace("/", " logins/")


def _level_cells(level: ThreadLevel) -> tuple[str, ...]:
    p95 = known(level.p95_seconds, format_duration)
    if level.p95_is_rough and level.p95_seconds is not None:
        p95 = f"~{p95}"
    return (
        counted(level.threads, "thread", "threads"),
        format_rate(level.quiet_logins_per_second),
        format_rate(level.logins_per_second),
        format_percent(level.waiting),
        format_duration(level.p50_seconds),
        p95,
        format_bytes(level.memory_bytes),
        f"{level.hashes:,}",
    )


def _prediction_cells(prediction: Prediction) -> tuple[str, ...]:
    return (
        f"{format_percent(prediction.load)} load",
        format_rate(prediction.arrivals_per_second),
        "",
        "",
        format_duration(prediction.p50_seconds),
        format_duration(prediction.p95_seconds),
        "",
        "predicted",
    )
