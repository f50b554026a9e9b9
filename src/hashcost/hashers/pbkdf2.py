"""PBKDF2 with HMAC-SHA1, -SHA256 and -SHA512 by ``hashlib`` and ``cryptography``.

The output is as long as the digest: more would cost the defender another block
per hash and the attacker nothing.
"""

from __future__ import annotations

import hashlib
from functools import partial

from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers import openssl
from hashcost.hashers.adapter import Adapter, Prepare
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall

_RFC_6070 = "RFC 6070"
_CPYTHON = "CPython, Lib/test/test_hashlib.py"
_SHA512_SOURCE = "RFC 6070's inputs, stackoverflow.com/q/15593184"
_VECTORS = {
    "sha1": (
        (_RFC_6070, 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        (_RFC_6070, 4096, "4b007901b765489abead49d926f721d065a429c1"),
    ),
    "sha256": (
        (_CPYTHON, 2, "ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43"),
        (_CPYTHON, 4096, "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"),
    ),
    "sha512": (
        (
            _SHA512_SOURCE,
            2,
            (
                "e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f0040713f18aefdb866d53c"
                "f76cab2868a39b9f7840edce4fef5a82be67335c77a6068e04112754f27ccf4e"
            ),
        ),
        (
            _SHA512_SOURCE,
            4096,
            (
                "d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5"
                "143f30602641b3d55cd335988cb36b84376060ecd532e039b742a239434af2d5"
            ),
        ),
    ),
}


def _pbkdf2(digest: str, implementation: str, version: str, prepare: Prepare) -> Hasher:
    return Adapter(
        name=f"pbkdf2-{digest}",
        implementation=implementation,
        version=version,
        # 2^31 - 1 is what OpenSSL's int parameter holds.
        knobs=(Knob(name="iterations", scale=Scale.LINEAR, minimum=1, maximum=2**31 - 1),),
        lowest={"iterations": 1},
        known_answers=tuple(
            KnownAnswer(
                password=b"password",
                salt=b"salt",
                params={"iterations": iterations},
                output=bytes.fromhex(output),
                source=source,
            )
            for source, iterations, output in _VECTORS[digest]
        ),
        # A few hash states.
        memory=lambda _: 1024,
        prepare=prepare,
    )


def _hashlib(digest: str) -> Hasher:
    if hashlib.pbkdf2_hmac.__module__ != "_hashlib":
        raise UnavailableError("this Python's hashlib was built without OpenSSL")
    length = hashlib.new(digest).digest_size

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        run = partial(hashlib.pbkdf2_hmac, digest, password, salt, params["iterations"])
        return ReadyCall(run=run, length=length)

    return _pbkdf2(digest, "hashlib", openssl.of_hashlib(), ready)


def _cryptography(digest: str) -> Hasher:
    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

        algorithm: hashes.HashAlgorithm = getattr(hashes, digest.upper())()
        length = algorithm.digest_size
        derivation = partial(PBKDF2HMAC, algorithm, length, salt, params["iterations"])
        return openssl.derive(derivation, password, length)

    return _pbkdf2(digest, "cryptography", openssl.of_cryptography(), ready)


sha1_hashlib = partial(_hashlib, "sha1")
sha256_hashlib = partial(_hashlib, "sha256")
sha512_hashlib = partial(_hashlib, "sha512")
sha1_cryptography = partial(_cryptography, "sha1")
sha256_cryptography = partial(_cryptography, "sha256")
sha512_cryptography = partial(_cryptography, "sha512")
