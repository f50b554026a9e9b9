"""The page of one or more documents."""

import base64
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Final

import pytest
from msgspec.structs import replace

from hashcost.core.machine import HostIdentity
from hashcost.core.profile import Profile
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.commands.report import report_page
from hashcost.strength.attackers.device import load_device
from hashcost.strength.policies.catalogue import load_policy
from measured import EVERY, HARD, HOSTILE, appraised, eight_rows, hostile

_VOID: Final = {"meta", "img", "br", "link"}


class _Reader(HTMLParser):
    """The elements of a page, checked to be closed in order, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        assert [] == self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(*measured: tuple[str, Profile]) -> str:
    """The page of these, by OWASP and the usual device."""
    policies = (load_policy("owasp"),)
    return report_page(
        [(name, appraised(profile, policies)) for name, profile in measured],
        policies=policies,
        devices=(load_device("rtx-4090"),),
    )


def test_a_page_says_what_the_command_says() -> None:
    """Answer, head, cells and notes of the document stand on the page, in its words."""
    document = recommendation_document(EVERY)
    page = _Reader(page_of(("here.json", EVERY)))
    words = " ".join(page.text.split())
    cells = [cell for row in document.tables[0].rows for cell in row]

    for text in (*document.answer, *document.head, *cells, *document.foot):
        assert " ".join(text.split()) in words
    assert "Measured 2026-11-20 09:08 UTC" in words
    assert "the hypervisor gave 3.0 % of this machine's CPU time to others" in words


def test_any_document_has_a_page() -> None:
    """HTML is a format like the others; without a chart it needs none."""
    page = _Reader(render(recommendation_document(HARD), "html"))

    assert "argon2id" in page.text
    assert "img" not in {tag for tag, _ in page.elements}


def test_nothing_is_fetched_and_no_script_runs() -> None:
    """Every address is inside the page, and its own policy forbids any other."""
    elements = _Reader(page_of(("a.json", EVERY), ("b.json", HARD))).elements
    addresses = [
        value for _, found in elements for name in ("src", "href") if (value := found.get(name))
    ]

    assert all(re.match(r"data:|#s\d+$", address) for address in addresses)
    assert "script" not in {tag for tag, _ in elements}
    assert any("default-src 'none'" in (found.get("content") or "") for _, found in elements)


def test_names_of_others_stay_text() -> None:
    """Markup in a profile or in the name of its file is escaped, in charts as well."""
    page = page_of((f"{HOSTILE}.json", hostile()))
    reader = _Reader(page)
    images = [found["src"] or "" for tag, found in reader.elements if tag == "img"]
    drawn = [base64.b64decode(image.partition(",")[2]) for image in images]

    assert "script" not in {tag for tag, _ in reader.elements}
    assert HOSTILE in reader.text
    assert images
    for svg in drawn:
        assert "script" not in {each.tag.rpartition("}")[2] for each in ET.fromstring(svg).iter()}


def test_each_chart_is_told_in_words() -> None:
    """A chart has a caption and a text in its stead, and each scrolling table a name."""
    elements = _Reader(page_of(("here.json", eight_rows()))).elements
    alts = [found.get("alt") for tag, found in elements if tag == "img"]
    names = [found.get("aria-label") for _, found in elements if found.get("role") == "region"]

    assert 8 == len(alts)
    assert all(alts)
    assert len(names) == len(set(names)) > 1


def test_the_raw_figures_are_inside_without_the_host() -> None:
    """The CSV is that of the command, but a page to be shown names no host."""
    named = replace(EVERY, host=HostIdentity(name="secret-host"))
    page = page_of(("here.json", named))
    saved = {
        found["download"]: base64.b64decode((found["href"] or "").partition(",")[2]).decode()
        for tag, found in _Reader(page).elements
        if tag == "a" and "download" in found
    }

    assert {"here.csv"} == {*saved}
    assert saved["here.csv"].startswith("hasher,implementation,")
    assert "secret-host" not in page + "".join(saved.values())


@pytest.mark.parametrize(("files", "sections"), [(1, 1), (2, 3)])
def test_files_that_share_a_hasher_are_compared_first(files: int, sections: int) -> None:
    """Several files begin with a comparison, and each has a section under its own name."""
    names = ["a.json", "b.json"][:files]
    reader = _Reader(page_of(*((name, EVERY) for name in names)))
    targets = [found["href"] for tag, found in reader.elements if found.get("href", "x")[0] == "#"]  # type: ignore[index]

    assert sections == sum(tag == "section" for tag, _ in reader.elements)
    assert (sections if files > 1 else 0) == len(targets)
