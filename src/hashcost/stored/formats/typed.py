"""Costs that only stored hashes have, as people type them: ``argon2i=m=65536,t=3,p=1``."""

import re
from typing import Final

from msgspec.structs import replace

from hashcost.core.algorithms import COST_NAMES, OTHER_DIGESTS, refusal
from hashcost.core.cost_expressions import label_of, parse_cost, spelled
from hashcost.core.errors import UsageError
from hashcost.core.measurement import Params
from hashcost.core.units import SHORT_NAMES, format_setting
from hashcost.stored.formats.reading import CRYPTS, HashReading, Kind

_ARGON2: Final = ("memory_kib", "time_cost", "parallelism")

_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "argon2i": _ARGON2,
    "argon2d": _ARGON2,
    "gost-yescrypt": ("cost",),
    "phpass": ("cost",),
    "phpass-sha512": ("cost",),
    **dict.fromkeys(("sun-md5-crypt", "bsdi-crypt", "sha1-crypt"), ("rounds",)),
    **dict.fromkeys(
        (
            "pbkdf1-sha256",
            "iterated-md5",
            "iterated-sha1",
            "iterated-sha256",
            "iterated-sha512",
            "iterated-sha3-512",
            *(f"pbkdf2-{digest}" for digest in OTHER_DIGESTS),
        ),
        ("iterations",),
    ),
    "balloon-sha256": ("s", "t"),
    **dict.fromkeys(("des-crypt", "bigcrypt", "md5-crypt"), ()),
}
"""Password hashes that no library here computes, each with the params that its hashes state."""

_DIGESTS: Final = frozenset(
    {
        *("md5", "sha1", "sha224", "sha256", "sha384", "sha512"),
        *("smd5", "ssha", "ssha224", "ssha256", "ssha384", "ssha512"),
        *("nt", "lm", "mysql323", "cram-md5"),
        *("md4", "sha224", "sha384", "sha3-256", "sha3-512", "blake2b", "blake2s", "ripemd160"),
    }
)


_RANGES: Final[dict[str, tuple[int, int]]] = {
    # One digit, of which phpass and Drupal take these (phpass 0.5, crypt_private).
    **dict.fromkeys(("phpass", "phpass-sha512"), (7, 30)),
    "bsdi-crypt": (1, 2**24 - 1),  # Four digits of six bits.
}
"""The range of the only param, where a hash can state less than a number of 63 bits."""


_ALSO_CALLED: Final = {
    "ntlm": "nt",
    "des": "des-crypt",
    "password_default": "bcrypt",
    # Plug-ins of MySQL: two SHA-1, and its own sha256-crypt.
    "mysql_native_password": "sha1",
    "caching_sha2_password": "sha256-crypt",
}
"""Other names, as configurations write them."""


def named_in_cost(text: str) -> str:
    """Find the algorithm that a typed cost names, by our name if it is a known one."""
    label = label_of(text)
    hasher = label.partition("@")[0]
    also = _ALSO_CALLED.get(hasher.lower(), hasher)
    return spelled(also, (*COST_NAMES, *_NAMES, *_DIGESTS))


def is_stored_only(hasher: str) -> bool:
    """Tell whether a name is that of an algorithm that only stored hashes have."""
    return hasher in _NAMES or hasher in _DIGESTS


def has_cost_to_type(hasher: str) -> bool:
    """Tell whether a hasher is typed with a cost, not only by its name."""
    return not is_stored_only(hasher) or bool(_NAMES.get(hasher))


def missing_params(hasher: str, params: Params) -> tuple[str, ...]:
    """List the params that a cost of an algorithm that `is_stored_only` lacks."""
    return tuple(name for name in _NAMES.get(hasher, ()) if name not in params)


def reading_at(hasher: str, params: Params) -> HashReading:
    """Read a cost, whose algorithm `is_stored_only`, as a hash that states it."""
    kind = Kind.HASHED
    if hasher in _DIGESTS:
        kind = Kind.FAST
    return HashReading(kind=kind, format="cost", hasher=hasher, params=params)


def typed_reading(text: str) -> HashReading:
    """Read a cost, whose algorithm `is_stored_only`, as a hash that states it.

    Raises:
        UsageError: the text is not a cost of this algorithm; the message does not quote it.
    """
    _, *rest = re.split("[= ]", text.strip(), maxsplit=1)
    hasher = named_in_cost(text)
    given = "".join(rest)
    names = _NAMES.get(hasher, ())
    if not names:
        repeated = f"iterated-{hasher}"
        if given and repeated in _NAMES:
            raise UsageError(
                f"{hasher} has no cost to set; write {repeated}=NUMBER if it is repeated,"
                " else only its name"
            )
        if given:
            raise UsageError(f"{hasher} has no cost to set; write only its name")
        reading = reading_at(hasher, {})
        if hasher in CRYPTS:
            return replace(reading, notes=(f"or-crypt-{hasher}",))
        return reading
    short = [SHORT_NAMES.get(name, name) for name in names]
    example = ",".join(f"{name}=NUMBER" for name in short)
    if len(names) == 1:
        example = "NUMBER"
    why = UsageError(f"that is not a cost of {hasher}; write {hasher}={example}")
    try:
        params = parse_cost(f"{hasher}={given}", names).params
    except UsageError:
        raise why from None
    if params is None:
        raise why
    return reading_at(hasher, params)


def out_of_range(reading: HashReading) -> str:
    """Say why no hash has a cost that `typed_reading` read; empty if one may have it."""
    hasher = reading.hasher or ""
    least, most = _RANGES.get(hasher, (1, 2**63 - 1))
    for name, value in reading.params.items():
        if not least <= value <= most:
            short = SHORT_NAMES.get(name, name)
            return f"{hasher} takes {short} from {least} to {most}, not {value}"
    why = refusal(hasher, reading.params)
    if why:
        return f"{hasher} does not accept {format_setting(reading.params)}: {why}"
    return ""
