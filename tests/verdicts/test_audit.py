"""What is counted, and how it is judged."""

import datetime as dt
from collections import Counter
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.machine import Tool
from hashcost.core.measurement import Params
from hashcost.documents.profile import load_profile
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.registry import read
from hashcost.verdicts.audit import Audit, Group, audit, has_no_cost, is_below_floor, timeable
from hashcost.verdicts.judgement import Outcome
from hashcost.worth.attackers.device import load_device
from hashcost.worth.policies.policy import Floor, Policy
from made_up import PROFILE_FILE
from stored.formats.samples import SAMPLES

TOOL: Final = Tool(name="hashcost", version="0")
PROFILE: Final = load_profile(PROFILE_FILE)
"""bcrypt 9 takes 26.8 ms, PBKDF2-SHA-256 0.25 µs an iteration, argon2id failed."""
GPU: Final = load_device("rtx-4090")
HOUSE: Final = Policy(
    id="house",
    title="ours",
    source="the wiki",
    date=dt.date(2026, 11, 20),
    floors=(
        Floor(hasher="bcrypt", params={"cost": 10}),
        Floor(hasher="pbkdf2-sha256", params={"iterations": 600_000}),
    ),
)
STRICT: Final = msgspec.structs.replace(HOUSE, id="strict", approved=("bcrypt",), floors=())
USUAL: Final = msgspec.structs.replace(HOUSE, id="usual", informative=True)


def hashed(hasher: str | None, params: Params, **more: Any) -> Reading:
    """What a password hash says."""
    format_name = more.pop("format", f"crypt {hasher}")
    return Reading(kind=Kind.HASHED, format=format_name, hasher=hasher, params=params, **more)


def bcrypt(cost: int, **more: Any) -> Reading:
    """A bcrypt hash."""
    return hashed("bcrypt", {"cost": cost}, **more)


def pbkdf2(iterations: int, **more: Any) -> Reading:
    """A PBKDF2 hash."""
    return hashed("pbkdf2-sha256", {"iterations": iterations}, **more)


def other(kind: Kind, hasher: str | None = None) -> Reading:
    """What is no password hash."""
    return Reading(kind=kind, format=kind.value, hasher=hasher)


def shaped(shape: str) -> Reading:
    """What is in no known format."""
    return Reading(kind=Kind.UNRECOGNISED, format=shape)


def judged(counted: dict[Reading, int], **options: Any) -> Audit:
    """The audit of so many of each."""
    options.setdefault("policies", (HOUSE,))
    return audit(Counter(counted), tool=TOOL, layout="hash", **options)


def group_of(found: Audit, hasher: str | None) -> Group:
    """The one group of a hasher."""
    (group,) = [group for group in found.groups if group.hasher == hasher]
    return group


NOT_STORED: Final = hashed("pbkdf2-sha256", {}, notes=("no-cost-stored",))


@pytest.mark.parametrize(
    ("counted", "policy", "below"),
    [
        ({bcrypt(9): 3, bcrypt(10): 5, bcrypt(12): 7, pbkdf2(599_999): 11}, HOUSE, 14),
        (
            {other(Kind.FAST): 2, other(Kind.PLAIN): 3, other(Kind.EMPTY): 4, bcrypt(12): 1},
            HOUSE,
            9,
        ),
        ({other(Kind.FAST): 2, other(Kind.PLAIN): 3, other(Kind.EMPTY): 4}, None, 9),
        ({other(kind, "bcrypt"): 2 for kind in (Kind.LOCKED, Kind.UNRECOGNISED)}, HOUSE, 0),
        ({other(Kind.MALFORMED): 2, other(Kind.MALFORMED, "bcrypt"): 2}, HOUSE, 0),
        ({pbkdf2(600_000, notes=("fixed-cost",)): 1}, HOUSE, 0),
        ({pbkdf2(20_000, notes=("fixed-cost",)): 1}, HOUSE, 1),
        ({hashed("yescrypt", {"cost": 5}): 1}, HOUSE, 0),
        ({pbkdf2(10**6): 1, bcrypt(4): 2, hashed("argon2d", {"memory_kib": 8}): 4}, STRICT, 5),
        ({NOT_STORED: 1}, HOUSE, 0),
        ({bcrypt(4): 1}, USUAL, 0),
    ],
)
def test_what_falls_short_of_a_floor_is_counted(
    counted: dict[Reading, int], policy: Policy | None, below: int
) -> None:
    """A hash below a floor or not approved counts, and what is no password hash, whoever is
    asked; a lock, what cannot be read, an unknown cost and what is only usual do not.
    """
    policies = () if policy is None else (policy,)
    assert below == judged(counted, policies=policies).below_floor


@pytest.mark.parametrize("hash_", ["$1$salt$" + "d" * 21 + "1", "aZ0123456789E"])
@pytest.mark.parametrize("policies", [(), (HOUSE,)])
def test_a_cost_that_was_fixed_long_ago_is_below_every_floor(
    hash_: str, policies: tuple[Policy, ...]
) -> None:
    """md5-crypt and DES are in no policy, and are not passed over for it."""
    found = judged({read(hash_): 2}, policies=policies, target_seconds=0.1)
    assert (2, 2, 0) == (found.below_floor, found.below_target, found.undecided)
    assert has_no_cost(found.groups[0])


@pytest.mark.parametrize(
    "another",
    [
        bcrypt(11),
        bcrypt(10, blocks=2),
        bcrypt(10, client_side=True),
        msgspec.structs.replace(bcrypt(10), kind=Kind.LOCKED),
        hashed("other", {"cost": 10}),
    ],
)
def test_groups_differ_in_all_that_matters(another: Reading) -> None:
    """Cost, blocks, client and lock make another group."""
    assert 2 == len(judged({bcrypt(10): 1, another: 1}).groups)


def test_the_weakest_is_what_is_guessed_fastest() -> None:
    """Of the hashes that let someone in, however few."""
    locked = msgspec.structs.replace(other(Kind.LOCKED, "nt"), params={})
    found = judged({bcrypt(5): 1, bcrypt(12): 99, pbkdf2(1000): 1, locked: 1}, devices=(GPU,))
    assert found.weakest == group_of(found, "pbkdf2-sha256")
    assert judged({bcrypt(5): 1}).weakest is None
    assert judged({other(Kind.EMPTY): 1}, devices=(GPU,)).weakest is None


def test_blocks_count_once_for_strength_and_each_for_time() -> None:
    """An attacker needs one block of PBKDF2, the defender computes all."""
    one = judged({pbkdf2(1000): 1}, devices=(GPU,), profile=PROFILE, target_seconds=0.04).groups[0]
    four = judged(
        {pbkdf2(1000, blocks=4): 1}, devices=(GPU,), profile=PROFILE, target_seconds=0.04
    ).groups[0]
    assert one.attacker == four.attacker
    assert one.floors == four.floors
    assert one.outcome is four.outcome is Outcome.DRIFTED
    assert one.time_seconds is not None
    assert four.time_seconds == pytest.approx(4 * one.time_seconds)


def test_what_is_cheaper_than_the_target_is_counted() -> None:
    """A hash that leaves room for a higher cost counts; so does what has no cost."""
    found = judged(
        {bcrypt(8): 1, bcrypt(9): 2, bcrypt(12): 4, other(Kind.FAST, "md5"): 8},
        profile=PROFILE,
        target_seconds=0.04,
    )
    assert (9, 0) == (found.below_target, found.undecided)
    assert [Outcome.DRIFTED, Outcome.FINE, Outcome.OVER_BUDGET, None] == [
        group.outcome for group in found.groups
    ]
    assert found.machine == PROFILE.machine


def test_what_cannot_be_timed_is_not_called_cheap() -> None:
    """What the profile has not measured, or failed to, is counted as undecided."""
    argon2 = hashed("argon2id", {"memory_kib": 19456, "time_cost": 2, "parallelism": 1})
    found = judged(
        {argon2: 1, hashed("yescrypt", {"cost": 5}): 2, other(Kind.LOCKED): 4, bcrypt(4): 8},
        profile=PROFILE,
        target_seconds=0.04,
    )
    assert (8, 3) == (found.below_target, found.undecided)


def test_without_a_target_nothing_is_timed() -> None:
    """The counts of the target are absent rather than zero."""
    found = judged({bcrypt(4): 1})
    assert (None, None, None) == (found.below_target, found.undecided, found.machine)
    assert found.groups[0].outcome is None


@given(
    readings=st.dictionaries(
        st.sampled_from([sample.reading for sample in SAMPLES]), st.integers(1, 9), min_size=1
    ),
    target=st.sampled_from([None, 0.001, 0.04, 10.0]),
)
def test_the_counts_are_those_of_the_groups(
    readings: dict[Reading, int], target: float | None
) -> None:
    """Whatever is counted, parts are no more than the whole."""
    found = judged(
        readings, devices=(GPU,), profile=PROFILE if target else None, target_seconds=target
    )
    assert sum(readings.values()) == found.total == sum(found.kinds.values())
    assert [kind.value for kind in Kind] == list(found.kinds)
    assert pytest.approx(1.0) == sum(group.share for group in found.groups)
    assert found.below_floor == sum(each.count for each in found.groups if is_below_floor(each))
    if target:
        assert (found.below_target or 0) + (found.undecided or 0) <= found.total


def test_what_a_machine_could_time() -> None:
    """One cost of each hasher that is timed by its cost alone, the commonest."""
    counted = Counter({pbkdf2(1000): 5, pbkdf2(2000): 9, bcrypt(4): 1, other(Kind.FAST, "md5"): 9})
    assert [("pbkdf2-sha256", {"iterations": 2000}), ("bcrypt", {"cost": 4})] == [
        (cost.hasher, cost.params) for cost in timeable(counted)
    ]


def test_memory_and_lanes_are_timed_each_but_not_without_end() -> None:
    """Every memory is timed for itself; a file that has thousands does not take hours."""
    counted = Counter(
        {
            hashed(
                "argon2id",
                {"memory_kib": 1024 * memory, "time_cost": passes, "parallelism": lanes},
            ): 1000 - memory - lanes
            for memory in range(1, 50)
            for lanes in range(1, 20)
            for passes in (1, 2)
        }
    )
    chosen = timeable(counted)
    assert 3 * 6 == len(chosen)
    assert {1, 2, 3} == {cost.params["parallelism"] for cost in chosen}
    assert {1024 * memory for memory in range(1, 7)} == {
        cost.params["memory_kib"] for cost in chosen
    }
