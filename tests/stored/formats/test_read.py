"""What is read of anything that may stand in a field of passwords."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.errors import UsageError
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.registry import APPS, FORMATS, LONGEST, read
from stored.formats.samples import SAMPLES, Sample, Secrets

_SHA512 = f"$6${'s' * 16}${'d' * 86}"
_BCRYPT = f"$2b$12${'d' * 53}"
_PREFIXES = sorted({prefix for one in FORMATS for prefix in one.row.prefixes})


@given(text=st.text(), app=st.sampled_from([None, *APPS]))
def test_any_text_has_a_reading(text: str, app: str | None) -> None:
    """Nothing that is written raises."""
    assert isinstance(read(text, app), Reading)


@given(data=st.binary(), app=st.sampled_from([None, *APPS]))
def test_any_bytes_have_a_reading(data: bytes, app: str | None) -> None:
    """No file raises, whatever is in it."""
    assert isinstance(read(data, app), Reading)


@given(
    prefix=st.sampled_from(_PREFIXES),
    rest=st.one_of(st.text(), st.from_regex(r"[a-z0-9$=,.:|{}+/]*", fullmatch=True)),
    app=st.sampled_from([None, *APPS]),
)
def test_anything_behind_a_prefix_has_a_reading(prefix: str, rest: str, app: str | None) -> None:
    """A known prefix with any rest does not raise either."""
    assert isinstance(read(prefix + rest, app), Reading)


@given(
    sample=st.sampled_from(SAMPLES),
    at=st.integers(0, 200),
    put=st.characters(),
    seed=st.integers(0, 99),
)
def test_a_hash_with_one_character_changed_has_a_reading(
    sample: Sample, at: int, put: str, seed: int
) -> None:
    """Nor does a hash that was damaged in one place."""
    text = sample.make(Secrets(seed))
    assert isinstance(read(text[:at] + put + text[at + 1 :], sample.app), Reading)


def test_an_overlong_text_is_malformed() -> None:
    """More than any format can have is not looked at."""
    for prefix in _PREFIXES:
        text = prefix + "a" * LONGEST
        assert Reading(kind=Kind.MALFORMED, format="overlong") == read(text), prefix
        assert Reading(kind=Kind.MALFORMED, format="overlong") == read(text.encode()), prefix


def test_an_unknown_application_is_refused() -> None:
    """The message lists those that are known."""
    with pytest.raises(UsageError, match=r"^unknown application 'toy'; name one of 389-ds, aix, "):
        read(_BCRYPT, "toy")


@pytest.mark.parametrize("app", APPS)
def test_an_application_does_not_hide_other_formats(app: str) -> None:
    """A hash that another application wrote is read all the same."""
    assert {"cost": 12} == read(_BCRYPT, app).params
    assert {"rounds": 5000} == read(_SHA512, app).params


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("", Kind.EMPTY, "empty"),
        ("*", Kind.LOCKED, "locked"),
        ("!", Kind.LOCKED, "locked"),
        ("!!", Kind.LOCKED, "locked"),
        ("!*", Kind.LOCKED, "locked"),
        ("*LK*", Kind.LOCKED, "locked"),
        ("*NP*", Kind.LOCKED, "locked"),
        ("*0", Kind.LOCKED, "locked"),
        ("*1", Kind.LOCKED, "locked"),
        ("NP", Kind.LOCKED, "locked"),
        ("x", Kind.LOCKED, "locked"),
        ("hunter2", Kind.PLAIN, "plain text"),
        ("correct horse battery staple", Kind.PLAIN, "plain text"),
        ("pässwörd", Kind.PLAIN, "plain text"),
        ("motdepassexyz", Kind.PLAIN, "plain text"),
        ("$ecret", Kind.PLAIN, "plain text"),
        ("{braces", Kind.PLAIN, "plain text"),
        ("100%", Kind.PLAIN, "plain text"),
        ("$zz$salt$digest", Kind.UNRECOGNISED, "$ID$ prefix"),
        ("$argon3$v=19$m=1,t=1,p=1$c$d", Kind.UNRECOGNISED, "$ID$ prefix"),
        ("{NEW-SCHEME}abc", Kind.UNRECOGNISED, "{SCHEME} prefix"),
        ("ab" * 24, Kind.UNRECOGNISED, "hex, 48 characters"),
        ("QUJD" * 12, Kind.UNRECOGNISED, "base64, 48 characters"),
        ("pass\0word", Kind.MALFORMED, "control characters"),
        ("pass\x1bword", Kind.MALFORMED, "control characters"),
        ("\udcff", Kind.MALFORMED, "control characters"),
        ("!\n", Kind.MALFORMED, "control characters"),
        ("$2b$12$short", Kind.MALFORMED, "bcrypt"),
        ("$2b$12$" + "d" * 54, Kind.MALFORMED, "bcrypt"),
        ("$2b$12$" + "é" * 53, Kind.MALFORMED, "bcrypt"),
        ("$2b$12$" + "d" * 52 + "\0", Kind.MALFORMED, "bcrypt"),
        ("$6$salt:$" + "d" * 86, Kind.MALFORMED, "sha512-crypt"),
        ("$6$" + "s" * 17 + "$" + "d" * 86, Kind.MALFORMED, "sha512-crypt"),
        ("{SSHA}short", Kind.MALFORMED, "ldap {SSHA}"),
        ("AQAAAAIAAYagAAAAEA==", Kind.MALFORMED, "aspnet v3"),
        ('{"hashIterations":true}', Kind.UNRECOGNISED, "JSON object"),
        ('{"hashIterations":1e30,"algorithm":"argon2"}', Kind.UNRECOGNISED, "JSON object"),
        ('{"' + "[" * 2000 + "}", Kind.UNRECOGNISED, "JSON object"),
    ],
)
def test_a_field_without_a_hash_is_told_apart(text: str, kind: Kind, name: str) -> None:
    """Locked, empty, plain, unknown and malformed are different findings."""
    assert Reading(kind=kind, format=name) == read(text)


def test_bytes_that_are_no_text_are_malformed() -> None:
    """A byte that is not UTF-8 is in no hash and in no readable password."""
    assert Reading(kind=Kind.MALFORMED, format="no UTF-8") == read(_BCRYPT.encode() + b"\xff")


@pytest.mark.parametrize("lock", ["!", "!!", "*", "*LK*", "*LOCKED*"])
def test_a_lock_in_front_of_a_hash_says_so(lock: str) -> None:
    """The account is locked, and the hash that unlocking would bring back is known."""
    assert Reading(
        kind=Kind.LOCKED,
        format="sha512-crypt",
        hasher="sha512-crypt",
        params={"rounds": 5000},
        notes=("locked",),
    ) == read(lock + _SHA512)


def test_a_lock_in_front_of_no_hash_is_a_lock() -> None:
    """Whatever stands behind it is not shown as a finding."""
    for rest in ("x", "hunter2", "$2b$12$short", "{NEW-SCHEME}abc"):
        assert Reading(kind=Kind.LOCKED, format="locked") == read("!" + rest)


@pytest.mark.parametrize(
    ("text", "app", "hasher"),
    [
        (f"{{PBKDF2}}10000${'s' * 22}${'d' * 27}", None, "pbkdf2-sha1"),
        (f"{{PBKDF2}}10000${'s' * 43}=${'d' * 43}=", None, "pbkdf2-sha512"),
        (f"{{PBKDF2}}$1${'s' * 16}$5000${'d' * 40}", None, "pbkdf2-sha1"),
        (f"$1${'s' * 8}${'d' * 21}.", None, "md5-crypt"),
        (f"$1$42949672960160${'s' * 16}${'d' * 27}=", None, "pbkdf2-sha1"),
        (f"$5${'s' * 16}${'d' * 43}", None, "sha256-crypt"),
        (f"$5$42949672960512${'s' * 16}${'d' * 86}==", None, "pbkdf2-sha512"),
        ("a" * 32, None, "md5"),
        ("a" * 32, "samba", "nt"),
        ("a" * 16, "mysql", "mysql323"),
    ],
)
def test_one_prefix_may_mean_several_things(text: str, app: str | None, hasher: str) -> None:
    """Structure tells them apart where it can, the application where it cannot."""
    assert hasher == read(text, app).hasher


def test_a_logarithm_is_not_taken_for_n() -> None:
    """Kratos writes N where others write log2 N: its numbers are larger, or it is named."""
    cost = "r=8,p=1$c2FsdHNhbHRzYWx0$ZGlnZXN0ZGlnZXN0ZGlnZXN0"
    assert {"n": 65536, "r": 8, "p": 1} == read(f"$scrypt$ln=16,{cost}").params
    assert {"n": 16, "r": 8, "p": 1} == read(f"$scrypt$ln=16,{cost}", "kratos").params
    assert {"n": 16384, "r": 8, "p": 1} == read(f"$scrypt$ln=16384,{cost}").params
