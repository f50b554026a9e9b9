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
from hashcost.core.profile import FloorCheck, Profile, Recommendation, Rounding, Verdict
from hashcost.documents.profile import from_json, load_profile
from hashcost.recommend.recommendation import solve_again
from hashcost.render import render
from hashcost.render.commands.published import gpus_document, policies_document
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.commands.worth import dearest_first, worth_notes
from hashcost.render.document import Column, Document, sourced_table
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


def test_short() -> None:
    """Short of a floor, a row says what the floor takes here; below stand the smallest targets,
    the first of them first; who is legacy has a sentence.
    """
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher         owasp minimum  guesses/s          $ per 2³²
bcrypt         needs 53.6 ms     11,500  scaled      35.27
sha512-crypt   not listed        37,094  scaled      10.94
pbkdf2-sha256  needs 150 ms      55,759  scaled       7.27
sha256-crypt   not listed       126,692  scaled       3.20

owasp's minimum is met by bcrypt from --target 54.2ms, pbkdf2-sha256 from
  --target 156ms.
owasp allows bcrypt only in existing systems.
Guesses a second as hashcat 6.2.6 (2022) made them, scaled by the work of a
  guess, rented at $0.34 an hour; `calibrate gpus` has the sources. $ per 2³² is
  the rent for all passwords of 32 bits; finding one takes half of it on
  average.
A random password of 8 lower-case letters lasts on average 105 days ($858) as
  bcrypt, 10 days ($77.84) as sha256-crypt.
"""

    assert expected == table(appraised(ONE_EACH, built_in("owasp")))


def test_several_implementations() -> None:
    """Several implementations of one hasher are told apart in the table and in the sentence."""
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher         implementation  owasp minimum  guesses/s          $ per 2³²
bcrypt         bcrypt          needs 53.6 ms     11,500  scaled      35.27
bcrypt         libcrypt        needs 42.8 ms     11,500  scaled      35.27
pbkdf2-sha256  cryptography    needs 75.0 ms     27,880  scaled      14.55
sha512-crypt   libcrypt        not listed        37,094  scaled      10.94
pbkdf2-sha256  hashlib         needs 150 ms      55,759  scaled       7.27
sha256-crypt   passlib         not listed       126,692  scaled       3.20

owasp's minimum is met by bcrypt@libcrypt from --target 43.3ms, bcrypt@bcrypt
  from --target 54.2ms, pbkdf2-sha256@cryptography from --target 76.5ms,
  pbkdf2-sha256@hashlib from --target 156ms.
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
hasher         owasp minimum  fips minimum  guesses/s          $ per 2³²
bcrypt         needs 53.6 ms  not approved     11,500  scaled      35.27
sha512-crypt   not listed     not approved     37,094  scaled      10.94
pbkdf2-sha256  needs 150 ms   met (250 µs)     55,759  scaled       7.27
sha256-crypt   not listed     not approved    126,692  scaled       3.20

owasp's minimum is met by bcrypt from --target 54.2ms, pbkdf2-sha256 from
  --target 156ms.
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


def test_informative() -> None:
    """What is usual is above or below, and nothing falls short of it."""
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher         distro-defaults default  guesses/s          $ per 2³²
bcrypt         above                       11,500  scaled      35.27
sha512-crypt   above                       37,094  scaled      10.94
pbkdf2-sha256  not listed                  55,759  scaled       7.27
sha256-crypt   above                      126,692  scaled       3.20

Guesses a second as hashcat 6.2.6 (2022) made them, scaled by the work of a
  guess, rented at $0.34 an hour; `calibrate gpus` has the sources. $ per 2³² is
  the rent for all passwords of 32 bits; finding one takes half of it on
  average.
A random password of 8 lower-case letters lasts on average 105 days ($858) as
  bcrypt, 10 days ($77.84) as sha256-crypt.
"""

    assert expected == table(appraised(ONE_EACH, built_in("distro-defaults")))


def test_no_policy() -> None:
    """Without a policy the price stands alone."""
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher         guesses/s          $ per 2³²
bcrypt            11,500  scaled      35.27
sha512-crypt      37,094  scaled      10.94
pbkdf2-sha256     55,759  scaled       7.27
sha256-crypt     126,692  scaled       3.20

Guesses a second as hashcat 6.2.6 (2022) made them, scaled by the work of a
  guess, rented at $0.34 an hour; `calibrate gpus` has the sources. $ per 2³² is
  the rent for all passwords of 32 bits; finding one takes half of it on
  average.
A random password of 8 lower-case letters lasts on average 105 days ($858) as
  bcrypt, 10 days ($77.84) as sha256-crypt.
"""

    assert expected == table(appraised(ONE_EACH))


def test_no_device() -> None:
    """Without a device the floors stand alone, in the order of the profile."""
    expected = """\
What that is worth
hasher         owasp minimum
sha512-crypt   not listed
pbkdf2-sha256  needs 150 ms
sha256-crypt   not listed
bcrypt         needs 53.6 ms

owasp's minimum is met by bcrypt from --target 54.2ms, pbkdf2-sha256 from
  --target 156ms.
owasp allows bcrypt only in existing systems.
"""

    assert expected == table(appraised(ONE_EACH, built_in("owasp"), "none"))


def test_raised() -> None:
    """A cost that was raised says so, with the time that results."""
    expected = """\
What that is worth against one NVIDIA GeForce RTX 4090
hasher         owasp minimum     guesses/s          $ per 2³²
bcrypt         raised (53.6 ms)      5,750  scaled      70.55
pbkdf2-sha256  raised (150 ms)      14,776  scaled      27.45
sha512-crypt   not listed           37,094  scaled      10.94
sha256-crypt   not listed          126,375  scaled       3.21

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
hasher         owasp minimum    fips minimum  guesses/s          $ per 2³²
bcrypt         needs 53.6 ms    not approved     11,500  scaled      35.27
pbkdf2-sha256  raised (150 ms)  met (250 µs)     14,776  scaled      27.45
sha512-crypt   not listed       not approved     37,094  scaled      10.94
sha256-crypt   not listed       not approved    126,375  scaled       3.21

owasp's minimum is met by bcrypt from --target 54.2ms.
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
hasher    implementation  owasp minimum  guesses/s          $ per 2³²
argon2id  argon2-cffi     met (34.5 ms)      9,178  scaled      44.20
argon2id  cryptography    met (32.5 ms)      9,478  scaled      42.80
yescrypt  libcrypt        not listed             -                  -

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
hasher    implementation  rfc9106-first minimum  guesses/s             $ per 2³²
argon2id  argon2-cffi     below, not timed           9,637  bandwidth          -
argon2id  cryptography    below, not timed           9,951  bandwidth          -
yescrypt  libcrypt        not listed                     -                     -

argon2id falls short of rfc9106-first's minimum, whose memory was not timed.
rfc9106-first: an option that the RFC recommends, not a minimum: what falls
  short of it need not be weak.
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


def test_a_target_is_named_once() -> None:
    """Of several rows of one hasher that fall short, only the smallest target is named."""
    (row,) = [row for row in HARD.recommendations if row.label == "argon2id@argon2-cffi"]
    rows = [
        msgspec.structs.replace(
            row, params={"memory_kib": 4096, "time_cost": passes, "parallelism": 1}
        )
        for passes in (2, 3)
    ]
    document = appraised(msgspec.structs.replace(HARD, results=tuple(rows)), built_in("owasp"))

    assert document.notes[0].count("argon2id from --target") == 1


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


@pytest.mark.parametrize(
    ("hourly", "words"),
    [(None, "rented at $0.34 an hour"), (0.5, "rented at $0.50 an hour")],
)
def test_note_says_which_rent(hourly: float | None, words: str) -> None:
    """The sentence below says which rent the dollars are for."""
    assert words in " ".join(appraised(ONE_EACH, hourly=hourly).notes)


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
        " speed is only 15 % of that." in worth_notes((row,), (), (device,))
    )


@pytest.mark.parametrize(
    ("memory", "passes", "cell"),
    [
        (19456, 2, "met (34.5 ms)"),
        (9200, 4, "equal work (34.5 ms)"),
        (4096, 9, "needs 34.5 ms"),
    ],
)
def test_floor_cells(memory: int, passes: int, cell: str) -> None:
    """A row is met, of equal work, or says what the floor needs."""
    params = {"memory_kib": memory, "time_cost": passes, "parallelism": 1}
    (row,) = [row for row in HARD.recommendations if row.label == "argon2id@argon2-cffi"]
    met = appraise(HARD, built_in("owasp")).recommendations[0].floors[0]
    (check,) = appraise(at(params, row.label, HARD), built_in("owasp")).recommendations[0].floors
    check = msgspec.structs.replace(check, time_seconds=met.time_seconds)
    shown = msgspec.structs.replace(row, params=params, floors=(check,))
    profile = msgspec.structs.replace(HARD, results=(shown,))
    document = recommendation_document(profile, policies=built_in("owasp"))

    assert cell == document.tables[1].rows[0].cells[-1]


@pytest.mark.parametrize(
    ("memory", "passes", "cell"),
    [(9216, 4, "equal work (34.5 ms)"), (65536, 1, "equal work")],
)
def test_a_met_floor_has_the_time_of_a_listed_setting_alone(
    memory: int, passes: int, cell: str
) -> None:
    """Beside a floor that is met, no time stands that another setting took."""
    (row,) = [row for row in HARD.recommendations if row.label == "argon2id@argon2-cffi"]
    check = FloorCheck(
        policy="owasp",
        verdict=Verdict.EQUAL_WORK,
        met=True,
        params={"memory_kib": 7168, "time_cost": 5, "parallelism": 1},
        time_seconds=34.5e-3,
        time_params={"memory_kib": memory, "time_cost": passes, "parallelism": 2},
    )
    shown = msgspec.structs.replace(row, floors=(check,))
    profile = msgspec.structs.replace(HARD, results=(shown,))
    document = recommendation_document(profile, policies=built_in("owasp"))

    assert cell == document.tables[1].rows[0].cells[-1]


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


def test_json_reads_back() -> None:
    """The JSON of an appraised profile is a profile that says the same."""
    document = appraised(COMPARED, built_in("owasp", "fips", "distro-defaults"), enforced=True)

    assert document.value == from_json(render(document, "json").encode(), name="printed")


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

    assert f"| hasher | {shown} minimum | guesses/s |  | $ per 2³² |" in text
    assert f"- {shown}'s minimum is met by bcrypt from --target 54.2ms." in text
    assert [] == re.findall(r"[<>`@*]", without_escapes(text))


@pytest.mark.parametrize("in_full", [False, True])
def test_markdown_of_a_hostile_policy_listed(in_full: bool) -> None:
    """Listed, no text of a policy becomes anything but text."""
    text = render(policies_document((HOSTILE,), in_full=in_full), "markdown")
    rows = [line for line in text.splitlines() if line.startswith("|")]

    assert [] == re.findall(r"[<>`@*~#]", without_escapes(text))
    assert [4] * len(rows) == [without_escapes(row).count("|") for row in rows]


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40))
def test_any_id_keeps_the_number_of_columns(id_: str) -> None:
    """Whatever a policy is called, each row of the Markdown has as many cells as the head."""
    text = render(appraised(ONE_EACH, (msgspec.structs.replace(HOSTILE, id=id_),)), "markdown")
    worth = text[text.index("What that is worth") :]
    rows = [line for line in worth.splitlines() if line.startswith("|")]

    assert {6} == {without_escapes(row).count("|") for row in rows}


def test_references_number_each_source_once() -> None:
    """The same source has the same number, in the order in which it is first named."""
    speed = load_device("rtx-4090").speeds[0]
    facts = [msgspec.structs.replace(speed, source=source) for source in "babc"]
    shown = sourced_table(
        facts, (Column("hasher"), lambda fact: fact.hasher), fact=lambda fact: fact, title=("all",)
    )

    assert ["all", "[1] b", "[2] a", "[3] c"] == shown.title.splitlines()
    assert ["[1]", "[2]", "[1]", "[3]"] == [row.cells[1].split()[1] for row in shown.rows]


def test_policies_listed() -> None:
    """A policy has its row with its title and day, and below it where it is read."""
    expected = """\
policy         as of       title
rfc9106-first  2021-09-07  RFC 9106, FIRST RECOMMENDED option

rfc9106-first: https://www.rfc-editor.org/rfc/rfc9106.html#section-4
`calibrate policies NAME` shows a policy's minimums.
"""
    document = policies_document(built_in("rfc9106-first"), in_full=False)

    assert expected == render(document, "table", width=80)


def test_policy_in_full() -> None:
    """In full a policy has its source, what it approves of, its note, and every floor with the
    place and the day that it is from.
    """
    policy = load_policy("disa-stig")
    expected = """\
disa-stig: DISA STIGs for RHEL, Oracle Linux, SLES and Ubuntu, 2026-07-01
https://www.cyber.mil/stigs/downloads/
approves only sha512-crypt
for the accounts of the operating system
[1] less than 100000 is a finding: RHEL-08-010130 (SV-230233r1044790),
  RHEL-09-611050 and -611055 (SV-258099r1045198, SV-258100r1045201),
  RHEL-10-600700 and -600720, OL08-00-010130, OL09-00-001065 to -001075,
  SLES-12-010240, SLES-15-020190, SLEM-05-611085, UBTU-22-611055
  (SV-260569r1101736); Ubuntu 24.04 as controls/stig_ubuntu2404.yml has it; for
  RHEL 9 since V2R3
hasher        at least       since
sha512-crypt  rounds=100000  2025-01-30 [1]
"""
    document = policies_document((policy,), in_full=True)

    assert expected == render(document, "table", width=80)


def test_a_policy_without_floors_says_why() -> None:
    """In full a policy that names no number is shown as well, with what that means."""
    expected = """\
pci-dss-4: PCI DSS v4.0.1, 2024-06-11;
  https://www.pcisecuritystandards.org/document_library/; strong cryptography is
  used to render all authentication factors unreadable during transmission and
  storage on all system components; it names no algorithm and no number, so
  nothing is compared with it; name another policy beside it
"""
    document = policies_document((load_policy("pci-dss-4"),), in_full=True)

    assert expected == render(document, "table", width=80)


def test_device_listed() -> None:
    """A device has its memory, its rent and every speed with the place and the day it is from."""
    expected = """\
rx-7900-xtx: AMD Radeon RX 7900 XTX, 24.0 GiB
rent unknown
960 GB/s, Steve Thomas, Minimum Password Settings,
  tobtu.com/minimum-password-settings, 2022-12-29; the published speeds use 76 %
  (argon2id)
[1] hashcat 7.0.0 release notes, section 2.2
hasher    cost             guesses/s  by             published
argon2id  m=65536,t=3,p=1      1,367  hashcat 7.0.0  2025-08-01 [1]

h100-sxm: NVIDIA H100 SXM (one GPU of an AWS p5.48xlarge), 80.0 GiB
$2.69 an hour, RunPod Community Cloud, runpod.io/pricing as transcribed by
  datareceipts/data-receipts, 109-gpu-pricing/vendors.json, 2026-11-09
3,350 GB/s, Scaleway, migration-h100.mdx of scaleway/docs-content, as in pull
  request 5834, 2025-11-18
[1] javydekoning/aws-hashcat p5.48xlarge.v6.2.6.cuda.txt at 243dd5e: one eighth
  of the total of eight GPUs (6798.6 kH/s)
[2] javydekoning/aws-hashcat p5.48xlarge.v6.2.6.cuda.txt at 243dd5e: one eighth
  of the total of eight GPUs (2890.2 kH/s)
hasher        cost         guesses/s  by             published
sha512-crypt  rounds=5000    849,825  hashcat 6.2.6  2023-09-18 [1]
bcrypt        cost=5         361,275  hashcat 6.2.6  2023-09-18 [2]
"""
    document = gpus_document((load_device("rx-7900-xtx"), load_device("h100-sxm")))

    assert expected == render(document, "table", width=80)


def test_records_of_policies_and_devices() -> None:
    """Each floor and each speed is a record that says where it is from."""
    policies = policies_document(built_in("owasp", "distro-defaults"), in_full=False)
    devices = gpus_document((load_device("rtx-4090"), load_device("rx-7900-xtx")))

    assert 14 + 5 == len(policies.records)
    assert 8 + 12 + 1 == len(devices.records)
    for document in (policies, devices):
        for record in document.records:
            assert set(document.fields) == record.keys()
            assert record["source"]
            assert record["date"]
    assert {True, False} == {record["informative"] for record in policies.records}
    assert {0.34, None} == {record["dollars_per_hour"] for record in devices.records}
