"""What is read of anything that may stand in a field of passwords."""

import re
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import rows
from hashcost.core.errors import UsageError
from hashcost.stored.formats.reading import SHY_APPS, HashReading, Kind
from hashcost.stored.formats.registry import APPS, FORMATS, LONGEST, read
from stored.formats.samples import SAMPLES, Sample, Secrets, stated

_PREFIXES: Final = sorted({prefix for one in FORMATS for prefix in one.row.prefixes})


@pytest.mark.parametrize(("form", "written", "text"), rows(__file__, "fixtures/fields.tsv"))
def test_a_field_is_read(form: str, written: str, text: str) -> None:
    """Hashes, damaged ones, locks, words and shapes are told apart, with the cost if any."""
    expected, app = stated(written)
    expected |= {} if form == "*" else {"format": form}
    text = re.sub(r"\\x([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), text)
    reading = read(Sample(text, HashReading(kind=Kind.HASHED, format="")).make(Secrets(7)), app)
    assert expected == {name: getattr(reading, name) for name in expected}


@given(
    text=st.one_of(
        st.text(),
        st.binary(),
        st.builds(str.__add__, st.sampled_from(_PREFIXES), st.text()),
        st.builds(
            lambda sample, at, put: (made := sample.make(Secrets(at)))[:at] + put + made[at + 1 :],
            st.sampled_from(SAMPLES),
            st.integers(0, 200),
            st.characters(),
        ),
    ),
    app=st.sampled_from([None, *APPS]),
)
def test_anything_has_a_reading(text: str | bytes, app: str | None) -> None:
    """Nothing that is written raises: any text, any bytes, a prefix, or a damaged hash."""
    assert isinstance(read(text, app), HashReading)


def test_an_overlong_text_is_malformed() -> None:
    """More than any format can have is not looked at."""
    for prefix in _PREFIXES:
        text = prefix + "a" * LONGEST
        assert HashReading(kind=Kind.UNREADABLE, format="overlong") == read(text), prefix
        assert HashReading(kind=Kind.UNREADABLE, format="overlong") == read(text.encode()), prefix
    assert HashReading(kind=Kind.UNRECOGNISED, format="JSON object") == read(
        '{"' + "[" * 2000 + "}"
    )


def test_an_application_hides_no_other_format() -> None:
    """A hash that another application wrote is read all the same; an unknown one is refused with
    those that are known.
    """
    for app in APPS:
        assert {"cost": 12} == read(f"$2b$12${'d' * 53}", app).params
        assert {"rounds": 5000} == read(f"$6${'s' * 16}${'d' * 86}", app).params
    with pytest.raises(
        UsageError,
        match=r"^no stored hash needs --app 'toy'; leave it out unless it is one of better-auth, ",
    ):
        read("x", "toy")


def test_bytes_that_are_no_text_are_malformed() -> None:
    """A byte that is not UTF-8 is in no hash and in no readable password."""
    assert HashReading(kind=Kind.UNREADABLE, format="no UTF-8") == read(b"$2b$12$" + b"\xff" * 53)
    assert HashReading(kind=Kind.UNREADABLE, format="control characters") == read("\udcff")


def test_an_unknown_text_names_who_may_have_written_it() -> None:
    """What one application alone may have written says which --app reads it."""
    shy = {app for one in FORMATS if one.row.needs_app for app in one.row.apps}
    assert shy == {*SHY_APPS}
    for sample in SAMPLES:
        text = sample.make(Secrets(5))
        reading = read(text)
        if sample.app in shy and reading.kind is Kind.UNRECOGNISED:
            assert f"perhaps-{sample.app}" in reading.notes, sample.label
            assert sample.reading == read(text, sample.app)
    assert ("perhaps-firebase",) == read("kW2fQz8L" * 10 + "kW2fQw==").notes
    # No hash of HP-UX has this length.
    assert () == read("kW2fQz8L" * 20 + "k").notes
