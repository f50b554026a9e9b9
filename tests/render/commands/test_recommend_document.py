"""What `calibrate` shows of a profile: the answer, what --explain adds, records and notes."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.capacity import Concurrency
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile, Recommendation, Rounding
from hashcost.documents.profile import load_profile
from hashcost.recommend.recommendation import solve_again
from hashcost.render import render
from hashcost.render.commands.recommend import (
    dearest_first,
    device_notes,
    recommendation_document,
    shared_note,
)
from hashcost.render.document import Document
from hashcost.render.wording import concurrency_note
from hashcost.worth.appraisal import appraise, floors_of
from hashcost.worth.attackers.device import load_device, prices
from hashcost.worth.policies.catalogue import load_policy, policy_names
from hashcost.worth.policies.policy import Policy
from made_up import MEMORY_HARD_FILE, PROFILE_FILE

OTHERS: Final = tuple(map(load_policy, policy_names()))
LINEAR: Final = load_profile(PROFILE_FILE)
HARD: Final = load_profile(MEMORY_HARD_FILE)
EIGHT: Final = msgspec.structs.replace(
    LINEAR,
    measurements=(*LINEAR.measurements, *HARD.measurements),
    results=(
        *(
            msgspec.structs.replace(row, hasher=name)
            for row in LINEAR.recommendations[:1]
            for name in ("sha512-crypt", "pbkdf2-sha1", "pbkdf2-sha512", "sha256-crypt")
        ),
        *(LINEAR.recommendations[index] for index in (1, 4)),
        *(HARD.recommendations[index] for index in (0, 2)),
    ),
)
"""Eight hashers of one implementation each."""


def only(*labels: str) -> Profile:
    """The profile with the rows of these hashers."""
    rows = tuple(row for row in EIGHT.recommendations if row.hasher in labels)
    return msgspec.structs.replace(EIGHT, results=rows)


def answer(
    profile: Profile, policies: Sequence[str] = ("owasp",), gpus: Sequence[str] = ("rtx-4090",)
) -> Document:
    """The answer beside these policies and devices."""
    asked = tuple(map(load_policy, policies))
    devices = tuple(map(load_device, gpus))
    return recommendation_document(
        appraise(profile, asked, devices),
        policies=asked,
        devices=devices,
        others=OTHERS,
        explained=False,
    )


def test_fits_a_terminal() -> None:
    """Eight hashers take at most 24 lines of 80 columns, and the last line says what to use."""
    lines = render(answer(EIGHT), "table", width=80).splitlines()

    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24
    assert lines[-1] == (
        "Use argon2id m=19456,t=2,p=1: it meets owasp and costs an attacker most."
    )


def test_table() -> None:
    """A line has the setting as one pastes it, its time, what a policy needs, and the price."""
    text = render(answer(only("argon2id", "bcrypt", "sha256-crypt")), "table", width=80)

    assert text.split("\n\n")[1].splitlines() == [
        "hasher        setting          one hash       meets owasp  crack time",
        "argon2id      m=19456,t=2,p=1  35.0 ms ±2.9%  yes            132 days",
        "bcrypt        cost=9           26.8 ms ±0.9%  from 54.1ms    105 days",
        "sha256-crypt  rounds=159000    39.9 ms ±1.6%  not listed      19 days",
    ]


@pytest.mark.parametrize(
    ("hashers", "policies", "gpus", "said"),
    [
        (("bcrypt",), (), ("rtx-4090",), "Use bcrypt cost=9."),
        (("bcrypt", "argon2id"), (), (), None),
        (
            ("bcrypt", "argon2id"),
            (),
            ("rtx-4090",),
            "Use argon2id m=19456,t=2,p=1: it costs an attacker most.",
        ),
        (("argon2id",), ("owasp",), (), "Use argon2id m=19456,t=2,p=1: it meets owasp."),
        (
            ("bcrypt", "pbkdf2-sha256"),
            ("owasp",),
            ("rtx-4090",),
            "None of these meets owasp; use pbkdf2-sha256 with --target 156ms.",
        ),
        (
            ("bcrypt",),
            ("owasp",),
            ("rtx-4090",),
            "bcrypt cost=9 does not meet owasp; use bcrypt with --target 54.1ms.",
        ),
        (("yescrypt",), ("owasp",), ("rtx-4090",), "Use yescrypt cost=5."),
        (
            ("bcrypt", "pbkdf2-sha256"),
            ("owasp", "fips", "anssi-bp28"),
            ("rtx-4090",),
            (
                "None of these meets owasp, fips and anssi-bp28; use pbkdf2-sha256 with --target"
                " 156ms for owasp and fips."
            ),
        ),
    ],
)
def test_advice(
    hashers: Sequence[str], policies: Sequence[str], gpus: Sequence[str], said: str | None
) -> None:
    """It names what meets the policies and costs an attacker most, or what would meet them."""
    assert (() if said is None else (said,)) == answer(only(*hashers), policies, gpus).answer


def test_what_is_allowed_only_for_old_systems_is_not_advised() -> None:
    """A hasher that the policy lists as legacy is not the answer, even where its floor is met."""
    rows = tuple(
        msgspec.structs.replace(row, params={"cost": 12}) for row in only("bcrypt").recommendations
    )
    strong = msgspec.structs.replace(EIGHT, results=(*rows, *only("argon2id").results))

    (said,) = answer(strong).answer
    assert said.startswith("Use argon2id")


def test_other_policies_are_named_where_the_one_asked_for_is_silent() -> None:
    """Of sha512-crypt, which OWASP does not list, the policies that do are named."""
    (said,) = [note for note in answer(only("sha512-crypt")).notes if "not list" in note]
    assert said == (
        "owasp does not list sha512-crypt. It meets anssi-bp28 (rounds=65536) and disa-stig"
        " (rounds=100000)."
    )


def grid(profile: Profile, *, width: int, solved_again: bool = False) -> str:
    """The table without its head."""
    document = recommendation_document(profile, solved_again=solved_again)
    return render(document, "table", width=width).split("\n\n")[1].removesuffix("\n") + "\n"


def test_costs_in_memory() -> None:
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

    assert expected == grid(HARD, width=160)


def test_what_takes_the_same_time_is_listed() -> None:
    """One memory-hard hasher is shown with its other settings, and which of them to use."""
    row = next(row for row in HARD.recommendations if row.threads == 1)
    last = recommendation_document(HARD.only(row), explained=True).tables[-1]
    brief = recommendation_document(HARD.only(row), explained=False)

    assert "In the same time, memory against passes" == last.title
    assert ["m=19456,t=2,p=1"] == [line.cells[0] for line in last.rows if line.cells[2]]
    assert 1 < len(last.rows)
    assert last.title not in {each.title for each in brief.tables}


def test_csv_of_memory() -> None:
    """A record has every param, the parameter that is left to turn, both times and the clock."""
    text = render(recommendation_document(HARD), "csv")
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
    text = render(recommendation_document(HARD), "csv")
    one, two, other = csv.DictReader(io.StringIO(text))

    expected = (47104 * 1 / 0.0325) / (19456 * 2 / 0.035)
    assert expected == pytest.approx(float(two["relative_work"]), abs=1e-4)
    assert ("1.0", "1.0") == (one["relative_work"], other["relative_work"])


def without(profile: Profile, *labels: str) -> Profile:
    """The rows that were measured, but for these."""
    rows = [row for row in profile.recommendations if row.label not in labels]
    return msgspec.structs.replace(profile, results=tuple(rows))


COMPARED: Final = without(LINEAR)
"""Two implementations of two hashers."""

ONE_EACH: Final = without(LINEAR, "pbkdf2-sha256@cryptography", "bcrypt@libcrypt")


def appraised(
    profile: Profile,
    policies: Sequence[Policy] = (),
    gpu: str = "rtx-4090",
    *,
    enforced: bool = False,
) -> Document:
    """The profile beside these policies and this device."""
    devices = () if gpu == "none" else (load_device(gpu),)
    if enforced:
        floors = floors_of(policies, enforced=True)
        profile = solve_again(profile, profile.target_seconds, Rounding.DOWN, floors)
    worth = appraise(profile, policies, devices)
    return recommendation_document(worth, policies=policies, devices=devices)


def worth_table(document: Document, width: int = 80) -> str:
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
bcrypt         bcrypt          from 54.1ms     11,500  scaled      35.27
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

    assert expected == worth_table(appraised(COMPARED, built_in("owasp")))


def test_a_raised_cost_says_so() -> None:
    """A cost that was raised meets the policies; one that another policy refuses is not raised."""
    document = appraised(ONE_EACH, built_in("owasp", "fips"), enforced=True)
    standings = {row.cells[0]: row.cells[1:3] for row in document.tables[1].rows}

    assert ("yes, raised", "yes, raised") == standings["pbkdf2-sha256"]
    assert ("from 54.2ms", "not approved") == standings["bcrypt"]


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

    assert expected == worth_table(appraised(HARD, built_in("rfc9106-first"), "rtx-6000-ada"))


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


def at(params: Params, label: str = "bcrypt@bcrypt", profile: Profile = LINEAR) -> Profile:
    """One row, at another cost."""
    (row,) = [row for row in profile.recommendations if row.label == label]
    return msgspec.structs.replace(profile, results=(msgspec.structs.replace(row, params=params),))


@pytest.mark.parametrize(
    ("profile", "gpu", "cells"),
    [
        (at({"cost": 5}), "rtx-4090", ("184,000", "measured", "2.20")),
        (at({"cost": 12}), "rtx-4090", ("1,438", "scaled", "282")),
        (at({"cost": 4}), "rtx-4090", ("368,000", "at most", "1.10")),
        (at({"cost": 31}), "rtx-4090", ("0.00274", "scaled", "147,944,336")),
        (at({"cost": 12}), "rtx-6000-ada", ("1,570", "scaled", "-")),
        (at({"cost": 12}), "rx-7900-xtx", ("-", "", "-")),
    ],
)
def test_price_cells(profile: Profile, gpu: str, cells: tuple[str, str, str]) -> None:
    """Guesses are whole or have three digits, and say what they rest on; dollars are to the cent,
    and a dash where no rent or no speed is known.
    """
    document = appraised(profile, (), gpu)
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
    row = msgspec.structs.replace(LINEAR.recommendations[0], hasher="scrypt", attacker=found)

    assert (
        "scrypt is guessed as often as the device's 1,008 GB/s of memory allow: the published"
        " speed is only 15 % of that." in {*device_notes(device, (row,))}
    )


class TestOrder:
    """The one that is dearest to attack stands first."""

    def test_both_tables_have_the_same(self) -> None:
        """The costs stand in the order of what a guess costs, in both tables."""
        document = appraised(ONE_EACH, built_in("owasp"))
        first, second = (
            [row.cells[0] for row in each.rows if row.cells[0]] for each in document.tables
        )

        assert first == second == ["bcrypt", "sha512-crypt", "pbkdf2-sha256", "sha256-crypt"]

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


ONE, ANOTHER = (
    msgspec.structs.replace(row, interval_seconds=(0.036, 0.044))
    for row in LINEAR.recommendations[:2]
)


def shared(row: Recommendation, factor: float) -> Recommendation:
    """A row whose hash took so many times as long in the middle of the run."""
    return msgspec.structs.replace(row, time_seconds=0.04, shared_seconds=0.04 * factor)


def profile_of(*rows: Recommendation) -> Profile:
    """A profile with only these rows."""
    return msgspec.structs.replace(LINEAR, results=rows)


class TestSentence:
    """One sentence for a run."""

    def test_one_hasher(self) -> None:
        """It says how long the hash then takes, and for how much of the run that was so."""
        assert shared_note([shared(ONE, 1.5)]) == (
            "As busy as the core was during this run, sha512-crypt takes 60.0 ms.",
        )

    def test_several_hashers_share_it(self) -> None:
        """Hashers are named one after the other, with the least and the largest share."""
        rows = [shared(ONE, 1.5), shared(ANOTHER, 1.6)]
        (said,) = shared_note(rows)
        assert said == (
            "As busy as the core was during this run, sha512-crypt takes 60.0 ms and"
            " pbkdf2-sha256 64.0 ms."
        )

    @pytest.mark.parametrize(
        "row",
        [ONE, shared(ONE, 1.05)],
        ids=["not seen", "hardly slower"],
    )
    def test_little_is_not_worth_a_word(self, row: Recommendation) -> None:
        """Nothing is said of a core that was hardly shared, or of a hash within its interval."""
        assert shared_note([row]) == ()

    def test_implementations_are_told_apart(self) -> None:
        """Two implementations of one hasher are named in full."""
        other = msgspec.structs.replace(ONE, implementation="passlib")
        (said,) = shared_note([shared(ONE, 1.5), shared(other, 1.5)])
        assert "sha512-crypt@libcrypt takes 60.0 ms and sha512-crypt@passlib 60.0 ms" in said

    def test_a_trade_off_says_it_once(self) -> None:
        """Several rows of one hasher are one hash."""
        (said,) = shared_note([shared(ONE, 1.5)] * 3)
        assert said.count("60.0 ms") == 1


SHARED = shared(ONE, 1.5)


def test_the_table_has_it_below() -> None:
    """The sentence stands below the recommendation, once."""
    shown = render(recommendation_document(profile_of(SHARED)), "table", width=200)
    assert shown.count("As busy as the core was") == 1


MIB = 1 << 20
CONCURRENCY = Concurrency(at_once=10, memory_bytes=1024 * MIB, process_bytes=40 * MIB)
LIMIT = "Set the limit of concurrent hashes (semaphore, pool or workers) to 10"


def test_the_memory_is_told() -> None:
    """What the hashes take at the limit, what the process takes, and how many have room."""
    assert concurrency_note(CONCURRENCY, {"argon2id": 64 * MIB, "scrypt": 32 * MIB}, 10) == (
        f"{LIMIT}: argon2id then takes 640 MiB and scrypt 320 MiB of 1.00 GiB. Beside the"
        " process's own 40.0 MiB there is room for 15 of argon2id and 30 of scrypt at once;"
        " beyond that it may be killed."
    )


def test_what_the_allocator_keeps_is_told() -> None:
    """Where an allocator keeps what a thread freed, a semaphore does not bound the memory."""
    note = concurrency_note(CONCURRENCY, {"argon2id": 19 * MIB}, 10)
    assert "also set MALLOC_MMAP_THRESHOLD_=1048576" in note


def test_little_memory_is_not_worth_a_word() -> None:
    """Of hashers that take next to none, the limit is told and how long they then take."""
    note = concurrency_note(CONCURRENCY, {"bcrypt": 4096}, 2)
    assert note == f"{LIMIT}. All 10 on 2 CPUs take 5 times as long."


def test_a_floor_without_room_is_told() -> None:
    """A floor that does not fit the share of a hash says how many at once it leaves room for."""
    profile = HARD
    row = next(row for row in profile.recommendations if row.hasher == "argon2id")
    params = {"memory_kib": 4096, "time_cost": 1, "parallelism": 1}
    small = msgspec.structs.replace(row, params=params, memory_bytes=4 * MIB)
    shared = Concurrency(at_once=10, memory_bytes=90 * MIB, process_bytes=40 * MIB)
    policies = (load_policy("owasp"),)
    profile = appraise(
        msgspec.structs.replace(profile, results=(small,), concurrency=shared), policies, ()
    )
    notes = recommendation_document(profile, policies=policies).notes
    floor = "owasp's minimum for argon2id takes 7.00 MiB a hash; lower --at-once to 7."
    assert floor in notes
    assert "to 10: argon2id then takes 40.0 MiB of 90.0 MiB." in notes[-1]
