"""sha512-crypt and sha256-crypt by the system's libcrypt and by passlib (libpass)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers import libcrypt
from hashcost.hashers.adapter import Adapter, Prepare
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall

_IMPLICIT_ROUNDS = 5000
"""Written without ``rounds=`` by passlib; the specification allows both."""


@dataclass(frozen=True)
class _Variant:
    name: str
    ident: str
    digest_characters: int
    vectors: tuple[KnownAnswer, ...]

    def setting(self, salt: bytes, params: Params) -> bytes:
        return b"$%s$rounds=%d$%s$" % (self.ident.encode(), params["rounds"], salt)


_drepper = partial(
    KnownAnswer,
    password=b"Hello world!",
    salt=b"saltstringsaltst",
    params={"rounds": 10000},
    source="Drepper, Unix crypt using SHA-256 and SHA-512",
)
_SHA512 = _Variant(
    "sha512-crypt",
    "6",
    86,
    (
        KnownAnswer(
            password=b"secret",
            salt=b"abcdefghIJKLMOPQ",
            params={"rounds": 1000},
            output=b"$6$rounds=1000$abcdefghIJKLMOPQ$OcJQW0dfxJ6UxjuOg86iAj9seVPfZ.3Kz9FQ3psUOpFEeK"
            b"CZZ6ccrPKDUwSGa925S1ed8sJN1V8JbOcgAMehS/",
            source="Zapletal, timing of sha512-crypt",
        ),
        _drepper(
            output=b"$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM"
            b"/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.",
        ),
    ),
)
_SHA256_OUTPUT = b"$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA"
_SHA256 = _Variant("sha256-crypt", "5", 43, (_drepper(output=_SHA256_OUTPUT),))


def _sha2_crypt(
    variant: _Variant,
    implementation: str,
    version: str,
    prepare: Prepare,
    most_rounds: int = 999_999_999,
) -> Hasher:
    """By crypt(5), rounds beyond the most are clamped or refused."""
    return Adapter(
        name=variant.name,
        implementation=implementation,
        version=version,
        knobs=(Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=most_rounds),),
        lowest={"rounds": 1000},
        known_answers=variant.vectors,
        memory=lambda _: 1024,  # A few hash states.
        prepare=prepare,
    )


def _libcrypt(variant: _Variant) -> Hasher:
    library = libcrypt.load()
    prepare = library.prepare(variant.setting, variant.digest_characters)
    return _sha2_crypt(variant, "libcrypt", library.version, prepare, library.most_rounds)


def _passlib(variant: _Variant) -> Hasher:
    import passlib

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        from passlib import hash as handlers

        rounds = params["rounds"]
        handler = getattr(handlers, variant.name.replace("-", "_")).using(
            rounds=rounds, salt=salt.decode("ascii")
        )

        def run() -> bytes:
            encoded: str = handler.hash(password)
            return encoded.encode("ascii")

        prefix = variant.setting(salt, params)
        if rounds == _IMPLICIT_ROUNDS:
            prefix = prefix.replace(b"rounds=%d$" % rounds, b"", 1)
        return ReadyCall(run=run, prefix=prefix, length=len(prefix) + variant.digest_characters)

    return _sha2_crypt(variant, "passlib", passlib.__version__, ready)


sha512_libcrypt = partial(_libcrypt, _SHA512)
sha256_libcrypt = partial(_libcrypt, _SHA256)
sha512_passlib = partial(_passlib, _SHA512)
sha256_passlib = partial(_passlib, _SHA256)
