"""What PostgreSQL and slapd make of their files."""

from __future__ import annotations

import pytest

from apps.realistic import POSTGRESQL, SLAPD
from apps.schemes import tunable
from hashcost.apps.interface import Flaw
from hashcost.core.errors import UnreadableInputError
from hashcost.verdicts.app_costs import costs_in


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("scram_iterations = 8192", 8192),
        ("scram_iterations=8192 # more", 8192),
        ("SCRAM_Iterations 8192", 8192),
        ("scram_iterations = '8192'", 8192),
        ("scram_iterations = 0x2000", 8192),
        ("scram_iterations = 8192.0", 8192),
        ("scram_iterations = 1", 1),
    ],
)
def test_postgresql_reads_as_the_server(line: str, count: int) -> None:
    """Names know no case, and values may be quoted, hexadecimal or have a point."""
    (found,) = tunable("postgresql").read(f"{line}\n")
    assert found.params == {"iterations": count}


def test_postgresql_takes_the_last() -> None:
    """The last line wins, and says so; an include behind it is said too."""
    first, second = tunable("postgresql").read(
        POSTGRESQL + "scram_iterations = 9000\ninclude_dir = 'conf.d'\n"
    )
    assert (first.params, first.wins) == ({"iterations": 5000}, False)
    assert (second.params, second.wins) == ({"iterations": 9000}, True)
    assert "the last one in the file is used" in second.why
    assert "unless conf.d, included on line 11" in second.why


@pytest.mark.parametrize("value", ["0", "2147483648", "5kB", "-1", "many", "''"])
def test_postgresql_refuses_what_the_server_does(value: str) -> None:
    """A value that the server does not start with is one clear line."""
    with pytest.raises(UnreadableInputError, match=r"^line 1: .*scram_iterations"):
        tunable("postgresql").read(f"scram_iterations = {value}\n")


def test_postgresql_is_judged_by_what_is_written() -> None:
    """What clients refuse is not emitted, but a server that has it is not taken for another."""
    for count in (1000, 4_000_000):
        text = f"scram_iterations = {count}\n"
        (cost,) = costs_in(tunable("postgresql"), text, "postgresql.conf", None)
        assert cost.params == {"iterations": count}


@pytest.mark.parametrize(
    ("text", "hasher", "params", "wins"),
    [
        (
            "moduleload pw-pbkdf2.so 60000\npassword-hash {PBKDF2-SHA512}\n",
            "pbkdf2-sha512",
            {"iterations": 60000},
            True,
        ),
        ("moduleload pw-pbkdf2\n", "pbkdf2-sha256", {"iterations": 10000}, True),
        (
            "moduleload /usr/lib/ldap/pw-pbkdf2.la 60000\npassword-hash {SSHA}\n",
            "pbkdf2-sha256",
            {"iterations": 60000},
            False,
        ),
        (
            "moduleload argon2.so m=65536\n    t=4\npassword-hash {ARGON2}\n",
            "argon2id",
            {"memory_kib": 65536, "time_cost": 4},
            True,
        ),
        (
            "olcModuleLoad: {1}argon2.so m=65536 t=\n 4 p=2\nolcPasswordHash: {ARGON2}\n",
            "argon2id",
            {"memory_kib": 65536, "time_cost": 4, "parallelism": 2},
            True,
        ),
        (
            "olcModuleLoad:: cHctcGJrZGYyLnNvIDYwMDAw\n",
            "pbkdf2-sha256",
            {"iterations": 60000},
            True,
        ),
    ],
)
def test_openldap_reads_both_forms(
    text: str, hasher: str, params: dict[str, int], *, wins: bool
) -> None:
    """slapd.conf and LDIF, folded lines and base64: what the module is loaded with."""
    (found,) = (each for each in tunable("openldap").read(SLAPD + text) if each.flaw is None)
    assert (found.hasher, found.params, found.wins) == (hasher, params, wins)


def test_openldap_says_when_the_module_is_not_used() -> None:
    """A module that password-hash does not name hashes nothing; without one, that is said."""
    openldap = tunable("openldap")
    (found,) = openldap.read("moduleload argon2\npassword-hash {SSHA}\n")
    assert (found.wins, found.why) == (
        False,
        "password-hash is {SSHA}; no m, t, p",
    )
    found, untold = openldap.read("moduleload argon2 m=65536 t=3 p=1\n")
    assert untold.flaw is Flaw.UNKNOWN
    assert "no password-hash" in found.why


def test_openldap_refuses_a_module_twice() -> None:
    """Slapd does not start with a module that is loaded twice, so no cost is found."""
    with pytest.raises(UnreadableInputError, match=r"^line 2: slapd does not start"):
        tunable("openldap").read("moduleload pw-pbkdf2 60000\nmoduleload pw-pbkdf2 70000\n")


@pytest.mark.parametrize("words", ["pw-pbkdf2 many", "argon2 m=x", "argon2 rounds=4", "argon2 4"])
def test_openldap_refuses_what_slapd_does(words: str) -> None:
    """Parameters that the module does not know are one clear line."""
    with pytest.raises(UnreadableInputError, match=r"^line 1: "):
        tunable("openldap").read(f"moduleload {words}\n")
