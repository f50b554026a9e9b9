"""No output but the right one passes for a hash."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hashcost.core.errors import WrongAnswerError
from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers.interface import (
    Hasher,
    KnownAnswer,
    ReadyCall,
    check_known_answers,
    check_output,
)

SETTING: Final = b"$6$rounds=1000$abcdefghIJKLMOPQ$"
DIGEST: Final = (
    b"OcJQW0dfxJ6UxjuOg86iAj9seVPfZ.3Kz9FQ3psUOpFEeKCZZ6ccrPKDUwSGa925S1ed8sJN1V8JbOcgAMehS/"
)
HASH: Final = SETTING + DIGEST

NOT_THE_HASH: Final = [
    pytest.param(None, "returned nothing", id="none"),
    pytest.param(b"", "returned nothing", id="empty"),
    pytest.param(b"*0", "returned the failure token *0 instead of a hash", id="star-0"),
    pytest.param(HASH[:-1], "returned 117 bytes instead of 118", id="one-byte-short"),
    pytest.param(SETTING, "returned 32 bytes instead of 118", id="setting-alone"),
    pytest.param(
        HASH.replace(b"rounds=1000", b"rounds=1001"),
        "hashed with another setting than the one asked for",
        id="other-rounds",
    ),
    pytest.param(
        b"$6$abcdefghIJKLMOPQ$" + DIGEST,
        "hashed with another setting than the one asked for",
        id="rounds-ignored",
    ),
]


@dataclass(frozen=True, kw_only=True)
class FakeHasher:
    """Returns what it is told to, whatever it is asked to hash."""

    output: bytes | None
    known_answers: tuple[KnownAnswer, ...]
    name: str = "sha512-crypt"
    implementation: str = "fake"
    version: str = "1"
    knobs: tuple[Knob, ...] = (
        Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=999_999_999),
    )
    drift: float = 0.01

    @property
    def lowest(self) -> Params:
        """The knob at its lowest."""
        return {"rounds": 1000}

    def memory_bytes(self, params: Params) -> int:
        """None to speak of."""
        return 1024

    def threads(self, params: Params) -> int:
        """One."""
        return 1

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        """Return the output that was given."""
        return ready_call(lambda: self.output)


def ready_call(run: Callable[[], bytes | None]) -> ReadyCall:
    """A call that promises a hash like `HASH`."""
    return ReadyCall(run=run, prefix=SETTING, length=len(HASH))


def answer(source: str = "the article", output: bytes = HASH) -> KnownAnswer:
    """A known answer with this output."""
    return KnownAnswer(
        password=b"secret",
        salt=b"abcdefghIJKLMOPQ",
        params={"rounds": 1000},
        output=output,
        source=source,
    )


def test_a_whole_hash_passes() -> None:
    """A whole hash of the setting asked for is returned as it is."""
    passed = check_output(ready_call(lambda: HASH), HASH, where="here")

    assert passed == HASH


@pytest.mark.parametrize(("output", "message"), NOT_THE_HASH)
def test_anything_else_is_refused(output: bytes | None, message: str) -> None:
    """A failure token, a part of a hash or the hash of another setting is named as such."""
    with pytest.raises(WrongAnswerError) as caught:
        check_output(ready_call(lambda: output), output, where="at 1000 rounds")

    assert f"{message} at 1000 rounds" == str(caught.value)


def test_a_digest_may_start_with_an_asterisk() -> None:
    """A raw digest whose first byte is an asterisk is no failure token."""
    digest = b"*0" + bytes(18)

    call = ReadyCall(run=lambda: digest, length=20)
    assert digest == check_output(call, digest, where="here")


@given(
    st.one_of(
        st.none(),
        st.binary(max_size=200),
        st.binary(max_size=100).map(lambda tail: SETTING + tail),
        st.integers(0, len(HASH) - 1).map(lambda length: HASH[:length]),
        st.integers(0, len(HASH) - 1).map(lambda length: b"*" + HASH[:length]),
    )
)
def test_no_message_holds_a_hash(output: bytes | None) -> None:
    """Whatever comes back, a message says what is wrong with it and quotes none of it."""
    assume(output is None or not output.startswith(SETTING) or len(output) != len(HASH))
    with pytest.raises(WrongAnswerError) as caught:
        check_output(ready_call(lambda: output), output, where="here")

    assert re.fullmatch(
        r"returned nothing here"
        r"|returned the failure token \*.? instead of a hash here"
        r"|returned \d+ bytes instead of 118 here"
        r"|hashed with another setting than the one asked for here",
        str(caught.value),
        re.DOTALL,
    )


def test_known_answers_pass() -> None:
    """A hasher that computes all its known answers is not complained about."""
    hasher: Hasher = FakeHasher(output=HASH, known_answers=(answer(), answer("another")))

    check_known_answers(hasher)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        *NOT_THE_HASH,
        pytest.param(SETTING + DIGEST[::-1], "computed a wrong hash", id="wrong-hash"),
        pytest.param(HASH[:-1] + b".", "computed a wrong hash", id="last-character"),
    ],
)
def test_a_wrong_known_answer_is_refused(output: bytes | None, message: str) -> None:
    """A known answer that comes out otherwise names its source and quotes no hash."""
    hasher = FakeHasher(output=output, known_answers=(answer(),))

    with pytest.raises(WrongAnswerError) as caught:
        check_known_answers(hasher)

    assert f"{message} for a known answer (the article)" == str(caught.value)


def test_every_known_answer_is_computed() -> None:
    """One wrong known answer among right ones is enough, and is the one that is named."""
    wrong = answer("the second", SETTING + DIGEST[::-1])
    hasher = FakeHasher(output=HASH, known_answers=(answer(), wrong))

    with pytest.raises(WrongAnswerError, match=r"^computed a wrong hash .*\(the second\)$"):
        check_known_answers(hasher)


def test_a_wrong_answer_ends_the_command_as_unavailable() -> None:
    """A hasher that computes a wrong hash counts as one that is not available."""
    expected = ("wrong-answer", 4)
    assert expected == (WrongAnswerError.code, WrongAnswerError.exit_code)
