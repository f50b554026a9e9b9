"""The JSON Schema of each value that ``--format json`` prints, from the types themselves."""

import json
from inspect import cleandoc
from typing import Any, Final

import msgspec

from hashcost.checks.audit import Audit
from hashcost.checks.explanation import Explanation
from hashcost.checks.judgement import CheckReport, ScanReport
from hashcost.core.profile import Profile
from hashcost.logins.model import Capacity, CapacityComparison
from hashcost.machines.fleet import Fleet
from hashcost.machines.model import Comparison
from hashcost.recommend.emission import Emitted
from hashcost.recommend.sweeping import SweepRow
from hashcost.render.commands.listings import Listed, Listing
from hashcost.runtimes.recording import Recording
from hashcost.strength.attackers.device import Device
from hashcost.strength.policies.policy import Policy

VALUES: Final[dict[str, tuple[Any, str]]] = {
    "profile": (Profile, "calibrate --save, and --format json of calibrate"),
    "sweep": (tuple[SweepRow, ...], "calibrate sweep --format json"),
    "samples": (Recording, "the module measure_info of Ansible's collection hashcost.calibrate"),
    "comparison": (Comparison, "calibrate compare --format json"),
    "fleet": (Fleet, "calibrate fleet --format json"),
    "capacity": (Capacity, "calibrate capacity --format json"),
    "capacities": (
        CapacityComparison,
        "calibrate capacity --format json, of several costs or --from",
    ),
    "check": (CheckReport, "calibrate check --format json"),
    "scan": (ScanReport, "calibrate scan --format json"),
    "audit": (Audit, "calibrate audit --format json"),
    "explanation": (Explanation, "calibrate explain --format json"),
    "hashers": (tuple[Listing, ...], "calibrate list hashers --format json"),
    "emitted": (tuple[Emitted, ...], "calibrate emit --format json"),
    "apps": (tuple[Listed, ...], "calibrate list apps --format json"),
    "policies": (tuple[Policy, ...], "calibrate list policies --format json"),
    "devices": (tuple[Device, ...], "calibrate list gpus --format json"),
}
"""The type of each value, and which command writes it."""


def schemas() -> dict[str, str]:
    """The schemas by the names of their files."""
    return {f"{name}.schema.json": _schema(name) for name in VALUES}


def _schema(name: str) -> str:
    kind, written_by = VALUES[name]
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"hashcost {name}",
        "description": f"Written by {written_by}.",
    }
    whole = {**head, **_unindented(msgspec.json.schema(kind))}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _unindented(value: Any) -> Any:
    """A schema whose descriptions, which are docstrings, lack the indent of the source.

    Python leaves it away itself from 3.13 on.
    """
    if isinstance(value, list):
        return [_unindented(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        key: cleandoc(part)
        if key == "description" and isinstance(part, str)
        else _unindented(part)
        for key, part in value.items()
    }
