"""What `calibrate` shows unless asked for more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import pytest

from hashcost.core.measurement import SeenBy
from hashcost.core.profile import Profile
from hashcost.documents.profile import load_profile
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.document import Document
from hashcost.worth.appraisal import appraise
from hashcost.worth.attackers.device import load_device
from hashcost.worth.policies.catalogue import load_policy, policy_names
from made_up import MEMORY_HARD_FILE, PROFILE_FILE

OTHERS: Final = tuple(map(load_policy, policy_names()))
LINEAR: Final = load_profile(PROFILE_FILE)
HARD: Final = load_profile(MEMORY_HARD_FILE)
EIGHT: Final = msgspec.structs.replace(
    LINEAR,
    measurements=(*LINEAR.measurements, *HARD.measurements),
    results=(
        *(
            msgspec.structs.replace(row, hasher=name)
            for row in LINEAR.recommendations[:1]
            for name in ("sha512-crypt", "pbkdf2-sha1", "pbkdf2-sha512", "sha256-crypt")
        ),
        *(LINEAR.recommendations[index] for index in (1, 4)),
        *(HARD.recommendations[index] for index in (0, 2)),
    ),
)
"""Eight hashers of one implementation each."""


def only(*labels: str) -> Profile:
    """The profile with the rows of these hashers."""
    rows = tuple(row for row in EIGHT.recommendations if row.hasher in labels)
    return msgspec.structs.replace(EIGHT, results=rows)


def answer(
    profile: Profile, policies: Sequence[str] = ("owasp",), gpus: Sequence[str] = ("rtx-4090",)
) -> Document:
    """The answer beside these policies and devices."""
    asked = tuple(map(load_policy, policies))
    devices = tuple(map(load_device, gpus))
    return recommendation_document(
        appraise(profile, asked, devices),
        policies=asked,
        devices=devices,
        others=OTHERS,
        explained=False,
    )


def test_fits_a_terminal() -> None:
    """Eight hashers take at most 24 lines of 80 columns, and the last line says what to use."""
    lines = render(answer(EIGHT), "table", width=80).splitlines()

    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24
    assert lines[-1] == (
        "Use argon2id m=19456,t=2,p=1: it meets owasp and costs an attacker most."
    )


def test_table() -> None:
    """A line has the setting as one pastes it, its time, what a policy needs, and the price."""
    text = render(answer(only("argon2id", "bcrypt", "sha256-crypt")), "table", width=80)

    assert text.split("\n\n")[1].splitlines() == [
        "hasher        setting          one hash       meets owasp  crack time",
        "argon2id      m=19456,t=2,p=1  35.0 ms ±2.9%  yes            132 days",
        "bcrypt        cost=9           26.8 ms ±0.9%  from 54.2ms    105 days",
        "sha256-crypt  rounds=159000    39.9 ms ±1.6%  not listed      19 days",
    ]


@pytest.mark.parametrize(
    ("hashers", "policies", "gpus", "said"),
    [
        (("bcrypt",), (), ("rtx-4090",), "Use bcrypt cost=9."),
        (("bcrypt", "argon2id"), (), (), None),
        (
            ("bcrypt", "argon2id"),
            (),
            ("rtx-4090",),
            "Use argon2id m=19456,t=2,p=1: it costs an attacker most.",
        ),
        (("argon2id",), ("owasp",), (), "Use argon2id m=19456,t=2,p=1: it meets owasp."),
        (
            ("bcrypt", "pbkdf2-sha256"),
            ("owasp",),
            ("rtx-4090",),
            "None of these meets owasp; use pbkdf2-sha256 with --target 156ms.",
        ),
        (
            ("bcrypt",),
            ("owasp",),
            ("rtx-4090",),
            "bcrypt cost=9 does not meet owasp; use bcrypt with --target 54.2ms.",
        ),
        (("yescrypt",), ("owasp",), ("rtx-4090",), "Use yescrypt cost=5."),
        (
            ("bcrypt", "pbkdf2-sha256"),
            ("owasp", "fips", "anssi-bp28"),
            ("rtx-4090",),
            (
                "None of these meets owasp, fips and anssi-bp28; use pbkdf2-sha256 with --target"
                " 156ms for owasp and fips."
            ),
        ),
    ],
)
def test_advice(
    hashers: Sequence[str], policies: Sequence[str], gpus: Sequence[str], said: str | None
) -> None:
    """It names what meets the policies and costs an attacker most, or what would meet them."""
    assert (() if said is None else (said,)) == answer(only(*hashers), policies, gpus).answer


def test_three_policies_keep_each_target_on_one_line() -> None:
    """Titles give way before cells do."""
    lines = render(answer(EIGHT, ("owasp", "fips", "anssi-bp28")), "table", width=80).splitlines()

    assert all(len(line) <= 80 for line in lines)
    assert any("  from 57.2ms  " in line or "  from 54.2ms  " in line for line in lines)
    assert any("  not approved  " in line for line in lines)


def test_what_is_allowed_only_for_old_systems_is_not_advised() -> None:
    """A hasher that the policy lists as legacy is not the answer, even where its floor is met."""
    rows = tuple(
        msgspec.structs.replace(row, params={"cost": 12}) for row in only("bcrypt").recommendations
    )
    strong = msgspec.structs.replace(EIGHT, results=(*rows, *only("argon2id").results))

    (said,) = answer(strong).answer
    assert said.startswith("Use argon2id")


def test_a_setting_that_no_quiet_core_was_seen_for_is_doubted() -> None:
    """Where nobody saw the core quiet, the advice says so."""
    (row,) = only("yescrypt").recommendations
    unseen = msgspec.structs.replace(row, seen_by=SeenBy.NOBODY)
    (said,) = answer(msgspec.structs.replace(EIGHT, results=(unseen,))).answer
    assert said.endswith("It may be too low: this run saw no quiet core; run it again.")


def test_other_policies_are_named_where_the_one_asked_for_is_silent() -> None:
    """Of sha512-crypt, which OWASP does not list, the policies that do are named."""
    (said,) = [note for note in answer(only("sha512-crypt")).notes if "not list" in note]
    assert said == (
        "owasp does not list sha512-crypt. It meets anssi-bp28 (rounds=65536) and disa-stig"
        " (rounds=100000)."
    )
