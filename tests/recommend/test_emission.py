"""What is said beside a cost that is written."""

from msgspec.structs import replace

from checks import measurement_of
from fakes import limited_to, under_quota
from hashcost.apps.registry import load_tunable
from hashcost.recommend.emission import below_opening, emission_for, header, origin_of
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import load_policies
from measured import EVERY
from snapshots import Snapshot


def test_what_is_said_of_a_cost(snapshot: Snapshot) -> None:
    """When and where it was timed, by what and how much of it, and why it is no other cost."""
    told, free = "", replace(EVERY, machine=replace(EVERY.machine, cpu_limit=None))
    for profile, name, hasher, target in (
        (free, "django", "pbkdf2-sha256", 0.04),
        (EVERY, "gitea", "pbkdf2-sha256", 0.04),
        (free, "spring", "bcrypt", 1e-4),
        (under_quota(EVERY, limited_to(0.5)), "kafka", "pbkdf2-sha256", 0.9),
    ):
        app = load_tunable(name)
        (scheme,) = (each for each in app.schemes if each.hasher == hasher)
        found = emission_for(app, scheme, measurement_of(hasher, profile), target, None)
        told += header(found, origin_of(profile, "any"), "a library 1.2", ["meets nothing"])
        told += "".join(f"{line.partition(': ')[0]}\n" for line in found.reasons)
    snapshot(told)


def test_what_a_snippet_needs_around_it_is_said() -> None:
    """PHP prints a plugin without its opening tag as text, and sets nothing."""
    app = load_tunable("wordpress")
    (scheme,) = app.schemes
    found = emission_for(app, scheme, measurement_of("bcrypt", EVERY), 0.04, None)
    comment = header(found, origin_of(EVERY, "any"), "a library 1.2", [])
    assert below_opening(comment, found.snippet).startswith(f"<?php\n{comment}add_filter")


def test_the_least_that_meets_the_policy_is_not_called_its_minimum() -> None:
    """An application may know no cost between, and then its next one is written."""
    app = load_tunable("django")
    (scheme,) = (one for one in app.schemes if one.hasher == "pbkdf2-sha256")
    only = replace(scheme.limits["iterations"], allowed=(1000, 500000, 1000000))
    scheme = replace(scheme, limits={"iterations": only})
    floors = floors_of(load_policies(["owasp"]), "pbkdf2-sha256")
    found = emission_for(app, scheme, measurement_of("pbkdf2-sha256", EVERY), 1e-3, floors)
    assert {"iterations": 1000000} == found.params
    (said,) = (reason for reason in found.reasons if "the target was" in reason)
    assert said.startswith("the quickest cost that meets the policy, iterations=1000000, takes")
