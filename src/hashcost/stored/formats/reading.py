"""The facts that a stored hash states, without any part of its secret."""

import enum
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import msgspec

from hashcost.core.measurement import Params

SHORTEST: Final = 13
"""Characters of a hash: those of DES. What only begins like one may be shorter."""


class Kind(enum.Enum):
    """The kinds of text in the place of a hash."""

    HASHED = "hashed"
    """A password hash: it has a cost, stored or fixed."""
    FAST = "fast"
    """A digest without a cost, such as MD5, SSHA or NT."""
    LOCKED = "locked"
    """No password is accepted, whether or not a hash follows the lock."""
    EMPTY = "empty"
    """An empty text, which for some systems means that no password is needed."""
    PLAIN = "plain"
    """Text that does not look like a hash; it may be the password itself."""
    UNRECOGNISED = "unrecognised"
    """Text that has the shape of a hash in an unknown format."""
    UNREADABLE = "unreadable"
    """Text that only begins like a known format, or bytes that are not text."""


NULL: Final = "NULL"
"""Stands for no value at all, with which nobody logs in; some systems take empty text for it."""
HASHES: Final = frozenset({Kind.HASHED, Kind.FAST, Kind.LOCKED})
"""Kinds of text in a known format that is valid throughout."""
OPEN_HASHES: Final = HASHES - {Kind.LOCKED}
"""Kinds of hashes that users log in with."""
HASH_LIKE: Final = OPEN_HASHES | {Kind.UNRECOGNISED}

NOT_TEXT: Final = frozenset({"overlong", "no UTF-8", "control characters"})
"""The formats of malformed text that does not begin like a hash."""

SHY_APPS: Final = (
    *(
        "better-auth",
        "cisco",
        "cockatrice",
        "firebase",
        "gitea",
        "grafana",
        "hp-ux",
        "kratos",
        "lucia",
    ),
    *("rabbitmq", "samba", "symfony"),
)
"""The applications whose formats say too little to be taken before one of them is named."""

DOUBTS: Final = {f"perhaps-{app}": f"--app {app} reads it, if that wrote it" for app in SHY_APPS}
"""The notes on a text that may be a hash of an application."""

NAMED: Final = {
    f"names-{hasher}": hasher
    for hasher in (
        *("pbkdf2", "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512"),
        *("argon2id", "bcrypt", "scrypt"),
    )
}
"""The notes on a text in an unknown format that names its algorithm."""

CRYPTS: Final = {"md5": "md5-crypt", "sha256": "sha256-crypt=5000", "sha512": "sha512-crypt=5000"}
"""The algorithms of crypt(3), with their usual cost, by the names that they share with digests."""

NOTES: Final = {
    **DOUBTS,
    **{
        f"or-crypt-{digest}": (
            f"in login.defs, PAM, mkpasswd and Ansible the name means {crypt.partition('=')[0]}:"
            f" `calibrate explain {crypt}`"
        )
        for digest, crypt in CRYPTS.items()
    },
    **{note: f"it names {hasher}" for note, hasher in NAMED.items()},
    "ambiguous-prefix": "other formats look the same; --app decides",
    "extra-blocks": "the output is longer than the digest, which only costs the defender",
    "fixed-cost": "the format has one cost, which cannot be raised",
    "firebase-project": (
        "the cost is that of the Firebase project: in the console's hash_config, mem_cost is the"
        " log2 of n and rounds is r; p is 1 (`calibrate explain scrypt=n=16384,r=8,p=1`)"
    ),
    "key-and-salt": (
        "a digest or a derived key with its salt; the iterations of a key are not in it"
    ),
    "locked": "a hash follows the lock, and counts again once that is removed",
    "number-behind": (
        "the number may be a salt or, in a list of breached passwords, how often each was met"
    ),
    "no-algorithm-stored": "the algorithm is not in the hash but in the configuration",
    "no-cost-stored": "the cost is not in the hash but in the configuration",
    "perhaps-nt": "NT hashes look the same; --app samba reads them",
    "old-version": "an old version of the algorithm",
    "truncated-password": "characters after the eighth are ignored",
    "unmarked": "recognised only by length and alphabet",
    "unsalted": "equal passwords have equal hashes, so one guess is tried on all of them",
}
"""The code of each note, with its meaning."""


def hasher_named_in(notes: Iterable[str]) -> str:
    """Name a hasher for an example of a cost: the one that the text names, if it does."""
    names = [NAMED[note] for note in notes if note in NAMED]
    if not names or names[0] == "pbkdf2":
        return "pbkdf2-sha256"
    return names[0]


class HashReading(msgspec.Struct, frozen=True, kw_only=True):
    """One hash string, read; no part of a salt, a digest or a name is in it.

    Equal settings give equal readings, which can be counted.
    """

    kind: Kind
    format: str
    """A short stable name, such as ``django pbkdf2``; the shape of what is unrecognised."""
    hasher: str | None = None
    params: Params = {}
    """The cost in the hasher's own terms; empty where none is known."""
    blocks: int = 1
    """Output blocks that the defender computes for each hash (PBKDF2). An attacker
    needs one."""
    client_side: bool = False
    """Whether the client computes the hash at login (SCRAM)."""
    notes: tuple[str, ...] = ()
    """Keys of `NOTES`."""

    def __hash__(self) -> int:
        # A dictionary has no hash of its own.
        return hash((self.format, sum(self.params.values())))


MaybeReading: TypeAlias = HashReading | None
"""`None` for a text that is not in the format, or whose cost the algorithm does not allow."""

HashReader: TypeAlias = Callable[[bytes | str], HashReading]
"""Reads a hash in any format."""
