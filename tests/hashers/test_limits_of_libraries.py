"""What a library cannot do is found before it is timed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from hashcost.core.errors import UnavailableError
from hashcost.hashers import libcrypt, scrypt, yescrypt
from hashcost.hashers.interface import Hasher
from hashcost.hashers.libcrypt import LibCrypt

INT_MAX = 2**31 - 1


def test_no_step_asks_hashlib_for_more_than_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPython passes no maxmem above 2^31 - 1 on: no step of scrypt@hashlib needs more."""
    asked: list[int] = []

    def recording(password: bytes, *, maxmem: int, dklen: int, **params: object) -> bytes:
        asked.append(maxmem)
        return bytes(dklen)

    hasher = scrypt.by_hashlib()
    monkeypatch.setattr(hashlib, "scrypt", recording)
    for step in hasher.knobs[0].steps:
        hasher.ready(b"secret", b"salt", {**hasher.lowest, "n": step}).run()

    assert len(hasher.knobs[0].steps) == len(asked)
    assert [] == [maxmem for maxmem in asked if maxmem > INT_MAX]


@pytest.mark.parametrize("token", [None, b"*0", b"*1"])
@pytest.mark.parametrize("factory", [yescrypt.by_libcrypt, scrypt.by_libcrypt])
def test_a_libcrypt_without_the_algorithm_has_it_not(
    monkeypatch: pytest.MonkeyPatch, factory: Callable[[], Hasher], token: bytes | None
) -> None:
    """A libcrypt that refuses the setting (glibc's, musl's) makes the hasher unavailable, not
    wrong: a default run on such a system ends well without it.
    """
    refusing = LibCrypt("2.31", lambda password, setting, state: token)
    monkeypatch.setattr(libcrypt, "load", lambda: refusing)

    with pytest.raises(UnavailableError):
        factory()
