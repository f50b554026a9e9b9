"""Print stored hashes in the documented layouts of programs that no registry holds.

The digests are the real ones, of the probe password, unless a function says otherwise.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import struct
from collections.abc import Iterator
from functools import partial

import argon2
import bcrypt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tools.stored_hashes.entry import PROBE, Entry, blocks_of, show

_CRYPT = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LAYOUT = "layout"


def b64(raw: bytes) -> str:
    """Encode as base64 with padding."""
    return base64.b64encode(raw).decode()


def bare64(raw: bytes) -> str:
    """Encode as base64 without padding, as PHC strings have it."""
    return b64(raw).rstrip("=")


def crypt64(raw: bytes) -> str:
    """Encode as base64 of crypt's alphabet, most significant bits first (Cisco)."""
    return bare64(raw).translate(
        str.maketrans(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            _CRYPT,
        )
    )


def crypt64_reversed(raw: bytes) -> str:
    """Encode as base64 of crypt's alphabet, least significant bits first (AIX)."""
    text = ""
    for start in range(0, len(raw), 3):
        chunk = raw[start : start + 3]
        value = int.from_bytes(chunk.ljust(3, b"\0"), "big")
        text += "".join(_CRYPT[value >> shift & 63] for shift in (0, 6, 12, 18))[: len(chunk) + 1]
    return text


def pbkdf2(digest: str, salt: bytes, iterations: int, length: int, given: str = PROBE) -> bytes:
    """Derive a key of so many bytes."""
    return hashlib.pbkdf2_hmac(digest, given.encode(), salt, iterations, length)


def aspnet() -> Iterator[Entry]:
    """ASP.NET Identity's PasswordHasher: version 3's header and fields, and version 2's."""
    entry = partial(Entry, version=_LAYOUT, blocks=None)
    for number, digest, iterations in (
        (0, "sha1", 1000),
        (1, "sha256", 10000),
        (2, "sha512", 100_000),
        (2, "sha512", 210_000),
    ):
        salt = os.urandom(16)
        key = pbkdf2(digest, salt, iterations, 32)
        header = struct.pack(">BIII", 1, number, iterations, len(salt))
        yield entry(
            program="composed: ASP.NET Identity v3 layout",
            hash=b64(header + salt + key),
            format_hint="aspnet-v3",
            hasher=f"pbkdf2-{digest}",
            params={"iterations": iterations},
            blocks=blocks_of(32, digest),
        )
    salt = os.urandom(16)
    yield entry(
        program="composed: ASP.NET Identity v2 layout",
        hash=b64(b"\0" + salt + pbkdf2("sha1", salt, 1000, 32)),
        format_hint="aspnet-v2",
        hasher="pbkdf2-sha1",
        params={"iterations": 1000},
        blocks=blocks_of(32, "sha1"),
    )


def elasticsearch() -> Iterator[Entry]:
    """Elasticsearch's Hasher: HMAC-SHA512, 32 bytes; the stretched one hashes SHA-512 in hex."""
    for prefix, given in (
        ("{PBKDF2}", PROBE),
        ("{PBKDF2_STRETCH}", hashlib.sha512(PROBE.encode()).hexdigest()),
    ):
        for iterations in (1000, 10000, 50000):
            salt = os.urandom(32)
            key = pbkdf2("sha512", salt, iterations, 32, given)
            yield Entry(
                program="composed: Elasticsearch layout",
                version=_LAYOUT,
                hash=f"{prefix}{iterations}${b64(salt)}${b64(key)}",
                format_hint="elasticsearch",
                hasher="pbkdf2-sha512",
                params={"iterations": iterations},
                blocks=1,
                app="elasticsearch",
            )


def foreman() -> Iterator[Entry]:
    """Foreman's PasswordHash, whose output is as long as its salt: 39 bytes."""
    for iterations in (1000, 50000):
        salt = b64(os.urandom(39))
        key = pbkdf2("sha1", salt.encode(), iterations, 39)
        yield Entry(
            program="composed: Foreman layout",
            version=_LAYOUT,
            hash=f"$pbkdf2sha1${iterations}${salt}${b64(key)}",
            format_hint="foreman",
            hasher="pbkdf2-sha1",
            params={"iterations": iterations},
            blocks=blocks_of(39, "sha1"),
        )


def mysql() -> Iterator[Entry]:
    """MySQL's caching_sha2_password; its digest here is of the same length, but no sha256-crypt.

    No library computes sha256-crypt with the 20 bytes of salt that MySQL gives it.
    """
    for thousands in (5, 10, 0xFFF):
        salt = secrets.token_hex(10)
        digest = crypt64(hashlib.sha256((salt + PROBE).encode()).digest())
        yield Entry(
            program="composed: MySQL caching_sha2_password layout",
            version=_LAYOUT,
            hash=f"$A${thousands:03X}${salt}{digest}",
            format_hint="mysql-sha2",
            hasher="sha256-crypt",
            params={"rounds": 1000 * thousands},
        )


def kratos() -> Iterator[Entry]:
    """Ory Kratos's imports; its scrypt writes N where others write its logarithm."""
    entry = partial(Entry, version=_LAYOUT, app="kratos")
    for n, r, p in ((1024, 8, 1), (16384, 8, 2)):
        salt = os.urandom(16)
        key = hashlib.scrypt(PROBE.encode(), salt=salt, n=n, r=r, p=p, maxmem=2**26, dklen=32)
        yield entry(
            program="composed: Kratos scrypt layout",
            hash=f"$scrypt$ln={n},r={r},p={p}${b64(salt)}${b64(key)}",
            format_hint="kratos-scrypt",
            hasher="scrypt",
            params={"n": n, "r": r, "p": p},
        )
    for digest, length in (("sha256", 32), ("sha512", 32)):
        salt = os.urandom(16)
        key = pbkdf2(digest, salt, 100_000, length)
        yield entry(
            program="composed: Kratos PBKDF2 layout",
            hash=f"$pbkdf2-{digest}$i=100000,l={length}${bare64(salt)}${bare64(key)}",
            format_hint="phc-pbkdf2",
            hasher=f"pbkdf2-{digest}",
            params={"iterations": 100_000},
            blocks=1,
        )


def keycloak() -> Iterator[Entry]:
    """Keycloak's credential_data, whose hash is in another column."""
    entry = partial(
        Entry,
        program="composed: Keycloak credential_data",
        version=_LAYOUT,
        format_hint="keycloak",
        app="keycloak",
    )

    def written(iterations: int, algorithm: str, more: dict[str, list[str]]) -> str:
        document = {
            "hashIterations": iterations,
            "algorithm": algorithm,
            "additionalParameters": more,
        }
        return json.dumps(document, separators=(",", ":"))

    for name, digest, iterations in (
        ("pbkdf2", "sha1", 1_300_000),
        ("pbkdf2-sha256", "sha256", 27500),
        ("pbkdf2-sha512", "sha512", 210_000),
    ):
        yield entry(
            hash=written(iterations, name, {}),
            hasher=f"pbkdf2-{digest}",
            params={"iterations": iterations},
        )
    more = {
        "hashLength": ["32"],
        "memory": ["7168"],
        "type": ["id"],
        "version": ["1.3"],
        "parallelism": ["1"],
    }
    yield entry(
        hash=written(5, "argon2", more),
        hasher="argon2id",
        params={"memory_kib": 7168, "time_cost": 5, "parallelism": 1},
    )


def aix() -> Iterator[Entry]:
    """AIX's loadable password algorithms, which write the logarithm of the iterations."""
    for digest in ("sha1", "sha256", "sha512"):
        for log2 in (6, 10):
            salt = crypt64(os.urandom(12))
            size = hashlib.new(digest).digest_size
            key = pbkdf2(digest, salt.encode(), 1 << log2, size)
            yield Entry(
                program="composed: AIX layout",
                version=_LAYOUT,
                hash=f"{{s{digest}}}{log2:02}${salt}${crypt64_reversed(key)}",
                format_hint="aix",
                hasher=f"pbkdf2-{digest}",
                params={"iterations": 1 << log2},
                blocks=1,
            )


def cisco() -> Iterator[Entry]:
    """Cisco's types 8 and 9, whose costs are fixed."""
    salt = crypt64(os.urandom(11))[:14]
    yield Entry(
        program="composed: Cisco type 8 layout",
        version=_LAYOUT,
        hash=f"$8${salt}${crypt64(pbkdf2('sha256', salt.encode(), 20000, 32))}",
        format_hint="cisco-8",
        hasher="pbkdf2-sha256",
        params={"iterations": 20000},
        blocks=1,
    )
    key = hashlib.scrypt(PROBE.encode(), salt=salt.encode(), n=16384, r=1, p=1, dklen=32)
    yield Entry(
        program="composed: Cisco type 9 layout",
        version=_LAYOUT,
        hash=f"$9${salt}${crypt64(key)}",
        format_hint="cisco-9",
        hasher="scrypt",
        params={"n": 16384, "r": 1, "p": 1},
    )


def unstated() -> Iterator[Entry]:
    """Digests beside which no cost is stored: Grafana's, and Gitea's pbkdf2$50000$50."""
    for app, iterations in (("grafana", 10000), ("gitea", 50000)):
        salt = secrets.token_hex(5)
        yield Entry(
            program=f"composed: {app.capitalize()} layout",
            version=_LAYOUT,
            hash=pbkdf2("sha256", salt.encode(), iterations, 50).hex(),
            format_hint="hex",
            hasher="pbkdf2-sha256",
            blocks=blocks_of(50, "sha256"),
            app=app,
            unstated=True,
        )


def fast() -> Iterator[Entry]:
    """RabbitMQ's four bytes of salt and SHA-256, and Redis's access list."""
    salt = os.urandom(4)
    for app, hint, text in (
        ("RabbitMQ", "base64", b64(salt + hashlib.sha256(salt + PROBE.encode()).digest())),
        ("Redis", "redis-acl", "#" + hashlib.sha256(PROBE.encode()).hexdigest()),
    ):
        yield Entry(
            program=f"composed: {app} layout",
            version=_LAYOUT,
            hash=text,
            format_hint=hint,
            kind="fast",
            hasher="sha256",
            app=app.lower(),
        )


def scram(digest: str, salt: bytes, iterations: int, given: str = PROBE) -> tuple[str, str]:
    """The stored key and the server's key of SCRAM (RFC 5802)."""
    salted = pbkdf2(digest, salt, iterations, hashlib.new(digest).digest_size, given)
    client, server = (hmac.digest(salted, name, digest) for name in (b"Client Key", b"Server Key"))
    return b64(hashlib.new(digest, client).digest()), b64(server)


def databases() -> Iterator[Entry]:
    """PBKDF2 as databases store it: MySQL, MariaDB, SQL Server, Oracle and CouchDB.

    Of SQL Server 2025 the input is a guess: the password in UTF-16, as its older ones have it.
    """
    entry = partial(Entry, version=_LAYOUT)
    text = secrets.token_hex(10)
    yield entry(
        program="composed: MySQL caching_sha2_password, PBKDF2 layout",
        hash=f"$B$00A${text}{b64(pbkdf2('sha512', text.encode(), 10000, 64))}",
        format_hint="mysql-pbkdf2",
        hasher="pbkdf2-sha512",
        params={"iterations": 10000},
        blocks=1,
    )
    for log2 in (0, 3):
        salt = os.urandom(18)
        seed = pbkdf2("sha512", salt, 1024 << log2, 32)
        key = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
        yield entry(
            program="composed: MariaDB PARSEC layout",
            hash=f"P{log2}:{b64(salt)}:{bare64(key)}",
            format_hint="mariadb-parsec",
            hasher="pbkdf2-sha512",
            params={"iterations": 1024 << log2},
            blocks=1,
            client_side=True,
        )
    salt = os.urandom(4)
    key = hashlib.pbkdf2_hmac("sha512", PROBE.encode("utf-16-le"), salt, 100_000)
    yield entry(
        program="composed: SQL Server 2025 layout",
        hash=f"0x0300{(salt + key).hex().upper()}",
        format_hint="mssql-2025",
        hasher="pbkdf2-sha512",
        params={"iterations": 100_000},
        blocks=1,
    )
    salt = os.urandom(16)
    key = pbkdf2("sha512", salt + b"AUTH_PBKDF2_SPEEDY_KEY", 4096, 64)
    yield entry(
        program="composed: Oracle 12c layout",
        hash=f"T:{(hashlib.sha512(key + salt).digest() + salt).hex().upper()}",
        format_hint="oracle-12",
        hasher="pbkdf2-sha512",
        params={"iterations": 4096},
        blocks=1,
    )
    for digest, prf in (("sha1", ""), ("sha256", ":sha256")):
        text = secrets.token_hex(16)
        key = pbkdf2(digest, text.encode(), 1000, hashlib.new(digest).digest_size)
        yield entry(
            program="composed: CouchDB admins layout",
            hash=f"-pbkdf2{prf}-{key.hex()},{text},1000",
            format_hint="couchdb",
            hasher=f"pbkdf2-{digest}",
            params={"iterations": 1000},
            blocks=1,
        )


def scrams() -> Iterator[Entry]:
    """What Kafka and MongoDB keep of SCRAM; MongoDB's SHA-1 hashes the password with MD5 first."""
    entry = partial(Entry, version=_LAYOUT, client_side=True, blocks=1)
    for digest in ("sha256", "sha512"):
        salt = os.urandom(20)
        stored, server = scram(digest, salt, 8192)
        yield entry(
            program="composed: Kafka SCRAM layout",
            hash=f"salt={b64(salt)},stored_key={stored},server_key={server},iterations=8192",
            format_hint="kafka-scram",
            hasher=f"pbkdf2-{digest}",
            params={"iterations": 8192},
        )
    first = hashlib.md5(f"ann:mongo:{PROBE}".encode(), usedforsecurity=False).hexdigest()
    credentials = {}
    for name, digest, iterations, given, size in (
        ("SCRAM-SHA-1", "sha1", 10000, first, 16),
        ("SCRAM-SHA-256", "sha256", 15000, PROBE, 28),
    ):
        salt = os.urandom(size)
        stored, server = scram(digest, salt, iterations, given)
        credentials[name] = {
            "iterationCount": iterations,
            "salt": b64(salt),
            "storedKey": stored,
            "serverKey": server,
        }
    yield entry(
        program="composed: MongoDB credentials",
        hash=json.dumps(credentials, separators=(",", ":")),
        format_hint="mongodb",
        hasher="pbkdf2-sha1",
        params={"iterations": 10000},
    )


def luks2() -> Iterator[Entry]:
    """The kdf of LUKS2's keyslots, whose key is in the binary area."""
    entry = partial(Entry, program="composed: LUKS2 kdf", version=_LAYOUT, format_hint="luks2")
    salt = b64(os.urandom(32))
    yield entry(
        hash=f'{{"type":"argon2id","time":6,"memory":1048576,"cpus":4,"salt":"{salt}"}}',
        hasher="argon2id",
        params={"memory_kib": 1_048_576, "time_cost": 6, "parallelism": 4},
    )
    yield entry(
        hash=f'{{"type":"pbkdf2","hash":"sha256","iterations":2000000,"salt":"{salt}"}}',
        hasher="pbkdf2-sha256",
        params={"iterations": 2_000_000},
    )


def web() -> Iterator[Entry]:
    """Jenkins in FIPS mode, MediaWiki's types that are PHP's own, and Joomla before 3.2."""
    entry = partial(Entry, version=_LAYOUT)
    salt = os.urandom(16)
    yield entry(
        program="composed: Jenkins PBKDF2 layout",
        hash=f"$PBKDF2$HMACSHA512:210000:{salt.hex()}${pbkdf2('sha512', salt, 210_000, 64).hex()}",
        format_hint="jenkins-pbkdf2",
        hasher="pbkdf2-sha512",
        params={"iterations": 210_000},
        blocks=1,
    )
    made = bcrypt.hashpw(PROBE.encode(), bcrypt.gensalt(10, b"2a")).decode()
    yield entry(
        program="composed: Jenkins bcrypt layout",
        hash=f"#jbcrypt:{made}",
        format_hint="jenkins-bcrypt",
        hasher="bcrypt",
        params={"cost": 10},
    )
    made = bcrypt.hashpw(PROBE.encode(), bcrypt.gensalt(9)).decode()
    yield entry(
        program="composed: MediaWiki bcrypt layout",
        hash=f":bcrypt:9${made[7:29]}${made[29:]}",
        format_hint="mediawiki-bcrypt",
        hasher="bcrypt",
        params={"cost": 9},
    )
    made = argon2.PasswordHasher(4, 65536, 1).hash(PROBE)
    yield entry(
        program="composed: MediaWiki argon2 layout",
        hash=f":argon2:{made}",
        format_hint="mediawiki-argon2",
        hasher="argon2id",
        params={"memory_kib": 65536, "time_cost": 4, "parallelism": 1},
    )
    text = secrets.token_hex(16)
    for name, digest, app in (("", "md5", "joomla"), ("{SHA256}", "sha256", None)):
        key = hashlib.new(digest, (PROBE + text).encode(), usedforsecurity=False).hexdigest()
        yield entry(
            program="composed: Joomla layout",
            hash=f"{name}{key}:{text}",
            format_hint=f"joomla-{digest}",
            kind="fast",
            hasher=digest,
            app=app,
        )


if __name__ == "__main__":
    for maker in (
        aspnet,
        elasticsearch,
        foreman,
        mysql,
        kratos,
        keycloak,
        aix,
        cisco,
        unstated,
        fast,
        databases,
        scrams,
        luks2,
        web,
    ):
        for made in maker():
            show(made)
