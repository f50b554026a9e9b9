"""Markdown: a pipe table for issues, wikis and job summaries."""

from __future__ import annotations

import re

from hashcost.render.document import Document


def render(document: Document, width: int, color: bool) -> str:
    """The document's head, grid and foot, with every special character escaped."""
    blocks = [[_escape(line) for line in document.head]] if document.head else []
    if document.rows:
        blocks.append(
            [
                _line([column.title for column in document.columns]),
                _line(
                    ["---:" if column.right else "---" for column in document.columns], raw=True
                ),
                *(_line(row.cells) for row in document.rows),
            ]
        )
    blocks += [[f"- {_escape(line)}" for line in document.foot]] if document.foot else []
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _line(cells: list[str] | tuple[str, ...], *, raw: bool = False) -> str:
    return "| " + " | ".join(cell if raw else _escape(cell) for cell in cells) + " |"


def _escape(text: str) -> str:
    text = " ".join(text.split()).replace("&", "&amp;")
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", text).replace("@", "&#64;")
