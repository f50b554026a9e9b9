"""No output but the right one passes for a hash."""

import re
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Final, cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hashcost.core.errors import WrongAnswerError
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

_ANOTHER: Final = "hashed with another setting than the one asked for"
NOT_THE_HASH: Final = [
    (None, "returned nothing"),
    (b"", "returned nothing"),
    (b"*0", "returned the failure token *0 instead of a hash"),
    (HASH[:-1], "returned 117 bytes instead of 118"),
    (SETTING, "returned 32 bytes instead of 118"),
    (HASH.replace(b"rounds=1000", b"rounds=1001"), _ANOTHER),
    # The rounds are ignored.
    (b"$6$abcdefghIJKLMOPQ$" + DIGEST, _ANOTHER),
]


def fake_hasher(output: bytes | None, *answers: KnownAnswer) -> Hasher:
    """Returns this output, whatever it is asked to hash."""
    ready = partial(ready_call, lambda: output)
    return cast("Hasher", SimpleNamespace(known_answers=answers, ready=lambda *_: ready()))


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
    check_known_answers(fake_hasher(HASH, answer(), answer("another")))


@pytest.mark.parametrize(
    ("output", "message"),
    [
        NOT_THE_HASH[0],
        (SETTING + DIGEST[::-1], "computed a wrong hash"),
        (HASH[:-1] + b".", "computed a wrong hash"),
    ],
)
def test_a_wrong_known_answer_is_refused(output: bytes | None, message: str) -> None:
    """A known answer that comes out otherwise names its source and quotes no hash."""
    hasher = fake_hasher(output, answer())

    with pytest.raises(WrongAnswerError) as caught:
        check_known_answers(hasher)

    assert f"{message} for a known answer (the article)" == str(caught.value)


def test_every_known_answer_is_computed() -> None:
    """One wrong known answer among right ones is enough, and is the one that is named."""
    wrong = answer("the second", SETTING + DIGEST[::-1])
    hasher = fake_hasher(HASH, answer(), wrong)

    with pytest.raises(WrongAnswerError, match=r"^computed a wrong hash .*\(the second\)$"):
        check_known_answers(hasher)
