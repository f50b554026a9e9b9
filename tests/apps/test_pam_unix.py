"""What pam_unix 1.6.0 and newer make of their options (support.c at v1.6.0)."""

from __future__ import annotations

import pytest

from apps.realistic import PAM, SYSTEM_AUTH
from apps.schemes import tunable
from hashcost.apps.interface import Flaw, Found


def read(text: str) -> tuple[Found, ...]:
    """What the reader finds."""
    return tunable("pam-unix").read(text)


@pytest.mark.parametrize(
    ("options", "hasher", "cost"),
    [
        ("sha512 rounds=7000", "sha512-crypt", 7000),
        ("rounds=6000 sha256", "sha256-crypt", 6000),
        ("sha512 rounds=500", "sha512-crypt", 5000),
        ("sha512 rounds=10000000", "sha512-crypt", 9_999_999),
        ("sha512 rounds=6000 rounds=7000", "sha512-crypt", 7000),
        ("sha512 rounds= 6000", "sha512-crypt", 5000),
        ("sha512 rounds=6000x", "sha512-crypt", 5000),
        ("sha512 rounds=6000 rounds=7x", "sha512-crypt", 5000),
        ("sha512 # rounds=5001", "sha512-crypt", 5000),
        ("sha512 \\\n   rounds=5001", "sha512-crypt", 5001),
        ("[sha512] [rounds=6000]", "sha512-crypt", 6000),
        ("yescrypt sha512 rounds=6000", "sha512-crypt", 6000),
        ("yescrypt", "yescrypt", 5),
        ("yescrypt rounds=3", "yescrypt", 3),
        ("yescrypt rounds=1", "yescrypt", 3),
        ("yescrypt rounds=4x", "yescrypt", 5),
        ("yescrypt rounds=12", "yescrypt", 11),
        ("gost_yescrypt rounds=4", "gost-yescrypt", 4),
        ("blowfish", "bcrypt", 5),
        ("blowfish rounds=3", "bcrypt", 4),
        ("blowfish rounds=32", "bcrypt", 31),
        ("blowfish rounds=31", "bcrypt", 31),
    ],
)
def test_options_are_read_as_pam_unix_does(options: str, hasher: str, cost: int) -> None:
    """The last method and the last count are used, and a count out of range is another."""
    (found,) = read(f"password required pam_unix.so {options}\n")
    assert found.hasher == hasher
    assert list(found.params.values()) == [cost]


def test_what_becomes_of_a_count_is_said() -> None:
    """A count that pam_unix replaces is shown as what is written and what is used."""
    (found,) = read("password required pam_unix.so yescrypt rounds=12\n")
    assert (found.written, found.why) == (
        "rounds=12",
        "pam_unix takes 11 for it, and 5 before 1.6.0",
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("yescrypt", "no rounds=: 5, or since 1.6.0 YESCRYPT_COST_FACTOR of login.defs"),
        ("sha512", "no rounds=: 5000, or SHA_CRYPT_MAX_ROUNDS of login.defs"),
        ("blowfish", "no rounds=: 5"),
        (
            "sha512 rounds=12x",
            "rounds=12x is ignored: 5000, or SHA_CRYPT_MAX_ROUNDS of login.defs",
        ),
    ],
)
def test_where_the_count_may_be_is_said(options: str, why: str) -> None:
    """Without a count on the line, login.defs may have one, by the method."""
    (found,) = read(f"password required pam_unix.so {options}\n")
    assert found.why == why


@pytest.mark.parametrize(
    "line",
    [
        "auth required pam_unix.so sha512 rounds=6000",
        "# password required pam_unix.so sha512 rounds=6000",
        "password required pam_unix2.so sha512 rounds=6000",
        "password required",
    ],
)
def test_other_lines_configure_nothing(line: str) -> None:
    """Other stacks, modules and methods without a count are not found."""
    assert read(f"{line}\n") == ()


@pytest.mark.parametrize(
    ("options", "named"),
    [("", "DES"), ("SHA512 rounds=6000", "DES"), ("md5 rounds=6000", "MD5"), ("bigcrypt", "DES")],
)
def test_methods_without_a_cost_are_unfit(options: str, named: str) -> None:
    """MD5, and DES where no method is named: no password hash."""
    (found,) = read(f"password required pam_unix.so {options}\n")
    assert (found.flaw, found.hasher) == (Flaw.UNSUITABLE, named)


def test_the_last_line_that_is_reached_counts() -> None:
    """Two lines of one stack both hash: the second one's hash is what stays."""
    first, second = read(
        "password required /lib/security/pam_unix.so sha512 rounds=6000\n"
        "-password [success=1 default=ignore] pam_unix.so use_authtok sha512 rounds=7000\n"
    )
    assert (first.wins, second.wins) == (False, True)
    assert "hashes anew" in second.why


def test_an_include_behind_it_is_said() -> None:
    """A file that is included later may have another line: the reader says so."""
    (found,) = read(f"{SYSTEM_AUTH}@include common-password\n")
    assert (found.params, found.line) == ({"rounds": 65536}, 4)
    assert "unless common-password, included on line 8, has another" in found.why


def test_reads_pam_conf() -> None:
    """In pam.conf the service stands in front of the stack."""
    (found,) = read("passwd password required pam_unix.so sha512 rounds=6000\n")
    assert found.params == {"rounds": 6000}


def test_reads_the_file_of_debian() -> None:
    """Debian's common-password has yescrypt and no count."""
    (found,) = read(PAM)
    assert (found.hasher, found.params, found.line) == ("yescrypt", {"cost": 5}, 5)
