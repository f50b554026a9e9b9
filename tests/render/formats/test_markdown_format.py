"""Markdown: a whole literal, and text that cannot become anything but text."""

from __future__ import annotations

import re
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.profile import Rounding
from hashcost.documents.profile import load_profile
from hashcost.recommend.recommendation import solve_again
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.document import Column, Document, Row, Table
from made_up import PROFILE_FILE

PROFILE: Final = load_profile(PROFILE_FILE)

printable: Final = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")))


def document(*cells: str, head: tuple[str, ...] = (), foot: tuple[str, ...] = ()) -> Document:
    """One row of these cells."""
    return Document(
        tables=(
            Table(
                columns=tuple(Column(f"column {index}") for index in range(len(cells))),
                rows=(Row(cells=cells),),
            ),
        ),
        head=head,
        foot=foot,
        fields=(),
        records=(),
        value=(),
    )


def cells(line: str) -> list[str]:
    """The cells of a pipe table's line, as GitHub splits them: an escaped pipe is text."""
    return [cell.strip() for cell in re.findall(r"((?:\\.|[^|\\])*)\|", line.removeprefix("|"))]


def test_whole_profile() -> None:
    """A profile is its head, a pipe table with right-aligned figures, and its failures."""
    expected = """\
One hash in at most 40.0 ms, measured in 987 ms on
2 × AMD EPYC, limited to 1.5 CPUs, sha\\_ni, avx2, KVM
CPython 3.11.7, OpenSSL 3.0.19, Debian GNU/Linux 12 (bookworm), hashcost 0.1.0

| hasher | implementation | use this cost | one hash, CPU | wall | work |
| --- | --- | --- | --- | ---: | ---: |
| sha512-crypt | libcrypt 4.4.33-2 | rounds=159000 | 39.9 ms ±1.6% | 41.2 ms | 1.00× |
| pbkdf2-sha256 | hashlib OpenSSL 3.0.19 | iterations=159000 | 39.8 ms ±3.4% | 40.0 ms | 1.00× |
| pbkdf2-sha256 | cryptography 50.0.2 OpenSSL 4.0.3 | iterations=318000 | 39.8 ms ±1.9% | 100 ms\
 | 2.00× |
| sha256-crypt | passlib 1.9.4 | rounds=79800 | 39.9 ms ±30% | - | 1.00× |
| bcrypt | bcrypt 5.0.0 | cost=9 | 26.8 ms ±0.9% | 27.0 ms | 1.00× |
|  |  | cost=10 next | 53.6 ms |  |  |
| bcrypt | libcrypt 4.4.33-2 | cost=9 | 21.4 ms ±0.9% | 21.6 ms | 1.25× |
|  |  | cost=10 next | \\~42.8 ms |  |  |

- pbkdf2-sha1&#64;hashlib: computed a wrong hash for a known answer (RFC 6070)
- argon2id&#64;argon2-cffi: the Python package that has argon2 is not installed
"""

    assert expected == render(recommendation_document(PROFILE), "markdown")


def test_solved_again() -> None:
    """What is solved from a profile says so, and failures alone need no table."""
    again = solve_again(PROFILE, 0.0001, Rounding.DOWN)
    expected = """\
One hash in at most 100 µs, solved from measurements of 2026-11-20 09:08 UTC on
2 × AMD EPYC, limited to 1.5 CPUs, sha\\_ni, avx2, KVM
CPython 3.11.7, OpenSSL 3.0.19, Debian GNU/Linux 12 (bookworm), hashcost 0.1.0

- sha512-crypt&#64;libcrypt: even the lowest cost, rounds=1000, takes 375 µs; raise --target
"""
    first = msgspec.structs.replace(again, results=again.results[:1])

    assert expected == render(recommendation_document(first, solved_again=True), "markdown")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", "a\\|b"),
        ("a\\|b", "a\\\\\\|b"),
        ("`code`", "\\`code\\`"),
        ("<script>alert(1)</script>", "\\<script\\>alert(1)\\</script\\>"),
        ("@octocat", "&#64;octocat"),
        ("two\nlines\r\n# three", "two\\\\nlines\\\\r\\\\n\\# three"),
        ("[text](http://example.org)", "\\[text\\](http://example.org)"),
        ("**bold** _slanted_ ~~gone~~", "\\*\\*bold\\*\\* \\_slanted\\_ \\~\\~gone\\~\\~"),
        ("#1", "\\#1"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
    ],
)
def test_escapes(text: str, escaped: str) -> None:
    """Text that means something in Markdown or HTML is shown as it is written."""
    rendered = render(document(text, head=(text,), foot=(text,)), "markdown")

    assert (f"{escaped}\n\n| column 0 |\n| --- |\n| {escaped} |\n\n- {escaped}\n") == rendered


@given(first=printable, second=printable)
def test_any_name_keeps_the_number_of_cells(first: str, second: str) -> None:
    """No name adds a cell, a line or a row to the table."""
    lines = render(document(first, second), "markdown").splitlines()

    assert [2, 2, 2] == [len(cells(line)) for line in lines]
