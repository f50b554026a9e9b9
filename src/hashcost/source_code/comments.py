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
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from hashcost.core.errors import UnreadableInputError
from hashcost.core.waiver_comments import MOST, Comment, Comments, Lines, is_among, waiver_in
from hashcost.source_code.parsed.file import MOST_COLUMNS, ParsedFile
from hashcost.source_code.rules import load_language

if TYPE_CHECKING:
    from ast_grep_py import Range, SgNode

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
    inner: Lines

    def lines(self, above: Collection[int]) -> Lines:
        """The lines on which a comment is about it; those ``above`` may stand above it."""
        first = self.first
        while first - 1 in above:
            first -= 1
        lines = []
        for start, end in sorted(self.inner):
            if first < start:
                lines.append((first, start - 1))
            first = max(first, end + 1)
        if first <= self.last:
            lines.append((first, self.last))
        return tuple(lines)


def comments_in(
    text: str, language: str, grammar: str | None = None, lines: Collection[int] = ()
) -> Comments:
    """Find the waivers of a source text, and where comments are about findings on ``lines``.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: the text cannot be parsed, or its lines are too long.
    """
    if language == "python":
        return _in_python(text, lines)
    file = ParsedFile(text, load_language(language), grammar or language, "", None)
    tree = _Tree(file.text, file.root, lines)
    if not tree.waivers:
        return Comments()
    # A comment that has the words twice is one all the same.
    waivers = dict.fromkeys(tree.waivers)
    return Comments(tuple(waivers)[:MOST], _reach(lines, tree.statements, tree.above))


def _reach(
    lines: Collection[int], statements: Sequence[_Statement], above: Collection[int]
) -> dict[int, tuple[Lines, ...]]:
    """The lines on which a comment is about a finding, by the line of that."""
    ordered = sorted(lines)
    reach: dict[int, tuple[Lines, ...]] = {}
    for statement in statements:
        begin = bisect_left(ordered, statement.first)
        end = bisect_right(ordered, statement.last)
        if begin == end:
            continue
        about = statement.lines(above)
        for line in ordered[begin:end]:
            # Otherwise a statement inside it has the finding.
            if is_among(line, about):
                reach[line] = (*reach.get(line, ()), about)
    return reach


# Python


def _in_python(text: str, lines: Collection[int]) -> Comments:
    waivers = []
    own_lines = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                number, column = token.start
                if not token.line[:column].strip():
                    own_lines.add(number)
                comment = waiver_in(token.string, number)
                if comment is not None:
                    waivers.append(comment)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        return Comments()  # The file has a row of its own that says so.
    if not waivers:
        return Comments()
    statements = [_of_python(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return Comments(tuple(waivers[:MOST]), _reach(lines, statements, own_lines))


def _of_python(node: ast.stmt) -> _Statement:
    # A decorator stands above the line that a definition begins on.
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    inner = []
    for holder in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(holder, name, [])
            if block:
                # A body may follow its header on the same line.
                begins = max(block[0].lineno, node.lineno + 1)
                inner.append((begins, block[-1].end_lineno or begins))
    return _Statement(first, node.end_lineno or node.lineno, tuple(inner))


# Other languages


class _Tree:
    """The comments of a text that is not Python, and the statements with a part on ``lines``.

    ``above`` are the lines that have only comments, annotations or decorators.

    Raises:
        UnreadableInputError: its lines are too long.
    """

    def __init__(self, text: str, root: SgNode, lines: Collection[int]) -> None:
        self.waivers: list[Comment] = []
        self.statements: list[_Statement] = []
        self._lines = text.split("\n")
        self._ordered = sorted(lines)
        covered: dict[int, list[tuple[int, int]]] = defaultdict(list)
        columns = 0
        pending = [(root, False)]
        while pending:
            node, is_statement = pending.pop()
            kind = node.kind()
            place = node.range()
            # A place is found by counting from the beginning of its line.
            columns += place.start.column
            if columns > MOST_COLUMNS:
                raise UnreadableInputError("its lines are too long to be read")
            if _ABOVE.search(kind):
                self._cover(place, covered)
            if _COMMENT.search(kind):
                comment = waiver_in(node.text(), place.start.line + 1)
                if comment is not None:
                    self.waivers.append(comment)
                continue
            holds_statements = bool(_BLOCK.search(kind))
            if is_statement and not holds_statements and self._has_a_finding(place):
                self.statements.append(self._statement(node, place))
            pending += [(child, holds_statements) for child in node.named_children()]
        self.waivers.sort(key=attrgetter("line"))
        self.above = {number for number, parts in covered.items() if self._is_all(number, parts)}

    def _has_a_finding(self, place: Range) -> bool:
        at = bisect_left(self._ordered, place.start.line + 1)
        return at < len(self._ordered) and self._ordered[at] <= place.end.line + 1

    def _cover(self, place: Range, covered: dict[int, list[tuple[int, int]]]) -> None:
        """Note which columns of each line a comment or an annotation has."""
        start = place.start
        end = place.end
        beyond = min(end.line + 1, len(self._lines))
        for number in range(start.line, beyond):
            begins = 0
            if number == start.line:
                begins = start.column
            ends = len(self._lines[number])
            if number == end.line:
                ends = end.column
            covered[number + 1].append((begins, ends))

    def _is_all(self, number: int, parts: Sequence[tuple[int, int]]) -> bool:
        """Whether these columns are all that is written on a line."""
        line = self._lines[number - 1]
        end = 0
        for begins, ends in sorted(parts):
            if line[end:begins].strip():
                return False
            end = max(end, ends)
        return bool(line.strip()) and not line[end:].strip()

    def _statement(self, node: SgNode, place: Range) -> _Statement:
        inner = []
        pending = node.named_children()
        while pending:
            child = pending.pop()
            if _BLOCK.search(child.kind()):
                inner.append(self._lines_of_its_own(child))
            else:
                pending += child.named_children()
        return _Statement(place.start.line + 1, place.end.line + 1, tuple(inner))

    def _lines_of_its_own(self, block: SgNode) -> tuple[int, int]:
        """The lines of a block, without one that it shares with what is around it."""
        place = block.range()
        start = place.start
        end = place.end
        first = start.line + 1
        last = end.line + 1
        before = self._lines[start.line][: start.column]
        if before.strip():
            first += 1
        after = self._lines[end.line][end.column :]
        if after.strip():
            last -= 1
        return first, last
