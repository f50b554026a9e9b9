"""Passwords found in dumps and seeds of databases."""

from io import BytesIO
from itertools import chain, repeat
from typing import Final

import pytest

from bounded import within_memory
from corpora import table
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read
from hashcost.stored.layouts import Layout, rows_in
from hashcost.stored.lines import BROKEN, LONGEST, lines_of
from hashcost.stored.sql import hashes_in

BCRYPT: Final = "$2b$10$" + "d" * 53


def found(text: str) -> tuple[Layout, list[str]]:
    """The layout of a text, and its hashes."""
    lines = lines_of(BytesIO(text.encode()))
    layout, rows = rows_in(lines, layout=None, columns=(), read=read)
    return layout, [one if isinstance(one, str) else one.decode() for one, *_ in rows]


@table("text, hashes")
def test_columns_of_passwords_are_read(text: str, hashes: list[str]) -> None:
    """A column counts by its title, which its statement or its table has, once it has a hash."""
    assert (Layout.SQL, hashes) == found(text)


def test_a_line_may_have_any_number_of_rows() -> None:
    """A dump has a table in one line, which is longer than a hash may be."""
    rows = ",".join(f"({number},'a),(b','{BCRYPT}')" for number in range(4000))
    text = "CREATE TABLE `users` (\n  `id` int,\n  `n` text,\n  `pass` text\n);\n"
    layout, hashes = found(f"{text}INSERT INTO `users` VALUES {rows};\n-- {'x' * 9}\n")

    assert len(rows) > 2 * LONGEST
    assert Layout.SQL is layout
    # Few rows are cut at a text that looks like their end.
    assert 3990 < hashes.count(BCRYPT) <= 4000


@pytest.mark.parametrize("text", ["'" * 60_000, "(" * 60_000, "('a'," * 12_000, "'\\" * 30_000])
def test_a_broken_statement_ends(text: str) -> None:
    """Text without an end is read in linear time, and no password is made of it."""
    hashes = found(f"CREATE TABLE users (password text);\nINSERT INTO users VALUES {text}\n")[1]
    assert [] == [one for one in hashes if read(one).kind is Kind.PLAIN]


@pytest.mark.parametrize("line", [b"1," * 30, b"a" * 60])
def test_a_row_without_an_end_takes_little_memory(line: bytes) -> None:
    """A statement that goes on for millions of lines is left behind; what follows is read."""
    lines = chain(
        [b"INSERT INTO users (password) VALUES (("], repeat(line, 100_000), [BCRYPT.encode()]
    )
    with within_memory(20 * LONGEST):
        assert [BROKEN, BCRYPT.encode()] == list(hashes_in(lines, read))
