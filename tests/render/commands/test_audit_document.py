"""The audit as whole literals, in every format."""

from collections import Counter
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import cases, table
from hashcost.checks.audit import Audit, audit
from hashcost.core.machine import Tool
from hashcost.core.measurement import Params
from hashcost.render import render
from hashcost.render.commands.audit import audit_document, bar
from hashcost.stored.formats.reading import NOTES, HashReading, Kind
from hashcost.stored.formats.registry import read
from hashcost.strength.attackers.device import load_device
from hashcost.strength.policies.catalogue import load_policy, policy_names
from measured import EVERY
from snapshots import Snapshot
from stored.formats.samples import SAMPLES

GPU: Final = load_device("rtx-4090")
OWASP: Final = load_policy("owasp")


def hashed(hasher: str | None, params: Params, format_name: str, **more: Any) -> HashReading:
    """What a password hash says."""
    return HashReading(kind=Kind.HASHED, format=format_name, hasher=hasher, params=params, **more)


BCRYPT: Final = hashed("bcrypt", {"cost": 10}, "bcrypt")
USUAL: Final = {
    msgspec.convert(row, HashReading): row["count"]
    for row in cases(__file__, "audit_document.toml", "usual")
}
"""Five thousand users."""
_NAME: Final = "pbkdf2withhmacsha512"
LONG_SHAPES: Final = (
    f"{{{_NAME}}}{_NAME}" + ":" * 20 + "0a" * 600,
    f"${_NAME}$" + "a$" * 20 + "a",
    "aB3/" * 1000,
)

MIXED: Final = {
    msgspec.convert(row, HashReading): row["count"]
    for row in cases(__file__, "audit_document.toml", "mixed")
}
"""One of everything."""


def judged(counted: dict[HashReading, int], **options: Any) -> Audit:
    """The audit of so many of each, with OWASP's floors and one device."""
    options = {"policies": (OWASP,), "devices": (GPU,), **options}
    tool = Tool(name="hashcost", version="0.1.0")
    return audit(Counter(counted), tool=tool, layout="user", **options)


def timed(counted: dict[HashReading, int], **options: Any) -> Audit:
    """The same with a target of 100 ms on the made-up machine."""
    return judged(counted, profile=EVERY, target_seconds=0.1, **options)


def shown(found: Audit, form: str = "table", width: int = 80, *, priced: bool = True) -> str:
    """The audit in a format."""
    return render(audit_document(found, (GPU,) if priced else ()), form, width=width)


def test_everything_at_80_columns(snapshot: Snapshot) -> None:
    """A million hashes of every kind fit a terminal, and each finding has its sentence."""
    snapshot(shown(judged(MIXED)))


def test_csv_has_a_record_for_every_group(snapshot: Snapshot) -> None:
    """A record has the figures of one group in full."""
    snapshot(shown(timed(USUAL), "csv"))


def test_many_settings_are_shown_in_part() -> None:
    """The forty commonest are shown, in order, and it is said how many are not."""
    counted = {
        hashed("pbkdf2-sha256", {"iterations": 1000 + n}, "x"): 2 if n % 2 else 1
        for n in range(100)
    }
    text = shown(judged(counted))
    rows = [line for line in text.splitlines() if line.startswith("pbkdf2")]
    assert [1000 + n for n in range(1, 80, 2)] == [
        int(row.split()[1].partition("=")[2]) for row in rows
    ]
    assert "60 rarer settings are not shown, of 70 hashes; --format json has them all." in text


@table("policies, hashers, end")
def test_a_verdict_says_what_the_policies_ask_for(
    policies: list[str], hashers: list[str], end: str
) -> None:
    """No policy has a minimum for a digest, or for what it does not approve."""
    costs = {
        "bcrypt": {"cost": 4},
        "sha512-crypt": {"rounds": 5000},
        "argon2id": {"memory_kib": 4096, "time_cost": 3, "parallelism": 1},
    }
    counted = {}
    for hasher in hashers:
        if hasher in costs:
            counted[hashed(hasher, costs[hasher], hasher)] = 1
        elif hasher in {"plain", "empty"}:
            counted[HashReading(kind=Kind(hasher), format=hasher)] = 1
        else:
            counted[HashReading(kind=Kind.FAST, format=hasher, hasher=hasher)] = 1
    others = tuple(map(load_policy, policy_names()))
    audited = judged(counted, policies=tuple(map(load_policy, policies)))
    document = audit_document(audited, (), others)
    notes = [
        note for note in document.notes if "plain text" not in note and "no value" not in note
    ]
    assert end == " ".join((*notes, *document.answer))


def test_what_was_not_timed_is_said() -> None:
    """A hasher that the profile lacks is not counted as fine in silence."""
    text = shown(timed({hashed("yescrypt", {"cost": 5}, "yescrypt"): 1, BCRYPT: 2}), width=200)
    kept = "None of 2 judged hashes is below the highest cost within 100 ms; 1 was not timed, or"
    assert kept in text
    assert "not timed" not in shown(timed({BCRYPT: 2}))


@pytest.mark.parametrize("note", NOTES)
def test_every_note_has_its_sentence(note: str) -> None:
    """Each says how many hashes it is of; but that of a fixed cost stands in the row."""
    reading = hashed("bcrypt", {"cost": 10}, "some format", notes=(note,))
    text = shown(judged({reading: 3}), width=200)
    assert (f"3 some format: {NOTES[note]}." in text) is (note not in {"locked", "fixed-cost"})


@given(share=st.floats(0, 1), cells=st.integers(1, 20))
def test_a_bar_is_as_long_as_its_share(share: float, cells: int) -> None:
    """To an eighth of a cell; nothing has none, and anything has some."""
    drawn = bar(share, cells)
    eighths = sum(8 if cell == "█" else " ▏▎▍▌▋▊▉".index(cell) for cell in drawn)
    assert abs(eighths - share * cells * 8) <= 1
    assert bool(drawn) is (share > 0)
    assert len(drawn) <= cells


LOCKED: Final = [
    read(text)
    for text in ("!", "*", "!!", "!$2b$04$" + "a" * 53, "!$2b$10$" + "a" * 53, "!$6$a$" + "b" * 86)
]
SHAPES: Final = [
    *(one.reading for one in SAMPLES if one.reading.params != {"cost": 31}),
    *map(read, LONG_SHAPES),
    *LOCKED,
]


def test_no_two_rows_are_alike() -> None:
    """Groups that are counted apart have rows that tell them apart."""
    document = audit_document(judged(dict.fromkeys(SHAPES, 1)))
    rows = [row[:2] for row in document.tables[0].rows]
    few = audit_document(judged(dict.fromkeys(LOCKED, 1))).tables[0].rows

    assert len(set(rows)) == len(rows) > 30
    assert [row[1] for row in few] == [
        "-", "bcrypt cost=4", "bcrypt cost=10", "sha512-crypt rounds=5000"
    ]  # fmt: skip


@given(
    counted=st.dictionaries(
        st.sampled_from(SHAPES), st.integers(1, 999_999 // len(SAMPLES)), min_size=1
    ),
    target=st.booleans(),
)
def test_any_audit_fits_a_terminal(counted: dict[HashReading, int], target: bool) -> None:
    """Whatever was counted, no line is wider than 80 columns and every format renders."""
    found = timed(counted) if target else judged(counted)
    assert [] == [line for line in shown(found).splitlines() if len(line) > 80]
    for form in ("json", "csv", "markdown"):
        assert shown(found, form)
