"""What an expression comes to, as far as the same file says it. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hashcost.source_code.rules import Language

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_HIGHEST: Final = 2**62
_HIGHEST_SHIFT: Final = 62
_DEEPEST: Final = 16
_LONGEST: Final = 200
"""Characters of an expression that is worked out, or of a name."""

_NUMBER: Final = re.compile(
    r"(?P<digits>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_']*(?:[eE][0-9]{1,2})?)"
    r"(?:[uUlL]{1,2}|_?[iu](?:8|16|32|64|128|size)|n)?"
)
_POWER: Final = re.compile(
    r"(?:(?:Math\.)?[pP]ow\(\s*(?P<base>\d{1,4})\s*,\s*(?P<exponent>\d{1,2})\s*\)"
    r"|(?P<receiver>\d{1,4})(?:_?[iu](?:8|16|32|64|128|size))?\.pow\(\s*(?P<to>\d{1,2})\s*\))"
)
_CONVERSIONS: Final = frozenset(
    f"{word}{size}" for word in ("int", "uint", "Int", "UInt") for size in ("", 8, 16, 32, 64)
) | {"Number", "Integer", "intval", "long"}
_OWN: Final = re.compile(
    r"(?:(?:self|this|\$this|static|Self|cls|super)(?:\.|::|\?->|->)#?)?[$@]{0,2}(?P<name>[^\W\d]\w*)"
)
_OF_CLASS: Final = re.compile(r"\$?(?P<owner>[^\W\d]\w*)(?:\.|::)\$?(?P<name>[^\W\d]\w*)")
_TYPE: Final = re.compile(
    r"\b(?:class|struct|object|interface|trait|enum|module|record|defmodule|impl)\s+(\w+)"
)
_SETS: Final = re.compile(r"(?<![=!<>+\-*/%|&^?.~])=\s*$")
_CHANGES: Final = re.compile(r"(?:[+\-*/%|&^?.~]|<<|>>)=\s*$")
_LAST_NAME: Final = re.compile(r"([^\W\d]\w*)\W*$")
_TESTS: Final = re.compile(r"test|spec|dev|local|debug", re.IGNORECASE)
_PRODUCTION: Final = re.compile(r"prod", re.IGNORECASE)
_MODIFIERS: Final = frozenset(
    {"modifiers", "modifier", "binding_pattern_kind", "visibility_modifier", "mutable_specifier"}
)
_NAME_FIELDS: Final = ("name", "left", "pattern", "declarator")
_VALUE_FIELDS: Final = ("value", "right", "default_value")
_CASTS: Final = frozenset(
    {"as_expression", "type_cast_expression", "satisfies_expression", "non_null_expression"}
)
_CONDITIONALS: Final = frozenset({"conditional", "conditional_expression", "ternary_expression"})


def between(text: str, first: SgNode, second: SgNode) -> str:
    """What stands between two nodes."""
    return text[first.range().end.index : second.range().start.index]


def children(node: SgNode) -> list[SgNode]:
    """The named children, comments left out."""
    return [each for each in node.named_children() if "comment" not in each.kind()]


class Constants:
    """The constants of one file, and what is made of them."""

    def __init__(self, root: SgNode, text: str, language: Language) -> None:
        self._root = root
        self._text = text
        self._language = language
        self._known = language.constants
        self._followed: dict[str, SgNode | None] = {}

    def number(self, node: SgNode, depth: int = 0) -> int | None:
        """The whole number that an expression comes to; none where that is not known."""
        if depth > _DEEPEST:
            return None
        written = node.text().strip()
        if len(written) > _LONGEST:
            return None
        if written in self._known:
            return self._known[written]
        plain = _plain_number(written)
        if plain is not None:
            return plain
        parts = children(node)
        kind = node.kind()
        if kind in _CONDITIONALS:
            chosen = self.production(node)
            return None if chosen is None else self.number(chosen, depth + 1)
        if kind == "cast_expression" and parts:
            return self.number(parts[-1], depth + 1)
        if kind in _CASTS and parts:
            return self.number(parts[0], depth + 1)
        if len(parts) == 1 and ("paren" in kind or kind in {"expression_list", "literal_element"}):
            return self.number(parts[0], depth + 1)
        if len(parts) >= 2 and _is_binary(kind):
            return self._operation(parts, depth)
        if kind in self._language.grammar.calls:
            return self._converted(node, parts, depth)
        value = self.definition(node)
        return None if value is None else self.number(value, depth + 1)

    def followed(self, node: SgNode, depth: int = 0) -> SgNode:
        """The expression that a name stands for, or the expression itself."""
        value = None if depth > _DEEPEST else self.definition(node)
        return node if value is None else self.followed(value, depth + 1)

    def definition(self, node: SgNode) -> SgNode | None:
        """What the file says that a name is; none where that is not plain."""
        written = node.text().strip()
        name = self._name(written) if len(written) <= _LONGEST else None
        if name is None:
            return None
        if name not in self._followed:
            self._followed[name] = self._only_value(name)
        return self._followed[name]

    def production(self, node: SgNode) -> SgNode | None:
        """The branch of a conditional expression that production takes."""
        parts = children(node)
        if len(parts) != 3:
            return None
        condition, yes, no = parts
        if self._language.language == "python":
            yes, condition, no = parts
        text = condition.text().strip()
        if text.startswith(("!", "not ")):
            yes, no = no, yes
        if "!=" in text:
            yes, no = no, yes
        if _PRODUCTION.search(text):
            return yes
        return no if _TESTS.search(text) else None

    def _only_value(self, name: str) -> SgNode | None:
        """The one value that a name is ever given."""
        values = self._definitions.get(name)
        if not values or name in self._bound:
            return None
        first, *others = values
        if first is None or any(each is None or each.text() != first.text() for each in others):
            return None
        return first

    def _name(self, written: str) -> str | None:
        own = _OWN.fullmatch(written)
        if own is not None:
            return own["name"]
        other = _OF_CLASS.fullmatch(written)
        if other is None:
            return None
        return other["name"] if other["owner"] in self._types else None

    @cached_property
    def _types(self) -> frozenset[str]:
        """The names of the types that the file declares."""
        return frozenset(_TYPE.findall(self._text))

    def _operation(self, parts: list[SgNode], depth: int) -> int | None:
        left, right = parts[0], parts[-1]
        sign = between(self._text, left, right).strip()
        first, second = self.number(left, depth + 1), self.number(right, depth + 1)
        if first is None or second is None:
            return None
        result = None
        if sign == "*":
            result = first * second
        elif sign == "+":
            result = first + second
        elif sign == "-":
            result = first - second
        elif sign in {"<<", "shl"} and second <= _HIGHEST_SHIFT:
            result = first << second
        elif sign == "**" and second <= _HIGHEST_SHIFT and first <= 10:
            result = first**second
        return result if result is not None and 0 <= result < _HIGHEST else None

    def _converted(self, node: SgNode, parts: list[SgNode], depth: int) -> int | None:
        """What a conversion such as ``uint32(64 * 1024)`` is of."""
        grammar = self._language.grammar
        if len(parts) != 2 or parts[0].text() not in _CONVERSIONS:
            return None
        if parts[1].kind() not in {*grammar.arguments, "call_suffix"}:
            return None
        given = children(parts[1])
        inner = given[0] if len(given) == 1 else None
        while inner is not None and inner.kind() in {"argument", "value_argument"}:
            inner = next(iter(children(inner)), None)
        return None if inner is None else self.number(inner, depth + 1)

    @cached_property
    def _definitions(self) -> dict[str, list[SgNode | None]]:
        """Each name with the values that it is given; none for one that is not followed."""
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
        sign = between(self._text, name, value)[-_LONGEST:]
        if "," in name.text():
            for each in set(re.findall(r"[^\W\d]\w*", name.text())):
                yield each, None
            return
        if name.kind() == "variable_declaration":
            name = children(name)[0]
        last = _LAST_NAME.search(name.text()[-_LONGEST:])
        if last is None:
            return
        if value.kind() == "expression_list" and len(children(value)) == 1:
            value = children(value)[0]
        if _SETS.search(sign):
            yield last[1], value
        elif _CHANGES.search(sign):
            yield last[1], None

    @cached_property
    def _bound(self) -> frozenset[str]:
        """Names that are given their value from outside: params, loops."""
        grammar = self._language.grammar
        found = set()
        for node in of_kinds(self._root, grammar.parameters):
            for each in children(node):
                name = _field(each, _NAME_FIELDS) or _first_leaf(each)
                last = _LAST_NAME.search(name.text()[-_LONGEST:])
                found.update([last[1]] if last else [])
        for node in of_kinds(self._root, grammar.loops):
            name = _field(node, _NAME_FIELDS) or _first_leaf(node)
            last = _LAST_NAME.search(name.text()[-_LONGEST:])
            found.update([last[1]] if last else [])
        return frozenset(found)


def _plain_number(written: str) -> int | None:
    number = _NUMBER.fullmatch(written)
    if number is not None:
        return _digits(number["digits"].replace("_", "").replace("'", ""))
    power = _POWER.fullmatch(written)
    if power is None:
        return None
    base, exponent = int(power["base"] or power["receiver"]), power["exponent"] or power["to"]
    result = base ** min(int(exponent), _HIGHEST_SHIFT)
    return result if result < _HIGHEST else None


def _digits(text: str) -> int | None:
    if len(text) > 24:
        return None
    if text[:2].lower() in {"0x", "0b", "0o"}:
        value = int(text, 0)
    elif "e" in text.lower():
        value = int(float(text))
    elif len(text) > 1 and text.startswith("0"):
        return None  # Octal in some languages, and no cost is written so.
    else:
        value = int(text)
    return value if value < _HIGHEST else None


def _is_binary(kind: str) -> bool:
    return "binary" in kind or kind in {
        "infix_expression",
        "multiplicative_expression",
        "additive_expression",
    }


def of_kinds(root: SgNode, kinds: tuple[str, ...]) -> list[SgNode]:
    """Every node below one that is of one of these kinds."""
    return root.find_all({"rule": {"any": [{"kind": kind} for kind in kinds]}}) if kinds else []


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
