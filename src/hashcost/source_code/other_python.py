"""Python in the syntax of another release than the one that runs: a later one, or Python 2.

Its grammar reads all of them. Only what this Python cannot read is written in another way, on as
many lines; none of it sets a cost.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.parsed.file import MOST_COLUMNS
from hashcost.source_code.parsed.translation import of_kinds

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_STATEMENTS: Final = ("print_statement", "exec_statement", "raise_statement", "except_clause")
_LITERALS: Final = ("concatenated_string", "string", "integer")
_OTHERS: Final = ("type_parameter", "type_alias_statement", "tuple_pattern", "comparison_operator")


class _Edit(NamedTuple):
    """A range of a text, and a text to put there."""

    start: int
    end: int
    instead: str


def in_own_syntax(text: str) -> str:
    """Write a text, as far as its syntax is known, as the Python that runs can read it.

    Raises:
        UnreadableInputError: thousands of words are on one line.
    """
    from ast_grep_py import SgRoot

    edits: list[_Edit] = []
    columns = 0
    for node in of_kinds(SgRoot(text, "python").root(), (*_STATEMENTS, *_LITERALS, *_OTHERS)):
        columns += node.range().start.column
        if columns > MOST_COLUMNS:
            raise UnreadableInputError("its lines are too long to be read")
        edits += _edits_of(node)
    written = []
    end = 0
    for edit in sorted(edits, key=_order):
        # What is in a part that is replaced goes with it.
        if edit.start >= end:
            written += [text[end : edit.start], edit.instead]
            end = edit.end
    # Python 2 takes a tab for blanks up to the next eighth column.
    return "".join([*written, text[end:]]).expandtabs(8)


def _order(edit: _Edit) -> tuple[int, bool, int]:
    """Sort by the place; what is put in comes first, and then the longest part."""
    return edit.start, edit.start != edit.end, -edit.end


def _edits_of(node: SgNode) -> Iterator[_Edit]:
    """List the changes that make a node readable."""
    match node.kind():
        case "concatenated_string" | "string" | "integer":
            # Such as a formatted text that has its own quotes inside (PEP 701), and 0644.
            if not _is_readable(node.text()):
                yield _replaced(node, "(literal", ")")
        case "type_parameter":  # PEP 695
            yield _replaced(node, "")
        case "type_alias_statement":  # PEP 695
            yield _replaced(node, "pass")
        case "tuple_pattern":  # Parameters of Python 2; elsewhere it is a tuple in brackets.
            above = node.parent()
            if above is not None and above.kind().endswith("parameters"):
                yield _replaced(node, "parts")
        case "comparison_operator":
            for part in node.children():
                if part.kind() == "<>":
                    yield _replaced(part, "!=")
        case _:
            yield from _in_brackets(node)


def _in_brackets(node: SgNode) -> Iterator[_Edit]:
    """Put brackets around what a statement is about, where only other releases need none."""
    keyword, *parts = [part for part in node.children() if "comment" not in part.kind()]
    kinds = [part.kind() for part in parts]
    if node.kind() == "except_clause" and "," not in kinds:
        return
    if node.kind() == "raise_statement" and "expression_list" not in kinds:
        return
    if ":" in kinds:  # The body of a handler follows.
        parts = parts[: kinds.index(":")]
    if parts and parts[0].kind() == "*":
        keyword, *parts = parts
    if not parts:
        return
    for part in parts:
        if part.kind() == "chevron":  # ``print >>file, text``
            yield _replaced(part.children()[0], "")
    place = keyword.range().end.index
    yield _Edit(place, place, "(")
    place = parts[-1].range().end.index
    yield _Edit(place, place, ")")


def _replaced(node: SgNode, begin: str, end: str = "") -> _Edit:
    """Replace a node by a text on as many lines."""
    place = node.range()
    lines = "\n" * node.text().count("\n")
    return _Edit(place.start.index, place.end.index, f"{begin}{lines}{end}")


def _is_readable(literal: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(f"({literal})", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
