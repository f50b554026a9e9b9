"""Every text that a profile's file may choose, in each format that the profile is shown in."""

import csv
import io
import unicodedata
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from typing import Any, Final

import msgspec
import pytest
from markdown_it import MarkdownIt

from hashcost.core.errors import HashcostError
from hashcost.core.profile import Profile
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.commands.report import report_page
from hashcost.storage.profile import encode_json, from_json
from hashcost.strength.attackers.device import load_device
from hashcost.strength.policies.catalogue import load_policy
from measured import EVERY, HARD, appraised

POLICIES: Final = (load_policy("owasp"),)
DEVICES: Final = (load_device("rtx-4090"),)
PLAIN: Final = "plain"

IN_HTML: Final = (
    "<script>alert(1)</script>",
    "\" onload=alert(1) x='",
    "' onclick='alert(1)",
    "--></style></title><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
)
"""Together no longer than the longest fact of a machine may be."""
IN_CSV: Final = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\uff1d1+1", "\uff201")
IN_MARKDOWN: Final = (
    "<b>x</b>",
    "![a](http://example.org/b)",
    "[a](http://example.org)",
    "**a** _b_ `c` ~~d~~",
    "| a | b |",
    "# a",
    "- a",
    "+ a",
    "1. a",
    "2) a",
    "---",
    "===",
    "    a",
    "&lt;b&gt;",
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where each text of a value in JSON is; keys are left out."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def put(value: Any, path: tuple[Any, ...], text: str) -> str:
    """Put a text at one place, and give back the text that was there."""
    *above, last = path
    for key in above:
        value = value[key]
    before: str = value[last]
    value[last] = text
    return before


def loaded(value: Any) -> Profile:
    """The profile of this JSON."""
    return from_json(encode_json(value), name="hostile")


def as_json(number: int) -> Any:
    """One of two profiles of several hashers, with a host."""
    value = msgspec.json.decode(encode_json((EVERY, HARD)[number]))
    return {**value, "host": {"name": "host"}}


@cache
def free_places(number: int) -> tuple[tuple[Any, ...], ...]:
    """The places whose text may be any, as far as the file is not refused for it."""
    value = as_json(number)
    by_name: dict[Any, list[tuple[Any, ...]]] = {}
    for path in places(value):
        by_name.setdefault(path[-1], []).append(path)
    free = []
    for paths in by_name.values():
        # A row and its measurement have to agree, so places of one name change together first.
        together = [paths, *([path] for path in paths)]
        for candidates in together:
            before = [put(value, path, PLAIN) for path in candidates]
            try:
                appraised(loaded(value), POLICIES)
            except HashcostError:
                for path, text in zip(candidates, before, strict=True):
                    put(value, path, text)
            else:
                free += candidates
    return tuple(dict.fromkeys(free))


def everywhere(number: int, text: str) -> Profile:
    """A profile with one text in every place where it may have any."""
    value = as_json(number)
    for path in free_places(number):
        put(value, path, text)
    return appraised(loaded(value), POLICIES)


def shown(number: int, text: str, form: str) -> str:
    """That profile in one format, with everything that there is to say of it."""
    document = recommendation_document(
        everywhere(number, text), policies=POLICIES, devices=DEVICES, others=POLICIES
    )
    return render(document, form)


def test_the_walk_reaches_every_kind_of_text() -> None:
    """The host, the CPU's model, versions, reasons and notices are among the places."""
    names = {path[-1] for number in (0, 1) for path in free_places(number)}
    flags = {path[-2] for number in (0, 1) for path in free_places(number) if len(path) > 1}

    assert {"cpu_model", "os", "python", "openssl", "name", "hasher"} <= names
    assert {"implementation", "implementation_version", "error", "message", "advice"} <= names
    assert "cpu_flags" in flags


class _Elements(HTMLParser):
    """The elements of a page with the names of their attributes, and its addresses."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src"}]


def page_of(text: str) -> _Elements:
    """The elements of a report on both profiles, whose files have this name as well."""
    measured = [(f"{text}{number}.json", everywhere(number, text)) for number in (0, 1)]
    return _Elements(report_page(measured, policies=POLICIES, devices=DEVICES))


def test_no_text_adds_to_a_page() -> None:
    """A page has the same elements with the same attributes, whatever its texts are."""
    page = page_of("".join(IN_HTML))

    assert page_of(PLAIN).found == page.found
    assert [] == [one for one in page.addresses if not one.startswith(("data:", "#s"))]


@pytest.mark.parametrize("text", IN_CSV)
@pytest.mark.parametrize("number", [0, 1])
def test_no_cell_is_a_formula(number: int, text: str) -> None:
    """No cell begins as a formula does, in ASCII or full width, unless it is a number."""
    rows = list(csv.reader(io.StringIO(shown(number, text, "csv"))))
    cells = [cell for row in rows for cell in row]

    assert f"'{text}" in cells
    for cell in cells:
        # NFKC makes a full-width character the ASCII one that it stands for.
        if unicodedata.normalize("NFKC", cell)[:1] in {"=", "+", "-", "@"}:
            float(cell)


def structure(markdown: str) -> list[str]:
    """The kinds of elements that Markdown makes of a text, without the texts themselves."""
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    kinds = []
    for token in reader.parse(markdown):
        kinds.append(token.type)
        children = [child.type for child in token.children or ()]
        kinds += [kind for kind in children if kind not in {"text", "text_special"}]
    return kinds


@pytest.mark.parametrize("text", IN_MARKDOWN)
@pytest.mark.parametrize("number", [0, 1])
def test_no_text_adds_to_markdown(number: int, text: str) -> None:
    """The tables, lists and paragraphs are the same, whatever their texts are."""
    plain = structure(shown(number, PLAIN, "markdown"))

    assert plain == structure(shown(number, text, "markdown"))
