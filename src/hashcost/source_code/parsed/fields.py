"""The fields of objects in a file that ast-grep has parsed, and the settings that they are.

A field counts wherever an object with it is made, if that gives it the same value everywhere.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hashcost.source_code.evaluator import Evaluator, converted
from hashcost.source_code.names import unadorned
from hashcost.source_code.parsed.calls import Calls
from hashcost.source_code.parsed.declarations import TYPE_NAMES, Declarations, Definition
from hashcost.source_code.parsed.declared_defaults import (
    default_in_schema,
    default_in_tags,
    may_have_tags,
)
from hashcost.source_code.parsed.grammar_text import text_for_grammar
from hashcost.source_code.parsed.nodes import (
    default_in,
    is_settable,
    line_of,
    name_declared,
    name_in,
    named_by,
)
from hashcost.source_code.parsed.properties import (
    Property,
    in_production,
    options_of_dotnet,
    properties_named,
    settings_of_dotnet,
)
from hashcost.source_code.parsed.stages import ParsedStages
from hashcost.source_code.parsed.translation import (
    Translation,
    children,
    fields_of_records,
    of_kinds,
)
from hashcost.source_code.project import (
    Imported,
    Project,
    imports_in,
    plain_name,
    without_comments,
)
from hashcost.source_code.rules import Language, last_word
from hashcost.source_code.values import (
    Call,
    DottedName,
    Unknown,
    Value,
    is_resolved,
    number_of,
    plain,
)
from hashcost.storage.extras import imported

if TYPE_CHECKING:
    from ast_grep_py import Range, SgNode

_TYPE: Final = re.compile(
    r"\b(?:class|struct|object|interface|trait|enum|module|record|defmodule|impl|mod(?=\s+\w+\s*\{))\s+(\w+)"
)
_MEMBERS: Final = re.compile(r"\w++(?:(?:\?\.|\.)\w++)++")
"""A member of another object: ``config.Argon2.Memory``."""
_MAKES: Final = re.compile(r"^object_creation|^composite_literal$|^struct_expression$")
"""The kinds of node that make an object and list what its fields are given."""
_READS_BY_METHODS: Final = ("java",)
"""Languages in which objects are read by methods: ``limits.getCost()``, not ``limits.cost``."""
_SHORTHAND: Final = "shorthand_field_initializer"
"""The kind of node that gives a field of Rust what has its name: ``Self { cost }``."""
_BOUND: Final = re.compile(
    r"@ConfigurationProperties\(\s*+(?:(?:prefix|value)\s*+=\s*+)?+\"(?P<prefix>[\w.-]*+)\""
)
"""The annotation of a class whose fields Spring or Micronaut fills from the configuration."""
_DECLARED_AS: Final = re.compile(
    r"\b(?P<type>[A-Z]\w*+)\s++(?P<name>[a-z]\w*+)\s*+(?=[;=,)])"
    r"|\b(?P<of_kotlin>[a-z]\w*+)\s*+(?::\s*+(?P<kotlin>[A-Z]\w*+)|=\s*+(?:new\s++)?+(?P<made>[A-Z]\w*+)\()"
)
"""A name that is declared as one of a class: ``Limits limits;``, ``limits: Limits``."""
_DOTNET: Final = "csharp"
_SHORT_TEXT: Final = re.compile(r"\"(?P<text>[\w:]++)\"")
_GETTER: Final = re.compile(r"(?:get|is)(?P<name>[A-Z]\w*)")


def check_installed() -> None:
    """Find out before any work is done whether sources can be parsed here.

    Raises:
        UnavailableError: they cannot; the message says what to install.
    """
    imported("ast_grep_py", "ast-grep", "scan")
    imported("pathspec", "pathspec", "scan")


class ParsedFields(Evaluator[int]):
    """The fields and settings of one file; names are seen from an index in its text.

    Raises:
        UnavailableError: the grammars are not installed.
    """

    def __init__(
        self, text: str, language: Language, grammar: str, path: str, project: Project | None
    ) -> None:
        check_installed()
        from ast_grep_py import SgRoot

        super().__init__(language.dialect, path, project)
        self.text = text_for_grammar(text, language.language)
        """The text that is parsed, on as many lines as the file's."""
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
        self._given: dict[str, list[Value]] = {}
        self._in_tags: dict[str, list[Value]] = {}
        self._set_to: dict[str, list[Value]] = {}

    def _written(self, node: ast.expr) -> str:
        return self._translation.written(node)

    def _is_made_up(self, name: str) -> bool:
        return name in self._translation.opaque

    def _found(self, kinds: tuple[str, ...]) -> list[SgNode]:
        return of_kinds(self.root, kinds)

    def _expression(self, node: SgNode) -> ast.expr:
        return self._translation.expression(node, line_of(node))

    def _value_of(self, node: SgNode) -> Value:
        return self.value(self._expression(node), node.range().start.index)

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

    def _set_in_files(self, key: str) -> Value | None:
        if self._language.language != _DOTNET or self.project is None:
            return None
        project = self.project
        return _set_by(settings_of_dotnet(key, self._path, project.top, project.gate))

    def _set_by_options(self, name: str, owner: SgNode) -> Value | None:
        """Find what the settings of .NET give a property of a class, if they may fill that."""
        if self.project is None:
            return None
        of_type = next(part.text() for part in children(owner) if part.kind() in TYPE_NAMES)
        sections = [text["text"] for text in _SHORT_TEXT.finditer(owner.text())]
        project = self.project
        given = options_of_dotnet(of_type, name, sections, self._path, project.top, project.gate)
        return _set_by(given)

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
            given = [self._set_by_options(name, owner) for owner in self._owners.get(name, ())]
            values = [value for value in given if value is not None] or values
            if not values:
                values = list(self._registered_as(name))
            self._given[name] = (
                values or self._defaults_in_tags(name) or self._schemas.get(name, [])
            )
        return self._given[name]

    @cached_property
    def _owners(self) -> dict[str, list[SgNode]]:
        """The classes of .NET by the properties that they declare."""
        owners: dict[str, list[SgNode]] = defaultdict(list)
        if self._language.language == _DOTNET:
            for node in self._found(("property_declaration",)):
                around = [one for one in node.ancestors() if one.kind() in self._grammar.types]
                owners[named_by(node)] += around[:1]
        return owners

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
        if not may_have_tags(self.text):
            return tagged
        for node in self._found(self._grammar.tagged):
            name = named_by(node)
            if node.kind() in self._grammar.functions:
                name += "()"
            tagged[name].append(node)
        return tagged

    def _default_in_tag(self, node: SgNode) -> Value | None:
        """Find the default that a tag, an annotation or an attribute gives a declaration."""
        default = default_in_tags(node)
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
            default = default_in_schema(described_by, self._grammar)
            if default is not None:
                key = name.text().strip("'\"")
                why = f"the default of {key}"
                defaults[key].append(converted(self._value_of(default)).because(why))
        return defaults

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


def _set_by(given: Sequence[Property]) -> Value | None:
    """Take the number that files of settings give; unknown if they give different ones."""
    kept = [one for one in in_production(given) if one.number is not None]
    if not kept:
        return None
    if len({one.number for one in kept}) > 1:
        places = [f"{one.number} in {one.file}:{one.line}" for one in kept]
        return Value(Unknown(", ".join(places)), 0)
    return Value(kept[0].number, 0, kept[0].whys)


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
