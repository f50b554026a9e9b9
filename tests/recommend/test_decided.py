"""A decided cost as a profile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from corpora import table
from fakes import decided_cost
from hashcost.apps.interface import Reference
from hashcost.apps.registry import load_tunable
from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile
from hashcost.recommend.decided import decided_profile
from hashcost.recommend.emission import emission_for
from hashcost.recommend.library_times import slowed
from hashcost.recommend.recommendation import only_measurement, solve_again
from hashcost.storage.decision import DecidedCost
from hashcost.storage.profile import encode_json, from_json


def _cost(hasher: str, params: Params, seconds: float = 0.2312) -> DecidedCost:
    memory = 64 << 20 if len(params) > 1 else 0
    return decided_cost(hasher, params, time_seconds=seconds, memory_bytes=memory)


def _params(profile: Profile) -> Params:
    (row,) = profile.recommendations
    return row.params


@given(
    rounds=st.integers(min_value=1000, max_value=999_999).map(lambda n: n // 1000 * 1000),
    seconds=st.floats(min_value=1e-3, max_value=1.0),
)
def test_a_count_is_given_as_it_was_decided(rounds: int, seconds: float) -> None:
    """Solved for its own time, the cost is itself to the last round."""
    profile = decided_profile(_cost("sha512-crypt", {"rounds": rounds}, seconds))

    assert {"rounds": rounds} == _params(profile)


def test_what_was_decided_in_doubt_is_written() -> None:
    """A decision allows for strangers who may have slowed the hosts, and so does `emit`."""
    cost = replace(_cost("bcrypt", {"cost": 12}), interval_seconds=(0.1, 0.28904))
    app = load_tunable("symfony")
    measurement = only_measurement(decided_profile(cost))
    scheme = app.scheme("bcrypt")
    assert scheme is not None
    scheme = replace(scheme, reference=Reference(implementation="own"))
    emission = emission_for(app, scheme, measurement, cost.time_seconds, None)

    assert {"cost": 12} == emission.params
    assert not emission.is_uncertain


@table("hasher, params")
def test_a_step_is_given_as_it_was_decided(hasher: str, params: Params) -> None:
    """So is a step, with its memory."""
    profile = decided_profile(_cost(hasher, params))

    assert params == _params(profile)
    assert params == _params(solve_again(profile, profile.target_seconds))


def test_all_that_was_decided_is_in_the_profile() -> None:
    """It can be saved and read; it names the library and the hosts, and each time is the one that
    was decided on, with no doubt where none was noted.
    """
    params = {"memory_kib": 65536, "time_cost": 3, "parallelism": 1}
    limit = CpuLimit(quota_seconds=0.05, period_seconds=0.1, burst_seconds=0.0)
    cost = replace(
        _cost("argon2id", params),
        interval_seconds=None,
        cpu_model="Any CPU",
        cpu_count=3,
        cpu_limit=limit,
        huge_pages=True,
    )
    profile = decided_profile(cost)
    (row,), machine, seconds = profile.recommendations, profile.machine, cost.time_seconds

    assert profile == from_json(encode_json(profile), name="it")
    assert ("argon2id", "own", "1") == (row.hasher, row.implementation, row.implementation_version)
    assert (params, 64 << 20, 1, "decided") == (
        row.params,
        row.memory_bytes,
        row.threads,
        row.clock,
    )
    assert [seconds] * 3 == pytest.approx([row.time_seconds, *row.interval_seconds])
    assert ("Any CPU", 3, limit) == (machine.cpu_model, machine.cpu_count, machine.cpu_limit)
    assert machine.gives_huge_pages("argon2-cffi")
    assert "" == decided_profile(replace(cost, huge_pages=False)).machine.malloc
    assert (cost.decided, seconds) == (profile.created, profile.target_seconds)
    assert (0, 0) == (profile.probe.password_bytes, profile.probe.salt_bytes)


def test_a_slower_library_gets_less() -> None:
    """An application whose library takes twice as long is given what it does in the same time."""
    profile = decided_profile(_cost("pbkdf2-sha256", {"iterations": 600_000}))
    app = load_tunable("django")
    scheme = app.scheme("pbkdf2-sha256")
    assert scheme is not None
    known = only_measurement(profile)
    own, half = (
        emission_for(app, scheme, slowed(known, by), profile.target_seconds, None)
        for by in (1.0, 2.0)
    )

    assert ({"iterations": 600_000}, True) == (own.params, own.reached)
    assert 290_000 < half.params["iterations"] <= 300_000
