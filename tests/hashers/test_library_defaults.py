"""The default costs are what the libraries themselves take."""

from __future__ import annotations

import ctypes
import re

import pytest

from hashcost.hashers.built_in import DEFAULTS
from hashcost.hashers.registry import candidates


def _gensalt(prefix: bytes) -> str:
    """What libxcrypt writes for a new password when no cost is given."""
    library = ctypes.CDLL("libcrypt.so.1")
    if not hasattr(library, "crypt_gensalt"):
        pytest.skip("this libcrypt has no crypt_gensalt")
    library.crypt_gensalt.restype = ctypes.c_char_p
    library.crypt_gensalt.argtypes = (
        ctypes.c_char_p,
        ctypes.c_ulong,
        ctypes.c_char_p,
        ctypes.c_int,
    )
    made: bytes = library.crypt_gensalt(prefix, 0, b"0123456789abcdef", 16)
    return made.decode()


def test_labels_are_known() -> None:
    """Every default is of an implementation that there is."""
    assert DEFAULTS.keys() <= {each.label for each in candidates()}


@pytest.mark.parametrize("ident", [5, 6])
def test_sha_crypt_without_rounds(ident: int) -> None:
    """A setting without ``rounds=`` gives the same digest as the default does."""
    from hashcost.hashers.libcrypt import load

    bits = {5: 256, 6: 512}[ident]
    rounds = DEFAULTS[f"sha{bits}-crypt@libcrypt"].params["rounds"]
    without, with_rounds = (
        load().caller(b"secret", b"$%d$%sabcdefgh$" % (ident, given))()
        for given in (b"", b"rounds=%d$" % rounds)
    )

    assert without is not None
    assert with_rounds is not None
    assert without.rpartition(b"$")[2] == with_rounds.rpartition(b"$")[2]


def test_gensalt_of_libcrypt() -> None:
    """Both bcrypt and yescrypt take what crypt_gensalt writes."""
    assert _gensalt(b"$2b$").startswith(f"$2b${DEFAULTS['bcrypt@libcrypt'].params['cost']:02d}$")
    assert _gensalt(b"$y$").startswith("$y$j9T$")
    assert DEFAULTS["yescrypt@libcrypt"].params == {"cost": 5}


def test_bcrypt_package() -> None:
    """``gensalt()`` writes the default."""
    import bcrypt

    match = re.match(rb"\$2b\$(\d\d)\$", bcrypt.gensalt())

    assert match is not None
    assert {"cost": int(match[1])} == DEFAULTS["bcrypt@bcrypt"].params


@pytest.mark.parametrize("hasher", ["sha256-crypt", "sha512-crypt"])
def test_passlib(hasher: str) -> None:
    """The handlers of passlib have the default."""
    from passlib import hash as handlers

    handler = getattr(handlers, hasher.replace("-", "_"))

    assert {"rounds": handler.default_rounds} == DEFAULTS[f"{hasher}@passlib"].params


def test_argon2_cffi() -> None:
    """``PasswordHasher()`` has the default, in releases from 23.1 on."""
    argon2 = pytest.importorskip("argon2")
    hasher = argon2.PasswordHasher()

    assert DEFAULTS["argon2id@argon2-cffi"].params == {
        "memory_kib": hasher.memory_cost,
        "time_cost": hasher.time_cost,
        "parallelism": hasher.parallelism,
    }
