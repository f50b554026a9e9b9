"""What a format's pattern has found, made a reading: the functions that a row names."""

import binascii
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Concatenate, Final, TypeAlias

from hashcost.stored.formats.crypt64 import fixed as fixed_number
from hashcost.stored.formats.crypt64 import yescrypt_params
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.rows import LARGEST, Row, hashed, number

Setting: TypeAlias = Callable[Concatenate[Row, ...], Reading | None]
"""Reads what the groups of a row's pattern hold."""

DIGEST_BYTES: Final = {"sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}
MOST_LANES: Final = 2**24 - 1
_LARGEST_LOG2 = 58
"""Of scrypt's N: what Authelia takes at most; passlib writes 31 at most."""


def _fixed(row: Row) -> Reading:
    """The only cost of the format, or none."""
    return Reading(
        kind=row.kind,
        format=row.name,
        hasher=row.hasher,
        params=row.params,
        blocks=row.blocks,
        notes=row.notes,
    )


def _counted(row: Row, digits: str | None) -> Reading | None:
    assert row.count is not None  # noqa: S101 - else the setting is another
    count = row.count
    value = count.default if digits is None else number(digits, count.minimum, count.maximum)
    params = {count.param: value}
    return hashed(row.name, row.hasher, params, *row.notes, client_side=row.client_side)


# PBKDF2


def _of_base64(characters: int) -> int:
    """The bytes that so many base64 characters hold, padding not counted."""
    return characters * 3 // 4


def _of_hex(digits: int) -> int:
    """The bytes that so many hexadecimal digits hold, none in an odd number of them."""
    return 0 if digits % 2 else digits // 2


def pbkdf2(name: str, digest: str, iterations: int | None, key_bytes: int) -> Reading | None:
    """PBKDF2 of this cost, with a key of so many bytes."""
    if not iterations or not key_bytes:
        return None
    blocks = -(-key_bytes // DIGEST_BYTES[digest])
    return Reading(
        kind=Kind.HASHED,
        format=name,
        hasher=f"pbkdf2-{digest}",
        params={"iterations": iterations},
        blocks=blocks,
        notes=("extra-blocks",) if blocks > 1 else (),
    )


def _derived(
    row: Row, digits: str, *lengths: Any, key_bytes: Callable[[int], int] = _of_base64
) -> Reading | None:
    """Decimal iterations and a key, whose length a group between may state."""
    *stated, characters = lengths
    size = key_bytes(characters)
    if any(said is not None and number(said, 1, 9999) != size for said in stated):
        return None
    return pbkdf2(row.name, row.digest, number(digits, 1, LARGEST), size)


def _p5k2(row: Row, digits: str, key: int) -> Reading | None:
    """``$p5k2$`` counts in hexadecimal; Litzenberger's leaves 400 out."""
    if digits.startswith("0"):
        return None
    return pbkdf2(row.name, row.digest, int(digits, 16) if digits else 400, _of_base64(key))


def _pbkdf2_of_base64(row: Row, digits: str, key: int) -> Reading | None:
    """Iterations as four bytes in base64."""
    iterations = int.from_bytes(binascii.a2b_base64(f"{digits}=="))
    return pbkdf2(row.name, row.digest, iterations, _of_base64(key))


def _password4j(row: Row, digits: str, key: int) -> Reading | None:
    """``iterations << 32 | bits of key`` (CompressedPBKDF2Function.java)."""
    value = number(digits, 1 << 32, 2**63 - 1)
    key_bytes = _of_base64(key)
    if value is None or value & 0xFFFFFFFF != 8 * key_bytes:
        return None
    return pbkdf2(row.name, row.digest, value >> 32, key_bytes)


def _aix(row: Row, digits: str) -> Reading | None:
    """Two digits: the logarithm of the iterations, 4 to 31."""
    cost = int(digits)
    if not 4 <= cost <= 31:
        return None
    return pbkdf2(row.name, row.digest, 1 << cost, DIGEST_BYTES[row.digest])


# Argon2 and scrypt


def _argon2(row: Row, version: str | None, costs: str) -> Reading | None:
    """Costs by their keys: Shiro writes them in another order than the others."""
    written = dict(cost.split("=") for cost in costs.split(","))
    if len(written) != 3:
        return None
    params = {
        "memory_kib": number(written["m"], 8, LARGEST),
        "time_cost": number(written["t"], 1, LARGEST),
        "parallelism": number(written["p"], 1, MOST_LANES),
    }
    # Before version 1.3 (19), none was written.
    notes = () if version == "19" else ("old-version",)
    return hashed(row.name, row.hasher, params, *notes)


def _scrypt(row: Row, log2_n: int | None, r: int | None, p: int | None) -> Reading | None:
    """Scrypt of this cost; `None` if RFC 7914 does not allow it."""
    if not log2_n or not r or not p or log2_n > 63 or log2_n >= 16 * r or r * p >= 1 << 30:
        return None
    return hashed(row.name, "scrypt", {"n": 1 << log2_n, "r": r, "p": p})


def _scrypt_of_log2(row: Row, cost: str, block_size: str, lanes: str) -> Reading | None:
    log2_n = number(cost, 1, _LARGEST_LOG2)
    return _scrypt(row, log2_n, number(block_size, 1, 2**30), number(lanes, 1, 2**30))


def _scrypt_of_n(
    row: Row, cost: str, block_size: str, lanes: str, *, minimum: int = 2
) -> Reading | None:
    """N itself, where most write its logarithm."""
    n = number(cost, minimum, 2**63)
    if n is None or n & n - 1:
        return None
    log2_n = n.bit_length() - 1
    return _scrypt(row, log2_n, number(block_size, 1, 2**30), number(lanes, 1, 2**30))


def _scrypt_packed(row: Row, digits: str) -> Reading | None:
    """Hexadecimal ``log2 N << 16 | r << 8 | p`` (Spring, SCryptPasswordEncoder)."""
    value = int(digits, 16)
    return _scrypt(row, value >> 16, value >> 8 & 255, value & 255)


def _scrypt_of_crypt(row: Row, log2_n: str, r: str, p: str) -> Reading | None:
    return _scrypt(row, fixed_number(log2_n), fixed_number(r), fixed_number(p))


# Others


def _yescrypt(row: Row, setting: str) -> Reading | None:
    params = yescrypt_params(setting)
    return None if params is None else hashed(row.name, row.hasher, params)


def _bsdi(row: Row, digits: str) -> Reading | None:
    return hashed(row.name, row.hasher, {"rounds": fixed_number(digits) or None})


def _phpass(row: Row, digit: str) -> Reading | None:
    """The logarithm of the rounds in one digit; phpass and Drupal take 7 to 30."""
    cost = fixed_number(digit)
    return hashed(row.name, row.hasher, {"cost": cost}) if 7 <= cost <= 30 else None


def _mysql(row: Row, digits: str) -> Reading | None:
    """Thousands of rounds, at least five, in three hexadecimal digits; or these as bytes."""
    thousands = int(digits if len(digits) == 3 else bytes.fromhex(digits), 16)
    param = "rounds" if row.hasher == "sha256-crypt" else "iterations"
    return hashed(row.name, row.hasher, {param: 1000 * thousands}) if thousands >= 5 else None


def _parsec(row: Row, digit: str) -> Reading | None:
    """How often 1024 iterations are doubled."""
    params = {"iterations": 1024 << int(digit)}
    return hashed(row.name, row.hasher, params, client_side=row.client_side)


SETTINGS: Final[Mapping[str, Setting]] = {
    "fixed": _fixed,
    "counted": _counted,
    "pbkdf2": _derived,
    "pbkdf2-in-hex": partial(_derived, key_bytes=_of_hex),
    "pbkdf2-of-base64": _pbkdf2_of_base64,
    "p5k2": _p5k2,
    "password4j": _password4j,
    "aix": _aix,
    "argon2": _argon2,
    "scrypt-of-log2": _scrypt_of_log2,
    "scrypt-of-n": _scrypt_of_n,
    "scrypt-of-large-n": partial(_scrypt_of_n, minimum=_LARGEST_LOG2 + 1),
    "scrypt-packed": _scrypt_packed,
    "scrypt-of-crypt": _scrypt_of_crypt,
    "yescrypt": _yescrypt,
    "bsdi": _bsdi,
    "phpass": _phpass,
    "mysql": _mysql,
    "parsec": _parsec,
}
