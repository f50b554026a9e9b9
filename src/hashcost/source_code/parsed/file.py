"""A file that ast-grep has parsed: its calls and assignments, and what the calls are for."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.derived_keys import (
    Arguments,
    KeyUses,
    NamedRanges,
    OwnParameter,
    derives_key_by_name,
    makes_password,
    may_be_hashed,
    may_derive_keys,
)
from hashcost.source_code.dummies import makes_dummy
from hashcost.source_code.evaluator import narrowed
from hashcost.source_code.names import unadorned, without_promise
from hashcost.source_code.parsed.declarations import OWN_OBJECTS
from hashcost.source_code.parsed.nodes import (
    NEAR,
    given_in,
    holds,
    key_before,
    line_of,
    links_of,
    name_declared,
    name_in,
)
from hashcost.source_code.parsed.translation import children, of_kinds, start_of
from hashcost.source_code.parsed.values import ParsedValues
from hashcost.source_code.project import (
    DECLARES_CLASS,
    Parameter,
    Project,
    Use,
    declares,
    homes_of,
    plain_name,
)
from hashcost.source_code.remembering import remembered
from hashcost.source_code.rules import PROMISES_ALL, Language, last_word
from hashcost.source_code.sites import RuleNames, Site
from hashcost.source_code.uses import (
    PlacedCall,
    hashed_with,
    is_only_verified,
    may_help_verify,
    name_kept_as,
    only_verifies,
)
from hashcost.source_code.values import Call, Value, dotted

if TYPE_CHECKING:
    from ast_grep_py import Pos, SgNode

MOST_COLUMNS: Final = 10**8
"""The parser counts a line's characters anew for each place in it: thousands of calls on
one line take seconds, and four times as many sixteen times as long."""
_TAKES_UNNAMED: Final = re.compile(r"\.setDefaultPasswordEncoderForMatches$")
"""The method by which Spring Security's `DelegatingPasswordEncoder` compares unnamed hashes."""
_ASKED: Final = re.compile(r"\s*+(?:\?\.|\.)\s*+\w")
"""The beginning of what an object is asked for, maybe on the next line."""
_NAMES_MAKE_A_MAP: Final = ("ruby", "elixir")
"""Languages in which named arguments are a map, which the last parameter takes."""
_OF_CONSTRUCTOR: Final = "explicit_constructor_invocation"
"""The kind of node by which a constructor of Java calls another one."""
_VALUES: Final = "expression_list"
"""The kind of node that lists the values of a definition of Go."""
_STATEMENTS: Final = frozenset({"body_statement", "program", "then"})
"""Where a name is a call without arguments, on a line of its own."""


class ParsedFile(ParsedValues):
    """One file with its calls, and what these make: new hashes, keys, or none that counts."""

    def __init__(
        self, text: str, language: Language, grammar: str, path: str, project: Project | None
    ) -> None:
        super().__init__(text, language, grammar, path, project)
        self._keys = KeyUses(self.text, self, has_bare_fields=language.bare_fields)
        self._made_keys: dict[int, bool] = {}

    def sites(self, wanted: RuleNames) -> Iterator[Site]:
        """Find every wanted call and assignment, by its name or the meaning of that.

        Where the last word of a call is one to gather, later calls and assignments of the
        object that it makes are its arguments too.

        Raises:
            UnreadableInputError: thousands of calls are on one line.
        """
        words = wanted.words | self._other_names(wanted.words)
        own = (self._types | self.declared.plain_functions).difference(self._imports.names)
        columns = 0
        for node in self._found((*self._grammar.arguments, *self._grammar.assignments)):
            start = node.range().start
            columns += start.column
            if columns > MOST_COLUMNS:
                raise UnreadableInputError("its lines are too long to be read")
            # What stands there already tells of most that they are about something else.
            end = start.index
            if node.kind() in self._grammar.assignments:
                end += NEAR
            near = self.text[max(0, start.index - NEAR) : end]
            if not any(word in near for word in words):
                continue
            name, at = self.calls.name_of(node)
            if self._promises_all:
                name = name.removesuffix("Async")
            # A class or a function of the file goes before a library's of that name.
            called = unadorned(name)
            if called in own:
                continue
            if any(word in name for word in words) and last_word(called) in words:
                own_file = self._own_file_of(called)
                # What it hashes has a row where it does.
                if (own_file and called.isidentifier()) or self._is_of_own_object(called):
                    continue
                for site in self._site(name, at, node, wanted):
                    yield replace(site, own_file=own_file)
        if "return" in words and self._exported_whole is not None:
            node = self._exported_whole
            yield Site(
                name="return",
                names=("return",),
                line=line_of(node),
                call=Call.with_one(self._value_of(node)),
                is_whole=True,
            )
        yield from self._bare_sites(words, wanted)
        yield from self._sites_of_bases(words.difference(own), wanted)

    @cached_property
    def _promises_all(self) -> bool:
        """Whether packages get functions whose names end in ``Async``."""
        return PROMISES_ALL in self.text

    def _own_file_of(self, called: str) -> str:
        """Name the other file of the project with the class of a call, or return an empty text."""
        first, _, rest = plain_name(called).partition(".")
        holder, _, _ = rest.rpartition(".")
        # What a class holds is of a class of its own: ``Yii::$app->security``.
        if "(" not in holder and last_word(holder)[:1].islower():
            return ""
        # All files are asked for the name: only for one that is written as a class.
        is_class = first[:1].isupper() and first not in self._types
        if self.project is None or not is_class:
            return ""
        imported_as = self._imports.names.get(first)
        return self.project.class_seen_from(first, imported_as, self._path)

    def _is_of_own_object(self, called: str) -> bool:
        """Tell whether a method is called of an object that each place declares as an own class's.

        An interface of the project may be that of a library's object.
        """
        receiver, dot, _ = plain_name(called).rpartition(".")
        owner = last_word(receiver)
        imported_as = self._imports.names.get(receiver)
        if not dot or imported_as is not None:
            return False
        types = self._declared_types.get(owner, set())
        return bool(types) and all(map(self._is_own_class, types))

    def _is_own_class(self, name: str) -> bool:
        if name in self._types:
            return declares(name, self.text, DECLARES_CLASS)
        return self.project is not None and self.project.has_class(name, self._path)

    def _other_names(self, words: frozenset[str]) -> set[str]:
        """Find the names that imports and definitions of the file make for these words."""
        names = set()
        for name, imported_as in self._imports.names.items():
            if last_word(imported_as.member or imported_as.module) in words:
                names.add(name)
        for name, definitions in self.declared.by_name.items():
            for definition in definitions:
                if definition.value is None:
                    continue
                if last_word(without_promise(name_in(definition.value))) in words:
                    names.add(name)
        return names

    def _bare_sites(self, words: frozenset[str], wanted: RuleNames) -> Iterator[Site]:
        """Find calls that have no arguments in brackets."""
        for node in self._found(self._grammar.bare):
            place = node.range()
            end = place.end.index
            parts = children(node)
            kinds = [part.kind() for part in parts]
            if not {*self._grammar.arguments, "call_suffix"}.isdisjoint(kinds):
                continue
            for part in parts:
                # A block or an initializer stands behind the name.
                if "initializer" in part.kind() or part.kind() in {"block", "do_block"}:
                    end = part.range().start.index
                    break
            name = self.text[place.start.index : end].rstrip()
            if last_word(unadorned(name)) not in words:
                continue
            above = node.parent()
            if parts or (above is not None and above.kind() in _STATEMENTS):
                yield from self._site(name, place.start, node, wanted)

    def _sites_of_bases(self, words: Collection[str], wanted: RuleNames) -> Iterator[Site]:
        """Find where constructors of Java call that of a library's class: ``super(12)``."""
        for arguments in self.calls.by_name.get("super", ()):
            call = self.calls.made_with(arguments)
            if call.kind() != _OF_CONSTRUCTOR:
                continue
            base = self.declared.base_around(call)
            if last_word(base) in words and not self._own_file_of(base):
                yield from self._site(f"new {base}", call.range().start, arguments, wanted)

    def _site(self, written: str, at: Pos, node: SgNode, wanted: RuleNames) -> Iterator[Site]:
        """Read a call or an assignment with a wanted word, unless its whole name is not wanted."""
        name = plain_name(unadorned(written))
        names = (self._imports.canonical(name), *self._aliases(name, node.range().start.index))
        assigns = node.kind() in self._grammar.assignments
        # To work out what it is given may lead through many files.
        if not wanted.has(written, names, assigns=assigns):
            return
        if assigns:
            call = Call.with_one(self._value_of(children(node)[-1]))
        else:
            gathers = any(last_word(one) in wanted.gather for one in (name, *names))
            call = self._call_at(node, at.line + 1, gathers=gathers)
        site = Site(
            name=written,
            line=at.line + 1,
            column=at.index,
            names=names,
            call=call,
            assigns=assigns,
            in_tests=self.stages.is_in_tests(node),
        )
        if not assigns:
            site = self._with_purpose(site, node)
        yield site

    def _call_at(self, node: SgNode, line: int, *, gathers: bool) -> Call:
        """Work out a call, which may have arguments, with what its object is given later."""
        arguments = None
        if node.kind() in self._grammar.arguments:
            arguments = node
        tree = self._translation.call(arguments, line)
        if gathers:
            for word, value in self._later(self.calls.made_with(node)).items():
                tree.keywords.append(ast.keyword(arg=word, value=value))
        return self.form(tree, node.range().start.index)

    def _with_purpose(self, site: Site, node: SgNode) -> Site:
        """Add what a call is given first, and what its result is for."""
        call = self.calls.made_with(node)
        first = ""
        if site.call.arguments and node.kind() in self._grammar.arguments:
            given = plain_name(unadorned(children(node)[0].text()))
            first = self._imports.canonical(given)
        place = self._placed(call)
        hashes = self._hashed_by_object(call)
        if not hashes:
            hashes = hashed_with(self.text, last_word(site.name), place)
        makes_no_hash = self._makes_no_hash(call)
        may_make_key = not makes_no_hash and may_derive_keys(" ".join((site.name, *site.names)))
        return replace(
            site,
            first=first,
            hashes=hashes,
            inside=place.function,
            kept_as=name_kept_as(self.text, place.start),
            makes_no_hash=makes_no_hash,
            helps_verify=self._helps_verify(call),
            makes_key=may_make_key and self._makes_key(call),
            makes_dummy=makes_dummy(self.text, place.start, place.function),
        )

    def _makes_no_hash(self, call: SgNode) -> bool:
        if self._is_of_no_use(call):
            return True
        return self._only_verifies(call) or self._is_for_old_hashes(call)

    def _is_of_no_use(self, call: SgNode) -> bool:
        """Tell whether a function around that the language has itself replaces the file's."""
        function = self.declared.function_around(call)
        return function in self._dialect.fixed and not self.declared.class_around(call)

    def _only_verifies(self, call: SgNode) -> bool:
        if only_verifies(self.text, self._placed(call), self._path, self.project):
            return True
        result = self._result_of(call)
        return result is not None and is_only_verified(self.text, *result)

    def _helps_verify(self, call: SgNode) -> bool:
        """Tell whether the function around a call is only used by what verifies, in its file."""
        named = ((name, node) for name, node in self.declared.functions_around(call) if name)
        function, node = next(named, ("", call))
        calls = self._calls_by(function)
        place = node.range()
        if not may_help_verify(
            self.text, function, place.start.index, place.end.index, len(calls)
        ):
            return False
        if self.project is not None and self.project.is_named_elsewhere(function, self._path):
            return False
        return all(self._only_verifies(self.calls.call_of.get(given, given)) for given in calls)

    @property
    def may_be_called_elsewhere(self) -> bool:
        """Whether other files are known that may call functions of the file."""
        return self.project is not None

    def _makes_key(self, call: SgNode) -> bool:
        """Tell whether what a call makes, or gives the function that it calls back, is a key."""
        start = start_of(call)
        if start not in self._made_keys:
            self._made_keys[start] = False  # As long as it is looked up: a function calls itself.
            self._made_keys[start] = self._leads_to_key(call)
        return self._made_keys[start]

    def _leads_to_key(self, call: SgNode) -> bool:
        result = self._result_of(call)
        if result is not None and self._keys.is_key(*result):
            return True
        if self._keys.makes_key(self._placed(call)):
            return True
        function = self.declared.function_around(call)
        if not derives_key_by_name(function, self._homes_of(call)):
            return False
        calls = map(self.calls.made_with, self._calls_by(function))
        uses = {*map(self._use_of, calls), *self.uses_elsewhere(function)}
        # Without a caller, what the function makes may be anything.
        return bool(uses) and Use.HASH not in uses

    def _homes_of(self, node: SgNode) -> Sequence[str]:
        """Name the class around a node, the file and its folder."""
        place = PurePath(self._path)
        return (self.declared.class_around(node), place.stem, place.parent.name)

    def uses_elsewhere(self, function: str) -> Collection[Use]:
        """Tell of each call in other files what becomes of what a function returns."""
        if self.project is None or not function:
            return ()
        return self._uses_elsewhere(function)

    @remembered
    def _uses_elsewhere(self, function: str) -> Collection[Use]:
        assert self.project is not None  # noqa: S101 - asked before
        owners = (
            self.declared.class_around(node)
            for node in self._found(self._grammar.functions)
            if self.declared.is_function(node) and self.declared.name_of_function(node) == function
        )
        homes = homes_of(self._path, function, next(owners, ""))
        if not homes:
            return ()
        return tuple(self.project.uses_of(function, self._path, homes))

    def uses_of(self, function: str, homes: Collection[str] | None) -> Iterator[Use]:
        """Tell of each call of a function of another file what becomes of its result."""
        for arguments in self._calls_by(function):
            if self._is_call_of(function, arguments, homes):
                yield self._use_of(self.calls.made_with(arguments))

    def _use_of(self, call: SgNode) -> Use:
        """Tell what becomes of the result of a call, as far as it is followed."""
        start = call.range().start.index
        line = self.text[max(0, start - NEAR) : start].rpartition("\n")[2]
        around = [name for name, _ in self.declared.functions_around(call)]
        if self._makes_no_hash(call):
            return Use.HASH
        if self._makes_key(call):
            return Use.KEY
        if may_be_hashed((line, *around, *self._homes_of(call))):
            return Use.HASH
        if any(map(makes_password, around)):
            return Use.HASH
        return Use.UNKNOWN

    def around(self, index: int) -> tuple[int, str] | None:
        """Find the end and the name of the innermost function around a place of the text."""
        return self._named_functions.around(index)

    def callers(self, function: str) -> Collection[PlacedCall]:
        """Find the calls of the functions of a name."""
        callers: list[PlacedCall] = []
        if self._calls_by_name:
            callers += map(self._placed, self.declared.bare_calls.get(function, ()))
        for arguments in self._calls_by(function):
            caller = self.calls.call_of.get(arguments)
            if caller is None or start_of(caller) in self.declared.places_of_heads:
                continue
            receiver, dot, _ = plain_name(unadorned(self.calls.name_of(arguments)[0])).rpartition(
                "."
            )
            # Inside the function, a method of its name is that of another object.
            is_others = (
                dot
                and receiver not in OWN_OBJECTS
                and self.declared.function_around(caller) == function
            )
            if not is_others:
                callers.append(self._placed(caller))
        return callers

    @remembered
    def _calls_by(self, name: str) -> Sequence[SgNode]:
        """List the arguments of calls by a name; what tests call tells nothing of production."""
        calls = self.calls.by_name.get(name, ())
        return [arguments for arguments in calls if not self.stages.is_in_tests(arguments)]

    def arguments_around(self, index: int) -> Arguments | None:
        """Find the innermost arguments, or the list, around a place of the text."""
        return self.calls.arguments_around(index)

    def own_function_given(self, arguments: Arguments) -> str:
        """Name the function of the file that is given some arguments; empty if it is another's."""
        name = plain_name(unadorned(self.calls.name_at(arguments)))
        receiver, _, function = name.rpartition(".")
        is_own = receiver.strip("$@") in {"", *OWN_OBJECTS, *self._types}
        if not is_own or function not in self.declared.functions_named:
            return ""
        return function

    def parameters(self, function: str, position: int, keyword: str) -> Collection[OwnParameter]:
        """Find the parameters of the functions of a name that are given an argument."""
        taking = []
        for node in self.declared.functions_named.get(function, ()):
            names = self.declared.names_of_parameters(node)
            place = node.range()
            if keyword in names:
                taking.append(OwnParameter(keyword, place.start.index, place.end.index))
            elif position < len(names):
                taking.append(OwnParameter(names[position], place.start.index, place.end.index))
        return taking

    def is_result(self, index: int) -> bool:
        """Tell whether the last expression of a function begins at a place, and is its result."""
        return index in self.declared.places_of_results

    @cached_property
    def _named_functions(self) -> NamedRanges[str]:
        functions = {}
        for function in self._found(self._grammar.functions):
            name = ""
            if self.declared.is_function(function):
                name = self.declared.name_of_function(function)
            if name:
                place = function.range()
                functions[place.start.index, place.end.index] = name
        return NamedRanges(functions)

    def _placed(self, call: SgNode) -> PlacedCall:
        name = ""
        within = 0
        for name, function in self.declared.functions_around(call):
            within = within or function.range().end.index
            if name:
                break
        place = call.range()
        return PlacedCall(place.start.index, place.end.index, name, within)

    def _is_for_old_hashes(self, call: SgNode) -> bool:
        """Tell whether a map has an object under another name than that for new hashes.

        Spring Security's `DelegatingPasswordEncoder` is given that name, and the map.
        """
        makers = self.calls.by_name.get("DelegatingPasswordEncoder", ())
        if not makers:
            return False
        uses = self._uses_of_object(call)
        return bool(uses) and all(self._is_of_old_hashes(use, makers) for use in uses)

    def _is_of_old_hashes(self, use: SgNode, makers: Sequence[SgNode]) -> bool:
        """Tell whether a map has an object under another name, or it is for unnamed hashes."""
        key = key_before(use)
        if key is None:
            given = use.parent()
            return (
                given is not None
                and _TAKES_UNNAMED.search(self.calls.name_of(given)[0]) is not None
            )
        name = self._value_of(key).data
        # No name is for hashes that were stored without one.
        if name is None:
            return True
        # Several may each choose another: it is for new hashes if one of them does.
        for maker in makers:
            chosen = [self._value_of(argument).data for argument in children(maker)[:1]]
            if not chosen or not isinstance(chosen[0], str) or chosen[0] == name:
                return False
        return isinstance(name, str)

    def _uses_of_object(self, call: SgNode) -> Sequence[SgNode]:
        """Find where an object that a call makes is used, itself or by the name it is given."""
        holder = call.parent()
        if holder is None or holder.kind() not in self._grammar.definitions:
            return [call]
        names = [name for name, value in self.declared.given_by(holder) if value == call]
        function = next(self.declared.functions_around(call), None)
        if not names or function is None:
            return [call]
        uses = function[1].find_all({"rule": {"regex": rf"^{re.escape(names[0])}$"}})
        end = holder.range().end.index
        # What is asked of the object itself, such as a setting, is no use of it.
        return [
            use
            for use in uses
            if not use.children()
            and use.range().start.index >= end
            and _ASKED.match(self.text, use.range().end.index) is None
        ]

    def _hashed_by_object(self, call: SgNode) -> tuple[str, ...]:
        """List what the object that a call makes hashes, if all that is done with it is known."""
        methods = self._language.hashes
        if not methods:
            return ()
        given = [given_in(link) for link in links_of(call)]
        if not given:
            given = list(self._calls_of_local(call))
        hashed = []
        for arguments in given:
            parts = children(arguments)
            if parts and last_word(unadorned(self.calls.name_of(arguments)[0])) in methods:
                hashed.append(parts[0].text())
        return tuple(hashed)

    def _calls_of_local(self, call: SgNode) -> Iterator[SgNode]:
        """Find the arguments of all methods of the object that a function makes by a call.

        An object that is given to others, or made outside of a function, is not followed.
        """
        holder = call.parent()
        function = next(self.declared.functions_around(call), None)
        if holder is None or function is None or self._uses_of_object(call):
            return
        for name, value in self.declared.given_by(holder):
            if value == call:
                members = self.calls.members.get(name, ())
                yield from (node for node in members if holds(function[1], start_of(node)))

    def _result_of(self, call: SgNode) -> tuple[str, int, int] | None:
        """Find the name that a function that is called back gives the result, and its range."""
        given = call.field("arguments")
        if given is None or not children(given):
            return None
        callback = children(given)[-1]
        parameters = callback.field("parameters")
        if (
            not self.declared.is_function(callback)
            or parameters is None
            or not children(parameters)
        ):
            return None
        result = children(parameters)[-1]
        return name_declared(result), result.range().end.index, callback.range().end.index

    def _aliases(self, name: str, index: int) -> Iterator[str]:
        """List other names of what is called, which the file and its imports give."""
        built = self._imports.of_built_package(name)
        if built:
            yield built
        first, dot, rest = name.partition(".")
        value = None
        # What is called to make a value is not of that: ``let shard = shard::new()``.
        if not self.declared.is_being_made(first, index):
            value = self._find(first, index) or self._result(first)
        if value is not None:
            path = dotted(value.data)
            if isinstance(value.data, Call):
                path = value.data.function
            if not path:
                path = self._default_of_parameter(first, index)
            if path and path != first:
                yield self._imports.canonical(f"{path}{dot}{rest}")
        for module in self._imports.whole:
            yield f"{plain_name(module)}.{name}"

    def _default_of_parameter(self, name: str, index: int) -> str:
        """Name the function that a parameter is, unless callers give another; empty if none is."""
        definitions = self.declared.visible(name, index)
        if len(definitions) != 1 or not definitions[0].is_parameter:
            return ""
        default = definitions[0].value
        if default is None:
            return ""
        return dotted(self._value_of(default).data)

    def _later(self, call: SgNode) -> dict[str, ast.expr]:
        """Gather what an initializer, a chain of calls and assignments give an object."""
        nodes = []
        for part in children(call)[1:]:
            if "initializer" in part.kind():
                nodes += of_kinds(part, self._grammar.assignments)
        links = links_of(call)
        nodes += map(given_in, links)
        top = call
        if links:
            top = links[-1]
        holder = top.parent()
        # Go defines lists of names by lists of values.
        if holder is not None and holder.kind() == _VALUES and len(children(holder)) == 1:
            holder = holder.parent()
        if holder is not None and holder.kind() in self._grammar.definitions:
            for name, value in self.declared.given_by(holder):
                if value is not None and value.range() == top.range():
                    for node in self.calls.members.get(name, ()):
                        nodes.append(node)
                        # Each of several in a row: ``builder.m_cost(65536).t_cost(3)``.
                        nodes += map(given_in, links_of(self.calls.made_with(node)))
        later = {}
        for node in nodes:
            name, at = self.calls.name_of(node)
            word = last_word(unadorned(name))
            if not name or word in later:
                continue
            if node.kind() in self._grammar.assignments:
                later[word] = self._expression(children(node)[-1])
            elif node.kind() in self._grammar.arguments:
                later[word] = self._one_or_several(node, at.line + 1)
        return later

    def _one_or_several(self, arguments: SgNode, line: int) -> ast.expr:
        """Translate the argument of a call; several, or none, become a tuple."""
        values = self._translation.call(arguments, line).args
        if len(values) == 1:
            return values[0]
        several = ast.Tuple(elts=values, ctx=ast.Load())
        several.lineno, several.col_offset = line, 0
        return several

    def calls_of(
        self, function: str, wanted: Parameter, homes: Collection[str] | None = None
    ) -> Iterator[Call]:
        """Work out what calls of a function that make new hashes give for a parameter."""
        calls = list(self._calls_by(function))
        for alias, meant in self._imports.names.items():
            # Another name of it: ``import { make as makeHash }``.
            if alias != function and last_word(meant.member or meant.module) == function:
                calls += self._calls_by(alias)
        by_name = (call for call in calls if self._is_call_of(function, call, homes))
        for arguments in chain(by_name, self._constructor_calls(function, homes)):
            call = self.calls.made_with(arguments)
            if self._makes_no_hash(call) or (wanted.may_derive_keys and self._makes_key(call)):
                continue
            form = self._passed(arguments, wanted)
            if wanted.most is None or len(form.arguments) <= wanted.most:
                yield form

    def _passed(self, arguments: SgNode, wanted: Parameter) -> Call:
        """Work out what a call gives for a parameter."""
        _, at = self.calls.name_of(arguments)
        tree = self._translation.call(arguments, at.line + 1)
        if self.calls.is_piped(self.calls.made_with(arguments)):
            tree.args.insert(0, ast.Constant(None, lineno=at.line + 1, col_offset=0))
        form = self.form(narrowed(tree, wanted), arguments.range().start.index)
        # Named arguments are the last one, unless the function names this one.
        is_last = wanted.at == len(form.arguments) and wanted.name not in form.keywords
        if self._language.language in _NAMES_MAKE_A_MAP and is_last and form.keywords:
            options = Value(dict(form.keywords), form.line)
            return replace(form, arguments=(*form.arguments, options))
        return form
