"""What a sweep looks like, and the rows that other programs read."""

from __future__ import annotations

import csv
import io
import json

import pytest

from fakes import FakeClock, FakeHasher, FakeLadder, swept
from hashcost.core.measurement import Knob, Scale
from hashcost.hashers.built_in import DEFAULTS, Default
from hashcost.render import render
from hashcost.render.commands.sweep import sweep_document
from hashcost.sweep.model import Sweep, SweepRow
from snapshots import Snapshot

SHA = Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=999_999_999)


@pytest.fixture
def found(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Sweep:
    """A cost out of range, a default one, one with overhead, one off the line, one predicted."""
    monkeypatch.setitem(
        DEFAULTS, "fake@memory", Default(params={"rounds": 5000}, taken_by="made up")
    )
    hasher = FakeHasher(
        clock, knob=SHA, overhead=1e-4, surcharge=lambda value: 2e-3 * (value == 20000)
    )
    return swept(
        clock,
        hasher,
        costs="1,1000,5000,20000,50000,80000,100000000",
        budget=4.0,
    )


def test_the_table(found: Sweep, snapshot: Snapshot) -> None:
    """Every figure stands in its row within 80 columns; what is said of them is below."""
    _, shown = render(sweep_document(found), "table", width=80).split("\n\n", 1)

    snapshot(shown)


def test_memory_is_told_by_the_mib(clock: FakeClock) -> None:
    """Of a hasher in memory what a MiB takes is said, and predictions as the least."""
    found = swept(clock, FakeLadder(clock, passes=None, cliff=16), costs="4..1024", budget=2.0)
    notes = sweep_document(found).notes

    assert notes[0].startswith("a MiB takes 1.00 ms (at memory=")
    assert any(note.startswith("~ predicted (for memory: at least this long)") for note in notes)


def test_several_hashers_are_told_apart(clock: FakeClock) -> None:
    """With several hashers each has its table, and each note the name that it is of."""
    hashers = (FakeHasher(clock, name="one"), FakeHasher(clock, name="two"))
    document = sweep_document(swept(clock, *hashers, costs="1000,2000"))

    assert ["one, memory 1.0", "two, memory 1.0"] == [table.title for table in document.tables]
    assert document.notes[0].startswith("one@memory: fitted")


def test_csv_has_every_row(found: Sweep) -> None:
    """The standard library reads a record for each cost, every field of a row in it."""
    rows = list(csv.DictReader(io.StringIO(render(sweep_document(found), "csv"))))

    assert list(SweepRow.__struct_fields__) == list(rows[0])
    assert ["untimed", *["measured"] * 5, "predicted"] == [row["status"] for row in rows]
    assert float(rows[2]["time_seconds"]) == pytest.approx(0.0051)


def test_json_has_flat_rows(found: Sweep) -> None:
    """``rows`` of the JSON is a list of records as long as the table."""
    value = json.loads(render(sweep_document(found), "json"))

    assert (1, "sweep", 7) == (value["schema"], value["kind"], len(value["rows"]))
    assert value["rows"][2]["default"] is True
