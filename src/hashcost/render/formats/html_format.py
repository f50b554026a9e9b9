"""HTML: one file with its charts inside, which fetches nothing and needs no script."""

import base64
import re
from collections.abc import Sequence
from typing import Final

import msgspec

from hashcost.core.package_data import data_text
from hashcost.core.version import __version__
from hashcost.render import render as rendered
from hashcost.render import shown
from hashcost.render.charts import Chart, check_installed, svgs_of
from hashcost.render.document import Document
from hashcost.storage.extras import imported

_CODE: Final = re.compile(r"`([^`]+)`")


class Section(msgspec.Struct, frozen=True):
    """A document on a page, with its charts and files."""

    document: Document
    title: str = ""
    remarks: tuple[str, ...] = ()
    charts: Sequence[Chart] = ()
    stem: str = ""
    """The name of the file of figures, without its suffix; empty for no file."""


def render(document: Document) -> str:
    """Write a page of one document."""
    return page("Password hashes", [Section(document)])


def check_available() -> None:
    """Check that a page can be made.

    Raises:
        UnavailableError: Jinja or matplotlib is not installed; it says what to install.
    """
    check_installed("report")
    imported("jinja2", "Jinja", "report")


def page(title: str, sections: Sequence[Section]) -> str:
    """Write a page with a section for each document.

    Raises:
        UnavailableError: as `check_available` does.
        UnwritableOutputError: a chart cannot be drawn.
    """
    check_available()
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup, escape

    def coded(text: str) -> Markup:
        """Show a text between backticks as code."""
        return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped

    def drawn(_: Chart) -> str:
        return _data_url(next(drawings), "image/svg+xml")

    # All charts are drawn at once: a process that draws takes a second to start.
    charts: list[Chart] = []
    for section in sections:
        charts += section.charts
    drawings = iter(svgs_of(charts) if charts else ())
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["aligned"] = _aligned
    environment.filters["coded"] = coded
    environment.filters["drawn"] = drawn
    environment.filters["csv_url"] = _csv_url
    # The page's texts were chosen by others: what the template writes is escaped by default.
    template = environment.from_string(data_text("render/formats/page.html.jinja"))
    style = Markup(data_text("render/formats/page.css"))  # noqa: S704 - our own file
    visible = shown(tuple(sections))
    text = template.render(title=title, sections=visible, style=style, version=__version__)
    return f"{text}\n"


def _aligned(cell: str) -> str:
    """Make the leading spaces of a cell as wide as digits."""
    bare = cell.lstrip(" ")
    return "\N{FIGURE SPACE}" * (len(cell) - len(bare)) + bare


def _csv_url(document: Document) -> str:
    return _data_url(rendered(document, "csv").encode(), "text/csv")


def _data_url(content: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"
