"""A Python file, read without running it: its calls and assignments, and their uses."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Final

from hashcost.core.errors import UnreadableInputError
from hashcost.core.text import printable
from hashcost.source_code.derived_keys import Arguments, KeyUses, NamedRanges, OwnParameter
from hashcost.source_code.dummies import makes_dummy
from hashcost.source_code.evaluator import narrowed
from hashcost.source_code.files import LARGEST_SOURCE
from hashcost.source_code.project import Parameter, Project, home_key, is_of, plain_name
from hashcost.source_code.python.tree import OBJECTS, PythonFunction
from hashcost.source_code.python.values import Assigned, Called, Class, PythonValues
from hashcost.source_code.remembering import remembered
from hashcost.source_code.rules import last_word
from hashcost.source_code.sites import RuleNames, Site
from hashcost.source_code.stages import DeploymentStage, stage_named
from hashcost.source_code.uses import (
    PlacedCall,
    hashed_with,
    may_help_verify,
    name_kept_as,
    only_verifies,
)
from hashcost.source_code.values import Call, Value, dotted

_CONFIGURES: Final = ("config.update", "config.from_mapping", "settings.configure")
"""The ends of calls by which Flask and Django are given settings."""
_CONFIGURING: Final = frozenset(last_word(name) for name in _CONFIGURES)
_TAKEN_OUT: Final = re.compile(r"(?<![\w.])(?P<map>[^\W\d]\w*+)\.pop\(\s*+['\"](?P<key>\w++)['\"]")
"""A key that is taken out of a map: ``data.pop("password")``."""


def read_python(
    text: str, path: str = "", project: Project | None = None, *, for_names: bool = False
) -> PythonFile:
    """Read a file; with its path, what other files of its project define counts too.

    One that is read ``for_names`` is asked for what it exports; its functions are read later, if
    at all.

    Raises:
        UnreadableInputError: it is not Python, too large, or too deeply nested.
    """
    if len(text) > LARGEST_SOURCE:  # Its tree takes a hundred times as much memory.
        raise UnreadableInputError(f"it is larger than {LARGEST_SOURCE:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        file = PythonFile(tree, text, path, project, for_names=for_names)
        if not for_names:
            file.read_functions()
        return file
    except (RecursionError, MemoryError):
        raise UnreadableInputError("it is nested too deeply to be read") from None
    except SyntaxError as error:
        why = f"not Python: {printable(error.msg)[:80]}"
        if error.lineno:
            why = f"line {error.lineno}: {why}"
        raise UnreadableInputError(why) from None
    except ValueError as error:
        raise UnreadableInputError(f"not Python: {printable(str(error))[:80]}") from None


class PythonFile(PythonValues):
    """One file with its calls, and what these make: new hashes, keys, or none that counts."""

    @cached_property
    def _keys(self) -> KeyUses:
        return KeyUses(self._text, self)

    def sites(self, wanted: RuleNames) -> Iterator[Site]:
        """Find every call and assignment whose name ends in a wanted word.

        A class is a call of its base, whatever there is to gather.
        """
        words = wanted.words
        yield from self._call_sites(words)
        yield from self._assignment_sites(words)
        for defined in self.classes.values():
            attributes = {}
            for name, assigned in defined.attributes.items():
                last = assigned[-1]
                attributes[name] = replace(last.value, line=last.line)
            for base in defined.bases:
                name = f"class {dotted(base)}"
                if last_word(name) in words:
                    yield Site(
                        name=name,
                        names=(plain_name(name),),
                        line=defined.line,
                        call=Call(name, (), attributes, defined.line),
                        in_tests=bool(defined.apart),
                        is_whole=True,
                        defines=defined.name,
                    )

    def _call_sites(self, words: frozenset[str]) -> Iterator[Site]:
        behind = self._behind_others()
        for called in self.called:
            call = called.call
            name = called.node.func
            if call.name not in words:
                continue
            takes = None
            own = self._own_class(call.function)
            if own is not None:
                # What such a class hashes by is seen in it.
                if self._calls_one_of(words, own.line, own.last_line):
                    continue
                takes = own.takes
            place = self._placed(called.node, called.function)
            nothing = Value(None, called.node.lineno)
            taken_out = dict.fromkeys(self._taken_out_of_given(called.node, place), nothing)
            given = replace(call, keywords={**taken_out, **call.keywords})
            yield Site(
                name=call.function,
                names=(plain_name(call.function),),
                line=name.end_lineno or name.lineno,
                column=name.end_col_offset or 0,
                call=given,
                first=self._first_of(called.node),
                hashes=hashed_with(self._text, call.name, place),
                in_tests=bool(called.apart),
                makes_no_hash=self._only_verifies(place),
                helps_verify=self._helps_verify(called.function),
                makes_key=self._keys.makes_key(place),
                makes_dummy=makes_dummy(self._text, place.start, place.function),
                inside=place.function,
                kept_as=name_kept_as(self._text, place.start),
                behind=behind.get(id(call), ""),
                own_takes=takes,
            )

    def _taken_out_of_given(self, call: ast.Call, place: PlacedCall) -> Iterator[str]:
        """Find the keys that the function took out of a map before it gives it as ``**map``."""
        maps = set()
        for keyword in call.keywords:
            if keyword.arg is None and isinstance(keyword.value, ast.Name):
                maps.add(keyword.value.id)
        if not maps:
            return
        before = self._text[: place.start].rpartition("def ")[2]
        for taken in _TAKEN_OUT.finditer(before):
            if taken["map"] in maps:
                yield taken["key"]

    def _first_of(self, call: ast.Call) -> str:
        """Take the first argument of a call as it is written, without what that is given."""
        if not call.args:
            return ""
        return plain_name(self._written(call.args[0]))

    def _own_class(self, name: str) -> Class | None:
        """Find the class of the file that has a name, unless it is derived from a library's."""
        own = self.classes.get(name)
        if own is None or any(dotted(base).endswith(f".{name}") for base in own.bases):
            return None
        return own

    @remembered
    def _calls_one_of(self, words: frozenset[str], first: int, last: int) -> bool:
        """Tell whether some lines, such as those of a class, call one of these names."""
        calls = (called for called in self.called if called.call.name in words)
        return any(first <= called.node.lineno <= last for called in calls)

    def _behind_others(self) -> dict[int, str]:
        """Name the call in whose list a call stands, though not first, by the identity of that."""
        behind = {}
        for called in self.called:
            for given in (*called.call.arguments, *called.call.keywords.values()):
                if isinstance(given.data, tuple):
                    for later in given.data[1:]:
                        behind[id(later.data)] = called.call.function
        return behind

    def _assignment_sites(self, words: frozenset[str]) -> Iterator[Site]:
        live = set(chain.from_iterable(self.names.values()))
        in_production = {one.name for one in self.assigned if _is_of_production(one)}
        for assigned in (*self.assigned, *self.stored, *self.configured()):
            if assigned.name not in words or assigned.local:
                continue
            is_module_wide = not (assigned.inside or assigned.base)
            is_overridden = is_module_wide and assigned not in live
            # A class for production overrides what those of other stages assign.
            if assigned.name in in_production and not _is_of_production(assigned):
                is_overridden = True
            yield Site(
                name=assigned.name,
                names=(plain_name(assigned.name),),
                line=assigned.line,
                call=Call.with_one(assigned.value),
                assigns=True,
                in_tests=is_overridden or bool(assigned.apart),
            )

    def configured(self) -> Iterator[Assigned]:
        """Find the settings that calls give an application, by name or in a map."""
        for called in self.called:
            call = called.call
            # An object of the project may have the name of the library's.
            function = call.function
            if call.name in _CONFIGURING:
                function = ast.unparse(called.node.func)
            if not function.endswith(_CONFIGURES):
                continue
            given = dict(call.keywords)
            if call.arguments and isinstance(call.arguments[0].data, dict):
                given = call.arguments[0].data | given
            owner = function.rpartition(".")[0]
            for name, value in given.items():
                yield Assigned(
                    name=name, line=call.line, value=value, base=owner, apart=called.apart
                )

    def makes_no_hash(self, called: Called) -> bool:
        """Tell whether a call, or the object that it makes, is only asked to verify hashes."""
        return self._only_verifies(self._placed(called.node, called.function))

    def _only_verifies(self, call: PlacedCall) -> bool:
        return only_verifies(self._text, call, self._path, self.project)

    def _helps_verify(self, function: PythonFunction | None) -> bool:
        """Tell whether a function is only used by what verifies, in its file."""
        if function is None:
            return False
        calls = self._tree.callers.get(function.name, ())
        start, end = self._places.lines_of(function)
        if not may_help_verify(self._text, function.name, start, end, len(calls)):
            return False
        project = self.project
        if project is not None and project.is_named_elsewhere(function.name, self._path):
            return False
        return all(map(self._only_verifies, self.callers(function.name)))

    def _placed(self, node: ast.Call, function: PythonFunction | None) -> PlacedCall:
        name = ""
        within = 0
        if function is not None:
            name = function.name
            _, within = self._places.lines_of(function)
        return PlacedCall(*self._places.place_of(node), name, within)

    def around(self, index: int) -> tuple[int, str] | None:
        """Find the end and the name of the innermost function around a place of the text."""
        return self._named_functions.around(index)

    def callers(self, function: str) -> Collection[PlacedCall]:
        """Find the calls of the functions of a name."""
        return [
            self._placed(node, around) for node, around in self._tree.callers.get(function, ())
        ]

    def arguments_around(self, index: int) -> Arguments | None:
        """Find the innermost arguments, or the list, around a place of the text."""
        around = self._arguments_by_place.around(index)
        listed = self._lists_by_place.around(index, begins_before=True)
        if listed is not None and (around is None or listed[1].start >= around[1][0].inside):
            return listed[1]
        if around is None:
            return None
        _, (arguments, _) = around
        return arguments

    @cached_property
    def _arguments_by_place(self) -> NamedRanges[tuple[Arguments, ast.expr]]:
        ranges = {}
        for calls in self._tree.calls.values():
            for call, _ in calls:
                _, named_until = self._places.place_of(call.func)
                start, end = self._places.place_of(call)
                inside = self._text.find("(", named_until, end)
                given = [self._places.place_of(argument)[0] for argument in call.args]
                given += [self._places.offset(one.lineno, one.col_offset) for one in call.keywords]
                arguments = Arguments(start, inside, end, sorted(given))
                ranges[inside, end] = (arguments, call.func)
        return NamedRanges(ranges)

    @cached_property
    def _lists_by_place(self) -> NamedRanges[Arguments]:
        ranges = {}
        for listed in self._tree.lists:
            start, end = self._places.place_of(listed)
            places = [self._places.place_of(value)[0] for value in listed.elts]
            ranges[start, end] = Arguments(start, start, end, places, is_list=True)
        return NamedRanges(ranges)

    def own_function_given(self, arguments: Arguments) -> str:
        """Name the function of the file that is given some arguments; empty if it is another's."""
        around = self._arguments_by_place.around(arguments.inside)
        if around is None:
            return ""
        _, (_, called) = around
        owners = {*OBJECTS, *self.classes}
        match called:
            case ast.Name(id=function) if function in self._tree.functions:
                return function
            case ast.Attribute(ast.Name(id=owner), function) if owner in owners:
                return function
            case _:
                return ""

    def parameters(self, function: str, position: int, keyword: str) -> Collection[OwnParameter]:
        """Find the parameters of the functions of a name that are given an argument."""
        taking = []
        for node in self._tree.functions.get(function, ()):
            listed = [*node.args.posonlyargs, *node.args.args]
            names = [one.arg for one in listed if one.arg not in OBJECTS]
            by_name = {*names, *(one.arg for one in node.args.kwonlyargs)}
            if keyword in by_name:
                taking.append(OwnParameter(keyword, *self._places.lines_of(node)))
            elif position < len(names):
                taking.append(OwnParameter(names[position], *self._places.lines_of(node)))
        return taking

    def is_result(self, _index: int) -> bool:
        """Tell that Python returns nothing without a word for it."""
        return False

    @cached_property
    def _named_functions(self) -> NamedRanges[str]:
        functions = {}
        for name, nodes in self._tree.functions.items():
            functions.update(dict.fromkeys(map(self._places.lines_of, nodes), name))
        return NamedRanges(functions)

    def calls_of(
        self, function: str, wanted: Parameter, homes: Collection[str] | None = None
    ) -> Iterator[Call]:
        """Work out what calls of a function that make new hashes give for a parameter."""
        noted = self.called
        calls = list(self._tree.callers.get(function, ()))
        for name, path in self._imported.items():
            # Another name of it: ``from hashing import make as make_hash``.
            if name != function and path.endswith(f".{function}"):
                calls += self._tree.callers.get(name, ())
        for node, around in calls:
            words = dotted(self.value(node.func, self._module).data).split(".")
            is_meant = words[0] not in self._imported
            if homes is not None:
                first, *rest = ast.unparse(node.func).split(".")
                # What passes it on may have another name for it than the file that defines it.
                as_imported = [*self._imported.get(first, first).split("."), *rest]
                is_meant = is_of(words, homes) or is_of(as_imported, homes)
                is_meant = is_meant or self._inherits(words, homes)
            calls_itself = around is not None and around.name == function
            place = self._placed(node, around)
            makes_key = wanted.may_derive_keys and self._keys.makes_key(place)
            makes_no_hash = makes_key or self._only_verifies(place)
            if is_meant and not calls_itself and not makes_no_hash:
                self.called = []  # What is passed has been noted where it is read.
                call = self.form(narrowed(node, wanted), self._seen_in(around))
                self.called = noted
                yield call

    def _inherits(self, words: Sequence[str], homes: Collection[str]) -> bool:
        """Tell whether a call of the own object is one of a base, which has one of these names."""
        if words[0] not in OBJECTS:
            return False
        for defined in self.classes.values():
            named = {home_key(dotted(base).rpartition(".")[2]) for base in defined.bases}
            if not named.isdisjoint(homes) and words[-1] not in defined.attributes:
                return True
        return False


def _is_of_production(assigned: Assigned) -> bool:
    return stage_named(assigned.inside) is DeploymentStage.PRODUCTION
