"""What `calibrate capacity` shows: whole literals, and nothing cut in 80 columns."""

from __future__ import annotations

import csv
import datetime as dt
import io
from typing import Final

import msgspec

from fakes import TWO_CPUS, level
from hashcost.core.machine import Probe, Tool
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
        msgspec.structs.replace(level(1, 17.4), hashes=53, p95_is_rough=True),
        level(2, 35.3),
        msgspec.structs.replace(level(4, 34.6), hashes=12, p95_seconds=None, p95_is_rough=True),
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

DEMANDED: Final = msgspec.structs.replace(
    LEVELS,
    params={"cost": 9},
    demand=Demand(logins_per_second=20.0, p95_seconds=0.25),
    prediction=msgspec.structs.replace(LEVELS.prediction, params={"cost": 9}, load=0.28),
)


def table(capacity: Capacity, width: int = 80) -> str:
    """The table."""
    return render(capacity_document(capacity), "table", width=width)


def test_levels(snapshot: Snapshot) -> None:
    """A row per number of threads, with what it rests on, and one for random logins."""
    snapshot(table(LEVELS))


def test_a_demand() -> None:
    """The answer says that it is predicted, and a note at which cost the hashes were timed."""
    text = table(DEMANDED)
    assert "hashes were timed at cost=10; the last row is predicted for cost=9" in text
    assert text.endswith(
        "Use bcrypt cost=9: 20.0 logins/s, 95 of 100 within 164 ms (predicted).\n"
    )


def test_csv() -> None:
    """A line per level and one for the prediction, in base units."""
    text = render(capacity_document(LEVELS), "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert ["level", "level", "level", "prediction"] == [row["kind"] for row in rows]
    assert ["1", "2", "4", "2"] == [row["threads"] for row in rows]
    assert ("cost=10", "17.4", "53") == (
        rows[0]["params"],
        rows[0]["logins_per_second"],
        rows[0]["hashes"],
    )
