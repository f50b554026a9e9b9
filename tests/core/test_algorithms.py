"""The work of a guess, in each algorithm's own units."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from corpora import table
from hashcost.core.algorithms import (
    COST_NAMES,
    MAXMEM,
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


@table("hasher, params, work")
def test_work_of_a_guess(hasher: str, params: Params, work: float | None) -> None:
    """Iterations count as they are, bcrypt's cost as a power of two, memory times its use."""
    assert work == guess_work(hasher, params)


@table("hasher, params, traffic")
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


@table("hasher, params, least")
def test_argon2_has_eight_blocks_for_each_lane(hasher: str, params: Params, least: str) -> None:
    """Less memory than that is no cost at all, and what would be is said."""
    assert refusal(hasher, params).rpartition(" ")[2] == least


@table("params, why")
def test_scrypt_refuses_what_no_memory_limit_allows(params: Params, why: str) -> None:
    """OpenSSL refuses these at any limit, so no advice may raise it, and what would do is said."""
    assert refusal("scrypt", params) == why
    assert not replace(MAXMEM, allows=0).raised_for(params)
    with pytest.raises(ValueError, match=r"limit exceeded|parameter|power of 2"):
        hashlib.scrypt(b"p", salt=b"salt", maxmem=2**31 - 1, **params)


@table("hasher, params, base, ratio")
def test_work_is_compared(hasher: str, params: Params, base: Params, ratio: float) -> None:
    """Two costs differ by their work; of an algorithm of another package by every param."""
    assert ratio == work_ratio(hasher, params, base)
