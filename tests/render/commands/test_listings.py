"""The listings of hashers, policies and devices."""

import json
from pathlib import Path
from typing import Final

import msgspec
import pytest

from hashcost.apps.registry import load_app
from hashcost.render import render
from hashcost.render.commands.listings import (
    Listing,
    apps_document,
    gpus_document,
    hashers_document,
    policies_document,
)
from hashcost.strength.attackers.device import load_device
from hashcost.strength.policies.catalogue import load_policy
from snapshots import Snapshot

LISTINGS: Final = msgspec.json.decode(
    Path(__file__).with_name("listings.json").read_bytes(), type=tuple[Listing, ...]
)

DEVICES: Final = (load_device("rx-7900-xtx"), load_device("h100-sxm"))
SHOWN: Final = {
    "hashers": lambda: hashers_document(LISTINGS),
    "policies": lambda: policies_document((load_policy("rfc9106-first"),), in_full=False),
    "policy in full": lambda: policies_document((load_policy("disa-stig"),), in_full=True),
    "policy without minimums": lambda: policies_document(
        (load_policy("pci-dss-4"),), in_full=True
    ),
    "app": lambda: apps_document([load_app("mysql")], in_full=True),
    "gpus": lambda: gpus_document(DEVICES, in_full=False),
    "gpus in full": lambda: gpus_document(DEVICES, in_full=True),
}


@pytest.mark.parametrize("name", SHOWN)
def test_shown(name: str, snapshot: Snapshot) -> None:
    """Ranges and states, minimums and speeds stand with their reasons, sources and days."""
    snapshot(render(SHOWN[name](), "table", width=80))


def test_the_notes_of_an_application_and_a_hasher_are_parts_of_one_sentence() -> None:
    """JSON has them in one member, apart from each other."""
    printed = render(apps_document([load_app("wordpress")], in_full=True), "json")

    assert "lacks this setting; a plugin loads it" in printed


def test_a_range_stands_where_its_setting_does() -> None:
    """Limits of a library have an order of their own, which is not that of the settings."""
    printed = render(apps_document([load_app("gitea")], in_full=True), "json")
    (argon2id,) = [row for row in json.loads(printed) if row["hasher"] == "argon2id"]

    assert ["time_cost", "memory_kib", "parallelism"] == list(argon2id["keys"])
    assert list(argon2id["keys"]) == list(argon2id["limits"])
