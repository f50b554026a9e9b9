"""Passwords found in what directory servers export."""

import base64
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounded import within_memory
from corpora import table
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read
from hashcost.stored.layouts import Layout, rows_in
from hashcost.stored.ldif import passwords_in
from stored.formats.samples import SAMPLES, Sample, Secrets

SSHA: Final = "{SSHA}vOOpdG44w+HIM2kRM2KXAnHqMO5jbGVhcg=="
ENTRY: Final = "dn: uid=ann,dc=example\nuid: ann\n"
NT: Final = bytes(range(16))


def passwords(text: str) -> list[bytes]:
    """The values in a text."""
    return list(passwords_in(text.encode().split(b"\n")))


def of(attribute: str, value: bytes) -> list[bytes]:
    """The values of an entry with one attribute, in base64."""
    return passwords(f"{ENTRY}{attribute}:: {base64.b64encode(value).decode()}\n")


@table("text, found")
def test_only_passwords_are_taken(text: str, found: list[list[str]]) -> None:
    """Every password of an export is found, whole, and read."""
    assert found == [[own.decode(), read(own).kind.value] for own in passwords(text)]


@pytest.mark.parametrize("attribute", ["userPassword", "authPassword", "olcRootPW", "2.5.4.35"])
def test_a_hash_that_is_text_is_taken_as_it_is(attribute: str) -> None:
    """What OpenLDAP and 389 Directory Server keep says itself what it is."""
    assert [SSHA.encode()] == of(attribute, SSHA.encode())


@pytest.mark.parametrize("attribute", ["ipaNTHash", "sambaNTPassword", "ntPassword", "unicodePwd"])
@pytest.mark.parametrize("value", [NT, NT.hex().encode()])
def test_an_nt_hash_is_known_by_its_attribute(attribute: str, value: bytes) -> None:
    """FreeIPA and Active Directory store 16 bytes, Samba's schema 32 digits."""
    assert ["nt"] == [read(each).hasher for each in of(attribute, value)]


@pytest.mark.parametrize("attribute", ["sambaLMPassword", "lmPassword", "dBCSPwd"])
def test_an_lm_hash_is_known_by_its_attribute(attribute: str) -> None:
    """LM is told from NT, which is as long."""
    assert ["lm"] == [read(each).hasher for each in of(attribute, NT)]


def test_a_password_that_active_directory_is_told_is_plain_text() -> None:
    """What is to be set is UTF-16 between quotes, also where that is as long as a digest."""
    for plain in ("secret", "pässwörd"):
        (found,) = of("unicodePwd", f'"{plain}"'.encode("utf-16-le"))
        assert Kind.PLAIN is read(found).kind


@given(
    samples=st.lists(st.sampled_from(SAMPLES), min_size=1, max_size=5),
    width=st.integers(2, 80),
    encoded=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_was_written_comes_back(
    samples: list[Sample], width: int, encoded: bool, end: str
) -> None:
    """However lines are folded and values encoded, the layout is told and each hash is read."""
    made = [sample.make(Secrets(1)) for sample in samples]
    lines = []
    for text in made:
        base64_is_needed = encoded or not text.isprintable() or text[:1] in " :<"
        value = f": {base64.b64encode(text.encode()).decode()}" if base64_is_needed else f" {text}"
        line = f"userPassword:{value}"
        lines += ["dn: uid=ann,dc=example", line[:width]]
        lines += [f" {line[at : at + width]}" for at in range(width, len(line), width)]
        lines += ["mail: ann@example.org", ""]
    data = end.join(lines).encode()
    layout, rows = rows_in(
        (line.removesuffix(b"\r") for line in data.split(b"\n")),
        layout=None,
        columns=(),
        read=read,
    )
    assert (Layout.LDIF, [text.encode() for text in made]) == (layout, [each for each, *_ in rows])


@table("first")
def test_ldif_is_told_from_its_first_line(first: str) -> None:
    """Exports begin with a version, a name or comments; lines that were picked, with a value."""
    lines = [first.encode(), b"dn: uid=bob,dc=example"]
    assert Layout.LDIF is rows_in(lines, layout=None, columns=(), read=read)[0]


@pytest.mark.parametrize("name", ["dn", "version", "userPasswords"])
def test_users_of_such_names_are_no_ldif(name: str) -> None:
    """A user may be called as an attribute is."""
    lines = [f"{name}:$2b$12${'d' * 53}".encode()]
    assert Layout.USER is rows_in(lines, layout=None, columns=(), read=read)[0]


@pytest.mark.parametrize("attribute", [b"userPassword", b"jpegPhoto"])
def test_a_value_is_not_gathered_from_a_whole_file(attribute: bytes) -> None:
    """However long a folded value is, no more of it is kept than of the longest line."""

    def lines() -> Iterator[bytes]:
        yield b"dn: uid=ann,dc=example"
        yield attribute + b":: QUFB"
        for _ in range(200_000):
            yield b" " + b"QUFB" * 19

    with within_memory(1 << 20):
        found = [read(each).kind for each in passwords_in(lines())]
    assert ([Kind.UNREADABLE] if attribute == b"userPassword" else []) == found
