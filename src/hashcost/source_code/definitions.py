"""What the names of a parsed file are given, and where each value counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from hashcost.source_code.rules import Grammar
from hashcost.source_code.translation import children, of_kinds

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_MOST_GIVEN: Final = 200
"""Values of one name that are looked at."""
_LONGEST: Final = 200
"""Characters of a name."""
_SETS: Final = re.compile(r"(?<![=!<>+\-*/%|&^?.~])=\s*$")
_CHANGES: Final = re.compile(r"(?:[+\-*/%|&^?.~]|<<|>>)=\s*$")
_PARTS: Final = re.compile(r"[,{\[]")
"""What is taken apart when it is assigned, or an item that is: its names are not followed."""
_LAST_NAME: Final = re.compile(r"([^\W\d]\w*)\W*$")
_MODIFIERS: Final = frozenset(
    {"modifiers", "modifier", "binding_pattern_kind", "visibility_modifier", "mutable_specifier"}
)
_NAME_FIELDS: Final = ("name", "left", "pattern", "declarator")
_VALUE_FIELDS: Final = ("value", "right", "default_value")
_FUNCTION: Final = re.compile(r"function|method|lambda|arrow|closure|constructor|func_literal")
_CLASS: Final = re.compile(
    r"class_body|class_declaration|^class|struct_item|impl_item|^object_decl"
)
_BODY: Final = re.compile(
    r"block|body|statements|arrow_expression_clause|^arguments$|keywords|pair"
)
_DEFINED: Final = re.compile(r"defp?\s+(\w+)")
"""A function of Elixir."""
_DEEPEST: Final = 6
_FURTHEST: Final = 64
"""So many nodes above a name are looked at for the function that it is of."""
_OF_OBJECT: Final = re.compile(r"(?:self|this|\$this|@)\W*\w")
_EXPRESSION: Final = re.compile(
    r"literal|^integer|^number|^string|expression|invocation|^call|^decimal|^float|^(?:true|false)$"
)
_DEFINES: Final = re.compile(r"""\\?define\s*\(\s*['"](?P<name>\w+)['"]""")
_DEEPEST_LEAF: Final = 50


@dataclass(frozen=True)
class Given:
    """A node that gives a name a value: ``None`` for one that is not followed.

    ``why`` says what it depends on.
    """

    by: SgNode
    node: SgNode | None
    why: str = ""
    member: str = ""
    """What is taken of the value, if not all of it."""


@dataclass(frozen=True)
class _Scoped:
    """The same, with the innermost function or class around it, if any."""

    given: Given
    scope: tuple[int, int] | None
    in_function: bool


class Definitions:
    """The definitions of one file, by the names that they define."""

    def __init__(self, root: SgNode, text: str, grammar: Grammar) -> None:
        self._root = root
        self._text = text
        self._grammar = grammar
        self._scopes: dict[str, list[_Scoped]] = {}

    def visible(self, name: str, index: int) -> Sequence[Given]:
        """What a name may be given where it is seen from a place; empty if nothing is."""
        known = self.by_name.get(name, [])
        if len(known) > _MOST_GIVEN:
            return [Given(known[0].by, None)]
        if name not in self._scopes:
            self._scopes[name] = [self._scoped(each) for each in known]
        return _visible(self._scopes[name], index)

    def result(self, name: str) -> SgNode | None:
        """The expression that a function of the file returns, if there is only one."""
        found = self._functions.get(name, [])
        given = self.by_name.get(name, [])
        if not found and len(given) == 1 and given[0].node is not None:
            node = given[0].node
            if not _FUNCTION.search(node.kind()) or node.kind() in self._grammar.calls:
                return None
            found = [node]
        return _returned(found[0], self._grammar) if len(found) == 1 else None

    def field(self, name: str) -> SgNode | None:
        """The value that every object of the file gets for a field, if there is only one."""
        found = self._fields.get(name, [])
        if len({each.text() for each in found}) != 1 or len(found) > _MOST_GIVEN:
            return None
        return found[0]

    @cached_property
    def _functions(self) -> dict[str, list[SgNode]]:
        found: dict[str, list[SgNode]] = {}
        for node in of_kinds(self._root, self._grammar.functions):
            text = _DEFINED.match(node.text()[:_LONGEST]) if node.kind() == "call" else None
            name = _field(node, ("name",))
            if text is not None:
                found.setdefault(text[1], []).append(node)
            elif node.kind() != "call":
                named = name or next(iter(children(node)), None)
                if named is not None:
                    found.setdefault(named.text(), []).append(node)
        return found

    @cached_property
    def _fields(self) -> dict[str, list[SgNode]]:
        found: dict[str, list[SgNode]] = {}
        for node in of_kinds(self._root, self._grammar.fields):
            parts = children(node)
            if len(parts) > 1:
                found.setdefault(parts[0].text(), []).append(parts[-1])
        return found

    def _scoped(self, given: Given) -> _Scoped:
        node = given.by
        of_object = _OF_OBJECT.match(self._text[node.range().start.index :][:_LONGEST])
        above = node.parent()
        for _ in range(_FURTHEST):
            if above is None:
                break
            kind = above.kind()
            if kind.endswith("parameters"):  # They are seen in the whole function.
                above = above.parent()
                continue
            in_function = bool(_FUNCTION.search(kind)) and kind not in self._grammar.calls
            if (in_function and not of_object) or _CLASS.search(kind):
                place = above.range()
                return _Scoped(given, (place.start.index, place.end.index), in_function)
            above = above.parent()
        return _Scoped(given, None, in_function=False)

    @cached_property
    def holders(self) -> dict[tuple[int, int], str]:
        """The names that values are given, by where the values stand."""
        return {
            (each.node.range().start.index, each.node.range().end.index): name
            for name, given in self.by_name.items()
            for each in given
            if each.node is not None
        }

    @cached_property
    def by_name(self) -> dict[str, list[Given]]:
        """Each name with the values that it is given, or that it has from outside."""
        found: dict[str, list[Given]] = {}
        grammar = self._grammar
        for node in of_kinds(self._root, grammar.definitions):
            for name, value in self._defined(node):
                found.setdefault(name, []).append(Given(node, value))
            for name, member, value in _taken_apart(node):
                found.setdefault(name, []).append(Given(node, value, member=member))
        for node in of_kinds(self._root, grammar.loops):
            found.setdefault(_named(node), []).append(Given(node, None))
        for parameters in of_kinds(self._root, grammar.parameters):
            for node, default in _parameters(parameters):
                name = _named(node)
                why = f"unless the caller passes {name}" if default is not None else ""
                found.setdefault(name, []).append(Given(node, default, why))
        return found

    def _defined(self, node: SgNode) -> Iterator[tuple[str, SgNode | None]]:
        if node.kind() == "unary_operator":
            yield from _attribute(node)
            return
        if node.kind() in self._grammar.calls:
            yield from self._defined_by_call(node)
            return
        parts = [each for each in children(node) if each.kind() not in _MODIFIERS]
        if len(parts) < 2:
            return
        name = _field(node, _NAME_FIELDS) or parts[0]
        value = _field(node, _VALUE_FIELDS) or parts[-1]
        sign = self._between(name, value)[-_LONGEST:]
        if name.kind() == "object_pattern":
            return
        if value.kind() == "arrow_expression_clause" and children(value):
            yield _field_name(parts), children(value)[0]
            return
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

    def _defined_by_call(self, node: SgNode) -> Iterator[tuple[str, SgNode | None]]:
        """``define('COST', 12)`` of PHP."""
        match = _DEFINES.match(node.text()[:_LONGEST])
        parts = children(children(node)[-1]) if match else []
        if match is not None and len(parts) == 2:
            below = children(parts[1])
            yield match["name"], below[0] if len(below) == 1 else parts[1]

    def _between(self, first: SgNode, second: SgNode) -> str:
        return self._text[first.range().end.index : second.range().start.index]


def _returned(function: SgNode, grammar: Grammar) -> SgNode | None:
    """The only expression that a function returns, or the last of its body."""
    body = children(function)[-1:]
    returns = of_kinds(body[0], grammar.returns) if body else []
    if returns:
        value = children(returns[0]) if len(returns) == 1 else []
        return value[0] if value else None
    for _ in range(_DEEPEST):
        if not body or not _BODY.search(body[0].kind()):
            break
        body = children(body[0])[-1:]
    if not body or body[0].kind().endswith(("_statement", "_declaration", "parameters")):
        return None
    return body[0]


def _visible(given: Sequence[_Scoped], index: int) -> Sequence[Given]:
    """The values of a name that count at a place: those of the innermost scope around it."""
    around = [
        each
        for each in given
        if each.scope is not None and each.scope[0] <= index <= each.scope[1]
    ]
    innermost = max((each.scope or (0, 0) for each in around), default=None)
    chosen = [each for each in around if each.scope == innermost]
    chosen = chosen or [each for each in given if not each.in_function] or list(given)
    return [each.given for each in chosen]


def _parameters(parameters: SgNode) -> Iterator[tuple[SgNode, SgNode | None]]:
    """Each parameter with its default; Kotlin writes one after its parameter."""
    nodes = children(parameters)
    for node, after in zip_longest(nodes, nodes[1:]):
        if node is None or _EXPRESSION.search(node.kind()):
            continue
        default = _field(node, _VALUE_FIELDS)
        own = children(node)
        if default is None and len(own) > 2 and _EXPRESSION.search(own[-1].kind()):
            default = own[-1]
        if default is None and after is not None and _EXPRESSION.search(after.kind()):
            default = after
        yield node, default


def _taken_apart(node: SgNode) -> Iterator[tuple[str, str, SgNode | None]]:
    """The names of ``{ a, b: c } = value``, each with the member that it stands for."""
    name, value = _field(node, _NAME_FIELDS), _field(node, _VALUE_FIELDS)
    if name is None or name.kind() != "object_pattern":
        return
    for each in children(name):
        parts = children(each)
        if not parts:
            yield each.text(), each.text(), value
        elif each.kind() == "pair_pattern" and not children(parts[-1]):
            yield parts[-1].text(), parts[0].text(), value
        else:
            yield _named(each), "", None


def _field_name(parts: Sequence[SgNode]) -> str:
    """The name of a property, which stands before its value."""
    return parts[-2].text() if len(parts) > 1 else ""


def _named(node: SgNode) -> str:
    """The name that a parameter or a loop gives a value."""
    own = [each for each in children(node) if each.kind() not in _MODIFIERS]
    named = _field(node, _NAME_FIELDS) or _first_leaf(own[0] if own else node)
    last = _LAST_NAME.search(named.text()[-_LONGEST:])
    return last[1] if last else ""


def _field(node: SgNode, names: tuple[str, ...]) -> SgNode | None:
    return next((found for name in names if (found := node.field(name)) is not None), None)


def _first_leaf(node: SgNode) -> SgNode:
    for _ in range(_DEEPEST_LEAF):  # Beyond that no name is declared by anybody.
        if not (below := children(node)):
            break
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
