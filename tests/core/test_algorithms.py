"""The work of a guess, in each algorithm's own units."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import cases
from hashcost.core.algorithms import (
    COST_NAMES,
    guess_memory,
    guess_traffic,
    guess_work,
    refusal,
    work_ratio,
)
from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Params
from hashcost.hashers.interface import Hasher
from hashcost.hashers.registry import candidates
from strategies import COSTS, hashers


def registered() -> dict[str, Hasher]:
    """Every hasher that works here, by its label."""
    found = {}
    for candidate in candidates():
        try:
            found[candidate.label] = candidate.load()
        except UnavailableError:
            continue
    return found


def test_every_known_algorithm_has_its_params_in_order() -> None:
    """A cost has the names that the hasher itself writes it with, for every hasher there is."""
    hashers_here = registered().values()
    assert {candidate.hasher for candidate in candidates()} == COST_NAMES.keys()
    for hasher in hashers_here:
        assert COST_NAMES[hasher.name] == tuple(hasher.lowest)


def test_memory_is_what_the_hashers_take() -> None:
    """The memory of a guess is that of the hasher itself."""
    for hasher in registered().values():
        ladder = hasher.knobs[0]
        ratios = {
            memory / hasher.memory_bytes(params)
            for step in ladder.steps[2:]
            if (
                memory := guess_memory(hasher.name, params := {**hasher.lowest, ladder.name: step})
            )
        }
        # Scrypt's output and argon2id's own few blocks are a thousandth of it.
        assert all(0.999 < ratio < 1.001 for ratio in ratios)
        assert bool(ratios) is bool(ladder.steps)


@pytest.mark.parametrize(
    ("hasher", "params", "work"),
    [
        ("sha512-crypt", {"rounds": 5000}, 5000),
        ("pbkdf2-sha256", {"iterations": 600_000}, 600_000),
        ("bcrypt", {"cost": 12}, 4096),  # 2^12
        ("scrypt", {"n": 16384, "r": 8, "p": 2}, 262_144),  # 16384 * 8 * 2
        # 19456 * (3 * 2 - 1)
        ("argon2id", {"memory_kib": 19456, "time_cost": 2, "parallelism": 4}, 97_280),
        # libxcrypt: N = 4096, r = 32 at cost 5; N = 1024, r = 8 at cost 1
        ("yescrypt", {"cost": 5}, 131_072),
        ("yescrypt", {"cost": 1}, 8192),
        ("yescrypt", {"cost": 2}, 16384),
        ("yescrypt", {"cost": 3}, 32768),
        ("yescrypt", {"cost": 11}, 2**23),
        ("plugin", {"turns": 5}, None),
    ],
)
def test_work_of_a_guess(hasher: str, params: Params, work: float | None) -> None:
    """Iterations count as they are, bcrypt's cost as a power of two, memory times its use."""
    assert work == guess_work(hasher, params)


@pytest.mark.parametrize(
    ("hasher", "params", "traffic"),
    [
        # 64 MiB * (3 * 3 - 1), in whatever lanes
        ("argon2id", {"memory_kib": 65536, "time_cost": 3, "parallelism": 4}, 2**29),
        # 5/4 * 16 MiB * 2
        ("scrypt", {"n": 16384, "r": 8, "p": 2}, 41_943_040),
        ("yescrypt", {"cost": 5}, None),
        ("bcrypt", {"cost": 12}, None),
        ("scrypt", {"n": 16384}, None),
    ],
)
def test_traffic_of_a_guess(hasher: str, params: Params, traffic: float | None) -> None:
    """A guess moves its memory as often as it passes over it, where that is what limits it."""
    assert traffic == guess_traffic(hasher, params)


@pytest.mark.parametrize("hasher", ["bcrypt", "pbkdf2-sha1", "sha256-crypt", "plugin"])
def test_a_hasher_without_memory_has_none(hasher: str) -> None:
    """Where the memory does not depend on the cost, there is none to compare."""
    assert guess_memory(hasher, {"cost": 12}) is None


@given(hashers, st.data())
def test_more_of_a_param_is_never_less_work(hasher: str, data: st.DataObject) -> None:
    """Whatever the cost, raising a param takes no less work and no less memory."""
    params, more = data.draw(COSTS[hasher]), data.draw(COSTS[hasher])
    raised = {name: max(value, more[name]) for name, value in params.items()}
    for measure in (guess_work, guess_memory):
        assert (measure(hasher, params) or 0.0) <= (measure(hasher, raised) or 0.0)


@pytest.mark.parametrize(
    ("hasher", "params", "least"),
    cases(__file__, "algorithms.toml", "argon2_has_eight_blocks_for_each_lane"),
)
def test_argon2_has_eight_blocks_for_each_lane(hasher: str, params: Params, least: str) -> None:
    """Less memory than that is no cost at all, and what would be is said."""
    assert refusal(hasher, params).rpartition(" ")[2] == least


@pytest.mark.parametrize(
    ("hasher", "params", "base", "ratio"),
    [
        ("bcrypt", {"cost": 12}, {"cost": 10}, 4.0),
        ("scrypt", {"n": 1024, "r": 6000, "p": 2}, {"n": 1024, "r": 8, "p": 1}, 1500.0),
        ("plugin", {"turns": 30, "lanes": 2}, {"turns": 3, "lanes": 1}, 20.0),
    ],
)
def test_work_is_compared(hasher: str, params: Params, base: Params, ratio: float) -> None:
    """Two costs differ by their work; of an algorithm of another package by every param."""
    assert ratio == work_ratio(hasher, params, base)
