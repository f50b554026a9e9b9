"""Every built-in hasher computes published vectors, and agrees with another implementation."""

import itertools
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Params, Scale
from hashcost.hashers import registry
from hashcost.hashers.built_in import ALGORITHMS
from hashcost.hashers.interface import Hasher, check_known_answers, check_output
from hashcost.hashers.registry import Candidate, candidates
from laws import examples

BUILT_IN: Final = {one.label: one for one in candidates() if one.label in registry.BUILT_IN}
PAIRS: Final = [
    pair
    for pair in itertools.combinations(BUILT_IN.values(), 2)
    if pair[0].hasher == pair[1].hasher and "scrypt@libcrypt" not in {p.label for p in pair}
]
SYSTEM_LIBRARIES: Final = ("hashlib", "libcrypt")
"""The rest are dependencies of this package: they must load."""

CRYPT_ALPHABET: Final = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

crypt_salts = st.lists(st.sampled_from(CRYPT_ALPHABET), min_size=1, max_size=16).map(bytes)
c_strings = st.binary(max_size=160).map(lambda password: password.replace(b"\0", b"0"))
rounds = st.one_of(st.just(5000), st.integers(1000, 1100)).map(lambda count: {"rounds": count})
iterations = st.integers(1, 50).map(lambda count: {"iterations": count})
costs = st.integers(4, 5).map(lambda cost: {"cost": cost})

sha2_crypt_inputs = st.tuples(c_strings, crypt_salts, rounds)
pbkdf2_inputs = st.tuples(st.binary(max_size=160), st.binary(max_size=80), iterations)
# More than 72 bytes are refused by one implementation and cut by the other.
bcrypt_inputs = st.tuples(
    c_strings.map(lambda password: password[:72]), st.binary(min_size=16, max_size=16), costs
)
# $7$ writes 32 bytes of what the others give 64 of, in another alphabet: see below.
scrypt_inputs = st.tuples(
    st.binary(max_size=80),
    st.binary(max_size=80),
    st.fixed_dictionaries(
        {"n": st.sampled_from([2, 16, 64]), "r": st.integers(1, 9), "p": st.integers(1, 3)}
    ),
)
argon2_inputs = st.integers(1, 4).flatmap(
    lambda lanes: st.tuples(
        st.binary(max_size=80),
        st.binary(min_size=8, max_size=80),
        st.fixed_dictionaries(
            {
                "memory_kib": st.integers(8 * lanes, 80),
                "time_cost": st.integers(1, 3),
                "parallelism": st.just(lanes),
            }
        ),
    )
)
CHEAP_INPUTS: Final[dict[str, st.SearchStrategy[tuple[bytes, bytes, Params]]]] = {
    "sha512-crypt": sha2_crypt_inputs,
    "sha256-crypt": sha2_crypt_inputs,
    "pbkdf2-sha1": pbkdf2_inputs,
    "pbkdf2-sha256": pbkdf2_inputs,
    "pbkdf2-sha512": pbkdf2_inputs,
    "bcrypt": bcrypt_inputs,
    "scrypt": scrypt_inputs,
    "argon2id": argon2_inputs,
}

ALONE: Final = ("yescrypt",)
"""The algorithms that only one implementation has: libxcrypt's is the only yescrypt."""

each_hasher = pytest.mark.parametrize("candidate", BUILT_IN.values(), ids=BUILT_IN.keys())
each_pair = pytest.mark.parametrize(
    "pair", PAIRS, ids=[f"{one.label}-{other.implementation}" for one, other in PAIRS]
)


def loaded(candidate: Candidate) -> Hasher:
    """The hasher, or a skipped test where this system has no such library."""
    try:
        return candidate.load()
    except UnavailableError as error:
        if candidate.implementation not in SYSTEM_LIBRARIES:
            raise
        pytest.skip(f"{candidate.label}: {error}")


def digest(hasher: Hasher, password: bytes, salt: bytes, params: Params) -> bytes:
    """The output after the setting, which one algorithm may write in two ways."""
    call = hasher.ready(password, salt, params)
    return check_output(call, call.run(), where="here")[len(call.prefix) :]


@each_hasher
def test_known_answers_are_computed(candidate: Candidate) -> None:
    """Every hasher that loads here computes its known answers."""
    check_known_answers(loaded(candidate))


@each_hasher
def test_known_answers_are_cheap_and_legal(candidate: Candidate) -> None:
    """A known answer has the hasher's params, legal ones, and takes neither time nor memory."""
    hasher = loaded(candidate)
    cheap = {"rounds": 10_000, "iterations": 10_000, "cost": 6, "n": 1024, "time_cost": 3}

    for answer in hasher.known_answers:
        assert list(hasher.lowest) == list(answer.params)
        assert hasher.memory_bytes(answer.params) <= 1 << 20
        for knob in hasher.knobs:
            value = answer.params[knob.name]
            assert knob.minimum <= value <= min(cheap.get(knob.name, value), knob.maximum)


@each_hasher
def test_steps_of_memory_are_legal_and_rise(candidate: Candidate) -> None:
    """A ladder has its lowest params first, legal steps, and more memory with each."""
    hasher = loaded(candidate)
    for ladder in hasher.knobs:
        if ladder.scale is not Scale.LADDER:
            assert () == ladder.steps
            continue
        memory = [hasher.memory_bytes({**hasher.lowest, ladder.name: n}) for n in ladder.steps]
        assert hasher.lowest[ladder.name] == ladder.steps[0]
        assert sorted(set(memory)) == memory
        assert ladder.minimum <= ladder.steps[0] < ladder.steps[-1] <= ladder.maximum


@each_hasher
def test_a_ready_call_can_be_repeated(candidate: Candidate) -> None:
    """A ready call gives the same hash each time, since a warm-up runs it before the clock."""
    hasher = loaded(candidate)
    answer = hasher.known_answers[0]
    call = hasher.ready(answer.password, answer.salt, answer.params)

    assert [answer.output] * 3 == [call.run() for _ in range(3)]


@each_pair
@examples(25)
@given(data=st.data())
def test_implementations_agree(pair: tuple[Candidate, Candidate], data: st.DataObject) -> None:
    """Two implementations of one algorithm compute the same hash of anything."""
    one, other = map(loaded, pair)
    password, salt, params = data.draw(CHEAP_INPUTS[one.name])

    assert digest(one, password, salt, params) == digest(other, password, salt, params)


def test_every_algorithm_is_compared() -> None:
    """Every built-in algorithm is compared with a second implementation, if there is one."""
    expected = {candidate.hasher for candidate in BUILT_IN.values()} - {*ALONE}
    assert expected == {one.hasher for one, _ in PAIRS} == {*CHEAP_INPUTS}


def test_the_params_of_every_algorithm_are_known() -> None:
    """What is built in has the params of `COST_NAMES`, in their order, and nothing else has."""
    assert COST_NAMES == {name: tuple(facts.lowest) for name, facts in ALGORITHMS.items()}
