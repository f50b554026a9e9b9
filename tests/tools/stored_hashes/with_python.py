"""Print stored hashes made by Python's packages, ``django`` and so on.

Packages are imported by name, so that the fixtures' makers can be type-checked without them, and
so that passlib and libpass, which share a name, can each run in an environment of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final

from tools.stored_hashes.entry import PROBE, Entry, blocks_of, show


def django() -> Iterator[Entry]:
    """Ask Django's hashers, through the subclasses that its documentation has one write."""
    import_module("django.conf").settings.configure()
    hashers = import_module("django.contrib.auth.hashers")
    release = version("django")

    def entry(encoded: str, hint: str, hasher: str | None, **rest: Any) -> Entry:
        return Entry(
            program="Django",
            version=release,
            hash=encoded,
            format_hint=hint,
            hasher=hasher,
            **rest,
        )

    def tuned(name: str, **costs: int) -> Any:
        return type(name, (getattr(hashers, name),), costs)()

    def made(hasher: Any) -> str:
        return str(hasher.encode(PROBE, hasher.salt()))

    for digest, name in (("sha256", "PBKDF2PasswordHasher"), ("sha1", "PBKDF2SHA1PasswordHasher")):
        for iterations in (1, 1000, 20000):
            yield entry(
                made(tuned(name, iterations=iterations)),
                "django-pbkdf2",
                f"pbkdf2-{digest}",
                params={"iterations": iterations},
                blocks=1,
            )
    for name in ("BCryptPasswordHasher", "BCryptSHA256PasswordHasher"):
        for cost in (4, 6, 10):
            hint = "django-bcrypt-sha256" if "SHA256" in name else "django-bcrypt"
            made_hash = made(tuned(name, rounds=cost))
            yield entry(made_hash, hint, "bcrypt", params={"cost": cost})
    for n, r, p in ((1024, 8, 1), (2048, 8, 5), (4096, 4, 2)):
        hasher = tuned("ScryptPasswordHasher", work_factor=n, block_size=r, parallelism=p)
        yield entry(made(hasher), "django-scrypt", "scrypt", params={"n": n, "r": r, "p": p})
    for memory, time, lanes in ((64, 1, 1), (1024, 2, 8)):
        hasher = tuned(
            "Argon2PasswordHasher",
            memory_cost=memory,
            time_cost=time,
            parallelism=lanes,
        )
        costs = {"memory_kib": memory, "time_cost": time, "parallelism": lanes}
        yield entry(made(hasher), "django-argon2", "argon2id", params=costs)
    yield entry(made(tuned("MD5PasswordHasher")), "django-md5", "md5", kind="fast")
    unusable = hashers.make_password(None)
    yield entry(unusable, "django-unusable", None, kind="locked")


def werkzeug() -> Iterator[Entry]:
    """Ask Werkzeug's generate_password_hash for each of its methods."""
    security = import_module("werkzeug.security")
    release = version("werkzeug")

    def entry(method: str, hint: str, hasher: str, **rest: Any) -> Entry:
        return Entry(
            program="Werkzeug",
            version=release,
            hash=security.generate_password_hash(PROBE, method),
            format_hint=hint,
            hasher=hasher,
            **rest,
        )

    for n, r, p in ((1024, 8, 1), (2048, 4, 3)):
        costs = {"n": n, "r": r, "p": p}
        yield entry(f"scrypt:{n}:{r}:{p}", "werkzeug-scrypt", "scrypt", params=costs)
    for digest in ("sha1", "sha256", "sha512"):
        for iterations in (1000, 26000):
            yield entry(
                f"pbkdf2:{digest}:{iterations}",
                "werkzeug-pbkdf2",
                f"pbkdf2-{digest}",
                params={"iterations": iterations},
                blocks=1,
            )
    yield entry(
        "pbkdf2",
        "werkzeug-pbkdf2",
        "pbkdf2-sha256",
        params={"iterations": 1_000_000},
        blocks=1,
    )


_ARGON2: Final = {"i": "argon2i", "d": "argon2d", "id": "argon2id"}


def passlib() -> Iterator[Entry]:
    """Ask passlib, or libpass, which goes on under its name, for each of its formats."""
    try:
        program, release = "libpass", version("libpass")
    except ModuleNotFoundError:
        program, release = "passlib", version("passlib")
    handlers = import_module("passlib.hash")

    def entry(
        handler: str,
        hint: str,
        hasher: str | None,
        *,
        asked: dict[str, Any] | None = None,
        **rest: Any,
    ) -> Entry:
        context = rest.pop("context", {})
        ask = getattr(handlers, handler)
        encoded = (
            ask.using(**asked).hash(PROBE, **context) if asked else ask.hash(PROBE, **context)
        )
        return Entry(
            program=program,
            version=release,
            hash=encoded,
            format_hint=hint,
            hasher=hasher,
            **rest,
        )

    yield from _passlib_adaptive(entry)
    yield from _passlib_pbkdf2(entry)
    yield from _passlib_crypt(entry)
    yield from _passlib_fast(entry)
    locked = handlers.unix_disabled.disable(handlers.sha512_crypt.using(rounds=5000).hash(PROBE))
    for encoded in (handlers.unix_disabled.hash(PROBE), locked):
        yield Entry(
            program=program,
            version=release,
            hash=encoded,
            format_hint="unix-locked",
            kind="locked",
            hasher=None,
        )


def _passlib_adaptive(entry: Callable[..., Entry]) -> Iterator[Entry]:
    for ident, cost in (("2a", 4), ("2b", 5), ("2y", 6), ("2b", 10)):
        asked = {"ident": ident, "rounds": cost}
        yield entry("bcrypt", "bcrypt", "bcrypt", asked=asked, params={"cost": cost})
    for layout, cost in ((2, 4), (2, 6), (2, 11), (1, 5)):
        yield entry(
            "bcrypt_sha256",
            f"bcrypt-sha256-v{layout}",
            "bcrypt",
            asked={"version": layout, "rounds": cost},
            params={"cost": cost},
        )
    for name, hint in (("django_bcrypt", "django-bcrypt"), ("ldap_bcrypt", "ldap-crypt")):
        yield entry(name, hint, "bcrypt", asked={"rounds": 5}, params={"cost": 5})
    yield entry(
        "django_bcrypt_sha256",
        "django-bcrypt-sha256",
        "bcrypt",
        asked={"rounds": 5},
        params={"cost": 5},
    )
    for log2, r, p in ((4, 8, 1), (10, 8, 1), (11, 4, 3)):
        sizes: dict[str, Any] = {"rounds": log2, "block_size": r, "parallelism": p}
        costs = {"n": 2**log2, "r": r, "p": p}
        yield entry("scrypt", "phc-scrypt", "scrypt", asked=sizes, params=costs)
        seven = {**sizes, "ident": "$7$"}
        yield entry("scrypt", "crypt-scrypt", "scrypt", asked=seven, params=costs)
    for variant, hasher in _ARGON2.items():
        for memory, time, lanes in ((64, 1, 1), (1024, 3, 4)):
            yield entry(
                "argon2",
                "phc-argon2",
                hasher,
                asked={
                    "type": variant,
                    "memory_cost": memory,
                    "time_cost": time,
                    "parallelism": lanes,
                },
                params={"memory_kib": memory, "time_cost": time, "parallelism": lanes},
            )
    yield entry(
        "django_argon2",
        "django-argon2",
        "argon2id",
        asked={"type": "id", "memory_cost": 512, "time_cost": 2, "parallelism": 2},
        params={"memory_kib": 512, "time_cost": 2, "parallelism": 2},
    )


def _passlib_pbkdf2(entry: Callable[..., Entry]) -> Iterator[Entry]:
    for handler, hint, digest, output in (
        ("pbkdf2_sha1", "passlib-pbkdf2", "sha1", 20),
        ("pbkdf2_sha256", "passlib-pbkdf2", "sha256", 32),
        ("pbkdf2_sha512", "passlib-pbkdf2", "sha512", 64),
        ("ldap_pbkdf2_sha1", "ldap-pbkdf2", "sha1", 20),
        ("ldap_pbkdf2_sha256", "ldap-pbkdf2", "sha256", 32),
        ("ldap_pbkdf2_sha512", "ldap-pbkdf2", "sha512", 64),
        ("django_pbkdf2_sha1", "django-pbkdf2", "sha1", 20),
        ("django_pbkdf2_sha256", "django-pbkdf2", "sha256", 32),
        ("grub_pbkdf2_sha512", "grub", "sha512", 64),
        ("cta_pbkdf2_sha1", "p5k2", "sha1", 20),
        ("dlitz_pbkdf2_sha1", "p5k2", "sha1", 24),
    ):
        whose = {
            "ldap_pbkdf2_sha1": "openldap",
            "cta_pbkdf2_sha1": "cryptacular",
            "dlitz_pbkdf2_sha1": "python-pbkdf2",
        }
        for iterations in (1000, 12345):
            yield entry(
                handler,
                hint,
                f"pbkdf2-{digest}",
                asked={"rounds": iterations},
                params={"iterations": iterations},
                blocks=blocks_of(output, digest),
                app=whose.get(handler),
            )
    yield entry(
        "atlassian_pbkdf2_sha1",
        "atlassian",
        "pbkdf2-sha1",
        params={"iterations": 10000},
        blocks=blocks_of(32, "sha1"),
    )
    yield entry(
        "scram",
        "passlib-scram",
        "pbkdf2-sha1",
        asked={"rounds": 4096, "algs": "sha-1"},
        params={"iterations": 4096},
        blocks=1,
        client_side=True,
    )
    for variant, digest in enumerate(("sha1", "sha256", "sha384", "sha512")):
        yield entry(
            "fshp",
            "fshp",
            f"pbkdf1-{digest}",
            asked={"variant": variant, "rounds": 2000 + variant},
            params={"iterations": 2000 + variant},
        )


def _passlib_crypt(entry: Callable[..., Entry]) -> Iterator[Entry]:
    for bits in ("256", "512"):
        for handler, hint in (
            (f"sha{bits}_crypt", "crypt-sha2"),
            (f"ldap_sha{bits}_crypt", "ldap-crypt"),
        ):
            for rounds in (1000, 5000, 6001, 123456):
                yield entry(
                    handler,
                    hint,
                    f"sha{bits}-crypt",
                    asked={"rounds": rounds},
                    params={"rounds": rounds},
                )
        yield entry(
            f"sha{bits}_crypt",
            "crypt-sha2",
            f"sha{bits}-crypt",
            asked={"rounds": 5000, "salt_size": 8},
            params={"rounds": 5000},
        )
    for handler, hint in (("sha1_crypt", "crypt-sha1"), ("ldap_sha1_crypt", "ldap-crypt")):
        for rounds in (1, 4321):
            asked = {"rounds": rounds}
            yield entry(handler, hint, "sha1-crypt", asked=asked, params={"rounds": rounds})
    for ident, cost in (("P", 7), ("P", 13), ("H", 8)):
        named = {"ident": ident, "rounds": cost}
        yield entry("phpass", "phpass", "phpass", asked=named, params={"cost": cost})
    for rounds in (0, 5500):
        yield entry(
            "sun_md5_crypt",
            "sun-md5",
            "sun-md5-crypt",
            asked={"rounds": rounds},
            params={"rounds": rounds},
        )
    for rounds in (1, 725):
        yield entry(
            "bsdi_crypt",
            "crypt-bsdi",
            "bsdi-crypt",
            asked={"rounds": rounds},
            params={"rounds": rounds},
        )
    yield entry("md5_crypt", "crypt-md5", "md5-crypt")
    yield entry("ldap_md5_crypt", "ldap-crypt", "md5-crypt")
    yield entry("apr_md5_crypt", "apr1", "md5-crypt")
    yield entry("des_crypt", "crypt-des", "des-crypt")
    yield entry("ldap_des_crypt", "ldap-crypt", "des-crypt")
    yield entry("django_des_crypt", "django-crypt", "des-crypt")


def _passlib_fast(entry: Callable[..., Entry]) -> Iterator[Entry]:
    for handler, hint, hasher in (
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
        yield entry(handler, hint, hasher, kind="fast")
    yield entry("nthash", "hex", "nt", kind="fast", app="samba")
    yield entry("postgres_md5", "postgres-md5", "md5", kind="fast", context={"user": "probe"})
    yield entry("ldap_plaintext", "plain", None, kind="plain")
    yield entry("roundup_plaintext", "plain", None, kind="plain")
    yield entry("django_disabled", "django-unusable", None, kind="locked")


def argon2_cffi() -> Iterator[Entry]:
    """Ask argon2-cffi for its three types."""
    argon2 = import_module("argon2")
    for variant, hasher in _ARGON2.items():
        for memory, time, lanes in ((16, 1, 2), (4096, 3, 4)):
            ask = argon2.PasswordHasher(
                memory_cost=memory,
                time_cost=time,
                parallelism=lanes,
                type=argon2.Type[variant.upper()],
            )
            yield Entry(
                program="argon2-cffi",
                version=version("argon2-cffi"),
                hash=ask.hash(PROBE),
                format_hint="phc-argon2",
                hasher=hasher,
                params={"memory_kib": memory, "time_cost": time, "parallelism": lanes},
            )
    yield Entry(
        program="argon2-cffi",
        version=version("argon2-cffi"),
        hash=argon2.PasswordHasher().hash(PROBE),
        format_hint="phc-argon2",
        hasher="argon2id",
        params={"memory_kib": 65536, "time_cost": 3, "parallelism": 4},
    )


def pwdlib() -> Iterator[Entry]:
    """Ask pwdlib for its two hashers."""
    bcrypt = import_module("pwdlib.hashers.bcrypt")
    argon2 = import_module("pwdlib.hashers.argon2")
    for prefix, cost in (("2a", 4), ("2b", 6)):
        yield Entry(
            program="pwdlib",
            version=version("pwdlib"),
            hash=bcrypt.BcryptHasher(rounds=cost, prefix=prefix).hash(PROBE),
            format_hint="bcrypt",
            hasher="bcrypt",
            params={"cost": cost},
        )
    yield Entry(
        program="pwdlib",
        version=version("pwdlib"),
        hash=argon2.Argon2Hasher(time_cost=2, memory_cost=256, parallelism=3).hash(PROBE),
        format_hint="phc-argon2",
        hasher="argon2id",
        params={"memory_kib": 256, "time_cost": 2, "parallelism": 3},
    )


def bcrypt() -> Iterator[Entry]:
    """Ask the package that most Python programs hash bcrypt with."""
    package = import_module("bcrypt")
    for prefix, cost in ((b"2a", 4), (b"2b", 5), (b"2b", 12)):
        yield Entry(
            program="bcrypt (Python)",
            version=version("bcrypt"),
            hash=package.hashpw(PROBE.encode(), package.gensalt(cost, prefix)).decode(),
            format_hint="bcrypt",
            hasher="bcrypt",
            params={"cost": cost},
        )


def cryptography() -> Iterator[Entry]:
    """Ask cryptography for the PHC strings that it writes."""
    argon2 = import_module("cryptography.hazmat.primitives.kdf.argon2")
    for name in ("Argon2id", "Argon2i", "Argon2d"):
        for memory, time, lanes in ((64, 1, 2), (512, 3, 1)):
            ask = getattr(argon2, name)(
                salt=b"probe-salt-16-by",
                length=32,
                iterations=time,
                lanes=lanes,
                memory_cost=memory,
            )
            yield Entry(
                program="cryptography",
                version=version("cryptography"),
                hash=ask.derive_phc_encoded(PROBE.encode()),
                format_hint="phc-argon2",
                hasher=name.lower(),
                params={"memory_kib": memory, "time_cost": time, "parallelism": lanes},
            )


if __name__ == "__main__":
    makers = (django, werkzeug, passlib, argon2_cffi, pwdlib, bcrypt, cryptography)
    for made in {maker.__name__: maker for maker in makers}[sys.argv[1]]():
        show(made)
