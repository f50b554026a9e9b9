"""The work and memory of one guess, in the algorithm's own units. Pure."""

import math
from typing import Final

import msgspec

from hashcost.core.measurement import Params

COST_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "sha512-crypt": ("rounds",),
    "sha256-crypt": ("rounds",),
    "pbkdf2-sha1": ("iterations",),
    "pbkdf2-sha256": ("iterations",),
    "pbkdf2-sha512": ("iterations",),
    "bcrypt": ("cost",),
    "scrypt": ("n", "r", "p"),
    "argon2id": ("memory_kib", "time_cost", "parallelism"),
    "yescrypt": ("cost",),
}
"""The params that a cost of each known algorithm has, in the order they are written in."""

DIGEST_BYTES: Final = {"sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}
"""The bytes of each digest, of which PBKDF2 makes one a block (RFC 8018, section 5.2)."""

OTHER_DIGESTS: Final = (
    *("md4", "md5", "sha224", "sha384", "sha512-224", "sha512-256", "sha3-224", "sha3-256"),
    *("sha3-384", "sha3-512", "ripemd160", "whirlpool", "blake2b", "blake2s", "sm3"),
)
"""Digests by which libraries compute PBKDF2, and nothing here does."""

_SAME_WORK: Final = {
    "pbkdf2-sha224": "pbkdf2-sha256",
    **dict.fromkeys(("pbkdf2-sha384", "pbkdf2-sha512-224", "pbkdf2-sha512-256"), "pbkdf2-sha512"),
}
"""PBKDF2 whose digest is computed as another is, and cut off (FIPS 180-4, 6.3 and 6.5 to 6.7)."""

# Stored hashes without a cost, or with one that is fixed.
_DIGESTS: Final = (
    *("md5", "sha1", "sha256", "sha512", "smd5", "ssha", "ssha256", "ssha512", "nt"),
    *("md5-crypt", "des-crypt"),
)

OUTDATED: Final = frozenset(
    {
        *("des-crypt", "bigcrypt", "bsdi-crypt", "md5-crypt", "sun-md5-crypt", "sha1-crypt"),
        *("phpass", "phpass-sha512", "iterated-md5", "iterated-sha1"),
    }
)
"""Password hashes that no cost in use makes strong, and that their makers have replaced.

They repeat DES, MD5 or SHA-1 without PBKDF2. phpass itself uses them only where bcrypt is
missing (https://www.openwall.com/phpass/), and Drupal replaced its variant in 10.1.
"""

_STORED_NAMES: Final = {**COST_NAMES, "phpass": ("cost",), **dict.fromkeys(_DIGESTS, ())}
_BLOCKS_OF_A_LANE: Final = 8
# The largest power of two that a float holds: a wrong cost may be any number.
_HIGHEST_POWER: Final = 1000


def has_known_cost(hasher: str, params: Params) -> bool:
    """Whether these are all the params of a known algorithm, and no others."""
    names = COST_NAMES.get(hasher)
    return names is not None and params.keys() == {*names}


def same_work(hasher: str) -> str:
    """Name the known hasher of which an iteration takes the same work, or nothing."""
    return _SAME_WORK.get(hasher, "")


def refusal(hasher: str, params: Params) -> str:
    """Say why an algorithm rejects params that are each in range; empty if it accepts them."""
    if hasher.startswith("argon2") and {"memory_kib", "parallelism"} <= params.keys():
        return _argon2_refusal(params)
    if hasher == "scrypt" and has_known_cost(hasher, params):
        return scrypt_refusal(params)
    return ""


def _argon2_refusal(params: Params) -> str:
    """Argon2 has eight blocks of 1 KiB for each lane (RFC 9106, section 3.1)."""
    least = _BLOCKS_OF_A_LANE * params["parallelism"]
    if params["memory_kib"] >= least:
        return ""
    return f"m must be at least {_BLOCKS_OF_A_LANE} times p, which is {least}"


def scrypt_refusal(params: Params) -> str:
    """Say why scrypt rejects params, as OpenSSL, Node and Bouncy Castle do at any memory limit.

    N is less than 2 to the power of 128 * r / 8, and p at most (2^32 - 1) * 32 / (128 * r)
    (RFC 7914, section 2).
    """
    n, r = params["n"], params["r"]
    if n & (n - 1):
        return "n must be a power of 2"
    if n.bit_length() > 16 * r:
        return f"n must be below 2^(16 r), which is {2 ** (16 * r)}"
    if r * params["p"] >= 2**30:
        return "r times p must be below 2^30"
    return ""


def guess_work(hasher: str, params: Params) -> float | None:
    """The work of one guess, in units that compare only costs of the same hasher.

    Iterations and rounds count as they are, bcrypt's cost as two to its power.
    Scrypt takes ``n * r * p`` and argon2id ``memory * (3 * passes - 1)`` blocks
    written and read, lanes changing nothing (Steve Thomas, "Minimum password
    settings", 2022-12-29); yescrypt the memory that it fills.

    A digest without a cost takes one.

    Returns:
        None if the work of the algorithm is unknown, or a param is missing.
    """
    # No param has an empty name, so an unknown hasher has no work.
    if params.keys() != {*_STORED_NAMES.get(hasher, ("",))}:
        return None
    # Both write the logarithm of their rounds.
    if hasher in ("bcrypt", "phpass"):
        return 2.0 ** min(params["cost"], _HIGHEST_POWER)
    if hasher == "argon2id":
        return float(params["memory_kib"] * (3 * params["time_cost"] - 1))
    if hasher == "yescrypt":
        return _yescrypt_blocks(params["cost"])
    return float(math.prod(params.values()))


def work_ratio(hasher: str, params: Params, base: Params) -> float:
    """The work of a guess at ``params``, as a multiple of that at ``base``.

    If the algorithm is unknown, each param counts as a factor.
    """
    work, least = guess_work(hasher, params), guess_work(hasher, base)
    if work is not None and least:
        return work / least
    # A param of 0 is no factor.
    return math.prod(params[name] / base[name] for name in base if base[name])


def guess_memory(hasher: str, params: Params) -> float | None:
    """The bytes of memory that one guess needs; `None` if they do not depend on the cost."""
    if not has_known_cost(hasher, params):
        return None
    # N blocks of 128 * r bytes (RFC 7914, section 5), in yescrypt as well.
    if hasher == "scrypt":
        return 128.0 * params["n"] * params["r"]
    if hasher == "yescrypt":
        return 128.0 * _yescrypt_blocks(params["cost"])
    if hasher == "argon2id":
        return 1024.0 * params["memory_kib"]
    return None


def scrypt_bytes(params: Params) -> int:
    """The bytes that OpenSSL counts against ``maxmem`` (crypto/evp/pbe_scrypt.c)."""
    return 128 * params["r"] * (params["n"] + params["p"] + 2)


class MemoryLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of a library above which it refuses a scrypt hash, in bytes as OpenSSL counts."""

    name: str
    allows: int
    """As it is set, or by default."""

    def raised_for(self, params: Params) -> dict[str, int]:
        """Raise the limit to what a cost needs; empty if the limit allows it, or none would."""
        needed = scrypt_bytes(params)
        if needed <= self.allows or scrypt_refusal(params):
            return {}
        return {self.name: needed}


MAXMEM: Final = MemoryLimit(name="maxmem", allows=32 * 1024 * 1024)
"""OpenSSL's limit, which Python's hashlib and Node keep (crypto/evp/pbe_scrypt.c, SCRYPT_MAX_MEM;
nodejs.org/api/crypto.html)."""
_LIMITED: Final = frozenset({"hashlib", "python:hashlib", "node:crypto"})


def memory_limit_of(hasher: str, implementation: str | None) -> MemoryLimit | None:
    """Find the limit that an implementation has by default."""
    if hasher == "scrypt" and implementation in _LIMITED:
        return MAXMEM
    return None


def guess_traffic(hasher: str, params: Params) -> float | None:
    """The bytes that one guess moves between a device and its memory, at the least.

    argon2id writes or reads each block of its memory 3 * passes - 1 times. scrypt
    would write and read it once, but an attacker who keeps every fourth block and
    recomputes the others moves 5/4 of it instead of twice as much (both from Steve
    Thomas, "Minimum password settings", 2022-12-29).

    Returns:
        None for an algorithm that the bandwidth of memory does not limit. yescrypt is
        one: its lookups in small tables hold a GPU up long before.
    """
    memory = guess_memory(hasher, params)
    if memory is None or hasher == "yescrypt":
        return None
    if hasher == "scrypt":
        return memory * 1.25 * params["p"]
    return memory * (3.0 * params["time_cost"] - 1)


class Strength(msgspec.Struct, frozen=True):
    """The price of a guess for two kinds of attackers; comparable only within one hasher."""

    gpu: float
    """For GPUs, which the bytes hold up that a guess moves."""
    hardware: float
    """For hardware made for the hasher: the chip's area goes by the memory and its time by the
    bytes, and what guesses cost by their product (Biryukov, Dinu and Khovratovich, "Argon2",
    2016, section 2.1; Percival, "Stronger key derivation via sequential memory-hard functions",
    2009, section 4)."""

    @property
    def product(self) -> float:
        """Both prices together, which are weighed alike."""
        return self.gpu * self.hardware

    def beats(self, other: "Strength") -> bool:
        """Whether it is at least as dear for both attackers, and dearer for one."""
        is_no_weaker = self.gpu >= other.gpu and self.hardware >= other.hardware
        return is_no_weaker and self != other


def strength_of(hasher: str, params: Params, memory_bytes: float = 0) -> Strength:
    """Price a guess for both kinds of attackers, by the function that prices the table.

    An algorithm that the bandwidth of memory does not limit is priced by its work. Each param of
    an unknown one counts as a factor, and ``memory_bytes`` is the memory of one hash.
    """
    bytes_moved = guess_traffic(hasher, params)
    if bytes_moved is None:
        bytes_moved = guess_work(hasher, params)
    if bytes_moved is None:
        bytes_moved = float(math.prod(params.values()))
    memory = guess_memory(hasher, params)
    if memory is None and has_known_cost(hasher, params):
        memory = 1.0  # No cost of it takes more memory than another.
    elif memory is None:
        memory = max(memory_bytes, 1.0)
    return Strength(gpu=bytes_moved, hardware=memory * bytes_moved)


def _yescrypt_blocks(cost: int) -> float:
    """From cost 3 on libxcrypt's blocks are four times as large (lib/crypt-yescrypt.c)."""
    if cost < 3:
        return 8 * 2.0 ** (cost + 9)
    return 32 * 2.0 ** min(cost + 7, _HIGHEST_POWER)
