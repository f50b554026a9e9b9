"""From files of machines to the comparison."""

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from corpora import table
from fakes import (
    PASSES,
    STEPS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    measure,
    slowed_profile,
    under_quota,
)
from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.profile import Failure, Profile
from hashcost.fit.solver import answer
from hashcost.machines.comparison import compare
from hashcost.machines.model import Comparison, HasherComparison
from hashcost.machines.profile_files import MeasuredMachine, machine_of
from hashcost.storage.decision import Decision
from hashcost.storage.profile import load_profile
from hashcost.strength.appraisal import floors_of
from hashcost.strength.attackers.device import DEFAULT_DEVICE, load_device
from hashcost.strength.policies.catalogue import load_policy
from hashcost.strength.policies.policy import Policy
from made_up import MEMORY_HARD_FILE, PROFILE_FILE

_CLOCK = FakeClock()
PROFILE = measure(
    _CLOCK,
    FakeHasher(_CLOCK, name="pbkdf2-sha256", implementation="hashlib"),
    FakeHasher(_CLOCK, name="bcrypt", knob=STEPS, seconds_per_unit=1e-5),
    FakeLadder(_CLOCK, name="in-memory", passes=PASSES),
)


def measured(profile: Profile, name: str) -> MeasuredMachine:
    """A profile under a name."""
    return machine_of(profile, name=name, source=f"{name}.json")


def side_by_side(
    *machines: MeasuredMachine, policies: Sequence[Policy] = (), hashers: Sequence[str] = ()
) -> Comparison:
    """The comparison with the first of them."""
    return compare(machines, target_seconds=0.04, policies=policies, hashers=hashers)


def renamed(profile: Profile, **changes: str) -> Profile:
    """The profile with every hasher by another implementation or version."""
    return replace(
        profile,
        measurements=tuple(replace(each, **changes) for each in profile.measurements),
        results=tuple(replace(each, **changes) for each in profile.recommendations),
    )


def on(profile: Profile, **facts: object) -> Profile:
    """The profile of another machine."""
    return replace(profile, machine=replace(profile.machine, **facts))


@given(factor=st.floats(min_value=2.0, max_value=20.0))
def test_a_machine_that_is_k_times_as_slow(factor: float) -> None:
    """The cost for all takes k times as long on it, and it sets that cost."""
    slow = slowed_profile(PROFILE, factor)
    found = side_by_side(measured(PROFILE, "a"), measured(slow, "b"))

    for compared in found.hashers:
        assert ["a", "b"] == [row.machine for row in compared.rows]
        fast, slowed = (row.time_seconds for row in compared.rows)
        if compared.common is not None:
            assert fast
            assert slowed
            assert math.isclose(factor, slowed / fast, rel_tol=1e-6)
            assert "b" == compared.common.slowest
            assert compared.common.time_seconds == slowed <= 0.04


@pytest.mark.parametrize("profile", [load_profile(PROFILE_FILE), load_profile(MEMORY_HARD_FILE)])
@given(target=st.floats(min_value=0.01, max_value=1.0))
def test_the_cost_for_all_is_the_answer_of_each(profile: Profile, target: float) -> None:
    """Machines that are alike get the very cost that a check asks for and `emit` writes."""
    owasp = (load_policy("owasp"),)
    machines = [measured(profile, name) for name in "ab"]
    found = compare(machines, target_seconds=target, policies=owasp)
    costs = {f"{row.hasher}@{row.implementation}": row.common for row in found.hashers}

    for own in machines[0].measurements:
        cost, floors = costs[own.label], floors_of(owasp, own.hasher)
        if cost is not None:
            assert cost.params == answer(own.hasher, own.fitted, target, floors).chosen.params


@pytest.mark.parametrize("cpu", ["EPYC of a", "EPYC of b"])
def test_the_least_memory_limit_of_all_is_kept(cpu: str) -> None:
    """A cost for all takes no more memory than each measurement allowed, whether the machines are
    of one kind or of two.
    """
    free = on(PROFILE, cpu_model="EPYC of a")
    measurement = next(one for one in PROFILE.measurements if one.is_memory_hard)
    curves = measurement.fitted.curves[:3]
    fitted = replace(measurement.fitted, curves=curves)
    bounded = replace(
        on(PROFILE, cpu_model=cpu), measurements=(replace(measurement, fitted=fitted),)
    )
    [own] = side_by_side(measured(free, "a"), measured(free, "b"), hashers=["in-memory"]).hashers
    [row] = side_by_side(measured(bounded, "bounded"), measured(free, "free")).hashers

    assert own.common is not None
    assert row.common is not None
    assert own.common.params["memory"] > curves[-1].params["memory"]
    assert row.common.params["memory"] == curves[-1].params["memory"]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_machine_beyond_the_limit_of_another_tells_nothing(is_first: bool) -> None:
    """If one machine was timed only with more memory than another of its kind allows, the other
    one decides, in whichever order they are named.
    """
    free = on(PROFILE, cpu_model="EPYC of a")
    measurement = next(one for one in PROFILE.measurements if one.is_memory_hard)
    least, *more = measurement.fitted.curves
    sides = []
    for name, curves in (("bounded", (least,)), ("free", tuple(more))):
        fitted = replace(measurement.fitted, curves=curves)
        timed = replace(free, measurements=(replace(measurement, fitted=fitted),))
        sides.append(measured(timed, name))
    if not is_first:
        sides.reverse()
    [row] = side_by_side(*sides).hashers

    assert row.common is not None
    assert row.common.params["memory"] == least.params["memory"]


def test_the_one_to_use_comes_first() -> None:
    """Hashers stand in the order of what a guess costs an attacker; one that a policy does not
    approve, allows only in existing systems or does not list, that a machine lacks, or of which
    too little is known stands behind.
    """
    lacks = RECORDED.only(*(row for row in RECORDED.results if row.hasher != "bcrypt"))
    machines = [measured(RECORDED, "a"), measured(RECORDED, "b")]
    device = load_device(DEFAULT_DEVICE)
    hashers = {"sha512-crypt", "bcrypt@bcrypt", "pbkdf2-sha256@hashlib", "sha256-crypt"}

    def order(*more: MeasuredMachine, policy: str | None = None) -> list[str]:
        found = compare(
            [*machines, *more],
            target_seconds=0.25,
            policies=() if policy is None else (load_policy(policy),),
            hashers=[*hashers],
            device=device,
        )
        return [each.hasher for each in found.hashers]

    assert ["bcrypt", "sha512-crypt", "pbkdf2-sha256", "sha256-crypt"] == order()
    assert ["pbkdf2-sha256", "sha512-crypt", "bcrypt", "sha256-crypt"] == order(policy="owasp")
    assert "pbkdf2-sha256" == order(policy="fips")[0]
    assert "sha512-crypt" == order(measured(lacks, "c"))[0]


def test_like_is_compared_with_like() -> None:
    """Where a machine has several implementations, the one that the others have stands for it."""
    other = renamed(PROFILE, implementation="cryptography")
    every = replace(
        PROFILE,
        measurements=(*PROFILE.measurements, *other.measurements),
        results=(*PROFILE.results, *other.results),
    )
    found = side_by_side(
        measured(every, "every"),
        measured(other, "other"),
        measured(other, "third"),
        hashers=["bcrypt"],
    )
    (compared,) = found.hashers

    assert ("cryptography", 3) == (compared.implementation, len(compared.rows))


def test_a_hasher_that_one_lacks_is_missing_there() -> None:
    """A machine without a hasher is left out of its table, and the reason is kept."""
    without = replace(PROFILE, measurements=PROFILE.measurements[1:])
    found = side_by_side(measured(without, "a"), measured(PROFILE, "b"), measured(PROFILE, "c"))
    (compared,) = (each for each in found.hashers if each.hasher == "pbkdf2-sha256")

    assert ["b", "c"] == [row.machine for row in compared.rows]
    assert {"a": "not measured"} == compared.missing


def test_a_hasher_that_one_alone_has_is_kept_by_name() -> None:
    """What is compared with nothing is named with its machine; another library of a hasher
    that is compared is not.
    """
    other = renamed(PROFILE, implementation="cryptography").measurements[1]
    one = replace(PROFILE, measurements=(*PROFILE.measurements, other))
    two = replace(PROFILE, measurements=PROFILE.measurements[1:2])
    found = side_by_side(measured(one, "a"), measured(two, "b"))

    assert ["bcrypt"] == [each.hasher for each in found.hashers]
    assert {"pbkdf2-sha256": "a", "in-memory": "a"} == found.alone
    assert {} == side_by_side(measured(one, "a"), measured(one, "b")).alone


RECORDED = load_profile(PROFILE_FILE)


def fleet(*profiles: Profile) -> Comparison:
    """The comparison of hosts with these profiles, called a, b, c, ..."""
    names = "abcdefghijklmnopqrstuvwxyz"
    machines = [measured(profile, name) for profile, name in zip(profiles, names, strict=False)]
    return side_by_side(*machines, hashers=("sha512-crypt", "pbkdf2-sha256", "bcrypt@bcrypt"))


def only(found: Comparison, hasher: str) -> HasherComparison:
    """What is said of one hasher."""
    return next(each for each in found.hashers if each.hasher == hasher)


def groups(found: Comparison, hasher: str) -> list[str]:
    """The machines of each group, the fastest first."""
    return ["".join(each.machines) for each in only(found, hasher).groups]


def noisy(seed: int, error: float = 0.008) -> Profile:
    """The profile of a machine that is alike, as noise has it in another run."""
    return slowed_profile(RECORDED, 1 + random.Random(seed).gauss(0.0, error))


def test_twenty_alike_are_one() -> None:
    """Twenty runs on one machine give its cost, not that of the unluckiest."""
    found = fleet(*(noisy(seed) for seed in range(20)))

    for compared in found.hashers:
        (group,) = compared.groups
        assert 20 == len(group.machines)
        assert compared.common is not None
        assert compared.common.slowest_machines == group.machines
        slow = [row for row in compared.rows if (row.time_seconds or 0.0) > 0.04]
        assert len(slow) <= 5
        low, high = compared.common.interval_seconds
        assert low < compared.common.time_seconds < high


@table("facts, hasher")
def test_a_fact_makes_another_group(facts: dict[str, object], hasher: str) -> None:
    """Machines in another context are never pooled, whatever the speed."""
    found = fleet(RECORDED, on(RECORDED, **facts), RECORDED)

    assert {"ac", "b"} == {*groups(found, hasher)}


def test_each_machine_keeps_the_target_under_its_own_quota() -> None:
    """The cost for all is that of the machine where a login waits longest, though it is fast."""
    limit = CpuLimit(quota_seconds=0.005, period_seconds=0.01)
    slow, fast = slowed_profile(RECORDED, 1.3), under_quota(RECORDED, limit)
    found = side_by_side(measured(slow, "slow"), measured(fast, "stopped"))
    costs = {row.hasher: row for row in found.hashers if row.common is not None}
    linear = costs["sha512-crypt"].common

    assert linear is not None
    assert ("stopped", True) == (linear.slowest, 0.018 < linear.time_seconds < 0.025)
    for compared in costs.values():
        assert all((row.wait_seconds or 1.0) <= 0.04 for row in compared.rows)


def test_unknown_machines_are_not_alike() -> None:
    """Two machines whose CPU nobody knows are two."""
    unknown = on(RECORDED, cpu_model=None)

    assert {"a", "b"} == {*groups(fleet(unknown, unknown), "bcrypt")}


@pytest.mark.parametrize("factor", [1.1, 1.4, 3.0])
@pytest.mark.parametrize(("alike", "slowest"), [(1, "b"), (2, "c")])
def test_of_few_the_slowest_sets_the_cost(alike: int, slowest: str, factor: float) -> None:
    """Of two or three machines with the same facts the cost for all holds on every one."""
    found = fleet(*(noisy(seed) for seed in range(alike)), slowed_profile(RECORDED, factor))

    for compared in found.hashers:
        assert 1 == len(compared.groups)
        assert compared.common is not None
        assert slowest == compared.common.slowest
        assert compared.common.time_seconds <= 0.04
        assert all((row.time_seconds or 0.0) <= 0.04 for row in compared.rows)


def test_of_many_one_run_weakens_nobody() -> None:
    """Of four and more a quarter may be slower, and takes longer than the target, as is shown."""
    found = fleet(*(noisy(seed) for seed in range(3)), slowed_profile(RECORDED, 1.4))

    for compared in found.hashers:
        assert compared.common is not None
        assert "d" != compared.common.slowest
        (slow,) = (row for row in compared.rows if row.machine == "d")
        (group,) = compared.groups
        assert slow.time_seconds == pytest.approx(1.4 * compared.common.time_seconds, rel=0.05)
        assert "d" in group.machines


def test_an_implementation_is_named_only_where_there_are_several() -> None:
    """A hasher that is compared twice is told apart by its library."""
    other = renamed(PROFILE, implementation="other")
    both = replace(PROFILE, measurements=(*PROFILE.measurements, *other.measurements))
    both = replace(both, results=(*PROFILE.results, *other.results))
    several = side_by_side(measured(both, "a"), measured(both, "b"), hashers=("bcrypt",))
    one = side_by_side(measured(PROFILE, "a"), measured(PROFILE, "b"), hashers=("bcrypt",))

    assert {"bcrypt@memory", "bcrypt@other"} == {*map(several.label_of, several.hashers)}
    assert ["bcrypt"] == [*map(one.label_of, one.hashers)]


def test_nothing_is_decided_for_different_libraries() -> None:
    """A cost holds for one library, so that none is decided on where machines have two."""
    machines = (measured(PROFILE, "a"), measured(renamed(PROFILE, implementation="other"), "b"))
    decision = Decision()
    found = compare(machines, target_seconds=0.04, committed=decision, hashers=("bcrypt",))

    [compared] = found.hashers
    assert "the machines hash with different libraries" == compared.undecided
    assert (compared.step, compared.common) == (None, None)


def test_a_machine_without_a_hasher_says_why() -> None:
    """The failure of the same hasher is the reason, and no other hasher's."""
    failures = (
        Failure(hasher="in-memory", implementation="memory", code="unavailable", error="wrong"),
        Failure(hasher="bcrypt", implementation="bcrypt", code="unavailable", error="too old"),
    )
    others = [one for one in PROFILE.measurements if one.hasher == "pbkdf2-sha256"]
    rows = [row for row in PROFILE.results if row.hasher == "pbkdf2-sha256"]
    lacking = replace(PROFILE, measurements=tuple(others), results=(*rows, *failures))
    machines = (measured(PROFILE, "a"), measured(PROFILE, "b"), measured(lacking, "c"))

    for compared in side_by_side(*machines).hashers:
        reasons = {"bcrypt": {"c": "too old"}, "in-memory": {"c": "wrong"}}
        assert reasons.get(compared.hasher, {}) == compared.missing
