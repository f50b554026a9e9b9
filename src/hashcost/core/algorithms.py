"""What one guess costs whoever makes it, in the algorithm's own units of work. Pure."""

import math
from collections.abc import Callable
from typing import Final, TypeAlias

from hashcost.core.measurement import Params

Strength: TypeAlias = Callable[[Params, int], float]
"""How much a setting asks of an attacker, by its params and the bytes that one hash takes; in
units that compare settings of one hasher only."""
StrengthOf: TypeAlias = Callable[[str], Strength]

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

_DIGESTS: Final = (
    *("md5", "sha1", "sha256", "sha512", "smd5", "ssha", "ssha256", "ssha512", "nt"),
    *("md5-crypt", "des-crypt"),
)
"""What is met among stored hashes and has no cost, or one that is fixed."""

_STORED_NAMES: Final = {**COST_NAMES, "phpass": ("cost",), **dict.fromkeys(_DIGESTS, ())}

_BLOCKS_OF_A_LANE: Final = 8

_YESCRYPT_WIDE_COST = 3
"""From this cost on libxcrypt's blocks are four times as large (lib/crypt-yescrypt.c)."""


def has_known_cost(hasher: str, params: Params) -> bool:
    """Whether these are the params of an algorithm that is known here, and all of them."""
    names = COST_NAMES.get(hasher)
    return names is not None and params.keys() == {*names}


def refusal(hasher: str, params: Params) -> str:
    """Why an algorithm has no such cost, though each param is within its range.

    Argon2 has eight blocks of 1 KiB for each lane (RFC 9106, section 3.1).

    Returns:
        Nothing where it has.
    """
    if not hasher.startswith("argon2") or not {"memory_kib", "parallelism"} <= params.keys():
        return ""
    least = _BLOCKS_OF_A_LANE * params["parallelism"]
    if params["memory_kib"] >= least:
        return ""
    return f"m must be at least {_BLOCKS_OF_A_LANE} times p, which is {least}"


def guess_work(hasher: str, params: Params) -> float | None:
    """The work of one guess, in units that compare costs of the same hasher alone.

    Iterations and rounds count as they are, bcrypt's cost as two to its power.
    Scrypt takes ``n * r * p`` and argon2id ``memory * (3 * passes - 1)`` blocks
    written and read, lanes changing nothing (Steve Thomas, "Minimum password
    settings", 2022-12-29); yescrypt the memory that it fills.

    A digest without a cost takes one.

    Returns:
        None for an algorithm whose work is not known here, or where a param is missing.
    """
    if params.keys() != {*_STORED_NAMES.get(hasher, ("",))}:
        return None
    return _WORK.get(hasher, _product)(params)


def work_ratio(hasher: str, params: Params, base: Params) -> float:
    """How many times the work of ``base`` a guess at ``params`` takes, both of this hasher.

    Where the algorithm is not known here, each param counts as a factor.
    """
    work, least = guess_work(hasher, params), guess_work(hasher, base)
    if work is not None and least:
        return work / least
    return math.prod(params[name] / base[name] for name in base if base[name])


def guess_memory(hasher: str, params: Params) -> float | None:
    """The bytes of memory that one guess needs.

    Returns:
        None for an algorithm whose memory does not depend on its cost.
    """
    has_memory = hasher in _MEMORY and has_known_cost(hasher, params)
    return _MEMORY[hasher](params) if has_memory else None


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
    memory, factor = guess_memory(hasher, params), _TRAFFIC.get(hasher)
    return None if memory is None or factor is None else memory * factor(params)


def area_time(hasher: str) -> Strength:
    """Price a guess for an attacker who builds chips: memory times work.

    The chip's area goes by the memory and its time by the work, and what guesses cost by
    their product (Biryukov, Dinu and Khovratovich, "Argon2", 2016, section 2.1; Percival,
    "Stronger key derivation via sequential memory-hard functions", 2009, section 4).
    """
    work = traffic(hasher)
    return lambda params, memory_bytes: max(memory_bytes, 1) * work(params, memory_bytes)


def traffic(hasher: str) -> Strength:
    """Price a guess on a device whose memory is there already: the work."""

    def of(params: Params, memory_bytes: int) -> float:
        work = guess_work(hasher, params)
        return _product(params) if work is None else work

    return of


def memory_first(_hasher: str) -> Strength:
    """Memory before all else, as RFC 9106 (section 4) advises."""
    return lambda _params, memory_bytes: float(memory_bytes)


def _product(params: Params) -> float:
    """Every param as a factor; one where there is none."""
    return float(math.prod(params.values()))


def _yescrypt_blocks(params: Params) -> float:
    cost = params["cost"]
    blocks, size = (cost + 7, 32) if cost >= _YESCRYPT_WIDE_COST else (cost + 9, 8)
    return 2.0**blocks * size


_MEMORY: Final[dict[str, Callable[[Params], float]]] = {
    "scrypt": lambda params: 128.0 * params["n"] * params["r"],
    "argon2id": lambda params: 1024.0 * params["memory_kib"],
    "yescrypt": lambda params: 128.0 * _yescrypt_blocks(params),
}

_TRAFFIC: Final[dict[str, Callable[[Params], float]]] = {
    "scrypt": lambda params: 1.25 * params["p"],
    "argon2id": lambda params: 3.0 * params["time_cost"] - 1,
}
"""How often a guess moves the whole of its memory."""


def _power(params: Params) -> float:
    """Two to the power of the cost, as far as a float reaches: a wrong cost may be any number."""
    return 2.0 ** min(params["cost"], _HIGHEST_POWER)


_HIGHEST_POWER: Final = 1023

_WORK: Final[dict[str, Callable[[Params], float]]] = {
    "bcrypt": _power,
    "argon2id": lambda params: float(params["memory_kib"] * (3 * params["time_cost"] - 1)),
    "yescrypt": _yescrypt_blocks,
    "phpass": _power,
}
"""Of those whose work is not the product of their params."""
