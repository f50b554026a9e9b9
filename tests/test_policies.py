"""Floors that others have published."""

from __future__ import annotations

import datetime as dt
from importlib.resources import files
from typing import Final

import msgspec
import pytest

from hashcost.hashers.registry import candidates
from hashcost.model import Params, Scale
from hashcost.policies.catalogue import load_policy
from hashcost.policies.policy import Floor, Policy

BUILT_IN: Final = sorted(
    file.name.removesuffix(".toml")
    for file in files("hashcost.policies").joinpath("data").iterdir()
)

FLOOR: Final = Floor(hasher="argon2id", params={"memory_kib": 19456, "time_cost": 2})


@pytest.mark.parametrize(
    ("params", "met"),
    [
        ({"memory_kib": 19456, "time_cost": 2}, True),
        ({"memory_kib": 47104, "time_cost": 2, "parallelism": 1}, True),
        ({"memory_kib": 19456, "time_cost": 9}, True),
        ({"memory_kib": 19455, "time_cost": 9}, False),
        ({"memory_kib": 1048576, "time_cost": 1}, False),
        ({"memory_kib": 19456}, False),
        ({}, False),
    ],
)
def test_a_floor_is_met_where_no_param_is_below_it(params: Params, met: bool) -> None:
    """More of one param makes up for no less of another, and a param that is missing is less."""
    assert met == FLOOR.met_by(params)


def test_a_hasher_that_a_policy_does_not_name_has_no_floor() -> None:
    """The floors are those of the hasher asked for, in the order of the file."""
    policy = Policy(
        id="made-up",
        title="Made up",
        source="nowhere",
        date=dt.date(2026, 1, 1),
        floors=(FLOOR, Floor(hasher="scrypt", params={"n": 2}), FLOOR),
    )
    assert (FLOOR, FLOOR) == policy.floors_of("argon2id")
    assert policy.floors_of("bcrypt") == ()


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_policy_says_whose_it_is_and_of_when(name: str) -> None:
    """Every built-in policy goes by its file's name, with its title, its source and its date."""
    policy = load_policy(name)
    assert name == policy.id
    assert policy.title.strip()
    assert policy.source.strip()
    assert dt.date(2010, 1, 1) < policy.date
    assert policy.floors


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


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_floor_makes_another_needless(name: str) -> None:
    """Of the alternatives for one hasher none is met by all that meet another."""
    policy = load_policy(name)
    for floor in policy.floors:
        others = [other for other in policy.floors_of(floor.hasher) if other != floor]
        assert [] == [other for other in others if other.met_by(floor.params)]


def test_owasp_lists_its_five_settings_of_argon2id() -> None:
    """OWASP's alternatives trade memory for passes, from 46 MiB down to 7."""
    floors = load_policy("owasp").floors_of("argon2id")
    assert [(47104, 1), (19456, 2), (12288, 3), (9216, 4), (7168, 5)] == [
        (floor.params["memory_kib"], floor.params["time_cost"]) for floor in floors
    ]


@pytest.mark.parametrize("extra", [{"colour": "red"}, {"floors": [{"hasher": "a", "parms": {}}]}])
def test_a_misspelt_field_is_refused(extra: dict[str, object]) -> None:
    """A field that no policy has does not pass in silence."""
    policy = {
        "id": "a",
        "title": "b",
        "source": "c",
        "date": dt.date(2026, 1, 1),
        "floors": [{"hasher": "scrypt", "params": {"n": 2}}],
    }
    assert msgspec.convert(policy, Policy).id == "a"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(policy | extra, Policy)
