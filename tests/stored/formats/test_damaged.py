"""Hashes that were cut off or bent on the way are malformed, and never met."""

from __future__ import annotations

import pytest

from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read

ARGON2 = "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0c2FsdA$"
SALT = "c2FsdHNhbHRzYWx0c2FsdA"


@pytest.mark.parametrize(
    ("whole", "damaged"),
    [
        (ARGON2 + "d" * 40, ARGON2 + "d" * 29),
        (ARGON2 + "d" * 42 + "A", ARGON2 + "d" * 42 + "B"),
        (ARGON2 + "d" * 42 + "A", (ARGON2[:-2] + "B$") + "d" * 42 + "A"),
        (
            f"$pbkdf2-sha512$310000${SALT}$" + "d" * 85 + "A",
            f"$pbkdf2-sha512$310000${SALT}$" + "d" * 40,
        ),
        (
            f"$pbkdf2-sha256$310000${SALT}$" + "d" * 42 + "A",
            f"$pbkdf2-sha256$310000${SALT}$" + "d" * 42 + "B",
        ),
        (
            f"$scrypt$ln=16,r=8,p=1${SALT}$" + "d" * 42 + "A",
            f"$scrypt$ln=16,r=8,p=1${SALT}$" + "d" * 41,
        ),
        (
            "grub.pbkdf2.sha512.600000." + "AB" * 64 + "." + "CD" * 64,
            "grub.pbkdf2.sha512.600000." + "AB" * 64 + ".CD",
        ),
    ],
)
def test_a_damaged_hash_is_malformed(whole: str, damaged: str) -> None:
    """A key that is too short, or whose last character has bits too many, is no hash."""
    assert (Kind.HASHED, Kind.MALFORMED) == (read(whole).kind, read(damaged).kind)


@pytest.mark.parametrize(
    ("legal", "illegal"),
    [
        (
            f"$scrypt$ln=15,r=1,p=1${SALT}$" + "d" * 42 + "A",
            f"$scrypt$ln=16,r=1,p=1${SALT}$" + "d" * 42 + "A",
        ),
        (
            "grub.pbkdf2.sha512.600000.ABAB." + "CD" * 16,
            "grub.pbkdf2.sha512.600000.ABAB." + "CD" * 16 + "E",
        ),
    ],
)
def test_a_cost_or_key_that_cannot_be_is_malformed(legal: str, illegal: str) -> None:
    """RFC 7914 bounds N by r, and half a byte is no key."""
    assert (Kind.HASHED, Kind.MALFORMED) == (read(legal).kind, read(illegal).kind)
