"""A file that ast-grep has parsed: its calls and assignments, and the meaning of its names.

The order of statements is not followed: a name counts if it is given one value only in the
innermost function or class around.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.evaluator import Evaluator
from hashcost.source_code.project import Imported, Project, imports_in, plain_name
from hashcost.source_code.reading import Site, is_verifier, only_verifies, unadorned
from hashcost.source_code.rules import Language, last_word
from hashcost.source_code.translation import Translation, children, of_kinds
from hashcost.source_code.values import Call, Unknown, Value, dotted, is_resolved
from hashcost.storage.extras import imported

if TYPE_CHECKING:
    from ast_grep_py import Pos, SgNode

MOST_COLUMNS: Final = 10**8
"""The parser counts a line's characters anew for each place in it: thousands of calls on
one line take seconds, and four times as many sixteen times as long."""
_NEAR: Final = 400  # characters before a call's arguments in which its name stands
_LONGEST: Final = 200  # characters of a name
_DEEPEST: Final = 16  # names that are followed one from another
_FURTHEST: Final = 64  # nodes that are followed up or down from one
_MOST_NESTED: Final = 500  # nodes around one; all are listed for each

_TYPE: Final = re.compile(
    r"\b(?:class|struct|object|interface|trait|enum|module|record|defmodule|impl)\s+(\w+)"
)
_EXPORTS: Final = re.compile(r"export\s+default\b|return\b")
_TEST_MODULE: Final = re.compile(r"(?:pub )?mod \w*tests?\b")
_MEMBER: Final = re.compile(r"\W?(\w+)\s*(?:\?\.|\?->|\.|->)\s*(\w+)")
_BEGINS: Final = re.compile(r"member|navigation|selector|field_|call|invocation|access|try")
_SETS: Final = re.compile(r"(?<![=!<>+\-*/%|&^?.~])=\s*$")
_CHANGES: Final = re.compile(r"(?:[+\-*/%|&^?.~]|<<|>>)=\s*$")
_PARTS: Final = re.compile(r"[,{\[]")
"""A value that is taken apart, or an item that is assigned: its names are not followed."""
_LAST_NAME: Final = re.compile(r"([^\W\d]\w*)\W*$")
_MODIFIERS: Final = frozenset(
    {"modifiers", "modifier", "binding_pattern_kind", "visibility_modifier", "mutable_specifier"}
)
_ARGUMENTS: Final = frozenset({"argument", "value_argument"})
_NAME_FIELDS: Final = ("name", "left", "pattern", "declarator")
_VALUE_FIELDS: Final = ("value", "right", "default_value")
_FUNCTION: Final = re.compile(r"function|method|lambda|arrow|closure|constructor|func_literal")
_CLASS: Final = re.compile(
    r"class_body|class_declaration|^class|struct_item|impl_item|^object_decl"
)
_OF_OBJECT: Final = re.compile(r"(?:self|this|\$this|@)\W*\w")
_EXPRESSION: Final = re.compile(
    r"literal|^integer|^number|^string|expression|invocation|^call|^decimal|^float|^(?:true|false)$"
)
_STATEMENTS: Final = frozenset({"body_statement", "program", "then"})
"""Where a name is a call without arguments, on a line of its own."""
_DEFINES: Final = re.compile(r"""\\?define\s*\(\s*['"](?P<name>\w+)['"]""")
_HTML: Final = re.compile(
    r"""(?P<html>(?:\A|\?>).*?(?:<\?(?:php\b|=)|\Z))"""
    r"""|'(?:[^'\\]|\\.)*+'?|"(?:[^"\\]|\\.)*+"?|`(?:[^`\\]|\\.)*+`?|/\*.*?(?:\*/|\Z)"""
    r"""|(?:\#(?!\[)|//)(?:(?!\?>)[^\n])*+|<<<[ \t]*["']?(?P<mark>\w{1,64})["']?\n"""
    r"""(?:.*?^[ \t]*(?P=mark)|.*)""",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
"""Text outside of PHP's marks, or a text or comment of PHP that may hold such a mark."""


def check_installed() -> None:
    """Find out before any work is done whether sources can be parsed here.

    Raises:
        UnavailableError: they cannot; the message says what to install.
    """
    imported("ast_grep_py", "ast-grep", "scan")
    imported("pathspec", "pathspec", "scan")


class _Definition(NamedTuple):
    """A node that gives a name a value, which is ``None`` if it is unknown."""

    by: SgNode
    value: SgNode | None
    why: str = ""


class _Scope(NamedTuple):
    """The place of the innermost function or class around a definition, if any."""

    start: int = -1
    end: int = -1
    in_function: bool = False


class ParsedFile(Evaluator[int]):
    """One file; names are seen from an index in its text, and may be of other files.

    Raises:
        UnavailableError: the grammars are not installed.
    """

    def __init__(
        self,
        text: str,
        language: Language,
        grammar: str,
        path: str = "",
        project: Project | None = None,
    ) -> None:
        check_installed()
        from ast_grep_py import SgRoot

        self._text = _without_html(text) if language.language == "php" else text
        self._root = SgRoot(self._text, grammar).root()
        self._language = language
        self._grammar = language.grammar
        shared = project.texts(language.shared) if project and language.shared else ""
        self._imports = imports_in(f"{shared}\n{text}", language.imports)
        self._types = frozenset(_TYPE.findall(self._text))
        self._translation = Translation(language, self._types)
        self._values: dict[tuple[str, int], Value] = {}
        self._scopes: dict[str, list[tuple[_Definition, _Scope]]] = {}
        self._depth = 0
        super().__init__(language.dialect, path, project)

    def _written(self, node: ast.expr) -> str:
        return self._translation.written(node)

    @property
    def text(self) -> str:
        """The text that was parsed, on as many lines as the file's."""
        return self._text

    @property
    def root(self) -> SgNode:
        """The whole file as the grammar sees it."""
        return self._root

    # Sites

    def sites(self, words: frozenset[str], gather: frozenset[str]) -> Iterator[Site]:
        """Find every call and assignment whose name, or its meaning, ends in one of these words.

        Where the last word of a call is one to ``gather``, later calls and assignments of the
        object that it makes are its arguments too.

        Raises:
            UnreadableInputError: thousands of calls are on one line, or nested in each other.
        """
        words |= {
            name
            for name, imported in self._imports.names.items()
            if last_word(imported.member or imported.module) in words
        } | {
            name
            for name, definitions in self._definitions.items()
            for definition in definitions
            if definition.value is not None and last_word(_short_text(definition.value)) in words
        }
        columns = 0
        for node in of_kinds(self._root, (*self._grammar.arguments, *self._grammar.assignments)):
            start = node.range().start
            columns += start.column
            if columns > MOST_COLUMNS:
                raise UnreadableInputError("its lines are too long to be read")
            # What stands there already tells of most that they are about something else.
            after = 0 if node.kind() in self._grammar.arguments else _NEAR
            near = self._text[max(0, start.index - _NEAR) : start.index + after]
            if not any(word in near for word in words):
                continue
            name, at = self._name_of(node)
            if any(word in name for word in words) and last_word(unadorned(name)) in words:
                yield self._site(name, at, node, gather)
        if "return" in words and self._exported_whole is not None:
            node = self._exported_whole
            yield Site(
                name="return",
                names=("return",),
                line=node.range().start.line + 1,
                call=Call.with_one(self._value_of(node)),
                is_whole=True,
            )
        for node in of_kinds(self._root, self._grammar.bare):
            parts = children(node)
            if any(part.kind() in (*self._grammar.arguments, "call_suffix") for part in parts):
                continue
            ends = (part.range().start.index for part in parts if "initializer" in part.kind())
            end = next(ends, node.range().end.index)
            name = self._text[node.range().start.index : end]
            if last_word(unadorned(name)) not in words:
                continue
            if parts or ((above := node.parent()) and above.kind() in _STATEMENTS):
                yield self._site(name, node.range().start, node, gather)

    def _name_of(self, node: SgNode) -> tuple[str, Pos]:
        """Find the name that a node calls or assigns, as it is written, and its place."""
        at = node.range().start
        if node.kind() in self._grammar.arguments:
            call = self._call_of.get(node)
            start = at.index if call is None else call.range().start.index
            name = self._text[max(start, at.index - _NEAR) : at.index].strip()
            if call is not None and name == "new":  # Of the type that is declared.
                types = (around.field("type") for around in call.ancestors()[:2])
                name = next((declared.text() for declared in types if declared), name)
            return name, at
        parts = children(node)
        if len(parts) < 2 or self._between(parts[0], parts[-1]).strip() != "=":
            return "", at
        return parts[0].text()[-_LONGEST:], parts[0].range().start

    @cached_property
    def _call_of(self) -> dict[SgNode, SgNode]:
        """The calls by their arguments: a node finds what holds it by a search from the top."""
        calls = of_kinds(self._root, self._grammar.calls)
        parts = [(part, call) for call in calls for part in call.children()]
        within = [(children(part), call) for part, call in parts if part.kind() == "call_suffix"]
        return dict(parts + [(part, call) for below, call in within for part in below])

    def _site(self, written: str, at: Pos, node: SgNode, gather: frozenset[str]) -> Site:
        index = node.range().start.index
        name = plain_name(unadorned(written))
        names = (self._imports.canonical(name), *self._aliases(name, index))
        verifies = False
        assigns = node.kind() in self._grammar.assignments
        if assigns:
            call = Call.with_one(self._value_of(children(node)[-1]))
        else:
            bare = node.kind() not in self._grammar.arguments
            tree = self._translation.call(None if bare else node, at.line + 1)
            made = node if bare else self._call_of.get(node)
            if made and any(last_word(name) in gather for name in (name, *names)):
                later = self._later(made)
                tree.keywords += [ast.keyword(arg=name, value=later[name]) for name in later]
            call = self.form(tree, index)
            functions = list(self._functions_around(node))
            within = functions[0][1].range().end.index if functions else 0
            place = (made or node).range()
            verifies = is_verifier(next((name for name, _ in functions if name), ""))
            verifies |= only_verifies(self._text, place.start.index, place.end.index, within)
        return Site(
            name=written,
            line=at.line + 1,
            column=at.index,
            names=names,
            call=call,
            assigns=assigns,
            verifies=verifies,
            in_tests=self._is_in_tests(node),
        )

    def _is_in_tests(self, node: SgNode) -> bool:
        return self._language.language == "rust" and any(
            around.kind() == "mod_item"
            and _TEST_MODULE.match(self._text, around.range().start.index)
            for around in _around(node)
        )

    def _functions_around(self, node: SgNode) -> Iterator[tuple[str, SgNode]]:
        """Find the functions around a node from the innermost on, with their names if any."""
        for around in _around(node)[:_FURTHEST]:
            if _FUNCTION.search(around.kind()) and around.kind() not in self._grammar.calls:
                name = around.field("name")
                holder = around.parent()
                if name is None and holder and holder.kind() in self._grammar.definitions:
                    name = children(holder)[0]
                yield last_word(name.text()[-_LONGEST:]) if name else "", around

    def _aliases(self, name: str, index: int) -> Iterator[str]:
        first, dot, rest = name.partition(".")
        value = self._find(first, index)
        if value is not None:
            path = value.data.function if isinstance(value.data, Call) else dotted(value.data)
            if path and path != first:
                yield self._imports.canonical(f"{path}{dot}{rest}")
        for module in self._imports.whole:
            yield f"{plain_name(module)}.{name}"

    def _later(self, call: SgNode) -> dict[str, ast.expr]:
        """Gather what an initializer, a chain of calls and assignments give an object."""
        nodes = [
            node
            for part in children(call)[1:]
            if "initializer" in part.kind()
            for node in of_kinds(part, self._grammar.assignments)
        ]
        top, above = call, _continued(call)
        while above is not None and len(nodes) < _FURTHEST:
            top, above = above, _continued(above)
            last = children(top)[-1]
            nodes.append(children(last)[0] if last.kind() == "call_suffix" else last)
        holder = top.parent()
        if holder is not None and holder.kind() in self._grammar.definitions:
            for name, value in self._defined(holder):
                if value is not None and value.range() == top.range():
                    nodes += self._members.get(name, ())
        said: dict[str, ast.expr] = {}
        for node in nodes[:_FURTHEST]:
            name, at = self._name_of(node)
            word = last_word(unadorned(name))
            if word in said:
                continue
            if name and node.kind() in self._grammar.assignments:
                said[word] = self._expression(children(node)[-1])
            elif name and node.kind() in self._grammar.arguments:
                values = self._translation.call(node, at.line + 1).args
                if len(values) == 1:
                    said[word] = values[0]
        return said

    @cached_property
    def _members(self) -> dict[str, list[SgNode]]:
        """Group calls and assignments such as ``hasher.cost = 12`` by the first name."""
        members: dict[str, list[SgNode]] = {}
        for node in of_kinds(self._root, (*self._grammar.assignments, *self._grammar.arguments)):
            member = _MEMBER.fullmatch(self._name_of(node)[0][-_LONGEST:])
            if member is not None:
                members.setdefault(member[1], []).append(node)
        return members

    # Names

    def _find(self, name: str, scope: int) -> Value | None:
        if name in self._translation.opaque:
            return Value(Unknown(self._translation.opaque[name]), 0)
        definitions = () if name in self._imports.names else self._visible(name, scope)
        if not definitions:
            # A field that is read without its object's name; Go's names may be of other files.
            return None if self._language.modules == "folders" else self._field(name)
        if self._depth > _DEEPEST:
            return Value(Unknown(name), 0)
        key = name, definitions[0].by.range().start.index
        if key not in self._values:
            self._values[key] = Value(Unknown(name), 0)  # As long as it is looked up.
            self._depth += 1
            by, node, why = definitions[0]
            if node is None and len(definitions) == 1 and (node := self._passed(by)):
                definitions = [_Definition(by, node)]
                why = f"as line {node.range().start.line + 1} passes it"
            texts = {value.text() if value else None for _, value, _ in definitions}
            if node is not None and len(texts) == 1:
                value = self._value_of(node)
                self._values[key] = value.because(why) if why else value
            self._depth -= 1
        return self._values[key]

    def _passed(self, parameter: SgNode) -> SgNode | None:
        """Find the argument that every call in the file gives a function for a parameter."""
        around = parameter.parent()
        if around is None or around.kind() not in self._grammar.parameters:
            return None
        own = [part for part in children(around) if not part.kind().startswith("self")]
        at = [part.range() for part in own].index(parameter.range())
        function = next((name for name, _ in self._functions_around(parameter) if name), "")
        given = [children(arguments) for arguments in self._calls.get(function, ())]
        if not given or any(len(parts) != len(own) for parts in given):
            return None
        node = given[0][at]
        if node.kind() in _ARGUMENTS:
            below = children(node)
            node = below[0] if len(below) == 1 else parameter
        same = len({parts[at].text() for parts in given}) == 1 and node is not parameter
        return node if same else None

    @cached_property
    def _calls(self) -> dict[str, list[SgNode]]:
        """Group the arguments of calls by the last word of what they call."""
        calls: dict[str, list[SgNode]] = {}
        for arguments in of_kinds(self._root, self._grammar.arguments):
            calls.setdefault(last_word(unadorned(self._name_of(arguments)[0])), []).append(
                arguments
            )
        return calls

    def _field(self, name: str) -> Value | None:
        nodes = self._fields.get(name, [])
        same = len({node.text() for node in nodes}) == 1 and nodes[0].text() != name
        if not same or self._depth > _DEEPEST:
            return None
        self._depth += 1
        value = self._value_of(nodes[0])
        self._depth -= 1
        return None if isinstance(value.data, Unknown) or dotted(value.data) else value

    @cached_property
    def _fields(self) -> dict[str, list[SgNode]]:
        fields: dict[str, list[SgNode]] = {}
        for node in of_kinds(self._root, self._grammar.fields):
            parts = children(node)
            if len(parts) > 1 and not self._is_in_tests(node):
                fields.setdefault(parts[0].text(), []).append(parts[-1])
        return fields

    def _expression(self, node: SgNode) -> ast.expr:
        return self._translation.expression(node, node.range().start.line + 1)

    def _value_of(self, node: SgNode) -> Value:
        return self.value(self._expression(node), node.range().start.index)

    # Names of other files

    def _constant_named(self, path: str) -> Value | None:
        canonical = self._imports.canonical(path)
        names = (path, canonical, canonical.rpartition("/")[2])
        constants = (super(ParsedFile, self)._constant_named(name) for name in names)
        return next(filter(None, constants), None)

    def _foreign(self, path: str) -> Value | None:
        project = self.project
        if project is None:
            return None
        modules = self._language.modules
        first, *rest = path.replace("()", "").split(".")
        imported = self._imports.names.get(first)
        if imported is not None:
            value = project.of(imported, rest, self._path)
            if value is not None or imported.is_own or modules == "paths":
                return value
            return project.named(self._imports.canonical(path), self._path)
        for module in self._imports.whole:
            value = project.of(Imported(module), [first, *rest], self._path)
            if value is not None:
                return value
        if rest:
            return project.named(path, self._path) if modules != "paths" else None
        return project.beside(first, self._path) if modules == "folders" else None

    def exported(self, members: Sequence[str]) -> Value | None:
        """Find the value of a dotted name in other files; without a name, the whole export."""
        names = [member.removesuffix("()") for member in members if member != "default"]
        if len(names) > 1 and names[0] in self._types:
            names = names[1:]
        # Where a folder shares its names, each file has its own: no other is asked again.
        passes_on = self.project is not None and self._language.modules != "folders"
        if names and (names[0] in self._definitions or passes_on):
            value = self.value(ast.parse(".".join(names), mode="eval").body, 0)
            if is_resolved(value.data) or isinstance(value.data, Call):
                return value
        if self._exported_whole is None:
            return None
        value = self._value_of(self._exported_whole)
        for name in names:
            if not isinstance(value.data, dict) or name not in value.data:
                return None
            value = value.data[name]
        return value

    @cached_property
    def _exported_whole(self) -> SgNode | None:
        exported = self._definitions.get("exports")
        if exported:
            return exported[-1].value
        for node in of_kinds(self._root, self._grammar.exports):
            above = node.parent()
            top = above is not None and above.kind() == "program"
            if top and children(node) and _EXPORTS.match(node.text()):
                return children(node)[0]
        return None

    # Definitions

    def _visible(self, name: str, index: int) -> Sequence[_Definition]:
        """Find the definitions of a name in the innermost scope, or else outside of functions."""
        if name not in self._scopes:
            definitions = self._definitions.get(name, [])
            self._scopes[name] = [(given, self._scope(given.by)) for given in definitions]
        scopes = self._scopes[name]
        around = [scope for _, scope in scopes if scope.start <= index <= scope.end]
        innermost = max(around, default=None)
        return (
            [definition for definition, scope in scopes if scope == innermost]
            or [definition for definition, scope in scopes if not scope.in_function]
            or [definition for definition, _ in scopes]
        )

    def _scope(self, node: SgNode) -> _Scope:
        of_object = _OF_OBJECT.match(self._text[node.range().start.index :][:_LONGEST])
        for above in _around(node)[:_FURTHEST]:
            kind = above.kind()
            if kind.endswith("parameters"):  # They are seen in the whole function.
                continue
            in_function = bool(_FUNCTION.search(kind)) and kind not in self._grammar.calls
            if (in_function and not of_object) or _CLASS.search(kind):
                place = above.range()
                return _Scope(place.start.index, place.end.index, in_function)
        return _Scope()

    @cached_property
    def _definitions(self) -> Mapping[str, list[_Definition]]:
        grammar = self._grammar
        definitions: dict[str, list[_Definition]] = {}
        for node in of_kinds(self._root, grammar.definitions):
            for name, value in self._defined(node):
                definitions.setdefault(name, []).append(_Definition(node, value))
        for node in of_kinds(self._root, grammar.loops):
            definitions.setdefault(_declared(node), []).append(_Definition(node, None))
        for parameters in of_kinds(self._root, grammar.parameters):
            nodes = children(parameters)
            for node, after in zip_longest(nodes, nodes[1:]):
                if not _EXPRESSION.search(node.kind()):
                    name, default = _declared(node), _default(node, after)
                    why = f"unless the caller passes {name}" if default is not None else ""
                    definitions.setdefault(name, []).append(_Definition(node, default, why))
        return definitions

    def _defined(self, node: SgNode) -> Iterator[tuple[str, SgNode | None]]:
        parts = [part for part in children(node) if part.kind() not in _MODIFIERS]
        if node.kind() == "unary_operator":  # A module attribute of Elixir: ``@rounds 12``.
            below = children(parts[0]) if len(parts) == 1 and parts[0].kind() == "call" else []
            if node.text().startswith("@") and len(below) == 2 and len(children(below[1])) == 1:
                yield below[0].text(), children(below[1])[0]
            return
        if node.kind() in self._grammar.calls:  # ``define('COST', 12)`` of PHP.
            match = _DEFINES.match(node.text()[:_LONGEST])
            arguments = children(parts[-1]) if match else []
            if match is not None and len(arguments) == 2:
                below = children(arguments[1])
                yield match["name"], below[0] if len(below) == 1 else arguments[1]
            return
        if len(parts) < 2:
            return
        name = _part(node, _NAME_FIELDS) or parts[0]
        value = _part(node, _VALUE_FIELDS) or parts[-1]
        if value.kind() == "arrow_expression_clause" and children(value):
            yield parts[-2].text(), children(value)[0]  # The name of a property stands before.
            return
        sign = self._between(name, value)[-_LONGEST:]
        if not (_SETS.search(sign) or _CHANGES.search(sign)):
            return
        if _PARTS.search(name.text()[:_LONGEST]):
            for part in set(re.findall(r"[^\W\d]\w*", name.text())):
                yield part, None
            return
        if name.kind() == "variable_declaration":
            name = children(name)[0]
        last = _LAST_NAME.search(name.text()[-_LONGEST:])
        if last is not None and value.text() != name.text():  # ``{ Cost = Cost }`` defines none.
            yield last[1], value if _SETS.search(sign) else None

    def _between(self, first: SgNode, second: SgNode) -> str:
        return self._text[first.range().end.index : second.range().start.index]


def _around(node: SgNode) -> list[SgNode]:
    nodes = node.ancestors()
    if len(nodes) > _MOST_NESTED:
        raise UnreadableInputError("it is nested too deeply to be read")
    return nodes


def _continued(node: SgNode) -> SgNode | None:
    """Find the chain of calls that continues a node."""
    above = node.parent()
    if above is None or not _BEGINS.search(above.kind()):
        return None
    return above if children(above)[0].range() == node.range() else None


def _short_text(node: SgNode) -> str:
    place = node.range()
    return node.text() if place.end.index - place.start.index <= _LONGEST else ""


def _default(node: SgNode, after: SgNode | None) -> SgNode | None:
    """Find the default of a parameter, which some grammars have as the next node."""
    own = children(node)
    if (default := _part(node, _VALUE_FIELDS)) is not None:
        return default
    if len(own) > 2 and _EXPRESSION.search(own[-1].kind()):
        return own[-1]
    return after if after is not None and _EXPRESSION.search(after.kind()) else None


def _declared(node: SgNode) -> str:
    """Find the name that a parameter or a loop declares."""
    own = [part for part in children(node) if part.kind() not in _MODIFIERS]
    leaf = _part(node, _NAME_FIELDS)
    if leaf is None:
        leaf = own[0] if own else node
        for _ in range(_FURTHEST):
            if not (below := children(leaf)):
                break
            leaf = below[0]
    last = _LAST_NAME.search(leaf.text()[-_LONGEST:])
    return last[1] if last else ""


def _part(node: SgNode, names: tuple[str, ...]) -> SgNode | None:
    return next((part for name in names if (part := node.field(name)) is not None), None)


def _without_html(text: str) -> str:
    """Blank everything outside of PHP's marks, since the grammar takes only PHP."""
    return _HTML.sub(
        lambda part: part[0] if part["html"] is None else ";" + "\n" * part[0].count("\n"), text
    )
