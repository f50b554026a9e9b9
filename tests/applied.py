"""Higher costs for the files of the corpus: what `calibrate emit --apply` is tried on."""

from __future__ import annotations

from typing import Final

from configurations import Configuration, configurations
from hashcost.apps.interface import Scheme
from hashcost.apps.registry import load_tunable
from hashcost.core.errors import HashcostError
from hashcost.core.measurement import Params
from hashcost.verdicts.app_costs import costs_in
from hashcost.verdicts.applying import Target, hasher_of
from hashcost.verdicts.judgement import Configured, Judgement


def higher(scheme: Scheme, params: Params) -> Params:
    """A higher cost that the application takes."""
    raised = {
        param: limits.nearest(params[param] + 1 if param == "cost" else 2 * params[param])
        for param, limits in scheme.limits.items()
        if param not in {"r", "p", "parallelism"}
    }
    return {**params, **raised}


def raised(configuration: Configuration, path: str) -> tuple[Target, int] | None:
    """A higher cost for a file of the corpus, with how many it has, if these are told."""
    app = load_tunable(configuration.app)
    files = {name.lstrip("/"): text for name, text in configuration.files.items()}
    text, version = files[path], configuration.version
    try:
        held = costs_in(app, text, path, version)
    except HashcostError:
        return None
    costs = [cost for cost in held if isinstance(cost, Configured) and cost.scheme is not None]
    if not costs or any(isinstance(cost, Judgement) for cost in held):
        return None
    scheme = app.scheme(hasher_of(app, path, text, version) or costs[0].hasher)
    assert scheme is not None
    own = [cost.params for cost in costs if cost.hasher == scheme.hasher]
    highest = {param: max(cost[param] for cost in own) for param in scheme.limits}
    target = Target(
        app=app,
        scheme=scheme,
        params=higher(scheme, highest),
        path=path,
        text=text,
        version=version,
    )
    return target, len(own)


FILES: Final = tuple(
    (configuration, path.lstrip("/"))
    for configuration in configurations()
    for path in configuration.check
)
"""The files of the corpus, each with its configuration."""
