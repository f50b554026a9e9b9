"""The history in every format."""

from __future__ import annotations

import datetime as dt

import msgspec
import pytest

from hashcost.recommend.past import HasherPast, MachinePast, PastSummary
from hashcost.render import render
from hashcost.render.commands.history import history_document

LAST = dt.datetime(2026, 11, 22, 6, 34, tzinfo=dt.UTC)
BCRYPT = HasherPast(
    hasher="bcrypt",
    implementation="bcrypt",
    implementation_version="5.0.0",
    runs=12,
    ignored=0,
    seconds_per_unit=5.6e-5,
    params={"cost": 12},
    time_seconds=0.229,
    interval_seconds=(0.225, 0.232),
    last=LAST,
)
ARGON2 = HasherPast(
    hasher="argon2id",
    implementation="argon2-cffi",
    implementation_version="25.1.0",
    runs=1,
    ignored=0,
    seconds_per_unit=0.011,
    params={"memory_kib": 19456, "time_cost": 1, "parallelism": 1},
    time_seconds=0.011,
    interval_seconds=None,
    last=LAST,
)
MACHINE = MachinePast(
    machine="AMD EPYC x2 | x86_64 | 6.18",
    here=True,
    runs=12,
    last=LAST,
    probe="bcrypt@bcrypt 5.0.0 / pbkdf2-sha256@hashlib OpenSSL 3.0.19",
    quiet_ratio=0.9156,
    hashers=(BCRYPT, ARGON2),
)
SUMMARY = PastSummary(path="/state/history.json", machines=(MACHINE,))


def test_table() -> None:
    """The table says where the file is, whose runs it holds and what they know."""
    expected = """\
/state/history.json

This machine: AMD EPYC x2, x86_64, 6.18
12 runs, the last at 2026-11-22 06:34 UTC; core probe when quiet: 0.916
hasher    implementation      cost             one hash       runs  last
bcrypt    bcrypt 5.0.0        cost=12           229 ms ±1.7%    12  22 Nov
argon2id  argon2-cffi 25.1.0  m=19456,t=1,p=1  11.0 ms ±?        1  22 Nov

± is how far the runs are from their median.
"""
    assert expected == render(history_document(SUMMARY), "table", width=80)


def test_ignored_runs_are_said() -> None:
    """Where runs do not agree, the table says how many count of how many."""
    row = msgspec.structs.replace(BCRYPT, ignored=3)
    machine = msgspec.structs.replace(MACHINE, hashers=(row,), here=False, quiet_ratio=None)
    shown = render(
        history_document(msgspec.structs.replace(SUMMARY, machines=(machine,))), "table", width=80
    )
    assert "  9/12  22 Nov" in shown
    assert "2/3 runs: one of three disagrees with the others and is ignored." in shown
    assert "Another machine: AMD EPYC x2" in shown


def test_empty() -> None:
    """An empty history says so, and what fills it."""
    shown = render(history_document(PastSummary(path="/h.json", machines=())), "table", width=80)
    assert "/h.json" in shown
    assert "No runs yet. `calibrate` and `calibrate check` remember" in shown


def test_nowhere() -> None:
    """Without a home directory nothing is kept, which is said."""
    shown = render(history_document(PastSummary(path=None, machines=())), "table", width=80)
    assert shown == "No history is kept: there is no home directory.\n"


def test_csv() -> None:
    """CSV has a line for each hasher, in seconds."""
    head, first, second = render(history_document(SUMMARY), "csv").splitlines()
    assert head.startswith("machine,hasher,implementation,implementation_version,runs,ignored")
    assert ",bcrypt,bcrypt,5.0.0,12,0,5.6e-05,cost=12,0.229,0.225,0.232,2026-11-22T06" in first
    assert ",0.011,,,2026-11-22T06" in second


def test_json() -> None:
    """JSON reads back as the same value."""
    printed = render(history_document(SUMMARY), "json")
    assert SUMMARY == msgspec.json.decode(printed, type=PastSummary)


@pytest.mark.parametrize("width", [80, 160])
def test_fits(width: int) -> None:
    """The longest names, versions and times fit the terminal."""
    longest = msgspec.structs.replace(
        BCRYPT,
        hasher="pbkdf2-sha256",
        implementation="cryptography",
        implementation_version="50.0.2 OpenSSL 4.0.3",
        params={"iterations": 1_000_000},
        ignored=12,
    )
    machine = msgspec.structs.replace(MACHINE, hashers=(longest, ARGON2))
    found = msgspec.structs.replace(SUMMARY, machines=(machine,))
    lines = render(history_document(found), "table", width=width).splitlines()
    assert [] == [line for line in lines if len(line) > width]
