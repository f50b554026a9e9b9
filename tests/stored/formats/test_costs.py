"""A cost is read as it was written, and one that its format cannot have not at all."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.registry import read
from stored.formats.samples import Secrets

_LARGEST = 2**32 - 1
_S = Secrets(7)
_KEY_20, _KEY_32, _KEY_64 = (_S.base64(size) for size in (20, 32, 64))
_SALT = _S.base64(16)
_HEX = _S.hex(64)


@dataclass(frozen=True)
class _Count:
    """A string with ``@`` where a decimal count stands, and the legal range of it."""

    text: str
    param: str = "iterations"
    minimum: int = 1
    maximum: int = _LARGEST


_COUNTS = (
    _Count(f"$6$rounds=@${_S.crypt(16)}${_S.crypt(86)}", "rounds", 1000, 999_999_999),
    _Count(f"$5$rounds=@${_S.crypt(16)}${_S.crypt(43)}", "rounds", 1000, 999_999_999),
    _Count(f"{{CRYPT}}$6$rounds=@$${_S.crypt(86)}", "rounds", 1000, 999_999_999),
    _Count(f"$sha1$@${_S.crypt(8)}${_S.crypt(28)}", "rounds"),
    _Count(f"$md5,rounds=@${_S.crypt(8)}$${_S.crypt(22)}", "rounds", 1, 2**32 - 4097),
    _Count(f"$pbkdf2$@${_SALT}${_KEY_20}"),
    _Count(f"$pbkdf2-sha512$@${_SALT}${_KEY_64}"),
    _Count(f"$pbkdf2-sha256$i=@,l=32${_SALT}${_KEY_32}"),
    _Count(f"$ml$@${_HEX}${_HEX}"),
    _Count(f"$argon2id$v=19$m=65536,t=@,p=1${_SALT}${_KEY_32}", "time_cost"),
    _Count(f"$argon2id$v=19$m=@,t=1,p=1${_SALT}${_KEY_32}", "memory_kib", 8),
    _Count(f"$argon2i$m={_LARGEST},t=1,p=@${_SALT}${_KEY_32}", "parallelism", 1, 2**24 - 1),
    _Count(f"$scrypt$ln=16,r=8,p=@${_SALT}${_KEY_32}", "p", 1, 2**27 - 1),
    _Count(f"$scrypt$ln=15,r=@,p=1${_SALT}${_KEY_32}", "r", 1, 2**30 - 1),
    _Count(f"scrypt$32768$salt$8$@${_S.base64(64)}", "p", 1, 2**27 - 1),
    _Count(f"scrypt:32768:@:1$salt${_S.hex(128)}", "r", 1, 2**30 - 1),
    _Count(f"pbkdf2_sha256$@$salt${_KEY_32}"),
    _Count(f"pbkdf2_sha1$@$salt${_KEY_20}"),
    _Count(f"pbkdf2:sha256:@$salt${_HEX}"),
    _Count(f"{{PBKDF2}}@${_SALT}${_KEY_20}"),
    _Count(f"{{PBKDF2}}@${_KEY_32}${_KEY_32}"),
    _Count(f"{{PBKDF2}}$1$salt$@${_S.hex(40)}"),
    _Count(f"{{PBKDF2-SHA512}}@${_SALT}${_KEY_64}"),
    _Count(f"{{SCRAM-SHA-256}}@,{_SALT},{_KEY_32},{_KEY_32}"),
    _Count(f"SCRAM-SHA-256$@:{_SALT}${_KEY_32}:{_KEY_32}"),
    _Count(f"$scram$@${_SALT.rstrip('=')}$sha-1={_KEY_20.rstrip('=')}"),
    _Count(f"{{FSHP1|16|@}}{_S.base64(48)}"),
    _Count(f"$shiro1$SHA-512$@${_SALT}${_KEY_64}"),
    _Count(f"$pbkdf2sha1$@${_SALT}${_S.base64(39)}"),
    _Count(f"$7$@${_SALT}${_KEY_64}"),
    _Count(f"grub.pbkdf2.sha512.@.{_HEX}.{_HEX}"),
    _Count(f":pbkdf2:sha512:@:64:{_SALT}:{_KEY_64}"),
)
_each_count = pytest.mark.parametrize("count", _COUNTS, ids=lambda count: count.text[:24])


@_each_count
@given(data=st.data())
def test_a_legal_count_is_read_as_written(count: _Count, data: st.DataObject) -> None:
    """Every count from the least to the most that the format has comes back."""
    value = data.draw(st.integers(count.minimum, count.maximum))
    reading = read(count.text.replace("@", str(value)))
    assert (Kind.HASHED, value) == (reading.kind, reading.params[count.param])


@_each_count
def test_the_ends_of_the_range_are_legal(count: _Count) -> None:
    """Both ends are included."""
    for value in (count.minimum, count.maximum):
        reading = read(count.text.replace("@", str(value)))
        assert (Kind.HASHED, value) == (reading.kind, reading.params[count.param])


@_each_count
def test_what_is_no_count_is_malformed(count: _Count) -> None:
    """A sign, a leading zero, an exponent, a space, foreign digits or 10^30 are no cost."""
    arabic = "\u0665\u0660\u0660\u0660"
    for written in ("-5000", "+5000", "05000", "5e3", " 5000", "5_000", arabic, str(10**30)):
        assert read(count.text.replace("@", written)).kind is Kind.MALFORMED, written


@_each_count
def test_a_count_out_of_range_is_malformed(count: _Count) -> None:
    """A cost that the format cannot have is not passed on."""
    for value in (0, count.minimum - 1, count.maximum + 1):
        assert read(count.text.replace("@", str(value))).kind is Kind.MALFORMED


_LOG2 = (
    _Count(f"$2b$@${_S.crypt(53)}", "cost", 4, 31),
    _Count(f"bcrypt$$2b$@${_S.crypt(53)}", "cost", 4, 31),
    _Count(f"{{bcrypt}}$2a$@${_S.crypt(53)}", "cost", 4, 31),
    _Count(f"$wp$2y$@${_S.crypt(53)}", "cost", 4, 31),
)


@pytest.mark.parametrize("count", _LOG2, ids=lambda count: count.text[:12])
def test_the_cost_of_bcrypt_has_two_digits(count: _Count) -> None:
    """04 to 31 are read; 3, 4, 32 and 004 are malformed."""
    for value in range(count.minimum, count.maximum + 1):
        assert {"cost": value} == read(count.text.replace("@", f"{value:02d}")).params
    for written in ("00", "03", "32", "99", "4", "004", "-4", "1\u0662"):
        assert read(count.text.replace("@", written)).kind is Kind.MALFORMED


@given(n=st.integers(1, 31), r=st.integers(2, 255), p=st.integers(1, 255))
def test_scrypt_is_read_however_its_cost_is_written(n: int, r: int, p: int) -> None:
    """N, its logarithm, or packed with r and p: the cost is the same."""
    params = {"n": 1 << n, "r": r, "p": p}
    assert params == read(f"$scrypt$ln={n},r={r},p={p}${_SALT}${_KEY_32}").params
    assert params == read(f"scrypt${1 << n}$salt${r}${p}${_S.base64(64)}").params
    assert params == read(f"scrypt:{1 << n}:{r}:{p}$salt${_S.hex(128)}").params
    assert params == read(f"$s0${n << 16 | r << 8 | p:x}${_SALT}${_KEY_32}").params
    assert params == read(f"{{scrypt}}${n << 16 | r << 8 | p:x}${_SALT}${_KEY_32}").params


@pytest.mark.parametrize("n", [0, 1, 3, 1000, 2**63 + 1])
def test_n_is_a_power_of_two(n: int) -> None:
    """RFC 7914 knows no other N."""
    assert read(f"scrypt:{n}:8:1$salt${_S.hex(128)}").kind is Kind.MALFORMED
    assert read(f"scrypt${n}$salt$8$1${_S.base64(64)}").kind is Kind.MALFORMED


@given(cost=st.integers(7, 30))
def test_phpass_counts_in_one_digit(cost: int) -> None:
    """The place of the digit in crypt's alphabet is the logarithm of the rounds."""
    digit = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[cost]
    assert {"cost": cost} == read(f"$P${digit}{_S.crypt(30)}").params
    assert {"cost": cost} == read(f"$S${digit}{_S.crypt(51)}").params


@pytest.mark.parametrize("digit", [".", "4", "T", "z"])
def test_phpass_has_a_range(digit: str) -> None:
    """Fewer than 2^7 and more than 2^30 rounds are malformed."""
    assert read(f"$P${digit}{_S.crypt(30)}").kind is Kind.MALFORMED


@given(iterations=st.integers(1, _LARGEST))
def test_p5k2_counts_in_hexadecimal(iterations: int) -> None:
    """Litzenberger's format writes hexadecimal without leading zeros."""
    text = f"$p5k2${iterations:x}$saltsalt${_S.crypt(32)}"
    assert {"iterations": iterations} == read(text).params
    assert read(text.replace("$p5k2$", "$p5k2$0")).kind is Kind.MALFORMED


@given(thousands=st.integers(5, 0xFFF))
def test_mysql_counts_thousands_in_hexadecimal(thousands: int) -> None:
    """Three digits, of which 005 is the least."""
    text = f"$A${thousands:03X}${'s' * 20}{_S.crypt(43)}"
    assert {"rounds": 1000 * thousands} == read(text).params
    assert {"rounds": 1000 * thousands} == read("0x" + text.encode().hex()).params


def test_memory_holds_eight_blocks_for_each_lane() -> None:
    """Argon2 has at least 8 KiB for each lane (RFC 9106)."""
    assert read(f"$argon2id$v=19$m=32,t=1,p=4${_SALT}${_KEY_32}").kind is Kind.HASHED
    assert read(f"$argon2id$v=19$m=31,t=1,p=4${_SALT}${_KEY_32}").kind is Kind.MALFORMED


def test_argon2_names_each_cost_once() -> None:
    """Costs are told by their keys, in any order, but all three are there."""
    other = read(f"$argon2id$v=19$p=4,t=3,m=65536${_SALT}${_KEY_32}")
    assert {"memory_kib": 65536, "time_cost": 3, "parallelism": 4} == other.params
    assert read(f"$argon2id$v=19$m=65536,t=3,t=3${_SALT}${_KEY_32}").kind is Kind.MALFORMED


@pytest.mark.parametrize(
    ("digest", "key_bytes", "blocks"),
    [
        ("sha1", 21, 2),
        ("sha1", 39, 2),
        ("sha256", 256, 8),
        ("sha512", 64, 1),
        ("sha512", 65, 2),
    ],
)
def test_a_key_takes_a_block_for_each_digest(digest: str, key_bytes: int, blocks: int) -> None:
    """PBKDF2 is computed once for every digest that fits into the key, rounded up."""
    reading = read(f"$pbkdf2-{digest}$1000${_SALT}${_S.base64(key_bytes)}")
    assert blocks == reading.blocks
    assert (blocks > 1) == ("extra-blocks" in reading.notes)


@pytest.mark.parametrize("size", [31, 33])
def test_a_key_is_as_long_as_it_is_said_to_be(size: int) -> None:
    """Where a string says how long its key is, another length is malformed."""
    assert read(f"$pbkdf2-sha256$i=9,l=32${_SALT}${_S.base64(size)}").kind is Kind.MALFORMED
    assert read(f"$3${(9 << 32) + 256}${_SALT}${_S.base64(size)}").kind is Kind.MALFORMED
    assert read(f":pbkdf2:sha256:9:32:{_SALT}:{_S.base64(size)}").kind is Kind.MALFORMED


@pytest.mark.parametrize(
    "text",
    [
        f"{{ssha256}}03${_S.crypt(16)}${_S.crypt(43)}",
        f"{{ssha256}}32${_S.crypt(16)}${_S.crypt(43)}",
        f"$bcrypt-sha256$v=2,t=2b,r=05${_S.crypt(22)}${_S.crypt(31)}",
        f"$bcrypt-sha256$v=2,t=2b,r=32${_S.crypt(22)}${_S.crypt(31)}",
        f"$A$004${'s' * 20}{_S.crypt(43)}",
        f"$shiro2$2y$05${_S.crypt(53)}",
        _S.base64(48, head=struct.pack(">BIII", 1, 3, 1000, 16)),
        _S.base64(48, head=struct.pack(">BIII", 1, 2, 0, 16)),
        _S.base64(48, head=struct.pack(">BIII", 1, 2, 1 << 31, 16)),
        _S.base64(48, head=struct.pack(">BIII", 1, 2, 1000, 15)),
        _S.base64(48, head=struct.pack(">BIII", 1, 2, 1000, 1 << 31)),
        _S.base64(30, head=struct.pack(">BIII", 1, 2, 1000, 16)),
        "AQAAAAIAAYagAAAAE===",
    ],
)
def test_a_cost_out_of_range_is_malformed(text: str) -> None:
    """So are costs that are written in other ways than as a decimal count."""
    assert read(text).kind is Kind.MALFORMED


@given(digest=st.integers(0, 2), iterations=st.integers(1, 2**31 - 1))
def test_aspnet_packs_its_cost(digest: int, iterations: int) -> None:
    """Digest and iterations are read from the bytes in front of the salt."""
    reading = read(_S.base64(32 + 16, head=struct.pack(">BIII", 1, digest, iterations, 16)))
    assert f"pbkdf2-{('sha1', 'sha256', 'sha512')[digest]}" == reading.hasher
    assert {"iterations": iterations} == reading.params


@given(iterations=st.integers(1, _LARGEST))
def test_389_packs_its_iterations(iterations: int) -> None:
    """Four bytes in front of the salt."""
    reading = read(f"{{PBKDF2_SHA256}}{_S.base64(320, head=struct.pack('>I', iterations))}")
    assert {"iterations": iterations} == reading.params


def test_bsdi_has_a_round() -> None:
    """Twenty characters with no rounds are no hash at all."""
    assert read(f"_....{_S.crypt(14)}.").kind is not Kind.HASHED


def test_tomcat_has_an_iteration() -> None:
    """Without a prefix, nothing says that it was meant for a hash."""
    assert read(f"{_HEX}$0${_HEX}").kind is not Kind.HASHED


def _keycloak(iterations: int, algorithm: str, **additional: str) -> str:
    lists = {name: [value] for name, value in additional.items()}
    credential = {
        "hashIterations": iterations,
        "algorithm": algorithm,
        "additionalParameters": lists,
    }
    return json.dumps(credential, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        _keycloak(0, "pbkdf2"),
        _keycloak(-5, "pbkdf2"),
        _keycloak(2**32, "pbkdf2"),
        _keycloak(5, "pbkdf9"),
        _keycloak(5, "argon2"),
        _keycloak(5, "argon2", memory="31", type="id", parallelism="4"),
        _keycloak(5, "argon2", memory="7168", type="id", parallelism="-1"),
        _keycloak(5, "argon2", memory="7168", type="other", parallelism="1"),
        _keycloak(5, "argon2", memory="\u0667\u0666\u0669", type="id", parallelism="1"),
    ],
)
def test_keycloak_has_a_range(text: str) -> None:
    """JSON that parses may still say a cost that cannot be; it is not taken for a hash."""
    assert Reading(kind=Kind.UNRECOGNISED, format="JSON object") == read(text)
