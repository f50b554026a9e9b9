"""Whatever names a setting names the same one, or says whose limit makes the difference."""

import datetime as dt
from functools import partial
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fakes import MIB
from hashcost.apps.interface import App
from hashcost.apps.references import Reference
from hashcost.apps.registry import tunable
from hashcost.apps.schemes import Scheme
from hashcost.checks.check import check_one
from hashcost.checks.judgement import Configured, Outcome, Standard
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import CostModel, Curve, Fit, Measurement, Params, Scale, Surface
from hashcost.core.profile import Profile, Recommendation
from hashcost.fit.curves import curve_at
from hashcost.fit.model import Shape
from hashcost.fit.solver import answer
from hashcost.hashers.built_in import ALGORITHMS, memory_bytes
from hashcost.machines.comparison import compare
from hashcost.machines.deciding import decided
from hashcost.machines.profile_files import MeasuredMachine, machine_of
from hashcost.recommend.emission import Emission, emission_for, place_of
from hashcost.recommend.recommendation import solve_again
from hashcost.storage.decision import Decision
from hashcost.strength.appraisal import appraise, floors_of
from hashcost.strength.policies.catalogue import load_policy, policy_names
from hashcost.strength.policies.policy import Policy
from laws import examples
from measured import EVERY

HASHERS: Final = ("argon2id", "scrypt", "yescrypt", "bcrypt", "pbkdf2-sha256", "sha512-crypt")
SCHEMES: Final = {
    hasher: [
        (app, scheme)
        for app in tunable()
        for scheme in app.schemes
        if scheme.hasher == hasher and scheme.blocks == 1
    ]
    for hasher in HASHERS
}
UNIT_SECONDS: Final = {"bcrypt": 5e-5, "pbkdf2-sha256": 2e-7, "sha512-crypt": 2e-7}


@st.composite
def fits(draw: st.DrawFn, hasher: str) -> Fit:
    """The times of a hasher on a machine up to eight times as fast or as slow as another."""
    speed = draw(st.floats(0.125, 8.0))
    algorithm = ALGORITHMS[hasher]
    ladder = algorithm.knobs[0]
    if not ladder.is_ladder:
        model = CostModel(
            parameter=ladder.name,
            scale=ladder.scale,
            overhead_seconds=draw(st.floats(0.0, 1e-4)),
            seconds_per_unit=UNIT_SECONDS[hasher] * speed,
        )
        return Fit(curves=(Curve(params=algorithm.lowest, knob=ladder, model=model),))
    surface = Surface(
        block=0.7e-3 * speed,
        growth=draw(st.floats(0.0, 1e-4)) * speed,
        filling=draw(st.floats(0.0, 3e-4)) * speed,
        fresh=draw(st.floats(0.0, 6e-4)) * speed,
        fresh_from_bytes=draw(st.sampled_from([None, 32 * MIB])),
        sampled_bytes=(MIB, draw(st.sampled_from([8, 37, 64, 200, 4096])) * MIB),
        error=(0.0,) * 16,
    )
    shape = Shape(
        knobs=algorithm.knobs, lowest=algorithm.lowest, memory_bytes=partial(memory_bytes, hasher)
    )
    most = draw(st.sampled_from([16, 64, 1024, 8192])) * MIB
    steps = [
        params
        for params in ({**algorithm.lowest, ladder.name: step} for step in ladder.steps)
        if MIB <= memory_bytes(hasher, params) <= most
    ]
    return Fit(
        curves=tuple(curve_at(surface, shape, params, (0.03, 0.03)) for params in steps),
        surface=surface,
    )


@st.composite
def measurements(draw: st.DrawFn) -> Measurement:
    """A measurement of one of the hashers."""
    hasher = draw(st.sampled_from(HASHERS))
    return Measurement(
        hasher=hasher,
        implementation="own",
        implementation_version="1",
        clock="made up",
        threads=1,
        knobs=ALGORITHMS[hasher].knobs,
        fitted=draw(fits(hasher)),
    )


def profile_of(measurement: Measurement, target: float, policies: tuple[Policy, ...]) -> Profile:
    """The profile of one measurement, answered as ``--from`` answers it."""
    first = measurement.fitted.curves[0]
    unsolved = replace(
        EVERY.recommendations[0],
        hasher=measurement.hasher,
        implementation="own",
        params=first.params,
    )
    profile = replace(
        EVERY, measurements=(measurement,), results=(unsolved,), other_contexts=(), warnings=()
    )
    return solve_again(profile, target, policies)


def machines_of(profile: Profile) -> list[MeasuredMachine]:
    """The machine of a profile, twice."""
    return [machine_of(profile, name=name, source=f"{name}.json") for name in ("a", "b")]


targets = st.sampled_from([0.005, 0.01, 0.02, 0.04, 0.1, 0.25, 0.5, 1.0, 3.0])
some_policies = st.lists(st.sampled_from(policy_names()), max_size=2, unique=True).map(
    lambda names: tuple(map(load_policy, names))
)


@examples(1500)
@given(measurements(), targets, some_policies)
def test_every_command_names_the_same_setting(
    measurement: Measurement, target: float, policies: tuple[Policy, ...]
) -> None:
    """``--from`` and ``report`` name what fits; what ``compare`` of one machine, a decision and a
    check's cure name is that, or what meets the policies where that does not.
    """
    hasher = measurement.hasher
    floors = floors_of(policies, hasher)
    solved = answer(hasher, measurement.fitted, target, floors)
    profile = profile_of(measurement, target, policies)

    (row,) = appraise(profile, policies).results
    if solved.fitting is None:
        assert not isinstance(row, Recommendation)
    else:
        assert isinstance(row, Recommendation)
        assert solved.fitting.params == row.params
    if isinstance(row, Recommendation) and len(policies) == 1 and row.floors[0].is_short:
        assert row.floors[0].time_params == (solved.required and solved.required.params)

    compared = compare(
        machines_of(profile), target_seconds=target, policies=policies, committed=Decision()
    )
    (side_by_side,) = compared.hashers
    fits = solved.required or solved.fitting
    common = side_by_side.common
    assert (fits and fits.params) == (common and common.params)
    for outcome in decided(compared, Decision(), now=dt.datetime(2026, 1, 1, tzinfo=dt.UTC)):
        assert (fits and fits.params) == outcome.cost.params

    lowest = Configured(hasher=hasher, params=measurement.lowest)
    cure = check_one(lowest, profile, Standard(target_seconds=target, policies=policies))
    if fits is not None and (floors is None or floors.is_met(fits.params)):
        assert fits.params == cure.recommended
        own = Configured(hasher=hasher, params=fits.params)
        judged = check_one(own, profile, Standard(target_seconds=target, policies=policies))
        passing = {Outcome.FINE, Outcome.OVER_BUDGET}
        if not all(policy.approves(hasher) for policy in policies):
            passing = {Outcome.NOT_APPROVED}
        assert judged.outcome in passing
    else:
        assert cure.recommended is None


@examples(1500)
@given(measurements(), targets, some_policies, st.data())
def test_an_application_differs_only_by_its_own_limits(
    measurement: Measurement, target: float, policies: tuple[Policy, ...], data: st.DataObject
) -> None:
    """What ``emit`` writes for an application that hashes with the measured library is the answer,
    or a reason names the limit; a check's cure is what ``emit`` writes, and a check never fails it
    as drifted.
    """
    hasher = measurement.hasher
    schemes = SCHEMES[hasher]
    if not schemes:
        return
    app, scheme = data.draw(st.sampled_from(schemes))
    scheme = replace(scheme, reference=Reference(implementation="own"))
    floors = floors_of(policies, hasher)
    chosen = answer(hasher, measurement.fitted, target, floors).chosen.params
    try:
        emission = emission_for(app, scheme, measurement, target, floors)
    except UnreachableError:
        return
    assert chosen == emission.params or _names_a_limit(emission, chosen)
    if not emission.reached or emission.minimum_untimed:
        return

    profile = profile_of(measurement, target, policies)
    standard = Standard(target_seconds=target, policies=policies)
    lowest, written = (
        check_one(_in(app, scheme, params), profile, standard)
        for params in (measurement.lowest, emission.params)
    )
    assert emission.params == lowest.recommended == written.recommended
    assert written.outcome is not Outcome.DRIFTED


def _names_a_limit(emission: Emission, chosen: Params) -> bool:
    """Whether a reason names what the application does not accept of the answer."""
    limits, place = emission.scheme.limits, place_of(emission.scheme)
    refused = emission.scheme.refuses(place.nearest(chosen))
    unlike = [
        f"so {name} is {emission.params[name]} instead of {value}"
        for name, value in chosen.items()
        if name in limits and limits[name].nearest(value) != value
    ]
    text = " ".join(emission.reasons)
    return (bool(unlike) or bool(refused)) and all(part in text for part in (*unlike, refused))


def _in(app: App, scheme: Scheme, params: Params) -> Configured:
    return Configured(
        hasher=scheme.hasher, implementation="own", params=params, app=app, scheme=scheme
    )


@pytest.mark.parametrize("hasher", HASHERS)
def test_every_hasher_is_in_the_law(hasher: str) -> None:
    """Each has knobs, and all but yescrypt an application that hashes with it."""
    assert ALGORITHMS[hasher].knobs[0].scale in Scale
    assert bool(SCHEMES[hasher]) or hasher == "yescrypt"
