"""Lines of any bytes, however many and however long."""

import codecs
import io
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounded import within_memory
from hashcost.core.errors import UnreadableInputError
from hashcost.stored import lines
from hashcost.stored.lines import LONGEST, OVERLONG, lines_of

MIB: Final = 1 << 20


class _Drips(io.BufferedIOBase):
    """A stream that gives another number of bytes each time, as pipes do."""

    def __init__(self, parts: list[bytes]) -> None:
        self._parts = parts

    def read1(self, size: int = -1, /) -> bytes:
        """The next part."""
        return self._parts.pop(0) if self._parts else b""


@given(
    data=st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"abc"])).map(
        b"".join
    ),
    size=st.integers(1, 40),
    longest=st.integers(0, 12),
)
def test_any_bytes_are_split_as_if_they_were_read_at_once(
    data: bytes, size: int, longest: int
) -> None:
    """Wherever a chunk ends, the lines are the same, without their ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_CHUNK", size)
        patch.setattr(lines, "LONGEST", longest)
        found = list(lines_of(io.BytesIO(data)))
    whole = data.split(b"\n")
    whole = whole if whole[-1] else whole[:-1]
    assert found == [
        OVERLONG if len(line) > longest else line.removesuffix(b"\r") for line in whole
    ]


@given(parts=st.lists(st.binary(min_size=1, max_size=9), max_size=9))
def test_the_parts_of_a_stream_make_no_difference(parts: list[bytes]) -> None:
    """What a pipe gives in parts is read as a file is."""
    data = b"".join(parts)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return
    assert list(lines_of(_Drips(list(parts)))) == list(lines_of(io.BytesIO(data)))
    marked = [*(bytes((byte,)) for byte in codecs.BOM_UTF8), *parts]
    assert list(lines_of(_Drips(marked))) == list(lines_of(io.BytesIO(data)))


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    """What Windows puts in front of a text is left out, and only there."""
    text = codecs.BOM_UTF8 + b"a\n" + codecs.BOM_UTF8 + b"b\n"
    assert [b"a", codecs.BOM_UTF8 + b"b"] == list(lines_of(io.BytesIO(text)))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_with_its_cure(encoding: str) -> None:
    """A text of two bytes a character is no list of malformed hashes."""
    with pytest.raises(
        UnreadableInputError, match=r"^the input is text in UTF-16; convert it first"
    ):
        list(lines_of(io.BytesIO("\ufeffabc\n".encode(encoding))))


def test_an_endless_line_takes_no_memory() -> None:
    """A line of 40 MiB is dropped as it comes, and the lines around it are read."""
    parts = [b"first\n", *([b"a" * MIB] * 40), b"\nlast\n"]
    with within_memory(4 * MIB):
        found = list(lines_of(_Drips(parts)))
    assert [b"first", OVERLONG, b"last"] == found


def test_a_line_as_long_as_may_be_is_kept() -> None:
    """One byte more and it is not."""
    text = b"a" * LONGEST
    assert [text, OVERLONG, b"b"] == list(lines_of(io.BytesIO(text + b"\n" + text + b"a\nb")))


def test_progress_is_told_the_bytes_that_were_read() -> None:
    """The last of them is the size of the file."""
    told: list[int] = []
    list(lines_of(io.BytesIO(b"a\n" * MIB), told.append))
    assert 2 * MIB == told[-1]
    assert sorted(told) == told
