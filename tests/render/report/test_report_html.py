"""A report as one file of HTML: escaped, self-contained, and whole."""

from __future__ import annotations

import base64
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.errors import UnavailableError
from hashcost.documents.profile import from_json
from hashcost.render.document import Column, Row, Table
from hashcost.render.plot.chart import Axis, Bar, Bars
from hashcost.render.report.html import check_available, page_html
from hashcost.render.report.page import Caution, Download, Fact, Page, Part, Picture, Section
from laws import examples
from measured import EVERY, HARD, HOSTILE, eight_rows, hostile, page_of
from strategies import texts

_EMPTY: Final = frozenset({"meta", "link", "br", "hr", "img", "input"})
_MAY_RUN: Final = frozenset({"script", "iframe", "object", "embed", "form", "link"})
_LARGEST: Final = 1_000_000
"""Bytes that a report of eight rows stays below."""


class Read(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        assert len(attrs) == len(dict(attrs)), f"{tag} has an attribute twice"
        self.elements.append((tag, dict(attrs)))
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element of a drawing that has nothing in it."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """The innermost element ends."""
        assert tag == self.open.pop(), "elements are not nested"

    def handle_data(self, data: str) -> None:
        """Text, with its references resolved."""
        self.texts.append(data)

    def all(self, name: str) -> list[str]:
        """The values of this attribute."""
        return [value or "" for _, attributes in self.elements if (value := attributes.get(name))]


@pytest.fixture(scope="module")
def eight() -> str:
    """The page of a profile with eight rows."""
    return page_html(page_of(("eight.json", eight_rows())))


def test_a_page_is_one_whole_file(eight: str) -> None:
    """Every element is closed, no id stands twice, and every reference leads somewhere."""
    read = Read(eight)
    ids = Counter(read.all("id"))
    wanted = [name for value in read.all("aria-labelledby") for name in value.split()]
    wanted += [value[1:] for value in read.all("href") if value.startswith("#")]
    wanted += re.findall(r"url\(#([^)]+)\)", " ".join(read.all("clip-path")))

    assert eight.startswith("<!DOCTYPE html>")
    assert [] == read.open
    assert {1} == set(ids.values())
    assert set(wanted) <= set(ids)
    assert len(wanted) > 50


def test_nothing_is_fetched_and_nothing_runs(eight: str) -> None:
    """No script, no handler, no address but those within the page; the policy forbids the rest."""
    read = Read(eight)
    policies = [a["content"] for _, a in read.elements if a.get("http-equiv")]

    assert not {"script", "iframe", "object", "embed", "form", "link"} & {
        t for t, _ in read.elements
    }
    assert {"a", "use"} == {tag for tag, attributes in read.elements if "href" in attributes}
    assert not any("src" in attributes for _, attributes in read.elements)
    assert not [name for _, attributes in read.elements for name in attributes if name[:2] == "on"]
    assert all(value.startswith(("#", "data:")) for value in read.all("href"))
    assert ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"] == policies
    assert "@import" not in eight
    assert not re.search(r"url\((?!#)", eight)


def test_it_is_small(eight: str) -> None:
    """The report of eight rows is below a megabyte, with every raw figure."""
    assert len(eight.encode()) < _LARGEST


def test_the_same_page_has_the_same_bytes(eight: str) -> None:
    """A page can be kept beside the code: nothing in it is of the day or random."""
    assert eight == page_html(page_of(("eight.json", eight_rows())))


def test_raw_figures_can_be_taken_out(eight: str) -> None:
    """The links hold the profile itself, as JSON that is read again."""
    links = {a["download"]: a["href"] or "" for _, a in Read(eight).elements if "download" in a}
    content = base64.b64decode(links["eight.json"].partition(",")[2])

    assert {"eight.json", "eight.csv"} == set(links)
    assert 8 == len(from_json(content, name="x").results)


def test_what_a_file_names_is_text_and_no_more() -> None:
    """A machine, a library or a message that is markup appears as it is written."""
    page = page_html(page_of((HOSTILE, hostile())))
    read = Read(page)
    text = "".join(read.texts)

    assert "script" not in {tag for tag, _ in read.elements}
    assert "<script" not in page
    assert "alert(1)</script>" in text
    for within in ("title", "text", "desc", "h1", "td", "dd", "figcaption"):
        assert within in {tag for tag, _ in read.elements}
    assert [] == [
        name
        for _, attributes in read.elements
        for name in attributes
        if not re.fullmatch("[a-zA-Z-]+", name)
    ]


def test_a_name_is_escaped_inside_a_drawing() -> None:
    """The texts of a chart, and the words in its place, are escaped like any other."""
    page = page_html(page_of(("x.json", hostile())))
    svgs = re.findall(r"<svg.*?</svg>", page, re.DOTALL)

    assert any("&lt;script&gt;alert(1)&lt;/script&gt;" in svg for svg in svgs)
    assert not any("<script" in svg for svg in svgs)


_PIECES: Final = texts.filter(bool)


@examples(30)
@given(st.lists(_PIECES, min_size=12, max_size=12))
def test_any_text_is_escaped_wherever_it_stands(pieces: list[str]) -> None:
    """Whatever a text is and wherever it stands, the page's elements are the same."""

    def page(words: list[str]) -> Page:
        a, b, c, d, e, f, g, h, i, j, k, m = words
        table = Table(columns=(Column(a),), rows=(Row(cells=(b,)),), title=c)
        chart = Bars(title=h, axis=Axis(title="x"), bars=(Bar(label="x", value=1.0),))
        part = Part(
            title=d,
            paragraphs=(e,),
            terms=((f, g),),
            tables=(table,),
            pictures=(Picture(chart=chart, words=i),),
            notes=(j,),
            downloads=(Download(name=k, title=m, media_type="text/csv", content=a.encode()),),
        )
        section = Section(
            title=b,
            origin=c,
            facts=(Fact(name=d, figure=e, remark=f),),
            summary=(g,),
            cautions=(Caution(about=h, message=i, advice=j),),
            parts=(part,),
        )
        return Page(title=k, sections=(section, section), written_by=m)

    def shape(words: list[str]) -> list[str]:
        # What may depend on the text: lines of a caption, code, and an empty cell.
        varies = {"code", "caption", "span", "th", "td"}
        return [tag for tag, _ in Read(page_html(page(words))).elements if tag not in varies]

    assert shape(["x"] * 12) == shape([_printable(piece) for piece in pieces])


def _printable(text: str) -> str:
    """As a file's text is, once it was checked."""
    return "".join(c if c.isprintable() else "?" for c in text)


def test_options_and_commands_are_code() -> None:
    """What can be typed is set apart, and only that."""
    section = Section(
        title="x", origin="x", summary=("`calibrate gpus` and --target 40ms; a -- b", "`<b>`")
    )
    page = page_html(Page(title="x", sections=(section,)))

    assert "<code>calibrate gpus</code> and <code>--target 40ms</code>; a -- b" in page
    assert "<code>&lt;b&gt;</code>" in page


def test_tables_are_reached_by_keyboard_and_named_apart() -> None:
    """A table that is too wide scrolls in a region of its own, each with another name."""
    read = Read(page_html(page_of(("one.json", EVERY), ("two.json", HARD))))
    regions = [a for _, a in read.elements if a.get("role") == "region"]

    assert all(region["tabindex"] == "0" for region in regions)
    assert len(regions) == len({region["aria-label"] for region in regions}) > 8


def test_every_picture_has_words() -> None:
    """A drawing is one image to whoever does not see it, with a name and what it shows."""
    read = Read(page_html(page_of(("one.json", EVERY))))
    drawings = [attributes for tag, attributes in read.elements if tag == "svg"]

    assert len(drawings) > 3
    assert {"img"} == {drawing["role"] for drawing in drawings}
    assert len(drawings) == sum(tag == "desc" for tag, _ in read.elements)


@pytest.mark.parametrize(
    ("profiles", "headings"),
    [(1, ["h1", "h2"]), (2, ["h1", "h2", "h3"])],
)
def test_headings_are_in_order(profiles: int, headings: list[str]) -> None:
    """No level of heading is left out, with one profile or with several."""
    measured = (("one.json", EVERY), ("two.json", HARD))[:profiles]
    found = [tag for tag, _ in Read(page_html(page_of(*measured))).elements if tag[0] == "h"]

    assert headings == sorted({tag for tag in found if tag[1:].isdigit()})


@pytest.mark.parametrize("library", ["jinja2", "matplotlib"])
def test_without_a_library(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    """Without Jinja or matplotlib the message has the command that brings them."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UnavailableError, match=r"pip install 'jinja2>=[\d.]+' 'matplotlib>="):
        check_available()
