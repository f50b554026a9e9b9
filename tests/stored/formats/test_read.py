"""What is read of anything that may stand in a field of passwords."""

import csv
import re
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.errors import UsageError
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.registry import APPS, FORMATS, LONGEST, read
from stored.formats.samples import SAMPLES, Sample, Secrets

_PREFIXES: Final = sorted({prefix for one in FORMATS for prefix in one.row.prefixes})
_FILE: Final = Path(__file__).with_name("fixtures") / "fields.tsv"
_FIELDS: Final = list(
    csv.reader(_FILE.read_text("utf-8").splitlines()[1:], delimiter="\t", quoting=csv.QUOTE_NONE)
)
_KINDS: Final = {kind.value for kind in Kind}


def _expected(form: str, written: str) -> tuple[dict[str, Any], str | None]:
    """What a row of the file says of a reading, and the application that it names."""
    fields: dict[str, Any] = {} if form == "*" else {"format": form}
    app = None
    for word in written.split():
        name, equals, number = word.partition("=")
        if name == "blocks":
            fields["blocks"] = int(number)
        elif equals:
            fields.setdefault("params", {})[name] = int(number)
        elif word in _KINDS:
            fields["kind"] = Kind(word)
        elif word.startswith("+"):
            fields.setdefault("notes", []).append(word[1:])
        elif word.startswith("@"):
            app = word[1:]
        else:
            fields["hasher"] = word
    return fields, app


@pytest.mark.parametrize(("form", "written", "text"), _FIELDS)
def test_a_field_is_read(form: str, written: str, text: str) -> None:
    """Hashes, damaged ones, locks, words and shapes are told apart, with the cost if any."""
    expected, app = _expected(form, written)
    text = re.sub(r"\\x([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), text)
    reading = read(Sample(text, Reading(kind=Kind.HASHED, format="")).make(Secrets(7)), app)
    found = {name: getattr(reading, name) for name in expected}
    if "notes" in found:
        found["notes"] = list(found["notes"])
    assert expected == found


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
    assert isinstance(read(text, app), Reading)


def test_an_overlong_text_is_malformed() -> None:
    """More than any format can have is not looked at."""
    for prefix in _PREFIXES:
        text = prefix + "a" * LONGEST
        assert Reading(kind=Kind.MALFORMED, format="overlong") == read(text), prefix
        assert Reading(kind=Kind.MALFORMED, format="overlong") == read(text.encode()), prefix
    assert Reading(kind=Kind.UNRECOGNISED, format="JSON object") == read('{"' + "[" * 2000 + "}")


def test_an_application_hides_no_other_format() -> None:
    """A hash that another application wrote is read all the same; an unknown one is refused with
    those that are known.
    """
    for app in APPS:
        assert {"cost": 12} == read(f"$2b$12${'d' * 53}", app).params
        assert {"rounds": 5000} == read(f"$6${'s' * 16}${'d' * 86}", app).params
    with pytest.raises(
        UsageError,
        match=r"^unknown application 'toy'; leave it out unless it is one of better-auth, ",
    ):
        read("x", "toy")


def test_bytes_that_are_no_text_are_malformed() -> None:
    """A byte that is not UTF-8 is in no hash and in no readable password."""
    assert Reading(kind=Kind.MALFORMED, format="no UTF-8") == read(b"$2b$12$" + b"\xff" * 53)
    assert Reading(kind=Kind.MALFORMED, format="control characters") == read("\udcff")
