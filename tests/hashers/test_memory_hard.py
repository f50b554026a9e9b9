"""scrypt, argon2id and yescrypt against their papers and against libxcrypt's own settings."""

import ctypes
import hashlib
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Params
from hashcost.hashers import libcrypt, scrypt, yescrypt
from hashcost.hashers.interface import Hasher, check_output
from hashcost.hashers.libcrypt import LibCrypt
from hashcost.hashers.registry import candidates
from laws import examples

DIGITS: Final = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def hasher(label: str) -> Hasher:
    """The hasher, or a skipped test where the system's library has it not."""
    candidate = next(one for one in candidates() if one.label == label)
    try:
        return candidate.load()
    except UnavailableError as error:
        if candidate.implementation != "libcrypt":
            raise
        pytest.skip(f"{label}: {error}")


def hashed(label: str, password: bytes, salt: bytes, params: Params) -> bytes:
    """The whole output, checked for its setting and its length."""
    call = hasher(label).ready(password, salt, params)
    return check_output(call, call.run(), where="here")


@pytest.mark.parametrize("label", ["scrypt@hashlib", "scrypt@cryptography", "scrypt@libcrypt"])
def test_more_than_32_mib(label: str) -> None:
    """Scrypt runs above 32 MiB, where OpenSSL refuses unless it is told more."""
    params = {"n": 2**16, "r": 8, "p": 1}

    assert hashed(label, b"secret", b"abcdefghIJKLMOPQ", params)


def decoded(text: bytes) -> bytes:
    """Bytes written as crypt writes them: six bits a digit, the lowest first."""
    output = bytearray()
    for start in range(0, len(text), 4):
        group = text[start : start + 4]
        value = sum(DIGITS.index(digit) << 6 * place for place, digit in enumerate(group))
        output += value.to_bytes(3, "little")[: len(group) * 6 // 8]
    return bytes(output)


@examples(25)
@given(
    password=st.binary(max_size=40).map(lambda text: text.replace(b"\0", b"0")),
    salt=st.lists(st.sampled_from(DIGITS), min_size=1, max_size=20).map(bytes),
    log2_n=st.integers(2, 6),
    r=st.integers(1, 9),
    p=st.integers(1, 3),
)
def test_crypts_scrypt_is_scrypt(
    password: bytes, salt: bytes, log2_n: int, r: int, p: int
) -> None:
    """The hash in a ``$7$`` string is what scrypt gives for the same N, r and p."""
    output = hashed("scrypt@libcrypt", password, salt, {"n": 2**log2_n, "r": r, "p": p})

    expected = hashlib.scrypt(password, salt=salt, n=2**log2_n, r=r, p=p, dklen=32)
    assert expected == decoded(output.rpartition(b"$")[2])


@pytest.mark.parametrize("cost", range(1, 12))
def test_yescrypt_settings_are_libxcrypts(cost: int) -> None:
    """A cost of yescrypt is written as crypt_gensalt of the same library writes it."""
    ours = hasher("yescrypt@libcrypt")
    libcrypt.load()
    library = ctypes.CDLL(next(name for name in ("libcrypt.so.1", "libcrypt.so.2") if found(name)))
    library.crypt_gensalt.restype = ctypes.c_char_p
    library.crypt_gensalt.argtypes = (
        ctypes.c_char_p,
        ctypes.c_ulong,
        ctypes.c_char_p,
        ctypes.c_int,
    )

    expected = library.crypt_gensalt(b"$y$", cost, b"0123456789abcdef", 16)
    written = ours.ready(b"secret", b"salt", {"cost": cost}).prefix
    assert expected.split(b"$")[2] == written.split(b"$")[2]


def found(name: str) -> bool:
    """Whether the loader has this library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


@table("label, params, expected")
def test_memory(label: str, params: Params, expected: int) -> None:
    """A hasher tells how much memory a setting takes."""
    assert expected == hasher(label).memory_bytes(params)


def test_lanes_are_threads() -> None:
    """A hash of argon2id runs in as many threads as it has lanes; scrypt's p is no threads."""
    argon2id, other = hasher("argon2id@cryptography"), hasher("scrypt@hashlib")

    expected = (4, 1)
    assert expected == (
        argon2id.threads({**argon2id.lowest, "parallelism": 4}),
        other.threads({**other.lowest, "p": 4}),
    )


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
