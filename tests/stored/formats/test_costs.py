"""A cost is read as it was written, and one that its format cannot have is malformed.

In the strings of `fixtures/counts.tsv`, ``@`` stands for a decimal count, or ``@02`` for one of
two digits.
"""

import random
import re
from typing import Final

import pytest

from corpora import rows
from hashcost.stored.formats.reading import HashReading, Kind
from hashcost.stored.formats.registry import read
from stored.formats.samples import Sample, Secrets

_NO_COUNTS: Final = ("-5000", "+5000", "05000", "5e3", " 5000", "5_000", "\u0665\u0660", "9" * 30)


def _read(text: str, value: int | str) -> HashReading:
    """Read a string with a count in its place."""
    whole = Sample(text, HashReading(kind=Kind.HASHED, format="")).make(Secrets(7))
    digits = f"{value:02}" if "@02" in text and isinstance(value, int) else str(value)
    return read(re.sub("@(02)?", digits, whole))


@pytest.mark.parametrize(("param", "first", "last", "text"), rows(__file__, "fixtures/counts.tsv"))
def test_a_count_is_read_within_its_range(param: str, first: str, last: str, text: str) -> None:
    """Both ends and what lies between come back; one beyond either end is malformed, and so is a
    sign, a leading zero, an exponent, a space, a foreign digit or 10^30.
    """
    least, most = int(first), int(last)
    between = random.Random(text).choices(range(least, most + 1), k=5)
    for value in (least, *between, most):
        reading = _read(text, value)
        assert (Kind.HASHED, value) == (reading.kind, reading.params[param])
    for wrong in (0, least - 1, most + 1, *_NO_COUNTS):
        assert _read(text, wrong).kind is Kind.UNREADABLE, wrong


@pytest.mark.parametrize("text", ["_....{}.", "{}$0${}"])
def test_what_has_no_round_is_no_hash(text: str) -> None:
    """BSDi's and Tomcat's strings have no prefix that says that they were meant for a hash."""
    digest = Secrets(7).hex(64)
    filled = text.format(digest[:14] if text.startswith("_") else digest, digest)
    assert read(filled).kind is not Kind.HASHED
