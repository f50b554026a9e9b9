"""What people are told of hashes that run at once."""

from __future__ import annotations

import msgspec

from hashcost.core.capacity import Concurrency
from hashcost.documents.profile import load_profile
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.wording import concurrency_note
from hashcost.worth.appraisal import appraise
from hashcost.worth.policies.catalogue import load_policy
from made_up import PROFILE_FILE

MIB = 1 << 20
SHARED = Concurrency(at_once=10, memory_bytes=1024 * MIB, process_bytes=40 * MIB)
LIMIT = "Set the limit of concurrent hashes (semaphore, pool or workers) to 10"


def test_the_memory_is_told() -> None:
    """What the hashes take at the limit, what the process takes, and how many have room."""
    assert concurrency_note(SHARED, {"argon2id": 64 * MIB, "scrypt": 32 * MIB}, 10) == (
        f"{LIMIT}: argon2id then takes 640 MiB and scrypt 320 MiB of 1.00 GiB. Beside the"
        " process's own 40.0 MiB there is room for 15 of argon2id and 30 of scrypt at once;"
        " beyond that it may be killed."
    )


def test_what_the_allocator_keeps_is_told() -> None:
    """Where an allocator keeps what a thread freed, a semaphore does not bound the memory."""
    note = concurrency_note(SHARED, {"argon2id": 19 * MIB}, 10)
    assert "also set MALLOC_MMAP_THRESHOLD_=1048576" in note


def test_little_memory_is_not_worth_a_word() -> None:
    """Of hashers that take next to none, the limit is told and how long they then take."""
    note = concurrency_note(SHARED, {"bcrypt": 4096}, 2)
    assert note == f"{LIMIT}. All 10 on 2 CPUs take 5 times as long."


def test_a_floor_without_room_is_told() -> None:
    """A floor that does not fit the share of a hash says how many at once it leaves room for."""
    profile = load_profile(PROFILE_FILE.with_name("memory_hard.json"))
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
