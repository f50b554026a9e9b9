"""What is quoted of that which the user typed."""

from __future__ import annotations

from typing import Final

import pytest

from hashcost.core.quoting import WITHHELD, may_be_secret, quoted, withheld
from secret_files import TYPED

NAMES: Final = (
    *("bcrypt", "bcrpyt", "BCrypt", "pbkdf2-sha256@cryptography", "PBKDF2PasswordHasher"),
    *("argon2id=m=19456,t=2,p=1", "bcrypt=12x", "320000", "99999999999999999MiB", "0.25s"),
    *("nist-800-63b-4", "rtx-4090", "--colour", "src/$app", r"C:\x", "report-20261122.json"),
    *("/home/aB3dE6fG8h9iJ0/a.json", "0:30", "django.contrib.auth", "", "¶"),
)


@pytest.mark.parametrize("text", TYPED)
def test_a_hash_is_not_quoted(text: str) -> None:
    """Neither a hash nor a line of users, nor a URL with a password, comes back."""
    assert may_be_secret(text)
    assert quoted(text) == WITHHELD


@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_quoted(text: str) -> None:
    """Whoever mistypes a name, a cost or a path is shown what he typed."""
    assert not may_be_secret(text)
    assert repr(text)[1:-1].replace("\\\\", "\\") in quoted(text).replace("\\\\", "\\")


def test_quotation_is_short_and_on_one_line() -> None:
    """A quotation has no more characters than asked for, and none that is not seen."""
    assert "'ab…'" == quoted("abcdef", 3)
    assert r"'a\x1bb c'" == quoted("a\x1bb\nc")
    assert '"it\'s"' == quoted("it's")


@pytest.mark.parametrize("text", TYPED)
@pytest.mark.parametrize(
    "message", ["cannot read {}: no", "no such option --{}", "Got extra ({})", "in '{:.30}…'"]
)
def test_a_message_without_its_argument(message: str, text: str) -> None:
    """Whoever quotes an argument that may be a secret, the message goes without it."""
    said = withheld(message.format(text), [text, "bcrypt=12"])
    assert message.partition("{")[0] in said
    assert WITHHELD in said
    assert text[:20] not in said


def test_parts_of_an_argument() -> None:
    """A hash behind a name is withheld, and the name is not."""
    hash_ = TYPED[0]
    assert f"bcrypt has no {WITHHELD}; write bcrypt=12" == withheld(
        f"bcrypt has no {hash_[:24]}; write bcrypt=12", [f"bcrypt={hash_}"]
    )
    assert "cannot read a.json" == withheld("cannot read a.json", ["a.json", hash_])
