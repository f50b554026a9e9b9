"""Stored hashes in the files of a project, and those that are nobody's."""

import re
from pathlib import Path
from typing import Final

import pytest

from corpora import table
from hashcost.core.errors import Unread, UnreadableInputError
from hashcost.core.units import format_setting
from hashcost.source_code.scan import Scanned, scan
from hashcost.source_code.stored_hashes import StoredHash, stored_in

BCRYPT: Final = "$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
HASHES: Final = {
    "bcrypt5": f"$2y$05{BCRYPT}",
    "bcrypt5 doubled": f"$2y$05{BCRYPT}".replace("$", "$$"),
    "bcrypt5 escaped": f"$2y$05{BCRYPT}".replace("$", r"\$"),
    "bcrypt10": f"$2b$10{BCRYPT}",
    "argon2id": f"$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0${'d' * 42}c",
    "sha512crypt": f"$6$rounds=656000$saltsaltsalt${'d' * 86}",
    "django": "pbkdf2_sha256$260000$abcdefghijkl$MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
    "ssha": "{SSHA}MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5",
}
"""Hashes by the words that stand for them."""


def with_hashes(text: str) -> str:
    """The text with hashes in the place of words."""
    return re.sub(r"<([a-z0-9]+(?: doubled| escaped)?)>", _hash, text)


def _hash(word: re.Match[str]) -> str:
    return HASHES.get(word[1], word[0])


def _told(found: StoredHash) -> str:
    reading = found.reading
    parts = [str(found.line), reading.hasher or reading.format, format_setting(reading.params)]
    if found.count > 1:
        parts.append(f"{found.count} times")
    if found.apart is not None:
        parts.append(found.apart.value)
    return " ".join(filter(None, parts))


def _scanned(folder: Path, name: str, content: bytes) -> Scanned:
    """A scan of a folder with one file and an empty one, so that some source is there."""
    (folder / "empty.py").touch()
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return scan([folder])


@table("name, text, found")
def test_hashes_are_found_with_their_line(
    tmp_path: Path, name: str, text: str, found: list[str]
) -> None:
    """A hash that names its format is found in every file. Comments, documents, tests and what a
    name shows to be a dummy are told apart.
    """
    scanned = _scanned(tmp_path, name, with_hashes(text).encode())
    assert found == [_told(stored) for stored in scanned.stored]
    assert [] == [each for each in scanned.unknown if each.unread is not None]


@pytest.mark.parametrize(
    ("text", "is_basic"),
    [
        ("userlist staff\n  user ada password {}\n", True),
        ("middlewares:\n  a:\n    basicAuth:\n      users:\n        - ada:{}\n", True),
        ("example.org {{\n  basic_auth {{\n    ada {}\n  }}\n}}\n", True),
        ("basic_auth_users:\n  ada: {}\n", True),
        ("users:\n  ada:\n    password: {}\n", False),
        ("basic_auth_users: [eve]\nusers:\n  ada: {}\n", False),
    ],
)
def test_a_hash_for_basic_authentication_is_told(text: str, is_basic: bool) -> None:
    """A web server computes it at each request, not only at a login."""
    (stored,) = stored_in(text.format(f"$2b$12${'a' * 53}").encode())
    assert stored.is_basic is is_basic


@table("text")
def test_nothing_else_is_a_hash(text: str) -> None:
    """Bare digests, names of variables, prices, templates and settings are no hashes."""
    assert () == stored_in(text.encode(), None, "", None)


def test_places_are_those_of_characters() -> None:
    """Whatever stands before a hash, its line and what holds it are told."""
    text = "\ufeff\u00e9\u00e9\U0001f600\ndummy = '" + HASHES["bcrypt5"] + "'\n"
    assert ["2 bcrypt cost=5 dummy"] == [
        _told(found) for found in stored_in(text.encode(), None, "", None)
    ]
    broken = b"\xff\xfe\xfd\n\xff = '" + HASHES["bcrypt5"].encode() + b"'\n"
    assert ["2 bcrypt cost=5"] == [_told(found) for found in stored_in(broken, None, "", None)]


def test_what_is_no_text_is_left_out_without_a_word(tmp_path: Path) -> None:
    """An image is neither read nor counted, whatever its name is."""
    scanned = _scanned(tmp_path, "a.png", b"\x89PNG\0 " + HASHES["bcrypt5"].encode())
    assert ((), (), {}) == (scanned.stored, scanned.unknown, scanned.skipped)


def test_a_large_file_is_counted(tmp_path: Path) -> None:
    """A dump that is too large for a scan is left out with a count, and a row if it is named."""
    content = b"INSERT INTO a VALUES (1);\n" * 30_000 + HASHES["bcrypt5"].encode()
    scanned = _scanned(tmp_path, "dump.sql", content)
    assert ((), (), {"too large": 1}) == (scanned.stored, scanned.unknown, scanned.skipped)
    [row] = scan([tmp_path, tmp_path / "dump.sql"]).unknown
    assert ("dump.sql", "it is larger than 512 KiB") == (row.path.name, row.why)


def test_a_named_file_of_another_language_is_read_for_hashes(tmp_path: Path) -> None:
    """Named, a configuration has rows for its hashes; without any, a row that its costs are not
    read.
    """
    (tmp_path / "a.cfg").write_text(with_hashes("user ines password <sha512crypt>\n"))
    (tmp_path / "b.cfg").write_text("user ines\n")
    scanned = scan([tmp_path / "a.cfg", tmp_path / "b.cfg"])
    assert ["1 sha512-crypt rounds=656000"] == [_told(found) for found in scanned.stored]
    [row] = scanned.unknown
    assert ("b.cfg", Unread.OTHER_LANGUAGE) == (row.path.name, row.unread)
    with pytest.raises(UnreadableInputError, match="no language that is read"):
        scan([tmp_path / "b.cfg"])
