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
import string
import struct
from collections.abc import Iterator
from functools import partial
from typing import Any

import argon2
import bcrypt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tools.stored_hashes.entry import PROBE, Entry, blocks_of, entry, show

_CRYPT = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def b64(raw: bytes) -> str:
    """Encode as base64 with padding."""
    return base64.b64encode(raw).decode()


def bare64(raw: bytes) -> str:
    """Encode as base64 without padding, as PHC strings have it."""
    return b64(raw).rstrip("=")


def crypt64(raw: bytes) -> str:
    """Encode as base64 of crypt's alphabet, most significant bits first (Cisco)."""
    usual = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    return bare64(raw).translate(str.maketrans(usual, _CRYPT))


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


def layout(name: str, hash_: str, form: str, what: str, **more: Any) -> Entry:
    """Describe a hash in a documented layout."""
    return entry(f"composed: {name}", "layout", hash_, form, what, **more)


def compact(document: object) -> str:
    """Write JSON without spaces."""
    return json.dumps(document, separators=(",", ":"))


def aspnet() -> Iterator[Entry]:
    """ASP.NET Identity's PasswordHasher: version 3's header and fields, and version 2's."""
    for number, digest, iterations in (
        (0, "sha1", 1000),
        (1, "sha256", 10000),
        (2, "sha512", 100_000),
        (2, "sha512", 210_000),
    ):
        salt = os.urandom(16)
        header = struct.pack(">BIII", 1, number, iterations, len(salt))
        hash_ = b64(header + salt + pbkdf2(digest, salt, iterations, 32))
        what, blocks = f"pbkdf2-{digest} iterations={iterations}", blocks_of(32, digest)
        yield layout("ASP.NET Identity v3 layout", hash_, "aspnet-v3", what, blocks=blocks)
    salt = os.urandom(16)
    hash_ = b64(b"\0" + salt + pbkdf2("sha1", salt, 1000, 32))
    what = "pbkdf2-sha1 iterations=1000"
    yield layout("ASP.NET Identity v2 layout", hash_, "aspnet-v2", what, blocks=2)


def elasticsearch() -> Iterator[Entry]:
    """Elasticsearch's Hasher: HMAC-SHA512, 32 bytes; the stretched one hashes SHA-512 in hex."""
    line = partial(layout, "Elasticsearch layout", form="elasticsearch", app="elasticsearch")
    for prefix, given in (
        ("{PBKDF2}", PROBE),
        ("{PBKDF2_STRETCH}", hashlib.sha512(PROBE.encode()).hexdigest()),
    ):
        for iterations in (1000, 10000, 50000):
            salt = os.urandom(32)
            key = pbkdf2("sha512", salt, iterations, 32, given)
            hash_ = f"{prefix}{iterations}${b64(salt)}${b64(key)}"
            yield line(hash_, what=f"pbkdf2-sha512 iterations={iterations}", blocks=1)


def foreman() -> Iterator[Entry]:
    """Foreman's PasswordHash, whose output is as long as its salt: 39 bytes."""
    for iterations in (1000, 50000):
        salt = b64(os.urandom(39))
        key = pbkdf2("sha1", salt.encode(), iterations, 39)
        hash_ = f"$pbkdf2sha1${iterations}${salt}${b64(key)}"
        what = f"pbkdf2-sha1 iterations={iterations}"
        yield layout("Foreman layout", hash_, "foreman", what, blocks=blocks_of(39, "sha1"))


def mysql() -> Iterator[Entry]:
    """MySQL's caching_sha2_password; its digest here is of the same length, but no sha256-crypt.

    No library computes sha256-crypt with the 20 bytes of salt that MySQL gives it.
    """
    for thousands in (5, 10, 0xFFF):
        salt = secrets.token_hex(10)
        hash_ = f"$A${thousands:03X}${salt}"
        hash_ += crypt64(hashlib.sha256((salt + PROBE).encode()).digest())
        what = f"sha256-crypt rounds={1000 * thousands}"
        yield layout("MySQL caching_sha2_password layout", hash_, "mysql-sha2", what)


def kratos() -> Iterator[Entry]:
    """Ory Kratos's imports; its scrypt writes N where others write its logarithm."""
    for n, r, p in ((1024, 8, 1), (16384, 8, 2)):
        salt = os.urandom(16)
        key = hashlib.scrypt(PROBE.encode(), salt=salt, n=n, r=r, p=p, maxmem=2**26, dklen=32)
        hash_ = f"$scrypt$ln={n},r={r},p={p}${b64(salt)}${b64(key)}"
        what = f"scrypt n={n} r={r} p={p}"
        yield layout("Kratos scrypt layout", hash_, "kratos-scrypt", what, app="kratos")
    for digest in ("sha256", "sha512"):
        salt = os.urandom(16)
        key = pbkdf2(digest, salt, 100_000, 32)
        hash_ = f"$pbkdf2-{digest}$i=100000,l=32${bare64(salt)}${bare64(key)}"
        what = f"pbkdf2-{digest} iterations=100000"
        yield layout("Kratos PBKDF2 layout", hash_, "phc-pbkdf2", what, blocks=1, app="kratos")


def keycloak() -> Iterator[Entry]:
    """Keycloak's credential_data, whose hash is in another column."""
    sizes = {"hashLength": ["32"], "memory": ["7168"]}
    argon2id = {**sizes, "type": ["id"], "version": ["1.3"], "parallelism": ["1"]}
    more: dict[str, list[str]]
    for name, iterations, more, what in (
        ("pbkdf2", 1_300_000, {}, "pbkdf2-sha1 iterations=1300000"),
        ("pbkdf2-sha256", 27500, {}, "pbkdf2-sha256 iterations=27500"),
        ("pbkdf2-sha512", 210_000, {}, "pbkdf2-sha512 iterations=210000"),
        ("argon2", 5, argon2id, "argon2id memory_kib=7168 time_cost=5 parallelism=1"),
    ):
        document = {"hashIterations": iterations, "algorithm": name}
        hash_ = compact({**document, "additionalParameters": more})
        yield layout("Keycloak credential_data", hash_, "keycloak", what, app="keycloak")


def aix() -> Iterator[Entry]:
    """AIX's loadable password algorithms, which write the logarithm of the iterations."""
    for digest in ("sha1", "sha256", "sha512"):
        for log2 in (6, 10):
            salt = crypt64(os.urandom(12))
            key = pbkdf2(digest, salt.encode(), 1 << log2, hashlib.new(digest).digest_size)
            hash_ = f"{{s{digest}}}{log2:02}${salt}${crypt64_reversed(key)}"
            what = f"pbkdf2-{digest} iterations={1 << log2}"
            yield layout("AIX layout", hash_, "aix", what, blocks=1)


def cisco() -> Iterator[Entry]:
    """Cisco's types 8 and 9, whose costs are fixed."""
    salt = crypt64(os.urandom(11))[:14]
    hash_ = f"$8${salt}${crypt64(pbkdf2('sha256', salt.encode(), 20000, 32))}"
    what = "pbkdf2-sha256 iterations=20000"
    yield layout("Cisco type 8 layout", hash_, "cisco-8", what, blocks=1)
    key = hashlib.scrypt(PROBE.encode(), salt=salt.encode(), n=16384, r=1, p=1, dklen=32)
    hash_ = f"$9${salt}${crypt64(key)}"
    yield layout("Cisco type 9 layout", hash_, "cisco-9", "scrypt n=16384 r=1 p=1")


def unstated() -> Iterator[Entry]:
    """Digests beside which no cost is stored: Grafana's, and Gitea's pbkdf2$50000$50."""
    what, blocks = "pbkdf2-sha256", blocks_of(50, "sha256")
    for app, iterations in (("grafana", 10000), ("gitea", 50000)):
        hash_ = pbkdf2("sha256", secrets.token_hex(5).encode(), iterations, 50).hex()
        line = partial(layout, f"{app.capitalize()} layout", hash_, "hex", what)
        yield line(blocks=blocks, app=app, unstated=True)


def fast() -> Iterator[Entry]:
    """RabbitMQ's four bytes of salt and SHA-256, and Redis's access list."""
    salt = os.urandom(4)
    hash_ = b64(salt + hashlib.sha256(salt + PROBE.encode()).digest())
    yield layout("RabbitMQ layout", hash_, "base64", "fast sha256", app="rabbitmq")
    hash_ = "#" + hashlib.sha256(PROBE.encode()).hexdigest()
    yield layout("Redis layout", hash_, "redis-acl", "fast sha256", app="redis")


def scram(digest: str, salt: bytes, iterations: int, given: str = PROBE) -> tuple[str, str]:
    """The stored key and the server's key of SCRAM (RFC 5802)."""
    salted = pbkdf2(digest, salt, iterations, hashlib.new(digest).digest_size, given)
    client, server = (hmac.digest(salted, name, digest) for name in (b"Client Key", b"Server Key"))
    return b64(hashlib.new(digest, client).digest()), b64(server)


def databases() -> Iterator[Entry]:
    """PBKDF2 as databases store it: MySQL, MariaDB, SQL Server, Oracle and CouchDB.

    Of SQL Server 2025 the input is a guess: the password in UTF-16, as its older ones have it.
    """
    text = secrets.token_hex(10)
    hash_ = f"$B$00A${text}{b64(pbkdf2('sha512', text.encode(), 10000, 64))}"
    name, what = "MySQL caching_sha2_password, PBKDF2 layout", "pbkdf2-sha512 iterations=10000"
    yield layout(name, hash_, "mysql-pbkdf2", what, blocks=1)
    for log2 in (0, 3):
        salt = os.urandom(18)
        seed = pbkdf2("sha512", salt, 1024 << log2, 32)
        key = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
        hash_ = f"P{log2}:{b64(salt)}:{bare64(key)}"
        parsec = partial(layout, "MariaDB PARSEC layout", hash_, "mariadb-parsec")
        yield parsec(f"pbkdf2-sha512 iterations={1024 << log2}", blocks=1, client_side=True)
    salt = os.urandom(4)
    key = hashlib.pbkdf2_hmac("sha512", PROBE.encode("utf-16-le"), salt, 100_000)
    hash_, what = f"0x0300{(salt + key).hex().upper()}", "pbkdf2-sha512 iterations=100000"
    yield layout("SQL Server 2025 layout", hash_, "mssql-2025", what, blocks=1)
    salt = os.urandom(16)
    key = pbkdf2("sha512", salt + b"AUTH_PBKDF2_SPEEDY_KEY", 4096, 64)
    hash_ = f"T:{(hashlib.sha512(key + salt).digest() + salt).hex().upper()}"
    what = "pbkdf2-sha512 iterations=4096"
    yield layout("Oracle 12c layout", hash_, "oracle-12", what, blocks=1)
    for digest, prf in (("sha1", ""), ("sha256", ":sha256")):
        text = secrets.token_hex(16)
        key = pbkdf2(digest, text.encode(), 1000, hashlib.new(digest).digest_size)
        hash_, what = f"-pbkdf2{prf}-{key.hex()},{text},1000", f"pbkdf2-{digest} iterations=1000"
        yield layout("CouchDB admins layout", hash_, "couchdb", what, blocks=1)


def scrams() -> Iterator[Entry]:
    """What Kafka and MongoDB keep of SCRAM; MongoDB's SHA-1 hashes the password with MD5 first."""
    line = partial(layout, blocks=1, client_side=True)
    for digest in ("sha256", "sha512"):
        salt = os.urandom(20)
        stored, server = scram(digest, salt, 8192)
        hash_ = f"salt={b64(salt)},stored_key={stored},server_key={server},iterations=8192"
        yield line("Kafka SCRAM layout", hash_, "kafka-scram", f"pbkdf2-{digest} iterations=8192")
    first = hashlib.md5(f"ann:mongo:{PROBE}".encode(), usedforsecurity=False).hexdigest()
    credentials = {}
    for name, digest, iterations, given, size in (
        ("SCRAM-SHA-1", "sha1", 10000, first, 16),
        ("SCRAM-SHA-256", "sha256", 15000, PROBE, 28),
    ):
        salt = os.urandom(size)
        stored, server = scram(digest, salt, iterations, given)
        keys = {"salt": b64(salt), "storedKey": stored, "serverKey": server}
        credentials[name] = {"iterationCount": iterations, **keys}
    what = "pbkdf2-sha1 iterations=10000"
    yield line("MongoDB credentials", compact(credentials), "mongodb", what)


def luks2() -> Iterator[Entry]:
    """The kdf of LUKS2's keyslots, whose key is in the binary area."""
    salt = b64(os.urandom(32))
    hash_ = compact({"type": "argon2id", "time": 6, "memory": 1 << 20, "cpus": 4, "salt": salt})
    what = "argon2id memory_kib=1048576 time_cost=6 parallelism=4"
    yield layout("LUKS2 kdf", hash_, "luks2", what)
    pbkdf2_kdf = {"type": "pbkdf2", "hash": "sha256", "iterations": 2_000_000, "salt": salt}
    what = "pbkdf2-sha256 iterations=2000000"
    yield layout("LUKS2 kdf", compact(pbkdf2_kdf), "luks2", what)


def web() -> Iterator[Entry]:
    """Jenkins in FIPS mode, MediaWiki's types that are PHP's own, and Joomla before 3.2."""
    salt = os.urandom(16)
    hash_ = f"$PBKDF2$HMACSHA512:210000:{salt.hex()}${pbkdf2('sha512', salt, 210_000, 64).hex()}"
    what = "pbkdf2-sha512 iterations=210000"
    yield layout("Jenkins PBKDF2 layout", hash_, "jenkins-pbkdf2", what, blocks=1)
    hash_ = f"#jbcrypt:{bcrypt.hashpw(PROBE.encode(), bcrypt.gensalt(10, b'2a')).decode()}"
    yield layout("Jenkins bcrypt layout", hash_, "jenkins-bcrypt", "bcrypt cost=10")
    hash_ = bcrypt.hashpw(PROBE.encode(), bcrypt.gensalt(9)).decode()
    hash_ = f":bcrypt:9${hash_[7:29]}${hash_[29:]}"
    yield layout("MediaWiki bcrypt layout", hash_, "mediawiki-bcrypt", "bcrypt cost=9")
    hash_ = argon2.PasswordHasher(4, 65536, 1).hash(PROBE)
    what = "argon2id memory_kib=65536 time_cost=4 parallelism=1"
    yield layout("MediaWiki argon2 layout", f":argon2:{hash_}", "mediawiki-argon2", what)
    text = secrets.token_hex(16)
    for name, digest, app in (("", "md5", "joomla"), ("{SHA256}", "sha256", None)):
        key = hashlib.new(digest, (PROBE + text).encode(), usedforsecurity=False).hexdigest()
        form, what = f"joomla-{digest}", f"fast {digest}"
        yield layout("Joomla layout", f"{name}{key}:{text}", form, what, app=app)


if __name__ == "__main__":
    for maker in (
        *(aspnet, elasticsearch, foreman, mysql, kratos, keycloak, aix, cisco),
        *(unstated, fast, databases, scrams, luks2, web),
    ):
        show(maker())
