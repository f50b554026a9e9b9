"""Charts as parts of an HTML page: in its colours and its font, without clashing ids.

Matplotlib draws them; what it writes is then made to fit into the page.
"""

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from hashcost.render.plot.chart import Bars, Chart
from hashcost.render.plot.files import COLORS, METADATA, draw_chart, drawing

_INCHES: Final = (4.7, 3.1)
_EDGES: Final = {"left": 0.18, "right": 0.975, "bottom": 0.155, "top": 0.97}

_COLORS: Final = {
    **{color.lower(): f"var(--series-{index})" for index, color in enumerate(COLORS, 1)},
    "#000000": "var(--ink)",
    "#333333": "var(--ink)",
    "#dddddd": "var(--line)",
    "#ffffff": "var(--paper)",
}
"""What ``files.py`` draws with, and what a page calls it, so that a dark one has its own."""
_FONTS: Final = frozenset({"font", "font-family", "font-style", "font-weight"})
_NO_PART_OF_A_PAGE: Final = frozenset({"metadata", "style"})
"""Who made it, and rules that would hold for the whole page."""


def draw_apart(charts: Sequence[Chart]) -> Iterator[bytes]:
    """Each chart as an SVG of its own, small, without a title, on whatever lies behind it.

    Text stays text, and has no halo: the page gives it a font and both colours.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    with drawing(text=True):
        for chart in charts:
            untitled = replace(chart, title="")
            # Names of any length need a layout of their own, which takes as long as the drawing.
            named = isinstance(chart, Bars)
            canvas = Canvas(figsize=_INCHES, layout="constrained" if named else None)
            FigureCanvasAgg(canvas)
            axes = canvas.subplots()
            draw_chart(axes, untitled, halo=False)
            if not named:
                canvas.subplots_adjust(**_EDGES)
                legend = axes.get_legend()
                if legend is not None and len(legend.get_texts()) < 2:
                    legend.remove()
            content = io.BytesIO()
            canvas.savefig(content, format="svg", transparent=True, metadata=METADATA["svg"])
            yield content.getvalue()


def inline_svg(content: bytes, *, id_: str, title: str, words: str) -> str:
    """The SVG as an element of an HTML page, with its title and in words what it shows.

    Every id in it begins with ``id_``, as that of no other element of the page may.
    """
    root = ET.fromstring(content)  # noqa: S314 - written by matplotlib, not read from a file
    for element in list(root.iter()):
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = dict(_attributes(element, f"{id_}-"))
        element.tail = None
        for child in list(element):
            if child.tag.rpartition("}")[2] in _NO_PART_OF_A_PAGE:
                element.remove(child)
        if element.tag == "text":
            # The page gives it a halo, which is to lie behind it.
            element.set("paint-order", "stroke")
        elif element.tag != "tspan":
            element.text = None
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    labels = f"{id_}-title {id_}-words"
    root.attrib |= {"class": "chart", "role": "img", "aria-labelledby": labels}
    for name, part, text in (("desc", "words", words), ("title", "title", title)):
        told = ET.Element(name, {"id": f"{id_}-{part}"})
        told.text = text
        root.insert(0, told)
    return ET.tostring(root, encoding="unicode")


def _attributes(element: ET.Element, prefix: str) -> Iterator[tuple[str, str]]:
    for whole, value in element.attrib.items():
        name = whole.rpartition("}")[2]
        if name == "id":
            yield name, f"{prefix}{value}"
        elif name == "href":
            yield name, f"#{prefix}{value.removeprefix('#')}"
        elif name == "style":
            yield name, "; ".join(_declarations(value))
        elif name == "d":
            yield name, " ".join(value.split())
        else:
            yield name, value.replace("url(#", f"url(#{prefix}")


def _declarations(style: str) -> Iterator[str]:
    """A style without the font, which is the page's, and with the page's colours."""
    for declaration in style.split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        size = re.search(r"[\d.]+px", value) if name in ("font", "font-size") else None
        if size is not None:
            yield f"font-size: {size[0]}"
        elif name and name not in _FONTS:
            yield f"{name}: {_COLORS.get(value.lower(), value)}"
