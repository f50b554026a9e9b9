"""A file that ast-grep has parsed: its calls and assignments, and what its names stand for.

The order of statements is not followed: a name counts if it is given one value only in the
innermost function or class around.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from hashcost.core.errors import UnavailableError, UnreadableInputError
from hashcost.documents.extras import how_to_install
from hashcost.source_code.evaluator import Evaluator
from hashcost.source_code.project import Imported, Project, imports_in, plain_name
from hashcost.source_code.rules import Language, last_word
from hashcost.source_code.translation import Translation, children, of_kinds
from hashcost.source_code.values import Call, Unknown, Value, dotted, is_told

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_MOST_COLUMNS: Final = 10**8
"""The parser counts a line's characters anew for each place in it: thousands of calls on
one line take seconds, and four times as many sixteen times as long."""
_NEAR: Final = 400  # characters before a call's arguments in which its name stands
_LONGEST: Final = 200  # characters of a name
_LONGEST_SHOWN: Final = 60
_LONGEST_CHAIN: Final = 40
_MOST_GIVEN: Final = 200  # values of one name that are looked at
_DEEPEST: Final = 16  # so many names are followed one from another
_DEEPEST_LEAF: Final = 50  # beyond that no name is declared by anybody
_FURTHEST: Final = 64  # so many nodes above a name are looked at for the function that it is of

_GENERIC: Final = re.compile(r"(?:::)?<(?P<first>[^,]+?)(?:,.*)?>$", re.DOTALL)
_TYPE: Final = re.compile(
    r"\b(?:class|struct|object|interface|trait|enum|module|record|defmodule|impl)\s+(\w+)"
)
_EXPORTS: Final = re.compile(r"export\s+default\b|return\b")
_TEST_MODULE: Final = re.compile(r"(?:pub )?mod tests?\b")
_MEMBER: Final = re.compile(r"\W?(\w+)\s*(?:\?\.|\?->|\.|->)\s*(\w+)")
_BEGINS: Final = re.compile(r"member|navigation|selector|field_|call|invocation|access|try")
_VERIFIES: Final = re.compile(r"\W*(?:verif(?:y|ies)|matches\b)", re.IGNORECASE)
"""A question to an object that is made for nothing else."""
_SETS: Final = re.compile(r"(?<![=!<>+\-*/%|&^?.~])=\s*$")
_CHANGES: Final = re.compile(r"(?:[+\-*/%|&^?.~]|<<|>>)=\s*$")
_PARTS: Final = re.compile(r"[,{\[]")
"""A value that is taken apart, or an item that is assigned: its names are not followed."""
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
_OF_OBJECT: Final = re.compile(r"(?:self|this|\$this|@)\W*\w")
_EXPRESSION: Final = re.compile(
    r"literal|^integer|^number|^string|expression|invocation|^call|^decimal|^float|^(?:true|false)$"
)
_DEFINES: Final = re.compile(r"""\\?define\s*\(\s*['"](?P<name>\w+)['"]""")
_PHP: Final = re.compile(
    r"""(?s)\?>|'(?:[^'\\]|\\.)*+'?|"(?:[^"\\]|\\.)*+"?|`(?:[^`\\]|\\.)*+`?|/\*.*?(?:\*/|\Z)"""
    r"""|(?:\#(?!\[)|//)(?:(?!\?>)[^\n])*+|<<<[ \t]*["']?(?P<mark>\w{1,64})["']?\n"""
    r"""(?:.*?^[ \t]*(?P=mark)|.*)""",
    re.MULTILINE,
)
"""The mark that ends PHP, or a text or comment that may hold it."""


def check_installed() -> None:
    """Find out before any work is done whether sources can be parsed here.

    Raises:
        UnavailableError: they cannot; the message says what to install.
    """
    try:
        import ast_grep_py  # noqa: F401
        import pathspec  # noqa: F401
    except ImportError as error:
        raise UnavailableError(
            f"reading source code needs ast-grep and pathspec; {how_to_install('scan')}"
        ) from error


_NOTHING_GIVEN: Final = Call(function="", arguments=(), keywords={}, line=0)


@dataclass(frozen=True, kw_only=True)
class Site:
    """A call, or an assignment: then the value is its only argument."""

    name: str
    """As it is written; in Python with what its names stand for."""
    line: int
    column: int = 0
    call: Call = _NOTHING_GIVEN
    assigns: bool = False
    in_tests: bool = False
    others: tuple[str, ...] = ()
    """Its other names, as imports and assignments tell, with dots."""
    imported: bool = False
    """Whether an import says what it is, so that the name as it is written counts no more."""
    verifies: bool = False
    """Whether what it makes only verifies a hash, whose own cost counts then."""

    @property
    def plain(self) -> str:
        """The name without blanks, generics, optional chaining and a leading backslash."""
        name = " ".join(self.name.split()).replace("?.", ".").replace("?->", "->")
        return _GENERIC.sub("", name).removeprefix("\\")

    @property
    def dotted(self) -> str:
        """The plain name with dots, whatever the language writes."""
        return plain_name(self.plain.removeprefix("new "))

    @property
    def names(self) -> tuple[str, ...]:
        """All its names with dots: as written, unless its import says what else it is."""
        return self.others if self.imported else (self.dotted, *self.others)

    @property
    def is_class(self) -> bool:
        """Whether it is a class that is given its attributes."""
        return self.name.startswith("class ")

    @property
    def is_whole(self) -> bool:
        """Whether it is a class, or what a file returns, which sets a cost on one of its lines."""
        return self.is_class or self.name == "return"

    @property
    def shown(self) -> str:
        """The end of the name, on one line, as a message shows it."""
        return " ".join(self.name.split())[-_LONGEST_SHOWN:]

    @property
    def generic(self) -> str:
        """The first word in the angle brackets of the name; empty if there are none."""
        match = _GENERIC.search(self.name)
        return match["first"] if match else ""


@dataclass(frozen=True)
class _Given:
    """A node that gives a name a value: ``None`` for one that is not followed.

    ``why`` says what it depends on; ``scope`` is the place of the innermost function or
    class around, if any.
    """

    by: SgNode
    node: SgNode | None
    why: str = ""
    scope: tuple[int, int] | None = None
    in_function: bool = False


@dataclass(frozen=True)
class _At:
    """The names of a file as they are seen from a place in it."""

    file: ParsedFile
    index: int

    def find(self, name: str) -> Value | None:
        return self.file.find(name, self.index)


class ParsedFile(Evaluator[_At]):
    """One file with its names; ``path`` and ``project`` are for those of other files.

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
        self._imports = imports_in(text, language.imports)
        self._path = path
        self._project = project
        self._types = frozenset(_TYPE.findall(self._text))
        self._translation = Translation(language, self._types)
        self._values: dict[tuple[str, int], Value] = {}
        self._scoped_definitions: dict[str, list[_Given]] = {}
        self._depth = 0
        super().__init__(language.dialect, self._translation.written)

    # Sites

    def sites(self, words: frozenset[str], gather: frozenset[str] = frozenset()) -> Iterator[Site]:
        """Find every call and assignment whose name, or what it stands for, ends in such a word.

        What is later said to the object that a call makes counts where the call's last
        word is one to ``gather``.

        Raises:
            UnreadableInputError: thousands of calls are on one line.
        """
        grammar = self._grammar
        words |= {
            name
            for name, imported in self._imports.names.items()
            if last_word(imported.member or imported.module) in words
        } | {
            name
            for name, several in self._definitions.items()
            for given in several
            if given.node is not None and last_word(_short_text(given.node)) in words
        }
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
            if any(word in near for word in words):
                site = self._called_site(node) if is_call else self._assigned_site(node)
                if site is not None and last_word(site.plain) in words:
                    yield self._given_site(site, node, gather)
        if "return" in words and self._exported_whole is not None:
            node = self._exported_whole
            value = self._value_of(node)
            call = Call(function="", arguments=(value,), keywords={}, line=value.line)
            yield Site(name="return", line=node.range().start.line + 1, call=call)
        for node in of_kinds(self._root, grammar.bare):
            parent = node.parent()
            if node.text() in words and parent and parent.kind() in _STATEMENTS:
                place = node.range().start
                yield Site(name=node.text(), line=place.line + 1, column=place.index)

    def _called_site(self, arguments: SgNode) -> Site | None:
        call = self._call_of(arguments)
        if call is None:
            return None
        start = call.range().start
        place = arguments.range().start
        name = self._text[max(start.index, place.index - _NEAR) : place.index].strip()
        end = place.index - len(name)
        line = self._text.count("\n", 0, end) + 1 if "\n" in name else start.line + 1
        line = max(line, place.line + 1 - name.count("\n"))
        return Site(name=name, line=line, column=place.index)

    def _call_of(self, arguments: SgNode) -> SgNode | None:
        call = arguments.parent()
        if call is not None and call.kind() == "call_suffix":
            call = call.parent()
        return call if call is not None and call.kind() in self._grammar.calls else None

    def _assigned_site(self, node: SgNode) -> Site | None:
        parts = children(node)
        if len(parts) < 2 or self._between(parts[0], parts[-1]).strip() != "=":
            return None
        start = parts[0].range().start
        name = parts[0].text()[-_NEAR:]
        return Site(name=name, line=start.line + 1, column=start.index, assigns=True)

    def _given_site(self, site: Site, node: SgNode, gather: frozenset[str]) -> Site:
        others = tuple(self._other_names(site.dotted, node.range().start.index))
        scope = _At(self, node.range().start.index)
        above = self._call_of(node)
        verifies = False
        if site.assigns:
            value = self.value(self._translation.expression(children(node)[-1], site.line), scope)
            call = Call(function=site.name, arguments=(value,), keywords={}, line=site.line)
        else:
            tree = self._translation.call(node, site.line)
            if above and any(last_word(name) in gather for name in (site.dotted, *others)):
                later = self._later(above)
                tree.keywords += [ast.keyword(arg=name, value=later[name]) for name in later]
            call = self.form(tree, scope)
            verifies = above is not None and self._is_verified(above)
        return replace(
            site,
            others=others,
            imported=self._imports.canonical(site.dotted) != site.dotted,
            call=call,
            verifies=verifies,
            in_tests=self._language.language == "rust"
            and any(
                around.kind() == "mod_item"
                and _TEST_MODULE.match(self._text, around.range().start.index)
                for around in node.ancestors()
            ),
        )

    def _other_names(self, name: str, index: int) -> Iterator[str]:
        imported = self._imports.canonical(name)
        if imported != name:
            yield imported
        first, dot, rest = name.partition(".")
        value = self.find(first, index)
        if value is not None:
            data = value.data
            path = data.function if isinstance(data, Call) else dotted(data)
            if path and path != first:
                yield self._imports.canonical(f"{path}{dot}{rest}")
        for module in self._imports.whole:
            yield f"{plain_name(module)}.{name}"

    def _is_verified(self, call: SgNode) -> bool:
        above = call.parent()
        place = call.range()
        return (
            above is not None
            and bool(_BEGINS.search(above.kind()))
            and place.start.index == above.range().start.index
            and bool(_VERIFIES.match(self._text[place.end.index : place.end.index + _NEAR]))
        )

    # What is said to an object after it is made

    def _later(self, call: SgNode) -> dict[str, ast.expr]:
        said: dict[str, ast.expr] = {}
        for part in children(call)[1:]:
            if "initializer" in part.kind():
                for node in of_kinds(part, self._grammar.assignments):
                    pair = children(node)
                    if len(pair) == 2:
                        said[pair[0].text()] = self._expression(pair[1])
        top = call
        for _ in range(_LONGEST_CHAIN):
            above = top.parent()
            if above is None or not _BEGINS.search(above.kind()):
                break
            if children(above)[0].range() != top.range():
                break
            top = above
            last = children(top)[-1]
            if last.kind() == "call_suffix" and children(last):
                last = children(last)[0]
            if last.kind() in self._grammar.arguments:
                self._add_said(last, said)
        holder = self._holders.get((top.range().start.index, top.range().end.index))
        for node in self._said.get(holder or "", ()):
            self._add_said(node, said)
        return said

    @cached_property
    def _holders(self) -> dict[tuple[int, int], str]:
        return {
            (given.node.range().start.index, given.node.range().end.index): name
            for name, several in self._definitions.items()
            for given in several
            if given.node is not None
        }

    def _add_said(self, node: SgNode, said: dict[str, ast.expr]) -> None:
        site = self._called_site(node)
        if site is None:
            parts = children(node)
            said.setdefault(last_word(parts[0].text()), self._expression(parts[-1]))
            return
        given = self._translation.call(node, site.line)
        if len(given.args) == 1:
            said.setdefault(last_word(site.plain), given.args[0])

    @cached_property
    def _said(self) -> dict[str, list[SgNode]]:
        said: dict[str, list[SgNode]] = {}
        grammar = self._grammar
        for node in of_kinds(self._root, (*grammar.assignments, *grammar.arguments)):
            is_call = node.kind() in grammar.arguments
            site = self._called_site(node) if is_call else self._assigned_site(node)
            member = None if site is None else _MEMBER.fullmatch(site.name[-_LONGEST:])
            if member is not None:
                said.setdefault(member[1], []).append(node)
        return said

    # Names

    def find(self, name: str, index: int) -> Value | None:
        """Find the value of a name seen from a place; ``None`` if the file does not define it."""
        if name in self._translation.opaque:
            return Value(Unknown(self._translation.opaque[name]), 0)
        if name in self._annotated:
            return self._annotated[name]
        given = () if name in self._imports.names else self._visible(name, index)
        if not given:
            # A field that is read without its object's name; Go's names may be of other files.
            return None if self._language.modules == "folders" else self._field(name)
        if self._depth > _DEEPEST:
            return Value(Unknown(name), 0)
        key = name, given[0].by.range().start.index
        if key not in self._values:
            self._values[key] = Value(Unknown(name), 0)  # As long as it is looked up.
            self._depth += 1
            self._values[key] = self._given(name, given)
            self._depth -= 1
        return self._values[key]

    def _given(self, name: str, given: Sequence[_Given]) -> Value:
        node = given[0].node
        if node is None or any(
            each.node is None or each.node.text() != node.text() for each in given
        ):
            return Value(Unknown(name), 0)
        value = self._value_of(node)
        return value.because(given[0].why) if given[0].why else value

    @cached_property
    def _annotated(self) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for pattern in self._grammar.written:
            for match in re.finditer(pattern, self._text):
                line = self._text.count("\n", 0, match.start("name")) + 1
                why = f"unless the configuration sets {match['name']}"
                values[match["name"]] = Value(int(match["value"]), line, (why,))
        return values

    def _field(self, name: str) -> Value | None:
        nodes = self._fields.get(name, [])
        if not nodes or len({node.text() for node in nodes}) != 1 or nodes[0].text() == name:
            return None
        return self._once(nodes[0])

    @cached_property
    def _fields(self) -> dict[str, list[SgNode]]:
        fields: dict[str, list[SgNode]] = {}
        for node in of_kinds(self._root, self._grammar.fields):
            parts = children(node)
            if len(parts) > 1:
                fields.setdefault(parts[0].text(), []).append(parts[-1])
        return fields

    def _once(self, node: SgNode) -> Value | None:
        if self._depth > _DEEPEST:
            return None
        self._depth += 1
        value = self._value_of(node)
        self._depth -= 1
        return None if isinstance(value.data, Unknown) or dotted(value.data) else value

    # Names of other files

    def _versions(self) -> Mapping[str, str]:
        return {} if self._project is None else self._project.versions(self._path)

    def _constant_named(self, path: str) -> Value | None:
        canonical = self._imports.canonical(path)
        names = (path, canonical, canonical.rpartition("/")[2])
        constants = (super(ParsedFile, self)._constant_named(name) for name in names)
        return next(filter(None, constants), None)

    def _foreign(self, path: str) -> Value | None:
        project = self._project
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
        """Find what a dotted name stands for to other files; without any, what is exported."""
        names = [each.removesuffix("()") for each in members if each != "default"]
        if len(names) > 1 and names[0] in self._types:
            names = names[1:]
        if names and (names[0] in self._definitions or self._project is not None):
            value = self.value(ast.parse(".".join(names), mode="eval").body, _At(self, 0))
            if is_told(value.data) or isinstance(value.data, Call):
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
            return exported[-1].node
        for node in of_kinds(self._root, self._grammar.exports):
            above = node.parent()
            top = above is not None and above.kind() == "program"
            if top and children(node) and _EXPORTS.match(node.text()):
                return children(node)[0]
        return None

    # Definitions

    def _visible(self, name: str, index: int) -> Sequence[_Given]:
        if name not in self._scoped_definitions:
            given = self._definitions.get(name, [])
            few = given[:1] if len(given) > _MOST_GIVEN else given
            self._scoped_definitions[name] = [
                self._scoped(each if few is given else _Given(each.by, None)) for each in few
            ]
        given = self._scoped_definitions[name]
        around = [each for each in given if each.scope and each.scope[0] <= index <= each.scope[1]]
        innermost = max((each.scope or (0, 0) for each in around), default=None)
        chosen = [each for each in around if each.scope == innermost]
        return chosen or [each for each in given if not each.in_function] or given

    @cached_property
    def _definitions(self) -> dict[str, list[_Given]]:
        definitions: dict[str, list[_Given]] = {}
        for name, given in self._all_given():
            definitions.setdefault(name, []).append(given)
        return definitions

    def _all_given(self) -> Iterator[tuple[str, _Given]]:
        grammar = self._grammar
        for node in of_kinds(self._root, grammar.definitions):
            for name, value in self._defined(node):
                yield name, _Given(node, value)
        for node in of_kinds(self._root, grammar.loops):
            yield _named(node), _Given(node, None)
        for parameters in of_kinds(self._root, grammar.parameters):
            nodes = children(parameters)
            for node, after in zip_longest(nodes, nodes[1:]):
                if not _EXPRESSION.search(node.kind()):
                    name, default = _named(node), _default(node, after)
                    why = f"unless the caller passes {name}" if default is not None else ""
                    yield name, _Given(node, default, why)

    def _scoped(self, given: _Given) -> _Given:
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
                scope = above.range().start.index, above.range().end.index
                return replace(given, scope=scope, in_function=in_function)
            above = above.parent()
        return given

    def _defined(self, node: SgNode) -> Iterator[tuple[str, SgNode | None]]:
        if node.kind() == "unary_operator":  # A module attribute of Elixir: ``@rounds 12``.
            parts = children(node)
            below = children(parts[0]) if len(parts) == 1 and parts[0].kind() == "call" else []
            if node.text().startswith("@") and len(below) == 2 and len(children(below[1])) == 1:
                yield below[0].text(), children(below[1])[0]
            return
        if node.kind() in self._grammar.calls:  # ``define('COST', 12)`` of PHP.
            match = _DEFINES.match(node.text()[:_LONGEST])
            parts = children(children(node)[-1]) if match else []
            if match is not None and len(parts) == 2:
                below = children(parts[1])
                yield match["name"], below[0] if len(below) == 1 else parts[1]
            return
        parts = [part for part in children(node) if part.kind() not in _MODIFIERS]
        if len(parts) < 2:
            return
        name = _part(node, _NAME_FIELDS) or parts[0]
        value = _part(node, _VALUE_FIELDS) or parts[-1]
        sign = self._between(name, value)[-_LONGEST:]
        if value.kind() == "arrow_expression_clause" and children(value):
            yield parts[-2].text(), children(value)[0]  # The name of a property stands before.
            return
        if _PARTS.search(name.text()):
            for part in set(re.findall(r"[^\W\d]\w*", name.text())):
                yield part, None
            return
        if name.kind() == "variable_declaration":
            name = children(name)[0]
        last = _LAST_NAME.search(name.text()[-_LONGEST:])
        if last is not None and (_SETS.search(sign) or _CHANGES.search(sign)):
            yield last[1], value if _SETS.search(sign) else None

    def _between(self, first: SgNode, second: SgNode) -> str:
        return self._text[first.range().end.index : second.range().start.index]

    def _expression(self, node: SgNode) -> ast.expr:
        return self._translation.expression(node, node.range().start.line + 1)

    def _value_of(self, node: SgNode) -> Value:
        return self.value(self._expression(node), _At(self, node.range().start.index))


_STATEMENTS: Final = frozenset({"body_statement", "program", "then"})
"""Where a name is a call without arguments, on a line of its own."""


def _short_text(node: SgNode) -> str:
    place = node.range()
    return node.text() if place.end.index - place.start.index <= _LONGEST else ""


def _default(node: SgNode, after: SgNode | None) -> SgNode | None:
    own = children(node)
    if (default := _part(node, _VALUE_FIELDS)) is not None:
        return default
    if len(own) > 2 and _EXPRESSION.search(own[-1].kind()):
        return own[-1]
    return after if after is not None and _EXPRESSION.search(after.kind()) else None


def _named(node: SgNode) -> str:
    own = [part for part in children(node) if part.kind() not in _MODIFIERS]
    named = _part(node, _NAME_FIELDS)
    if named is None:
        named = own[0] if own else node
        for _ in range(_DEEPEST_LEAF):
            if not (below := children(named)):
                break
            named = below[0]
    last = _LAST_NAME.search(named.text()[-_LONGEST:])
    return last[1] if last else ""


def _part(node: SgNode, names: tuple[str, ...]) -> SgNode | None:
    return next((part for name in names if (part := node.field(name)) is not None), None)


def _without_html(text: str) -> str:
    """Blank everything outside of PHP's marks, since the grammar takes only PHP."""
    parts, at = [], 0
    while (opened := re.compile(r"<\?(?:php\b|=)", re.IGNORECASE).search(text, at)) is not None:
        parts += [_blank(text[at : opened.start()]), " " * len(opened[0])]
        closed = next(
            (match for match in _PHP.finditer(text, opened.end()) if match[0] == "?>"), None
        )
        at = len(text) if closed is None else closed.end()
        parts += (
            [text[opened.end() : at], ""]
            if closed is None
            else [text[opened.end() : closed.start()], "; "]
        )
    return "".join([*parts, _blank(text[at:])])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
