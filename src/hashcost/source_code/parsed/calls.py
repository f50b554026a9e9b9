"""The calls and assignments of a file, by what they call or assign."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hashcost.source_code.derived_keys import Arguments, NamedRanges
from hashcost.source_code.names import unadorned
from hashcost.source_code.parsed.nodes import NEAR, between, by_place
from hashcost.source_code.parsed.translation import children, declared_type, of_kinds, start_of
from hashcost.source_code.rules import Language, last_word

if TYPE_CHECKING:
    from ast_grep_py import Pos, SgNode

_MEMBER: Final = re.compile(r"\W?(\w+)\s*(?:\?\.|\?->|\.|->)\s*(\w+)")
_GIVES: Final = ("=", "=>")
"""The signs of an assignment, and of an entry of a map."""
_LAST_TYPE: Final = re.compile(r"[<,]\s*+(?P<type>\w[\w.]*+(?:<[^<>]{0,200}>)?+)\s*+>$")
"""The last of the types in the angle brackets of a call."""
_VALUES_OF_TYPE: Final = "literal_value"
"""The kind of node that lists the values of Go, behind their type."""


class Calls:
    """The calls and assignments of one file, as its grammar names them."""

    def __init__(self, text: str, root: SgNode, language: Language) -> None:
        self._text = text
        self._root = root
        self._grammar = language.grammar
        self._makes = language.makes

    def name_of(self, node: SgNode) -> tuple[str, Pos]:
        """Find the name that a node calls or assigns, as it is written, and its place."""
        at = node.range().start
        if node.kind() in self._grammar.arguments:
            start = at.index - NEAR
            call = self.call_of.get(node)
            if call is None:
                return "", at
            start = max(call.range().start.index, start)
            name = self._text[start : at.index].strip()
            if name == "new":  # Of the type that is declared.
                name = declared_type(call) or name
            made = _LAST_TYPE.search(name)
            # A factory among its arguments makes the object otherwise.
            if made and last_word(unadorned(name)) in self._makes and not children(node):
                return f"new {made['type']}", at
            return name, at
        parts = children(node)
        if len(parts) < 2 or between(self._text, parts[0], parts[-1]).strip() not in _GIVES:
            return "", at
        # An entry of PHP's arrays has its name in quotes.
        return parts[0].text().strip("'\""), parts[0].range().start

    @cached_property
    def call_of(self) -> dict[SgNode, SgNode]:
        """The calls by their arguments: a node finds what holds it by a search from the top."""
        call_of = {}
        for call in of_kinds(self._root, self._grammar.calls):
            for part in call.children():
                call_of[part] = call
                if part.kind() == "call_suffix":
                    for below in children(part):
                        call_of[below] = call
        return call_of

    def made_with(self, node: SgNode) -> SgNode:
        """Find the call that has some arguments; one without them is itself."""
        if node.kind() in self._grammar.arguments:
            return self.call_of.get(node, node)
        return node

    @cached_property
    def by_name(self) -> dict[str, list[SgNode]]:
        """Group the arguments of calls by the last word of what they call."""
        calls = defaultdict(list)
        for arguments in of_kinds(self._root, self._grammar.arguments):
            name, _ = self.name_of(arguments)
            calls[last_word(unadorned(name))].append(arguments)
        return calls

    @cached_property
    def members(self) -> dict[str, list[SgNode]]:
        """Group calls and assignments such as ``hasher.cost = 12`` by the first name."""
        members = defaultdict(list)
        for node in of_kinds(self._root, (*self._grammar.assignments, *self._grammar.arguments)):
            name, _ = self.name_of(node)
            member = _MEMBER.fullmatch(name)
            if member is not None:
                members[member[1]].append(node)
        return members

    def arguments_around(self, index: int) -> Arguments | None:
        """Find the innermost arguments, or the list, around a place of the text."""
        around = self._arguments_by_place.around(index)
        listed = self._lists_by_place.around(index, begins_before=True)
        if listed is not None and (around is None or start_of(listed[1]) >= start_of(around[1])):
            _, node = listed
            whole = node
            # The type stands before the values of Go.
            if node.kind() == _VALUES_OF_TYPE:
                whole = node.parent() or node
            place = whole.range()
            places = [start_of(part) for part in children(node)]
            start = place.start.index
            return Arguments(start, start, place.end.index, places, is_list=True)
        if around is None:
            return None
        _, node = around
        call = self.made_with(node).range()
        places = [start_of(part) for part in children(node)]
        return Arguments(call.start.index, start_of(node), call.end.index, places)

    def name_at(self, arguments: Arguments) -> str:
        """Find the name that a call with some arguments has, as it is written."""
        around = self._arguments_by_place.around(arguments.inside)
        if around is None:
            return ""
        return self.name_of(around[1])[0]

    @cached_property
    def _arguments_by_place(self) -> NamedRanges[SgNode]:
        return NamedRanges(by_place(of_kinds(self._root, self._grammar.arguments)))

    @cached_property
    def _lists_by_place(self) -> NamedRanges[SgNode]:
        return NamedRanges(by_place(of_kinds(self._root, self._grammar.lists)))

    def is_piped(self, call: SgNode) -> bool:
        """Tell whether a call of Elixir is given its first argument by a pipe."""
        pipe = call.parent()
        if pipe is None or pipe.kind() != "binary_operator":
            return False
        first, *_, last = children(pipe)
        return last.range() == call.range() and between(self._text, first, last).strip() == "|>"
