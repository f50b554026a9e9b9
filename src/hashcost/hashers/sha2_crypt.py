"""sha512-crypt and sha256-crypt by the system's libcrypt and by passlib (libpass)."""

from functools import partial

import msgspec

from hashcost.core.measurement import Params
from hashcost.hashers import libcrypt
from hashcost.hashers.built_in import ALGORITHMS, Adapter
from hashcost.hashers.interface import Hasher, ReadyCall

# Written without ``rounds=`` by passlib; the specification allows both.
_IMPLICIT_ROUNDS = 5000


class Variant(msgspec.Struct, frozen=True):
    """One of the two algorithms, by the prefix of its crypt strings."""

    name: str
    ident: str
    digest_characters: int

    def setting(self, salt: bytes, params: Params) -> bytes:
        """The beginning of a crypt string."""
        return b"$%s$rounds=%d$%s$" % (self.ident.encode(), params["rounds"], salt)


SHA512 = Variant("sha512-crypt", "6", 86)
SHA256 = Variant("sha256-crypt", "5", 43)


def _libcrypt(variant: Variant) -> Hasher:
    knobs = ALGORITHMS[variant.name].knobs
    if libcrypt.load().is_musl:
        # It refuses more (src/crypt/crypt_sha512.c, ROUNDS_MAX).
        knobs = (msgspec.structs.replace(knobs[0], maximum=9_999_999),)
    return libcrypt.adapted(variant.name, variant.setting, variant.digest_characters, knobs)


def _passlib(variant: Variant) -> Hasher:
    import passlib

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        from passlib import hash as handlers

        rounds = params["rounds"]
        named = getattr(handlers, variant.name.replace("-", "_"))
        handler = named.using(rounds=rounds, salt=salt.decode("ascii"))

        def run() -> bytes:
            encoded: str = handler.hash(password)
            return encoded.encode("ascii")

        prefix = variant.setting(salt, params)
        if rounds == _IMPLICIT_ROUNDS:
            prefix = prefix.replace(b"rounds=%d$" % rounds, b"", 1)
        return ReadyCall(run=run, prefix=prefix, length=len(prefix) + variant.digest_characters)

    return Adapter(variant.name, "passlib", passlib.__version__, ready)


sha512_libcrypt = partial(_libcrypt, SHA512)
sha256_libcrypt = partial(_libcrypt, SHA256)
sha512_passlib = partial(_passlib, SHA512)
sha256_passlib = partial(_passlib, SHA256)
