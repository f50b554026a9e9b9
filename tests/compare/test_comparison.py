"""From files of machines to the comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from fakes import PASSES, STEPS, FakeClock, FakeHasher, FakeLadder, measure, slowed_profile
from hashcost.compare.comparison import compare
from hashcost.compare.machines import MeasuredMachine, machine_of
from hashcost.compare.model import Comparison, Standing
from hashcost.core.machine import HostIdentity
from hashcost.core.profile import Profile
from hashcost.worth.policies.policy import Policy

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
    *machines: MeasuredMachine,
    target: float = 0.04,
    policies: Sequence[Policy] = (),
    hashers: Sequence[str] = (),
) -> Comparison:
    """The comparison with the first of them."""
    return compare(
        machines,
        baseline=machines[0],
        target_seconds=target,
        policies=policies,
        hashers=hashers,
    )


def renamed(profile: Profile, **changes: str) -> Profile:
    """The profile with every hasher by another implementation or version."""
    return msgspec.structs.replace(
        profile,
        measurements=tuple(
            msgspec.structs.replace(each, **changes) for each in profile.measurements
        ),
        results=tuple(
            msgspec.structs.replace(each, **changes) for each in profile.recommendations
        ),
    )


def on(profile: Profile, **facts: object) -> Profile:
    """The profile of another machine."""
    return msgspec.structs.replace(
        profile, machine=msgspec.structs.replace(profile.machine, **facts)
    )


def at_home(profile: Profile, name: str = "home") -> Profile:
    """The profile of a host of this name."""
    return msgspec.structs.replace(profile, host=HostIdentity(name=name))


def test_a_machine_beside_itself() -> None:
    """Of one profile twice nothing differs, and the cost for all is its own."""
    found = side_by_side(measured(at_home(PROFILE), "a"), measured(at_home(PROFILE), "b"))

    for compared in found.hashers:
        baseline, other = sorted(compared.rows, key=lambda row: row.machine)
        assert (Standing.BASELINE, Standing.NO_DIFFERENCE) == (baseline.standing, other.standing)
        assert other.speed is not None
        assert 1.0 == other.speed.ratio
        assert () == other.differs_in
        assert compared.common is not None
        assert baseline.params == compared.common.params == other.params


@given(factor=st.floats(min_value=2.0, max_value=20.0))
def test_a_machine_that_is_k_times_as_slow(factor: float) -> None:
    """Every hasher is seen to be k times as slow, and the slow machine sets the cost."""
    slow = at_home(slowed_profile(PROFILE, factor))
    found = side_by_side(measured(at_home(PROFILE), "a"), measured(slow, "b"))

    for compared in found.hashers:
        assert ["a", "b"] == [row.machine for row in compared.rows]
        row = compared.rows[1]
        assert row.speed is not None
        assert math.isclose(1 / factor, row.speed.ratio, rel_tol=1e-6)
        assert Standing.SLOWER is row.standing
        if compared.common is not None:
            assert "b" == compared.common.slowest
            assert compared.common.time_seconds <= 0.04


def test_like_is_compared_with_like() -> None:
    """Where a machine has several implementations, the one that the others have stands for it."""
    other = renamed(PROFILE, implementation="cryptography")
    every = msgspec.structs.replace(
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


def test_instructions_are_named_where_the_hasher_can_use_them() -> None:
    """That one machine lacks sha_ni bears on PBKDF2-SHA256 of OpenSSL, and not on bcrypt."""
    fast = on(PROFILE, cpu_flags=("sha_ni", "avx2"), cpu_model="A")
    slow = on(slowed_profile(PROFILE, 2.0), cpu_flags=("avx2",), cpu_model="A")
    found = side_by_side(measured(fast, "a"), measured(slow, "b"))
    facts = {
        compared.hasher: [each.what for each in compared.rows[1].differs_in]
        for compared in found.hashers
    }

    assert {"pbkdf2-sha256": ["cpu_flags"], "bcrypt": [], "in-memory": []} == facts


def test_a_hasher_that_one_lacks_is_missing_there() -> None:
    """A machine without a hasher is left out of its table, and the reason is kept."""
    without = msgspec.structs.replace(PROFILE, measurements=PROFILE.measurements[1:])
    found = side_by_side(measured(without, "a"), measured(PROFILE, "b"), measured(PROFILE, "c"))
    (compared,) = (each for each in found.hashers if each.hasher == "pbkdf2-sha256")

    assert "b" == compared.baseline
    assert {"a": "not measured"} == compared.missing


def test_a_hasher_that_one_alone_has_is_kept_by_name() -> None:
    """What is compared with nothing is named with its machine; another library of a hasher
    that is compared is not.
    """
    other = renamed(PROFILE, implementation="cryptography").measurements[1]
    one = msgspec.structs.replace(PROFILE, measurements=(*PROFILE.measurements, other))
    two = msgspec.structs.replace(PROFILE, measurements=PROFILE.measurements[1:2])
    found = side_by_side(measured(one, "a"), measured(two, "b"))

    assert ["bcrypt"] == [each.hasher for each in found.hashers]
    assert {"pbkdf2-sha256": "a", "in-memory": "a"} == found.alone
    assert {} == side_by_side(measured(one, "a"), measured(one, "b")).alone


def test_a_target_out_of_reach_keeps_the_ratio() -> None:
    """Where even the lowest cost is too slow there is no cost; the speed is told all the same."""
    slow = slowed_profile(PROFILE, 1e4)
    found = side_by_side(measured(PROFILE, "a"), measured(slow, "b"), hashers=["bcrypt"])
    (compared,) = found.hashers
    row = compared.rows[1]

    assert (None, None) == (row.params, compared.common)
    assert "on b even cost=4 takes 1.60 s" == compared.no_common
    assert row.speed is not None
    assert math.isclose(1e-4, row.speed.ratio, rel_tol=1e-6)
