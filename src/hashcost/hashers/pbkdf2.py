"""PBKDF2 with HMAC-SHA1, -SHA256 and -SHA512 by ``hashlib`` and ``cryptography``.

The output is as long as the digest: more would cost the defender another block
per hash and the attacker nothing.
"""

import hashlib
from functools import partial

from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Params
from hashcost.hashers import openssl
from hashcost.hashers.built_in import Adapter
from hashcost.hashers.interface import Hasher, ReadyCall


def _hashlib(digest: str) -> Hasher:
    # Without OpenSSL, Python 3.11 has one that is written in Python.
    if hashlib.pbkdf2_hmac.__module__ != "_hashlib":
        raise UnavailableError("this Python's hashlib was built without OpenSSL")
    length = hashlib.new(digest).digest_size

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        run = partial(hashlib.pbkdf2_hmac, digest, password, salt, params["iterations"])
        return ReadyCall(run=run, length=length)

    return Adapter(f"pbkdf2-{digest}", "hashlib", openssl.of_hashlib(), ready)


def _cryptography(digest: str) -> Hasher:
    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

        algorithm = getattr(hashes, digest.upper())()
        length = algorithm.digest_size
        derivation = partial(PBKDF2HMAC, algorithm, length, salt, params["iterations"])
        return openssl.derive(derivation, password, length)

    return Adapter(f"pbkdf2-{digest}", "cryptography", openssl.of_cryptography(), ready)


sha1_hashlib = partial(_hashlib, "sha1")
sha256_hashlib = partial(_hashlib, "sha256")
sha512_hashlib = partial(_hashlib, "sha512")
sha1_cryptography = partial(_cryptography, "sha1")
sha256_cryptography = partial(_cryptography, "sha256")
sha512_cryptography = partial(_cryptography, "sha512")
