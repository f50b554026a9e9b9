"""Machines that cannot be told apart, those that can, and one cost for all of them."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence

import msgspec
import pytest

from fakes import slowed_profile
from hashcost.compare.comparison import compare
from hashcost.compare.measured_machine import MeasuredMachine, machine_of
from hashcost.compare.model import Apart, Comparison, GroupRow, HasherComparison
from hashcost.core.machine import HostIdentity
from hashcost.core.measurement import Measurement
from hashcost.core.profile import Profile
from hashcost.documents.profile import load_profile
from hashcost.recommend.library_times import slowed
from made_up import MEMORY_HARD_FILE, PROFILE_FILE
from tools.benchmarks.fleets import cost_for_all, hosts
from tools.benchmarks.recording import FOLDER, Recording

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


def part_slowed(profile: Profile, factor: float, *hashers: str) -> Profile:
    """The profile with only these hashers slower."""

    def changed(measurement: Measurement) -> Measurement:
        return slowed(measurement, factor if measurement.hasher in hashers else 1.0)

    return msgspec.structs.replace(profile, measurements=tuple(map(changed, profile.measurements)))


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
        assert own[0] <= value
        assert abs(value / own[10] - 1) < 0.01
        low, high = compared.common.interval_seconds or (0.0, 0.0)
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


def test_openssl_is_known_in_another_runtime() -> None:
    """Without SHA instructions, another Python's hashlib is another kind as well."""

    def there(profile: Profile) -> Profile:
        renamed = {"implementation": "python:hashlib"}
        return msgspec.structs.replace(
            profile,
            measurements=tuple(
                msgspec.structs.replace(each, **renamed) for each in profile.measurements
            ),
            results=tuple(msgspec.structs.replace(each, **renamed) for each in profile.results),
        )

    found = fleet(there(PROFILE), there(on(PROFILE, openssl_ia32cap=":~0x20000000")))

    assert {"a", "b"} == {*groups(found, "pbkdf2-sha256")}


def test_a_fact_that_a_hasher_has_no_use_for_makes_none() -> None:
    """Without SHA instructions bcrypt is what it is."""
    found = fleet(PROFILE, on(PROFILE, cpu_flags=("avx2",)))

    assert ["ab"] == groups(found, "bcrypt")


def test_another_version_is_another_group() -> None:
    """Library versions are told apart, for their own hashers."""
    newer = tuple(
        msgspec.structs.replace(each, implementation_version="9")
        if each.hasher == "bcrypt"
        else each
        for each in PROFILE.measurements
    )
    found = fleet(PROFILE, msgspec.structs.replace(PROFILE, measurements=newer))

    assert {"a", "b"} == {*groups(found, "bcrypt")}
    assert ["ab"] == groups(found, "sha512-crypt")


def test_unknown_machines_are_not_alike() -> None:
    """Two machines whose CPU nobody knows are two."""
    unknown = on(PROFILE, cpu_model=None)

    assert {"a", "b"} == {*groups(fleet(unknown, unknown), "bcrypt")}


def _outlier(found: Comparison, hasher: str) -> GroupRow:
    (row,) = (each for each in only(found, hasher).groups if each.outlier is not None)
    return row


def test_a_throttled_host_sets_the_cost() -> None:
    """A host all of whose hashers are slower alike has a slower clock, and is heeded."""
    found = fleet(*(noisy(seed) for seed in range(6)), slowed_profile(PROFILE, 1.4))

    for compared in found.hashers:
        row = _outlier(found, compared.hasher)
        assert row.outlier is not None
        assert (Apart.CLOCK, False) == (row.outlier.cause, row.outlier.left_out)
        assert abs(row.outlier.factor / 1.4 - 1) < 0.02
        assert compared.common is not None
        assert "g" == compared.common.slowest


def test_a_disturbed_run_sets_no_cost() -> None:
    """What a neighbour on the core does in one run weakens nobody's cost, and is named."""
    odd = part_slowed(PROFILE, 1.45, "sha512-crypt", "pbkdf2-sha256")
    found = fleet(*(noisy(seed) for seed in range(6)), odd)
    row = _outlier(found, "sha512-crypt")
    common = only(found, "sha512-crypt").common

    assert row.outlier is not None
    assert (Apart.NEIGHBOUR, True) == (row.outlier.cause, row.outlier.left_out)
    assert ("bcrypt@bcrypt",) == row.outlier.still
    assert common is not None
    assert "a" == common.slowest
    assert 7 == len(groups(found, "bcrypt")[0])


def test_twice_as_slow_is_no_disturbance() -> None:
    """One host that was slower in two runs is slower."""
    odd = part_slowed(PROFILE, 1.45, "sha512-crypt", "pbkdf2-sha256")
    named = msgspec.structs.replace(odd, host=HostIdentity(name="web7"))
    found = fleet(*(noisy(seed) for seed in range(6)), named, named)
    row = _outlier(found, "sha512-crypt")

    assert row.outlier is not None
    assert not row.outlier.left_out
    assert "gh" == "".join(only(found, "sha512-crypt").common.slowest_machines)  # type: ignore[union-attr]


def test_beyond_what_a_neighbour_does_is_heeded() -> None:
    """Nothing on the core makes a hash take three times as long."""
    found = fleet(*(noisy(seed) for seed in range(6)), part_slowed(PROFILE, 3.0, "sha512-crypt"))
    row = _outlier(found, "sha512-crypt")

    assert row.outlier is not None
    assert (Apart.UNKNOWN, False) == (row.outlier.cause, row.outlier.left_out)


def test_one_hasher_alone_explains_nothing() -> None:
    """Of many alike, one that is slower in the only hasher is to be measured again."""
    odd = slowed_profile(PROFILE, 1.4)
    few = fleet(noisy(1), odd, hashers=("sha512-crypt",))
    many = fleet(*(noisy(seed) for seed in range(5)), odd, hashers=("sha512-crypt",))

    for found, left_out in ((few, False), (many, True)):
        row = _outlier(found, "sha512-crypt")
        assert row.outlier is not None
        assert (Apart.UNKNOWN, left_out) == (row.outlier.cause, row.outlier.left_out)


def test_memory_is_pooled_step_by_step() -> None:
    """A group knows each step that one of its machines timed."""
    profile = load_profile(MEMORY_HARD_FILE)
    found = fleet(profile, slowed_profile(profile, 1.005), hashers=("argon2id",))

    for compared in found.hashers:
        assert ["ab"] == ["".join(each.machines) for each in compared.groups]
        assert compared.common is not None


def test_runs_that_overlapped_are_named() -> None:
    """Virtual machines of one CPU that were measured together are; later ones are not."""

    def at(name: str, minutes: int, **facts: object) -> Profile:
        moved = PROFILE.created + dt.timedelta(minutes=minutes)
        there = on(PROFILE, **facts)
        return msgspec.structs.replace(there, created=moved, host=HostIdentity(name=name))

    assert (("a", "b"),) == fleet(at("x", 0), at("y", 0), at("z", 60)).overlaps
    assert () == fleet(at("x", 0), at("x", 0), at("z", 60)).overlaps
    assert () == fleet(at("x", 0), at("y", 0, cpu_model="another")).overlaps
    bare = fleet(at("x", 0, virtualization=None), at("y", 0, virtualization=None))
    assert () == bare.overlaps
    assert () == fleet(PROFILE, PROFILE).overlaps


@pytest.fixture(scope="module")
def recorded() -> list[MeasuredMachine]:
    """Sixty first runs on a recorded machine that had neighbours."""
    return hosts(Recording(FOLDER / "neighbours-1.csv.gz"), 60)


def test_the_cost_does_not_fall_with_the_fleet(recorded: list[MeasuredMachine]) -> None:
    """Fleets of two and of fifty recorded machines get the same cost, within the noise."""
    few = [cost_for_all(recorded[at : at + 2]) for at in range(0, 20, 2)]
    many = cost_for_all(recorded[:50])

    for hasher, params in many.items():
        (name,) = params
        middle = sorted(each[hasher][name] for each in few)[5]
        assert abs(params[name] / middle - 1) < 0.05
