"""What is counted, and how it is judged."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from fakes import made_up_policy
from hashcost.checks.audit import (
    Audit,
    audit,
    floor_checks,
    is_below_min,
    is_broken,
    timeable,
    unjudged,
    weak,
)
from hashcost.checks.judgement import Outcome
from hashcost.core.machine import Tool
from hashcost.storage.profile import load_profile
from hashcost.stored.formats.reading import HashReading, Kind
from hashcost.stored.formats.registry import read
from hashcost.strength.attackers.device import load_device
from hashcost.strength.policies.policy import Floor, Policy
from made_up import PROFILE_FILE
from stored.formats.samples import SAMPLES, stated

TOOL: Final = Tool(name="hashcost", version="0")
PROFILE: Final = load_profile(PROFILE_FILE)
"""bcrypt 9 takes 26.8 ms, PBKDF2-SHA-256 0.25 µs an iteration, argon2id failed."""
GPU: Final = load_device("rtx-4090")
HOUSE: Final = made_up_policy(
    Floor(hasher="bcrypt", params={"cost": 10}),
    Floor(hasher="pbkdf2-sha256", params={"iterations": 600_000}),
)
STRICT: Final = msgspec.structs.replace(HOUSE, id="strict", approved=("bcrypt",), floors=())
USUAL: Final = msgspec.structs.replace(HOUSE, id="usual", informative=True)


def said(words: str) -> HashReading:
    """What a hash says, in the words of the samples of stored hashes."""
    fields, _ = stated(words)
    kind = fields.pop("kind", Kind.HASHED)
    return HashReading(kind=kind, format=f"{kind.value} {fields.get('hasher')}", **fields)


def judged(counted: Mapping[Any, int], **options: Any) -> Audit:
    """The audit of so many of each reading, or of what such words say."""
    options.setdefault("policies", (HOUSE,))
    readings = {said(e) if isinstance(e, str) else e: count for e, count in counted.items()}
    return audit(Counter(readings), tool=TOOL, layout="hash", **options)


@table("counted, policy, below")
def test_what_falls_short_of_a_floor_is_counted(
    counted: dict[str, int], policy: str, below: int
) -> None:
    """A hash below a floor or not approved counts, and what is no password hash, whoever is
    asked; a lock, what cannot be read, an unknown cost and what is only usual do not.
    """
    policies = {"": (), "house": (HOUSE,), "strict": (STRICT,), "usual": (USUAL,)}[policy]
    assert below == judged(counted, policies=policies).below_min


@pytest.mark.parametrize(
    "reading",
    [
        HashReading(kind=Kind.FAST, format="md5", hasher="md5", params={}),
        HashReading(kind=Kind.HASHED, format="x", hasher=None, params={}),
    ],
    ids=["digest", "unknown"],
)
def test_no_policy_is_asked_of_what_is_no_known_password_hash(reading: HashReading) -> None:
    """Policies have minimums for password hashes only, and by their names."""
    assert not floor_checks(reading, (HOUSE, STRICT))


@pytest.mark.parametrize(
    "hash_",
    [
        "$1$salt$" + "d" * 21 + "1",
        "aZ0123456789E",
        "$P$B" + "d" * 30,
        "_J9.." + "d" * 14 + ".",
        "0a" * 8,
    ],
)
@pytest.mark.parametrize("policies", [(), (HOUSE,)])
def test_an_outdated_hash_is_below_every_floor(hash_: str, policies: tuple[Policy, ...]) -> None:
    """md5-crypt, DES, phpass and MySQL's oldest hashes are weak, though no policy lists them."""
    found = judged({read(hash_): 2}, policies=policies, target_seconds=0.1)
    assert (2, 2, 0) == (found.below_min, found.below_target, found.undecided)
    assert is_broken(found.groups[0])
    assert 0 == unjudged(found)


@table("another")
def test_groups_differ_in_all_that_matters(another: str) -> None:
    """Cost, blocks, client and lock make another group."""
    assert 2 == len(judged({"bcrypt cost=10": 1, another: 1}).groups)


def test_the_weakest_is_what_is_guessed_fastest() -> None:
    """Of the hashes that let someone in, however few."""
    few = {"bcrypt cost=5": 1, "pbkdf2-sha256 iterations=1000": 1, "locked nt": 1}
    found = judged({**few, "bcrypt cost=12": 99}, devices=(GPU,))
    assert found.weakest == next(one for one in found.groups if one.hasher == "pbkdf2-sha256")
    assert judged({"bcrypt cost=5": 1}).weakest is None
    assert judged({"empty": 1}, devices=(GPU,)).weakest is None


def test_what_has_no_price_may_be_weaker_than_the_weakest_that_has_one() -> None:
    """So the weakest is only so of all where each open hash has a price."""
    assert judged({"bcrypt cost=5": 1, "locked nt": 1}, devices=(GPU,)).is_priced
    assert not judged({"bcrypt cost=5": 1, "phc argon2i": 1}, devices=(GPU,)).is_priced


def test_blocks_count_once_for_strength_and_each_for_time() -> None:
    """An attacker needs one block of PBKDF2, the defender computes all."""
    one, four = (
        judged({each: 1}, devices=(GPU,), profile=PROFILE, target_seconds=0.04).groups[0]
        for each in (f"pbkdf2-sha256 iterations=1000 {blocks}" for blocks in ("", "blocks=4"))
    )
    assert one.attacker == four.attacker
    assert one.floors == four.floors
    assert one.outcome is four.outcome is Outcome.DRIFTED
    assert one.time_seconds is not None
    assert four.time_seconds == pytest.approx(4 * one.time_seconds)


def test_what_is_cheaper_than_the_target_is_counted() -> None:
    """A hash that leaves room for a higher cost counts; so does what has no cost."""
    found = judged(
        {"bcrypt cost=8": 1, "bcrypt cost=9": 2, "bcrypt cost=12": 4, "fast md5": 8},
        profile=PROFILE,
        target_seconds=0.04,
    )
    assert (9, 0) == (found.below_target, found.undecided)
    assert [Outcome.DRIFTED, Outcome.FINE, Outcome.OVER_BUDGET, None] == [
        group.outcome for group in found.groups
    ]
    assert found.machine == PROFILE.machine


def test_what_is_weak_falls_short_of_a_minimum_or_of_the_target() -> None:
    """`--fail-on-weak` counts both, and a cost that is only slow is neither."""
    counts = {"bcrypt cost=8": 1, "bcrypt cost=9": 2, "bcrypt cost=12": 4, "fast md5": 8}
    in_time = {"profile": PROFILE, "target_seconds": 0.04, "policies": ()}

    assert 9 == weak(judged(counts, **in_time))
    assert 8 == weak(judged(counts, policies=()))
    assert 11 == weak(judged(counts))


def test_what_cannot_be_timed_is_not_called_cheap() -> None:
    """What the profile has not measured, or failed to, is counted as undecided."""
    argon2 = "argon2id memory_kib=19456 time_cost=2 parallelism=1"
    found = judged(
        {argon2: 1, "yescrypt cost=5": 2, "locked": 4, "bcrypt cost=4": 8},
        profile=PROFILE,
        target_seconds=0.04,
    )
    assert (8, 3) == (found.below_target, found.undecided)


def test_without_a_target_nothing_is_timed() -> None:
    """The counts of the target are absent rather than zero."""
    found = judged({"bcrypt cost=4": 1})
    assert (None, None, None) == (found.below_target, found.undecided, found.machine)
    assert found.groups[0].outcome is None


@given(
    readings=st.dictionaries(
        st.sampled_from([sample.reading for sample in SAMPLES]), st.integers(1, 9), min_size=1
    ),
    target=st.sampled_from([None, 0.001, 0.04, 10.0]),
)
def test_the_counts_are_those_of_the_groups(
    readings: dict[HashReading, int], target: float | None
) -> None:
    """Whatever is counted, parts are no more than the whole."""
    found = judged(
        readings, devices=(GPU,), profile=PROFILE if target else None, target_seconds=target
    )
    assert sum(readings.values()) == found.total == sum(found.kinds.values())
    assert [kind.value for kind in Kind] == list(found.kinds)
    assert pytest.approx(1.0) == sum(group.share for group in found.groups)
    assert found.below_min == sum(each.count for each in found.groups if is_below_min(each))
    if target:
        assert (found.below_target or 0) + (found.undecided or 0) <= found.total


def test_what_a_machine_could_time() -> None:
    """One cost of each hasher that is timed by its cost alone, the commonest."""
    pbkdf2 = {"pbkdf2-sha256 iterations=1000": 5, "pbkdf2-sha256 iterations=2000": 9}
    words = {**pbkdf2, "bcrypt cost=4": 1, "fast md5": 9}
    counted = Counter({said(each): count for each, count in words.items()})
    assert [("pbkdf2-sha256", {"iterations": 2000}), ("bcrypt", {"cost": 4})] == [
        (cost.hasher, cost.params) for cost in timeable(counted)
    ]


def test_memory_and_lanes_are_timed_each_but_not_without_end() -> None:
    """Every memory is timed for itself; a file that has thousands does not take hours."""
    counted = Counter(
        {
            said(f"argon2id memory_kib={1024 * memory} time_cost={passes} parallelism={lanes}"): (
                1000 - memory - lanes
            )
            for memory in range(1, 50)
            for lanes in range(1, 20)
            for passes in (1, 2)
        }
    )
    chosen = timeable(counted)
    settings = [(cost.params["memory_kib"] // 1024, cost.lanes) for cost in chosen]
    assert [(1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (3, 1)] == settings
