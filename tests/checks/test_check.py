"""The verdicts on configured costs, by what a profile measured."""

import datetime as dt
import itertools
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from checks import (
    FORTY,
    MADE_UP,
    MEMORY_HARD,
    configured,
    judged,
    measurement_of,
    widened,
    with_rows,
)
from corpora import table
from fakes import LADDER, known, made_up_policy, step_curve
from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, load_tunable
from hashcost.apps.schemes import Scheme
from hashcost.checks.app_releases import AppRelease, at_release
from hashcost.checks.check import check_one, outdated
from hashcost.checks.judgement import Configured, Judgement, Outcome, Standard
from hashcost.checks.judging import check, completed, typed_cost
from hashcost.checks.judging import configured as parsed
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UsageError
from hashcost.core.measurement import Fit, Knob, Measurement, Params, Scale
from hashcost.core.profile import Profile, Recommendation
from hashcost.fit.solver import answer
from hashcost.recommend.recommendation import recommendation, solve_again
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import load_policy
from hashcost.strength.policies.policy import Floor
from strategies import fits, targets

OWASP = load_policy("owasp")

profiles = st.sampled_from([MADE_UP, MEMORY_HARD])


def recommended(profile: Profile, target: float, *policies: Any) -> tuple[Configured, ...]:
    """What calibrate recommends by a profile, as costs in use."""
    return tuple(
        Configured(
            hasher=measured.hasher,
            implementation=measured.implementation,
            params=solved.chosen.params,
        )
        for measured in profile.measurements
        for floors in [floors_of(policies, measured.hasher)]
        for solved in [answer(measured.hasher, measured.fitted, target, floors)]
        if solved.required or solved.fitting
    )


class TestOutcomes:
    """What is found of a cost, why, and what to do about it."""

    @table("cost, asked, outcome, message, advice")
    def test_words(
        self, cost: str, asked: dict[str, Any], outcome: str, message: str, advice: str
    ) -> None:
        """Each verdict says why on one line, and what to set or to do."""
        policies = tuple(map(load_policy, asked.pop("policies", ())))
        found = judged(cost, standard=replace(FORTY, policies=policies, **asked))

        assert (outcome, message, advice) == (found.outcome.value, found.message, found.advice)

    def test_figures(self) -> None:
        """A judgement carries the time with its interval, and what fits the target."""
        found = judged("bcrypt=8")

        assert ("bcrypt", {"cost": 8}) == (found.implementation, found.params)
        assert 0.0134 == pytest.approx(found.time_seconds, rel=1e-3)
        assert (0.01327, 0.01353) == pytest.approx(found.interval_seconds, rel=1e-3)
        assert ({"cost": 9}, 0.0268) == (found.recommended, found.recommended_seconds)

    def test_floor_needs_no_measurement(self) -> None:
        """A cost below a floor is that also where nothing was timed, and the floor is advised."""
        found = judged("yescrypt=1", standard=replace(FORTY, policies=(OWASP,)))
        named = judged(
            "argon2id=m=1024,t=1,p=1", with_rows(MADE_UP), replace(FORTY, policies=(OWASP,))
        )

        assert Outcome.UNAVAILABLE is found.outcome, "owasp does not name yescrypt"
        assert Outcome.BELOW_MIN is named.outcome
        assert "set m=7168,t=5,p=1" == named.advice
        assert named.recommended is None

    def test_advice_never_falls_short_of_a_floor(self) -> None:
        """Where no cost that meets the floor was timed, the floor itself is advised."""
        argon2id = measurement_of("argon2id@argon2-cffi", MEMORY_HARD)
        (lowest, *_) = argon2id.fitted.curves
        small = msgspec.structs.replace(argon2id, fitted=Fit(curves=(lowest,)), samples=())
        found = judged(
            "argon2id=m=1024,t=1,p=1",
            with_rows(MEMORY_HARD, small),
            Standard(target_seconds=0.04, policies=(OWASP,)),
        )

        assert Outcome.BELOW_MIN is found.outcome
        assert "set m=7168,t=5,p=1" == found.advice
        assert found.recommended is None

    def test_failed_row_that_knows_its_lowest_cost(self) -> None:
        """A profile made for a target too slow still judges by what it measured."""
        tiny = solve_again(MADE_UP, 1e-6)

        assert () == tuple(row for row in tiny.recommendations if row.hasher == "sha512-crypt")
        assert Outcome.DRIFTED is judged("sha512-crypt=1000", tiny).outcome


TICK: Final = 2.0**-10
"""Every time below is so many of these, so that a time may stand at its very threshold."""
PASS_TICKS: Final = {1: 3, 2: 5, 4: 10}
"""A pass, by the step of memory: less memory is dearer for its work than it should be."""
FEW: Final = Knob(name="passes", scale=Scale.LINEAR, minimum=1, maximum=9)
FLOOR: Final = made_up_policy(Floor(hasher="fake", params={"memory": 2, "passes": 2}))
POLICIES: Final = (
    (),
    (FLOOR,),
    (replace(FLOOR, id="usual", informative=True),),
    (replace(FLOOR, approved=("another",), floors=()),),
    (replace(FLOOR, id="other", floors=()), FLOOR),
)


def small_ladder(interval: tuple[float, float]) -> Measurement:
    """Three steps of memory with up to nine passes, in two lanes."""
    curves = [
        step_curve(
            step,
            ticks * TICK,
            FEW,
            params={LADDER.name: step, FEW.name: 1, "parallelism": 2},
            relative_interval=interval,
        )
        for step, ticks in PASS_TICKS.items()
    ]
    return known(Fit(curves=tuple(curves)), LADDER, FEW)


def by_trying_all(
    memory: int, passes: int, lanes: int, standard: Standard, interval: tuple[float, float]
) -> Outcome:
    """The outcome, from every setting of the small ladder."""
    low, high = interval
    quickest = PASS_TICKS[memory] * passes * TICK * min(2 / lanes, 1) * low
    target, limit = standard.target_seconds, standard.longest_seconds
    worked = memory * passes * lanes
    floors = [policy for policy in standard.policies if policy.floors and not policy.informative]
    stronger = [
        PASS_TICKS[step] * count * TICK
        for step, count in itertools.product(PASS_TICKS, range(1, 10))
        # As many bytes moved, as much memory times that, and more of one.
        if (step * count * 2 >= worked and step * step * count * 2 >= memory * worked)
        and (step * count * 2, step) != (worked, memory)
        and (not floors or (step >= 2 and count >= 2))
    ]

    def leaves_room(factor: float) -> bool:
        wanted = target * (1 - standard.tolerance) * min(lanes / 2, 1)
        return any(each * factor <= wanted for each in stronger)

    bursts = quickest > target * (1 + standard.tolerance)
    is_noisy = high > 1.25 or low < 0.75
    undetermined = is_noisy and (leaves_room(low) or not bursts)
    rules = {
        Outcome.NOT_APPROVED: any(policy.approved is not None for policy in standard.policies),
        Outcome.BELOW_MIN: any(
            policy.floors and not policy.informative and (memory < 2 or passes < 2)
            for policy in standard.policies
        ),
        Outcome.DRIFTED: leaves_room(high),
        Outcome.TOO_SLOW: limit is not None and quickest > limit,
        Outcome.INCONCLUSIVE: undetermined if lanes == 2 else limit is not None or not bursts,
        Outcome.OVER_BUDGET: bursts,
        Outcome.FINE: True,
    }
    return next(outcome for outcome, applies in rules.items() if applies)


STANDARDS: Final = (
    *itertools.product((10, 20, 40), (None, 15, 20, 30), (0.0, 0.25), POLICIES[:1]),
    *itertools.product((20,), (20,), (0.25,), POLICIES),
)


@pytest.mark.parametrize(
    "interval", [(1.0, 1.0), (0.75, 1.25), (0.5, 1.25), (0.75, 1.5), (0.5, 1.5)]
)
def test_the_outcome_is_that_of_trying_all(interval: tuple[float, float]) -> None:
    """Over every setting of a small ladder and every pair of options, with times at and on
    either side of each threshold: a cost below a floor, one that leaves room even if it takes as
    long as it may, one that takes too long even if it takes no longer than it must.
    """
    profile = with_rows(MADE_UP, small_ladder(interval))
    for target, limit, tolerance, policies in STANDARDS:
        standard = Standard(
            target_seconds=target * TICK,
            policies=policies,
            tolerance=tolerance,
            longest_seconds=None if limit is None else limit * TICK,
        )
        for memory, passes, lanes in itertools.product(PASS_TICKS, range(1, 10), (1, 2, 4)):
            params = {"memory": memory, "passes": passes, "parallelism": lanes}
            cost = Configured(hasher="fake", params=params)
            found = check_one(cost, profile, standard)
            expected = by_trying_all(memory, passes, lanes, standard, interval)
            assert (cost.params, standard, expected) == (cost.params, standard, found.outcome)


class TestInconclusive:
    """What was measured does not always tell."""

    @pytest.mark.parametrize("interval", [(0.5, 2.4), (0.0, 9.0)])
    def test_noise(self, interval: tuple[float, float]) -> None:
        """A weak cost that noise may have hidden is not called fine."""
        noisy = widened(measurement_of("bcrypt@bcrypt"), *interval)
        found = judged("bcrypt=8", with_rows(MADE_UP, noisy))

        assert Outcome.INCONCLUSIVE is found.outcome
        assert (
            "bcrypt cost=8 takes 13.4 ms, too noisy to tell whether a higher cost fits 40.0 ms"
            == found.message
        )
        assert "measure when the machine is quieter" == found.advice

    def test_steps_have_their_own_times(self) -> None:
        """A step of memory takes what was timed there, and one that was not is not guessed."""
        times = [judged(f"yescrypt={cost}", MEMORY_HARD).time_seconds for cost in (4, 5, 6, 7)]

        assert [0.0118, 0.0252, 0.0549] == pytest.approx(times[:3])
        assert times[3] is None

    def test_what_no_bound_decides(self) -> None:
        """Where the bounds leave open whether a cost takes too long, nobody knows it."""
        found = judged("argon2id@argon2-cffi=m=46000,t=1,p=1", MEMORY_HARD)

        assert Outcome.INCONCLUSIVE is found.outcome
        unknown = "was not timed, so it is unknown whether it takes too long"
        assert f"argon2id m=46000,t=1,p=1 {unknown}" == found.message
        assert "measure where it can be timed" == found.advice

    @given(target=targets, memory=st.integers(8, 2**32 - 1), passes=st.integers(1, 99))
    def test_only_what_was_timed_is_fine(self, target: float, memory: int, passes: int) -> None:
        """Whatever the cost and the target, what has no time is not fine."""
        cost = f"argon2id@argon2-cffi=m={memory},t={passes},p=1"
        found = judged(cost, MEMORY_HARD, Standard(target_seconds=target))

        assert found.time_seconds is not None or found.outcome is not Outcome.FINE

    def test_other_lanes(self) -> None:
        """A cost of several lanes is not judged by hashes of one, whose time is another."""
        one_lane = with_rows(MEMORY_HARD, measurement_of("argon2id@argon2-cffi", MEMORY_HARD))
        found = judged("argon2id=m=47104,t=1,p=4", one_lane)

        assert Outcome.INCONCLUSIVE is found.outcome
        assert "argon2id m=47104,t=1,p=4 was not timed, only parallelism 1" == found.message
        assert found.advice == "run `calibrate argon2id --parallelism 4 --save PROFILE`"
        weak = judged("argon2id=m=1024,t=1,p=4", one_lane)
        assert Outcome.DRIFTED is weak.outcome, "further lanes take no longer than one"

    def test_same_lanes(self) -> None:
        """The row with the cost's own number of lanes judges it."""
        verdict = judged("argon2id=m=47104,t=1,p=2", MEMORY_HARD)

        assert (Outcome.FINE, "cryptography") == (verdict.outcome, verdict.implementation)


@given(profile=profiles, target=targets)
def test_what_is_recommended_passes_at_its_target(profile: Profile, target: float) -> None:
    """Every cost that is recommended for a target is fine there, if that can be told."""
    costs = recommended(profile, target)
    standard = Standard(target_seconds=target)
    good = {Outcome.FINE, Outcome.INCONCLUSIVE}
    assert good >= {check_one(cost, profile, standard).outcome for cost in costs}


@given(fitted=fits(), target=targets)
def test_what_is_recommended_passes_whatever_was_measured(fitted: Fit, target: float) -> None:
    """A cost that is recommended never fails at its own target, on any machine."""
    cost = _recommended(fitted, target)

    assert cost is None or _outcome(cost, fitted, target) in (Outcome.FINE, Outcome.INCONCLUSIVE)


def test_a_cost_is_judged_by_the_implementation_that_is_named() -> None:
    """A cost of one implementation is judged by that, any other by the hasher's first."""
    assert "libcrypt" == judged("bcrypt@libcrypt=9").implementation
    assert "bcrypt" == judged("bcrypt=9").implementation


def test_each_block_of_an_output_takes_as_long() -> None:
    """A hash of several blocks takes their time, also where no application's scheme is known."""
    cost = configured("pbkdf2-sha256=100000")
    one = check_one(cost, MADE_UP, FORTY)
    two = check_one(replace(cost, blocks=2), MADE_UP, FORTY)

    assert one.time_seconds is not None
    assert pytest.approx(2 * one.time_seconds) == two.time_seconds


def test_a_judgement_is_told_at_each_place() -> None:
    """With how the cost was found there."""
    place = Place(path="a file", line=3)
    cost = configured("bcrypt=9", place=place, note="as it stands")
    found = judged("bcrypt=9").at(cost)

    assert (place, "as it stands") == (found.place, found.note)
    assert "bcrypt cost=9 takes 26.8 ms; the target is 40.0 ms" == found.message


@table("days, seconds, most, said")
def test_age(days: float, seconds: int, most: float | None, said: list[str]) -> None:
    """A profile older than allowed is said, with both ages, and how to renew it."""
    age = dt.timedelta(days=days, seconds=seconds)
    notices = outdated(MADE_UP, MADE_UP.created + age, most and most * 86_400, {})

    assert said == [notice.message for notice in notices]
    assert all("calibrate --save" in notice.advice for notice in notices)


def test_other_version() -> None:
    """A library that has another version here than in the profile is said with both."""
    (notice,) = outdated(
        MADE_UP,
        MADE_UP.created,
        None,
        {"bcrypt@bcrypt": "6.0.0", "bcrypt@libcrypt": "4.4.33-2", "unheard@of": "1"},
    )

    assert "other-version" == notice.code
    assert "bcrypt@bcrypt: the profile was measured with 5.0.0, and 6.0.0 is installed" in (
        notice.message
    )


def _recommended(fitted: Fit, target: float) -> Configured | None:
    row = recommendation(_measured(fitted), target)
    if not isinstance(row, Recommendation):
        return None
    return Configured(hasher=row.hasher, implementation=None, params=row.params)


def _measured(fitted: Fit) -> Measurement:
    knob = fitted.curves[0].knob
    is_memory_hard = knob is None or LADDER.name in fitted.curves[0].params
    return known(
        fitted, *((LADDER,) if is_memory_hard else ()), *(() if knob is None else (knob,))
    )


def _outcome(cost: Configured, fitted: Fit, target: float) -> Outcome:
    profile = with_rows(MADE_UP, _measured(fitted))
    judgement = check_one(cost, profile, Standard(target_seconds=target))
    return judgement.outcome


def test_an_application_is_judged_by_its_own_runtime_where_that_was_timed() -> None:
    """A library that was timed itself is not assumed to be like another."""
    app = load_tunable("node-bcryptjs")
    (scheme,) = app.schemes
    cost = configured("bcrypt=9", implementation="libcrypt", app=app, scheme=scheme)
    own = "node:bcryptjs"
    in_node = replace(
        MADE_UP,
        measurements=tuple(replace(one, implementation=own) for one in MADE_UP.measurements),
        results=tuple(replace(row, implementation=own) for row in MADE_UP.recommendations),
    )

    assert "libcrypt" == completed(cost, MADE_UP, ()).implementation
    timed = completed(cost, in_node, ())
    assert own == timed.implementation
    assert f"timed in the application's own runtime, as {own}" == timed.note


@pytest.mark.parametrize(
    ("cost", "instead"),
    [("bcrypt=8", {"cost": 9}), ("bcrypt=9", None), ("yescrypt=5", None)],
    ids=["drifted", "fine", "untimed"],
)
def test_another_cost_is_named_only_where_it_is_better(
    cost: str, instead: dict[str, int] | None
) -> None:
    """No pull request changes a cost that is fine, or one that nobody could judge."""
    assert instead == judged(cost).instead


def test_what_a_policy_asks_for_has_the_name_of_its_figures() -> None:
    """An option that an RFC recommends, an example and a minimum are told apart."""
    policies = tuple(map(load_policy, ("rfc9106-second", "owasp")))
    judgement = judged("argon2id=m=4096,t=2,p=1", standard=replace(FORTY, policies=policies))
    assert (
        "argon2id m=4096,t=2,p=1 is below the recommended option of rfc9106-second,"
        " m=65536,t=3,p=4 and the minimum of owasp, m=7168,t=5,p=1"
    ) == judgement.message


def test_the_cost_to_set_meets_every_policy() -> None:
    """Where nothing was timed, it is not the minimum of the first policy that asks for more."""
    policies = tuple(map(load_policy, ("nist-800-63b", "owasp", "asvs-5.0")))
    judgement = judged("pbkdf2-sha512=9", standard=replace(FORTY, policies=policies))
    assert {"iterations": 220_000} == judgement.instead
    assert "set iterations=220000" == judgement.advice


def _lowest(scheme: Scheme) -> Params:
    return {name: limits.nearest(1) for name, limits in scheme.limits.items()}


_DATED: Final = [
    (app, scheme)
    for name in app_names()
    if isinstance(app := load_app(name), App)
    for scheme in app.schemes
    if scheme.since is not None
    if (floors := floors_of((OWASP,), scheme.hasher)) and not floors.is_met(_lowest(scheme))
]


@pytest.mark.parametrize(
    ("app", "scheme"), _DATED, ids=[f"{app.name}-{scheme.hasher}" for app, scheme in _DATED]
)
def test_no_cost_is_advised_that_the_release_cannot_set(app: App, scheme: Scheme) -> None:
    """A release without the setting is to be upgraded first; one that has it gets the cost."""
    assert scheme.since is not None
    first = scheme.since.release
    advice = {}
    for release in ("0.0.1", first):
        there = at_release(app, AppRelease(release))
        cost = Configured(hasher=scheme.hasher, params=_lowest(scheme), app=there, scheme=scheme)
        result = check_one(cost, None, Standard(target_seconds=0.25, policies=(OWASP,)))
        advice[release] = result.advice
        assert (result.instead is None) == (release != first)
    assert f"upgrade to {app.supported_from(first)}" in advice["0.0.1"]
    assert advice[first].startswith("set ")


@pytest.mark.parametrize(
    ("text", "example"),
    [
        ("scrypt", "scrypt=n=16384,r=8,p=1"),
        ("sha512-crypt@libcrypt", "sha512-crypt@libcrypt=600000"),
    ],
)
def test_a_hasher_without_a_cost_is_told_how_to_write_one(text: str, example: str) -> None:
    """The example is of the same hasher, by the same library if one was named."""
    with pytest.raises(UsageError) as refused:
        parsed(text)
    assert str(refused.value) == f"{text} is only a hasher; add its cost, for example {example}"


@table("text, outcome, message")
def test_a_cost_that_only_stored_hashes_have_is_judged(
    text: str, outcome: str, message: str
) -> None:
    """What `explain` reads, `check` judges: as a row, though no library here computes it."""
    result = typed_cost(text)
    assert isinstance(result, Judgement)
    assert (outcome, message) == (result.outcome.value, result.message)
    assert result.out_of_range == (" takes " in message)


@table("given, refused")
def test_the_memory_that_is_advised_with_a_cost_can_be_typed(given: str, refused: str) -> None:
    """`maxmem` stands behind a cost of scrypt that needs it, and must suffice."""
    cost = typed_cost(f"scrypt=n=65536,r=8,p=2,{given}")
    assert isinstance(cost, Configured)
    assert {"n": 65536, "r": 8, "p": 2} == cost.params
    assert refused == cost.refused


@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        ("owasp", Outcome.UNKNOWN),
        ("asvs-5.0", Outcome.NOT_APPROVED),
        ("fips", Outcome.NOT_APPROVED),
    ],
)
def test_a_policy_judges_what_no_library_here_computes(policy: str, outcome: Outcome) -> None:
    """One that lists the hashers that it approves answers without a time."""
    report = check(["argon2i=m=65536,t=4,p=1"], MADE_UP, policies=(load_policy(policy),))
    (result,) = report.results
    assert (result.outcome, result.params["memory_kib"]) == (outcome, 65536)
    if outcome is Outcome.NOT_APPROVED:
        assert result.message == f"{policy} does not approve argon2i at any cost"
        assert result.advice.startswith("hash with ")


def test_a_digest_is_not_moved_to_a_hasher_that_a_policy_forbids() -> None:
    """Where policies name the only hashers that they approve, the advice names one of these."""
    for policy, advice in (("owasp", "argon2id, or what"), ("disa-stig", "sha512-crypt")):
        report = check(["md5"], MADE_UP, policies=(load_policy(policy),))
        (result,) = report.results
        assert result.outcome is Outcome.UNSUITABLE
        assert advice in result.advice
