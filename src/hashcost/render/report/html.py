"""A page as one file of HTML: nothing is fetched, and no script is needed to read it."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files as resources
from typing import Final

from hashcost.core.errors import UnavailableError
from hashcost.render.plot import files
from hashcost.render.plot.inline import draw_apart, inline_svg
from hashcost.render.report.page import Download, Page, Picture

_EXTRA: Final = "report"
_CODE: Final = re.compile(r"(`[^`]+`|(?<!\S)--[a-z][a-z-]*(?: \d[\w.]*)?)")
_FIGURE_SPACE: Final = "\N{FIGURE SPACE}"
_NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"


def check_available() -> None:
    """See that what draws and lays out the page is there, before any work is done.

    Raises:
        UnavailableError: it is not; the message says how to get it.
    """
    files.check_available(_EXTRA)
    try:
        import_module("jinja2")
    except ImportError as error:
        raise UnavailableError(
            f"Jinja is not installed; pip install 'hashcost[{_EXTRA}]'"
        ) from error


def page_html(page: Page) -> str:
    """The whole page.

    Raises:
        UnavailableError: Jinja or matplotlib is not installed.
    """
    check_available()
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "cell": _cell,
        "coded": _coded,
        "data_url": _data_url,
    }
    folder = resources("hashcost.render.report")
    template = environment.from_string(folder.joinpath("page.html.jinja").read_text("utf-8"))
    # Both are written by this package; texts inside the charts are escaped there.
    drawn = {id_: Markup(svg) for id_, svg in _drawn(page)}  # noqa: S704
    style = Markup(folder.joinpath("page.css").read_text("utf-8"))  # noqa: S704
    return template.render(page=page, style=style, drawn=drawn, picture_id=_picture_id)


def _drawn(page: Page) -> Iterator[tuple[str, str]]:
    """Every chart of the page by its id; all are drawn together, which is quicker."""
    pictures = list(_pictures(page))
    charts = draw_apart([picture.chart for _, picture in pictures])
    for (id_, picture), content in zip(pictures, charts, strict=True):
        yield id_, inline_svg(content, id_=id_, title=picture.title, words=picture.words)


def _pictures(page: Page) -> Iterator[tuple[str, Picture]]:
    """Those that the whole page shares are of section 0."""
    for number, parts in enumerate((page.common, *(each.parts for each in page.sections))):
        for part_number, part in enumerate(parts, 1):
            for index, picture in enumerate(part.pictures, 1):
                yield _picture_id(number, part_number, index), picture


def _picture_id(section: int, part: int, index: int) -> str:
    return f"s{section}-p{part}-c{index}"


def _cell(text: str, pairs: bool) -> str:
    """A cell as a page lines it up: spaces before a figure are as wide as digits."""
    bare = text.lstrip(" ")
    padded = _FIGURE_SPACE * (len(text) - len(bare)) + bare
    return re.sub("(?<!,) ", _NO_BREAK_SPACE, padded) if pairs else padded


def _coded(text: str) -> str:
    """A sentence, with options and what stands between backticks as code."""
    from markupsafe import Markup, escape

    return Markup("").join(
        Markup("<code>{}</code>").format(piece.strip("`")) if index % 2 else escape(piece)
        for index, piece in enumerate(_CODE.split(text))
    )


def _data_url(download: Download) -> str:
    content = base64.b64encode(download.content).decode("ascii")
    return f"data:{download.media_type};base64,{content}"
