"""A file that ast-grep has parsed: its sites, and what its names stand for.

The order of statements is not followed: a name counts if it is given one value only in the
innermost function or class around.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hashcost.core.errors import UnavailableError, UnreadableInputError
from hashcost.documents.extras import how_to_install
from hashcost.source_code.definitions import Definitions, Given
from hashcost.source_code.evaluator import Evaluator
from hashcost.source_code.objects import NEAR, Objects
from hashcost.source_code.php_pages import without_html
from hashcost.source_code.project.elsewhere import Elsewhere
from hashcost.source_code.project.imports import Imported, bases_in, imports_in, plain_name
from hashcost.source_code.rules import Language, last_word
from hashcost.source_code.sites import Site
from hashcost.source_code.translation import Translation, children, of_kinds
from hashcost.source_code.values import Call, DottedName, Unknown, Value, dotted

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_MOST_COLUMNS: Final = 10**8
"""The parser counts a line's characters anew for each place in it: thousands of calls on
one line take seconds, and four times as many sixteen times as long."""
_DEEPEST: Final = 16
_LONGEST: Final = 200
"""Characters of a name."""

_TYPE: Final = re.compile(
    r"\b(?:class|struct|object|interface|trait|enum|module|record|defmodule|impl)\s+(\w+)"
)
_STANDS_FOR: Final = re.compile(
    r"\b(\w{1,64})\s{0,4}:?=\s{0,4}(?:await\s)?(?:[\w.$]{1,60}\()?((?:\w{1,64}(?:\.|::|\\)){1,8}\w{1,64})\)?\s{0,4}(?:[;,]|$)",
    re.MULTILINE,
)
"""A name that is given another name, or what a call wraps."""
_MOST_GIVEN: Final = 200
"""Values of one name that are looked at."""
_NONE: Final[frozenset[str]] = frozenset()
_EXPORTS: Final = re.compile(r"export\s+default\b|return\b")
_TEST_MODULE: Final = re.compile(r"(?:pub )?mod tests?\b")
_RAILS_STAGES: Final = {
    "if": re.compile(r"Rails\.env\.(?:test|development|local)\?"),
    "unless": re.compile(r"Rails\.env\.production\?"),
}


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


@dataclass(frozen=True)
class _At:
    """The names of a file as they are seen from a place in it."""

    file: ParsedFile
    index: int

    def find(self, name: str) -> tuple[Value, ...] | None:
        """The values of a name; ``None`` if the file does not define it."""
        return self.file.find(name, self.index)


class _Expressions(Evaluator[_At]):
    """Works out expressions with the names that other files of the project define."""

    def __init__(self, file: ParsedFile, translation: Translation) -> None:
        super().__init__(file.language.dialect, translation.written)
        self._file = file

    def _constant_named(self, path: str) -> Value | None:
        canonical = self._file.imports.canonical(path)
        names = (path, canonical, canonical.rpartition("/")[2])
        found = (super(_Expressions, self)._constant_named(each) for each in names)
        return next(filter(None, found), None)

    def _versions(self) -> Mapping[str, str]:
        return self._file.versions

    def _foreign(self, path: str) -> tuple[Value, ...] | None:
        return self._file.foreign(path)

    def _field(self, name: str) -> tuple[Value, ...]:
        return self._file.field(name)

    def _made(self, call: Call, name: str) -> tuple[Value, ...]:
        return self._file.made(call, name)

    def _result(self, made: Value) -> tuple[Value, ...]:
        function = made.data.function if isinstance(made.data, Call) else ""
        found = self._file.result(function) if function else None
        return (made,) if found is None else found


class ParsedFile:
    """One file with its names; ``path`` and ``elsewhere`` are for those of other files.

    Raises:
        UnavailableError: the grammars are not installed.
    """

    def __init__(
        self,
        text: str,
        language: Language,
        grammar: str,
        path: str = "",
        elsewhere: Elsewhere | None = None,
    ) -> None:
        check_installed()
        from ast_grep_py import SgRoot

        self._text = without_html(text) if language.language == "php" else text
        self._root = SgRoot(self._text, grammar).root()
        self.language = language
        self.imports = imports_in(text, language.imports)
        self._path = path
        self._project = elsewhere
        self._translation = Translation(language, self._owns)
        self._definitions = Definitions(self._root, self._text, language.grammar)
        self._objects = Objects(
            self._root, self._text, language.grammar, self._translation, self._definitions
        )
        self._evaluator = _Expressions(self, self._translation)
        self._found: dict[tuple[str, int], tuple[Value, ...]] = {}
        self._depth = 0

    # Sites

    def sites(self, words: frozenset[str], gather: frozenset[str] = _NONE) -> Iterator[Site]:
        """Every call and assignment whose name, or what it stands for, ends in such a word.

        What is later said to the object that a call makes counts where the call's last
        word is one to ``gather``.

        Raises:
            UnreadableInputError: thousands of calls are on one line.
        """
        grammar = self.language.grammar
        words |= self._other_words(words)
        columns = 0
        for node in of_kinds(self._root, (*grammar.arguments, *grammar.assignments)):
            place = node.range().start
            columns += place.column
            if columns > _MOST_COLUMNS:
                raise UnreadableInputError("its lines are too long to be read")
            is_call = node.kind() in grammar.arguments
            # What stands there already tells of most that they are about something else.
            start = place.index
            near = self._text[max(0, start - NEAR) : start + (0 if is_call else NEAR)]
            if not any(word in near for word in words):
                continue
            site = self._objects.call(node) if is_call else self._objects.assignment(node)
            if site is not None and site.last_word in words:
                yield self._whole(site, node, gather)
        if "return" in words and self._exported_whole is not None:
            node = self._exported_whole
            line = node.range().start.line + 1
            for value in self._values(node, line, node.range().start.index):
                call = Call(function="", arguments=(value,), keywords={}, line=line)
                yield Site(name="return", line=line, column=0, calls=(call,))
        for node in of_kinds(self._root, grammar.bare):
            if node.text() in words and _is_statement(node):
                place = node.range().start
                site = Site(name=node.text(), line=place.line + 1, column=place.index)
                call = Call(function="", arguments=(), keywords={}, line=site.line)
                yield replace(site, calls=(call,), in_tests=self._is_in_tests(node))

    def _whole(self, site: Site, node: SgNode, gather: frozenset[str]) -> Site:
        """A site with what it is given, and what its name stands for."""
        others = tuple(self._other_names(site.dotted, node.range().start.index))
        gathers = any(last_word(each) in gather for each in (site.dotted, *others))
        return replace(
            site,
            others=others,
            imported=self.imports.canonical(site.dotted) != site.dotted,
            calls=self._calls(node, site, gathers=gathers),
            verifies=not site.assigns and self._objects.verifies(node),
            in_tests=self._is_in_tests(node),
        )

    def _other_words(self, words: frozenset[str]) -> frozenset[str]:
        """Names of the file that stand for what ends in one of these words."""
        found = {
            name
            for name, imported in self.imports.names.items()
            if last_word(imported.path) in words
        }
        for name, path in _STANDS_FOR.findall(self._text):
            if last_word(path) in words:
                found.add(name)
        return frozenset(found)

    def _other_names(self, name: str, index: int) -> Iterator[str]:
        """What else a dotted name may be called, by imports and by what it is assigned."""
        imported = self.imports.canonical(name)
        if imported != name:
            yield imported
        first, dot, rest = name.partition(".")
        for each in self.find(first, index) or ():
            data = each.data
            path = data.function if isinstance(data, Call) else dotted(data)
            if path and path != first:
                yield self.imports.canonical(f"{path}{dot}{rest}")
        for module in self.imports.whole:
            yield f"{plain_name(module)}.{name}"

    def _calls(self, node: SgNode, site: Site, *, gathers: bool) -> tuple[Call, ...]:
        """What a site is given; the value of an assignment is its only argument."""
        index = node.range().start.index
        if not site.assigns:
            call = self._translation.call(node, site.line)
            called = self._objects.called(node) if gathers else None
            later = {} if called is None else self._objects.later(called)
            call.keywords += [ast.keyword(arg=name, value=later[name]) for name in later]
            return tuple(self._evaluator.forms(call, _At(self, index)))
        return tuple(
            Call(function=site.name, arguments=(value,), keywords={}, line=site.line)
            for value in self._values(children(node)[-1], site.line, index)
        )

    def _is_in_tests(self, node: SgNode) -> bool:
        """Whether it is in a module of tests inside the file, or under a condition of tests."""
        if self.language.language == "ruby":
            return any(_is_for_tests(each, node) for each in node.ancestors())
        return self.language.language == "rust" and any(
            each.kind() == "mod_item" and _TEST_MODULE.match(self._text, each.range().start.index)
            for each in node.ancestors()
        )

    # Names

    def find(self, name: str, index: int) -> tuple[Value, ...] | None:
        """The values of a name seen from a place; ``None`` if the file does not define it."""
        if name in self._translation.opaque:
            return (Value(Unknown(self._translation.opaque[name]), 0),)
        if name in self._written:
            return (self._written[name],)
        given = () if name in self.imports.names else self._definitions.visible(name, index)
        if not given:
            return self._own_field(name)
        if self._depth > _DEEPEST:
            return (Value(Unknown(name), 0),)
        key = name, given[0].by.range().start.index
        if key not in self._found:
            self._found[key] = (Value(Unknown(name), 0),)  # As long as it is looked up.
            self._depth += 1
            self._found[key] = self._given(name, given)
            self._depth -= 1
        return self._found[key]

    @cached_property
    def _written(self) -> dict[str, Value]:
        """The names that an annotation gives a default."""
        found: dict[str, Value] = {}
        for pattern in self.language.grammar.written:
            for match in re.finditer(pattern, self._text):
                line = self._text.count("\n", 0, match.start("name")) + 1
                why = f"unless the configuration sets {match['name']}"
                found[match["name"]] = Value(int(match["value"]), line, (why,))
        return found

    def _own_field(self, name: str) -> tuple[Value, ...] | None:
        """A field that is read without its object's name; Go's names may be of other files."""
        node = self._definitions.field(name)
        if node is None or node.text() == name or self.language.modules == "folders":
            return None
        return self._once(node)

    def _given(self, name: str, given: Sequence[Given]) -> tuple[Value, ...]:
        first = given[0].node
        if first is None or any(
            each.node is None or each.node.text() != first.text() or each.member != given[0].member
            for each in given
        ):
            return (Value(Unknown(name), 0),)
        place = first.range().start
        tree = self._translation.expression(first, place.line + 1)
        if given[0].member:
            tree = ast.copy_location(ast.Attribute(tree, given[0].member, ast.Load()), tree)
        values = self._evaluator.values(tree, _At(self, place.index))
        why = given[0].why
        return tuple(each.because(why) for each in values) if why else values

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """The versions of packages that the files around this one fix."""
        return {} if self._project is None else self._project.versions(self._path)

    def field(self, name: str) -> tuple[Value, ...]:
        """What every object that the file makes gets for a field; nothing if they differ."""
        return self._once(self._definitions.field(name)) or ()

    def made(self, call: Call, name: str) -> tuple[Value, ...]:
        """The default of a constructor's parameter, where an object is made without it."""
        given = self._definitions.by_name.get(name, [])
        made = self._owns(call.function) and call.whole and not call.arguments
        # Only a parameter depends on its caller; what is assigned may be changed elsewhere.
        told = made and len(given) == 1 and given[0].why
        return (self._once(given[0].node) or ()) if told else ()

    def result(self, function: str) -> tuple[Value, ...] | None:
        """What a function of the project returns, if it is always the same."""
        owner, _, name = function.rpartition(".")
        if not owner or self._owns(owner):
            return self._once(self._definitions.result(name))
        return self.foreign(function)

    def _once(self, node: SgNode | None) -> tuple[Value, ...] | None:
        """The values of an expression, unless it is being looked at already."""
        if node is None or self._depth > _DEEPEST:
            return None
        self._depth += 1
        place = node.range().start
        found = self._values(node, place.line + 1, place.index)
        self._depth -= 1
        return found if all(_is_told(each) for each in found) else None

    def foreign(self, path: str) -> tuple[Value, ...] | None:
        """What another file of the project says a dotted name stands for."""
        project = self._project
        if project is None:
            return None
        first, *rest = path.replace("()", "").split(".")
        imported = self.imports.names.get(first)
        if imported is not None:
            found = project.of(imported, rest, self._path)
            own = imported.is_own or self.language.modules == "paths"
            return (
                found if own else found or project.named(self.imports.canonical(path), self._path)
            )
        for module in self.imports.whole:
            found = project.of(Imported(module), [first, *rest], self._path)
            if found is not None:
                return found
        if not rest:
            if self.language.modules == "folders":
                return project.beside(first, self._path)
            return self._inherited(first)
        return project.named(path, self._path) if self.language.modules != "paths" else None

    def _inherited(self, name: str) -> tuple[Value, ...] | None:
        """What a base in another file says that a name of a class of this one stands for."""
        if self._depth > _DEEPEST:
            return None
        self._depth += 1
        bases = (each for each in bases_in(self._text) if not self._owns(each))
        found = (self.foreign(f"{base}.{name}") for base in bases)
        result = next(filter(None, found), None)
        self._depth -= 1
        return result

    def exported(self, members: Sequence[str]) -> tuple[Value, ...] | None:
        """What a dotted name stands for to other files; without any, what is exported whole."""
        names = [each.removesuffix("()") for each in members if each != "default"]
        if len(names) > 1 and self._owns(names[0]):
            names = names[1:]
        scope = _At(self, 0)
        if names and (names[0] in self._definitions.by_name or self._project is not None):
            tree = ast.parse(".".join(names), mode="eval").body
            found = self._evaluator.values(tree, scope)
            if all(_is_told(each) for each in found):
                return found
        result = self._definitions.result(names[-1]) if names else None
        if result is not None:
            return self._once(result)
        whole = self._exported_whole
        if whole is None:
            return None
        values = self._values(whole, whole.range().start.line + 1, whole.range().start.index)
        for name in names:
            values = tuple(
                each.data[name]
                for each in values
                if isinstance(each.data, dict) and name in each.data
            )
        return values or None

    @cached_property
    def _exported_whole(self) -> SgNode | None:
        """What the file is to who imports it whole."""
        exported = self._definitions.by_name.get("exports")
        if exported:
            return exported[-1].node
        for node in of_kinds(self._root, self.language.grammar.exports):
            parts = children(node)
            above = node.parent()
            top = above is not None and above.kind() == "program"
            if parts and top and _EXPORTS.match(node.text()):
                return parts[0]
        return None

    def _values(self, node: SgNode, line: int, index: int) -> tuple[Value, ...]:
        return self._evaluator.values(self._translation.expression(node, line), _At(self, index))

    def _owns(self, name: str) -> bool:
        return name in self._types

    @cached_property
    def _types(self) -> frozenset[str]:
        """The names of the types that the file declares."""
        return frozenset(_TYPE.findall(self._text))


def _is_told(value: Value) -> bool:
    return not isinstance(value.data, Unknown | DottedName)


def _is_statement(node: SgNode) -> bool:
    """Whether a name is a call without arguments, on a line of its own."""
    parent = node.parent()
    return parent is not None and parent.kind() in {"body_statement", "program", "then"}


def _is_for_tests(condition: SgNode, node: SgNode) -> bool:
    """Whether a node of Ruby runs only in tests or development, by a condition around it."""
    pattern = _RAILS_STAGES.get(condition.kind().removesuffix("_modifier"))
    asked = None if pattern is None else condition.field("condition")
    if pattern is None or asked is None or not pattern.fullmatch(asked.text().strip("() ")):
        return False
    other = condition.field("alternative")
    return other is None or node.range().start.index < other.range().start.index
