"""The meaning of the names in a file that ast-grep has parsed.

The order of statements is not followed: a name counts if it is given one value only in the
innermost function or class around.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from hashcost.source_code.calls import Calls
from hashcost.source_code.declarations import (
    NO_PARAMETER,
    OF_WHOLE_CLASS,
    OWN_OBJECTS,
    RECEIVERS,
    TYPE_NAMES,
    Declarations,
    Definition,
)
from hashcost.source_code.derived_keys import may_derive_keys
from hashcost.source_code.evaluator import IN_PRODUCTION, Evaluator, converted, first_given
from hashcost.source_code.names import unadorned
from hashcost.source_code.nodes import (
    default_in,
    holds,
    is_settable,
    line_of,
    mentions,
    name_declared,
    name_in,
    named_by,
    parameters_in,
)
from hashcost.source_code.parsed_stages import ParsedStages
from hashcost.source_code.project import (
    Imported,
    Parameter,
    Project,
    home_key,
    homes_of,
    imports_in,
    is_of,
    plain_name,
    without_comments,
)
from hashcost.source_code.properties import properties_named
from hashcost.source_code.remembering import remembered
from hashcost.source_code.rules import Language, last_word
from hashcost.source_code.translation import (
    Translation,
    children,
    conditional_in,
    fields_of_records,
    of_kinds,
    start_of,
)
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
    plain,
    unless_set,
)
from hashcost.storage.extras import imported

if TYPE_CHECKING:
    from ast_grep_py import Range, SgNode

_TYPE: Final = re.compile(
    r"\b(?:class|struct|object|interface|trait|enum|module|record|defmodule|impl|mod(?=\s+\w+\s*\{))\s+(\w+)"
)
_EXPORTS: Final = re.compile(r"export\s+default\b|return\b")
_MEMBERS: Final = re.compile(r"\w++(?:(?:\?\.|\.)\w++)++")
"""A member of another object: ``config.Argon2.Memory``."""
_MAKES: Final = re.compile(r"^object_creation|^composite_literal$|^struct_expression$")
"""The kinds of node that make an object and list what its fields are given."""
_READS_BY_METHODS: Final = ("java",)
"""Languages in which objects are read by methods: ``limits.getCost()``, not ``limits.cost``."""
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
_SHORTHAND: Final = "shorthand_field_initializer"
"""The kind of node that gives a field of Rust what has its name: ``Self { cost }``."""
_NOTHING: Final = re.compile(r"null|NULL|nil|None|undefined|0|''|\"\"")
_DEFAULT_IN_TAG: Final = re.compile(
    r"""\b(?:default|envDefault|env-default):"(?P<go>[0-9]{1,18})\""""
    r"""|@Inject\(\s*+(?P<injected>\w++)\.KEY\s*+\)"""
    r"""|(?<!:)\$\{(?P<property>[\w.-]{1,200})(?::(?P<spring>[0-9]{1,18}))?\}"""
    r"""|(?:\bdefault(?:Value|_value|_value_t)?\s*[=:(]|[@\[](?:With)?Default(?:Value)?\()\s*["']?"""
    r"""(?:(?P<option>[0-9]{1,3}(?:_[0-9]{3}){1,4}|[0-9]{1,18})|(?P<made_by>(?<=")\w++(?:::\w++)*+)"""
    r"""|(?P<constant>(?<!["'])[^\W\d][\w.:]{0,200}))(?=["'`\s]*[,)\]}"'`])"""
)
"""The default that libraries of settings give what is declared: caarlos0/env, envconfig, cleanenv,
Spring's ``@Value``, MicroProfile's ``@ConfigProperty``, SmallRye's ``@WithDefault``, Skife's
``@Default``, clap, structopt, serde, smart-default, sequelize-typescript, and C#'s
``DefaultValue``. NestJS injects a part of the configuration by its ``KEY``."""
_BOUND: Final = re.compile(
    r"@ConfigurationProperties\(\s*+(?:(?:prefix|value)\s*+=\s*+)?+\"(?P<prefix>[\w.-]*+)\""
)
"""The annotation of a class whose fields Spring or Micronaut fills from the configuration."""
_DECLARED_AS: Final = re.compile(
    r"\b(?P<type>[A-Z]\w*+)\s++(?P<name>[a-z]\w*+)\s*+(?=[;=,)])"
    r"|\b(?P<of_kotlin>[a-z]\w*+)\s*+(?::\s*+(?P<kotlin>[A-Z]\w*+)|=\s*+(?:new\s++)?+(?P<made>[A-Z]\w*+)\()"
)
"""A name that is declared as one of a class: ``Limits limits;``, ``limits: Limits``."""
_GETTER: Final = re.compile(r"(?:get|is)(?P<name>[A-Z]\w*)")
_TAGS: Final = frozenset({"modifiers", "attribute_list", "raw_string_literal", "decorator"})
"""The kinds of node that hold the tags or annotations of what is declared."""
_HAS_NOTHING: Final = re.compile(
    r"\(?\s*+(?:!\s*+(?P<negated>[$\w.>-]++)"
    r"|(?P<left>[$\w.>-]++)\s*+(?:(?P<sign>={2,3}|<=?|is)\s*+"
    r"(?P<bound>[0-9]{1,6}+|null|nil|None|undefined|(?:bcrypt\.)?Min\w*+)|\?)"
    r"|(?:is_null|empty)\(\s*+(?P<given>\$\w++)\s*+\))\s*+\)?"
)
"""A question whether a name has no value yet, or one that is too low: ``cost == 0``."""
_MACRO: Final = re.compile(
    r"\b(?:(?P<list>vec)|(?P<call>(?:e?print|write)(?:ln)?|format|panic|dbg|assert(?:_eq|_ne)?))!"
    r"(?=\s*+[(\[])"
)
"""A macro of Rust's library that takes expressions, which the grammar does not take apart."""
_MAY_NOT_RUN: Final = re.compile(
    r"if_|unless|conditional|ternary|switch|case|when|match|for|while|catch|rescue"
)
"""The kinds of statements in which others do not always run, or run more often."""
_HTML: Final = re.compile(
    r"""(?P<html>(?:\A|\?>).*?(?:<\?(?!xml\b)(?:php\b|=)?+|\Z))"""
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


class ParameterPlace(NamedTuple):
    """A parameter of a function, which other files know by one of the names of its ``homes``."""

    function: str
    wanted: Parameter
    homes: Collection[str]


class ParsedValues(Evaluator[int]):
    """The values of one file; names are seen from an index in its text, and may be of other files.

    Raises:
        UnavailableError: the grammars are not installed.
    """

    def __init__(
        self, text: str, language: Language, grammar: str, path: str, project: Project | None
    ) -> None:
        check_installed()
        from ast_grep_py import SgRoot

        super().__init__(language.dialect, path, project)
        self.text = text
        """The text that is parsed, on as many lines as the file's."""
        if language.language == "php":
            self.text = _HTML.sub(_blank, text)  # The grammar takes only PHP.
        if language.language == "rust":
            self.text = _MACRO.sub(_as_expression, text)
        self.root: SgNode = SgRoot(self.text, grammar).root()
        """The whole file as the grammar sees it."""
        self._language = language
        self._grammar = language.grammar
        imports = text
        if project is not None and language.shared:
            imports = f"{project.texts(language.shared)}\n{text}"
        self._imports = imports_in(imports, language.imports)
        self.declared = Declarations(self.text, self.root, self._grammar)
        """Its functions, classes and definitions."""
        self.calls = Calls(self.text, self.root, language)
        """Its calls and assignments."""
        self._types = frozenset(_TYPE.findall(without_comments(self.text)))
        fields = fields_of_records(self.root, self._grammar.records)
        self._translation = Translation(language, self._types, fields)
        self.stages = ParsedStages(self.text, language.language, self._expression)
        """Which of its nodes run only in tests."""
        self._values: dict[tuple[str, int], Value] = {}
        self._given: dict[str, list[Value]] = {}
        self._in_tags: dict[str, list[Value]] = {}
        self._set_to: dict[str, list[Value]] = {}

    def _written(self, node: ast.expr) -> str:
        return self._translation.written(node)

    def _takes_all(self) -> bool:
        return self._language.language not in _OVERLOADS

    def _is_made_up(self, name: str) -> bool:
        return name in self._translation.opaque

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

    def _field(self, name: str) -> Value | None:
        value = self._own_field(name)
        is_elsewhere = bool(self._grammar.fields) and not self.fields(name)
        if is_elsewhere and self.project is not None:
            value = self.project.field(name, self._path)
        if value is None or isinstance(value.data, Unknown | DottedName):
            return None
        return value.because(*self._set_otherwise(name, value))

    def _set_otherwise(self, name: str, value: Value) -> Iterator[str]:
        """Say where a field is set to anything but the value that it is made with."""
        places = [("line ", other) for other in self.set_to(name)]
        if self.project is not None:
            places += self.project.set_to(name, self._path)
        for file, other in places:
            if not is_resolved(other.data) or plain(other.data) != plain(value.data):
                yield f"unless {file}{other.line} sets another"
                return

    def set_to(self, name: str) -> Sequence[Value]:
        """List what the file sets a field of this name to after its object is made."""
        if name not in self._set_to:
            self._set_to[name] = []  # As long as it is looked up.
            later = self._set_later.get(name, ())
            self._set_to[name] = [self._value_of(value) for value in later]
        return self._set_to[name]

    @cached_property
    def _set_later(self) -> dict[str, list[SgNode]]:
        """The values that members of objects are set to, by the names of these."""
        later = defaultdict(list)
        for node in self._found(self._grammar.sets):
            left, *_, value = children(node)
            name = last_word(left.text())
            if name != left.text() and not self.stages.is_in_module_of_tests(node):
                later[name].append(value)
        return later

    def _own_field(self, name: str) -> Value | None:
        """Find what this file gives a field of this name, if that is the same everywhere."""
        if not (self._grammar.fields or self._grammar.tagged or self._grammar.schemas):
            return None
        given = self.fields(name)
        if not given or any(other.data != given[0].data for other in given):
            return None
        if isinstance(given[0].data, Unknown | DottedName):
            return None
        # Another object with the field may depend on more: ``default()`` and ``from_env()``.
        return given[0].because(*(why for other in given for why in other.whys))

    def _setting(self, name: str) -> Value | None:
        value = self._field(name)
        if value is None and self.project is not None and self._grammar.schemas:
            value = self.project.field(name, self._path)
        if value is None or not is_resolved(value.data):
            return None
        return value

    def _configured(self, name: str) -> Value | None:
        file, *members = name.split(".")
        registers = self._language.dialect.registers
        own = list(self._registered_as(name))
        if any(plain(value.data) != plain(own[0].data) for value in own):
            return None
        if own:
            return own[0]
        if self.project is None:
            return None
        if registers:
            return self.project.registered(name, registers, self._path)
        if not members:
            return None
        return self.project.of(Imported(f"config/{file}"), members, self._path)

    @cached_property
    def _registered(self) -> dict[str, list[SgNode]]:
        """The calls that register a part of the configuration, by its name."""
        registered = defaultdict(list)
        for function in self._language.dialect.registers:
            for arguments in self.calls.by_name.get(function, ()):
                given = children(arguments)
                call = self.calls.call_of.get(arguments)
                if call is None or len(given) < 2:
                    continue
                name = self._value_of(given[0]).data
                if isinstance(name, str):
                    registered[name].append(call)
        return registered

    def _registered_as(self, name: str) -> Iterator[Value]:
        """Work out a setting that has a dotted name, such as ``auth.rounds``."""
        part, *members = name.split(".")
        for call in self._registered.get(part, ()):
            line = line_of(call)
            setting = self._expression(call)
            for member in members:
                setting = ast.Attribute(setting, member, lineno=line, col_offset=0)
            yield self.value(setting, call.range().start.index)

    def fields(self, name: str) -> Sequence[Value]:
        """List what the file gives fields of this name, wherever it makes an object with one."""
        if name not in self._given:
            self._given[name] = [Value(Unknown(name), 0)]  # As long as it is looked up.
            nodes = {node.text(): node for node in self._fields.get(name, ())}
            values = []
            for node in nodes.values():
                value = self._value_of(node)
                if not is_resolved(value.data) and self._is_passed_on(name, node):
                    continue
                if is_settable(node):
                    value = value.because(f"unless {name} is set")
                values.append(value)
            if not values:
                values = list(self._registered_as(name))
            self._given[name] = (
                values or self._defaults_in_tags(name) or self._schemas.get(name, [])
            )
        return self._given[name]

    def _is_passed_on(self, name: str, value: SgNode) -> bool:
        """Tell whether a library's object is given what another one has under the same name.

        That says nothing new of what a field of this name holds.
        """
        text = name_in(value)
        if not _MEMBERS.fullmatch(text) or last_word(text) != name:
            return False
        for above in value.ancestors():
            if self.declared.is_function(above):
                return False
            made = above.field("type") or above.field("name")
            if _MAKES.search(above.kind()) and made is not None:
                of_type = last_word(unadorned(made.text()))
                is_own = of_type in self._types
                if self.project is not None:
                    is_own |= self.project.declares(of_type, self._path)
                return not is_own
        return False

    def _defaults_in_tags(self, name: str) -> list[Value]:
        """List the defaults in tags and annotations, which a library gives, of a declared name.

        That of a method ends in brackets.
        """
        if name not in self._in_tags:
            self._in_tags[name] = []  # As long as it is looked up: they may be made of each other.
            defaults = map(self._default_in_tag, self._tagged.get(name, ()))
            self._in_tags[name] = [value for value in defaults if value is not None]
        return self._in_tags[name]

    @cached_property
    def _tagged(self) -> dict[str, list[SgNode]]:
        """The declarations that may have a default in a tag or an annotation, by their names."""
        tagged: dict[str, list[SgNode]] = defaultdict(list)
        # Few files have one at all.
        if _DEFAULT_IN_TAG.search(self.text) is None:
            return tagged
        for node in self._found(self._grammar.tagged):
            name = named_by(node)
            if node.kind() in self._grammar.functions:
                name += "()"
            tagged[name].append(node)
        return tagged

    def _default_in_tag(self, node: SgNode) -> Value | None:
        """Find the default that a tag, an annotation or an attribute gives a declaration."""
        tags = [part.text() for part in children(node) if part.kind() in _TAGS]
        before = node.prev()
        while before is not None and before.kind() == "attribute_item":
            tags.append(before.text())
            before = before.prev()
        default = _DEFAULT_IN_TAG.search("\n".join(tags))
        if default is None:
            return None
        name = named_by(node)
        why = f"the default in the annotation of {name}"
        if default["made_by"]:
            value = self._made_by(plain_name(default["made_by"]))
            return value and replace(value, whys=()).because(why, *value.whys)
        if default["injected"]:
            return self._named_at(default["injected"], node)
        value = None
        digits = default["go"] or default["spring"] or default["option"]
        if digits:
            if node.text().endswith("`"):
                why = f"the default in the tag of {name}"
            value = Value(int(digits), line_of(node), (why,))
        if default["constant"]:
            value = self._number_named(default["constant"], node)
            if value is not None:
                value = replace(value, whys=()).because(why, *value.whys)
        if default["property"] and self.project is not None:
            return self._property(default["property"], value)
        return value

    def _made_by(self, function: str) -> Value | None:
        """Work out what a function returns that an annotation names, maybe by its path."""
        *owner, name = function.split(".")
        result = None
        if not owner or owner[-1] in self._types:
            result = self.declared.only_result(name)
        if result is None:
            return self._foreign(f"{self._imports.canonical(function)}()")
        return self._value_of(result)

    def _number_named(self, constant: str, node: SgNode) -> Value | None:
        """Find the number that a name stands for where a node is; ``None`` if it is unknown."""
        value = converted(self._named_at(constant, node))
        if number_of(value.data) is None:
            return None
        return value

    def _named_at(self, name: str, node: SgNode) -> Value:
        """Work out a name, maybe dotted, where a node is."""
        place = node.range().start
        first, *members = plain_name(name).split(".")
        line = place.line + 1
        named: ast.expr = ast.Name(first, lineno=line, col_offset=0)
        for member in members:
            named = ast.Attribute(named, member, lineno=line, col_offset=0)
        return self.value(named, place.index)

    def _property(self, key: str, default: Value | None) -> Value | None:
        """Find what the property files of the project set, or else the default."""
        assert self.project is not None  # noqa: S101 - asked before
        given = properties_named(key, self._path, self.project.gate)
        if not given:
            return default
        numbers = {one.number for one in given}
        number = numbers.pop()
        if numbers or number is None:
            return None
        return Value(number, 0, given[0].whys)

    @cached_property
    def _schemas(self) -> dict[str, list[Value]]:
        """The defaults that schemas of settings give: ``{ROUNDS: z.number().default(12)}``."""
        defaults: dict[str, list[Value]] = defaultdict(list)
        if "default" not in self.text:
            return defaults
        for node in self._found(self._grammar.schemas):
            name, *_, described_by = children(node)
            default = self._default_in_schema(described_by)
            if default is not None:
                key = name.text().strip("'\"")
                why = f"the default of {key}"
                defaults[key].append(converted(self._value_of(default)).because(why))
        return defaults

    def _default_in_schema(self, node: SgNode) -> SgNode | None:
        """Find the default in a chain of calls, or in an object that describes a setting."""
        while node.kind() in self._grammar.calls:
            called = children(node)
            if len(called) < 2:  # ``new Schema`` may have no arguments.
                return None
            given = children(called[-1])
            parts = children(called[0])
            if len(parts) > 1 and parts[-1].text() == "default" and len(given) == 1:
                return given[0]
            if given and given[-1].kind() in self._grammar.maps:
                default = self._default_in_schema(given[-1])
                if default is not None:
                    return default
            if not parts:
                return None
            node = parts[0]
        if node.kind() in self._grammar.maps:
            for pair in children(node):
                parts = children(pair)
                # What has the name of a variable is one word: ``{ format }``.
                if len(parts) > 1 and parts[0].text() == "default":
                    return parts[-1]
        return None

    def _given_to_fields(self, node: SgNode) -> Iterator[tuple[str, SgNode]]:
        """List the fields that a node gives values, with these."""
        parts = children(node)
        defining = []
        if node.kind() == "field_declaration":
            defining = of_kinds(node, self._grammar.definitions)
        elif node.kind() in self._grammar.definitions:
            defining = [node]
        elif len(parts) > 1 or node.kind() == _SHORTHAND:
            yield parts[0].text(), parts[-1]
        for definition in defining:
            for name, value in self.declared.given_by(definition):
                if value is not None:
                    yield name, value

    @cached_property
    def _fields(self) -> dict[str, list[SgNode]]:
        fields = defaultdict(list)
        for node in self._found(self._grammar.fields):
            if not self.stages.is_in_module_of_tests(node):
                for given_to, value in self._given_to_fields(node):
                    fields[given_to].append(value)
        # A setting that is asked for by its name is a field of the configuration.
        for function in self._language.dialect.sets_default:
            for arguments in self.calls.by_name.get(function, ()):
                given = children(arguments)
                if len(given) != 2:
                    continue
                name = self._value_of(given[0]).data
                if isinstance(name, str):
                    # The case of a name does not matter to viper.
                    for key in {name, name.lower()}:
                        fields[key].append(given[1])
        return fields

    def _found(self, kinds: tuple[str, ...]) -> list[SgNode]:
        return of_kinds(self.root, kinds)

    def _expression(self, node: SgNode) -> ast.expr:
        return self._translation.expression(node, line_of(node))

    def _value_of(self, node: SgNode) -> Value:
        return self.value(self._expression(node), node.range().start.index)

    # Names of other files

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

    def _bound_setting(self, path: str) -> Value | None:
        return self._default_by_path(path) or self._setting_of_class(path)

    def _default_by_path(self, path: str) -> Value | None:
        """Find the default of a setting that a library puts into a struct by its dotted name.

        ``viper.SetDefault("argon2.memory", 65536)`` gives ``config.Argon2.Memory`` its default.
        """
        registers = self._language.dialect.sets_default
        if not registers:
            return None
        words = path.lower().split(".")
        for count in range(len(words), 1, -1):
            key = ".".join(words[-count:])
            given = self.fields(key)
            value = None
            if given and all(plain(other.data) == plain(given[0].data) for other in given):
                value = given[0]
            elif not given and self.project is not None:
                value = self.project.registered(key, registers, self._path)
            if value is not None and is_resolved(value.data):
                return value.because(f"unless the configuration sets {key}")
        return None

    def _setting_of_class(self, path: str) -> Value | None:
        """Find a setting of an object that a library fills from property files."""
        if not self._grammar.types or self.project is None:
            return None
        is_read = path.endswith("()") == self._reads_by_methods
        name, *members = path.replace("()", "").split(".")
        types = self._declared_types.get(name, set())
        if not is_read or not members or len(types) != 1:
            return None
        (of_type,) = types
        names = [of_type, *map(_property_read_by, members)]
        if of_type in self._types:
            return self.bound(names)
        return self.project.bound(names, self._path)

    @cached_property
    def _declared_types(self) -> dict[str, set[str]]:
        return _types_declared_in(self.text)

    def bound(self, names: Sequence[str]) -> Value | None:
        """Find a setting in a class of the file whose fields a library fills, by its path."""
        first, *path = names
        owner = self._type_nodes.get(first)
        if owner is None:
            return None
        bound = _BOUND.search(owner.text().partition("{")[0])
        *inner, name = path
        for part in inner:
            types = _types_declared_in(owner.text()).get(part, set())
            nodes = [self._type_nodes[of_type] for of_type in types if of_type in self._type_nodes]
            if len(nodes) != 1:
                return None
            owner = nodes[0]
        if not bound or self._is_computed(name):
            return None
        default = self._default_of_field(owner, name)
        key = ".".join(filter(None, (bound["prefix"], *path)))
        value = self._property(key, default)
        if value is None or not is_resolved(value.data):
            return None
        if value is not default:
            return value
        return value.because(f"unless the configuration sets {key}")

    @cached_property
    def _type_nodes(self) -> dict[str, SgNode]:
        """The declarations of classes by their names."""
        nodes = {}
        for node in self._found(self._grammar.types):
            names = [part.text() for part in children(node) if part.kind() in TYPE_NAMES]
            nodes.update(dict.fromkeys(names[:1], node))
        return nodes

    def _made_member(self, made: Call, name: str) -> Value | None:
        takes = self.takes(made.name)
        if takes is None and self.project is not None:
            takes = self.project.takes(made.name, self._path)
        if takes is None or not made.whole:
            return None
        if self._reads_by_methods:
            name = _property_read_by(name)
        if name not in takes:
            return None
        return made.argument(name, list(takes).index(name)) or takes[name]

    @property
    def _reads_by_methods(self) -> bool:
        return self._language.language in _READS_BY_METHODS

    def takes(self, of_type: str) -> Mapping[str, Value | None] | None:
        """List what a record or a class of the file is made of, with the defaults.

        Return ``None`` if the file does not declare it with such parameters.
        """
        declared = self._type_nodes.get(of_type)
        if declared is None:
            return None
        for part in children(declared):
            if part.kind() in self._grammar.parameters:
                return {name_declared(node): self._default_of(node) for node in children(part)}
        return None

    def _default_of(self, parameter: SgNode) -> Value | None:
        default = default_in(parameter, None)
        if default is None:
            return None
        return self._value_of(default)

    def _is_computed(self, field: str) -> bool:
        """Tell whether a method that reads a field of a class returns anything else."""
        for function, results in self.declared.results.items():
            if _property_read_by(function) != field:
                continue
            for result in results:
                if result is None or last_word(result.text()) != field:
                    return True
        return False

    def _default_of_field(self, owner: SgNode, name: str) -> Value | None:
        """Find the value that a class gives a field itself; ``None`` if there are several."""
        values: list[Value | None] = []
        for definition in self.declared.by_name.get(name, ()):
            if self._class_of_field(definition) != owner.range():
                continue
            if definition.value is not None:
                values.append(self._value_of(definition.value))
            elif definition.is_parameter:
                values.append(self._default_in_tag(definition.by))
        given = list(filter(None, values))
        if len(given) != 1:
            return None
        return given[0]

    def _class_of_field(self, definition: Definition) -> Range | None:
        """Find the class of which a definition is a field or a parameter of its constructor."""
        for above in definition.by.ancestors():
            if above.kind() in self._grammar.types:
                return above.range()
            is_constructor = "constructor" in above.kind() and definition.is_parameter
            if self.declared.is_function(above) and not is_constructor:
                return None
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


def _property_read_by(method: str) -> str:
    """Find the property that a method reads: ``getCost`` reads ``cost``, as does ``cost``."""
    getter = _GETTER.fullmatch(method)
    if getter is None:
        return method
    name = getter["name"]
    return name[0].lower() + name[1:]


def _types_declared_in(text: str) -> dict[str, set[str]]:
    """Find the types with which a text declares names."""
    types = defaultdict(set)
    for declared in _DECLARED_AS.finditer(text):
        name = declared["name"] or declared["of_kotlin"]
        types[name].add(declared["type"] or declared["kotlin"] or declared["made"])
    return types


def _as_expression(macro: re.Match[str]) -> str:
    """Write a macro as a list or a call, of the same length."""
    if macro["list"]:
        return " " * len(macro[0])
    return f"{macro['call']} "


def _blank(part: re.Match[str]) -> str:
    """Blank what is outside of PHP's marks, and keep the lines."""
    if part["html"] is None:  # A text or a comment of PHP.
        return part[0]
    return ";" + "\n" * part[0].count("\n")
