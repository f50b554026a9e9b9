"""What the process is given: streams of any encoding."""

from corpora import table
from hashcost.cli.process import encoded


@table("encoding, expected")
def test_plain_letters_stand_for_what_an_encoding_lacks(
    encoding: str | None, expected: str
) -> None:
    """Nothing fails: our own signs are written in plain letters, any other as a question mark."""
    text = encoded("35.8 ms ±10% × 2³² \u6f22", encoding)

    assert expected == text.decode(encoding or "utf-8")
