"""What a recommendation is worth: whole literals at 80 columns, records, and hostile names."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections.abc import Sequence
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.measurement import Params
from hashcost.core.profile import Profile, Recommendation, Rounding
from hashcost.documents.profile import load_profile
from hashcost.recommend.recommendation import solve_again
from hashcost.render import render
from hashcost.render.commands.recommend import dearest_first, device_notes, recommendation_document
from hashcost.render.document import Document
from hashcost.worth.appraisal import appraise, floors_of
from hashcost.worth.attackers.device import load_device, prices
from hashcost.worth.policies.catalogue import load_policy
from hashcost.worth.policies.policy import Floor, Policy
from made_up import MEMORY_HARD_FILE, PROFILE_FILE

EVERY: Final = load_profile(PROFILE_FILE)
HARD: Final = load_profile(MEMORY_HARD_FILE)
"""argon2id in one lane and in two, and yescrypt."""


def without(profile: Profile, *labels: str) -> Profile:
    """The rows that were measured, but for these."""
    rows = [row for row in profile.recommendations if row.label not in labels]
    return msgspec.structs.replace(profile, results=tuple(rows))


COMPARED: Final = without(EVERY)
"""Two implementations of two hashers."""

ONE_EACH: Final = without(EVERY, "pbkdf2-sha256@cryptography", "bcrypt@libcrypt")


def appraised(
    profile: Profile,
    policies: Sequence[Policy] = (),
    gpu: str = "rtx-4090",
    *,
    enforced: bool = False,
    hourly: float | None = None,
) -> Document:
    """The profile beside these policies and this device."""
    devices = () if gpu == "none" else (load_device(gpu),)
    if enforced:
        floors = floors_of(policies, enforced=True)
        profile = solve_again(profile, profile.target_seconds, Rounding.DOWN, floors)
    worth = appraise(profile, policies, devices, dollars_per_hour=hourly)
    return recommendation_document(worth, policies=policies, devices=devices)


def table(document: Document, width: int = 80) -> str:
    """What stands between the costs and the answer: the second table and its notes."""
    explained = msgspec.structs.replace(document, answer=())
    _, _, worth = render(explained, "table", width=width).split("\n\n", 2)
    return worth


def built_in(*names: str) -> tuple[Policy, ...]:
    """The policies of these names."""
    return tuple(load_policy(name) for name in names)


def test_several_implementations() -> None:
    """Several implementations of one hasher are told apart in the table and in the sentence."""
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher         implementation  meets owasp  guesses/s          $ per 2³²
bcrypt         bcrypt          from 54.2ms     11,500  scaled      35.27
bcrypt         libcrypt        from 43.3ms     11,500  scaled      35.27
pbkdf2-sha256  cryptography    from 76.5ms     27,880  scaled      14.55
sha512-crypt   libcrypt        not listed      37,094  scaled      10.94
pbkdf2-sha256  hashlib         from 156ms      55,759  scaled       7.27
sha256-crypt   passlib         not listed     126,692  scaled       3.20

from: the smallest --target that is sure to meet owasp.
owasp allows bcrypt only in existing systems.
Guesses a second as hashcat 6.2.6 (2022) made them, scaled by the work of a
  guess, rented at $0.34 an hour; `calibrate gpus` has the sources. $ per 2³² is
  the rent for all passwords of 32 bits; finding one takes half of it on
  average.
A random password of 8 lower-case letters lasts on average 105 days ($858) as
  bcrypt@bcrypt, 10 days ($77.84) as sha256-crypt@passlib.
"""

    assert expected == table(appraised(COMPARED, built_in("owasp")))


def test_two_policies() -> None:
    """Each policy has its column and its sentences; who is not approved says so."""
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher         meets owasp  meets fips    guesses/s          $ per 2³²
bcrypt         from 54.2ms  not approved     11,500  scaled      35.27
sha512-crypt   not listed   not approved     37,094  scaled      10.94
pbkdf2-sha256  from 156ms   yes              55,759  scaled       7.27
sha256-crypt   not listed   not approved    126,692  scaled       3.20

from: the smallest --target that is sure to meet owasp.
owasp allows bcrypt only in existing systems.
fips does not approve bcrypt, sha512-crypt or sha256-crypt at any cost.
fips: a limit of approval and not of safety: NIST retires SHA-1 by the end of
  2030, and FIPS modules refuse short passwords (below 8 bytes in RHEL's, below
  14 in Bouncy Castle's).
Guesses a second as hashcat 6.2.6 (2022) made them, scaled by the work of a
  guess, rented at $0.34 an hour; `calibrate gpus` has the sources. $ per 2³² is
  the rent for all passwords of 32 bits; finding one takes half of it on
  average.
A random password of 8 lower-case letters lasts on average 105 days ($858) as
  bcrypt, 10 days ($77.84) as sha256-crypt.
"""

    assert expected == table(appraised(ONE_EACH, built_in("owasp", "fips")))


def test_no_device() -> None:
    """Without a device the floors stand alone, in the order of the profile."""
    expected = """\
What that is worth
hasher         meets owasp
sha512-crypt   not listed
pbkdf2-sha256  from 156ms
sha256-crypt   not listed
bcrypt         from 54.2ms

from: the smallest --target that is sure to meet owasp.
owasp allows bcrypt only in existing systems.
"""

    assert expected == table(appraised(ONE_EACH, built_in("owasp"), "none"))


def test_raised() -> None:
    """A cost that was raised says so, with the time that results."""
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher         meets owasp  guesses/s          $ per 2³²
bcrypt         yes, raised      5,750  scaled      70.55
pbkdf2-sha256  yes, raised     14,776  scaled      27.45
sha512-crypt   not listed      37,094  scaled      10.94
sha256-crypt   not listed     126,375  scaled       3.21

owasp allows bcrypt only in existing systems.
Guesses a second as hashcat 6.2.6 (2022) made them, scaled by the work of a
  guess, rented at $0.34 an hour; `calibrate gpus` has the sources. $ per 2³² is
  the rent for all passwords of 32 bits; finding one takes half of it on
  average.
A random password of 8 lower-case letters lasts on average 210 days ($1,715) as
  bcrypt, 10 days ($78.03) as sha256-crypt.
"""

    assert expected == table(appraised(ONE_EACH, built_in("owasp"), enforced=True))


def test_raised_for_one_of_two() -> None:
    """A cost is raised for the policy that it fell short of alone; what another policy does not
    approve of is not raised, and no sentence says that it would be.
    """
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher         meets owasp  meets fips    guesses/s          $ per 2³²
bcrypt         from 54.2ms  not approved     11,500  scaled      35.27
pbkdf2-sha256  yes, raised  yes, raised      14,776  scaled      27.45
sha512-crypt   not listed   not approved     37,094  scaled      10.94
sha256-crypt   not listed   not approved    126,375  scaled       3.21

from: the smallest --target that is sure to meet owasp.
owasp allows bcrypt only in existing systems.
fips does not approve bcrypt, sha512-crypt or sha256-crypt at any cost.
fips: a limit of approval and not of safety: NIST retires SHA-1 by the end of
  2030, and FIPS modules refuse short passwords (below 8 bytes in RHEL's, below
  14 in Bouncy Castle's).
Guesses a second as hashcat 6.2.6 (2022) made them, scaled by the work of a
  guess, rented at $0.34 an hour; `calibrate gpus` has the sources. $ per 2³² is
  the rent for all passwords of 32 bits; finding one takes half of it on
  average.
A random password of 8 lower-case letters lasts on average 105 days ($858) as
  bcrypt, 10 days ($78.03) as sha256-crypt.
"""

    assert expected == table(appraised(ONE_EACH, built_in("owasp", "fips"), enforced=True))


def test_memory_hard() -> None:
    """Met floors have their time too, and what nobody published a speed of is named."""
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher    implementation  meets owasp  guesses/s          $ per 2³²
argon2id  argon2-cffi     yes              9,178  scaled      44.20
argon2id  cryptography    yes              9,478  scaled      42.80
yescrypt  libcrypt        not listed           -                  -

Guesses a second as hashcat 7.0.0 (2025) made them, scaled by the work of a
  guess, rented at $0.34 an hour; `calibrate gpus` has the sources. $ per 2³² is
  the rent for all passwords of 32 bits; finding one takes half of it on
  average.
A random password of 8 lower-case letters lasts on average 132 days ($1,074) as
  argon2id@argon2-cffi, 128 days ($1,040) as argon2id@cryptography.
No speed is published for yescrypt on this device; hashcat guesses yescrypt
  (cost=5) 419 times a second on an unnamed GPU (hashcat pull request 4657,
  2026-03-30).
"""

    assert expected == table(appraised(HARD, built_in("owasp")))


def test_untimed_memory() -> None:
    """A floor whose memory was not timed has no time, and no promise that it could be enforced;
    without a known rent nothing has a price.
    """
    expected = """\
What that is worth against one NVIDIA RTX 6000 Ada Generation
hasher    implementation  meets rfc9106-first  guesses/s             $ per 2³²
argon2id  argon2-cffi     no                       9,637  bandwidth          -
argon2id  cryptography    no                       9,951  bandwidth          -
yescrypt  libcrypt        not listed                   -                     -

rfc9106-first: an option that the RFC recommends, not a minimum: what falls
  short of it need not be weak.
no: nothing was timed in the memory that rfc9106-first asks for.
Guesses a second as the device's memory bandwidth allows; `calibrate gpus` has
  the sources.
argon2id is guessed as often as the device's 960 GB/s of memory allow: no speed
  is published for it.
A random password of 8 lower-case letters lasts on average 125 days as
  argon2id@argon2-cffi, 121 days as argon2id@cryptography.
No speed is published for yescrypt on this device; hashcat guesses yescrypt
  (cost=5) 419 times a second on an unnamed GPU (hashcat pull request 4657,
  2026-03-30).
"""

    assert expected == table(appraised(HARD, built_in("rfc9106-first"), "rtx-6000-ada"))


def test_none_of_both() -> None:
    """Without policies and devices there is no second table and no note."""
    document = appraised(ONE_EACH, (), "none")

    assert 1 == len(document.tables)
    assert () == document.notes


@pytest.mark.parametrize(
    ("enforced", "raised", "beyond"),
    [(False, 0, ""), (True, 2, " or at the minimum above")],
    ids=["as asked", "enforced"],
)
def test_head_says_what_the_costs_are(enforced: bool, raised: int, beyond: str) -> None:
    """The first line says that costs may be above the target where one was raised."""
    document = appraised(ONE_EACH, built_in("owasp"), enforced=enforced)

    assert document.head[0].startswith(f"One hash in at most 40.0 ms{beyond}, ")
    assert raised == sum(bool(record.get("raised_from")) for record in document.records)


def at(params: Params, label: str = "bcrypt@bcrypt", profile: Profile = EVERY) -> Profile:
    """One row, at another cost."""
    (row,) = [row for row in profile.recommendations if row.label == label]
    return msgspec.structs.replace(profile, results=(msgspec.structs.replace(row, params=params),))


@pytest.mark.parametrize(
    ("profile", "gpu", "hourly", "cells"),
    [
        (at({"cost": 5}), "rtx-4090", None, ("184,000", "measured", "2.20")),
        (at({"cost": 12}), "rtx-4090", None, ("1,438", "scaled", "282")),
        (at({"cost": 4}), "rtx-4090", None, ("368,000", "at most", "1.10")),
        (at({"cost": 31}), "rtx-4090", None, ("0.00274", "scaled", "147,944,336")),
        (at({"cost": 12}), "rtx-4090", 1.0, ("1,438", "scaled", "830")),
        (at({"cost": 12}), "rtx-6000-ada", None, ("1,570", "scaled", "-")),
        (at({"cost": 12}), "rtx-6000-ada", 1.0, ("1,570", "scaled", "760")),
        (at({"cost": 12}), "rx-7900-xtx", None, ("-", "", "-")),
    ],
)
def test_price_cells(
    profile: Profile, gpu: str, hourly: float | None, cells: tuple[str, str, str]
) -> None:
    """Guesses are whole or have three digits, and say what they rest on; dollars are to the cent,
    and a dash where no rent or no speed is known.
    """
    document = appraised(profile, (), gpu, hourly=hourly)
    (row,) = document.tables[1].rows

    assert cells == row.cells[-3:]


def test_note_names_every_tool() -> None:
    """Where speeds are of several versions of the tool, all of them are named."""
    rows = (*ONE_EACH.results, *HARD.results)
    document = appraised(msgspec.structs.replace(HARD, results=rows))

    assert document.notes[0].startswith(
        "Guesses a second as hashcat 7.0.0 (2025) and hashcat 6.2.6 (2022) made them,"
    )


def test_note_says_when_fewer_guesses_fit() -> None:
    """Above the benchmark's memory the table says "at most", and a sentence says why."""
    params = {"memory_kib": 262144, "time_cost": 1, "parallelism": 1}
    document = appraised(at(params, "argon2id@argon2-cffi", HARD))

    assert "at most" == document.tables[1].rows[0].cells[-2]
    assert (
        "argon2id may be guessed less often: only 96 guesses fit the device's memory at once,"
        " fewer than in the published benchmark." in document.notes
    )


def test_note_says_why_bandwidth_stands_for_a_speed() -> None:
    """Where a published speed is not near the bandwidth, a sentence says how far it is off."""
    device = load_device("rtx-4090")
    found = prices([device], "scrypt", {"n": 16384, "r": 8, "p": 1})
    row = msgspec.structs.replace(EVERY.recommendations[0], hasher="scrypt", attacker=found)

    assert (
        "scrypt is guessed as often as the device's 1,008 GB/s of memory allow: the published"
        " speed is only 15 % of that." in {*device_notes(device, (row,))}
    )


def test_trade_offs_are_told_apart_by_their_cost() -> None:
    """Where one hasher has several rows, each is named by its cost."""
    (row,) = [row for row in HARD.recommendations if row.label == "argon2id@argon2-cffi"]
    rows = [
        msgspec.structs.replace(
            row, params={"memory_kib": memory, "time_cost": passes, "parallelism": 1}
        )
        for memory, passes in ((12288, 3), (19456, 2))
    ]
    document = appraised(msgspec.structs.replace(HARD, results=tuple(rows)))

    assert "cost" == document.tables[1].columns[0].title
    assert [
        "m=12288,t=3,p=1",
        "m=19456,t=2,p=1",
    ] == [row.cells[0] for row in document.tables[1].rows]


class TestOrder:
    """The one that is dearest to attack stands first."""

    def test_both_tables_have_the_same(self) -> None:
        """The costs stand in the order of what a guess costs, in both tables."""
        document = appraised(ONE_EACH, built_in("owasp"))
        first, second = (
            [row.cells[0] for row in each.rows if row.cells[0]] for each in document.tables
        )

        assert first == second == ["bcrypt", "sha512-crypt", "pbkdf2-sha256", "sha256-crypt"]

    def test_records_keep_the_order_of_the_profile(self) -> None:
        """Programs are given the rows in the order of the profile."""
        document = appraised(ONE_EACH, built_in("owasp"))

        assert [row.hasher for row in ONE_EACH.results] == [
            record["hasher"] for record in document.records
        ]

    def test_unknown_comes_last(self) -> None:
        """A hasher without a price follows those that have one, and keeps its place there."""
        worth = appraise(
            msgspec.structs.replace(HARD, results=(*HARD.results[::-1], *ONE_EACH.results)),
            (),
            (load_device("rtx-4090"),),
        )

        assert [row.hasher for row in dearest_first(worth.recommendations)] == [
            "argon2id",
            "argon2id",
            "bcrypt",
            "sha512-crypt",
            "pbkdf2-sha256",
            "sha256-crypt",
            "yescrypt",
        ]

    @given(st.permutations(ONE_EACH.recommendations))
    def test_any_order_is_sorted(self, rows: list[Recommendation]) -> None:
        """In whatever order the rows were measured, the fewest guesses a second stand first."""
        profile = msgspec.structs.replace(ONE_EACH, results=tuple(rows))
        worth = appraise(profile, (), (load_device("rtx-4090"),)).recommendations
        speeds = [row.attacker[0].guesses_per_second for row in dearest_first(worth)]

        assert sorted(speeds) == speeds


def test_csv() -> None:
    """A record has the ids of the policies by verdict, the longest floor, and the whole price."""
    document = appraised(COMPARED, built_in("owasp", "fips"), enforced=True)
    records = list(csv.DictReader(io.StringIO(render(document, "csv"))))
    fields = (
        "hasher",
        "meets",
        "short_of",
        "not_approved_by",
        "legacy_in",
        "floor_seconds",
        "raised_from",
        "gpu",
        "guesses_per_second",
        "guesses_basis",
    )
    expected = [
        ("sha512-crypt", "", "", "fips", "", "", "", "rtx-4090", "37094.339622641506", "scaled"),
        (
            *("pbkdf2-sha256", "owasp fips", "", "", "", "0.15", "iterations=160000"),
            *("rtx-4090", "14776.166666666666", "scaled"),
        ),
        (
            *("pbkdf2-sha256", "owasp fips", "", "", "", "0.075", "iterations=320000"),
            *("rtx-4090", "14776.166666666666", "scaled"),
        ),
        ("sha256-crypt", "", "", "fips", "", "", "", "rtx-4090", "126375.0", "scaled"),
        ("bcrypt", "", "owasp", "fips", "owasp", "0.0536", "", "rtx-4090", "11500.0", "scaled"),
        ("bcrypt", "", "owasp", "fips", "owasp", "0.0428032", "", "rtx-4090", "11500.0", "scaled"),
    ]

    assert expected == [tuple(record[field] for field in fields) for record in records]
    assert [10.9352, 27.4520, 27.4520, 3.2098, 35.2727, 35.2727] == pytest.approx(
        [float(record["dollars_per_2_32_guesses"]) for record in records], abs=1e-4
    )


HOSTILE: Final = Policy(
    id="a|b`<script>*",
    title="[Rules](http://a) | <script>alert(1)</script> @octocat",
    source="`wiki` | <b>",
    url="https://a/|<img>",
    note="# *now* | `rm`",
    date=dt.date(2026, 1, 1),
    approved=("bcrypt", "sha512-crypt"),
    floors=(
        Floor(
            hasher="bcrypt",
            params={"cost": 10},
            source="~~p. 3~~ | <script>",
            date=dt.date(2026, 1, 1),
        ),
    ),
)


def without_escapes(text: str) -> str:
    """Markdown without what is escaped in it."""
    return re.sub(r"\\.|&#64;", "", text)


def test_markdown_of_a_hostile_policy() -> None:
    """A policy's id that means something in Markdown or HTML is shown as it is written, and adds
    no cell.
    """
    text = render(appraised(ONE_EACH, (HOSTILE,)), "markdown")
    shown = r"a\|b\`\<script\>\*"

    assert f"| hasher | meets {shown} | guesses/s |  | $ per 2³² |" in text
    assert f"- from: the smallest --target that is sure to meet {shown}." in text
    assert [] == re.findall(r"[<>`@*]", without_escapes(text))


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40))
def test_any_id_keeps_the_number_of_columns(id_: str) -> None:
    """Whatever a policy is called, each row of the Markdown has as many cells as the head."""
    text = render(appraised(ONE_EACH, (msgspec.structs.replace(HOSTILE, id=id_),)), "markdown")
    worth = text[text.index("What that is worth") :]
    rows = [line for line in worth.splitlines() if line.startswith("|")]

    assert {6} == {without_escapes(row).count("|") for row in rows}
