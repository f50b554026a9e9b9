"""What a recommended cost is worth: floors with their time here, and the attacker's price."""

from typing import Final

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fakes import (
    LADDER,
    LINEAR,
    MIB,
    STEPS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    broken,
    made_up_policy,
    measure,
)
from hashcost.core.measurement import Params
from hashcost.core.profile import Failure, FloorCheck, Profile, Recommendation, Verdict
from hashcost.core.units import parse_duration, typed_duration
from hashcost.recommend.recommendation import recommendation, solve_again
from hashcost.strength.appraisal import appraise, floors_of
from hashcost.strength.attackers.device import load_device
from hashcost.strength.policies.catalogue import load_policy
from hashcost.strength.policies.policy import Floor, Policy, assess

TARGET: Final = 0.03995

GPU: Final = load_device("rtx-4090")


def asking(*alternatives: Params, id_: str = "made-up", hasher: str = "fake") -> Policy:
    """A policy of these alternatives for one hasher."""
    return made_up_policy(*(Floor(hasher=hasher, params=each) for each in alternatives), id=id_)


def only(profile: Profile) -> Recommendation:
    """The one row."""
    (row,) = profile.results
    assert isinstance(row, Recommendation), row.error
    return row


def checks(profile: Profile, *policies: Policy) -> tuple[FloorCheck, ...]:
    """How the one row stands to these policies."""
    return only(appraise(profile, policies)).floors


class TestFloorTime:
    """What a floor takes on this machine."""

    def test_the_quickest_alternative_counts(self, clock: FakeClock) -> None:
        """Of several alternatives whose memory was timed, the quickest tells the time, whichever
        the cost is compared with.
        """
        profile = measure(clock, FakeLadder(clock), target=TARGET)
        # 16 ms for each of five passes over 16 MiB; 8 for each of nine over 8 MiB.
        slow, quick = {"memory": 16, "passes": 5}, {"memory": 8, "passes": 9}
        (check,) = checks(profile, asking(slow, quick))
        assert pytest.approx(0.072, rel=0.02) == check.time_seconds
        assert quick == check.time_params

    def test_a_time_names_the_setting_that_took_it(self, clock: FakeClock) -> None:
        """Where the memory of a floor was not timed, the time is that of a setting above it, and
        is said to be.
        """
        profile = measure(clock, FakeLadder(clock), target=TARGET)
        (check,) = checks(profile, asking({"memory": 6, "passes": 9}))
        assert {"memory": 6, "passes": 9} == check.params
        assert {"memory": 8, "passes": 9} == check.time_params
        assert pytest.approx(0.072, rel=0.02) == check.time_seconds

    def test_who_asks_for_nothing_has_no_time(self, clock: FakeClock) -> None:
        """A policy that does not name the hasher, or does not approve it, has no floor here."""
        profile = measure(clock, FakeHasher(clock), target=TARGET)
        other = asking({"cost": 10}, id_="other", hasher="bcrypt")
        assert [(Verdict.NOT_NAMED, None), (Verdict.NOT_APPROVED, None)] == [
            (check.verdict, check.time_seconds)
            for check in checks(profile, other, load_policy("fips"))
        ]

    @given(
        unit=st.floats(min_value=1e-9, max_value=1e-4),
        overhead=st.floats(min_value=0.0, max_value=1e-3),
        target=st.floats(min_value=1e-2, max_value=1.0),
        least=st.integers(1, 2**24),
    )
    def test_the_time_of_a_count_is_the_smallest_target_that_meets_it(
        self, unit: float, overhead: float, target: float, least: int
    ) -> None:
        """Whatever the machine, the target that a floor's time is written as meets the floor, by
        a cost that takes no longer; a target just below that time does not.
        """
        clock = FakeClock()
        hasher = FakeHasher(clock, overhead=overhead, seconds_per_unit=unit)
        policy = asking({"rounds": least})
        profile = measure(clock, hasher, target=target)
        assume(profile.recommendations)
        (check,) = checks(profile, policy)
        assert check.time_seconds is not None
        wanted = parse_duration(typed_duration(check.time_seconds))
        again = only(solve_again(profile, wanted, (policy,)))
        assert again.params["rounds"] >= least
        assert again.time_seconds <= wanted
        below = solve_again(profile, check.time_seconds * (1 - 1e-9), (policy,))
        assert all(row.params["rounds"] < least for row in below.recommendations)

    @given(
        unit=st.floats(min_value=1e-4, max_value=1e-2),
        filling=st.floats(min_value=0.0, max_value=1e-3),
        target=st.floats(min_value=2e-2, max_value=1.0),
        alternatives=st.lists(
            st.fixed_dictionaries({"memory": st.integers(1, 1024), "passes": st.integers(1, 99)}),
            min_size=1,
            max_size=3,
        ),
    )
    def test_the_time_of_memory_is_a_target_that_meets_it(
        self, unit: float, filling: float, target: float, alternatives: list[Params]
    ) -> None:
        """On a ladder too, the target that a floor's time is written as meets the floor.

        A floor of more than twice the memory that was timed has no time.
        """
        clock = FakeClock()
        policy = asking(*alternatives)
        ladder = FakeLadder(clock, seconds_per_unit=unit, filling=filling)
        profile = measure(clock, ladder, target=target, policies=(policy,), budget_seconds=1e9)
        (check,) = checks(profile, policy)
        (measurement,) = profile.measurements
        surface = measurement.fitted.surface
        assert surface is not None
        _, largest = surface.sampled_bytes
        least = min(alternative["memory"] for alternative in alternatives)
        step = next(step for step in LADDER.steps if step >= least)
        if step * MIB > 2 * largest:
            assert check.time_seconds is None
            return
        assert check.time_seconds is not None
        wanted = parse_duration(typed_duration(check.time_seconds))
        again = recommendation(measurement, wanted, floors_of((policy,), "fake"))
        assert isinstance(again, Recommendation)
        assert assess(policy, "fake", again.params).met
        assert again.time_seconds <= wanted


def test_all_policies_must_be_met() -> None:
    """A cost that meets one of two policies does not meet both."""
    policies = (load_policy("owasp"), load_policy("rfc9106-second"))
    floors = floors_of(policies, "argon2id")
    assert floors is not None
    lanes = {"parallelism": 1}
    assert floors.is_met({"memory_kib": 65536, "time_cost": 3, **lanes})
    assert not floors.is_met({"memory_kib": 47104, "time_cost": 1, **lanes})


class TestAppraise:
    """The profile with what its costs are worth."""

    @pytest.fixture
    def profile(self, clock: FakeClock) -> Profile:
        """bcrypt, a hasher that nobody knows, and one that is absent."""
        return measure(
            clock,
            FakeHasher(clock, name="bcrypt", knob=STEPS),
            FakeHasher(clock, name="plugin", knob=LINEAR),
            broken("gone@absent", ModuleNotFoundError(name="absent")),
            target=TARGET,
        )

    def test_nothing_else_changes(self, profile: Profile) -> None:
        """Of the profile the floors and the price alone are new."""
        worth = appraise(profile, (load_policy("owasp"),), (GPU,))
        assert profile == msgspec.structs.replace(
            worth,
            results=tuple(
                row
                if isinstance(row, Failure)
                else msgspec.structs.replace(row, floors=(), attacker=())
                for row in worth.results
            ),
        )

    def test_a_known_hasher_has_a_price(self, profile: Profile) -> None:
        """Each device that has a speed gives a price at the recommended cost: 2^15 µs are cost
        15, and 184,000 * 2^-10 are 179.6875.
        """
        bcrypt, plugin = appraise(profile, (), (GPU, load_device("rx-7900-xtx"))).recommendations
        assert {"cost": 15} == bcrypt.params
        assert [("rtx-4090", 179.6875)] == [
            (price.device, price.guesses_per_second) for price in bcrypt.attacker
        ]
        assert () == plugin.attacker

    def test_an_appraisal_replaces_the_one_before(self, profile: Profile) -> None:
        """What a profile was appraised by before leaves no trace."""
        before = appraise(profile, (load_policy("owasp"), load_policy("fips")), (GPU,))
        assert profile == appraise(before)
