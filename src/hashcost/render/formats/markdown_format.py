"""Markdown: a pipe table for issues, wikis and job summaries."""

import re
from collections.abc import Iterable
from typing import Final

from hashcost.render.document import Document, Table

_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]<>|#~]")
_MARK: Final = re.compile(r"\d+(?=[.)](?: |$))|(?=[-+](?: |$)|-+$|=+$)")
"""The beginning of a list, or a whole line that makes a heading or a rule."""


def render(document: Document) -> str:
    """Write the head, tables, notes, foot and answer, with every special character escaped."""
    blocks = ["\n".join(map(_line, document.head))]
    for table in document.tables:
        if table.rows:
            blocks.append(_line(table.title))
            blocks.append(_grid(table))
    blocks.append(_bullets(document.notes))
    blocks.append(_bullets(document.foot))
    blocks += map(_line, document.answer)
    return "\n\n".join(filter(None, blocks)) + "\n"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_line(line)}" for line in lines)


def _grid(table: Table) -> str:
    titles = []
    rule = []
    for column in table.columns:
        titles.append(_escape(column.title))
        # A colon at the end aligns a column to the right.
        rule.append("---:" if column.right else "---")
    lines = [titles, rule, *(map(_escape, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _line(text: str) -> str:
    """Escape a line outside of tables, so that it stays a paragraph, or one item of a list."""
    line = _escape(text)
    mark = _MARK.match(line)
    if mark is None:
        return line
    return rf"{mark[0]}\{line[mark.end() :]}"


def _escape(text: str) -> str:
    words = " ".join(text.split()).replace("&", "&amp;")
    # A backslash does not keep GitHub from notifying a user.
    return _SPECIAL.sub(r"\\\g<0>", words).replace("@", "&#64;")
