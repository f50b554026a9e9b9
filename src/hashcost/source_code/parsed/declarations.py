"""The declarations of a file, and where their names are seen: functions, classes, definitions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from hashcost.source_code.parsed.nodes import (
    EXPRESSION,
    LAST_NAME,
    MODIFIERS,
    NAME_FIELDS,
    VALUE_FIELDS,
    attribute_of_module,
    between,
    constant_of_php,
    default_in,
    function_of_elixir,
    head_of_elixir,
    name_declared,
    parameters_in,
    part_of,
    result_of_getter,
    text_around,
)
from hashcost.source_code.parsed.translation import (
    children,
    last_expressions,
    of_kinds,
    returned_by,
    start_of,
)
from hashcost.source_code.remembering import remembered
from hashcost.source_code.rules import Grammar, last_word

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_DECLARES_FUNCTION: Final = ("function_declaration", "generator_function_declaration")
"""The kinds of node by which JavaScript, Go and Kotlin declare a function."""
_SETS: Final = re.compile(r"(?<![=!<>+\-*/%|&^?.~])=\s*$")
_CHANGES: Final = re.compile(r"(?:[+\-*/%|&^?.~]|<<|>>)=\s*$")
_PARTS: Final = re.compile(r"[,{\[]")
"""A value that is taken apart, or an item that is assigned: its names are not followed."""
_SETS_DEFAULT: Final = re.compile(r"(?:\|\||\?\?)=\s*$")
_IS_DEFAULT: Final = re.compile(r"[@$\w.>-]++\s*+(?:\|\||\?\?)=")
_DECLARES_FIELD: Final = re.compile(r"\b(?:public|private|protected|internal|readonly|val|var)\b")
"""A word by which a parameter of a constructor is a field, too."""
_IS_APPENDED: Final = re.compile(r"[@$\w>-]++\s*+[.+]=(?!=)")
_WITH_ERROR: Final = re.compile(r"\w+,\s*(?:_|err|ok)")
"""A name that takes what a function returns, beside its error."""
OWN_OBJECTS: Final = frozenset({"this", "self", "super", "parent", "base", "static"})
"""Names by which a method sees its own object or class, or that of a base."""
OF_WHOLE_CLASS: Final = "primary_constructor"
"""The kind of node that lists what a class of Kotlin is made of."""
_MAP_PATTERN: Final = "object_pattern"
"""The kind of node that takes a map apart in JavaScript."""
_IS_OBJECT: Final = re.compile(r"object\s+\w+\s*\{")
_FUNCTION: Final = re.compile(r"function|method|lambda|arrow|closure|constructor|func_literal")
TYPE_NAMES: Final = frozenset({"identifier", "type_identifier"})
_CLASS: Final = re.compile(
    r"class_body|class_declaration|^class|struct_item|impl_item|^object_decl"
)
_OF_OBJECT: Final = re.compile(r"(?:self|this|\$this)\W*\w|@{1,2}\w++\s*+(?:\|\||&&)?[=,]")
"""A variable of an object; an annotation begins with the sign of Ruby's."""
RECEIVERS: Final = ("self", "cls")
"""Parameters of Python that no caller gives."""
NO_PARAMETER: Final = re.compile(rf"^self|{EXPRESSION.pattern}")
_PARAMETERS: Final = re.compile(r"parameter")


class Definition(NamedTuple):
    """A node that gives a name a value, which is ``None`` if it is unknown."""

    by: SgNode
    value: SgNode | None
    is_parameter: bool = False
    is_default: bool = False
    """Only what has no value yet is given one: ``cost ||= 12``."""
    is_appended: bool = False
    """It is added to the end of what the name has: ``$salt .= $more``."""
    key: str = ""
    """The name has what the value holds under this key: ``const {cost} = options``."""
    otherwise: SgNode | None = None
    """The default of an entry: ``const {cost = 12} = options``."""

    @property
    def may_be_field(self) -> bool:
        """Whether methods of the object may see the name."""
        return not self.is_parameter or _DECLARES_FIELD.search(self.by.text()) is not None


class Scope(NamedTuple):
    """The place of the innermost function or class around a definition, if any."""

    start: int = -1
    end: int = -1
    in_function: bool = False


class Declarations:
    """The functions, classes and definitions of one file, as its grammar names them."""

    def __init__(self, text: str, root: SgNode, grammar: Grammar) -> None:
        self._text = text
        self._root = root
        self._grammar = grammar

    def parameters_of(self, function: SgNode) -> SgNode | None:
        """Find the list of the parameters of a function."""
        parameters = function.field("parameters")
        if parameters is not None:
            return parameters
        if function.kind() == "call":
            head = head_of_elixir(function)
            if head is None:
                return None
            return next(iter(children(head)[1:]), None)
        kinds = self._grammar.parameters or self._grammar.arguments
        return next((part for part in children(function) if part.kind() in kinds), None)

    @cached_property
    def functions_named(self) -> dict[str, list[SgNode]]:
        """The functions of the file by their names."""
        named = defaultdict(list)
        for function in of_kinds(self._root, self._grammar.functions):
            if self.is_function(function):
                named[self.name_of_function(function)].append(function)
        return named

    def names_of_parameters(self, function: SgNode) -> Sequence[str]:
        """List the names of what callers of a function give it, in their order."""
        parameters = self.parameters_of(function)
        if parameters is None:
            return ()
        return [
            name_declared(part)
            for part in parameters_in(parameters)
            if part.text() not in RECEIVERS and not NO_PARAMETER.search(part.kind())
        ]

    @cached_property
    def places_of_results(self) -> frozenset[int]:
        """The places of the last expressions of functions that are their results."""
        places: set[int] = set()
        if not self._grammar.results:
            return frozenset()
        for function in of_kinds(self._root, self._grammar.functions):
            if self.is_function(function):
                places.update(map(start_of, last_expressions(function, self._grammar.results)))
        return frozenset(places)

    @cached_property
    def places_of_heads(self) -> frozenset[int]:
        """The places of the names that Elixir gives functions, which look like calls."""
        if "call" not in self._grammar.functions:
            return frozenset()
        heads = map(head_of_elixir, of_kinds(self._root, self._grammar.functions))
        return frozenset(start_of(head) for head in heads if head is not None)

    @cached_property
    def bare_calls(self) -> dict[str, list[SgNode]]:
        """The names that may call a function of the file without brackets, as in Ruby."""
        bare = defaultdict(list)
        others = (*self._grammar.functions, *self._grammar.parameters)
        for node in of_kinds(self._root, ("identifier",)):
            above = node.parent()
            name = node.text()
            if name not in self.functions or above is None or above.kind() in others:
                continue
            # Its arguments may follow, or it is what is assigned.
            is_first = start_of(above) == start_of(node)
            has_own_part = above.kind() in (*self._grammar.calls, *self._grammar.definitions)
            if not (is_first and has_own_part):
                bare[name].append(node)
        return bare

    @cached_property
    def results(self) -> dict[str, list[SgNode | None]]:
        """The expressions that functions return, by their names.

        It is ``None`` for a function that returns in several places, or has parameters and
        returns no map.
        """
        results = defaultdict(list)
        for function in of_kinds(self._root, self._grammar.functions):
            name, result = self._returned_by(function)
            results[name].append(result)
        return results

    def only_result(self, function: str) -> SgNode | None:
        """Find what the only function of a name returns; ``None`` if there are several."""
        results = self.results.get(function, [])
        if len(results) != 1:
            return None
        return results[0]

    def _returned_by(self, function: SgNode) -> tuple[str, SgNode | None]:
        """Find the name of a function, and the expression that it returns."""
        if function.kind() == "call":
            return function_of_elixir(function)
        name = part_of(function, NAME_FIELDS)
        holder = function.parent()
        if name is None and holder and holder.kind() in self._grammar.definitions:
            name = children(holder)[0]
        parts = children(function)
        if name is None:
            name = next((part for part in parts if part.kind() == "simple_identifier"), parts[0])
        # A method of an interface ends with its parameters.
        if _PARAMETERS.search(parts[-1].kind()):
            return name.text(), None
        result = returned_by(parts[-1])
        for part in parts[:-1]:
            takes = _PARAMETERS.search(part.kind()) and children(part)
            # What a function enters into a map, all its callers tell.
            if takes and not self._is_map(result):
                return name.text(), None
        return last_word(name.text()), result

    def _is_map(self, node: SgNode | None) -> bool:
        """Tell whether an expression is a map, or a pointer to one."""
        if node is None:
            return False
        parts = children(node)
        if node.kind() == "unary_expression" and len(parts) == 1:
            return self._is_map(parts[0])
        return node.kind() in self._grammar.maps

    @cached_property
    def functions(self) -> frozenset[str]:
        """The names of the functions that the file defines."""
        named = (
            self._returned_by(function)[0]
            for function in of_kinds(self._root, self._grammar.functions)
        )
        return frozenset(named)

    @cached_property
    def plain_functions(self) -> frozenset[str]:
        """The names of the functions that the file declares outside of classes."""
        names = set()
        kinds = [kind for kind in self._grammar.functions if kind in _DECLARES_FUNCTION]
        for function in of_kinds(self._root, tuple(kinds)):
            name = function.field("name")
            if name is not None and not self.class_around(function):
                names.add(name.text())
        return frozenset(names)

    def visible(self, name: str, index: int) -> Sequence[Definition]:
        """Find the definitions of a name in the innermost scope, or else outside of functions."""
        scopes = self._with_scopes(name)
        around = [scope for _, scope in scopes if scope.start <= index <= scope.end]
        if around:
            # Scopes lie in one another: the innermost begins last.
            innermost = max(around)
            return [definition for definition, scope in scopes if scope == innermost]
        outside = [definition for definition, scope in scopes if not scope.in_function]
        if outside:
            return outside
        # A field may be given its value in a method; a parameter of one is nobody else's.
        fields = (definition for definition, _ in scopes if definition.may_be_field)
        return list(fields)

    @remembered
    def _with_scopes(self, name: str) -> Sequence[tuple[Definition, Scope]]:
        """List the definitions of a name, each with its scope."""
        definitions = self.by_name.get(name, ())
        return [(definition, self.scope_of(definition.by)) for definition in definitions]

    def is_being_made(self, name: str, index: int) -> bool:
        """Tell whether a place is inside of a name's definition, the last that begins before."""
        made = self._places_made(name)
        before = bisect_right(made, (index, len(self._text)))
        if not before:
            return False
        _, end = made[before - 1]
        return index < end

    @remembered
    def _places_made(self, name: str) -> Sequence[tuple[int, int]]:
        """List where the definitions of a name begin and end, in order."""
        places = [definition.by.range() for definition in self.by_name.get(name, ())]
        return sorted((place.start.index, place.end.index) for place in places)

    def scope_of(self, node: SgNode) -> Scope:
        """Find the scope in which a definition is seen."""
        is_of_object = _OF_OBJECT.match(self._text, node.range().start.index)
        for above in node.ancestors():
            kind = above.kind()
            # They are seen in the whole function, or in the whole class of Kotlin.
            if kind.endswith("parameters") or kind == OF_WHOLE_CLASS:
                continue
            in_function = self.is_function(above)
            if (in_function and not is_of_object) or _CLASS.search(kind):
                place = above.range()
                return Scope(place.start.index, place.end.index, in_function)
        return Scope()

    @cached_property
    def by_name(self) -> dict[str, list[Definition]]:
        """The definitions of each name, with those by loops and parameters."""
        definitions = defaultdict(list)
        for node in of_kinds(self._root, self._grammar.definitions):
            pattern = part_of(node, NAME_FIELDS)
            if pattern is not None and pattern.kind() == _MAP_PATTERN:
                whole = Definition(node, part_of(node, VALUE_FIELDS))
                for name, taken in _taken_apart(pattern, whole):
                    definitions[name].append(taken)
                continue
            for name, value in self.given_by(node):
                is_default = _IS_DEFAULT.match(node.text()) is not None
                is_appended = _IS_APPENDED.match(node.text()) is not None
                definitions[name].append(
                    Definition(node, value, is_default=is_default, is_appended=is_appended)
                )
        for node in of_kinds(self._root, self._grammar.unfollowed):
            definitions[name_declared(node)].append(Definition(node, None))
        for parameters in (
            *of_kinds(self._root, self._grammar.parameters),
            *self._heads_of_elixir(),
        ):
            nodes = parameters_in(parameters)
            for node, after in zip_longest(nodes, nodes[1:]):
                if EXPRESSION.search(node.kind()):
                    continue
                parameter = Definition(node, default_in(node, after), is_parameter=True)
                pattern = part_of(node, NAME_FIELDS) or node
                if pattern.kind() == _MAP_PATTERN:
                    for name, taken in _taken_apart(pattern, parameter):
                        definitions[name].append(taken)
                    continue
                definitions[name_declared(node)].append(parameter)
        return dict(definitions)

    def _heads_of_elixir(self) -> Iterator[SgNode]:
        """Find the parameters of functions that are defined by a call: ``def f(a, b), do: a``."""
        if "call" in self._grammar.functions:
            for call in of_kinds(self._root, self._grammar.functions):
                head = head_of_elixir(call)
                if head is not None and head.kind() == "call" and len(children(head)) > 1:
                    yield children(head)[1]

    def given_by(self, node: SgNode) -> Iterator[tuple[str, SgNode | None]]:
        """List the names that a definition gives a value; ``None`` if that is not known."""
        if node.kind() == "unary_operator":
            yield from attribute_of_module(node)
        elif node.kind() in self._grammar.calls:
            yield from constant_of_php(node)
        else:
            yield from self._assigned(node)

    def _assigned(self, node: SgNode) -> Iterator[tuple[str, SgNode | None]]:
        parts = [part for part in children(node) if part.kind() not in MODIFIERS]
        if len(parts) < 2:
            return
        name = part_of(node, NAME_FIELDS) or parts[0]
        value = part_of(node, VALUE_FIELDS) or parts[-1]
        if value.kind() == "arrow_expression_clause" and children(value):
            yield parts[-2].text(), children(value)[0]  # The name of a property stands before.
            return
        if value.kind() == "accessor_list":
            result = result_of_getter(value)
            if result is not None:
                yield name.text(), result
            return
        sign = between(self._text, name, value)
        sets = _SETS.search(sign) or _SETS_DEFAULT.search(sign)
        if not (sets or _CHANGES.search(sign)):
            return
        if sets and _WITH_ERROR.fullmatch(name.text()):
            yield children(name)[0].text(), value
            return
        if _PARTS.search(name.text()):
            # An item of the own object leaves it what it is: ``this[key] = value``.
            for part in set(re.findall(r"[^\W\d]\w*", name.text())) - OWN_OBJECTS:
                yield part, None
            return
        if name.kind() == "variable_declaration":
            name = children(name)[0]
        last = LAST_NAME.search(name.text())
        if last is None or value.text() == name.text():  # ``{ Cost = Cost }`` defines none.
            return
        if sets:
            yield last[1], value
        else:
            yield last[1], None

    def is_function(self, node: SgNode) -> bool:
        """Tell whether a node defines a function, with a name or without."""
        kind = node.kind()
        # The grammar of Kotlin takes an object with constants for a call with a function.
        if kind == "lambda_literal" and _IS_OBJECT.match(text_around(node)):
            return False
        if kind in self._grammar.functions and kind in self._grammar.calls:
            return head_of_elixir(node) is not None
        return _FUNCTION.search(kind) is not None and kind not in self._grammar.calls

    def functions_around(self, node: SgNode) -> Iterator[tuple[str, SgNode]]:
        """Find the functions around a node from the innermost on, with their names if any."""
        for around in node.ancestors():
            if self.is_function(around):
                yield self.name_of_function(around), around

    def name_of_function(self, function: SgNode) -> str:
        """Find the name of a function, or of what it is assigned to; empty without either."""
        name = function.field("name")
        holder = function.parent()
        holders = (*self._grammar.definitions, *self._grammar.pairs)
        if name is None and holder and holder.kind() in holders:
            name = children(holder)[0]
        if name is None and function.kind() == "call":
            name = head_of_elixir(function)
        if name is None and function.kind() == "function_declaration":  # Of Kotlin.
            named = [part for part in children(function) if part.kind() == "simple_identifier"]
            name = next(iter(named), None)
        if name is None:
            return ""
        if name.kind() == "call":
            name = children(name)[0]
        return last_word(name.text())

    def class_around(self, node: SgNode) -> str:
        """Name the innermost class around a node, or return an empty text."""
        for above in node.ancestors():
            if not _CLASS.search(above.kind()):
                continue
            name = above.field("name") or above.field("type")
            if name is None:  # Kotlin's grammar has no name for it.
                name = next((p for p in children(above) if p.kind() in TYPE_NAMES), None)
            if name is not None:
                return name.text()
        return ""

    def base_around(self, node: SgNode) -> str:
        """Name the class that the innermost class of Java around a node extends, if any."""
        for above in node.ancestors():
            if _CLASS.search(above.kind()) and above.kind() != "class_body":
                base = above.field("superclass")
                if base is None:
                    return ""
                return children(base)[0].text().partition("<")[0]
        return ""

    def function_around(self, node: SgNode) -> str:
        """Name the function around a node, or an empty text."""
        names = (name for name, _ in self.functions_around(node) if name)
        return next(names, "")


def _taken_apart(pattern: SgNode, whole: Definition) -> Iterator[tuple[str, Definition]]:
    """List the names to which a pattern gives the entries of a map, with their definitions.

    What is taken from inside of an entry, or is all the rest, is unknown.
    """
    for part in children(pattern):
        *before, name = children(part) or [part]
        key = name
        default = None
        if part.kind() == "object_assignment_pattern":
            key, default = before[0], name
            name = key
        elif before:
            key = before[0]
        if name.kind() == "assignment_pattern":
            name, default = children(name)
        if name.kind() == _MAP_PATTERN or part.kind() == "rest_pattern":
            for word in re.findall(r"[^\W\d]\w*", part.text()):
                yield word, Definition(whole.by, None)
        else:
            yield name.text(), whole._replace(key=key.text(), otherwise=default)
