"""A file that ast-grep has parsed: its calls and assignments, and the meaning of its names.

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
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

from hashcost.core.errors import UnreadableInputError
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
from hashcost.source_code.derived_keys import (
    Arguments,
    CallPlace,
    KeyUses,
    NamedRanges,
    OwnParameter,
    derives_key_by_name,
    makes_password,
    may_be_hashed,
    may_derive_keys,
)
from hashcost.source_code.dummies import makes_dummy
from hashcost.source_code.evaluator import (
    IN_PRODUCTION,
    Evaluator,
    converted,
    first_given,
    narrowed,
)
from hashcost.source_code.nodes import (
    NEAR,
    default_in,
    given_in,
    holds,
    is_settable,
    key_before,
    line_of,
    links_of,
    mentions,
    name_declared,
    name_in,
    named_by,
    parameters_in,
)
from hashcost.source_code.project import (
    DECLARES_CLASS,
    Imported,
    Parameter,
    Project,
    Use,
    declares,
    home_key,
    homes_of,
    imports_in,
    is_of,
    plain_name,
    without_comments,
)
from hashcost.source_code.properties import properties_named
from hashcost.source_code.reading import (
    RuleNames,
    Site,
    hashed_with,
    is_kept_as_password,
    is_only_verified,
    is_verifier,
    may_help_verify,
    name_given,
    only_verifies,
    unadorned,
    without_promise,
)
from hashcost.source_code.remembering import remembered
from hashcost.source_code.rules import PROMISES_ALL, Language, last_word
from hashcost.source_code.stages import OPPOSITE, DeploymentStage, stage_of, stage_of_arm
from hashcost.source_code.translation import (
    Translation,
    arms_of,
    children,
    choice_around,
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
    from ast_grep_py import Pos, Range, SgNode

MOST_COLUMNS: Final = 10**8
"""The parser counts a line's characters anew for each place in it: thousands of calls on
one line take seconds, and four times as many sixteen times as long."""

_TYPE: Final = re.compile(
    r"\b(?:class|struct|object|interface|trait|enum|module|record|defmodule|impl|mod(?=\s+\w+\s*\{))\s+(\w+)"
)
_TAKES_UNNAMED: Final = re.compile(r"\.setDefaultPasswordEncoderForMatches$")
"""The method by which Spring Security's `DelegatingPasswordEncoder` compares unnamed hashes."""
_ASKED: Final = re.compile(r"\s*+(?:\?\.|\.)\s*+\w")
"""The beginning of what an object is asked for, maybe on the next line."""
_EXPORTS: Final = re.compile(r"export\s+default\b|return\b")
_IF_COMPILED_FOR_TESTS: Final = re.compile(r"#\[cfg\(\s*(?:test|debug_assertions)\s*\)\]")
"""An attribute of Rust, by which what follows is only compiled for tests or development."""
TEST_MODULE: Final = re.compile(r"(?:pub )?mod \w*tests?\b")
_MEMBERS: Final = re.compile(r"\w++(?:(?:\?\.|\.)\w++)++")
"""A member of another object: ``config.Argon2.Memory``."""
_MAKES: Final = re.compile(r"^object_creation|^composite_literal$|^struct_expression$")
"""The kinds of node that make an object and list what its fields are given."""
_NAMES_MAKE_A_MAP: Final = ("ruby", "elixir")
"""Languages in which named arguments are a map, which the last parameter takes."""
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
_VALUES: Final = "expression_list"
"""The kind of node that lists the values of a definition of Go."""
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
_LEAVES: Final = re.compile(
    r"(?:return|throw|raise|exit|die|abort|(?:process|sys|os)\.(?:_?exit|abort))\b", re.IGNORECASE
)
"""The beginning of a statement that leaves a function or the program."""
_GUARD: Final = re.compile(
    r"(?i:prod|dev|test|debug).{0,200}?\b(?:return|throw|raise|exit|die|abort)\b"
    r"|\b(?:return|raise|exit|abort)\b.{0,100}\b(?:if|unless)\b.{0,100}(?i:prod|dev|test|debug)",
    re.DOTALL,
)
"""A condition of a stage near a statement that leaves, in a quick search."""
_MACRO: Final = re.compile(
    r"\b(?:(?P<list>vec)|(?P<call>(?:e?print|write)(?:ln)?|format|panic|dbg|assert(?:_eq|_ne)?))!"
    r"(?=\s*+[(\[])"
)
"""A macro of Rust's library that takes expressions, which the grammar does not take apart."""
_STATEMENTS: Final = frozenset({"body_statement", "program", "then"})
"""Where a name is a call without arguments, on a line of its own."""
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


class ParsedFile(Evaluator[int]):
    """One file; names are seen from an index in its text, and may be of other files.

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
        self._keys = KeyUses(self.text, self, has_bare_fields=language.bare_fields)
        self._types = frozenset(_TYPE.findall(without_comments(self.text)))
        fields = fields_of_records(self.root, self._grammar.records)
        self._translation = Translation(language, self._types, fields)
        self._values: dict[tuple[str, int], Value] = {}
        self._given: dict[str, list[Value]] = {}
        self._in_tags: dict[str, list[Value]] = {}
        self._set_to: dict[str, list[Value]] = {}
        self._made_keys: dict[int, bool] = {}

    def _written(self, node: ast.expr) -> str:
        return self._translation.written(node)

    def _takes_all(self) -> bool:
        return self._language.language not in _OVERLOADS

    def _is_made_up(self, name: str) -> bool:
        return name in self._translation.opaque

    # Sites

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

    @cached_property
    def _promises_all(self) -> bool:
        """Whether packages get functions whose names end in ``Async``."""
        return PROMISES_ALL in self.text

    def _own_file_of(self, called: str) -> str:
        """Name the other file of the project with the class of a call, or return an empty text."""
        first, _, _ = plain_name(called).partition(".")
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
            in_tests=self._is_in_tests(node),
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
        makes_no_hash = self._makes_no_hash(call)
        may_make_key = not makes_no_hash and may_derive_keys(" ".join((site.name, *site.names)))
        return replace(
            site,
            first=first,
            hashes=self._hashed_by_object(call) or self._hashed_with(last_word(site.name), call),
            inside=self.declared.function_around(call),
            makes_no_hash=makes_no_hash,
            helps_verify=self._helps_verify(call),
            makes_key=may_make_key and self._makes_key(call),
            makes_dummy=makes_dummy(
                self.text, start_of(call), self.declared.function_around(call)
            ),
        )

    def _hashed_with(self, name: str, call: SgNode) -> tuple[str, ...]:
        """List what is hashed with the salt that a call of a function makes."""
        within = 0
        for _, function in self.declared.functions_around(call):
            within = function.range().end.index
            break
        place = call.range()
        return hashed_with(self.text, name, place.start.index, place.end.index, within)

    def _makes_no_hash(self, call: SgNode) -> bool:
        if self._is_of_no_use(call):
            return True
        return self._only_verifies(call) or self._is_for_old_hashes(call)

    def _is_of_no_use(self, call: SgNode) -> bool:
        """Tell whether a function around that the language has itself replaces the file's."""
        function = self.declared.function_around(call)
        return function in self._dialect.fixed and not self.declared.class_around(call)

    def _only_verifies(self, call: SgNode) -> bool:
        ends_within = 0
        for name, function in self.declared.functions_around(call):
            if not ends_within:
                ends_within = function.range().end.index
            if name:
                if is_verifier(name) and not is_kept_as_password(self.text, start_of(call)):
                    return True
                break
        place = call.range()
        # Another file may hash with what a module keeps.
        if not ends_within and self.project is not None:
            name = name_given(self.text, place.start.index)
            if name and self.project.is_named_elsewhere(name, self._path):
                return False
        if only_verifies(self.text, place.start.index, place.end.index, ends_within):
            return True
        result = self._result_of(call)
        return result is not None and is_only_verified(self.text, *result)

    def _helps_verify(self, call: SgNode) -> bool:
        """Tell whether the function around a call is only used by what verifies, in its file."""
        named = ((name, node) for name, node in self.declared.functions_around(call) if name)
        function, node = next(named, ("", call))
        calls = self.calls.by_name.get(function, ())
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
        if self._keys.makes_key(self._place_of(call)):
            return True
        function = self.declared.function_around(call)
        if not derives_key_by_name(function, self._homes_of(call)):
            return False
        calls = map(self.calls.made_with, self.calls.by_name.get(function, ()))
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
        for arguments in self.calls.by_name.get(function, ()):
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

    def callers(self, function: str) -> Collection[CallPlace]:
        """Find the calls of the functions of a name."""
        callers: list[CallPlace] = []
        if self._calls_by_name:
            callers += map(self._place_of, self.declared.bare_calls.get(function, ()))
        for arguments in self.calls.by_name.get(function, ()):
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
                callers.append(self._place_of(caller))
        return callers

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

    def _place_of(self, call: SgNode) -> CallPlace:
        place = call.range()
        limit = len(self.text)
        function = next(self.declared.functions_around(call), None)
        if function is not None:
            limit = function[1].range().end.index
        return CallPlace(place.start.index, place.end.index, limit)

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

    def _is_in_tests(self, node: SgNode) -> bool:
        """Tell whether a node runs only in tests and development, by what is around it."""
        return self._is_in_module_of_tests(node) or self._is_only_for_tests(node)

    def _is_in_module_of_tests(self, node: SgNode) -> bool:
        """Tell whether a node is in a module of tests, which files of Rust have."""
        if self._language.language != "rust":
            return False
        for around in node.ancestors():
            start = around.range().start.index
            if around.kind() == "mod_item" and TEST_MODULE.match(self.text, start):
                return True
        return False

    def _is_only_for_tests(self, node: SgNode) -> bool:
        """Tell whether a condition around a node, or in front of it in Rust, speaks of tests."""
        attribute = node.prev()
        if attribute is not None and _IF_COMPILED_FOR_TESTS.fullmatch(attribute.text()):
            return True
        return self._stage_at(node) is DeploymentStage.TESTS

    def _stage_at(self, node: SgNode) -> DeploymentStage:
        """Tell the stage by the innermost condition around a node that speaks of one."""
        at = node.range().start.index
        for around in node.ancestors():
            stage = self._stage_of_arm(around)
            if stage is not DeploymentStage.UNKNOWN:
                return stage
            if self._may_have_guards and self._is_behind_guard(around):
                return DeploymentStage.TESTS
            conditional = conditional_in(around)
            if conditional is None or holds(conditional.test, at):
                continue
            stage = self._stage_of(conditional.test)
            if holds(conditional.body, at) == conditional.is_negated:
                stage = OPPOSITE[stage]
            if stage is not DeploymentStage.UNKNOWN:
                return stage
        return DeploymentStage.UNKNOWN

    @cached_property
    def _may_have_guards(self) -> bool:
        """Whether the file may leave a function or itself unless a test or development runs it."""
        return _GUARD.search(self.text) is not None

    def _is_behind_guard(self, node: SgNode) -> bool:
        """Tell whether an earlier statement of the same block leaves it in production."""
        block = node.parent()
        return block is not None and start_of(node) > self._end_of_guard(block)

    @remembered
    def _end_of_guard(self, block: SgNode) -> int:
        """Find where the first statement of a block ends that leaves it in production.

        Return the end of the text for a block without such a statement.
        """
        for statement in children(block):
            conditional = conditional_in(statement)
            if conditional is None or not _LEAVES.match(_last_statement(conditional.body)):
                continue
            stage = self._stage_of(conditional.test)
            if conditional.is_negated:
                stage = OPPOSITE[stage]
            if stage is DeploymentStage.PRODUCTION:
                return int(statement.range().end.index)
        return len(self.text)

    def _stage_of_arm(self, node: SgNode) -> DeploymentStage:
        """Tell the stage of an arm of a choice, such as a case of a ``switch``."""
        choice = choice_around(node)
        if choice is None:
            return DeploymentStage.UNKNOWN
        return self._stages_of_arms(choice).get(start_of(node), DeploymentStage.UNKNOWN)

    @remembered
    def _stages_of_arms(self, choice: SgNode) -> Mapping[int, DeploymentStage]:
        """Tell the stages of all arms of a choice, by where they begin."""
        stages = {}
        for arm, values in arms_of(choice):
            stages[start_of(arm)] = [self._stage_of(value) for value in values]
        every = set(chain.from_iterable(stages.values()))
        return {at: stage_of_arm(own, every) for at, own in stages.items()}

    @remembered
    def _stage_of(self, test: SgNode) -> DeploymentStage:
        """Tell the stage of a condition, which may be around thousands of calls."""
        return stage_of(self._expression(test))

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

    # Names

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
            if self._is_only_for_tests(node):
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
        kept = [one for one in definitions if not self._is_only_for_tests(one.by)]
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

    def calls_of(
        self, function: str, wanted: Parameter, homes: Collection[str] | None = None
    ) -> Iterator[Call]:
        """Work out what calls of a function that make new hashes give for a parameter."""
        calls = list(self.calls.by_name.get(function, ()))
        for alias, meant in self._imports.names.items():
            # Another name of it: ``import { make as makeHash }``.
            if alias != function and last_word(meant.member or meant.module) == function:
                calls += self.calls.by_name.get(alias, ())
        by_name = (call for call in calls if self._is_call_of(function, call, homes))
        for arguments in chain(by_name, self._constructor_calls(function, homes)):
            call = self.calls.made_with(arguments)
            if self._makes_no_hash(call) or (wanted.may_derive_keys and self._makes_key(call)):
                continue
            form = self._passed(arguments, wanted)
            if wanted.most is None or len(form.arguments) <= wanted.most:
                yield form

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
            if name != left.text() and not self._is_in_module_of_tests(node):
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
            if not self._is_in_module_of_tests(node):
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

    # Definitions


def _last_statement(body: SgNode) -> str:
    """Take the last statement of a body, or all of a body without parts."""
    while body.kind().endswith(("block", "then", "compound_statement")) and children(body):
        body = children(body)[-1]
    return body.text()


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
