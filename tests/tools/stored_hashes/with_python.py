"""Print stored hashes made by Python's packages, ``django`` and so on.

Packages are imported by name, so that the fixtures' makers can be type-checked without them, and
so that passlib and libpass, which share a name, can each run in an environment of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any

from tools.stored_hashes.entry import PROBE, Entry, argon2_cost, blocks_of, entry, show


def django() -> Iterator[Entry]:
    """Ask Django's hashers, through the subclasses that its documentation has one write."""
    import_module("django.conf").settings.configure()
    hashers = import_module("django.contrib.auth.hashers")
    line = partial(entry, "Django", version("django"))

    def made(name: str, **costs: int) -> str:
        hasher = type(name, (getattr(hashers, f"{name}PasswordHasher"),), costs)()
        return str(hasher.encode(PROBE, hasher.salt()))

    for digest, name in (("sha256", "PBKDF2"), ("sha1", "PBKDF2SHA1")):
        for count in (1, 1000, 20000):
            what = f"pbkdf2-{digest} iterations={count}"
            yield line(made(name, iterations=count), "django-pbkdf2", what, blocks=1)
    for name, form in (("BCrypt", "django-bcrypt"), ("BCryptSHA256", "django-bcrypt-sha256")):
        for cost in (4, 6, 10):
            yield line(made(name, rounds=cost), form, f"bcrypt cost={cost}")
    for n, r, p in ((1024, 8, 1), (2048, 8, 5), (4096, 4, 2)):
        hash_ = made("Scrypt", work_factor=n, block_size=r, parallelism=p)
        yield line(hash_, "django-scrypt", f"scrypt n={n} r={r} p={p}")
    for memory, time, lanes in ((64, 1, 1), (1024, 2, 8)):
        hash_ = made("Argon2", memory_cost=memory, time_cost=time, parallelism=lanes)
        yield line(hash_, "django-argon2", argon2_cost("argon2id", memory, time, lanes))
    yield line(made("MD5"), "django-md5", "fast md5")
    yield line(hashers.make_password(None), "django-unusable", "locked")


def werkzeug() -> Iterator[Entry]:
    """Ask Werkzeug's generate_password_hash for each of its methods."""
    made = import_module("werkzeug.security").generate_password_hash
    line = partial(entry, "Werkzeug", version("werkzeug"))
    for n, r, p in ((1024, 8, 1), (2048, 4, 3)):
        hash_ = made(PROBE, f"scrypt:{n}:{r}:{p}")
        yield line(hash_, "werkzeug-scrypt", f"scrypt n={n} r={r} p={p}")
    pbkdf2 = partial(line, form="werkzeug-pbkdf2", blocks=1)
    for digest in ("sha1", "sha256", "sha512"):
        for count in (1000, 26000):
            what = f"pbkdf2-{digest} iterations={count}"
            yield pbkdf2(made(PROBE, f"pbkdf2:{digest}:{count}"), what=what)
    yield pbkdf2(made(PROBE, "pbkdf2"), what="pbkdf2-sha256 iterations=1000000")


def passlib() -> Iterator[Entry]:
    """Ask passlib, or libpass, which goes on under its name, for each of its formats."""
    try:
        program, release = "libpass", version("libpass")
    except ModuleNotFoundError:
        program, release = "passlib", version("passlib")
    handlers = import_module("passlib.hash")
    line = partial(entry, program, release)

    def made(name: str, **asked: Any) -> str:
        context = {"user": asked.pop("user")} if "user" in asked else {}
        handler = getattr(handlers, name)
        return str((handler.using(**asked) if asked else handler).hash(PROBE, **context))

    yield from _passlib_adaptive(made, line)
    yield from _passlib_pbkdf2(made, line)
    yield from _passlib_crypt(made, line)
    yield from _passlib_fast(made, line)
    yield line(handlers.unix_disabled.hash(PROBE), "unix-locked", "locked")
    locked = handlers.unix_disabled.disable(made("sha512_crypt", rounds=5000))
    yield line(locked, "unix-locked", "locked")


_Made = Callable[..., str]
_Line = Callable[..., Entry]


def _passlib_adaptive(made: _Made, line: _Line) -> Iterator[Entry]:
    for ident, cost in (("2a", 4), ("2b", 5), ("2y", 6), ("2b", 10)):
        yield line(made("bcrypt", ident=ident, rounds=cost), "bcrypt", f"bcrypt cost={cost}")
    for layout, cost in ((2, 4), (2, 6), (2, 11), (1, 5)):
        hash_ = made("bcrypt_sha256", version=layout, rounds=cost)
        yield line(hash_, f"bcrypt-sha256-v{layout}", f"bcrypt cost={cost}")
    for name, form in (
        ("django_bcrypt", "django-bcrypt"),
        ("ldap_bcrypt", "ldap-crypt"),
        ("django_bcrypt_sha256", "django-bcrypt-sha256"),
    ):
        yield line(made(name, rounds=5), form, "bcrypt cost=5")
    for log2, r, p in ((4, 8, 1), (10, 8, 1), (11, 4, 3)):
        sizes: dict[str, Any] = {"rounds": log2, "block_size": r, "parallelism": p}
        what = f"scrypt n={2**log2} r={r} p={p}"
        yield line(made("scrypt", **sizes), "phc-scrypt", what)
        yield line(made("scrypt", **sizes, ident="$7$"), "crypt-scrypt", what)
    for name, form, variant, memory, time, lanes in (
        ("argon2", "phc-argon2", "i", 64, 1, 1),
        ("argon2", "phc-argon2", "i", 1024, 3, 4),
        ("argon2", "phc-argon2", "d", 64, 1, 1),
        ("argon2", "phc-argon2", "d", 1024, 3, 4),
        ("argon2", "phc-argon2", "id", 64, 1, 1),
        ("argon2", "phc-argon2", "id", 1024, 3, 4),
        ("django_argon2", "django-argon2", "id", 512, 2, 2),
    ):
        hash_ = made(name, type=variant, memory_cost=memory, time_cost=time, parallelism=lanes)
        yield line(hash_, form, argon2_cost(f"argon2{variant}", memory, time, lanes))


def _passlib_pbkdf2(made: _Made, line: _Line) -> Iterator[Entry]:
    for handler, form, digest, output, app in (
        ("pbkdf2_sha1", "passlib-pbkdf2", "sha1", 20, None),
        ("pbkdf2_sha256", "passlib-pbkdf2", "sha256", 32, None),
        ("pbkdf2_sha512", "passlib-pbkdf2", "sha512", 64, None),
        ("ldap_pbkdf2_sha1", "ldap-pbkdf2", "sha1", 20, "openldap"),
        ("ldap_pbkdf2_sha256", "ldap-pbkdf2", "sha256", 32, None),
        ("ldap_pbkdf2_sha512", "ldap-pbkdf2", "sha512", 64, None),
        ("django_pbkdf2_sha1", "django-pbkdf2", "sha1", 20, None),
        ("django_pbkdf2_sha256", "django-pbkdf2", "sha256", 32, None),
        ("grub_pbkdf2_sha512", "grub", "sha512", 64, None),
        ("cta_pbkdf2_sha1", "p5k2", "sha1", 20, "cryptacular"),
        ("dlitz_pbkdf2_sha1", "p5k2", "sha1", 24, "python-pbkdf2"),
    ):
        blocks = blocks_of(output, digest)
        for count in (1000, 12345):
            what = f"pbkdf2-{digest} iterations={count}"
            yield line(made(handler, rounds=count), form, what, blocks=blocks, app=app)
    what = "pbkdf2-sha1 iterations=10000"
    yield line(made("atlassian_pbkdf2_sha1"), "atlassian", what, blocks=blocks_of(32, "sha1"))
    hash_ = made("scram", rounds=4096, algs="sha-1")
    what = "pbkdf2-sha1 iterations=4096"
    yield line(hash_, "passlib-scram", what, blocks=1, client_side=True)
    for variant, digest in enumerate(("sha1", "sha256", "sha384", "sha512")):
        hash_ = made("fshp", variant=variant, rounds=2000 + variant)
        yield line(hash_, "fshp", f"pbkdf1-{digest} iterations={2000 + variant}")


def _passlib_crypt(made: _Made, line: _Line) -> Iterator[Entry]:
    for bits in ("256", "512"):
        what = f"sha{bits}-crypt rounds="
        for prefix, form in (("", "crypt-sha2"), ("ldap_", "ldap-crypt")):
            for rounds in (1000, 5000, 6001, 123456):
                hash_ = made(f"{prefix}sha{bits}_crypt", rounds=rounds)
                yield line(hash_, form, f"{what}{rounds}")
        hash_ = made(f"sha{bits}_crypt", rounds=5000, salt_size=8)
        yield line(hash_, "crypt-sha2", f"{what}5000")
    for name, form, hasher, costs in (
        ("sha1_crypt", "crypt-sha1", "sha1-crypt", (1, 4321)),
        ("ldap_sha1_crypt", "ldap-crypt", "sha1-crypt", (1, 4321)),
        ("sun_md5_crypt", "sun-md5", "sun-md5-crypt", (0, 5500)),
        ("bsdi_crypt", "crypt-bsdi", "bsdi-crypt", (1, 725)),
    ):
        for rounds in costs:
            yield line(made(name, rounds=rounds), form, f"{hasher} rounds={rounds}")
    for ident, cost in (("P", 7), ("P", 13), ("H", 8)):
        yield line(made("phpass", ident=ident, rounds=cost), "phpass", f"phpass cost={cost}")
    for name, form, hasher in (
        ("md5_crypt", "crypt-md5", "md5-crypt"),
        ("ldap_md5_crypt", "ldap-crypt", "md5-crypt"),
        ("apr_md5_crypt", "apr1", "md5-crypt"),
        ("des_crypt", "crypt-des", "des-crypt"),
        ("ldap_des_crypt", "ldap-crypt", "des-crypt"),
        ("django_des_crypt", "django-crypt", "des-crypt"),
    ):
        yield line(made(name), form, hasher)


def _passlib_fast(made: _Made, line: _Line) -> Iterator[Entry]:
    for handler, form, hasher in (
        ("ldap_md5", "ldap-digest", "md5"),
        ("ldap_sha1", "ldap-digest", "sha1"),
        ("ldap_salted_md5", "ldap-digest", "smd5"),
        ("ldap_salted_sha1", "ldap-digest", "ssha"),
        ("ldap_salted_sha256", "ldap-digest", "ssha256"),
        ("ldap_salted_sha512", "ldap-digest", "ssha512"),
        ("django_salted_md5", "django-md5", "md5"),
        ("django_salted_sha1", "django-sha1", "sha1"),
        ("mssql2000", "mssql", "sha1"),
        ("mssql2005", "mssql", "sha1"),
        ("mysql323", "mysql323", "mysql323"),
        ("mysql41", "mysql41", "sha1"),
        ("bsd_nthash", "crypt-nt", "nt"),
        ("oracle11", "oracle11", "sha1"),
        ("hex_md5", "hex", "md5"),
        ("hex_sha1", "hex", "sha1"),
        ("hex_sha256", "hex", "sha256"),
        ("hex_sha512", "hex", "sha512"),
    ):
        yield line(made(handler), form, f"fast {hasher}")
    yield line(made("nthash"), "hex", "fast nt", app="samba")
    yield line(made("postgres_md5", user="probe"), "postgres-md5", "fast md5")
    yield line(made("ldap_plaintext"), "plain", "plain")
    yield line(made("roundup_plaintext"), "plain", "plain")
    yield line(made("django_disabled"), "django-unusable", "locked")


def argon2_cffi() -> Iterator[Entry]:
    """Ask argon2-cffi for its three types."""
    argon2 = import_module("argon2")
    line = partial(entry, "argon2-cffi", version("argon2-cffi"), form="phc-argon2")
    for variant in ("I", "D", "ID"):
        for memory, time, lanes in ((16, 1, 2), (4096, 3, 4)):
            hasher = argon2.PasswordHasher(time, memory, lanes, type=argon2.Type[variant])
            what = argon2_cost(f"argon2{variant.lower()}", memory, time, lanes)
            yield line(hasher.hash(PROBE), what=what)
    what = argon2_cost("argon2id", 65536, 3, 4)
    yield line(argon2.PasswordHasher().hash(PROBE), what=what)


def pwdlib() -> Iterator[Entry]:
    """Ask pwdlib for its two hashers."""
    line = partial(entry, "pwdlib", version("pwdlib"))
    bcrypt_hasher = import_module("pwdlib.hashers.bcrypt").BcryptHasher
    for prefix, cost in (("2a", 4), ("2b", 6)):
        hash_ = bcrypt_hasher(rounds=cost, prefix=prefix).hash(PROBE)
        yield line(hash_, "bcrypt", f"bcrypt cost={cost}")
    argon2_hasher = import_module("pwdlib.hashers.argon2").Argon2Hasher
    hash_ = argon2_hasher(time_cost=2, memory_cost=256, parallelism=3).hash(PROBE)
    yield line(hash_, "phc-argon2", argon2_cost("argon2id", 256, 2, 3))


def bcrypt() -> Iterator[Entry]:
    """Ask the package that most Python programs hash bcrypt with."""
    package = import_module("bcrypt")
    line = partial(entry, "bcrypt (Python)", version("bcrypt"))
    for prefix, cost in ((b"2a", 4), (b"2b", 5), (b"2b", 12)):
        hash_ = package.hashpw(PROBE.encode(), package.gensalt(cost, prefix)).decode()
        yield line(hash_, "bcrypt", f"bcrypt cost={cost}")


def cryptography() -> Iterator[Entry]:
    """Ask cryptography for the PHC strings that it writes."""
    argon2 = import_module("cryptography.hazmat.primitives.kdf.argon2")
    line = partial(entry, "cryptography", version("cryptography"))
    salt = b"probe-salt-16-by"
    for name in ("Argon2id", "Argon2i", "Argon2d"):
        for memory, time, lanes in ((64, 1, 2), (512, 3, 1)):
            costs = {"iterations": time, "lanes": lanes, "memory_cost": memory}
            hasher = getattr(argon2, name)(salt=salt, length=32, **costs)
            hash_ = hasher.derive_phc_encoded(PROBE.encode())
            yield line(hash_, "phc-argon2", argon2_cost(name.lower(), memory, time, lanes))


if __name__ == "__main__":
    makers = (django, werkzeug, passlib, argon2_cffi, pwdlib, bcrypt, cryptography)
    show({maker.__name__: maker for maker in makers}[sys.argv[1]]())
