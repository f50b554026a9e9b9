"""The calls and assignments of a parsed file, and what an object is told after it was made."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hashcost.source_code.definitions import Definitions
from hashcost.source_code.rules import Grammar, last_word
from hashcost.source_code.sites import Site
from hashcost.source_code.translation import Translation, children, of_kinds

if TYPE_CHECKING:
    from ast_grep_py import SgNode

NEAR: Final = 400
"""Characters before a call's arguments in which its name stands."""
_LONGEST: Final = 200
"""Characters of a name."""
_MEMBER: Final = re.compile(r"\W?(\w+)\s*(?:\?\.|\?->|\.|->)\s*(\w+)")
_BEGINS: Final = re.compile(r"member|navigation|selector|field_|call|invocation|access|try")
_LONGEST_CHAIN: Final = 40
_VERIFIES: Final = re.compile(r"\W*(?:verif(?:y|ies)|matches\b)", re.IGNORECASE)
"""What is asked of an object that is made for nothing else."""


class Objects:
    """What the calls of one file are called, and what is said to what they make."""

    def __init__(
        self,
        root: SgNode,
        text: str,
        grammar: Grammar,
        translation: Translation,
        definitions: Definitions,
    ) -> None:
        self._root = root
        self._text = text
        self._grammar = grammar
        self._translation = translation
        self._definitions = definitions

    def call(self, arguments: SgNode) -> Site | None:
        """The call that arguments are of, by its name and its place."""
        call = self.called(arguments)
        if call is None:
            return None
        start = call.range().start
        place = arguments.range().start
        name = self._text[max(start.index, place.index - NEAR) : place.index].strip()
        end = place.index - len(name)
        line = self._text.count("\n", 0, end) + 1 if "\n" in name else start.line + 1
        line = max(line, place.line + 1 - name.count("\n"))
        return Site(name=name, line=line, column=place.index)

    def called(self, arguments: SgNode) -> SgNode | None:
        """The call that arguments are of."""
        call = arguments.parent()
        if call is not None and call.kind() == "call_suffix":
            call = call.parent()
        return call if call is not None and call.kind() in self._grammar.calls else None

    def verifies(self, arguments: SgNode) -> bool:
        """Whether what a call makes is at once asked to verify a hash."""
        call = self.called(arguments)
        above = None if call is None else call.parent()
        if call is None or above is None or not _BEGINS.search(above.kind()):
            return False
        end = call.range().end.index
        return call.range().start.index == above.range().start.index and bool(
            _VERIFIES.match(self._text[end : end + NEAR])
        )

    def assignment(self, node: SgNode) -> Site | None:
        """An assignment by the name that is given a value, and its place."""
        parts = children(node)
        if len(parts) < 2 or self._between(parts[0], parts[-1]).strip() != "=":
            return None
        start = parts[0].range().start
        name = parts[0].text()[-NEAR:]
        return Site(name=name, line=start.line + 1, column=start.index, assigns=True)

    def later(self, call: SgNode) -> dict[str, ast.expr]:
        """What a chain of calls, an initializer, or later statements say to what a call makes."""
        found: dict[str, ast.expr] = {}
        for each in children(call)[1:]:
            if "initializer" in each.kind():
                self._initialized(each, found)
        place = self._chained(call, found).range()
        holder = self._definitions.holders.get((place.start.index, place.end.index))
        for node in self._told.get(holder or "", ()):
            self._add_told(node, found)
        return found

    def _add_told(self, node: SgNode, found: dict[str, ast.expr]) -> None:
        site = self.call(node)
        if site is None:
            parts = children(node)
            found.setdefault(last_word(parts[0].text()), self._expression(parts[-1]))
            return
        given = self._translation.call(node, site.line)
        if len(given.args) == 1:
            found.setdefault(site.last_word, given.args[0])

    def _initialized(self, node: SgNode, found: dict[str, ast.expr]) -> None:
        for each in of_kinds(node, self._grammar.assignments):
            parts = children(each)
            if len(parts) == 2:
                found[parts[0].text()] = self._expression(parts[1])

    def _chained(self, call: SgNode, found: dict[str, ast.expr]) -> SgNode:
        """The whole chain of calls that begins with one."""
        top = call
        for _ in range(_LONGEST_CHAIN):
            above = top.parent()
            if above is None or not _BEGINS.search(above.kind()):
                break
            if children(above)[0].range() != top.range():
                break
            top = above
            arguments = self._arguments_of(top)
            name = None if arguments is None else self.call(arguments)
            if arguments is not None and name is not None:
                given = self._translation.call(arguments, name.line)
                if len(given.args) == 1:
                    found.setdefault(name.last_word, given.args[0])
        return top

    def _arguments_of(self, call: SgNode) -> SgNode | None:
        last = children(call)[-1]
        if last.kind() == "call_suffix" and children(last):
            last = children(last)[0]
        return last if last.kind() in self._grammar.arguments else None

    @cached_property
    def _told(self) -> dict[str, list[SgNode]]:
        """What each name is told: ``name.setCost(4)`` and ``name.cost = 4``."""
        found: dict[str, list[SgNode]] = {}
        grammar = self._grammar
        for node in of_kinds(self._root, (*grammar.assignments, *grammar.arguments)):
            site = self.call(node) if node.kind() in grammar.arguments else self.assignment(node)
            member = None if site is None else _MEMBER.fullmatch(site.name[-_LONGEST:])
            if member is not None:
                found.setdefault(member[1], []).append(node)
        return found

    def _expression(self, node: SgNode) -> ast.expr:
        return self._translation.expression(node, node.range().start.line + 1)

    def _between(self, first: SgNode, second: SgNode) -> str:
        """What stands between two nodes."""
        return self._text[first.range().end.index : second.range().start.index]
