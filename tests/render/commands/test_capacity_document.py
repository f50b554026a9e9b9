"""What `calibrate capacity` shows: whole literals, and nothing cut in 80 columns."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from typing import Any, Final

import msgspec
import pytest

from fakes import TWO_CPUS, level
from hashcost.core.capacity import CAPACITY_SCHEMA_VERSION, Capacity, Demand, LoadRun, Prediction
from hashcost.core.machine import Probe, Tool
from hashcost.render import render
from hashcost.render.commands.capacity import capacity_document

LEVELS: Final = Capacity(
    schema=CAPACITY_SCHEMA_VERSION,
    tool=Tool(name="hashcost", version="1.2.3"),
    created=dt.datetime(2026, 11, 20, tzinfo=dt.UTC),
    machine=TWO_CPUS,
    probe=Probe(password_bytes=12, salt_bytes=16),
    hasher="bcrypt",
    implementation="bcrypt",
    implementation_version="5.0.0",
    params={"cost": 10},
    cpus=2,
    duration_seconds=7.67,
    levels=(
        msgspec.structs.replace(level(1, 17.4), hashes=53, p95_is_rough=True),
        level(2, 35.3),
        msgspec.structs.replace(level(4, 34.6), hashes=12, p95_seconds=None, p95_is_rough=True),
    ),
    prediction=Prediction(
        load=0.7,
        workers=2,
        arrivals_per_second=24.7,
        p50_seconds=0.0656,
        p95_seconds=0.164,
        utilisation=0.7,
    ),
)

RUN: Final = LoadRun(
    params={"memory_kib": 19456, "time_cost": 12, "parallelism": 1},
    workers=2,
    arrivals=400,
    served=400,
    duration_seconds=20.1,
    logins_per_second=19.9,
    p50_seconds=0.121,
    p95_seconds=0.217,
    p95_is_rough=False,
    max_seconds=0.352,
    utilisation=0.58,
    held=True,
    response_seconds=(0.121, 0.217, 0.352),
)
HELD: Final = msgspec.structs.replace(
    LEVELS,
    hasher="argon2id",
    implementation="argon2-cffi",
    implementation_version="25.1.0",
    params=RUN.params,
    prediction=None,
    demand=Demand(logins_per_second=20.0, p95_seconds=0.25),
    runs=(
        msgspec.structs.replace(
            RUN,
            params={**RUN.params, "time_cost": 14},
            served=50,
            p95_seconds=12.3,
            max_seconds=15.1,
            utilisation=1.0,
            p95_is_rough=True,
            held=False,
        ),
        msgspec.structs.replace(
            RUN, params={**RUN.params, "time_cost": 13}, p95_seconds=0.253, held=False
        ),
        RUN,
    ),
)
UNREACHED: Final = msgspec.structs.replace(
    LEVELS,
    params=None,
    prediction=None,
    demand=Demand(logins_per_second=20_000.0, p95_seconds=0.25),
    error="even at cost=4 these 2 CPUs can serve 2011/s with this p95, not 20000/s",
    code="unreachable",
)


def table(capacity: Capacity, width: int = 80) -> str:
    """The table."""
    return render(capacity_document(capacity), "table", width=width)


def test_levels() -> None:
    """A row per number of threads, with what it rests on, and one for random logins."""
    expected = """\
bcrypt 5.0.0, measured in 7.67 s on
2 × Fake CPU
CPython 3, OpenSSL 3, Fake OS, hashcost 1.2.3

at once    logins      p50      p95    memory  rests on
1 thread   17.4/s  57.5 ms  57.5 ms  4.00 KiB  53 hashes, p95 rough
2 threads  35.3/s  56.7 ms  56.7 ms  8.00 KiB  100 hashes
4 threads  34.6/s   116 ms        -  16.0 KiB  12 hashes, too few for a p95
70 % load  24.7/s  65.6 ms   164 ms            predicted, logins at random

bcrypt cost=10 serves at most 35.3 logins/s on 2 CPUs.
"""
    assert expected == table(LEVELS)


def test_a_demand_that_is_held() -> None:
    """A row per run in the order they were made, with its verdict."""
    expected = """\
argon2-cffi 25.1.0, measured in 7.67 s on
2 × Fake CPU
CPython 3, OpenSSL 3, Fake OS, hashcost 1.2.3

cost              logins     p50     p95  longest   busy  verdict
m=19456,t=14,p=1  19.9/s  121 ms  12.3 s   15.1 s  100 %  given up by 50 logins,
                                                          2 workers, p95 rough
m=19456,t=13,p=1  19.9/s  121 ms  253 ms   352 ms   58 %  missed by 400 logins,
                                                          2 workers
m=19456,t=12,p=1  19.9/s  121 ms  217 ms   352 ms   58 %  met by 400 logins, 2
                                                          workers

Use argon2id m=19456,t=12,p=1: it serves 20.0 logins/s, 95 of 100 within 250 ms.
"""
    assert expected == table(HELD)


def test_a_demand_out_of_reach() -> None:
    """Where no run was made there is no grid, and the reason stands below."""
    expected = """\
bcrypt 5.0.0, measured in 7.67 s on
2 × Fake CPU
CPython 3, OpenSSL 3, Fake OS, hashcost 1.2.3

bcrypt@bcrypt: even at cost=4 these 2 CPUs can serve 2011/s with this p95, not
  20000/s
"""
    assert expected == table(UNREACHED)


def test_csv() -> None:
    """A line per level, prediction, run and failure, in base units."""
    text = render(capacity_document(LEVELS), "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert ["level", "level", "level", "prediction"] == [row["kind"] for row in rows]
    assert ["1", "2", "4", "2"] == [row["threads"] for row in rows]
    assert ("cost=10", "17.4", "53") == (
        rows[0]["params"],
        rows[0]["logins_per_second"],
        rows[0]["hashes"],
    )
    demanded = csv.DictReader(io.StringIO(render(capacity_document(HELD), "csv")))
    assert ["", "", "", "False", "False", "True"] == [row["held"] for row in demanded]
    failed = list(csv.DictReader(io.StringIO(render(capacity_document(UNREACHED), "csv"))))
    assert ("failure", UNREACHED.error) == (failed[-1]["kind"], failed[-1]["error"])


@pytest.mark.parametrize("capacity", [LEVELS, HELD, UNREACHED])
def test_json(capacity: Capacity) -> None:
    """JSON is the value itself and reads back as it was."""
    text = render(capacity_document(capacity), "json")
    found: dict[str, Any] = json.loads(text)
    assert ("capacity", 1) == (found["kind"], found["schema"])
    assert capacity == msgspec.json.decode(text, type=Capacity)


@pytest.mark.parametrize("capacity", [LEVELS, HELD, UNREACHED])
@pytest.mark.parametrize("form", ["table", "markdown"])
def test_figures_are_never_cut(capacity: Capacity, form: str) -> None:
    """However narrow the terminal is, every figure stands in one piece."""
    text = render(capacity_document(capacity), form, width=20)
    for run in capacity.runs:
        assert str(run.served) in text.split()
    for figure in ("17.4/s", "24.7/s") if capacity is LEVELS else ():
        assert figure in text
