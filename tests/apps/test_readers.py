"""What each application makes of a file, and what its reader refuses."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from hashcost.apps.interface import Found
from hashcost.apps.registry import load_tunable
from hashcost.core.errors import UnreadableInputError

READINGS: Final[list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("readings.toml").read_text("utf-8")
)["reading"]


def told(found: Found) -> str:
    """A cost with its line, behind a dash if it does not count."""
    if found.flaw is not None:
        return f"{found.flaw.value} @{found.line}"
    cost = " ".join([found.hasher, *(f"{name}={value}" for name, value in found.params.items())])
    return f"{'' if found.wins else '- '}{cost} @{found.line}"


@pytest.mark.parametrize(
    "reading", READINGS, ids=[f"{each['app']}-{index}" for index, each in enumerate(READINGS)]
)
def test_a_file_is_read_as_the_program_reads_it(reading: dict[str, Any]) -> None:
    """Each cost is found on its line, and the one that the program uses counts."""
    found = load_tunable(reading["app"]).read(reading["text"])
    assert list(map(told, found)) == reading["is"]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (
            "kratos",
            "hashers: {bcrypt: {cost: 8}, algorithm: argon2}",
            "hashers.algorithm is argon2",
        ),
        ("vaultwarden", "PASSWORD_ITERATIONS=${N:-5000}", "unless the environment sets N"),
        ("laravel", "<?php return ['bcrypt' => ['rounds' => env('R', 9)]];", "environment sets R"),
        ("keycloak", 'password_policy = "hashIterations(210000)"', "hashIterations is above 100"),
        ("gitea", "[security]\nPASSWORD_HASH_ALGO = pbkdf2_hi", "takes 2 blocks"),
        ("grub", "grub-mkpasswd-pbkdf2 -c 10000 -l 128", "2 blocks"),
        ("pam-unix", "password required pam_unix.so yescrypt rounds=12", "takes 11 for it, and 5"),
        ("pam-unix", "password required pam_unix.so sha512", "SHA_CRYPT_MAX_ROUNDS of login.defs"),
        ("mkpasswd", "mkpasswd -m bcrypt -R 4", "mkpasswd takes 5 for 4"),
        (
            "login-defs",
            "ENCRYPT_METHOD SHA512\nSHA_CRYPT_MIN_ROUNDS 1\nSHA_CRYPT_MAX_ROUNDS 9",
            "random",
        ),
        ("openldap", "moduleload pw-pbkdf2 9\npassword-hash {SSHA}", "password-hash is {SSHA}"),
        ("kafka", "SCRAM-SHA-256=[password=x]", "it has the default"),
    ],
)
def test_what_was_to_be_decided_is_said(name: str, text: str, why: str) -> None:
    """A reader says why a cost counts, or why it is another than what is written."""
    assert any(why in found.why for found in load_tunable(name).read(text + "\n"))


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
            "line 2: caching_sha2_password_storage_format is 'MD5'; MySQL knows",
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
        ("mysql", "[mysqld]\ncaching_sha2_password_digest_rounds = 64K", "'64K'"),
        ("htpasswd", "htpasswd -B -C $UNKNOWN f u", "line 1: "),
        ("htpasswd", "htpasswd -5 -r 999 f u", "line 1: htpasswd refuses rounds 999; the nearest"),
        ("mkpasswd", "mkpasswd -m bcrypt -R 32", "line 1: mkpasswd refuses cost 32"),
        ("luks", "cryptsetup luksFormat --pbkdf-force-iterations 4 --pbkdf-memory 1g x", "'1g'"),
        ("login-defs", "ENCRYPT_METHOD SHA512\nSHA_CRYPT_MIN_ROUNDS 6_000", "line 2: SHA_CRYPT"),
        ("login-defs", "ENCRYPT_METHOD SHA512\nSHA_CRYPT_MIN_ROUNDS 6 # x", "line 2: SHA_CRYPT"),
        ("postgresql", "scram_iterations = 5kB", "line 1: scram_iterations is '5kB'"),
        ("openldap", "moduleload pw-pbkdf2 1\nmoduleload pw-pbkdf2 2", "line 2: slapd does not"),
        ("openldap", "moduleload argon2 rounds=4", "line 1: argon2 does not know"),
        ("laravel", "BCRYPT_ROUNDS=twelve", "line 1: BCRYPT_ROUNDS is 'twelve'"),
        ("laravel", "HASH_DRIVER=md5", "HASH_DRIVER is 'md5'; Laravel knows bcrypt"),
        ("mediawiki", "$wgPasswordDefault = 'bcrypt-peppered';", "MediaWiki knows pbkdf2"),
        ("mediawiki", "$wgPasswordConfig['bcrypt']['cost'] = getenv('C');", "not a whole number"),
        ("mediawiki", "$wgPasswordConfig['pbkdf2']['algo'] = 'md5';", "pbkdf2.algo is 'md5'"),
        ("php", "<?php password_hash($p, PASSWORD_BCRYPT, $options);", "line 1: "),
        ("spring", "class A { void f() { new BCryptPasswordEncoder(strength()); } }", "line 1: "),
        ("spring", '<bean class="x.BCryptPasswordEncoder" c:_0="${s}"/>', "line 1"),
        ("rails", "BCrypt::Engine.cost = ENV['COST'].to_i", "line 1: "),
        (
            "go-bcrypt",
            "package a\nfunc f() { bcrypt.GenerateFromPassword(p, config.Cost) }",
            "line 2",
        ),
        ("node-bcrypt", "bcrypt.hash(p, process.env.ROUNDS)", "line 1: "),
        ("elixir", "config :bcrypt_elixir, log_rounds: cost()", "line 1: log_rounds is 'cost()'"),
        ("elixir", "config :argon2_elixir, m_cost: 99", "it is the logarithm"),
        ("wordpress", "<?php add_filter('wp_hash_password_options', 'f');", "is not in the file"),
        ("ansible", 'a: "{{ p | password_hash(x, rounds=5) }}"', "line 1: "),
        ("elasticsearch", "xpack.security.authc.password_hashing.algorithm: md5", "'md5'"),
        ("nextcloud", "<?php $CONFIG = ['hashingCost' => 'x];", "a quote that does not end"),
        ("nextcloud", "<?php /* 'hashingCost' => 4", "a comment that does not end"),
        ("opensearch", "plugins.security.password.hashing.algorithm: md5", "'md5'"),
        ("vaultwarden", "PASSWORD_ITERATIONS=${N}", "no default in the file"),
        ("vaultwarden", "PASSWORD_ITERATIONS=", "''"),
    ],
)
def test_what_cannot_be_a_cost_is_said_in_a_line(name: str, text: str, message: str) -> None:
    """A value that is no cost is refused in one line, with its place."""
    with pytest.raises(UnreadableInputError) as caught:
        load_tunable(name).read(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
