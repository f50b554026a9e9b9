"""What libraries do with costs that are not legal."""

from __future__ import annotations

import os
import signal
import time

import pytest

from fakes import FakeClock, FakeHasher
from hashcost.core.measurement import Params
from hashcost.hashers.interface import Hasher, ReadyCall
from hashcost.hashers.out_of_range import Answer, Did, ask, attempt
from hashcost.hashers.registry import candidates
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT

LOADED = {each.label: each for each in candidates()}


def asked(hasher: Hasher, params: Params) -> Answer:
    """What the hasher answers, in a process of its own."""
    return ask(hasher, PROBE_PASSWORD, PROBE_SALT, params)


@pytest.mark.parametrize(
    ("label", "params"),
    [
        ("sha512-crypt@libcrypt", {"rounds": 1_000_000_000}),
        ("sha512-crypt@passlib", {"rounds": 999}),
        ("pbkdf2-sha256@hashlib", {"iterations": 0}),
        ("pbkdf2-sha256@hashlib", {"iterations": 2**31}),
        ("pbkdf2-sha256@cryptography", {"iterations": 0}),
        ("bcrypt@bcrypt", {"cost": 3}),
        ("bcrypt@bcrypt", {"cost": 32}),
        ("bcrypt@libcrypt", {"cost": 3}),
        ("scrypt@hashlib", {"n": 1000, "r": 8, "p": 1}),
        ("scrypt@libcrypt", {"n": 1000, "r": 8, "p": 1}),
        ("argon2id@argon2-cffi", {"memory_kib": 7, "time_cost": 1, "parallelism": 1}),
    ],
)
def test_libraries_refuse(label: str, params: Params) -> None:
    """A cost outside the range is refused by every library here, in words of its own."""
    answer = asked(LOADED[label].load(), params)

    assert answer.did is Did.REFUSED
    assert answer.words


def test_a_low_count_of_libcrypt_is_refused_or_clamped() -> None:
    """Fewer than 1000 rounds are refused with a token by libxcrypt, and clamped by others:
    the one that is here says which.
    """
    answer = asked(LOADED["sha512-crypt@libcrypt"].load(), {"rounds": 1})

    assert answer in (
        Answer(did=Did.REFUSED, words="returns *0"),
        Answer(did=Did.CLAMPED, params={"rounds": 1000}),
    )


def test_a_setting_that_does_not_exist_is_not_asked() -> None:
    """A step that the adapter has no setting for cannot be asked about."""
    assert Answer(did=Did.UNKNOWN) == asked(LOADED["yescrypt@libcrypt"].load(), {"cost": 12})


def test_memory_outside_the_steps_is_taken() -> None:
    """argon2 takes any memory from 8 KiB on, not only the steps that are climbed."""
    params = {"memory_kib": 1000, "time_cost": 1, "parallelism": 1}

    assert Answer(did=Did.TAKEN) == asked(LOADED["argon2id@argon2-cffi"].load(), params)


class _Clamping(FakeHasher):
    """Hashes at 1000 rounds whatever is asked, as glibc does."""

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        setting = b"$6$rounds=%d$abcdefgh$" % params["rounds"]
        output = b"$6$rounds=1000$abcdefgh$" + b"a" * 86
        return ReadyCall(run=lambda: output, prefix=setting, length=len(setting) + 86)


def test_clamping_is_seen_in_the_output(clock: FakeClock) -> None:
    """The hash itself says which cost it was made with."""
    hasher = _Clamping(clock, name="sha512-crypt")

    assert Answer(did=Did.CLAMPED, params={"rounds": 1000}) == asked(hasher, {"rounds": 1})
    assert Answer(did=Did.TAKEN) == asked(hasher, {"rounds": 1000})


def test_a_crash_and_a_hang_do_no_harm(clock: FakeClock) -> None:
    """A library that crashes refuses; one that does not refuse in time has taken it."""

    def crash(value: int, output: bytes) -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return output

    def hang(value: int, output: bytes) -> bytes:
        time.sleep(60)
        return output

    assert Answer(did=Did.REFUSED, words="crashes") == asked(
        FakeHasher(clock, answer=crash), {"rounds": 1}
    )
    assert Answer(did=Did.TAKEN) == asked(FakeHasher(clock, answer=hang), {"rounds": 1})


def test_without_fork_nobody_is_asked(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no process can be forked, the library is not risked."""
    monkeypatch.delattr(os, "fork")

    assert Answer(did=Did.UNKNOWN) == asked(FakeHasher(clock), {"rounds": 1})


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (None, Answer(did=Did.REFUSED, words="returns nothing")),
        (b"", Answer(did=Did.REFUSED, words="returns nothing")),
        (b"*1", Answer(did=Did.REFUSED, words="returns *1")),
        (b"something else", Answer(did=Did.TAKEN)),
    ],
)
def test_what_comes_back_is_judged(
    clock: FakeClock, output: bytes | None, expected: Answer
) -> None:
    """No output and a failure token are refusals; anything else was a hash."""
    hasher = FakeHasher(clock, answer=lambda value, true: output)

    assert expected == attempt(hasher, PROBE_PASSWORD, PROBE_SALT, {"rounds": 1})


def test_what_is_raised_is_a_refusal(clock: FakeClock) -> None:
    """An error, when the call is made ready or runs, is a refusal in its words."""

    class Refusing(FakeHasher):
        def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
            raise ValueError("not so")

    def fail(value: int, output: bytes) -> bytes:
        raise ValueError("nor so")

    assert Answer(did=Did.REFUSED, words="not so") == attempt(Refusing(clock), b"", b"", {})
    assert Answer(did=Did.REFUSED, words="nor so") == attempt(
        FakeHasher(clock, answer=fail), b"", b"", {"rounds": 1}
    )
