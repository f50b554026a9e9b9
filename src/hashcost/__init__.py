"""Password-hash cost, measured on the machine and with the library that will do the hashing.

>>> import hashcost
>>> profile = hashcost.calibrate(hashcost.Request(target_seconds=0.040))  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from hashcost.core.version import __version__

if TYPE_CHECKING:
    from hashcost.checks.judgement import CheckReport, Judgement, Outcome
    from hashcost.checks.judging import check
    from hashcost.core.errors import HashcostError
    from hashcost.core.profile import Failure, Profile, Recommendation
    from hashcost.core.severity import Severity
    from hashcost.measure.effort import FAST, NORMAL, PRECISE
    from hashcost.measure.request import Request
    from hashcost.recommend.calibration import calibrate
    from hashcost.recommend.recommendation import solve_again
    from hashcost.recommend.sweeping import SweepRequest, sweep
    from hashcost.storage.profile import load_profile, save_profile
    from hashcost.strength.appraisal import appraise
    from hashcost.strength.attackers.device import load_device
    from hashcost.strength.policies.catalogue import load_policy

__all__ = [
    "FAST",
    "NORMAL",
    "PRECISE",
    "CheckReport",
    "Failure",
    "HashcostError",
    "Judgement",
    "Outcome",
    "Profile",
    "Recommendation",
    "Request",
    "Severity",
    "SweepRequest",
    "__version__",
    "appraise",
    "calibrate",
    "check",
    "load_device",
    "load_policy",
    "load_profile",
    "save_profile",
    "solve_again",
    "sweep",
]

_HOMES = {
    "appraise": "strength.appraisal",
    "Request": "measure.request",
    "calibrate": "recommend.calibration",
    "load_device": "strength.attackers.device",
    "load_policy": "strength.policies.catalogue",
    "Failure": "core.profile",
    "Profile": "core.profile",
    "Recommendation": "core.profile",
    "FAST": "measure.effort",
    "NORMAL": "measure.effort",
    "PRECISE": "measure.effort",
    "load_profile": "storage.profile",
    "save_profile": "storage.profile",
    "solve_again": "recommend.recommendation",
    "SweepRequest": "recommend.sweeping",
    "sweep": "recommend.sweeping",
    "HashcostError": "core.errors",
    "Severity": "core.severity",
    "CheckReport": "checks.judgement",
    "Judgement": "checks.judgement",
    "Outcome": "checks.judgement",
    "check": "checks.judging",
}


def __dir__() -> list[str]:
    """The public names, also those that are not imported yet."""
    return sorted(__all__)


def __getattr__(name: str) -> object:
    """Import on first use, so that `calibrate --help` loads nothing it does not need."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
