"""What a stream takes whose encoding lacks a character."""

from __future__ import annotations

import pytest

from hashcost.cli.process import encoded


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "35.8 ms ±10% × 2³² \u6f22"),
        (None, "35.8 ms ±10% × 2³² \u6f22"),
        ("ascii", "35.8 ms +-10% x 2^32 ?"),
    ],
)
def test_plain_letters_stand_for_what_an_encoding_lacks(
    encoding: str | None, expected: str
) -> None:
    """Nothing fails: our own signs are written in plain letters, any other as a question mark."""
    text = encoded("35.8 ms ±10% × 2³² \u6f22", encoding)

    assert expected == text.decode(encoding or "utf-8")
