"""What `calibrate` shows of a profile: the answer, what --explain adds, records and notes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.measurement import Params
from hashcost.core.profile import Concurrency, Profile, Recommendation
from hashcost.documents.profile import load_profile
from hashcost.render import render
from hashcost.render.commands.recommend import (
    dearest_first,
    device_notes,
    recommendation_document,
    shared_note,
)
from hashcost.render.document import Document
from hashcost.render.wording import concurrency_note
from hashcost.worth.appraisal import appraise
from hashcost.worth.attackers.device import load_device, prices
from hashcost.worth.policies.catalogue import load_policy, policy_names
from hashcost.worth.policies.policy import Policy
from made_up import MEMORY_HARD_FILE, PROFILE_FILE
from snapshots import Snapshot

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


GPU: Final = ("rtx-4090",)


def answer(
    profile: Profile, policies: Sequence[str] = ("owasp",), gpus: Sequence[str] = GPU
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


def test_advice(snapshot: Snapshot) -> None:
    """It names what meets the policies and costs an attacker most, or what would meet them."""
    three = ("owasp", "fips", "anssi-bp28")
    cases = (
        (("bcrypt",), (), GPU),
        (("bcrypt", "argon2id"), (), ()),
        (("bcrypt", "argon2id"), (), GPU),
        (("argon2id",), ("owasp",), ()),
        (("bcrypt", "pbkdf2-sha256"), ("owasp",), GPU),
        (("bcrypt",), ("owasp",), GPU),
        (("yescrypt",), ("owasp",), GPU),
        (("bcrypt", "pbkdf2-sha256"), three, GPU),
    )
    snapshot(
        "".join(
            f"{', '.join(hashers)} by {', '.join((*policies, *gpus)) or 'nothing'}:"
            f" {' '.join(answer(only(*hashers), policies, gpus).answer)}\n"
            for hashers, policies, gpus in cases
        )
    )


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


def test_costs_in_memory(snapshot: Snapshot) -> None:
    """Each cost is whole, the step across the target shows only what changes, and what was
    solved on wall time has its error there.
    """
    snapshot(grid(HARD, width=160))


def test_what_takes_the_same_time_is_listed() -> None:
    """One memory-hard hasher is shown with its other settings, and which of them to use."""
    row = next(row for row in HARD.recommendations if row.threads == 1)
    last = recommendation_document(HARD.only(row), explained=True).tables[-1]
    brief = recommendation_document(HARD.only(row), explained=False)

    assert "In the same time, memory against passes" == last.title
    assert ["m=19456,t=2,p=1"] == [line.cells[0] for line in last.rows if line.cells[2]]
    assert 1 < len(last.rows)
    assert last.title not in {each.title for each in brief.tables}


COMPARED: Final = msgspec.structs.replace(LINEAR, results=LINEAR.recommendations)
"""Two implementations of two hashers."""
ONE_EACH: Final = msgspec.structs.replace(
    LINEAR, results=tuple(LINEAR.recommendations[index] for index in (0, 1, 3, 4))
)
OWASP: Final = load_policy("owasp")


def appraised(
    profile: Profile,
    policies: Sequence[Policy] = (),
    gpu: str = "rtx-4090",
) -> Document:
    """The profile beside these policies and this device."""
    devices = () if gpu == "none" else (load_device(gpu),)
    worth = appraise(profile, policies, devices)
    return recommendation_document(worth, policies=policies, devices=devices)


def worth_table(document: Document, width: int = 80) -> str:
    """What stands between the costs and the answer: the second table and its notes."""
    explained = msgspec.structs.replace(document, answer=())
    _, _, worth = render(explained, "table", width=width).split("\n\n", 2)
    return worth


def test_several_implementations(snapshot: Snapshot) -> None:
    """Several implementations of one hasher are told apart in the table and in the sentence."""
    snapshot(worth_table(appraised(COMPARED, (OWASP,))))


def test_untimed_memory(snapshot: Snapshot) -> None:
    """A floor whose memory was not timed has no time, and no promise that it could be met;
    without a known rent nothing has a price.
    """
    snapshot(worth_table(appraised(HARD, (load_policy("rfc9106-first"),), "rtx-6000-ada")))


def at(params: Params, label: str = "bcrypt@bcrypt", profile: Profile = LINEAR) -> Profile:
    """One row, at another cost."""
    (row,) = [row for row in profile.recommendations if row.label == label]
    return msgspec.structs.replace(profile, results=(msgspec.structs.replace(row, params=params),))


@pytest.mark.parametrize(
    ("cost", "gpu", "cells"),
    [
        (5, "rtx-4090", ("184,000", "measured", "2.20")),
        (12, "rtx-4090", ("1,438", "scaled", "282")),
        (4, "rtx-4090", ("368,000", "at most", "1.10")),
        (31, "rtx-4090", ("0.00274", "scaled", "147,944,336")),
        (12, "rtx-6000-ada", ("1,570", "scaled", "-")),
        (12, "rx-7900-xtx", ("-", "", "-")),
    ],
)
def test_price_cells(cost: int, gpu: str, cells: tuple[str, str, str]) -> None:
    """Guesses say what they rest on; a dash stands for a rent or a speed that is not known."""
    (row,) = appraised(at({"cost": cost}), (), gpu).tables[1].rows

    assert cells == row.cells[-3:]


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


@given(st.permutations((*ONE_EACH.recommendations, *HARD.recommendations)))
def test_the_dearest_to_attack_stands_first(rows: list[Recommendation]) -> None:
    """In whatever order rows were measured, they stand by price, and those without one last."""
    profile = msgspec.structs.replace(ONE_EACH, results=tuple(rows))
    worth = appraise(profile, (), (load_device("rtx-4090"),))
    speeds = [
        next((price.guesses_per_second for price in row.attacker), math.inf)
        for row in dearest_first(worth.recommendations)
    ]

    assert sorted(speeds) == speeds


@pytest.mark.parametrize("profile", [LINEAR, HARD], ids=["linear", "memory"])
def test_csv(profile: Profile, snapshot: Snapshot) -> None:
    """A record has every param, both times, policies by verdict and the price, or the error."""
    document = appraised(profile, (OWASP, load_policy("fips")))
    snapshot(render(document, "csv"))


ONE, ANOTHER = (
    msgspec.structs.replace(row, interval_seconds=(0.036, 0.044))
    for row in LINEAR.recommendations[:2]
)


def shared(row: Recommendation, factor: float) -> Recommendation:
    """A row whose hash took so many times as long in the middle of the run."""
    return msgspec.structs.replace(row, time_seconds=0.04, shared_seconds=0.04 * factor)


def test_a_shared_core_is_told(snapshot: Snapshot) -> None:
    """One sentence says how long a hash takes beside neighbours, unless that is hardly longer."""
    passlib = msgspec.structs.replace(ONE, implementation="passlib")
    cases = {
        "not seen": (ONE,),
        "hardly slower": (shared(ONE, 1.05),),
        "one": (shared(ONE, 1.5),) * 3,
        "several": (shared(ONE, 1.5), shared(ANOTHER, 1.6)),
        "implementations": (shared(ONE, 1.5), shared(passlib, 1.5)),
    }
    snapshot("".join(f"{name}: {' '.join(shared_note(rows))}\n" for name, rows in cases.items()))

    document = recommendation_document(msgspec.structs.replace(LINEAR, results=cases["one"]))
    assert {*shared_note(cases["one"])} <= {*document.notes}


MIB: Final = 1 << 20
CONCURRENCY: Final = Concurrency(at_once=10, memory_bytes=1024 * MIB, process_bytes=40 * MIB)


def test_a_limit_of_concurrent_hashes(snapshot: Snapshot) -> None:
    """The limit is told with the memory that hashes then take, or how long they take."""
    cases: tuple[tuple[dict[str, int], int], ...] = (
        ({"argon2id": 64 * MIB, "scrypt": 32 * MIB}, 10),
        ({"argon2id": 19 * MIB}, 10),
        ({"bcrypt": 4096}, 2),
    )
    notes = [concurrency_note(CONCURRENCY, memory, cpus) for memory, cpus in cases]
    snapshot("".join(f"{note}\n" for note in notes))


def test_a_minimum_without_room_is_told() -> None:
    """A minimum that does not fit the share of a hash says how many at once fit."""
    row = next(row for row in HARD.recommendations if row.hasher == "argon2id")
    params = {"memory_kib": 4096, "time_cost": 1, "parallelism": 1}
    small = msgspec.structs.replace(row, params=params, memory_bytes=4 * MIB)
    concurrency = Concurrency(at_once=10, memory_bytes=90 * MIB, process_bytes=40 * MIB)
    profile = msgspec.structs.replace(HARD, results=(small,), concurrency=concurrency)
    notes = appraised(profile, (OWASP,), "none").notes

    assert "owasp's minimum for argon2id takes 7.00 MiB a hash; lower --at-once to 7." in notes
    assert "to 10: argon2id then takes 40.0 MiB of 90.0 MiB." in notes[-1]
