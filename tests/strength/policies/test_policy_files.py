"""The built-in policies as the files that they are: every figure can be traced."""

import datetime as dt
import tomllib
from importlib.resources import files
from typing import Any, Final

import pytest

from hashcost.core.measurement import Scale
from hashcost.hashers.registry import candidates
from hashcost.strength.policies.catalogue import load_policy, policy_from_toml

DATA: Final = files("hashcost.strength.policies").joinpath("data")

BUILT_IN: Final = sorted(file.name.removesuffix(".toml") for file in DATA.iterdir())

EARLIEST: Final = dt.date(2000, 1, 1)
"""Before PKCS #5 2.0 nobody counted iterations."""


def raw(name: str) -> dict[str, Any]:
    """A policy's file as it stands, before anything is filled in."""
    return tomllib.loads(DATA.joinpath(f"{name}.toml").read_text("utf-8"))


def is_a_day(value: object) -> bool:
    """Whether a value is a day that has been, and no time of day."""
    return type(value) is dt.date and EARLIEST < value <= dt.date(2026, 12, 31)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_file_says_whose_figures_it_holds(name: str) -> None:
    """Each file has an id that is its name, a title, a source and a day, in so many words."""
    policy = raw(name)
    assert name == policy["id"]
    assert policy["title"].strip()
    assert policy["source"].strip()
    assert policy["url"].startswith("https://")
    assert is_a_day(policy["date"])


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_floor_has_a_source_and_a_day_of_its_own(name: str) -> None:
    """No floor borrows the policy's source or date: each says which place set it, and when."""
    floors = raw(name).get("floors", [])
    assert floors or raw(name)["caution"]
    for floor in floors:
        assert floor["source"].strip()
        assert is_a_day(floor["date"])
        assert floor["date"] <= raw(name)["date"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_policy_is_held_to_the_rules_of_others(name: str) -> None:
    """What a user's own file is refused for, no built-in file has."""
    content = DATA.joinpath(f"{name}.toml").read_bytes()
    known = {candidate.hasher for candidate in candidates()}
    assert load_policy(name) == policy_from_toml(content, name=name, known_hashers=known)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_floor_is_a_legal_setting_of_a_known_hasher(name: str) -> None:
    """Every floor names a registered hasher and its own params, and where the hasher climbs a
    ladder, memory that is one of its steps, so that the setting itself can be recommended.
    """
    known = {candidate.hasher: candidate for candidate in reversed(candidates())}
    for floor in load_policy(name).floors:
        hasher = known[floor.hasher].load()
        assert floor.params.keys() <= hasher.lowest.keys()
        for knob in hasher.knobs:
            if knob.name in floor.params:
                assert knob.minimum <= floor.params[knob.name] <= knob.maximum
                if knob.scale is Scale.LADDER:
                    assert floor.params[knob.name] in knob.steps
