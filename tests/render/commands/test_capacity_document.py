"""What `calibrate capacity` shows: whole literals, and nothing cut in 80 columns."""

from __future__ import annotations

import datetime as dt
from typing import Final

from msgspec.structs import replace

from fakes import MIB, TWO_CPUS, level
from hashcost.core.machine import Probe, Tool
from hashcost.core.profile import Concurrency
from hashcost.logins.capacity import Capacity, Demand, Prediction
from hashcost.render import render
from hashcost.render.commands.capacity import capacity_document
from snapshots import Snapshot

LEVELS: Final = Capacity(
    schema=1,
    tool=Tool(name="hashcost", version="1.2.3"),
    created=dt.datetime(2026, 11, 20, tzinfo=dt.UTC),
    machine=TWO_CPUS,
    probe=Probe(password_bytes=12, salt_bytes=16),
    hasher="bcrypt",
    implementation="bcrypt",
    implementation_version="5.0.0",
    params={"cost": 10},
    memory_bytes=4096,
    cpus=2,
    duration_seconds=7.67,
    levels=(
        replace(level(1, 17.4), hashes=53, p95_is_rough=True),
        level(2, 35.3),
        replace(level(4, 34.6), hashes=12, p95_seconds=None, p95_is_rough=True),
    ),
    prediction=Prediction(
        params={"cost": 10},
        load=0.7,
        workers=2,
        arrivals_per_second=24.7,
        p50_seconds=0.0656,
        p95_seconds=0.164,
    ),
)

DEMANDED: Final = replace(
    LEVELS,
    params={"cost": 9},
    demand=Demand(logins_per_second=20.0, p95_seconds=0.25),
    prediction=replace(LEVELS.prediction, params={"cost": 9}, load=0.28),
)


def table(capacity: Capacity, width: int = 80) -> str:
    """The table."""
    return render(capacity_document(capacity), "table", width=width)


def test_levels(snapshot: Snapshot) -> None:
    """A row per number of threads, with what it rests on, and one for random logins."""
    snapshot(table(LEVELS))


def test_a_busy_machine(snapshot: Snapshot) -> None:
    """What it serves now stands beside what it could, which is the answer."""
    busy = tuple(level(row.threads, row.quiet_logins_per_second, now=3.9) for row in LEVELS.levels)
    snapshot(table(replace(LEVELS, levels=busy)))


def test_a_limit_of_concurrent_hashes(snapshot: Snapshot) -> None:
    """The limit is said with the memory that hashes then take, unless that is next to nothing."""
    limit = Concurrency(at_once=10, memory_bytes=1024 * MIB, process_bytes=40 * MIB)
    notes = [
        capacity_document(replace(LEVELS, concurrency=limit, memory_bytes=memory)).notes[-1]
        for memory in (4096, 19 * MIB, 64 * MIB)
    ]
    snapshot("".join(f"{note}\n" for note in notes))


def test_a_demand(snapshot: Snapshot) -> None:
    """The answer says that it is predicted, and a note at which cost the hashes were timed."""
    snapshot(table(DEMANDED))


def test_csv(snapshot: Snapshot) -> None:
    """A line per level and one for the prediction, in base units."""
    snapshot(render(capacity_document(LEVELS), "csv"))
