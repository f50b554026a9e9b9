"""Markdown: a pipe table for issues, wikis and job summaries."""

import re

from hashcost.render.document import Document, Table


def render(document: Document, width: int, color: bool) -> str:
    """The head, tables, notes, foot and answer, with every special character escaped."""
    blocks = [[_escape(line) for line in document.head]] if document.head else []
    for table in document.tables:
        if table.rows:
            blocks += [[_escape(table.title)]] if table.title else []
            blocks.append(_grid(table))
    for lines in (document.notes, document.foot):
        blocks += [[f"- {_escape(line)}" for line in lines]] if lines else []
    blocks += [[_escape(line)] for line in document.answer]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _grid(table: Table) -> list[str]:
    titles = (column.title for column in table.columns)
    header, *rows = [map(_escape, row) for row in (titles, *table.rows)]
    rule = ("---:" if column.right else "---" for column in table.columns)
    return [f"| {' | '.join(cells)} |" for cells in (header, rule, *rows)]


def _escape(text: str) -> str:
    text = " ".join(text.split()).replace("&", "&amp;")
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", text).replace("@", "&#64;")
