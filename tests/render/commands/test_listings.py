"""The listings of hashers, policies and devices."""

from typing import Final

import pytest
from msgspec.structs import replace

from hashcost.apps.registry import load_app
from hashcost.core.measurement import Knob, Scale
from hashcost.render import render
from hashcost.render.commands.listings import (
    Listing,
    apps_document,
    gpus_document,
    hashers_document,
    policies_document,
)
from hashcost.worth.attackers.device import load_device
from hashcost.worth.policies.catalogue import load_policy
from snapshots import Snapshot

ROUNDS: Final = Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=999_999_999)
COST: Final = Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31)

CRYPT: Final = Listing(
    hasher="sha512-crypt",
    implementation="libcrypt",
    version="4.4.33-2",
    available=True,
    reason=None,
    default=True,
    knobs=(ROUNDS,),
)
BCRYPT: Final = replace(CRYPT, hasher="bcrypt", available=False, default=False, knobs=(COST,))
LISTINGS: Final = (
    CRYPT,
    replace(CRYPT, implementation="passlib", version="1.9.4", default=False),
    replace(BCRYPT, version=None, reason="bcrypt is not installed", knobs=()),
    replace(BCRYPT, reason="returned the failure token *0 instead of a hash"),
)

DEVICES: Final = (load_device("rx-7900-xtx"), load_device("h100-sxm"))
SHOWN: Final = {
    "hashers": hashers_document(LISTINGS),
    "policies": policies_document((load_policy("rfc9106-first"),), in_full=False),
    "policy in full": policies_document((load_policy("disa-stig"),), in_full=True),
    "policy without minimums": policies_document((load_policy("pci-dss-4"),), in_full=True),
    "app": apps_document([load_app("mysql")], in_full=True),
    "gpus": gpus_document(DEVICES, in_full=False),
    "gpus in full": gpus_document(DEVICES, in_full=True),
}


@pytest.mark.parametrize("name", SHOWN)
def test_shown(name: str, snapshot: Snapshot) -> None:
    """Ranges and states, minimums and speeds stand with their reasons, sources and days."""
    snapshot(render(SHOWN[name], "table", width=80))


def test_the_notes_of_an_application_and_a_hasher_are_parts_of_one_sentence() -> None:
    """JSON has them in one member, apart from each other."""
    printed = render(apps_document([load_app("elasticsearch")], in_full=True), "json")

    assert "A duplicate key stops the node; in FIPS mode" in printed
