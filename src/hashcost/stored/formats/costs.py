"""Costs as formats write them: the functions that a row names by ``setting`` or ``reader``."""

import binascii
import contextlib
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Concatenate, Final, TypeAlias

import msgspec

from hashcost.core.algorithms import COST_NAMES, DIGEST_BYTES, refusal, scrypt_refusal
from hashcost.core.decoding import UNDECODABLE
from hashcost.stored.formats.reading import HashReading, MaybeReading
from hashcost.stored.formats.rows import LARGEST, Count, Row
from hashcost.stored.formats.shapes import algorithm_in, shape_of

Setting: TypeAlias = Callable[Concatenate[Row, ...], MaybeReading]
"""Makes a reading of what the groups of a row's pattern hold."""
WholeReader: TypeAlias = Callable[[Row, str], MaybeReading]
"""Reads a text whose cost no pattern reads, since it is in bytes or in JSON."""

_SCRYPT_FILE_BYTES: Final = 96
"""A header, a salt of 32 bytes, a checksum of 16 and a signature of 32."""
_DECIMAL: Final = re.compile("0|[1-9][0-9]{0,19}")
# Highest log2 of scrypt's N, which is Authelia's; passlib writes at most 31.
_HIGHEST_LOG2 = 58


def _hashed(
    row: Row,
    params: Mapping[str, int | None],
    *,
    hasher: str | None = None,
    blocks: int = 1,
    note: str = "",
) -> MaybeReading:
    """Make the reading of a hash of this cost; `None` if the algorithm does not allow it."""
    hasher = hasher or row.hasher
    legal = {name: value for name, value in params.items() if value is not None}
    if len(legal) < len(params) or refusal(hasher or "", legal):
        return None
    notes = row.notes
    if note:
        notes = (*notes, note)
    return HashReading(
        kind=row.kind,
        format=row.name,
        hasher=hasher,
        params=legal,
        blocks=blocks,
        client_side=row.client_side,
        notes=notes,
    )


def _number(digits: str, minimum: int, maximum: int) -> int | None:
    """Read a decimal number as every format writes it; `None` outside its range.

    Leading zeros and signs are in no format; ``int`` would read them.
    """
    if not _DECIMAL.fullmatch(digits):
        return None
    value = int(digits)
    if not minimum <= value <= maximum:
        return None
    return value


def _fixed(row: Row) -> MaybeReading:
    """Take the only cost of the format, or none."""
    return _hashed(row, row.params, blocks=row.blocks)


def counted(count: Count, row: Row, digits: str | None) -> MaybeReading:
    """Read a hash whose cost is one decimal number."""
    value = count.default
    if digits is not None:
        value = _number(digits, count.minimum, count.maximum)
    return _hashed(row, {count.param: value})


# PBKDF2


def _pbkdf2(
    row: Row, iterations: int | None, key_bytes: int, digest: str | None = None
) -> MaybeReading:
    if digest is None:
        digest = str(row.hasher).removeprefix("pbkdf2-")
    if key_bytes < 1 or iterations is None or not 0 < iterations <= LARGEST:
        return None
    # Each block of output, the last maybe in part, takes all iterations (RFC 8018, 5.2).
    blocks = -(-key_bytes // DIGEST_BYTES[digest])
    note = ""
    if blocks > 1:
        note = "extra-blocks"
    params = {"iterations": iterations}
    return _hashed(row, params, hasher=f"pbkdf2-{digest}", blocks=blocks, note=note)


def _derived(row: Row, digits: str, *lengths: Any) -> MaybeReading:
    """Read decimal iterations and a key, whose length a group between may state."""
    *stated, size = lengths
    for length in stated:
        if length is not None and _number(length, 1, 9999) != size:
            return None
    return _pbkdf2(row, _number(digits, 1, LARGEST), size)


def _p5k2(row: Row, digits: str, key_bytes: int) -> MaybeReading:
    """Read hexadecimal iterations; Litzenberger's ``$p5k2$`` leaves 400 out."""
    if digits.startswith("0"):
        return None
    return _pbkdf2(row, int(digits or "190", 16), key_bytes)


def _pbkdf2_of_base64(row: Row, digits: str, key_bytes: int) -> MaybeReading:
    """Read iterations as four bytes in base64."""
    return _pbkdf2(row, int.from_bytes(binascii.a2b_base64(f"{digits}==")), key_bytes)


def _password4j(row: Row, digits: str, key_bytes: int) -> MaybeReading:
    """Read ``iterations << 32 | bits of key`` (CompressedPBKDF2Function.java)."""
    value = _number(digits, 1 << 32, 2**63 - 1)
    if value is None or value & 0xFFFFFFFF != 8 * key_bytes:
        return None
    return _pbkdf2(row, value >> 32, key_bytes)


def _aix(row: Row, digits: str) -> MaybeReading:
    """Read two digits: the logarithm of the iterations, 4 to 31."""
    if not 4 <= int(digits) <= 31:
        return None
    return _pbkdf2(row, 1 << int(digits), 1)


# Version, digest, iterations and bytes of salt.
_ASPNET: Final = struct.Struct(">BIII")
# The least salt and key that it verifies.
_ASPNET_LEAST = 16


def _aspnet(row: Row, text: str) -> MaybeReading:
    data = _decoded(text)
    if len(data) < _ASPNET.size + 2 * _ASPNET_LEAST:
        return None
    _, digest, iterations, salt_bytes = _ASPNET.unpack_from(data)
    key_bytes = len(data) - _ASPNET.size - salt_bytes
    if min(salt_bytes, key_bytes) < _ASPNET_LEAST or digest > 2 or iterations >= 1 << 31:
        return None
    return _pbkdf2(row, iterations, key_bytes, ("sha1", "sha256", "sha512")[digest])


def _dirsrv(row: Row, text: str) -> MaybeReading:
    """Read four bytes of iterations, before 64 of salt and 256 of key."""
    data = _decoded(text.partition("}")[2])
    if len(data) != 4 + 64 + 256:
        return None
    return _pbkdf2(row, int.from_bytes(data[:4]), 256)


_BCRYPT: Final = re.compile(rb"\$2[aby]\$([0-9]{2})\$[./0-9A-Za-z]{53}")


def _bcrypt_in_base64(row: Row, text: str) -> MaybeReading:
    match = _BCRYPT.fullmatch(_decoded(text))
    if match is None:
        return None
    cost = int(match[1])
    if not 4 <= cost <= 31:
        return None
    return _hashed(row, {"cost": cost})


def _decoded(text: str) -> bytes:
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return b""


# Argon2 and scrypt


def _argon2(row: Row, version: str | None, costs: str) -> MaybeReading:
    """Read costs by their keys: Shiro writes them in another order than the others."""
    written = dict(cost.split("=") for cost in costs.split(","))
    if len(written) != 3:
        return None
    note = ""
    if version != "19":  # Before version 1.3 (19), none was written.
        note = "old-version"
    return _argon2_of(row, row.hasher, written["m"], written["t"], written["p"], note)


def _argon2_of(
    row: Row, hasher: str | None, memory: str, time: str, lanes: str, note: str = ""
) -> MaybeReading:
    # The ranges of RFC 9106, section 3.1.
    params = {
        "memory_kib": _number(memory, 8, LARGEST),
        "time_cost": _number(time, 1, LARGEST),
        "parallelism": _number(lanes, 1, 2**24 - 1),
    }
    return _hashed(row, params, hasher=hasher, note=note)


def _magento(row: Row, passes: str, memory_bytes: str) -> MaybeReading:
    """Read libsodium's limits, of which the memory counts in whole KiB."""
    memory = _number(memory_bytes, 1, LARGEST)
    if memory is None:
        return None
    return _argon2_of(row, row.hasher, str(memory // 1024), passes, "1")


def _balloon(row: Row, space: str, time: str) -> MaybeReading:
    """Read blocks of memory and passes over them (Boneh et al., "Balloon Hashing", 2016)."""
    return _hashed(row, {"s": _number(space, 1, LARGEST), "t": _number(time, 1, LARGEST)})


def _scrypt(row: Row, log2_n: int | None, r: int | None, p: int | None) -> MaybeReading:
    """Make the reading of scrypt of this cost; `None` if RFC 7914, section 2, forbids it."""
    if not log2_n or not r or not p:
        return None
    if log2_n > 63:
        return None
    params = {"n": 1 << log2_n, "r": r, "p": p}
    if scrypt_refusal(params):
        return None
    return _hashed(row, params, hasher="scrypt")


def _scrypt_of_log2(row: Row, cost: str, r: str, p: str) -> MaybeReading:
    log2_n = _number(cost, 1, _HIGHEST_LOG2)
    return _scrypt(row, log2_n, _number(r, 1, 2**30), _number(p, 1, 2**30))


def _scrypt_of_n(row: Row, cost: str, r: str, p: str, *, minimum: int = 2) -> MaybeReading:
    """Read N itself, where most write its logarithm."""
    n = _number(cost, minimum, 2**63)
    if n is None or n & n - 1:
        return None
    return _scrypt(row, n.bit_length() - 1, _number(r, 1, 2**30), _number(p, 1, 2**30))


def _scrypt_of_hex(row: Row, cost: str, r: str, p: str) -> MaybeReading:
    """Read N, r and p in hexadecimal."""
    n, *others = (int(digits, 16) for digits in (cost, r, p))
    return _scrypt_of_n(row, str(n), *map(str, others))


def _scrypt_of_file(row: Row, text: str) -> MaybeReading:
    """Read the header of a file of the program scrypt: a mark, log2 N, r and p."""
    written = _decoded(text)
    if len(written) != _SCRYPT_FILE_BYTES or not written.startswith(b"scrypt\0"):
        return None
    log2_n, r, p = struct.unpack_from(">BII", written, len(b"scrypt\0"))
    return _scrypt(row, log2_n, r, p)


def _scrypt_packed(row: Row, digits: str) -> MaybeReading:
    """Read hexadecimal ``log2 N << 16 | r << 8 | p`` (Spring, SCryptPasswordEncoder)."""
    value = int(digits, 16)
    return _scrypt(row, value >> 16, value >> 8 & 255, value & 255)


# crypt(5), whose numbers have digits of six bits


_DIGITS: Final = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# log2 N and r that ``crypt_gensalt`` writes, with the cost that asks for them (libxcrypt,
# lib/crypt-yescrypt.c).
_YESCRYPT_COSTS: Final = {
    (10, 8): 1,
    (11, 8): 2,
    **{(cost + 7, 32): cost for cost in range(3, 12)},
}
# ``j``: read and write, with the recommended options.
_STANDARD_FLAVOUR = 47
_HIGHEST_FLAVOUR = 2 + (0x3FC >> 2)
# The options by the bits that say which follow, each with the least that is written.
_YESCRYPT_OPTIONS: Final = {1: ("p", 2), 2: ("t", 1), 4: ("g", 1), 8: ("log2_rom", 1)}


def _crypt64(digits: str) -> int:
    """Read a number of known width, the lowest digit first."""
    number = 0
    for digit in reversed(digits):
        number = number << 6 | _DIGITS.index(digit)
    return number


def _variable(digits: Iterator[str], minimum: int) -> int:
    """Read the next number in yescrypt's variable length; `StopIteration` where it ends early.

    The first digit tells how many follow (libxcrypt, lib/alg-yescrypt-common.c,
    ``decode64_uint32``).
    """
    first = _DIGITS.index(next(digits))
    value = minimum
    start, end = 0, 47
    bits = 0
    while first > end:
        value += end + 1 - start << bits
        start = end + 1
        end = start + (62 - end) // 2
        bits += 6
    value += first - start << bits
    while bits:
        bits -= 6
        value += _DIGITS.index(next(digits)) << bits
    return value


def _yescrypt(row: Row, setting: str) -> MaybeReading:
    digits = iter(setting)
    optional = {}
    try:
        flavour = _variable(digits, 0)
        log2_n = _variable(digits, 1)
        r = _variable(digits, 1)
        present = next(digits, None)
        if present is not None:
            present_bits = _variable(iter(present), 1)
            for bit, (name, least) in _YESCRYPT_OPTIONS.items():
                if present_bits & bit:
                    optional[name] = _variable(digits, least)
    except StopIteration:
        return None
    if next(digits, None) is not None or flavour > _HIGHEST_FLAVOUR:
        return None
    if max(log2_n, optional.get("log2_rom", 1)) > 63 or r * optional.get("p", 1) >= 1 << 30:
        return None
    cost = _YESCRYPT_COSTS.get((log2_n, r))
    if cost is not None and flavour == _STANDARD_FLAVOUR and not optional:
        return _hashed(row, {"cost": cost})
    params = {"n": 1 << log2_n, "r": r, "p": 1} | optional
    reading = _hashed(row, params)
    if reading is None or flavour == _STANDARD_FLAVOUR:
        return reading
    return msgspec.structs.replace(reading, params=params | {"flavour": flavour})


def _scrypt_of_crypt(row: Row, log2_n: str, r: str, p: str) -> MaybeReading:
    return _scrypt(row, _crypt64(log2_n), _crypt64(r), _crypt64(p))


def _bsdi(row: Row, digits: str) -> MaybeReading:
    return _hashed(row, {"rounds": _crypt64(digits) or None})


def _phpass(row: Row, digit: str) -> MaybeReading:
    """Read the logarithm of the rounds in one digit; phpass and Drupal take 7 to 30."""
    cost = _crypt64(digit)
    if not 7 <= cost <= 30:
        return None
    return _hashed(row, {"cost": cost})


# Databases, and JSON


def _mysql(row: Row, digits: str) -> MaybeReading:
    """Read thousands of rounds, at least five, in three hexadecimal digits."""
    thousands = int(digits, 16)
    if thousands < 5:
        return None
    param = "iterations"
    if row.hasher == "sha256-crypt":
        param = "rounds"
    return _hashed(row, {param: 1000 * thousands})


def _parsec(row: Row, digit: str) -> MaybeReading:
    """Read how often 1024 iterations are doubled."""
    return _hashed(row, {"iterations": 1024 << int(digit)})


def _json(text: str, kind: Any) -> Any:
    """Read a JSON object, if it has the members of this kind and nothing follows it."""
    if text.endswith("}"):
        with contextlib.suppress(*UNDECODABLE):
            return msgspec.json.decode(text, type=kind)
    return None


class _CredentialOfRealm(msgspec.Struct, frozen=True, rename="camel"):
    credential_data: str
    secret_data: str


class _Credential(msgspec.Struct, frozen=True, rename="camel"):
    hash_iterations: int
    algorithm: str
    additional_parameters: dict[str, list[str]] = {}


def _keycloak(row: Row, text: str) -> MaybeReading:
    of_realm = _json(text, _CredentialOfRealm)
    if of_realm is not None:
        text = of_realm.credential_data
    credential = _json(text, _Credential)
    if credential is None:
        return None
    algorithm, iterations = credential.algorithm, credential.hash_iterations
    if algorithm == "pbkdf2":
        return _pbkdf2(row, iterations, 64, "sha1")
    digest = algorithm.removeprefix("pbkdf2-")
    if digest != algorithm and digest in DIGEST_BYTES:
        return _pbkdf2(row, iterations, 1, digest)
    if algorithm != "argon2":
        return None
    given = {
        name: values[0] for name, values in credential.additional_parameters.items() if values
    }
    kind = given.get("type")
    if kind not in ("id", "i", "d"):
        return None
    memory, lanes = given.get("memory", ""), given.get("parallelism", "")
    return _argon2_of(row, f"argon2{kind}", memory, str(iterations), lanes)


class _CouchUser(msgspec.Struct, frozen=True):
    scheme: str = msgspec.field(name="password_scheme")
    iterations: int
    derived_key: str
    pbkdf2_prf: str = "sha"


def _couchdb(row: Row, text: str) -> MaybeReading:
    user = _json(text, _CouchUser)
    if user is None or user.scheme != "pbkdf2":
        return None
    digest = user.pbkdf2_prf
    if digest == "sha":
        digest = "sha1"
    if digest not in DIGEST_BYTES:
        return None
    return _pbkdf2(row, user.iterations, len(user.derived_key) // 2, digest)


class _FirebaseUser(msgspec.Struct, frozen=True, rename="camel"):
    local_id: str
    password_hash: str
    salt: str


def _firebase(row: Row, text: str) -> MaybeReading:
    """Read a user of an export; a key has 64 bytes, and its cost is elsewhere."""
    user = _json(text, _FirebaseUser)
    if user is None or len(_decoded(user.password_hash)) != 64:
        return None
    return _hashed(row, {})


class _FusionAuthRow(msgspec.Struct, frozen=True):
    """A user as its database names the columns."""

    encryption_scheme: str
    password: str
    salt: str
    factor: int | None = None
    iterations: int | None = None


class _FusionAuthUser(_FusionAuthRow, frozen=True):
    encryption_scheme: str = msgspec.field(name="encryptionScheme")


_FUSIONAUTH_PBKDF2: Final = {
    "salted-pbkdf2-hmac-sha256": "sha256",
    "salted-pbkdf2-hmac-sha256-512": "sha256",
    "salted-pbkdf2-hmac-sha512-512": "sha512",
}
"""The digests of its schemes, whose last number is the length of the key."""


def _fusionauth(row: Row, text: str) -> MaybeReading:
    user = _json(text, _FusionAuthUser) or _json(text, _FusionAuthRow)
    if user is None:
        return None
    factor = user.factor
    if factor is None:
        factor = user.iterations
    if user.encryption_scheme == "bcrypt":
        return _hashed(row, {"cost": factor}, hasher="bcrypt")
    digest = _FUSIONAUTH_PBKDF2.get(user.encryption_scheme)
    if digest is None:
        return None
    return _pbkdf2(row, factor, len(_decoded(user.password)), digest)


class _ScryptOptions(msgspec.Struct, frozen=True, rename="camel"):
    cost: int
    block_size: int
    parallelization: int


class _CredentialOfNpm(msgspec.Struct, frozen=True, rename="camel"):
    hash: str
    hash_method: str
    key_length: int
    iterations: int | None = None
    scrypt: _ScryptOptions | None = None


def _credential_of_npm(row: Row, text: str) -> MaybeReading:
    """Read an object of the package; the name of the method has the digest behind a sign."""
    credential = _json(text, _CredentialOfNpm)
    if credential is None:
        return None
    options = credential.scrypt
    if credential.hash_method == "scrypt" and options is not None:
        n, r, p = options.cost, options.block_size, options.parallelization
        return _scrypt_of_n(row, str(n), str(r), str(p))
    name, _, digest = credential.hash_method.partition("-")
    digest = digest or "sha1"
    if name != "pbkdf2" or digest not in DIGEST_BYTES:
        return None
    return _pbkdf2(row, credential.iterations, credential.key_length, digest)


class _OktaDigest(msgspec.Struct, frozen=True, rename="camel"):
    algorithm: str
    salt_order: str
    value: str


_OKTA_DIGESTS: Final = {
    "MD5": ("md5", 16),
    "SHA-1": ("sha1", 20),
    "SHA-256": ("sha256", 32),
    "SHA-512": ("sha512", 64),
}
"""Its names of digests, each with ours and the bytes of one."""


def _okta(row: Row, text: str) -> MaybeReading:
    """Read an object with a salted digest, which is as long as its algorithm says."""
    digest = _json(text, _OktaDigest)
    if digest is None:
        return None
    hasher, size = _OKTA_DIGESTS.get(digest.algorithm, ("", 0))
    if not hasher or len(_decoded(digest.value)) != size:
        return None
    return _hashed(row, {}, hasher=hasher)


class _ProsodyAccount(msgspec.Struct, frozen=True):
    iteration_count: int
    salt: str
    stored_key: str


_PROSODY_DIGESTS: Final = {40: "sha1", 64: "sha256"}
"""The digests that its setting ``password_hash`` takes, by the length of a key in hexadecimal."""


def _prosody(row: Row, text: str) -> MaybeReading:
    account = _json(text, _ProsodyAccount)
    if account is None:
        return None
    digest = _PROSODY_DIGESTS.get(len(account.stored_key))
    if digest is None:
        return None
    return _pbkdf2(row, account.iteration_count, 1, digest)


_STATED: Final = {
    "memory_kib": ("m", "memorykib", "memorycost"),
    "time_cost": ("t", "timecost"),
    "parallelism": ("p", "parallelism"),
    "iterations": ("iterations", "iterationcount"),
    "cost": ("cost", "workfactor", "rounds"),
}
"""The names of members that state a param, in lower case and without signs between words; others
have its own name."""
_NOT_A_PASSWORD: Final = frozenset({"cipher", "ciphertext", "iv", "nonce"})
"""Members beside the key of an encryption."""
_SIGNS: Final = re.compile("[_ -]")
_DIGEST_NAME: Final = re.compile("(?:hmac[-_]?)?sha[-_]?(1|256|512)(?:[-_]?hmac)?")


def _stated(row: Row, text: str) -> MaybeReading:
    """Read an object that names one algorithm and has its costs and a bare key."""
    whole = _json(text, dict[str, Any])
    if whole is None:
        return None
    # The costs may be in an object of their own.
    inner = [value for value in whole.values() if isinstance(value, dict)]
    members: dict[str, Any] = {}
    for one in (*inner, whole):
        members |= {_SIGNS.sub("", name.lower()): value for name, value in one.items()}
    if not _NOT_A_PASSWORD.isdisjoint(members) or not any(_keys_in(members)):
        return None
    hasher = _hasher_stated(members)
    if hasher is None:
        return None
    params = {}
    for param in COST_NAMES[hasher]:
        values = [members[name] for name in _STATED.get(param, (param,)) if name in members]
        if len(values) != 1 or type(values[0]) is not int:
            return None
        params[param] = values[0]
    if hasher == "scrypt":
        return _scrypt_of_n(row, *(str(params[name]) for name in ("n", "r", "p")))
    return _hashed(row, params, hasher=hasher)


def _keys_in(members: Mapping[str, Any]) -> Iterator[str]:
    """List the members that look like a key or a digest without a format."""
    for name, value in members.items():
        if isinstance(value, str) and "salt" not in name:
            shape = shape_of(value) or ""
            if shape.startswith(("hex", "base64")):
                yield name


def _hasher_stated(members: Mapping[str, Any]) -> str | None:
    """Name the hasher that the members state; `None` if they state several, or none."""
    words = [value.lower() for value in members.values() if isinstance(value, str)]
    hashers = {name for word in words if len(word) < 30 and (name := algorithm_in(word))}
    digests = {match[1] for word in words if (match := _DIGEST_NAME.fullmatch(word))}
    if len(hashers) != 1:
        return None
    (hasher,) = hashers
    if hasher == "pbkdf2" and len(digests) == 1:
        hasher = f"pbkdf2-sha{digests.pop()}"
    if hasher not in COST_NAMES:
        return None
    return hasher


class _Scram(msgspec.Struct, frozen=True, rename="camel"):
    iteration_count: int
    stored_key: str


class _MongoUser(msgspec.Struct, frozen=True):
    sha1: _Scram | None = msgspec.field(default=None, name="SCRAM-SHA-1")
    sha256: _Scram | None = msgspec.field(default=None, name="SCRAM-SHA-256")
    credentials: "_MongoUser | None" = None
    """Both hashes, where the whole document of a user was exported."""


def _mongodb(row: Row, text: str) -> MaybeReading:
    user = _json(text, _MongoUser)
    if user is None:
        return None
    scrams = user.credentials or user
    # An attacker takes the digest that is quicker.
    if scrams.sha1 is not None:
        return _pbkdf2(row, scrams.sha1.iteration_count, 1, "sha1")
    if scrams.sha256 is not None:
        return _pbkdf2(row, scrams.sha256.iteration_count, 1, "sha256")
    return None


class _Kdf(msgspec.Struct, frozen=True):
    type: str
    salt: str
    hash: str = ""
    iterations: int = 0
    time: int = 0
    memory: int = 0
    cpus: int = 0


class _Area(msgspec.Struct, frozen=True):
    key_size: int = 1


class _Keyslot(msgspec.Struct, frozen=True):
    kdf: _Kdf
    area: _Area = _Area()


def _luks2(row: Row, text: str) -> MaybeReading:
    """Read the function that makes a key of a passphrase; the slot says how long that is."""
    slot = _json(text, _Keyslot)
    if slot is None:
        kdf, key_bytes = _json(text, _Kdf), 1
    else:
        kdf, key_bytes = slot.kdf, slot.area.key_size
    if kdf is None:
        return None
    if kdf.type == "pbkdf2":
        # Keys of LUKS2 have at most 512 bytes in cryptsetup.
        if kdf.hash not in DIGEST_BYTES or not 1 <= key_bytes <= 512:
            return None
        return _pbkdf2(row, kdf.iterations, key_bytes, kdf.hash)
    if kdf.type not in {"argon2i", "argon2id"}:
        return None
    return _argon2_of(row, kdf.type, str(kdf.memory), str(kdf.time), str(kdf.cpus))


SETTINGS: Final[Mapping[str, Setting]] = {
    "fixed": _fixed,
    "pbkdf2": _derived,
    "pbkdf2-of-base64": _pbkdf2_of_base64,
    "p5k2": _p5k2,
    "password4j": _password4j,
    "aix": _aix,
    "argon2": _argon2,
    "magento": _magento,
    "balloon": _balloon,
    "scrypt-of-log2": _scrypt_of_log2,
    "scrypt-of-n": _scrypt_of_n,
    "scrypt-of-large-n": partial(_scrypt_of_n, minimum=_HIGHEST_LOG2 + 1),
    "scrypt-of-hex": _scrypt_of_hex,
    "scrypt-packed": _scrypt_packed,
    "scrypt-of-crypt": _scrypt_of_crypt,
    "yescrypt": _yescrypt,
    "bsdi": _bsdi,
    "phpass": _phpass,
    "mysql": _mysql,
    "parsec": _parsec,
}
READERS: Final[Mapping[str, WholeReader]] = {
    "aspnet": _aspnet,
    "389-ds": _dirsrv,
    "bcrypt-in-base64": _bcrypt_in_base64,
    "scrypt-of-file": _scrypt_of_file,
    "keycloak": _keycloak,
    "couchdb": _couchdb,
    "firebase": _firebase,
    "fusionauth": _fusionauth,
    "credential": _credential_of_npm,
    "mongodb": _mongodb,
    "okta": _okta,
    "prosody": _prosody,
    "stated": _stated,
    "luks2": _luks2,
}
