"""Every format, read, and what never comes of it: a part of a salt or a digest."""

import functools
import gc
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import cases
from hashcost.stored.formats.reading import NOTES, Kind
from hashcost.stored.formats.registry import FAMILIES, FORMATS, read
from hashcost.stored.formats.rows import rows_of
from stored.formats.samples import SAMPLES, Sample, Secrets

_OF_ANY_LENGTH = {"phc argon2", "crypt pbkdf2", "fshp", "grub pbkdf2", "spring pbkdf2", "tomcat"}
"""Formats that do not fix the length of the digest."""

_each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.label)


def test_a_hash_says_its_format_hasher_and_cost() -> None:
    """Every format is read, from text and from bytes."""
    for sample in SAMPLES:
        text = sample.make(Secrets(0))
        assert sample.reading == read(text, sample.app), sample.label
        assert sample.reading == read(text.encode(), sample.app), sample.label


@pytest.mark.parametrize("family", FAMILIES)
def test_a_cost_that_is_not_in_the_hash_has_a_source_and_a_day(family: str) -> None:
    """Whoever acts on a cost that the format fixes or leaves out can look up where it is from."""
    for row in rows_of(family):
        if row.params or (row.count is not None and row.count.default is not None):
            assert row.source.strip(), row.name
            assert row.checked is not None, row.name


@_each
@given(seed=st.integers(0, 2**32))
def test_nothing_secret_is_in_a_reading(sample: Sample, seed: int) -> None:
    """Hashes that differ in salt and digest alone read the same, so a reading holds neither."""
    secrets = Secrets(seed)
    reading = read(sample.make(secrets), sample.app)
    assert sample.reading == reading
    assert hash(sample.reading) == hash(reading)
    assert not [part for part in secrets.drawn if len(part) > 5 and part in repr(reading)]


def test_a_cut_hash_is_not_taken_for_a_whole_one() -> None:
    """If a format fixes the length of the digest, a shorter one is not a hash of it."""
    fixed = [
        sample
        for sample in SAMPLES
        if sample.reading.kind is Kind.HASHED and sample.reading.format not in _OF_ANY_LENGTH
    ]
    assert len(fixed) > len(SAMPLES) / 2
    for sample in fixed:
        text = sample.make(Secrets(1))
        kind = read(text[: -len(text) // 3], sample.app).kind
        assert kind is not Kind.HASHED, sample.label


def test_a_hash_with_a_line_end_behind_it_is_malformed() -> None:
    """A control character belongs to no hash."""
    for sample in SAMPLES:
        kind = read(sample.make(Secrets(2)) + "\n", sample.app).kind
        assert kind is Kind.UNREADABLE, sample.label


def test_nuls_behind_a_hash_are_no_part_of_it() -> None:
    """A string of C ends at its first NUL, whatever slapd stores or fills a field behind it."""
    for sample in SAMPLES:
        text = sample.make(Secrets(2))
        for end in (b"\0", b"\0" * 40, b"\0\x14", b"\0\xff"):
            assert sample.reading == read(text.encode() + end, sample.app), sample.label


@pytest.mark.parametrize(
    "sample",
    [sample for sample in SAMPLES if re.match(r"\{[A-Z0-9._-]+\}", sample.make(Secrets(0)))],
    ids=lambda sample: sample.label,
)
def test_a_scheme_in_capitals_is_met_in_any_case(sample: Sample) -> None:
    """What stands behind a scheme is read the same in whichever case the scheme is written."""
    scheme, brace, rest = sample.make(Secrets(0)).partition("}")
    found = read(scheme.lower() + brace + rest, sample.app)
    expected = sample.reading
    assert (expected.kind, expected.hasher, expected.params) == (
        found.kind,
        found.hasher,
        found.params,
    )


def test_every_format_has_a_sample() -> None:
    """A format that nobody tried is not in the table."""
    read_so_far = {sample.reading.format for sample in SAMPLES}
    alike = {*cases(__file__, "formats.toml", "unsampled")}
    assert set() == {one.row.name for one in FORMATS} - read_so_far - alike


def test_every_note_has_a_meaning() -> None:
    """What a reading notes is a code that can be looked up."""
    noted = {note for sample in SAMPLES for note in sample.reading.notes}
    assert set() == noted - set(NOTES)


def test_caches_hold_settings_alone() -> None:
    """Nothing is remembered but what costs are written in: no salt, no digest, no hash."""
    for sample in SAMPLES:
        read(sample.make(Secrets(3)), sample.app)
    remembered = _remembered()
    drawn = []
    for seed in range(4, 12):
        secrets = Secrets(seed)
        for sample in SAMPLES:
            read(sample.make(secrets), sample.app)
        drawn += [part for part in secrets.drawn if len(part) > 5]
    assert remembered == _remembered()
    assert not [part for part in drawn for key in remembered if part in key]


def _remembered() -> set[str]:
    """The keys of every cache of the package, as text."""
    caches = [
        found
        for found in gc.get_objects()
        if type(found) is functools._lru_cache_wrapper  # isinstance would wake lazy objects
        and str(getattr(found, "__module__", "")).startswith("hashcost.stored.formats")
    ]
    assert len(caches) > len(FORMATS) // 3
    return {
        repr(key)
        for cache in caches
        for held in gc.get_referents(cache)
        if isinstance(held, dict)
        for key in held
    }
