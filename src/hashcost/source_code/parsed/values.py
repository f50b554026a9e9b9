"""The meaning of the names in a file that ast-grep has parsed.

The order of statements is not followed: a name counts if it is given one value only in the
innermost function or class around.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from hashcost.source_code.derived_keys import may_derive_keys
from hashcost.source_code.evaluator import IN_PRODUCTION, converted, first_given
from hashcost.source_code.names import unadorned
from hashcost.source_code.parsed.declarations import (
    NO_PARAMETER,
    OF_WHOLE_CLASS,
    OWN_OBJECTS,
    RECEIVERS,
    Definition,
)
from hashcost.source_code.parsed.fields import ParsedFields
from hashcost.source_code.parsed.nodes import (
    holds,
    line_of,
    mentions,
    name_declared,
    parameters_in,
)
from hashcost.source_code.parsed.translation import children, conditional_in, start_of
from hashcost.source_code.project import (
    Imported,
    Parameter,
    Project,
    home_key,
    homes_of,
    is_of,
    plain_name,
)
from hashcost.source_code.remembering import remembered
from hashcost.source_code.rules import Language, last_word
from hashcost.source_code.values import (
    SPREAD,
    Call,
    DottedName,
    Prefix,
    Unknown,
    Unset,
    Value,
    described,
    dotted,
    is_passed_on,
    is_resolved,
    number_of,
    unless_set,
)

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_EXPORTS: Final = re.compile(r"export\s+default\b|return\b")
_OVERLOADS: Final = ("java", "kotlin", "csharp")
"""Languages in which a function may have several lists of parameters."""
_TAKES_MORE: Final = re.compile(r"\.\.\.|\bparams\b|\bvararg\b|\(\s*+this\s")
"""A function that takes any number of arguments, or has its first one before its name, too."""
_OF_BASE: Final = ("super", "base", "__construct")
"""Names by which a constructor calls that of its base."""
_DERIVED: Final = re.compile(
    r"\bclass\s++\w++(?:\s++(?:extends|implements)\b|\s*+(?:\([^(){}]{0,400}\))?\s*+[:<])"
    r"(?P<bases>[^{};\n]{0,400})"
)
"""A class, with what it is derived from."""
_CONSTRUCTORS: Final = frozenset({"constructor", "__construct"})
"""Names of functions that are called by the name of their class."""
_NOTHING: Final = re.compile(r"null|NULL|nil|None|undefined|0|''|\"\"")
_HAS_NOTHING: Final = re.compile(
    r"\(?\s*+(?:!\s*+(?P<negated>[$\w.>-]++)"
    r"|(?P<left>[$\w.>-]++)\s*+(?:(?P<sign>={2,3}|<=?|is)\s*+"
    r"(?P<bound>[0-9]{1,6}+|null|nil|None|undefined|(?:bcrypt\.)?Min\w*+)|\?)"
    r"|(?:is_null|empty)\(\s*+(?P<given>\$\w++)\s*+\))\s*+\)?"
)
"""A question whether a name has no value yet, or one that is too low: ``cost == 0``."""
_MAY_NOT_RUN: Final = re.compile(
    r"if_|unless|conditional|ternary|switch|case|when|match|for|while|catch|rescue"
)
"""The kinds of statements in which others do not always run, or run more often."""


class ParameterPlace(NamedTuple):
    """A parameter of a function, which other files know by one of the names of its ``homes``."""

    function: str
    wanted: Parameter
    homes: Collection[str]


class ParsedValues(ParsedFields):
    """The values of one file; its names may be those of other files."""

    def __init__(
        self, text: str, language: Language, grammar: str, path: str, project: Project | None
    ) -> None:
        super().__init__(text, language, grammar, path, project)
        self._values: dict[tuple[str, int], Value] = {}

    def _takes_all(self) -> bool:
        return self._language.language not in _OVERLOADS

    def _find(self, name: str, scope: int) -> Value | None:
        if self._is_made_up(name):
            return Value(Unknown(self._translation.opaque[name]), 0)
        definitions: Sequence[Definition] = ()
        if name not in self._imports.names:
            definitions = self.declared.visible(name, scope)
        if not definitions:
            value = None
            if self._language.bare_fields:
                value = self._field(name)
            elif self._language.modules == "names":
                # It may have been read from the object itself: ``self.cost``.
                value = self._own_field(name)
            if value is None and self.project is not None:
                value = self.project.inherited(name, self._bases, self._path)
            if value is None and self._calls_by_name:
                value = self._result(name)
            return value
        key = (name, definitions[0].by.range().start.index)
        if key not in self._values:
            self._values[key] = Value(Unknown(name), 0)  # As long as it is looked up.
            value = self._value_in_production(definitions)
            if value is not None:
                self._values[key] = self._with_later_entries(name, definitions, value)
        return self._values[key]

    def _with_later_entries(
        self, name: str, definitions: Sequence[Definition], value: Value
    ) -> Value:
        """Add the entries that a map is given later; one that is given two values is unknown."""
        if not isinstance(value.data, dict):
            return value
        entries = dict(value.data)
        for node in self._entered(name, definitions[0]):
            if self.stages.is_only_for_tests(node):
                continue
            entry = last_word(children(node)[0].text())
            later = self._value_of(children(node)[-1])
            if entry in entries and entries[entry].data != later.data:
                both = f"{described(entries[entry].data)} or {described(later.data)}"
                later = Value(Unknown(both), later.line)
            entries[entry] = later
        return replace(value, data=entries)

    def _entered(self, name: str, first: Definition) -> Sequence[SgNode]:
        """Find the assignments of entries to a map that has a name, by its first definition."""
        return self._entered_by_place(name).get(first.by.range().start.index, ())

    @remembered
    def _entered_by_place(self, name: str) -> Mapping[int, Sequence[SgNode]]:
        """Group the assignments of entries to maps of a name, by where these are defined."""
        entering = defaultdict(list)
        for node in self.calls.members.get(name, ()):
            if node.kind() in self._grammar.assignments:
                defined_by = self.declared.visible(name, node.range().start.index)[0].by
                entering[defined_by.range().start.index].append(node)
        return entering

    def _value_in_production(self, definitions: Sequence[Definition]) -> Value | None:
        """Work out the value of a name, without the definitions that are only for tests."""
        if len(definitions) == 1:
            return self._only_value(definitions)
        kept = [one for one in definitions if not self.stages.is_only_for_tests(one.by)]
        if not kept or len(kept) == len(definitions):
            return self._only_value(definitions)
        value = self._only_value(kept)
        return value and value.because(IN_PRODUCTION)

    def _only_value(self, definitions: Sequence[Definition]) -> Value | None:
        """Work out the value that all definitions give a name; ``None`` if they differ."""
        # What is assigned comes first.
        *assigned, last = definitions
        if any(definition.key for definition in definitions):
            if assigned:
                return None
            return self._taken_from(last)
        if last.is_parameter and not assigned:
            return self._argument_of(last.by, last.value)
        if len(assigned) == 1:
            made = self._of_two(assigned[0], last)
            if made is not None:
                return made
        if last.is_default and last.value is not None and not assigned:
            return self._value_of(last.value).because("unless it is set before")
        begun = [definition for definition in definitions if not definition.is_appended]
        if len(begun) < len(definitions):
            return self._beginning(begun)
        node = definitions[0].value
        if node is None:
            return None
        texts = set()
        for definition in definitions:
            if definition.value is None:
                return None
            texts.add(definition.value.text())
        if len(texts) == 1:
            return self._value_of(node)
        given = [d.value for d in definitions if d.value is not None]
        return unless_set([self._value_of(node) for node in given])

    def _of_two(self, first: Definition, last: Definition) -> Value | None:
        """Work out the value of a name that is defined twice; ``None`` if that tells nothing."""
        if last.is_parameter:
            is_replaced = last.value is not None and _NOTHING.fullmatch(last.value.text())
            if is_replaced or self._gives_default(first):
                argument = self._argument_of(last.by, first.value)
                return self._or_default(argument, first)
            return self._made_again(last, first)
        if self._gives_default(last):
            given = [one.value for one in (first, last) if one.value is not None]
            value = first_given([self._value_of(node) for node in given])
            return self._or_default(value, last)
        return self._made_again(first, last)

    def _beginning(self, definitions: Sequence[Definition]) -> Value | None:
        """Take what is known of a text to which more is added than these definitions give."""
        if len(definitions) != 1 or definitions[0].is_parameter:
            return None
        value = self._only_value(definitions)
        if value is None:
            return None
        match value.data:
            case Prefix():
                return value
            case str(text) if text:
                return replace(value, data=Prefix(text))
            case _:
                return None

    def _made_again(self, before: Definition, again: Definition) -> Value | None:
        """Work out what a name becomes: ``options = { ...defaults, ...options }``.

        Return ``None`` if it is made of something else, or not always.
        """
        name = name_declared(before.by)
        if again.value is None or not mentions(again.value, name) or self._may_not_run(again):
            return None
        value = None
        first = before
        if before.is_parameter:
            value = self._argument_of(before.by, before.value)
            first = again
        elif before.value is not None and not self._may_not_run(before):
            value = self._value_of(before.value)
        # The name is what it was before while its new value is worked out.
        self._values[name, start_of(first.by)] = value or Value(Unknown(name), 0)
        return self._value_of(again.value)

    def _may_not_run(self, definition: Definition) -> bool:
        """Tell whether a condition in the function around decides about a definition."""
        for around in definition.by.ancestors():
            if self.declared.is_function(around):
                break
            if _MAY_NOT_RUN.search(around.kind()):
                return True
        return False

    def _taken_from(self, definition: Definition) -> Value | None:
        """Work out a name that has an entry of a map."""
        key = definition.key
        otherwise = None
        if definition.otherwise is not None:
            otherwise = self._value_of(definition.otherwise)
        whole = Value(None, 0)
        if definition.value is not None:
            whole = self._value_of(definition.value)
        entries = whole.data
        if definition.is_parameter:
            if otherwise is None and isinstance(entries, dict):
                otherwise = entries.get(key)
            return self._argument_of(definition.by, None, key, otherwise)
        if definition.value is None:
            return None
        if isinstance(entries, dict) and not {key, SPREAD} & entries.keys():
            return otherwise and otherwise.because(*whole.whys)
        line = line_of(definition.value)
        map_ = self._expression(definition.value)
        member = ast.Attribute(map_, key, lineno=line, col_offset=0)
        entry = self.value(member, definition.value.range().start.index)
        if otherwise is None:
            return entry
        return first_given([entry, otherwise])

    def _gives_default(self, definition: Definition) -> bool:
        """Tell whether a definition only replaces a missing value, or one that is too low."""
        return definition.is_default or self._question_around(definition) is not None

    def _question_around(self, definition: Definition) -> re.Match[str] | None:
        """Find the question whether a name has a value, upon which it is given one."""
        at = definition.by.range().start.index
        for around in definition.by.ancestors():
            if self.declared.is_function(around):
                return None
            conditional = conditional_in(around)
            if conditional is None:
                continue
            name, _ = next(self.declared.given_by(definition.by), ("", None))
            asked = _HAS_NOTHING.fullmatch(conditional.test.text().strip())
            if asked is None or conditional.is_negated or not holds(conditional.body, at):
                return None
            # Ruby's question stands behind the name: ``cost.nil?``.
            about = asked["left"] or asked["negated"] or asked["given"]
            if name == last_word(about.removesuffix(".nil")):
                return asked
            return None
        return None

    def _or_default(self, value: Value | None, definition: Definition) -> Value | None:
        """Take the default that a definition gives a name in place of a missing or low value."""
        if value is None or definition.value is None or not is_resolved(value.data):
            return value
        question = self._question_around(definition)
        is_replaced = not value.data
        if question is not None and question["sign"]:
            is_replaced = self._is_true_of(question, value)
        if not is_replaced:
            return value
        return self._value_of(definition.value).because(*value.whys)

    def _is_true_of(self, question: re.Match[str], value: Value) -> bool:
        """Tell whether a value is the one that a comparison asks for, or below its bound."""
        bound = converted(Value(question["bound"], 0))
        named = self._constant_named(question["bound"])
        if named is not None:
            bound = named
        lowest = number_of(bound.data)
        number = number_of(value.data)
        if lowest is None or number is None:  # A missing number is below each.
            return value.data is None
        match question["sign"]:
            case "<":
                return number < lowest
            case "<=":
                return number <= lowest
            case _:
                return number == lowest

    def _argument_of(
        self, parameter: SgNode, default: SgNode | None, key: str = "", value: Value | None = None
    ) -> Value | None:
        """Tell what callers give a function for a parameter; ``None`` if that is unknown.

        With a ``key`` it is that entry of a map, and ``value`` the default of the entry.
        """
        if default is not None:
            value = self._value_of(default)
        elif value is None and parameter.kind() in self._grammar.tagged:
            value = self._default_in_tag(parameter)
        place = self.place_of(parameter, key)
        if place is None:
            return value and value.because(
                f"unless the caller passes {key or name_declared(parameter)}"
            )
        return self._argument(place.wanted, place.function, place.homes, value)

    def place_of(self, parameter: SgNode, key: str = "") -> ParameterPlace | None:
        """Tell by which names callers know a parameter; ``None`` if it is not one of a list."""
        taking = self._taking(parameter)
        if taking is None:
            return None
        function = self.declared.function_around(parameter)
        if taking.kind() in self._grammar.types:
            function = self.declared.class_around(parameter)
        own = []
        kinds = self._grammar.parameters or self._grammar.arguments
        for around in parameter.ancestors()[:2]:
            if around.kind() in kinds:
                parts = parameters_in(around)
                given = [part for part in parts if part.text() not in RECEIVERS]
                own = [part.range() for part in given if not NO_PARAMETER.search(part.kind())]
                break
        if not function or parameter.range() not in own:
            return None
        owner = self.declared.class_around(parameter)
        if function in _CONSTRUCTORS:
            function = owner
        at = own.index(parameter.range())
        text = taking.text()
        most = None
        if not self._takes_all() and not _TAKES_MORE.search(text):
            most = len(own)
        wanted = Parameter(key or name_declared(parameter), at, may_derive_keys(text), key, most)
        return ParameterPlace(function, wanted, homes_of(self._path, function, owner))

    def _taking(self, parameter: SgNode) -> SgNode | None:
        """Find the function that takes a parameter, or the class that is made of it."""
        for above in parameter.ancestors():
            if above.kind() in self._grammar.types:
                return above
            if self.declared.is_function(above) and above.kind() != OF_WHOLE_CLASS:
                return above
        return None

    def _is_call_of(self, function: str, arguments: SgNode, homes: Collection[str] | None) -> bool:
        """Tell whether a call by the name of a function is one of it, and not by itself."""
        if self._calls_itself(arguments, function):
            return False
        name, _ = self.calls.name_of(arguments)
        first, *rest = plain_name(unadorned(name)).split(".")
        imported_as = self._imports.names.get(first)
        if homes is None:
            is_method = bool(rest) and self._language.language == "php"
            return imported_as is None and not is_method
        words = [first, *rest]
        if imported_as is not None:
            members = filter(None, imported_as.member.split("."))
            words = [*imported_as.words, *members, *rest]
        return is_of(words, homes) or self._inherits(words, homes)

    def _calls_itself(self, arguments: SgNode, function: str) -> bool:
        """Tell whether a function of that name makes the call itself.

        A function that takes another number of arguments is another one of that name.
        """
        named = (around for around in self.declared.functions_around(arguments) if around[0])
        name, around = next(named, ("", None))
        if around is None or name != function:
            return False
        parameters = self.declared.parameters_of(around)
        if parameters is None:
            return True
        taken = [
            part for part in parameters_in(parameters) if not NO_PARAMETER.search(part.kind())
        ]
        return len(taken) == len(children(arguments))

    def _inherits(self, words: Sequence[str], homes: Collection[str]) -> bool:
        """Tell whether a call of the own object is one of a base, which has one of these names."""
        *owner, name = words
        is_own = not owner or owner[-1].strip("$@") in OWN_OBJECTS
        return is_own and not self._bases.isdisjoint(homes) and name not in self.declared.functions

    @cached_property
    def _bases(self) -> frozenset[str]:
        """The names of what classes of the file are derived from, as `home_key` writes them."""
        bases: set[str] = set()
        for declared in _DERIVED.finditer(self.text):
            bases.update(map(home_key, re.findall(r"\w+", declared["bases"])))
        return frozenset(bases)

    def _constructor_calls(self, function: str, homes: Collection[str] | None) -> Sequence[SgNode]:
        """Find the calls by which constructors call another one of their class, or a base's."""
        calls: list[SgNode] = []
        if homes is None and function in self._types:
            calls += self.calls.by_name.get("this", ())
        is_constructor = homes is None or home_key(function) in homes
        if is_constructor and home_key(function) in self._bases:
            for word in _OF_BASE:
                calls += self.calls.by_name.get(word, ())
        return calls

    def _result(self, function: str) -> Value | None:
        *owner, name = function.split(".")
        if owner and owner[-1] not in self._types:
            return None
        result = self.declared.only_result(name)
        tagged: list[Value] = []
        if result is None:
            tagged = self._defaults_in_tags(f"{name}()")
        if result is None and len(tagged) == 1:
            return tagged[0]
        if result is None:
            return None
        return self._looked_up((name, -2), result)

    @cached_property
    def _calls_by_name(self) -> bool:
        """Whether a name without brackets calls a function, as in Ruby."""
        return "identifier" in self._grammar.bare

    def _member(self, owner: str, name: str) -> Value | None:
        if self._calls_by_name:
            return self._result(f"{owner}.{name}")
        return None

    def _looked_up(self, key: tuple[str, int], node: SgNode) -> Value | None:
        """Work out a node that a name stands for; ``None`` if it is unknown."""
        if key not in self._values:
            self._values[key] = Value(Unknown(key[0]), 0)  # As long as it is looked up.
            self._values[key] = self._value_of(node)
        value = self._values[key]
        if isinstance(value.data, Unknown) and not isinstance(value.data, Unset | Prefix):
            return None
        return value

    def _constant_named(self, path: str) -> Value | None:
        canonical = self._imports.canonical(path)
        package, dot, member = canonical.partition(".")
        usual = self._language.dialect.packages.get(package, package)
        for name in (path, canonical, canonical.rpartition("/")[2], f"{usual}{dot}{member}"):
            constant = super()._constant_named(name)
            if constant is not None:
                return constant
        return None

    def _foreign(self, path: str) -> Value | None:
        return self._bound_setting(path) or self._in_other_file(path)

    def _in_other_file(self, path: str) -> Value | None:
        project = self.project
        if project is None:
            return None
        modules = self._language.modules
        first, *rest = path.removesuffix("()").replace("()", "").split(".")
        imported_as = self._imports.names.get(first)
        if path.endswith("()") and rest:
            rest[-1] += "()"
        elif path.endswith("()") and imported_as is not None:
            member = imported_as.member or "default"
            imported_as = Imported(imported_as.module, f"{member}()")
        elif path.endswith("()"):
            first = f"{first}()"
        if imported_as is not None:
            value = project.of(imported_as, rest, self._path)
            if value is not None or imported_as.is_own or modules == "paths":
                return value
            return project.named(self._imports.canonical(path), self._path)
        for module in self._imports.whole:
            value = project.of(Imported(module), [first, *rest], self._path)
            if value is not None:
                return value
        if rest and modules != "paths":
            value = project.named(path, self._path)
            if value is None and first[:1].isupper() and modules == "names":
                return project.of_type([first, *rest], self._path)
            return value
        if not rest and modules == "folders":
            return project.beside(first, self._path)
        if not rest and first.isupper():
            return project.constant(first, self._path)
        return None

    def exported(self, members: Sequence[str]) -> Value | None:
        """Find the value of a dotted name in other files; without a name, the whole export."""
        names = [member.removesuffix("()") for member in members if member != "default"]
        if len(names) > 1 and names[0] in self._types:
            names = names[1:]
        # A name that is imported keeps it: the other file has what it stands for.
        if names and names[0] not in self._imports.names:
            names[0] = self._exported_as.get(names[0], names[0])
        # Python could not read the others: `$cost` of PHP, `valid?` of Ruby.
        if not all(name.isidentifier() and not keyword.iskeyword(name) for name in names):
            return None
        if members and members[-1].endswith("()"):
            return self._result(".".join(names))
        # Where a folder shares its names, each file has its own: no other is asked again.
        passes_on = self.project is not None and self._language.modules != "folders"
        if names and self._is_of_functions(names[0]):
            return None
        if names and (names[0] in self.declared.by_name or passes_on):
            value = self.value(ast.parse(".".join(names), mode="eval").body, 0)
            if is_resolved(value.data) or isinstance(value.data, Call):
                return value
            path = dotted(value.data)
            if names[0] in self.declared.by_name and is_passed_on(path):
                return self._passed_on(path, value)
        if self._exported_whole is None:
            return None
        value = self._value_of(self._exported_whole)
        for name in names:
            if not isinstance(value.data, dict) or name not in value.data:
                return None
            value = value.data[name]
        return value

    def _passed_on(self, path: str, value: Value) -> Value | None:
        """Write a name of a library as each file knows it; ``None`` if only this one does."""
        imported_as = self._imports.names.get(path.partition(".")[0])
        if imported_as is not None and imported_as.is_own:
            return None
        return replace(value, data=DottedName(self._imports.canonical(path)))

    def _is_of_functions(self, name: str) -> bool:
        """Tell whether only functions of the file give a name a value, each for itself."""
        definitions = self.declared.by_name.get(name, [])
        if not definitions or name in self._imports.names:
            return False
        return all(self.declared.scope_of(definition.by).in_function for definition in definitions)

    @cached_property
    def _exported_whole(self) -> SgNode | None:
        """The value of the file where it is imported without a name."""
        if "exports" in self.declared.by_name:
            return self.declared.by_name["exports"][-1].value
        for node in self._found(self._grammar.exports):
            above = node.parent()
            parts = children(node)
            is_top = above is not None and above.kind() == "program"
            if is_top and parts and _EXPORTS.match(node.text()):
                return parts[0]
        return None

    @cached_property
    def _exported_as(self) -> dict[str, str]:
        """The names that the file itself has for what it exports by another name."""
        renamed = {}
        for node in self._found(self._grammar.renames):
            name, *alias = children(node)
            if alias:
                renamed[alias[0].text()] = name.text()
        return renamed

    def passed_on_as(self, function: str) -> Sequence[str]:
        """List the other names by which the file passes on a function."""
        passed_on = [alias for alias, name in self._exported_as.items() if name == function]
        if not self._grammar.renames:
            for alias, meant in self._imports.names.items():
                if last_word(meant.member or meant.module) == function:
                    passed_on.append(alias)
        return [alias for alias in passed_on if alias != function]
