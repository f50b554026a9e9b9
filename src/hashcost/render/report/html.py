"""A page as one file of HTML: nothing is fetched, and no script is needed to read it."""

import base64
import re
from importlib import import_module
from importlib.resources import files as resources
from typing import Final

from hashcost.core.errors import UnavailableError
from hashcost.documents.extras import how_to_install
from hashcost.render.plot import files
from hashcost.render.plot.inline import draw_apart, inline_svg
from hashcost.render.report.page import Download, Page

_CODE: Final = re.compile(r"(`[^`]+`|(?<!\S)--[a-z][a-z-]*(?: \d[\w.]*)?)")
_FIGURE_SPACE: Final = "\N{FIGURE SPACE}"


def check_available() -> None:
    """Raise an error that says what to install if Jinja or matplotlib is not available."""
    files.check_available("report")
    try:
        import_module("jinja2")
    except ImportError as error:
        raise UnavailableError(f"Jinja is not installed; {how_to_install('report')}") from error


def page_html(page: Page) -> str:
    """The whole page; fails as `check_available` does."""
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
    drawn = _drawn(page)
    environment.filters |= {
        "cell": _cell,
        "coded": _coded,
        "data_url": _data_url,
        # What is inside the charts is escaped there.
        "drawn": lambda picture: Markup(drawn[id(picture)]),  # noqa: S704
    }
    folder = resources("hashcost.render.report")
    template = environment.from_string(folder.joinpath("page.html.jinja").read_text("utf-8"))
    style = Markup(folder.joinpath("page.css").read_text("utf-8"))  # noqa: S704
    return template.render(page=page, style=style)


def _drawn(page: Page) -> dict[int, str]:
    """The SVG of every picture by its identity; all are drawn together, which is quicker."""
    parts = [*page.common, *(part for section in page.sections for part in section.parts)]
    pictures = [picture for part in parts for picture in part.pictures]
    charts = [picture.chart for picture in pictures]
    return {
        id(picture): inline_svg(
            content, id_=f"chart-{number}", title=picture.chart.title, words=picture.words
        )
        for number, (picture, content) in enumerate(zip(pictures, draw_apart(charts), strict=True))
    }


def _cell(text: str) -> str:
    """A cell as a page lines it up: spaces before a figure are as wide as digits."""
    bare = text.lstrip(" ")
    return _FIGURE_SPACE * (len(text) - len(bare)) + bare


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
