"""A file that ast-grep has parsed: its sites, and what its names stand for.

The order of statements is not followed: a name counts if it is given one value only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hashcost.core.errors import UnavailableError, UnreadableInputError
from hashcost.documents.extras import how_to_install
from hashcost.source_code.evaluator import Evaluator
from hashcost.source_code.php_pages import without_html
from hashcost.source_code.rules import Language
from hashcost.source_code.sites import Site
from hashcost.source_code.translation import Translation, children, of_kinds
from hashcost.source_code.values import Call, Unknown, Value

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_NEAR: Final = 400
_MOST_COLUMNS: Final = 10**8
"""The parser counts a line's characters anew for each place in it: thousands of calls on
one line take seconds, and four times as many sixteen times as long."""
_DEEPEST: Final = 16
_LONGEST: Final = 200
"""Characters of a name."""

_TYPE: Final = re.compile(
    r"\b(?:class|struct|object|interface|trait|enum|module|record|defmodule|impl)\s+(\w+)"
)
_SETS: Final = re.compile(r"(?<![=!<>+\-*/%|&^?.~])=\s*$")
_CHANGES: Final = re.compile(r"(?:[+\-*/%|&^?.~]|<<|>>)=\s*$")
_PARTS: Final = re.compile(r"[,{\[]")
"""What is taken apart when it is assigned, or an item that is: its names are not followed."""
_LAST_NAME: Final = re.compile(r"([^\W\d]\w*)\W*$")
_TEST_MODULE: Final = re.compile(r"(?:pub )?mod tests?\b")
_RAILS_STAGES: Final = {
    "if": re.compile(r"Rails\.env\.(?:test|development|local)\?"),
    "unless": re.compile(r"Rails\.env\.production\?"),
}
_MODIFIERS: Final = frozenset(
    {"modifiers", "modifier", "binding_pattern_kind", "visibility_modifier", "mutable_specifier"}
)
_NAME_FIELDS: Final = ("name", "left", "pattern", "declarator")
_VALUE_FIELDS: Final = ("value", "right", "default_value")


def check_installed() -> None:
    """Find out before any work is done whether sources can be parsed here.

    Raises:
        UnavailableError: they cannot; the message says what to install.
    """
    try:
        import ast_grep_py  # noqa: F401
    except ImportError as error:
        raise UnavailableError(
            f"reading source code needs ast-grep; {how_to_install('scan')}"
        ) from error


class ParsedFile:
    """One file, and the scope of all its expressions.

    Raises:
        UnavailableError: the grammars are not installed.
    """

    def __init__(self, text: str, language: Language, grammar: str) -> None:
        check_installed()
        from ast_grep_py import SgRoot

        self._text = without_html(text) if language.language == "php" else text
        self._root = SgRoot(self._text, grammar).root()
        self._language = language
        self._translation = Translation(language, self._owns)
        self._evaluator: Evaluator[ParsedFile] = Evaluator(
            language.dialect, self._translation.written
        )
        self._found: dict[str, tuple[Value, ...] | None] = {}
        self._depth = 0

    # Sites

    def sites(self, words: frozenset[str]) -> Iterator[Site]:
        """Every call and assignment whose name ends in one of these words.

        Raises:
            UnreadableInputError: thousands of calls are on one line.
        """
        grammar = self._language.grammar
        columns = 0
        for node in of_kinds(self._root, (*grammar.arguments, *grammar.assignments)):
            place = node.range().start
            columns += place.column
            if columns > _MOST_COLUMNS:
                raise UnreadableInputError("its lines are too long to be read")
            is_call = node.kind() in grammar.arguments
            # What stands there already tells of most that they are about something else.
            start = place.index
            near = self._text[max(0, start - _NEAR) : start + (0 if is_call else _NEAR)]
            if not any(word in near for word in words):
                continue
            site = self._call(node) if is_call else self._assignment(node)
            if site is not None and site.last_word in words:
                in_tests = self._is_in_tests(node)
                yield replace(site, calls=self._calls(node, site), in_tests=in_tests)

    def _call(self, arguments: SgNode) -> Site | None:
        call = arguments.parent()
        if call is not None and call.kind() == "call_suffix":
            call = call.parent()
        if call is None or call.kind() not in self._language.grammar.calls:
            return None
        start = call.range().start
        place = arguments.range().start
        name = self._text[max(start.index, place.index - _NEAR) : place.index].strip()
        end = place.index - len(name)
        line = self._text.count("\n", 0, end) + 1 if "\n" in name else start.line + 1
        line = max(line, place.line + 1 - name.count("\n"))
        return Site(name=name, line=line, column=place.index)

    def _assignment(self, node: SgNode) -> Site | None:
        parts = children(node)
        if len(parts) < 2 or self._between(parts[0], parts[-1]).strip() != "=":
            return None
        start = parts[0].range().start
        name = parts[0].text()[-_NEAR:]
        return Site(name=name, line=start.line + 1, column=start.index, assigns=True)

    def _calls(self, node: SgNode, site: Site) -> tuple[Call, ...]:
        """What a site is given; the value of an assignment is its only argument."""
        if not site.assigns:
            call = self._translation.call(node, site.line)
            return tuple(self._evaluator.forms(call, self))
        return tuple(
            Call(function=site.name, arguments=(value,), keywords={}, line=site.line)
            for value in self._values(children(node)[-1], site.line)
        )

    def _is_in_tests(self, node: SgNode) -> bool:
        """Whether it is in a module of tests inside the file, or under a condition of tests."""
        if self._language.language == "ruby":
            return any(_is_for_tests(each, node) for each in node.ancestors())
        return self._language.language == "rust" and any(
            each.kind() == "mod_item" and _TEST_MODULE.match(self._text, each.range().start.index)
            for each in node.ancestors()
        )

    # Names

    def find(self, name: str) -> tuple[Value, ...] | None:
        """The values of a name; ``None`` if the file does not define it."""
        if name in self._translation.opaque:
            return (Value(Unknown(self._translation.opaque[name]), 0),)
        if name not in self._found:
            self._found[name] = (Value(Unknown(name), 0),)  # As long as it is looked up.
            self._depth += 1
            self._found[name] = self._defined_as(name)
            self._depth -= 1
        return self._found[name]

    def _defined_as(self, name: str) -> tuple[Value, ...] | None:
        values = self._definitions.get(name, [])
        first = values[0] if values else None
        if not values and name not in self._bound:
            return None
        if first is None or name in self._bound or self._depth > _DEEPEST:
            return (Value(Unknown(name), 0),)
        if any(each is None or each.text() != first.text() for each in values):
            return (Value(Unknown(name), 0),)
        return self._values(first, first.range().start.line + 1)

    def _values(self, node: SgNode, line: int) -> tuple[Value, ...]:
        return self._evaluator.values(self._translation.expression(node, line), self)

    def _owns(self, name: str) -> bool:
        return name in self._types

    @cached_property
    def _types(self) -> frozenset[str]:
        """The names of the types that the file declares."""
        return frozenset(_TYPE.findall(self._text))

    @cached_property
    def _definitions(self) -> dict[str, list[SgNode | None]]:
        """Each name with the values that it is given; ``None`` for one that is not followed."""
        found: dict[str, list[SgNode | None]] = {}
        for node in of_kinds(self._root, self._language.grammar.definitions):
            for name, value in self._defined(node):
                found.setdefault(name, []).append(value)
        return found

    def _defined(self, node: SgNode) -> Iterator[tuple[str, SgNode | None]]:
        if node.kind() == "unary_operator":
            yield from _attribute(node)
            return
        parts = [each for each in children(node) if each.kind() not in _MODIFIERS]
        if len(parts) < 2:
            return
        name = _field(node, _NAME_FIELDS) or parts[0]
        value = _field(node, _VALUE_FIELDS) or parts[-1]
        sign = self._between(name, value)[-_LONGEST:]
        if _PARTS.search(name.text()):
            for each in set(re.findall(r"[^\W\d]\w*", name.text())):
                yield each, None
            return
        if name.kind() == "variable_declaration":
            name = children(name)[0]
        last = _LAST_NAME.search(name.text()[-_LONGEST:])
        if last is None:
            return
        if _SETS.search(sign):
            yield last[1], value
        elif _CHANGES.search(sign):
            yield last[1], None

    @cached_property
    def _bound(self) -> frozenset[str]:
        """Names that are given their value from outside: params, loops."""
        grammar = self._language.grammar
        nodes = of_kinds(self._root, grammar.loops)
        for parameters in of_kinds(self._root, grammar.parameters):
            nodes += children(parameters)
        named = (_field(node, _NAME_FIELDS) or _first_leaf(node) for node in nodes)
        lasts = (_LAST_NAME.search(name.text()[-_LONGEST:]) for name in named)
        return frozenset(last[1] for last in lasts if last)

    def _between(self, first: SgNode, second: SgNode) -> str:
        """What stands between two nodes."""
        return self._text[first.range().end.index : second.range().start.index]


def _is_for_tests(condition: SgNode, node: SgNode) -> bool:
    """Whether a node of Ruby runs only in tests or development, by a condition around it."""
    pattern = _RAILS_STAGES.get(condition.kind().removesuffix("_modifier"))
    asked = None if pattern is None else condition.field("condition")
    if pattern is None or asked is None or not pattern.fullmatch(asked.text().strip("() ")):
        return False
    other = condition.field("alternative")
    return other is None or node.range().start.index < other.range().start.index


def _field(node: SgNode, names: tuple[str, ...]) -> SgNode | None:
    return next((found for name in names if (found := node.field(name)) is not None), None)


def _first_leaf(node: SgNode) -> SgNode:
    while below := children(node):
        node = below[0]
    return node


def _attribute(node: SgNode) -> Iterator[tuple[str, SgNode | None]]:
    """A module attribute of Elixir: ``@rounds 12``."""
    parts = children(node)
    if not node.text().startswith("@") or len(parts) != 1 or parts[0].kind() != "call":
        return
    below = children(parts[0])
    if len(below) == 2 and len(children(below[1])) == 1:
        yield below[0].text(), children(below[1])[0]
