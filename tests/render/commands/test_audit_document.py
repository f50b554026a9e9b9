"""The audit as whole literals, in every format."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.machine import Tool
from hashcost.core.measurement import Params
from hashcost.documents.profile import load_profile
from hashcost.render import render
from hashcost.render.commands.audit import audit_document, bar
from hashcost.stored.formats.reading import NOTES, Kind, Reading
from hashcost.stored.formats.registry import read
from hashcost.verdicts.audit import Audit, audit
from hashcost.worth.attackers.device import load_device
from hashcost.worth.policies.catalogue import load_policy
from made_up import PROFILE_FILE
from stored.formats.samples import SAMPLES

PROFILE: Final = load_profile(PROFILE_FILE)
GPU: Final = load_device("rtx-4090")
OWASP: Final = load_policy("owasp")
FIPS: Final = load_policy("fips")


def hashed(hasher: str | None, params: Params, format_name: str, **more: Any) -> Reading:
    """What a password hash says."""
    return Reading(kind=Kind.HASHED, format=format_name, hasher=hasher, params=params, **more)


def other(kind: Kind, hasher: str | None = None, **params: int) -> Reading:
    """What is no password hash."""
    return Reading(kind=kind, format=kind.value, hasher=hasher, params=params)


BCRYPT: Final = hashed("bcrypt", {"cost": 10}, "bcrypt")
USUAL: Final = {
    BCRYPT: 3500,
    hashed("pbkdf2-sha256", {"iterations": 260_000}, "django pbkdf2"): 1000,
    read("0a" * 16): 250,
    other(Kind.LOCKED): 50,
    other(Kind.LOCKED, "sha512-crypt", rounds=5000): 200,
}
"""Five thousand users."""
_NAME: Final = "pbkdf2withhmacsha512"
LONG_SHAPES: Final = (
    f"{{{_NAME}}}{_NAME}" + ":" * 20 + "0a" * 600,
    f"${_NAME}$" + "a$" * 20 + "a",
    "aB3/" * 1000,
)

MIXED: Final = {
    hashed("bcrypt", {"cost": 10}, "django bcrypt"): 1,
    hashed("bcrypt", {"cost": 10}, "bcrypt"): 1_234_566,
    hashed("argon2id", {"memory_kib": 65536, "time_cost": 3, "parallelism": 4}, "phc argon2"): 99,
    hashed(
        "pbkdf2-sha256", {"iterations": 10_000}, "aspnet v3", blocks=2, notes=("extra-blocks",)
    ): 4_321,
    hashed("pbkdf2-sha256", {"iterations": 4096}, "postgresql scram", client_side=True): 8,
    hashed("yescrypt", {"cost": 5}, "yescrypt"): 1_700,
    hashed(None, {}, "symfony pbkdf2", notes=("no-algorithm-stored", "no-cost-stored")): 7,
    read("$1$salt$" + "d" * 21 + "1"): 1,
    read("0a" * 16): 12_000,
    other(Kind.LOCKED): 5,
    other(Kind.LOCKED, "bcrypt", cost=4): 1,
    other(Kind.EMPTY): 1,
    other(Kind.PLAIN): 2,
    read("QUJD" * 12): 2,
    read("{X-HMAC}abc"): 1,
    other(Kind.MALFORMED): 4,
}
"""One of everything."""


def judged(counted: dict[Reading, int], **options: Any) -> Audit:
    """The audit of so many of each, with OWASP's floors and one device."""
    options = {"policies": (OWASP,), "devices": (GPU,), **options}
    tool = Tool(name="hashcost", version="0.1.0")
    return audit(Counter(counted), tool=tool, layout="user", **options)


def timed(counted: dict[Reading, int], **options: Any) -> Audit:
    """The same with a target of 100 ms on the made-up machine."""
    return judged(counted, profile=PROFILE, target_seconds=0.1, **options)


def shown(found: Audit, form: str = "table", width: int = 80, *, priced: bool = True) -> str:
    """The audit in a format."""
    return render(audit_document(found, (GPU,) if priced else ()), form, width=width)


def test_the_usual_file_against_a_target() -> None:
    """With a target, the time of one hash takes the place of the share."""
    expected = """\
5,000 stored hashes

hasher         cost               count          owasp  one hash  $ per 2³²
bcrypt         cost=10            3,500  ██████  met     53.6 ms      70.55
pbkdf2-sha256  iterations=260000  1,000  █▊      below   65.0 ms      11.90
md5            none                 250  ▍       below         -   < 0.0001
locked         -                    250  ▍       -             -          -

The weakest, md5, is guessed 164,100,000,000 times a second on one NVIDIA
  GeForce RTX 4090, less than $0.0001 for 2³² guesses; a random password of 8
  lower-case letters lasts on average 636 ms (less than $0.0001).
200 locks have a hash behind it, which is not judged.
250 hex md5: other formats look the same; --app decides; recognised only by
  length and alphabet.

1,250 of 5,000 are below the minimum of owasp, 250 of them because they have no
  cost to raise.
1,250 of 5,000 are cheaper than the target of 100 ms.
"""
    assert expected == shown(timed(USUAL))


def test_everything_at_80_columns() -> None:
    """A million hashes of every kind fit a terminal, and each finding has its sentence."""
    expected = """\
1,252,719 stored hashes

hasher          cost                   count  share            owasp  $ per 2³²
symfony pbkdf2  not stored                 7  <0.1%  ▏         -              -
argon2id        m=65536,t=3,p=4           99  <0.1%  ▏         met          238
bcrypt          cost=10            1,234,567    99%  ████████  met        70.55
md5-crypt       fixed                      1  <0.1%  ▏         below    0.00662
pbkdf2-sha256   iterations=4096            8  <0.1%  ▏         below       0.19
pbkdf2-sha256   iterations=10000,      4,321   0.3%  ▏         below       0.46
                2 blocks
yescrypt        cost=5                 1,700   0.1%  ▏         -              -
md5             none                  12,000   1.0%  ▏         below   < 0.0001
locked          -                          6  <0.1%  ▏         -              -
empty           -                          1  <0.1%  ▏         below          -
plain text      -                          2  <0.1%  ▏         below          -
unrecognised    base64, 48                 2  <0.1%  ▏         -              -
                characters
unrecognised    {x-hmac} scheme,           1  <0.1%  ▏         -              -
                text
malformed       -                          4  <0.1%  ▏         -              -

1,707 of 1,252,719 are not judged by owasp: symfony pbkdf2 and yescrypt.
The weakest, md5, is guessed 164,100,000,000 times a second on one NVIDIA
  GeForce RTX 4090, less than $0.0001 for 2³² guesses; a random password of 8
  lower-case letters lasts on average 636 ms (less than $0.0001).
1 lock has a hash behind it, which is not judged.
1 has no password; some systems then ask for none.
2 look like the password itself.
3 look like hashes in an unknown format.
4 are malformed: not a hash of the format it starts like, or not text.
12,000 hex md5: other formats look the same; --app decides; recognised only by
  length and alphabet.
4,321 aspnet v3: the output is longer than the digest, which only costs the
  defender.
7 symfony pbkdf2: the algorithm is not in the hash but in the configuration; the
  cost is not in the hash but in the configuration.
8 postgresql scram: the client computes the hash at login.

16,333 of 1,252,719 are below the minimum of owasp, 12,004 of them because they
  have no cost to raise.
"""
    assert expected == shown(judged(MIXED))


def test_one_hash_and_nothing_to_compare_it_with() -> None:
    """Without policies and devices their columns and sentences are left out."""
    expected = """\
1 stored hash

hasher  cost     count  share
bcrypt  cost=10      1   100%  ████████
"""
    assert expected == shown(judged({BCRYPT: 1}, policies=(), devices=()), priced=False)


def test_each_policy_is_judged() -> None:
    """With two policies a cell has both standings, once where they agree."""
    found = audit_document(judged(MIXED, policies=(OWASP, FIPS)))
    cells = {row.cells[0]: row.cells[5] for row in found.tables[0].rows}

    assert ("met, not approved", "-, not approved", "below") == (
        cells["bcrypt"],
        cells["yescrypt"],
        cells["md5"],
    )


def test_json_reads_back() -> None:
    """The JSON is the whole audit."""
    found = timed(MIXED)

    assert msgspec.json.decode(shown(found, "json"), type=Audit) == found


def test_csv_has_a_record_for_every_group() -> None:
    """All groups, also those that the table shows as one row."""
    found = timed(MIXED)
    records = list(csv.DictReader(io.StringIO(shown(found, "csv"))))
    assert [group.count for group in found.groups] == [int(each["count"]) for each in records]
    assert len([each for each in records if each["kind"] == "locked"]) == 2


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


def test_what_was_not_timed_is_said() -> None:
    """A hasher that the profile lacks is not counted as fine in silence."""
    text = shown(timed({hashed("yescrypt", {"cost": 5}, "yescrypt"): 1, BCRYPT: 2}))
    assert "None is cheaper than the target of 100 ms." in text
    assert "1 was not timed, or too uncertain to tell." in text
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


@given(
    counted=st.dictionaries(
        st.sampled_from(
            [
                *(one.reading for one in SAMPLES if one.reading.params != {"cost": 31}),
                *map(read, LONG_SHAPES),
            ]
        ),
        st.integers(1, 999_999 // len(SAMPLES)),
        min_size=1,
    ),
    target=st.booleans(),
)
def test_any_audit_fits_a_terminal(counted: dict[Reading, int], target: bool) -> None:
    """Whatever was counted, no line is wider than 80 columns and every format renders."""
    found = timed(counted) if target else judged(counted)
    assert [] == [line for line in shown(found).splitlines() if len(line) > 80]
    for form in ("json", "csv", "markdown"):
        assert shown(found, form)
