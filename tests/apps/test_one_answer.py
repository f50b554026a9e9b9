"""What `calibrate` says, `emit` writes and `check` accepts is one answer."""

import pytest

from apps.services import SCHEMES, label, measured
from hashcost.apps.interface import App, Scheme
from hashcost.core.errors import UnreachableError
from hashcost.recommend.emission import emission_for
from hashcost.verdicts.check import check_one
from hashcost.verdicts.judgement import FAILING, Configured, Judgement, Standard
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.catalogue import load_policy
from hashcost.worth.policies.policy import Policy, meets_all

OWASP = (load_policy("owasp"),)


@pytest.mark.parametrize("policies", [(), OWASP], ids=["none", "owasp"])
@pytest.mark.parametrize("target", [0.01, 0.04, 0.1, 0.25, 1.0])
@pytest.mark.parametrize(
    ("app", "scheme"), [each for each in SCHEMES if each[1].reference is not None], ids=label
)
def test_check_accepts_what_emit_writes(
    app: App, scheme: Scheme, target: float, policies: tuple[Policy, ...]
) -> None:
    """By one profile, target and policy no cost that is written fails; it meets the policy
    wherever the application accepts a cost that does.
    """
    profile, measurement = measured(scheme)
    floors = floors_of(policies, scheme.hasher)
    scheme = scheme.on(profile.machine.cpu_model)
    try:
        emission = emission_for(app, scheme, measurement, target, floors)
    except UnreachableError:
        return
    if not emission.reached:
        return
    cost = Configured(
        hasher=scheme.hasher,
        implementation=measurement.implementation,
        params=emission.params,
        app=app,
        scheme=scheme,
    )
    judgement: Judgement = check_one(
        cost, profile, Standard(target_seconds=target, policies=policies)
    )
    accepts = meets_all(policies, scheme.hasher, emission.params)
    assert judgement.outcome not in FAILING or not accepts, judgement.message
    if accepts:
        assert judgement.recommended == emission.params
