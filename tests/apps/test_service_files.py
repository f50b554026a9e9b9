"""Configurations of services as they are met in the wild: which line wins, and why."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from apps.services import service
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params


@dataclass(frozen=True)
class _Line:
    """What a line configures; ``why`` is a part of the words, and no words at all if empty."""

    line: int
    hasher: str
    params: Params
    wins: bool = True
    why: str = ""
    written: str = ""


_KRATOS = """\
# kratos.yml, of the quickstart
version: v1.3.0
dsn: memory
hashers:
  algorithm: bcrypt
  bcrypt:
    cost: 8
  argon2: {memory: 128MB, iterations: 2, parallelism: 1}
"""
_KRATOS_ANCHORED = """\
x-strong: &strong {cost: 13}
hashers:
  algorithm: ${ALGORITHM:-bcrypt}
  bcrypt:
    <<: *strong
    cost: ${COST:-14}
---
hashers: {bcrypt: {cost: 15}}
"""
_AUTHELIA = """\
theme: dark
authentication_backend:
  file:
    path: /config/users.yml
    password:
      algorithm: argon2id  # as before 4.37
      argon2:
        iterations: 3
        memory: 65536
      scrypt:
        iterations: 16
        block_size: 8
      pbkdf2: {variant: sha256, iterations: 90_000}
"""
_GITEA = """\
APP_NAME = Gitea: Git with a cup of tea
RUN_MODE = prod

[server]
  ROOT_URL = https://git.example/ ; indented, as go-ini takes it

[security]
INSTALL_LOCK = true
; PASSWORD_HASH_ALGO = bcrypt$12
PASSWORD_HASH_ALGO = pbkdf2
[other]
PASSWORD_HASH_ALGO = pbkdf2$1$32
[security]
PASSWORD_HASH_ALGO = `argon2$3$65536$4$50` # the one that counts
"""
_REALM = """\
{
  "realm": "shop",
  "passwordPolicy": "length(12) and hashAlgorithm(pbkdf2-sha256) and hashIterations(600000)",
  "users": [{"username": "hashIterations"}]
}
"""
_KEYCLOAK = """\
# conf/keycloak.conf
db=postgres
spi-password-hashing-argon2-iterations=2
spi-password-hashing--argon2--iterations=${ITERATIONS:7}
spi-password-hashing--argon2--memory=19456
"""
_FOREMAN = """\
---
:unattended: true
:fqdn: foreman.example
:password_hash: pbkdf2sha1
:bcrypt_cost: 9
:pbkdf2_cost: 40000
"""
_HAMMER = """\
#!/bin/sh
# hammer settings set --name bcrypt_cost --value 4
hammer settings set --name bcrypt_cost --value 10
hammer -u admin settings set --name=bcrypt_cost --value='12'
"""
_MYSQL = """\
[client]
caching_sha2_password_digest_rounds = 9000
[mysqld]
skip-name-resolve
  caching-sha2-password-digest-rounds=10000   # thousands
!includedir /etc/mysql/conf.d/
[mysqld-8.4]
loose_caching_sha2_password_digest_rounds = 12345
"""
_MONGODB = """\
storage:
  dbPath: /var/lib/mongo
security: {authorization: enabled}
setParameter:
  scramSHA256IterationCount: 4096
  scramIterationCount: 20000
  enableLocalhostAuthBypass: false
"""
_KAFKA = """\
# SCRAM-SHA-256=[iterations=1]
bin/kafka-configs.sh --bootstrap-server b:9092 --alter --add-config \\
  'SCRAM-SHA-256=[iterations=8192,password=x],SCRAM-SHA-512=[password=x]' \\
  --entity-type users --entity-name alice
bin/kafka-storage.sh format --add-scram 'SCRAM-SHA-512=[name=admin,iterations=20000,password=x]'
"""
_BCRYPT = "$2a$14$X3ulqf/iGxnf1k6oMZ.RZeJUoqI9PX2PM4rS5lkIKJXduLGXGPrt6"
_CADDY = f"""\
example.com {{
\tbasic_auth {{
\t\t# old $2a$04$
\t\tbob {_BCRYPT}
\t}}
}}
"""
_ELASTICSEARCH = """\
cluster.name: logs
xpack.security:
  enabled: true
  authc.password_hashing.algorithm: BCRYPT12
xpack:
  security.authc.password_hashing.algorithm: pbkdf2_stretch
"""
_OPENSEARCH = """\
plugins.security.password.hashing.algorithm: pbkdf2
plugins.security.password.hashing.bcrypt.rounds: 14
plugins.security.password.hashing.pbkdf2.function: SHA512
plugins.security:
  password.hashing.pbkdf2.iterations: 210000
"""
_VAULTWARDEN = """\
# PASSWORD_ITERATIONS=1
export PASSWORD_ITERATIONS="350000" # since May
PASSWORD_ITERATIONS=600000
"""
_NEXTCLOUD = """\
<?php
$CONFIG = array (
  'instanceid' => 'oc\\'1',
  # 'hashingCost' => 4,
  'redis' => [ 'hashingCost' => 5, 'port' => 6379 ],
  'hashing_default_password' => false, /* 'hashingTimeCost' => 1,
  */
  'hashingTimeCost' => 2, // and again
  'hashingMemoryCost' => PASSWORD_ARGON2_DEFAULT_MEMORY_COST,
  "hashingCost" => 12,
);
$CONFIG['hashingTimeCost'] = 3;
"""
_ARGON2_KRATOS = {"memory_kib": 131072, "time_cost": 2, "parallelism": 1}

_CASES = {
    ("kratos", _KRATOS): [
        _Line(7, "bcrypt", {"cost": 8}, why="raised to it without --dev"),
        _Line(8, "argon2id", _ARGON2_KRATOS, wins=False, why="hashers.algorithm is bcrypt"),
    ],
    ("kratos", _KRATOS_ANCHORED): [
        _Line(1, "bcrypt", {"cost": 13}, wins=False, why="line 6 sets cost again"),
        _Line(6, "bcrypt", {"cost": 14}, why="COST", written="${COST:-14}"),
        _Line(8, "bcrypt", {"cost": 15}, wins=False, why="only the first document is read"),
    ],
    ("authelia", _AUTHELIA): [
        _Line(8, "argon2id", {"time_cost": 3, "memory_kib": 65536}),
        _Line(11, "scrypt", {"n": 65536, "r": 8}, wins=False, why="algorithm is argon2"),
        _Line(13, "pbkdf2-sha256", {"iterations": 90000}, wins=False, why="below the 100000"),
    ],
    ("gitea", _GITEA): [
        _Line(10, "pbkdf2-sha256", {"iterations": 50000}, wins=False, why="", written="pbkdf2"),
        _Line(
            14,
            "argon2id",
            {"time_cost": 3, "memory_kib": 65536, "parallelism": 4},
            why="the last one in [security] counts",
        ),
    ],
    ("keycloak", _REALM): [_Line(3, "pbkdf2-sha256", {"iterations": 600000})],
    ("keycloak", _KEYCLOAK): [
        _Line(3, "argon2id", {"time_cost": 2}, wins=False),
        _Line(
            4, "argon2id", {"memory_kib": 19456, "time_cost": 7}, why="the last", written="${IT"
        ),
    ],
    ("keycloak", 'password_policy = "hashIterations(210000)"\n'): [
        _Line(1, "argon2id", {}, why="ignored", written="210000")
    ],
    ("foreman", _FOREMAN): [
        _Line(5, "bcrypt", {"cost": 9}, wins=False, why="password_hash is pbkdf2sha1"),
        _Line(6, "pbkdf2-sha1", {"iterations": 40000}),
    ],
    ("foreman", _HAMMER): [
        _Line(3, "bcrypt", {"cost": 10}, wins=False, why="line 4 sets it again"),
        _Line(4, "bcrypt", {"cost": 12}),
    ],
    ("mysql", _MYSQL): [
        _Line(5, "sha256-crypt", {"rounds": 10000}, wins=False),
        _Line(8, "sha256-crypt", {"rounds": 12000}, why="the last", written="12345"),
    ],
    ("mysql", "[mysqld]\ncaching_sha2_password_digest_rounds = 64K\n"): [
        _Line(2, "sha256-crypt", {"rounds": 65000}, why="65000 instead of 65536", written="64K")
    ],
    ("mysql", "[mysqld]\ncaching_sha2_password_storage_format = PBKDF2_SHA512\n"): [
        _Line(2, "pbkdf2-sha512", {}, why="no caching_sha2_password_digest_rounds")
    ],
    (
        "mysql",
        (
            "[mysqld]\ncaching_sha2_password_digest_rounds = 600000\n"
            "loose-caching-sha2-password-storage-format = pbkdf2_sha512\n"
        ),
    ): [_Line(2, "pbkdf2-sha512", {"iterations": 600_000})],
    ("mongodb", _MONGODB): [
        _Line(5, "pbkdf2-sha256", {"iterations": 4096}, why="mongod does not start"),
        _Line(6, "pbkdf2-sha1", {"iterations": 20000}),
    ],
    ("kafka", _KAFKA): [
        _Line(3, "pbkdf2-sha256", {"iterations": 8192}),
        _Line(3, "pbkdf2-sha512", {"iterations": 4096}, why="no iterations are given"),
        _Line(5, "pbkdf2-sha512", {"iterations": 20000}, why="refused by the controller"),
    ],
    ("caddy", _CADDY): [_Line(4, "bcrypt", {"cost": 14}, why="a hash that is there")],
    ("caddy", "caddy hash-password -a bcrypt --bcrypt-cost=40\n"): [
        _Line(1, "bcrypt", {"cost": 40}, why="14 instead")
    ],
    ("elasticsearch", _ELASTICSEARCH): [
        _Line(4, "bcrypt", {"cost": 12}, wins=False, why="line 6", written="bcrypt12"),
        _Line(6, "pbkdf2-sha512", {"iterations": 10000}, why="twice", written="pbkdf2_stretch"),
    ],
    ("nextcloud", _NEXTCLOUD): [
        _Line(8, "argon2id", {"time_cost": 2}, wins=False, why="line 12 sets it again"),
        _Line(9, "argon2id", {"time_cost": 3, "memory_kib": 65536}),
        _Line(10, "bcrypt", {"cost": 12}, wins=False, why="is false"),
    ],
    ("opensearch", _OPENSEARCH): [
        _Line(2, "bcrypt", {"cost": 14}, wins=False, why="algorithm is pbkdf2"),
        _Line(5, "pbkdf2-sha512", {"iterations": 210000}),
    ],
    ("opensearch", "plugins.security.password.hashing.algorithm: argon2\n"): [
        _Line(1, "argon2id", {})
    ],
    ("vaultwarden", _VAULTWARDEN): [
        _Line(2, "pbkdf2-sha256", {"iterations": 350000}, why="keeps what is set already"),
        _Line(3, "pbkdf2-sha256", {"iterations": 600000}, wins=False),
    ],
    ("vaultwarden", "PASSWORD_ITERATIONS=${N:-5000}\n"): [
        _Line(1, "pbkdf2-sha256", {"iterations": 5000}, why="does not start", written="${N:-5000}")
    ],
}


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [(name, text, lines) for (name, text), lines in _CASES.items()],
    ids=[f"{name}-{index}" for index, (name, _) in enumerate(_CASES)],
)
def test_a_real_file_is_read(name: str, text: str, lines: list[_Line]) -> None:
    """Of several candidates the answer names the line that wins and why."""
    found = service(name).read(text)
    assert [(each.line, each.hasher, each.params, each.wins) for each in found] == [
        (each.line, each.hasher, each.params, each.wins) for each in lines
    ]
    for each, line in zip(found, lines, strict=True):
        assert line.why in each.why
        assert line.written in each.written
        assert bool(line.why) >= bool(each.why) or not line.wins


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("kratos", "hashers: {bcrypt: {cost: twelve}}", "line 1: hashers.bcrypt.cost is 'twelve'"),
        ("kratos", "hashers: {bcrypt: {cost: ${C}}}", "not YAML"),
        ("kratos", "hashers:\n  bcrypt:\n    cost: ${C}", "line 3: hashers.bcrypt.cost is from"),
        ("kratos", "hashers: {argon2: {memory: lots}}", "not a size"),
        ("authelia", "authentication_backend: {file: {password: {algorithm: md5}}}", "'md5'"),
        (
            "authelia",
            "authentication_backend: {file: {password: {scrypt: {iterations: 65536}}}}",
            "it is the logarithm",
        ),
        (
            "authelia",
            "authentication_backend.file.password: {algorithm: scrypt, scrypt.variant: yescrypt}",
            "yescrypt, whose cost hashcost does not judge",
        ),
        (
            "mysql",
            "[mysqld]\ncaching_sha2_password_storage_format = MD5\n",
            "line 2: caching_sha2_password_storage_format is 'md5', which MySQL refuses",
        ),
        ("gitea", "[security]\nPASSWORD_HASH_ALGO = pbkdf2$50000", "line 2: PASSWORD_HASH_ALGO"),
        ("gitea", "[security]\nPASSWORD_HASH_ALGO = md5", "which Gitea does not know"),
        ("keycloak", '{"passwordPolicy": "hashIterations(5)"', "line 1: no JSON"),
        ("keycloak", "hashAlgorithm(md5)", "not one of Keycloak's"),
        ("foreman", ":password_hash: rot13", "'rot13'; Foreman knows bcrypt, pbkdf2sha1"),
        ("mysql", "[mysqld]\ncaching_sha2_password_digest_rounds = many", "'many'"),
        ("mongodb", "setParameter: {scramIterationCount: -5}", "'-5'"),
        ("kafka", "SCRAM-SHA-256=[iterations=x]", "'x'"),
        ("caddy", "caddy hash-password --bcrypt-cost 'x'", "'x'"),
        ("caddy", "caddy hash-password -a md5", "does not know this algorithm"),
        ("elasticsearch", "xpack.security.authc.password_hashing.algorithm: md5", "'md5'"),
        ("nextcloud", "<?php $CONFIG = ['hashingCost' => 'x];", "a quote that does not end"),
        ("nextcloud", "'hashingTimeCost' => PASSWORD_BCRYPT,", "'PASSWORD_BCRYPT'"),
        ("nextcloud", "<?php /* 'hashingCost' => 4", "a comment that does not end"),
        ("opensearch", "plugins.security.password.hashing.algorithm: md5", "'md5'"),
        ("vaultwarden", "PASSWORD_ITERATIONS=${N}", "no default in the file"),
        ("vaultwarden", "PASSWORD_ITERATIONS=", "''"),
    ],
)
def test_what_cannot_be_a_cost_is_said_in_a_line(name: str, text: str, message: str) -> None:
    """A value that is no cost is refused in one line, with its place."""
    with pytest.raises(UnreadableInputError) as caught:
        service(name).read(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
