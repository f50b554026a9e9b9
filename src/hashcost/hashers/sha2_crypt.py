"""sha512-crypt and sha256-crypt by the system's libcrypt and by passlib (libpass)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers import libcrypt
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall

_SPECIFICATION = "Drepper, Unix crypt using SHA-256 and SHA-512"
_IMPLICIT_ROUNDS = 5000
"""Written without ``rounds=`` by passlib; the specification allows both."""


@dataclass(frozen=True)
class _Variant:
    name: str
    ident: str
    digest_characters: int
    vectors: tuple[KnownAnswer, ...]


def _vector(source: str, password: bytes, salt: bytes, rounds: int, output: bytes) -> KnownAnswer:
    return KnownAnswer(
        password=password, salt=salt, params={"rounds": rounds}, output=output, source=source
    )


_SHA512 = _Variant(
    "sha512-crypt",
    "6",
    86,
    (
        _vector(
            "Zapletal, timing of sha512-crypt",
            b"secret",
            b"abcdefghIJKLMOPQ",
            1000,
            b"$6$rounds=1000$abcdefghIJKLMOPQ$OcJQW0dfxJ6UxjuOg86iAj9seVPfZ.3Kz9FQ3psUOpFEeKCZZ6"
            b"ccrPKDUwSGa925S1ed8sJN1V8JbOcgAMehS/",
        ),
        _vector(
            _SPECIFICATION,
            b"Hello world!",
            b"saltstringsaltst",
            10000,
            b"$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0"
            b"Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.",
        ),
    ),
)

_SHA256 = _Variant(
    "sha256-crypt",
    "5",
    43,
    (
        _vector(
            _SPECIFICATION,
            b"Hello world!",
            b"saltstringsaltst",
            10000,
            b"$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA",
        ),
    ),
)


@dataclass(frozen=True, kw_only=True)
class _Sha2Crypt:
    """What both implementations share."""

    variant: _Variant
    version: str
    most_rounds: int = 999_999_999
    """crypt(5): rounds beyond this are clamped or refused."""
    drift: float = 0.008
    """Twelve runs on a quiet AMD EPYC guest spread over 0.5 to 1.2 % (2026-11-20)."""

    @property
    def name(self) -> str:
        return self.variant.name

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return (Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=self.most_rounds),)

    @property
    def lowest(self) -> Params:
        return {"rounds": 1000}

    @property
    def known_answers(self) -> tuple[KnownAnswer, ...]:
        return self.variant.vectors

    def memory_bytes(self, params: Params) -> int:
        """A few hash states."""
        return 1024

    def threads(self, params: Params) -> int:
        return 1


@dataclass(frozen=True, kw_only=True)
class _LibCrypt(_Sha2Crypt):
    library: libcrypt.LibCrypt = field(repr=False)
    implementation = "libcrypt"

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        setting = b"$%s$rounds=%d$%s$" % (
            self.variant.ident.encode(),
            params["rounds"],
            salt,
        )
        return ReadyCall(
            run=self.library.caller(password, setting),
            prefix=setting,
            length=len(setting) + self.variant.digest_characters,
        )


class _Passlib(_Sha2Crypt):
    implementation = "passlib"

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        from passlib import hash as handlers

        rounds = params["rounds"]
        handler = getattr(handlers, self.name.replace("-", "_")).using(
            rounds=rounds, salt=salt.decode("ascii")
        )

        def run() -> bytes:
            encoded: str = handler.hash(password)
            return encoded.encode("ascii")

        prefix = f"${self.variant.ident}$rounds={rounds}$".encode() + salt + b"$"
        if rounds == _IMPLICIT_ROUNDS:
            prefix = f"${self.variant.ident}$".encode() + salt + b"$"
        return ReadyCall(
            run=run, prefix=prefix, length=len(prefix) + self.variant.digest_characters
        )


def _libcrypt(variant: _Variant) -> Hasher:
    library = libcrypt.load()
    return _LibCrypt(
        variant=variant,
        version=library.version,
        most_rounds=library.most_rounds,
        library=library,
    )


def _passlib(variant: _Variant) -> Hasher:
    import passlib

    return _Passlib(variant=variant, version=passlib.__version__)


sha512_libcrypt = partial(_libcrypt, _SHA512)
sha256_libcrypt = partial(_libcrypt, _SHA256)
sha512_passlib = partial(_passlib, _SHA512)
sha256_passlib = partial(_passlib, _SHA256)
