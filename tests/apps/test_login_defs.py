"""What shadow makes of login.defs, as chgpasswd of shadow 4.13 was seen to."""

from __future__ import annotations

import pytest

from apps.realistic import LOGIN_DEFS
from apps.schemes import tunable
from hashcost.apps.interface import Flaw, Found
from hashcost.core.errors import UnreadableInputError


def read(text: str) -> tuple[Found, ...]:
    """What the reader finds."""
    return tunable("login-defs").read(text)


@pytest.mark.parametrize(
    ("text", "params", "line"),
    [
        ("SHA_CRYPT_MIN_ROUNDS 7000\nSHA_CRYPT_MAX_ROUNDS 7000\n", 7000, 2),
        ("SHA_CRYPT_MIN_ROUNDS 7000\n", 7000, 2),
        ("SHA_CRYPT_MAX_ROUNDS 7000\n", 7000, 2),
        ("SHA_CRYPT_MIN_ROUNDS 9000\nSHA_CRYPT_MAX_ROUNDS 7000\n", 9000, 2),
        ("SHA_CRYPT_MIN_ROUNDS 0x2000\nSHA_CRYPT_MAX_ROUNDS 020000\n", 8192, 2),
        ("SHA_CRYPT_MIN_ROUNDS 1\nSHA_CRYPT_MIN_ROUNDS\t 6000 \n", 6000, 3),
        (' SHA_CRYPT_MIN_ROUNDS "6000"\n', 6000, 2),
        ("SHA_CRYPT_MAX_ROUNDS=6000\n", 5000, 1),
        ("#SHA_CRYPT_MAX_ROUNDS 6000\n", 5000, 1),
    ],
)
def test_rounds_are_those_that_shadow_uses(text: str, params: int, line: int) -> None:
    """Of either key alone, of two in the wrong order, in C's notations: what shadow takes."""
    (found,) = read(f"ENCRYPT_METHOD SHA512\n{text}")
    assert (found.hasher, found.params, found.line) == ("sha512-crypt", {"rounds": params}, line)
    assert found.wins


def test_a_range_is_judged_by_its_lower_end() -> None:
    """Shadow draws a random count: the lower end is found, and the range is said."""
    (found,) = read(
        "ENCRYPT_METHOD SHA256\nSHA_CRYPT_MAX_ROUNDS 90000\nSHA_CRYPT_MIN_ROUNDS 5000\n"
    )
    assert (found.hasher, found.params, found.line) == ("sha256-crypt", {"rounds": 5000}, 3)
    assert "a random count from 5000 to 90000" in found.why


@pytest.mark.parametrize(
    ("text", "params", "written"),
    [
        ("ENCRYPT_METHOD SHA512\nSHA_CRYPT_MIN_ROUNDS 500\n", {"rounds": 1000}, "500"),
        ("ENCRYPT_METHOD YESCRYPT\nYESCRYPT_COST_FACTOR 12\n", {"cost": 11}, "12"),
        ("ENCRYPT_METHOD YESCRYPT\nYESCRYPT_COST_FACTOR 0\n", {"cost": 1}, "0"),
    ],
)
def test_what_is_out_of_range_is_shown_as_what_happens(
    text: str, params: dict[str, int], written: str
) -> None:
    """A count beyond the range is found as shadow clamps it, with what is written."""
    (found,) = read(text)
    assert (found.params, found.written) == (params, written)


def test_the_method_decides_which_count_is_used() -> None:
    """A count of another method is found, as one that is not used, and why."""
    unused, used = read(
        "SHA_CRYPT_MIN_ROUNDS 90000\nENCRYPT_METHOD SHA512\nENCRYPT_METHOD YESCRYPT\n"
    )
    assert (used.hasher, used.params, used.line, used.wins) == ("yescrypt", {"cost": 5}, 3, True)
    assert "not set" in used.why
    assert not unused.wins
    assert unused.why == "ENCRYPT_METHOD on line 3 is YESCRYPT"


@pytest.mark.parametrize("method", ["sha512", "SHA512 \\", "DES", "MD5", "SHA512 # strong"])
def test_another_method_uses_none_of_them(method: str) -> None:
    """Shadow compares the method exactly; what it does not know is DES."""
    found = read(f"ENCRYPT_METHOD {method}\nSHA_CRYPT_MIN_ROUNDS 6000\n")
    (used,) = (each for each in found if each.wins)
    assert (used.flaw, used.hasher) == (Flaw.UNSUITABLE, "MD5" if method == "MD5" else "DES")


def test_rounds_without_a_method_are_not_used() -> None:
    """Without ENCRYPT_METHOD shadow hashes with DES, whatever the counts are."""
    unused, used = sorted(read("SHA_CRYPT_MIN_ROUNDS 6000\n"), key=lambda each: each.wins)
    assert not unused.wins
    assert "DES" in unused.why
    assert (used.flaw, used.hasher) == (Flaw.UNSUITABLE, "DES")


def test_reads_the_file_of_debian() -> None:
    """Debian's own file names the method alone: its default is found at that line."""
    (found,) = read(LOGIN_DEFS)
    assert (found.hasher, found.params, found.line) == ("sha512-crypt", {"rounds": 5000}, 10)


@pytest.mark.parametrize("value", ["-3", "6000 # x", "6_000", "many"])
def test_a_count_that_is_none_is_refused(value: str) -> None:
    """What shadow cannot parse is said in one line with the key."""
    with pytest.raises(UnreadableInputError, match=r"line 2: SHA_CRYPT_MIN_ROUNDS"):
        read(f"ENCRYPT_METHOD SHA512\nSHA_CRYPT_MIN_ROUNDS {value}\n")
