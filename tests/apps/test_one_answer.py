"""What `calibrate` says, `emit` writes and `check` accepts is one answer."""

import itertools
from typing import Final

import pytest

from apps.services import SCHEMES, measured
from hashcost.apps.interface import App
from hashcost.apps.schemes import Scheme
from hashcost.checks.check import check_one
from hashcost.checks.judgement import Configured, Outcome, Standard
from hashcost.core.errors import UnreachableError
from hashcost.recommend.emission import emission_for
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import load_policy, policy_names
from hashcost.strength.policies.policy import Policy, meets_all

POLICIES: Final[tuple[tuple[Policy, ...], ...]] = (
    (),
    *((load_policy(name),) for name in policy_names()),
)
TARGETS: Final = (0.01, 0.04, 0.1, 0.25, 1.0)
PASSING: Final = frozenset({Outcome.FINE, Outcome.OVER_BUDGET})


TIMED: Final = tuple(each for each in SCHEMES if each[1].reference is not None)
CASES: Final = [
    pytest.param(app, scheme, id=f"{app.name}-{scheme.hasher}") for app, scheme in TIMED
]


@pytest.mark.parametrize(("app", "scheme"), CASES)
def test_check_accepts_what_emit_writes(app: App, scheme: Scheme) -> None:
    """By one profile, for each policy that approves the hasher and each target, `check` accepts
    what is written: it meets the policy, or it is the most that the application accepts.
    """
    profile, measurement = measured(scheme)
    scheme = scheme.on(profile.machine.cpu_model)
    approving = [each for each in POLICIES if all(p.approves(scheme.hasher) for p in each)]
    for policies, target in itertools.product(approving, TARGETS):
        floors = floors_of(policies, scheme.hasher)
        try:
            emission = emission_for(app, scheme, measurement, target, floors)
        except UnreachableError:
            continue
        if not emission.reached or emission.minimum_untimed:
            continue
        cost = Configured(
            hasher=scheme.hasher,
            implementation=measurement.implementation,
            params=emission.params,
            app=app,
            scheme=scheme,
        )
        judgement = check_one(cost, profile, Standard(target_seconds=target, policies=policies))
        meets = meets_all(policies, scheme.hasher, emission.params)
        accepted = PASSING if meets else {Outcome.AT_LIMIT}
        case = [policy.id for policy in policies], target, judgement.message
        assert (*case, judgement.outcome in accepted) == (*case, True)
        assert emission.params == judgement.recommended
