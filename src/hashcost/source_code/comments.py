"""Waivers in the comments of source code, and the statements that they are about.

Only what the language's own grammar says is a comment counts: never a string, a docstring or
a heredoc.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final

from hashcost.core.waiver_comments import MARK, MOST, Comment, Comments, waiver_in
from hashcost.source_code.parsed_file import ParsedFile
from hashcost.source_code.rules import load_language

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_BLOCK: Final = re.compile(
    r"block$|body$|^program$|^source(_file)?$|^compilation_unit$|^statements$|statement_list$"
    r"|declaration_list$|^compound_statement$|^body_statement$|^then$|^else$|^switch_section$"
    r"|_group$"
)
"""The kinds of node, in any grammar, whose children are statements or declarations."""
_COMMENT: Final = re.compile(r"comment$")
_ABOVE: Final = re.compile(r"comment$|annotation$|^decorator$|^attribute_(list|item)$")
"""The kinds of node that a statement may have between itself and a comment about it."""


@dataclass(frozen=True)
class _Statement:
    """A statement by its lines, from 1; those of the statements inside it are ``inner``."""

    first: int
    last: int
    inner: frozenset[int]


def comments_in(
    text: str, language: str, grammar: str | None = None, lines: Collection[int] = ()
) -> Comments:
    """Find the waivers of a source text, and where comments are about findings on ``lines``.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: the text cannot be parsed.
    """
    if language == "python":
        return _in_python(text, lines)
    file = ParsedFile(text, load_language(language), grammar or language)
    tree = _Tree(file.text, file.root)
    # A comment that has the words twice is one all the same.
    waivers = tuple(dict.fromkeys(islice(tree.waivers(), MOST)))
    reach = {}
    for line in lines if waivers else ():
        reach[line] = _about(line, tree.statements_on(line), tree.may_stand_above)
    return Comments(waivers, reach)


def _about(
    line: int, statements: Iterable[_Statement], may_stand_above: Callable[[int], bool]
) -> frozenset[int]:
    """The lines on which a comment is about a finding, given the statements on its line."""
    about = {line}
    for statement in statements:
        if line in statement.inner:
            continue  # A statement inside it holds the finding.
        about |= set(range(statement.first, statement.last + 1)) - statement.inner
        above = statement.first - 1
        while above > 0 and may_stand_above(above):
            about.add(above)
            above -= 1
    return frozenset(about)


# Python


def _in_python(text: str, lines: Collection[int]) -> Comments:
    waivers: list[Comment] = []
    own_lines: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type != tokenize.COMMENT:
                continue
            number, column = token.start
            if not token.line[:column].strip():
                own_lines.add(number)
            comment = waiver_in(token.string, number)
            if comment is not None and len(waivers) < MOST:
                waivers.append(comment)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        return Comments()  # The file has a row of its own that says so.
    statements = [_of_python(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    reach = {}
    for line in lines if waivers else ():
        on_line = (every for every in statements if every.first <= line <= every.last)
        reach[line] = _about(line, on_line, own_lines.__contains__)
    return Comments(tuple(waivers), reach)


def _of_python(node: ast.stmt) -> _Statement:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    parts = (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))
    blocks += [part.body for part in parts]
    inner: set[int] = set()
    for block in blocks:
        if block:
            # A body may follow its header on the same line.
            begins = max(block[0].lineno, node.lineno + 1)
            inner |= set(range(begins, (block[-1].end_lineno or begins) + 1))
    return _Statement(first, node.end_lineno or node.lineno, frozenset(inner))


# Other languages


class _Tree:
    """The nodes of a text that is not Python, found by their places."""

    def __init__(self, text: str, root: SgNode) -> None:
        self._text = text
        self._root = root
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def waivers(self) -> Iterator[Comment]:
        """Find the comments that begin as waivers do."""
        for match in MARK.finditer(self._text):
            nodes = self._around(match.start())
            node = next((node for node in nodes if _COMMENT.search(node.kind())), None)
            if node is not None:
                comment = waiver_in(node.text(), node.range().start.line + 1)
                if comment is not None:
                    yield comment

    def may_stand_above(self, line: int) -> bool:
        """Tell whether a line has only comments, annotations or decorators."""
        text = self._lines[line - 1]
        written = text.strip()
        if not written:
            return False
        first = self._starts[line - 1] + text.index(written)
        last = first + len(written) - 1
        return all(
            any(_ABOVE.search(node.kind()) for node in self._around(index))
            for index in (first, last)
        )

    def _around(self, index: int) -> Iterator[SgNode]:
        """Find the nodes that hold a character, from the outermost on."""
        node: SgNode | None = self._root
        while node is not None:
            yield node
            below = None
            for child in node.named_children():
                place = child.range()
                if place.start.index <= index < place.end.index:
                    below = child
                    break
            node = below

    def statements_on(self, line: int) -> Iterator[_Statement]:
        """Find every statement that has a part on a line."""
        pending = [self._root]
        while pending:
            node = pending.pop()
            holds_statements = _BLOCK.search(node.kind())
            for child in node.named_children():
                place = child.range()
                if not place.start.line < line <= place.end.line + 1:
                    continue
                pending.append(child)
                no_statement = _COMMENT.search(child.kind()) or _BLOCK.search(child.kind())
                if holds_statements and not no_statement:
                    yield self._statement(child)

    def _statement(self, node: SgNode) -> _Statement:
        inner: set[int] = set()
        pending = node.named_children()
        while pending:
            child = pending.pop()
            if _BLOCK.search(child.kind()):
                inner |= self._lines_of_its_own(child)
            else:
                pending += child.named_children()
        place = node.range()
        return _Statement(place.start.line + 1, place.end.line + 1, frozenset(inner))

    def _lines_of_its_own(self, block: SgNode) -> set[int]:
        """The lines of a block, without one that it shares with what is around it."""
        start, end = block.range().start, block.range().end
        first, last = start.line + 1, end.line + 1
        if self._lines[start.line][: start.column].strip():
            first += 1
        if self._lines[end.line][end.column :].strip():
            last -= 1
        return set(range(first, last + 1))
