"""What libpass writes is read with the cost that it was asked for."""

from __future__ import annotations

from typing import Any

import pytest
from passlib import hash as handlers

from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read


@pytest.mark.parametrize(
    ("handler", "options", "hasher", "params"),
    [
        ("bcrypt", {"rounds": 4}, "bcrypt", {"cost": 4}),
        ("bcrypt_sha256", {"rounds": 4}, "bcrypt", {"cost": 4}),
        ("django_bcrypt_sha256", {"rounds": 4}, "bcrypt", {"cost": 4}),
        ("ldap_bcrypt", {"rounds": 4}, "bcrypt", {"cost": 4}),
        ("sha512_crypt", {"rounds": 1000}, "sha512-crypt", {"rounds": 1000}),
        ("sha512_crypt", {"rounds": 5000}, "sha512-crypt", {"rounds": 5000}),
        ("sha256_crypt", {"rounds": 1000}, "sha256-crypt", {"rounds": 1000}),
        ("ldap_sha512_crypt", {"rounds": 1001}, "sha512-crypt", {"rounds": 1001}),
        ("sha1_crypt", {"rounds": 1}, "sha1-crypt", {"rounds": 1}),
        ("sun_md5_crypt", {"rounds": 7}, "sun-md5-crypt", {"rounds": 7}),
        ("bsdi_crypt", {"rounds": 5}, "bsdi-crypt", {"rounds": 5}),
        ("phpass", {"rounds": 7}, "phpass", {"cost": 7}),
        ("pbkdf2_sha1", {"rounds": 1}, "pbkdf2-sha1", {"iterations": 1}),
        ("pbkdf2_sha256", {"rounds": 2}, "pbkdf2-sha256", {"iterations": 2}),
        ("pbkdf2_sha512", {"rounds": 3}, "pbkdf2-sha512", {"iterations": 3}),
        ("ldap_pbkdf2_sha1", {"rounds": 4}, "pbkdf2-sha1", {"iterations": 4}),
        ("ldap_pbkdf2_sha512", {"rounds": 5}, "pbkdf2-sha512", {"iterations": 5}),
        ("cta_pbkdf2_sha1", {"rounds": 17}, "pbkdf2-sha1", {"iterations": 17}),
        ("dlitz_pbkdf2_sha1", {"rounds": 18}, "pbkdf2-sha1", {"iterations": 18}),
        ("grub_pbkdf2_sha512", {"rounds": 6}, "pbkdf2-sha512", {"iterations": 6}),
        ("atlassian_pbkdf2_sha1", {}, "pbkdf2-sha1", {"iterations": 10000}),
        ("django_pbkdf2_sha256", {"rounds": 8}, "pbkdf2-sha256", {"iterations": 8}),
        ("django_pbkdf2_sha1", {"rounds": 9}, "pbkdf2-sha1", {"iterations": 9}),
        ("scram", {"rounds": 10}, "pbkdf2-sha1", {"iterations": 10}),
        ("scrypt", {"rounds": 2}, "scrypt", {"n": 4, "r": 8, "p": 1}),
        ("fshp", {"rounds": 11, "variant": 1}, "pbkdf1-sha256", {"iterations": 11}),
        ("md5_crypt", {}, "md5-crypt", {}),
        ("apr_md5_crypt", {}, "md5-crypt", {}),
    ],
)
def test_a_hash_of_libpass_is_read(
    handler: str, options: dict[str, int], hasher: str, params: dict[str, int]
) -> None:
    """Each of its handlers with a cost, at the least cost."""
    made: Any = getattr(handlers, handler)
    text = made.using(**options).hash("probe")
    reading = read(text)
    assert (Kind.HASHED, hasher, params) == (reading.kind, reading.hasher, reading.params)


@pytest.mark.parametrize(
    ("handler", "hasher"),
    [
        ("hex_md5", "md5"),
        ("hex_sha1", "sha1"),
        ("hex_sha256", "sha256"),
        ("hex_sha512", "sha512"),
        ("ldap_md5", "md5"),
        ("ldap_sha1", "sha1"),
        ("ldap_salted_md5", "smd5"),
        ("ldap_salted_sha1", "ssha"),
        ("ldap_salted_sha256", "ssha256"),
        ("ldap_salted_sha512", "ssha512"),
        ("django_salted_md5", "md5"),
        ("django_salted_sha1", "sha1"),
        ("mysql323", "mysql323"),
        ("mysql41", "sha1"),
        ("mssql2000", "sha1"),
        ("mssql2005", "sha1"),
        ("oracle11", "sha1"),
        ("bsd_nthash", "nt"),
    ],
)
def test_a_digest_of_libpass_is_fast(handler: str, hasher: str) -> None:
    """Each of its handlers without a cost."""
    made: Any = getattr(handlers, handler)
    reading = read(made.hash("probe"))
    assert (Kind.FAST, hasher) == (reading.kind, reading.hasher)


@pytest.mark.parametrize("handler", ["unix_disabled", "django_disabled"])
def test_what_libpass_disables_is_locked(handler: str) -> None:
    """No password is right."""
    made: Any = getattr(handlers, handler)
    assert read(made.hash("probe")).kind is Kind.LOCKED
