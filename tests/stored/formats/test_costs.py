"""A cost is read as it was written, and one that its format cannot have is malformed."""

import csv
import random
import re
from pathlib import Path
from typing import Final

import pytest

from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.registry import read
from stored.formats.samples import Sample, Secrets

_FILE: Final = Path(__file__).with_name("fixtures") / "counts.tsv"
_COUNTS: Final = [
    (param, int(least), int(most), text)
    for param, least, most, text in csv.reader(
        _FILE.read_text("utf-8").splitlines()[1:], delimiter="\t", quoting=csv.QUOTE_NONE
    )
]
"""Strings in which ``@`` stands for a decimal count, or ``@02`` for one of two digits."""
_NO_COUNTS: Final = ("-5000", "+5000", "05000", "5e3", " 5000", "5_000", "\u0665\u0660", "9" * 30)


def _read(text: str, value: int | str) -> Reading:
    """Read a string with a count in its place."""
    whole = Sample(text, Reading(kind=Kind.HASHED, format="")).make(Secrets(7))
    digits = f"{value:02}" if "@02" in text and isinstance(value, int) else str(value)
    return read(re.sub("@(02)?", digits, whole))


@pytest.mark.parametrize(("param", "least", "most", "text"), _COUNTS)
def test_a_count_is_read_within_its_range(param: str, least: int, most: int, text: str) -> None:
    """Both ends and what lies between come back; one beyond either end is malformed, and so is a
    sign, a leading zero, an exponent, a space, a foreign digit or 10^30.
    """
    between = random.Random(text).choices(range(least, most + 1), k=5)
    for value in (least, *between, most):
        reading = _read(text, value)
        assert (Kind.HASHED, value) == (reading.kind, reading.params[param])
    for wrong in (0, least - 1, most + 1, *_NO_COUNTS):
        assert _read(text, wrong).kind is Kind.MALFORMED, wrong


@pytest.mark.parametrize("text", ["_....{}.", "{}$0${}"])
def test_what_has_no_round_is_no_hash(text: str) -> None:
    """BSDi's and Tomcat's strings have no prefix that says that they were meant for a hash."""
    digest = Secrets(7).hex(64)
    filled = text.format(digest[:14] if text.startswith("_") else digest, digest)
    assert read(filled).kind is not Kind.HASHED
