"""Password-hash cost, measured on the machine and with the library that will do the hashing.

>>> import hashcost
>>> profile = hashcost.calibrate(target=0.040, hashers=["bcrypt"])  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hashcost.appraisal import appraise
    from hashcost.attackers.device import load_device
    from hashcost.calibration import calibrate
    from hashcost.model import Failure, Profile, Recommendation, Rounding
    from hashcost.planning import FAST, NORMAL, PRECISE
    from hashcost.policies.catalogue import load_policy
    from hashcost.profile import load_profile, save_profile
    from hashcost.recommendation import solve_again
    from hashcost.sweeping.driver import sweep
    from hashcost.sweeping.file import load_sweep, save_sweep

__all__ = [
    "FAST",
    "NORMAL",
    "PRECISE",
    "Failure",
    "Profile",
    "Recommendation",
    "Rounding",
    "__version__",
    "appraise",
    "calibrate",
    "load_device",
    "load_policy",
    "load_profile",
    "load_sweep",
    "save_profile",
    "save_sweep",
    "solve_again",
    "sweep",
]

_HOMES = {
    "appraise": "appraisal",
    "calibrate": "calibration",
    "load_device": "attackers.device",
    "load_policy": "policies.catalogue",
    "Failure": "model",
    "Profile": "model",
    "Recommendation": "model",
    "Rounding": "model",
    "FAST": "planning",
    "NORMAL": "planning",
    "PRECISE": "planning",
    "load_profile": "profile",
    "save_profile": "profile",
    "solve_again": "recommendation",
    "load_sweep": "sweeping.file",
    "save_sweep": "sweeping.file",
    "sweep": "sweeping.driver",
}


def __getattr__(name: str) -> object:
    """Import on first use, so that `calibrate --help` loads nothing it does not need."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
