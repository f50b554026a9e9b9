"""Machines that cannot be told apart, those that can, and one cost for all of them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
import pytest

from fakes import slowed_profile
from hashcost.compare.comparison import compare
from hashcost.compare.machines import machine_of
from hashcost.compare.model import Comparison, HasherComparison
from hashcost.core.profile import Profile
from hashcost.documents.profile import load_profile
from made_up import PROFILE_FILE

PROFILE = load_profile(PROFILE_FILE)
HASHERS = ("sha512-crypt", "pbkdf2-sha256", "bcrypt@bcrypt")


def fleet(*profiles: Profile, hashers: Sequence[str] = HASHERS) -> Comparison:
    """The comparison of hosts with these profiles, called a, b, c, ..."""
    machines = [
        machine_of(profile, name=name, source=f"{name}.json")
        for name, profile in zip("abcdefghijklmnopqrstuvwxyz", profiles, strict=False)
    ]
    return compare(machines, baseline=machines[0], target_seconds=0.04, hashers=hashers)


def only(found: Comparison, hasher: str) -> HasherComparison:
    """What is said of one hasher."""
    return next(each for each in found.hashers if each.hasher == hasher)


def groups(found: Comparison, hasher: str) -> list[str]:
    """The machines of each group, the fastest first."""
    return ["".join(each.machines) for each in only(found, hasher).groups]


def noisy(seed: int, error: float = 0.008) -> Profile:
    """The profile of a machine that is alike, as noise has it in another run."""
    return slowed_profile(PROFILE, 1 + random.Random(seed).gauss(0.0, error))


def on(profile: Profile, **facts: object) -> Profile:
    """The profile of another machine."""
    return msgspec.structs.replace(
        profile, machine=msgspec.structs.replace(profile.machine, **facts)
    )


def test_twenty_alike_are_one() -> None:
    """Twenty runs on one machine give its cost, not that of the unluckiest."""
    found = fleet(*(noisy(seed) for seed in range(20)))

    for compared in found.hashers:
        (group,) = compared.groups
        assert 20 == len(group.machines)
        assert compared.common is not None
        assert compared.common.slowest_machines == group.machines
        own = sorted(next(iter((row.params or {}).values())) for row in compared.rows)
        (value,) = compared.common.params.values()
        assert own[0] <= value <= own[5]
        low, high = compared.common.interval_seconds
        assert low < compared.common.time_seconds < high


@pytest.mark.parametrize(
    ("facts", "hasher"),
    [
        ({"cpu_model": "another"}, "bcrypt"),
        ({"cpu_flags": ("avx2",)}, "pbkdf2-sha256"),
        ({"openssl_ia32cap": ":~0x20000000"}, "pbkdf2-sha256"),
        ({"cpu_limit": 0.3}, "bcrypt"),
        ({"virtualization": "container"}, "bcrypt"),
    ],
)
def test_a_fact_makes_another_group(facts: dict[str, object], hasher: str) -> None:
    """Another CPU, fewer instructions or a limit are never pooled, whatever the speed."""
    found = fleet(PROFILE, on(PROFILE, **facts), PROFILE)

    assert {"ac", "b"} == {*groups(found, hasher)}


def test_a_fact_that_a_hasher_has_no_use_for_makes_none() -> None:
    """Without SHA instructions bcrypt is what it is."""
    found = fleet(PROFILE, on(PROFILE, cpu_flags=("avx2",)))

    assert ["ab"] == groups(found, "bcrypt")


def test_unknown_machines_are_not_alike() -> None:
    """Two machines whose CPU nobody knows are two."""
    unknown = on(PROFILE, cpu_model=None)

    assert {"a", "b"} == {*groups(fleet(unknown, unknown), "bcrypt")}


@pytest.mark.parametrize("factor", [1.1, 1.4, 3.0])
@pytest.mark.parametrize(("alike", "slowest"), [(1, "b"), (2, "c")])
def test_of_few_the_slowest_sets_the_cost(alike: int, slowest: str, factor: float) -> None:
    """Of two or three machines with the same facts the cost for all holds on every one."""
    found = fleet(*(noisy(seed) for seed in range(alike)), slowed_profile(PROFILE, factor))

    for compared in found.hashers:
        assert 1 == len(compared.groups)
        assert compared.common is not None
        assert slowest == compared.common.slowest
        assert compared.common.time_seconds <= 0.04
        assert all(row.for_all_seconds <= 0.04 for row in compared.rows if row.for_all_seconds)


def test_of_many_one_run_weakens_nobody() -> None:
    """Of four and more a quarter may be slower, and takes longer than the target, as is shown."""
    found = fleet(*(noisy(seed) for seed in range(3)), slowed_profile(PROFILE, 1.4))

    for compared in found.hashers:
        assert compared.common is not None
        assert "d" != compared.common.slowest
        (slow,) = (row for row in compared.rows if row.machine == "d")
        (group,) = compared.groups
        assert slow.for_all_seconds == pytest.approx(1.4 * compared.common.time_seconds, rel=0.05)
        assert "d" in group.machines
