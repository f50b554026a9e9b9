"""Hashers that climb a ladder of memory, in every format."""

from __future__ import annotations

import csv
import io
from typing import Final

import msgspec
import pytest

from hashcost.core.profile import Profile, Rounding
from hashcost.documents.profile import from_json, load_profile
from hashcost.recommend.recommendation import solve_again
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from made_up import MEMORY_HARD_FILE

FILE: Final = MEMORY_HARD_FILE
"""A profile of schema 1, written by hand: it must stay readable for ever."""

PROFILE: Final = load_profile(FILE)
"""argon2id in one lane and in two, and yescrypt, each with its neighbours."""


def grid(profile: Profile, *, width: int, solved_again: bool = False) -> str:
    """The table without its head."""
    document = recommendation_document(profile, solved_again=solved_again)
    return render(document, "table", width=width).split("\n\n")[1].removesuffix("\n") + "\n"


def test_table() -> None:
    """Each cost is whole, the step across the target shows only what changes, and what was
    solved on wall time has its error there.
    """
    expected = """\
hasher    implementation                     use this cost     one hash, CPU           wall   work
argon2id  argon2-cffi 25.1.0                 m=19456,t=2,p=1   35.0 ms ±2.9%        35.5 ms  1.00×
                                             m=47104,t=1 next  52.5 ms
argon2id  cryptography 50.0.2 OpenSSL 4.0.3  m=47104,t=1,p=2   61.2 ms        32.5 ms ±3.1%  1.30×
                                             m=65536 next                           46.5 ms
yescrypt  libcrypt 4.4.33-2                  cost=5            25.2 ms ±2.8%        26.0 ms  1.00×
                                             cost=6 next       54.9 ms
"""

    assert expected == grid(PROFILE, width=160)


def test_one_lane_fills_80_columns() -> None:
    """In 80 columns a cost breaks after its commas, so that each name keeps its figure."""
    expected = """\
hasher    implementation      use this cost     one hash, CPU     wall
argon2id  argon2-cffi 25.1.0  m=19456,t=2,p=1   35.0 ms ±2.9%  35.5 ms
                              m=47104,t=1 next  52.5 ms
yescrypt  libcrypt 4.4.33-2   cost=5            25.2 ms ±2.8%  26.0 ms
                              cost=6 next       54.9 ms
"""
    rows = tuple(row for row in PROFILE.recommendations if row.threads == 1)

    assert expected == grid(msgspec.structs.replace(PROFILE, results=rows), width=80)


def test_what_takes_the_same_time_is_listed() -> None:
    """One memory-hard hasher is shown with its other settings, and which of them to use."""
    row = next(row for row in PROFILE.recommendations if row.threads == 1)
    document = recommendation_document(PROFILE.only(row), explained=True)

    assert "In the same time, memory against passes" == document.tables[-1].title
    steps = [line.cells for line in document.tables[-1].rows]
    assert [("m=19456,t=2,p=1", "use this")] == [(s[0], s[2]) for s in steps if s[2]]
    assert 1 < len(steps)
    brief = recommendation_document(PROFILE.only(row), explained=False)
    assert not any(table.title == document.tables[-1].title for table in brief.tables)


def test_csv() -> None:
    """A record has every param, the parameter that is left to turn, both times and the clock."""
    text = render(recommendation_document(PROFILE), "csv")
    records = list(csv.DictReader(io.StringIO(text)))

    expected = [
        ("memory_kib=19456 time_cost=2 parallelism=1", "time_cost", "2", "thread_time", "1"),
        ("memory_kib=47104 time_cost=1 parallelism=2", "time_cost", "1", "perf_counter", "2"),
        ("cost=5", "cost", "5", "thread_time", "1"),
    ]
    fields = ("params", "parameter", "value", "clock", "threads")
    assert expected == [tuple(record[field] for field in fields) for record in records]
    assert [("0.035", "0.0355", "0.035"), ("0.0325", "0.033", "0.0612")] == [
        (record["time_seconds"], record["wall_seconds"], record["cpu_seconds"])
        for record in records[:2]
    ]


def test_work_is_bytes_times_passes_per_second() -> None:
    """Implementations in memory are compared by how many bytes they go over in a second."""
    text = render(recommendation_document(PROFILE), "csv")
    one, two, other = csv.DictReader(io.StringIO(text))

    expected = (47104 * 1 / 0.0325) / (19456 * 2 / 0.035)
    assert expected == pytest.approx(float(two["relative_work"]), abs=1e-4)
    assert ("1.0", "1.0") == (one["relative_work"], other["relative_work"])


def test_json() -> None:
    """The JSON has every field of schema 1, in order, and reads back as it was."""
    printed = render(recommendation_document(PROFILE), "json")

    assert FILE.read_text("utf-8") == printed
    assert from_json(printed.encode(), name="printed") == PROFILE


def test_solved_again() -> None:
    """At another target a step that was timed on the way answers, and its error is unknown."""
    again = solve_again(PROFILE, 0.06, Rounding.DOWN)
    text = grid(again, width=160, solved_again=True)

    assert [47104, 65536, None] == [row.params.get("memory_kib") for row in again.recommendations]
    assert [0.0525, 0.0465, 0.0549] == pytest.approx(
        [row.time_seconds for row in again.recommendations]
    )
    assert [0.053, 0.0465, 0.0561] == [row.wall_seconds for row in again.recommendations]
    assert text.count("±?") == 3
