"""Costs on command lines: htpasswd, mkpasswd, doveadm, grub-mkpasswd-pbkdf2, cryptsetup."""

from __future__ import annotations

import pytest

from apps.schemes import tunable
from hashcost.core.errors import UnreadableInputError


@pytest.mark.parametrize(
    ("name", "command", "hasher", "cost"),
    [
        ("htpasswd", "htpasswd -nbB -C 12 u p", "bcrypt", 12),
        ("htpasswd", "htpasswd -nbBC 6 u p", "bcrypt", 6),
        ("htpasswd", "htpasswd -nbB -C6 u p", "bcrypt", 6),
        ("htpasswd", "htpasswd -B -C 6 -C 7 f u", "bcrypt", 7),
        ("htpasswd", "htpasswd -m -B -C 6 f u", "bcrypt", 6),
        ("htpasswd", "/usr/bin/htpasswd -Bbc f u p", "bcrypt", 5),
        ("htpasswd", 'RUN ["htpasswd", "-B", "-C", "11", "f", "u"]', "bcrypt", 11),
        ("htpasswd", 'AUTH="$(htpasswd -nbB -C 10 admin pw)"', "bcrypt", 10),
        ("htpasswd", "sh -c 'htpasswd -B -C 9 f u'", "bcrypt", 9),
        ("htpasswd", "  - htpasswd -B -C ${COST:-8} f u", "bcrypt", 8),
        ("htpasswd", "export COST=9\nhtpasswd -B -C $COST f u", "bcrypt", 9),
        ("htpasswd", "ARG COST=9\nRUN htpasswd -B \\\n -C ${COST} f u", "bcrypt", 9),
        ("htpasswd", "htpasswd -nb5 -r 100000 u p", "sha512-crypt", 100_000),
        ("mkpasswd", "mkpasswd -m sha512crypt -R 6000", "sha512-crypt", 6000),
        ("mkpasswd", "mkpasswd --method=SHA-512 --rounds=6000", "sha512-crypt", 6000),
        ("mkpasswd", "mkpasswd --method SHA-256 --rounds 1", "sha256-crypt", 1000),
        ("mkpasswd", "mkpasswd -R 6 pw", "yescrypt", 6),
        ("mkpasswd", "mkpasswd -m bcrypt -R 4", "bcrypt", 5),
        ("mkpasswd", "mkpasswd -m bcrypt", "bcrypt", 5),
        ("dovecot", "doveadm pw -s BLF-CRYPT -r 12", "bcrypt", 12),
        ("dovecot", "doveadm -v pw -s blf-crypt -r3", "bcrypt", 4),
        ("dovecot", "doveadm pw -r 6", "bcrypt", 6),
        ("dovecot", "doveadm pw -s SHA512-CRYPT.b64 -r 999", "sha512-crypt", 1000),
        ("dovecot", "doveadm pw -s PBKDF2 -r 0", "pbkdf2-sha1", 5000),
        (
            "grub",
            "echo pw | grub2-mkpasswd-pbkdf2 --iteration-count=65536",
            "pbkdf2-sha512",
            65536,
        ),
        ("grub", "GRUB2_PASSWORD=grub.pbkdf2.sha512.10000.AB.CD", "pbkdf2-sha512", 10000),
    ],
)
def test_finds_the_cost_of_a_call(name: str, command: str, hasher: str, cost: int) -> None:
    """However a script writes the call, its cost is the one that the program would use."""
    (found,) = tunable(name).read(f"#!/bin/sh\n{command}\n")
    assert found.hasher == hasher
    assert list(found.params.values()) == [cost]
    assert found.wins


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("htpasswd", "# htpasswd -B -C 12"),
        ("htpasswd", "apt-get install apache2-utils # has htpasswd -B"),
        ("htpasswd", "htpasswd -nb -C 6 u p"),
        ("htpasswd", "htpasswd -nbB -m u p"),
        ("htpasswd", "Use htpasswd to make one."),
        ("htpasswd", "cat htpasswd | tool -B -C 12"),
        ("mkpasswd", "which mkpasswd"),
        ("mkpasswd", "mkpasswd -m md5crypt"),
        ("dovecot", "doveadm pw -s SCRAM-SHA-256 -r 8000"),
        ("dovecot", "doveadm pw -t '{BLF-CRYPT}x' -p y"),
        ("dovecot", "doveadm user -r 4 x"),
        ("dovecot", "default_pass_scheme = BLF-CRYPT"),
        ("luks", "cryptsetup luksFormat --pbkdf argon2id --iter-time 2000 x"),
        ("luks", "cryptsetup open --pbkdf-force-iterations 4 x"),
    ],
)
def test_finds_nothing_else(name: str, text: str) -> None:
    """Comments, prose and calls that set no cost are not found, or found to have none."""
    assert all(each.flaw is not None for each in tunable(name).read(f"{text}\n"))


def test_each_call_counts() -> None:
    """Every call makes a hash of its own, so each is found with its line."""
    text = "htpasswd -B -C 12 f u; htpasswd -B -C 10 f v\n\nhtpasswd -B f w\n"
    found = tunable("htpasswd").read(text)
    assert [(each.params["cost"], each.line) for each in found] == [(12, 1), (10, 1), (5, 3)]
    assert all(each.wins for each in found)


def test_luks_reads_what_is_forced() -> None:
    """All three parameters of Argon2 are found; what is not said is cryptsetup's default."""
    luks = tunable("luks")
    (found,) = luks.read(
        "cryptsetup -q luksFormat --type luks2 \\\n"
        "  --pbkdf-force-iterations=5 --pbkdf-memory 65536 /dev/sda2\n"
    )
    assert found.params == {"memory_kib": 65536, "time_cost": 5, "parallelism": 4}
    (found,) = luks.read("cryptsetup luksAddKey --pbkdf pbkdf2 --pbkdf-force-iterations 2000 x\n")
    assert (found.hasher, found.params) == ("pbkdf2-sha256", {"iterations": 2000})


def test_a_long_output_of_grub_is_said() -> None:
    """More than one block costs the defender alone: the reader says so."""
    (found,) = tunable("grub").read("grub-mkpasswd-pbkdf2 -c 10000 -l 128\n")
    assert "2 blocks" in found.why


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("htpasswd", "htpasswd -B -C $UNKNOWN f u"),
        ("htpasswd", "htpasswd -B -C 5x f u"),
        ("htpasswd", "htpasswd -5 -r 999 f u"),
        ("mkpasswd", "mkpasswd -m bcrypt -R 32"),
        ("dovecot", "doveadm pw -r twelve"),
        ("grub", "grub-mkpasswd-pbkdf2 -c many"),
        ("luks", "cryptsetup luksFormat --pbkdf-force-iterations 4 --pbkdf-memory 1g x"),
    ],
)
def test_what_the_program_refuses_is_said(name: str, text: str) -> None:
    """A cost that is none, or that the program refuses, is one clear line with its number."""
    with pytest.raises(UnreadableInputError, match=r"^line 2: "):
        tunable(name).read(f"\n{text}\n")
