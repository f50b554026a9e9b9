"""Single nodes of ast-grep's trees: what they declare, and what is beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hashcost.source_code.parsed.translation import children, only_expression
from hashcost.source_code.rules import last_word

if TYPE_CHECKING:
    from ast_grep_py import SgNode

NEAR: Final = 400  # characters before a call's arguments in which its name stands
_HOLDS_KEYS: Final = frozenset({"argument_list", "value_argument", "infix_expression"})
"""Nodes of Java and Kotlin in which a key may stand before its value."""
_BEGINS: Final = re.compile(r"member|navigation|selector|field_|call|invocation|access|try")
_FIXED: Final = re.compile(r"\b(?:const|readonly|private)\b")
_SETTER: Final = re.compile(r"\b(?:set|init)\s*+;")
LAST_NAME: Final = re.compile(r"([^\W\d]\w*)\W*$")
MODIFIERS: Final = frozenset(
    {"modifiers", "modifier", "binding_pattern_kind", "visibility_modifier", "mutable_specifier"}
)
NAME_FIELDS: Final = ("name", "left", "pattern", "declarator")
VALUE_FIELDS: Final = ("value", "right", "default_value")
"""The names that grammars have for the two sides of a definition."""
EXPRESSION: Final = re.compile(
    r"literal|^integer|^number|^string|expression|invocation|^call|^decimal|^float|^(?:true|false)$"
)
_NAME_WITHOUT_ARGUMENTS: Final = re.compile(r"\w+(?:\(\))?")
_DEFINES: Final = re.compile(r"""\\?define\s*\(\s*['"](?P<name>\w+)['"]""")
_WORD: Final = re.compile(r"\w++")


def mentions(value: SgNode | None, name: str) -> bool:
    """Tell whether an expression has a name in it."""
    return value is not None and name in _WORD.findall(value.text())


def text_around(node: SgNode) -> str:
    """Take the text of what holds a node."""
    above = node.parent()
    if above is None:
        return ""
    return above.text()


def holds(node: SgNode, index: int) -> bool:
    """Tell whether a place of the text is in a node."""
    place = node.range()
    return bool(place.start.index <= index < place.end.index)


def named_by(node: SgNode) -> str:
    """Find the name that a declaration of a field, a parameter or a method gives."""
    name = part_of(node, ("name", "declarator"))
    if name is None:
        parts = children(node)
        kinds = ("simple_identifier", "variable_declaration")
        name = next((part for part in parts if part.kind() in kinds), parts[0])
    return name.text().partition(":")[0].partition("=")[0].strip()


def key_before(value: SgNode) -> SgNode | None:
    """Find the expression before a value, as of ``put(key, value)`` or ``key to value``."""
    above = value.parent()
    if above is None or above.kind() not in _HOLDS_KEYS:
        return None
    if above.kind() == "value_argument":
        value = above
    before = value.prev()
    while before is not None and (not before.is_named() or before.text() == "to"):
        before = before.prev()
    return before


def line_of(node: SgNode) -> int:
    """Find the line on which a node begins, from 1."""
    return int(node.range().start.line) + 1


def attribute_of_module(node: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Read a module attribute of Elixir: ``@rounds 12``."""
    parts = children(node)
    if len(parts) == 1 and parts[0].kind() == "call" and node.text().startswith("@"):
        below = children(parts[0])
        if len(below) == 2 and len(children(below[1])) == 1:
            yield below[0].text(), children(below[1])[0]


def head_of_elixir(call: SgNode) -> SgNode | None:
    """Find the name of the function that a call defines, with its parameters if it has any."""
    word, *parts = children(call)
    if word.text() not in ("def", "defp") or not parts or not children(parts[0]):
        return None
    head = children(parts[0])[0]
    # A guard stands behind the parameters: ``def f(a) when is_binary(a)``.
    if head.kind() == "binary_operator":
        head = children(head)[0]
    return head


def function_of_elixir(call: SgNode) -> tuple[str, SgNode | None]:
    """Read a function: ``def rounds, do: 12``, or with a block."""
    head, *_ = parts = children(call)
    if head.text() not in ("def", "defp") or len(parts) < 2 or not children(parts[1]):
        return "", None
    name, *others = children(parts[1])
    if not _NAME_WITHOUT_ARGUMENTS.fullmatch(name.text()):
        return "", None
    bodies = [*parts[2:], *others]
    if len(bodies) != 1:
        return "", None
    return last_word(name.text()), only_expression(bodies[0])


def is_settable(default: SgNode) -> bool:
    """Tell whether an expression is the default of what others may set of an object of C#."""
    for above in default.ancestors()[:3]:
        if above.kind() == "property_declaration":
            return _SETTER.search(above.text()) is not None
        if above.kind() == "field_declaration":
            return _FIXED.search(above.text()) is None
    return False


def result_of_getter(accessors: SgNode) -> SgNode | None:
    """Find the expression that a property of C# consists of: ``{ get { return 9; } }``."""
    for accessor in children(accessors):
        parts = children(accessor)
        if accessor.text().startswith("get") and parts:
            return only_expression(parts[-1])
    return None


def constant_of_php(call: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Read a call that makes a constant: ``define('COST', 12)``."""
    made = _DEFINES.match(call.text())
    if made is None:
        return
    arguments = children(children(call)[-1])
    if len(arguments) == 2:
        value = arguments[1]
        if len(children(value)) == 1:
            value = children(value)[0]
        yield made["name"], value


def continued(node: SgNode) -> SgNode | None:
    """Find the chain of calls that continues a node."""
    above = node.parent()
    if above is None or not _BEGINS.search(above.kind()):
        return None
    if children(above)[0].range() != node.range():
        return None
    return above


def links_of(node: SgNode) -> list[SgNode]:
    """List the calls and members that continue a node one after another."""
    links = []
    above = continued(node)
    while above is not None:
        links.append(above)
        above = continued(above)
    return links


def given_in(link: SgNode) -> SgNode:
    """Find the arguments of a call in a chain, or the name of a member."""
    last = children(link)[-1]
    if last.kind() == "call_suffix":
        return children(last)[0]
    return last


def name_in(node: SgNode) -> str:
    """Take the text of a value that may be a name; others may be as long as the file."""
    place = node.range()
    if place.end.index - place.start.index > NEAR:
        return ""
    return node.text()


def default_in(node: SgNode, after: SgNode | None) -> SgNode | None:
    """Find the default of a parameter, which some grammars have as the next node."""
    default = part_of(node, VALUE_FIELDS)
    if default is not None:
        # A pattern of Elixir has a right side, too.
        if node.kind() == "binary_operator" and "\\\\" not in node.text():
            return None
        return default
    own = children(node)
    if len(own) > 2 and EXPRESSION.search(own[-1].kind()):
        return own[-1]
    if after is not None and EXPRESSION.search(after.kind()):
        return after
    return None


def parameters_in(parameters: SgNode) -> list[SgNode]:
    """List the parameters of a function; those of Go may share a type: ``(from, to string)``."""
    listed = []
    for node in children(parameters):
        parts = children(node)
        if node.kind() == "parameter_declaration" and len(parts) > 2:
            listed += parts[:-1]
        else:
            listed.append(node)
    return listed


def name_declared(node: SgNode) -> str:
    """Find the name that a parameter or a loop declares."""
    leaf = part_of(node, NAME_FIELDS)
    if leaf is None:
        leaf = node
        below = [part for part in children(node) if part.kind() not in MODIFIERS]
        while below:
            leaf = below[0]
            below = children(leaf)
    last = LAST_NAME.search(leaf.text())
    if last is None:
        return ""
    return last[1]


def part_of(node: SgNode, names: tuple[str, ...]) -> SgNode | None:
    """Find the first field of a node that has one of these names."""
    for name in names:
        part = node.field(name)
        if part is not None:
            return part
    return None


def between(text: str, first: SgNode, second: SgNode) -> str:
    """Take the text from the end of one node to the beginning of another."""
    return text[first.range().end.index : second.range().start.index]


def by_place(nodes: Sequence[SgNode]) -> dict[tuple[int, int], SgNode]:
    """Name nodes by where they begin and end."""
    places = {}
    for node in nodes:
        place = node.range()
        places[place.start.index, place.end.index] = node
    return places
