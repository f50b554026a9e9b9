"""A decided cost as a measurement."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from corpora import table
from fakes import decided_cost, slowed
from hashcost.apps.references import Reference
from hashcost.apps.registry import load_tunable
from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.measurement import Params
from hashcost.core.profile import Recommendation
from hashcost.recommend.decided import decided_measurement, decided_origin
from hashcost.recommend.emission import emission_for
from hashcost.recommend.recommendation import recommendation, recommended_row
from hashcost.storage.decision import DecidedCost


def _cost(hasher: str, params: Params, seconds: float = 0.2312) -> DecidedCost:
    memory = 64 << 20 if len(params) > 1 else 0
    return decided_cost(hasher, params, time_seconds=seconds, memory_bytes=memory)


def _answer(cost: DecidedCost) -> Recommendation:
    """The answer for the cost's own time."""
    return recommended_row(recommendation(decided_measurement(cost), cost.time_seconds))


@given(
    rounds=st.integers(min_value=1000, max_value=999_999).map(lambda n: n // 1000 * 1000),
    seconds=st.floats(min_value=1e-3, max_value=1.0),
)
def test_a_count_is_given_as_it_was_decided(rounds: int, seconds: float) -> None:
    """Solved for its own time, the cost is itself to the last round."""
    cost = _cost("sha512-crypt", {"rounds": rounds}, seconds)

    assert {"rounds": rounds} == _answer(cost).params


def test_what_was_decided_in_doubt_is_written() -> None:
    """A decision allows for strangers who may have slowed the hosts, and so does `emit`."""
    cost = replace(_cost("bcrypt", {"cost": 12}), interval_seconds=(0.1, 0.28904))
    app = load_tunable("symfony")
    measurement = decided_measurement(cost)
    scheme = app.scheme("bcrypt")
    assert scheme is not None
    scheme = replace(scheme, reference=Reference(implementation="own"))
    emission = emission_for(app, scheme, measurement, cost.time_seconds, None)

    assert {"cost": 12} == emission.params
    assert not emission.is_uncertain


@table("hasher, params")
def test_a_step_is_given_as_it_was_decided(hasher: str, params: Params) -> None:
    """So is a step, with its memory."""
    assert params == _answer(_cost(hasher, params)).params


def test_all_that_was_decided_is_told() -> None:
    """The library and the hosts are named, and each time is the one that was decided on, with no
    doubt where none was noted.
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
    row, seconds, origin = _answer(cost), cost.time_seconds, decided_origin(cost)

    assert ("argon2id", "own", "1") == (row.hasher, row.implementation, row.implementation_version)
    assert (params, 64 << 20, 1, "decided") == (
        row.params,
        row.memory_bytes,
        row.threads,
        row.clock,
    )
    assert [seconds] * 3 == pytest.approx([row.time_seconds, *row.interval_seconds])
    assert ("Any CPU", 3, limit) == (origin.cpu, origin.cpu_count, origin.cpu_limit)
    assert cost.decided == origin.created


@pytest.mark.parametrize(
    ("implementation", "asked", "gives"),
    [("argon2-cffi", True, True), ("argon2-cffi", False, False), ("libcrypt", True, False)],
)
def test_huge_pages_are_for_what_hashes_in_the_memory_of_malloc(
    implementation: str, asked: bool, gives: bool
) -> None:
    """Only such a service needs the variable, and only if the hosts had it."""
    params = {"memory_kib": 65536, "time_cost": 3, "parallelism": 1}
    cost = replace(_cost("argon2id", params), implementation=implementation, huge_pages=asked)

    assert gives == decided_origin(cost).gives_huge_pages


def test_a_host_whose_cpu_is_unknown_says_so() -> None:
    """No text is left with a hole."""
    cost = replace(_cost("bcrypt", {"cost": 12}), cpu_model=None)
    assert "unknown" == decided_origin(cost).cpu


def test_a_slower_library_gets_less() -> None:
    """An application whose library takes twice as long is given what it does in the same time."""
    cost = _cost("pbkdf2-sha256", {"iterations": 600_000})
    app = load_tunable("django")
    scheme = app.scheme("pbkdf2-sha256")
    assert scheme is not None
    known = decided_measurement(cost)
    own, half = (
        emission_for(app, scheme, slowed(known, by), cost.time_seconds, None) for by in (1.0, 2.0)
    )

    assert ({"iterations": 600_000}, True) == (own.params, own.reached)
    assert 290_000 < half.params["iterations"] <= 300_000
