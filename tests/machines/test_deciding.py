"""What a fleet is set to: kept while nothing excludes it, and never lowered unasked."""

import datetime as dt
import random
from collections.abc import Iterable, Sequence

import pytest
from msgspec.structs import replace

from fakes import limited_to, slowed_profile, under_quota
from hashcost.core.machine import HUGE_PAGES, ON_REQUEST, HostIdentity
from hashcost.core.profile import Profile
from hashcost.machines.comparison import compare
from hashcost.machines.deciding import DecidedOutcome, decided, decision_of
from hashcost.machines.model import Step
from hashcost.machines.profile_files import machine_of
from hashcost.recommend.decided import decided_origin
from hashcost.storage.decision import DecidedCost, Decision
from hashcost.storage.profile import load_profile
from hashcost.strength.policies.catalogue import load_policy
from hashcost.strength.policies.policy import Policy
from made_up import MEMORY_HARD_FILE, PROFILE_FILE

PROFILE = load_profile(PROFILE_FILE)
MEMORY = load_profile(MEMORY_HARD_FILE)
DAY = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)
LATER = DAY + dt.timedelta(days=30)


def decide(
    profiles: Sequence[Profile],
    committed: Decision | None = None,
    *,
    target: float = 0.04,
    policies: Sequence[Policy] = (),
    lower: bool = False,
    now: dt.datetime = LATER,
) -> tuple[DecidedOutcome, ...]:
    """What is decided after measuring hosts with these profiles."""
    machines = [
        machine_of(
            replace(profile, host=HostIdentity(name=f"web{index}")),
            name=f"file{index}",
            source=f"file{index}.json",
        )
        for index, profile in enumerate(profiles)
    ]
    before = committed or Decision()
    found = compare(
        machines, target_seconds=target, policies=policies, committed=before, lower=lower
    )
    return decided(found, before, now=now)


def steps(outcomes: Iterable[DecidedOutcome]) -> set[Step]:
    """What became of the costs."""
    return {each.step for each in outcomes}


def noisy(seed: int, profile: Profile = PROFILE) -> list[Profile]:
    """Five hosts that are alike, as noise has them in one round of measuring."""
    chance = random.Random(seed)
    common = 1 + chance.gauss(0.0, 0.004)
    return [slowed_profile(profile, common + chance.gauss(0.0, 0.008)) for _ in range(5)]


@pytest.fixture
def committed() -> Decision:
    """What was decided on when the fleet was measured first."""
    return decision_of(decide(noisy(0), now=DAY))


def sha512(decision: Decision) -> DecidedCost:
    """The cost of one hasher."""
    return next(each for each in decision.cost if each.hasher == "sha512-crypt")


def test_the_first_decision(committed: Decision) -> None:
    """It says the cost, the time, when, why, and for which hosts."""
    cost = sha512(committed)

    assert (DAY, "all machines are alike") == (cost.decided, cost.why)
    assert tuple(f"web{index}" for index in range(5)) == cost.hosts == cost.slowest
    assert 150_000 < cost.params["rounds"] < 170_000
    assert cost.interval_seconds
    assert cost.interval_seconds[0] < cost.time_seconds < cost.interval_seconds[1]
    # Too few of its hashes were timed for an interval.
    assert not any(each.hasher == "sha256-crypt" for each in committed.cost)
    assert ["bcrypt@bcrypt", "bcrypt@libcrypt"] == [
        each.label for each in committed.cost if each.hasher == "bcrypt"
    ]


@pytest.mark.parametrize("seed", range(1, 11))
def test_measuring_again_changes_nothing(committed: Decision, seed: int) -> None:
    """Of a fleet that is what it was, every byte of the decision stays."""
    outcomes = decide(noisy(seed), committed)

    assert {Step.KEPT} == steps(outcomes)
    assert committed == decision_of(outcomes)


def test_a_faster_fleet_is_raised(committed: Decision) -> None:
    """What surely leaves room for more is raised, to what was measured now."""
    outcomes = decide([slowed_profile(each, 0.7) for each in noisy(1)], committed)
    (raised,) = (each for each in outcomes if each.cost.hasher == "sha512-crypt")

    assert (Step.RAISED, sha512(committed).params) == (raised.step, raised.before)
    assert (LATER, True) == (raised.cost.decided, raised.cost.params["rounds"] > 200_000)


def test_a_slower_fleet_is_lowered_only_if_asked(committed: Decision) -> None:
    """A cost that takes too long stays, and that is said, until lowering is asked for."""
    slow = [slowed_profile(each, 1.5) for each in noisy(1)]
    kept, lowered = decide(slow, committed), decide(slow, committed, lower=True)
    (cost,) = (each for each in lowered if each.cost.hasher == "sha512-crypt")

    assert Step.TOO_HIGH in steps(kept)
    assert not steps(kept) & {Step.LOWERED, Step.RAISED}
    assert committed == decision_of(kept)
    assert Step.LOWERED is cost.step
    assert cost.cost.params["rounds"] < sha512(committed).params["rounds"]


def test_doubt_of_before_yields_to_a_better_measurement(committed: Decision) -> None:
    """A cost of hosts that may have been shared all the while is raised once they are quiet."""
    shared = Decision(
        cost=tuple(
            replace(cost, interval_seconds=(cost.time_seconds / 2, cost.time_seconds * 1.1))
            for cost in committed.cost
        )
    )
    quiet = [slowed_profile(profile, 0.6) for profile in noisy(1)]

    assert {Step.KEPT} == steps(decide(noisy(1), shared))
    assert {Step.RAISED} == steps(
        [each for each in decide(quiet, shared) if each.cost.hasher == "sha512-crypt"]
    )


def test_hosts_that_come_and_go(committed: Decision) -> None:
    """A new host that is alike is added; the cost and its reasons stay."""
    outcomes = decide([*noisy(1), noisy(2)[0]], committed)
    before, now = sha512(committed), sha512(decision_of(outcomes))

    assert {Step.KEPT} == steps(outcomes)
    assert (*before.hosts, "web5") == now.hosts
    assert replace(before, hosts=now.hosts) == now


def test_a_cost_is_decided_anew_under_another_quota(committed: Decision) -> None:
    """It says its quota, and never stands for machines with another."""
    stopped = [under_quota(profile, limited_to(0.25)) for profile in noisy(1)]
    kept, lowered = decide(stopped, committed), decide(stopped, committed, lower=True)
    again = decide(noisy(2), decision_of(lowered))

    assert {Step.TOO_HIGH} == steps(one for one in kept if one.cost.hasher == "sha512-crypt")
    assert limited_to(0.25) == sha512(decision_of(lowered)).cpu_limit
    assert sha512(committed).cpu_limit is None
    assert {Step.RAISED} == steps(one for one in again if one.cost.hasher == "sha512-crypt")


def test_a_decision_in_huge_pages_says_so() -> None:
    """What is emitted from it names the variable; in small pages it is decided anew."""
    machine = replace(MEMORY.machine, huge_pages=ON_REQUEST, malloc=HUGE_PAGES)
    small = decision_of(decide([MEMORY] * 2, now=DAY))
    huge = decision_of(decide([replace(MEMORY, machine=machine)] * 2, small))

    assert not any(cost.huge_pages for cost in small.cost)
    for cost in huge.cost:
        asks = decided_origin(cost).gives_huge_pages
        assert cost.huge_pages == asks == (cost.hasher != "yescrypt")  # libcrypt has no malloc.


def test_memory_is_held_by_its_strength() -> None:
    """Of a memory-hard hasher the committed setting stands through noise as well."""
    first = decision_of(decide([MEMORY, slowed_profile(MEMORY, 1.002)], now=DAY))
    again = decide([slowed_profile(MEMORY, factor) for factor in (0.998, 1.004)], first)

    assert first.cost
    assert first == decision_of(again)
    faster = decide([slowed_profile(MEMORY, 0.4)] * 2, first)
    assert not steps(faster) & {Step.LOWERED, Step.TOO_HIGH}


def test_no_cost_beyond_a_memory_limit_is_kept_unsaid() -> None:
    """A committed cost is excluded by a machine that allows less memory than it takes."""
    measurement = next(one for one in MEMORY.measurements if one.hasher == "argon2id")
    results = tuple(row for row in MEMORY.results if row.hasher == measurement.hasher)
    alone = replace(MEMORY, measurements=(measurement,), results=results)
    committed = decision_of(decide([alone] * 2, now=DAY))
    [cost] = committed.cost
    curves = measurement.fitted.curves
    allowed = [curve for curve in curves if curve.memory_bytes < cost.memory_bytes]
    fitted = replace(measurement.fitted, curves=tuple(allowed))
    bounded = replace(alone, measurements=(replace(measurement, fitted=fitted),))

    [kept] = decide([alone, bounded], committed)
    [lowered] = decide([alone, bounded], committed, lower=True)

    assert (Step.TOO_HIGH, cost.params) == (kept.step, kept.cost.params)
    assert (Step.LOWERED, cost.params) == (lowered.step, lowered.before)
    assert lowered.cost.memory_bytes <= allowed[-1].memory_bytes


def test_a_decision_meets_the_minimum() -> None:
    """What is decided on is the policy's minimum where the target misses it. It stays while
    that takes longer than the target, and a decision of before that misses it is raised.
    """
    owasp = (load_policy("owasp"),)
    plain = decision_of(decide(noisy(0), now=DAY))
    raised = decide(noisy(1), plain, policies=owasp)
    kept = decide(noisy(2), decision_of(raised), policies=owasp)
    costs = {each.cost.label: each for each in raised}

    assert {"cost": 10} == costs["bcrypt@bcrypt"].cost.params
    assert {"iterations": 600_000} == costs["pbkdf2-sha256@hashlib"].cost.params
    assert Step.RAISED is costs["bcrypt@bcrypt"].step
    assert Step.KEPT is costs["sha512-crypt@libcrypt"].step
    assert {Step.KEPT} == steps(kept)
    assert decision_of(raised) == decision_of(kept)


def test_a_decision_names_the_slowest_machine() -> None:
    """Whoever wonders about a cost finds the machine that set it."""
    slow = slowed_profile(PROFILE, 2.0)
    slow = replace(slow, machine=replace(slow.machine, cpu_model="slow CPU"))
    for outcome in decide([PROFILE, slow]):
        cost = outcome.cost
        found = (cost.cpu_model, cost.slowest, cost.why)
        assert ("slow CPU", ("web1",), "the slowest of 2 kinds of machine") == found
        assert ("web0", "web1") == cost.hosts


def test_a_cost_stays_while_no_other_is_for_all_machines(committed: Decision) -> None:
    """One machine on which even the lowest cost takes too long does not undo a decision."""
    outcomes = decide([PROFILE, slowed_profile(PROFILE, 1000.0)], committed)
    (kept,) = (one for one in outcomes if one.cost.hasher == "sha512-crypt")

    assert (Step.KEPT, sha512(committed).params) == (kept.step, kept.cost.params)
