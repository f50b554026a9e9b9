"""The value of an expression, as far as its file tells. Nothing is run.

The tree is Python's own ``ast``; the other languages are translated into it
(``translation.py``), so that one expression has one answer whoever asks.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Final, Generic, NamedTuple, TypeVar

from hashcost.core.text import printable
from hashcost.core.units import parse_release
from hashcost.source_code.project import Parameter, Project, Use
from hashcost.source_code.rules import Dialect, Versioned, last_word, name_words
from hashcost.source_code.stages import DeploymentStage, stage_of
from hashcost.source_code.values import (
    LARGEST_BITS,
    MOST_JOINED,
    SPREAD,
    Call,
    Data,
    DottedName,
    Function,
    Passed,
    Prefix,
    Unknown,
    Unset,
    Value,
    combined,
    described,
    dotted,
    is_resolved,
    is_told,
    number_of,
    plain,
    shown,
    unless_environment_sets,
    unless_given,
)
from hashcost.source_code.versions import pins_beside

_DIGITS: Final = re.compile(r"\s*[0-9]{1,18}\s*")
"""The text of a number that fits into 62 bits."""

_PLACE: Final = re.compile(r"%(?:%|(?P<zeros>0?)(?P<width>[0-9]{0,2})(?P<kind>[diu]|s)|)")
"""The place of a value in a text for printf; only the sign of one that is not followed."""

_SECTIONS: Final = frozenset({"GetSection", "GetRequiredSection"})
"""Functions of .NET that take a part of the settings."""
_ENVIRONMENT: Final = frozenset({"env", "getenv", "environment"})
"""Words in the name of a function that reads variables of the environment."""
_LOOKS_UP: Final = re.compile(
    r"(?:get|fetch|pop|find|read)?_?(?:as)?_?"
    r"(?:u?int[0-9]{0,2}|integer|number|long|value|property|option|setting|config|attr|param)?"
    r"(?:or|_or_)?(?:default)?|apply_filters|data_get",
    re.IGNORECASE,
)
"""The name of a function that says nothing but what kind of value it looks up."""
_PLAIN_LOOKUPS: Final = frozenset({"get", "fetch", "pop", "find", "read"})
"""Words of such a name that leave open what is looked up, and what follows the key."""
_CONFIGURATION: Final = frozenset(
    {
        *("option", "options", "opt", "opts", "arg", "args", "kwargs", "argument", "arguments"),
        *("config", "configs", "configuration", "conf", "cfg", "setting", "settings", "ini"),
        *("env", "environ", "environment", "property", "properties", "prop", "props"),
        *("param", "params", "parameter", "parameters", "preferences", "prefs"),
        *("default", "defaults", "flag", "flags", "viper"),
    }
)
"""Words in the name of what holds settings: a cache may be given a number of seconds."""
IN_PRODUCTION: Final = "in production"
"""Why a value counts that tests, development or both do not have."""

ScopeT = TypeVar("ScopeT")
"""Where an expression is written, which decides what its names mean."""


class _Entry(NamedTuple):
    """The key that a call of a function asks a map for, with the arguments behind it."""

    function: str
    key: str
    holder: Value
    others: Sequence[Value]

    @property
    def value(self) -> Value | None:
        """The entry of the map; ``None`` if that is not known."""
        if isinstance(self.holder.data, dict):
            return self.holder.data.get(self.key)
        return None

    def default(self) -> Value | None:
        """Take the default, if the call has a number as one."""
        # Java names the type of the value before its default.
        for value in map(converted, self.others):
            if number_of(value.data) is None:
                continue
            holder = self.holder
            if isinstance(holder.data, dict) and SPREAD not in holder.data:
                return value.because(*holder.whys)
            if not (isinstance(holder.data, dict) or self._is_of_configuration()):
                return None
            return value.because(f"unless {described(holder.data)} sets {self.key}")
        return None

    def _is_of_configuration(self) -> bool:
        """Tell whether names say that a setting is looked up, or that a default follows."""
        called = set(name_words(self.function))
        holder = described(self.holder.data)
        if holder == self.function:
            return not called <= _PLAIN_LOOKUPS
        words = set(name_words(last_word(holder)))
        return not _CONFIGURATION.isdisjoint(words | called)


class Evaluator(Generic[ScopeT]):
    """Works out the expressions of one file of a project.

    As in `ast.NodeVisitor`, a node is read by the method that has the name of its class.
    """

    def __init__(self, dialect: Dialect, path: str = "", project: Project | None = None) -> None:
        self._dialect = dialect
        self._path = path
        self.project = project

    def value(self, node: ast.expr, scope: ScopeT) -> Value:
        """Work out an expression, which is unknown if need be."""
        evaluated = getattr(self, f"_{type(node).__name__.lower()}", self._other)
        value: Value = evaluated(node, scope)
        return value

    # What the file around the expressions tells

    def _find(self, name: str, scope: ScopeT) -> Value | None:
        """Find the value of a name; ``None`` if the file does not define it."""
        raise NotImplementedError

    def _written(self, node: ast.expr) -> str:
        raise NotImplementedError

    def _takes_all(self) -> bool:
        """Tell whether a function has only one list of parameters, which all calls fill."""
        return True

    def _is_made_up(self, name: str) -> bool:
        """Tell whether a name is not in the file, and stands for what is not followed."""
        return False

    def _noted(self, call: Call, node: ast.Call) -> None:
        """Note a call."""

    def _member(self, owner: str, name: str) -> Value | None:
        """Find what a class of the file has under a name."""
        return None

    def _field(self, name: str) -> Value | None:
        """Find what is given to a field of this name wherever an object is made with one."""
        return None

    @property
    def _reads_by_methods(self) -> bool:
        """Whether objects are read by methods: ``limits.cost()``, not ``limits.cost``."""
        return False

    def _made_member(self, made: Call, name: str) -> Value | None:
        """Find a member of an object by what the constructor of its class is given."""
        return None

    def takes(self, of_type: str) -> Mapping[str, Value | None] | None:
        """List what a record or a class of the file is made of; ``None`` if it is not known."""
        return None

    def _bound_setting(self, path: str) -> Value | None:
        """Find a setting that is read of an object which a library fills: ``limits.getCost()``."""
        return None

    def uses_of(self, function: str, homes: Collection[str] | None) -> Iterator[Use]:
        """Tell of each call of a function of another file what becomes of its result."""
        return iter(())

    @property
    def may_be_called_elsewhere(self) -> bool:
        """Whether other files are known that may call functions of the file."""
        return False

    def uses_elsewhere(self, function: str) -> Collection[Use]:
        """Tell of each call in other files what becomes of what a function returns."""
        return ()

    def passed_on_as(self, function: str) -> Sequence[str]:
        """List the other names by which the file passes on a function."""
        return ()

    def bound(self, names: Sequence[str]) -> Value | None:
        """Find a setting in a class of the file whose fields a library fills, by its path."""
        return None

    def _setting(self, name: str) -> Value | None:
        """Find the default that a schema of settings has for one that is asked for by its name."""
        return None

    def _set_in_files(self, key: str) -> Value | None:
        """Find what a file beside the program sets under a key that the program asks for."""
        return None

    def _configured(self, name: str) -> Value | None:
        """Find what the project's own configuration has under a dotted name."""
        return None

    def _result(self, function: str) -> Value | None:
        """Find what a function of the file returns that takes nothing."""
        return None

    def fields(self, name: str) -> Sequence[Value]:
        """List what the file gives fields of this name, wherever it makes an object with one."""
        return ()

    def set_to(self, name: str) -> Sequence[Value]:
        """List what the file sets a field of this name to after its object is made."""
        return ()

    def _foreign(self, path: str) -> Value | None:
        """Find the value of a dotted name in another file of the project.

        A name that ends in brackets stands for what that function returns.
        """
        return None

    def calls_of(
        self, function: str, wanted: Parameter, homes: Collection[str] | None = None
    ) -> Iterator[Call]:
        """Work out what calls of a function that make new hashes give for a parameter.

        It is one of this file, or of another one, whose names are its ``homes``.
        """
        raise NotImplementedError

    def _argument(
        self, wanted: Parameter, function: str, homes: Collection[str], default: Value | None
    ) -> Value | None:
        """Tell what all callers of a function give a parameter, or else its default.

        Return ``None`` if that is unknown.
        """
        calls = (("line ", call) for call in self.calls_of(function, wanted))
        elsewhere: Iterator[tuple[str, Call]] = iter(())
        if self.project is not None and homes:
            elsewhere = chain.from_iterable(
                self.project.calls_of(name, wanted, self._path, homes)
                for name in (function, *self.passed_on_as(function))
            )
        passed = []
        unknown: Value | None = None
        # Each call may lead through many files, and the first may tell that it is unknown.
        for place, call in chain(calls, elsewhere):
            value = call.argument(wanted.name, wanted.at)
            if wanted.key and value is not None and isinstance(value.data, dict):
                value = value.data.get(wanted.key, value.data.get(SPREAD))
            if value is not None and is_told(value.data):
                passed.append(value.because(f"as {place}{call.line} passes it"))
            elif value is None and call.whole and default is None and not self._takes_all():
                continue  # It calls another function of that name.
            elif default is None:
                return None
            elif value is None and call.whole:
                passed.append(default)
            else:
                unknown = value or Value(None, call.line)
        unless_passed = f"unless the caller passes {wanted.name}"
        if not passed and unknown is not None and unknown.data is not None:
            # No call leaves it out, so that the default counts for none.
            return Value(Passed(_text_of(unknown.data)), unknown.line)
        if not passed:
            return default and default.because(unless_passed)
        # Callers that pass different values make the parameter unknown.
        if any(plain(value.data) != plain(passed[0].data) for value in passed):
            given = dict.fromkeys(_text_of(value.data) for value in passed)
            return Value(Passed(" or ".join(given)), passed[0].line)
        if unknown is not None:
            return passed[0].because(unless_passed)
        return passed[0]

    def _unknown(self, node: ast.expr) -> Value:
        return Value(Unknown(shown(self._written(node))), node.lineno)

    def _other(self, node: ast.expr, scope: ScopeT) -> Value:
        return self._unknown(node)

    def _constant(self, node: ast.Constant, scope: ScopeT) -> Value:
        data = node.value
        if isinstance(data, int) and data.bit_length() > LARGEST_BITS:
            return self._unknown(node)
        if isinstance(data, bytes):  # Functions take a salt or a name of ASCII as either.
            data = data.decode("latin-1")
        if data is None or isinstance(data, int | float | str):
            return Value(data, node.lineno)
        return self._unknown(node)

    # Names

    def _name(self, node: ast.Name, scope: ScopeT) -> Value:
        if node.id in self._dialect.fixed:
            return Value(DottedName(node.id), node.lineno)
        value = self._find(node.id, scope)
        if value is None:
            return self._elsewhere(node.id, node.lineno)
        path = dotted(value.data)
        if path:
            return self._elsewhere(path, node.lineno).because(*value.whys)
        if not value.line:
            value = replace(value, line=node.lineno)
        return value

    def _attribute(self, node: ast.Attribute, scope: ScopeT) -> Value:
        base = self.value(node.value, scope)
        name = node.attr
        data = base.data
        # ``rounds.toInt`` gives what it is called on; after a name, it may be of a module.
        if not dotted(data) and name in self._dialect.methods:
            return converted(base)
        if isinstance(data, Unset):  # What is made of a text that is not set is not set either.
            return base
        owner = dotted(data)
        if owner == "this":  # Under another name: ``const that = this``.
            return self._name(ast.Name(name, lineno=node.lineno, col_offset=0), scope)
        if isinstance(data, Call):
            owner = data.function
        entry = _entry_of(data, name)
        if entry is not None and isinstance(data, Call):
            return entry.because(*base.whys)
        if entry is not None:
            return entry
        if owner:
            member = self._member(owner, name)
            if member is not None:
                if isinstance(data, Call) and data.arguments:
                    return member.because(f"unless {owner} is given another")
                return member.because(*base.whys)
        if owner in self._dialect.environment:
            return self._unset(name, node)
        if isinstance(data, Call):
            return self._member_of_object(data, base, node)
        if owner:
            return self._elsewhere(f"{owner}.{name}", node.lineno).because(*base.whys)
        bound = self._bound_setting(self._plain(node))
        return bound or self._field(name) or self._unknown(node)

    def _member_of_object(self, made: Call, base: Value, node: ast.Attribute) -> Value:
        """Work out a member of what a call returns, such as an object that it makes."""
        given = self._made_member(made, node.attr)
        if given is not None:
            return given.because(*base.whys)
        member = self._elsewhere(f"{made.function}().{node.attr}", node.lineno)
        if is_resolved(member.data):
            return member
        field = self._field(node.attr)
        # A schema may be in a file of its own: ``schema.parse(process.env)``.
        checked = {dotted(argument.data) for argument in made.arguments}
        if field is None and not checked.isdisjoint(self._dialect.environment):
            field = self._setting(node.attr)
        return field or member

    def _elsewhere(self, path: str, line: int) -> Value:
        constant = self._constant_named(path)
        if constant is not None:
            return replace(constant, line=line)
        return self._foreign(path) or Value(DottedName(path), line)

    def _constant_named(self, path: str) -> Value | None:
        name = ".".join(path.split(".")[-2:])
        versioned = self._dialect.versioned.get(name)
        whys: tuple[str, ...] = ()
        if versioned is not None:
            released = self._constant_of_release(name, versioned)
            if released is not None:
                return released
            whys = (f"{name} differs between releases of {versioned.package}: the lowest counts",)
        if path not in self._dialect.constants:
            return None
        return Value(self._dialect.constants[path], 0, whys)

    def _constant_of_release(self, name: str, versioned: Versioned) -> Value | None:
        """Find a constant of the release that the project uses; ``None`` if that is unknown."""
        if self.project is None:
            return None
        pin = pins_beside(self._path, self.project.gate).get(versioned.package)
        if pin is None:
            return None
        constant = None
        # The releases are in order: the last one that is not newer counts.
        for since, number in versioned.since.items():
            if parse_release(pin.version) >= parse_release(since):
                why = f"{name} is {number} in {versioned.package} {pin.version}"
                constant = Value(number, 0, (why,))
        return constant

    def _subscript(self, node: ast.Subscript, scope: ScopeT) -> Value:
        base = self.value(node.value, scope).data
        key = self.value(node.slice, scope).data
        if isinstance(key, str):
            if isinstance(base, dict) and key in base:
                return base[key]
            if dotted(base) in self._dialect.environment:
                return self._unset(key, node)
            given = self._set_in_files(f"{_section_in(node)}{key}")
            if given is not None:
                return given
        if isinstance(base, tuple) and isinstance(key, int) and 0 <= key < len(base):
            return base[key]
        return self._unknown(node)

    # What is put together

    def _tuple(self, node: ast.Tuple | ast.List, scope: ScopeT) -> Value:
        parts = []
        for element in node.elts:
            value = self.value(element, scope)
            if not isinstance(element, ast.Starred):
                parts.append(value)
            elif isinstance(value.data, tuple):
                parts = [*parts, *value.data[:MOST_JOINED]][:MOST_JOINED]
            else:
                parts.append(self._unknown(element))
        return Value(tuple(parts), node.lineno)

    _list = _tuple

    def _starred(self, node: ast.Starred | ast.FormattedValue, scope: ScopeT) -> Value:
        return self.value(node.value, scope)

    _formattedvalue = _starred

    def _dict(self, node: ast.Dict, scope: ScopeT) -> Value:
        entries: dict[str, Value] = {}
        for key, value_node in zip(node.keys, node.values, strict=True):
            value = self.value(value_node, scope)
            if key is None:
                entries = _merged(entries, value)
            else:
                name = self.value(key, scope).data
                if isinstance(name, str):
                    entries[name] = value
        return Value(entries, node.lineno)

    def _joinedstr(self, node: ast.JoinedStr, scope: ScopeT) -> Value:
        joined = Value("", node.lineno)
        for part in node.values:
            value = self.value(part, scope)
            data = combined(ast.Add(), joined.data, value.data)
            joined = replace(joined, data=data).because(*value.whys)
        if joined.data == Prefix(""):
            return self._unknown(node)
        return joined

    def _lambda(self, node: ast.Lambda, scope: ScopeT) -> Value:
        self.value(node.body, scope)
        return Value(Function(shown(self._written(node))), node.lineno)

    # Operators

    def _binop(self, node: ast.BinOp, scope: ScopeT) -> Value:
        left = self.value(node.left, scope)
        right = self.value(node.right, scope)
        if isinstance(node.op, ast.Mod) and isinstance(left.data, str):
            given: Sequence[Value] = [right]
            if isinstance(right.data, tuple):
                given = right.data
            return _formatted(left, given)
        merged = None
        if isinstance(node.op, ast.BitOr):
            merged = _merged_all([left, right])
        elif isinstance(node.op, ast.Add):  # PHP keeps what the left side has.
            merged = _merged_all([right, left])
        return merged or self._operated(node.op, node, left, right)

    def _operated(
        self, operator: ast.operator, written: ast.expr, left: Value, right: Value
    ) -> Value:
        """Combine two values; if the result is unknown, it is shown as it is ``written``."""
        data = combined(operator, left.data, right.data)
        if data == Unknown(""):
            data = self._unknown(written).data
        return Value(data, written.lineno).because(*left.whys, *right.whys)

    def _unaryop(self, node: ast.UnaryOp, scope: ScopeT) -> Value:
        operand = self.value(node.operand, scope)
        if isinstance(node.op, ast.UAdd):
            return converted(operand)
        number = number_of(operand.data)
        if isinstance(node.op, ast.USub) and number is not None:
            return replace(operand, data=-number)
        return self._unknown(node)

    def _boolop(self, node: ast.BoolOp, scope: ScopeT) -> Value:
        values = [self.value(either, scope) for either in node.values]
        if isinstance(node.op, ast.Or):
            return first_given(values)
        return self._unknown(node)

    def _ifexp(self, node: ast.IfExp, scope: ScopeT) -> Value:
        """Take what production has, if the condition speaks of it."""
        # Calls in all three parts are noted, whatever the condition.
        self.value(node.test, scope)
        value = self.value(node.body, scope)
        otherwise = self.value(node.orelse, scope)
        stage = stage_of(node.test)
        if stage is DeploymentStage.UNKNOWN:
            return self._default_in(node, value, otherwise) or self._unknown(node)
        if stage is DeploymentStage.TESTS:
            value = otherwise
        return value.because(IN_PRODUCTION)

    def _default_in(self, node: ast.IfExp, value: Value, otherwise: Value) -> Value | None:
        """Take the default of ``given if given else 12``; ``None`` if it is another condition."""
        default = otherwise
        setting = node.body
        if number_of(default.data) is None:
            default = value
            setting = node.orelse
        if number_of(default.data) is None or isinstance(setting, ast.Constant):
            return None
        asked = {ast.dump(part) for part in ast.walk(node.test)}
        # A setting may be converted where it is taken: what it is made of is asked for.
        made_of = (
            part for part in ast.walk(setting) if isinstance(part, ast.Name | ast.Attribute)
        )
        if not any(ast.dump(part) in asked for part in made_of):
            return None
        given = value
        if default is value:
            given = otherwise
        if given.whys:
            return default.because(*given.whys)
        if is_resolved(given.data):
            return None
        return default.because(unless_given(given.data))

    # Calls

    def _call(self, node: ast.Call, scope: ScopeT) -> Value:
        if isinstance(node.func, ast.Attribute) and node.func.attr in self._dialect.methods:
            return self._attribute(node.func, scope)
        value = self.value(node.func, scope)
        called = value.data
        form = self.form(node, scope)
        if isinstance(node.func, ast.Attribute):
            made = self._made_by_method(node.func, form, called, scope)
            if made is not None:
                return made
        function = dotted(called)
        # A number of that name is another thing: ``cost`` is no function, ``cost()`` is one.
        if isinstance(called, Unknown | int):
            function = self._plain(node.func)
        if not function:
            return self._unknown(node)
        call = replace(form, function=function)
        self._noted(call, node)
        entry = self._entry_asked_by(call, node, scope)
        if entry is not None and entry.value is not None:
            return entry.value
        result = self._result(self._plain(node.func))
        takes_none = not node.args and not node.keywords
        if result is None and takes_none:
            result = self._foreign(f"{function}()")
        # Of what a function is given, only what it enters into a map is followed.
        if result is not None and (takes_none or isinstance(result.data, dict)):
            return result
        returned = self._returned(call, node)
        if entry is not None and isinstance(returned.data, Call):
            return entry.default() or returned
        if takes_none and self._reads_by_methods and number_of(called) is not None:
            return value  # What a record holds: ``limits.cost()``.
        return returned

    def _made_by_method(
        self, method: ast.Attribute, form: Call, called: Data, scope: ScopeT
    ) -> Value | None:
        """Work out what a method of the dialect makes of its object; ``None`` for others."""
        if method.attr in self._dialect.merges:
            given = [self.value(method.value, scope), *form.arguments]
            if form.keywords:
                given.append(Value(dict(form.keywords), method.lineno))
            merged = _merged_all(given)
            if merged is not None:
                return merged
        if method.attr in self._dialect.otherwise:
            return first_given([self.value(method.value, scope), *form.arguments])
        if method.attr in self._dialect.encodings:
            text = self.value(method.value, scope)
            if isinstance(text.data, str):
                return text
        bounded = self._bounded(method, form, scope)
        if bounded is not None:
            return bounded
        if isinstance(called, Unset):  # Maybe a variable that has the name of a method.
            base = self.value(method.value, scope)
            if isinstance(base.data, Unset):
                return base
        return None

    def _bounded(self, method: ast.Attribute, form: Call, scope: ScopeT) -> Value | None:
        """Work out a method that holds a number within bounds; ``None`` for others."""
        dialect = self._dialect
        if method.attr not in dialect.raises | dialect.lowers | dialect.clamps:
            return None
        numbers = (self.value(method.value, scope), *form.arguments)
        if method.attr in dialect.clamps:
            return _clamped(numbers)
        if method.attr in dialect.lowers:
            return _smallest(numbers)
        if all(number_of(value.data) is None for value in numbers):
            return None
        return _largest(Call("", numbers, {}, method.lineno))

    def _plain(self, node: ast.expr) -> str:
        """Write the dotted name of a function that is called on what is not known."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and not self._is_made_up(node.id):
            parts.append(node.id)
        elif parts:
            parts.append("?")
        return ".".join(reversed(parts))

    def form(self, node: ast.Call, scope: ScopeT) -> Call:
        """Work out the arguments of a call, without its function."""
        positional: list[Value] = []
        keywords = {}
        whole = True
        for argument in node.args:
            value = self.value(argument, scope)
            if isinstance(argument, ast.Starred):
                if isinstance(value.data, tuple) and len(value.data) <= MOST_JOINED:
                    positional += value.data
                else:
                    whole = False
            elif whole:  # Behind parts that are not known, its place is not either.
                positional.append(value)
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value.data, dict) and len(value.data) <= MOST_JOINED:
                keywords |= value.data
            else:
                whole = False
        if keywords.pop(SPREAD, None) is not None:
            whole = False
        return Call("", tuple(positional), keywords, node.lineno, whole)

    def _returned(self, call: Call, node: ast.Call) -> Value:
        """Work out what a function of the dialect returns; other calls stand for themselves."""
        dialect = self._dialect
        if not call.arguments:
            return Value(call, node.lineno)
        first = call.arguments[0]
        if isinstance(first.data, str):
            setting = self._asked_by(call, first.data, node)
            if setting is not None:
                return setting
        base = call.argument("base", 1)
        if _is_one_of(call.function, dialect.functions):
            # A function that is given another one takes options there.
            if base is None or base.data == 10 or isinstance(base.data, dict):
                return converted(first)
            return self._unknown(node)
        if _is_one_of(call.function, dialect.otherwise):
            return first_given(call.arguments)
        if _is_one_of(call.function, dialect.formats) and isinstance(first.data, str):
            return _formatted(first, call.arguments[1:])
        bounded = self._held(call)
        if bounded is not None:
            return bounded
        if _is_one_of(call.function, dialect.merges):
            return _merged_all(call.arguments) or Value(call, node.lineno)
        if base is not None and _is_one_of(call.function, dialect.powers):
            data = combined(ast.Pow(), first.data, base.data)
            if isinstance(data, Unknown):
                return self._unknown(node)
            return replace(first, data=data)
        return Value(call, node.lineno)

    def _held(self, call: Call) -> Value | None:
        """Work out a function that holds a number within bounds; ``None`` for others."""
        if _is_one_of(call.function, self._dialect.largest):
            return _largest(call)
        if _is_one_of(call.function, self._dialect.smallest):
            return _smallest(call.arguments)
        if _is_one_of(call.function, self._dialect.clamps):
            return _clamped(call.arguments)
        return None

    def _entry_asked_by(self, call: Call, node: ast.Call, scope: ScopeT) -> _Entry | None:
        """Read a call that asks a map for a key: ``options.get("rounds", 12)``."""
        if not _LOOKS_UP.fullmatch(call.name):
            return None
        holder = Value(DottedName(call.name), node.lineno)
        arguments = call.arguments
        # A function of that name is given the map first: ``Keyword.get(options, :rounds, 12)``.
        if arguments and not isinstance(arguments[0].data, str):
            holder = arguments[0]
            arguments = arguments[1:]
        elif isinstance(node.func, ast.Attribute):
            holder = self.value(node.func.value, scope)
        if not arguments or not isinstance(arguments[0].data, str):
            return None
        key, *others = arguments
        return _Entry(call.name, str(key.data), holder, others)

    def _asked_by(self, call: Call, name: str, node: ast.Call) -> Value | None:
        """Take the default of the setting or the variable that a call names, if it names one."""
        if _is_one_of(call.function, self._dialect.settings):
            return self._asked_for(name, call.argument("default", 2), call, node)
        if _is_one_of(call.function, self._dialect.configured):
            configured = self._configured(name)
            if configured is not None:
                return configured
        if _is_one_of(call.function, self._dialect.reads):
            given = self._set_in_files(f"{_section_in(node.func)}{name}")
            if given is not None:
                return given
            default = call.argument("default", 1) or self._setting(name)
            return self._asked_for(name, default, call, node)
        if _is_one_of(call.function, self._dialect.asks):
            default = self._field(name)
            if default is not None:
                return default.because(f"unless the configuration sets {name}")
        default = call.argument("default", 1)
        # The project's own function, as a rule: ``getEnvInt("COST", 12)``.
        words = name_words(call.function)
        if default is not None and not _ENVIRONMENT.isdisjoint(words):
            number = converted(default)
            if number_of(number.data) is not None:
                return self._asked_for(name, number, call, node)
        return None

    def _asked_for(self, name: str, default: Value | None, call: Call, node: ast.Call) -> Value:
        """Take the default of a setting that is asked for by its name."""
        unset = self._unset(name, node)
        if default is None:
            return unset
        if call.name in self._dialect.functions:
            default = converted(default)
        return default.because(*unset.whys)

    def _unset(self, name: str, node: ast.expr) -> Value:
        why: str = unless_environment_sets(printable(name)[:40])
        # Several sources give .NET the settings that have a section.
        if ":" in name:
            why = f"unless the configuration sets {printable(name)[:40]}"
        return Value(Unset(shown(self._written(node))), node.lineno, (why,))


def _section_in(asking: ast.expr) -> str:
    """Take the section that is asked for a key: ``config.GetSection("Auth")["Cost"]``."""
    match asking:
        case ast.Attribute(value=holder) | ast.Subscript(value=holder):
            pass
        case _:
            return ""
    match holder:
        case ast.Call(func=ast.Attribute(attr=attribute), args=[ast.Constant(value=str(section))]):
            if attribute in _SECTIONS:
                return f"{_section_in(holder.func)}{section}:"
        case _:
            pass
    return ""


def narrowed(call: ast.Call, wanted: Parameter) -> ast.Call:
    """Leave out the values of all arguments of a call but one, to work out no more than that.

    To follow the others takes time, and the files that lead one to another are limited.
    """
    nothing = ast.Constant(None, lineno=call.lineno, col_offset=call.col_offset)
    args = list(call.args)
    if not any(isinstance(argument, ast.Starred) for argument in args):
        for at in range(len(args)):
            if at != wanted.at:
                args[at] = nothing
    keywords = []
    for keyword in call.keywords:
        if keyword.arg in (None, wanted.name):
            keywords.append(keyword)
        else:
            keywords.append(ast.keyword(arg=keyword.arg, value=nothing))
    return ast.Call(call.func, args, keywords, lineno=call.lineno, col_offset=call.col_offset)


def _entry_of(data: Data, name: str) -> Value | None:
    """Find what a map has under a name, or what an object is made with by it."""
    if isinstance(data, dict):
        return data.get(name)
    if isinstance(data, Call):
        return data.keywords.get(name)
    return None


def _merged(entries: Mapping[str, Value], value: Value) -> dict[str, Value]:
    """Put what a value has into a mapping; if that is not known, it may replace each entry."""
    # The default of a library says nothing that its rule does not say.
    if isinstance(value.data, Call) and value.data.name == "default":
        return dict(entries)
    added = {SPREAD: value}
    mapping = dict(entries)
    if isinstance(value.data, dict):
        added = value.data
        # What may be passed in its place may replace each entry, too.
        mapping = {name: entry.because(*value.whys) for name, entry in entries.items()}
    if SPREAD in added:
        why = f"unless {described(added[SPREAD].data)} sets another"
        mapping = {name: entry.because(why) for name, entry in mapping.items()}
    return dict(islice({**mapping, **added}.items(), MOST_JOINED))


def _merged_all(values: Sequence[Value]) -> Value | None:
    """Put some mappings into one, the last first; ``None`` if none of them is known."""
    mappings = [value for value in values if isinstance(value.data, dict)]
    if not mappings:
        return None
    entries: dict[str, Value] = {}
    for value in values:
        entries = _merged(entries, value)
    return replace(mappings[0], data=entries)


def _is_one_of(function: str, names: frozenset[str]) -> bool:
    """Tell whether a dotted name, or an end of it, is one of these."""
    name = function.replace("()", "")
    while name:
        if name in names:
            return True
        _, _, name = name.partition(".")
    return False


def converted(value: Value) -> Value:
    """Make a number of a text of digits; anything else stays as it is."""
    if isinstance(value.data, str) and _DIGITS.fullmatch(value.data):
        return replace(value, data=int(value.data))
    return value


def _largest(call: Call) -> Value:
    """Take the largest number of those that are known: the result is at least that."""
    numbers = [value for value in call.arguments if number_of(value.data) is not None]
    if not numbers:
        return Value(call, call.line)
    largest = max(numbers, key=lambda value: number_of(value.data) or 0)
    for value in call.arguments:
        if value not in numbers and not value.whys:
            largest = largest.because(f"or more, by {described(value.data)}")
        largest = largest.because(*value.whys)
    return largest


def _smallest(values: Sequence[Value]) -> Value | None:
    """Take the smallest of some numbers; ``None`` if one of them is not known."""
    if any(number_of(value.data) is None for value in values):
        return None
    smallest = min(values, key=lambda value: number_of(value.data) or 0)
    for value in values:
        smallest = smallest.because(*value.whys)
    return smallest


def _clamped(values: Sequence[Value]) -> Value | None:
    """Hold a number between the least and the most; ``None`` if one of them is not known."""
    if len(values) != 3:
        return None
    value, least, most = values
    largest = _largest(Call("", (value, least), {}, value.line))
    if number_of(value.data) is None:
        return None
    return _smallest((largest, most))


def _formatted(template: Value, values: Sequence[Value]) -> Value:
    """Fill the places of a text with values, as printf does, as far as these are known."""
    text = str(template.data)[:MOST_JOINED]
    made = ""
    end = 0
    left = iter(values)
    whys: list[str] = []
    for place in _PLACE.finditer(text):
        made += text[end : place.start()]
        end = place.end()
        if place[0] == "%%":
            made += "%"
            continue
        value = next(left, None)
        if not place["kind"] or value is None or not isinstance(value.data, int | str):
            return replace(template, data=Prefix(made)).because(*whys)
        whys += value.whys
        written = str(value.data)
        if place["zeros"]:
            written = written.zfill(int(place["width"] or 0))
        made += written
    return replace(template, data=(made + text[end:])[:MOST_JOINED]).because(*whys)


def _text_of(data: Data) -> str:
    """Describe data that a caller gives, which may be its own caller's."""
    if isinstance(data, Passed):
        return data.text
    return described(data)


def first_given(values: Sequence[Value]) -> Value:
    """Choose the first that is something, and the last if a running program decides."""
    whys: list[str] = []
    for value in values[:-1]:
        whys += value.whys
        if is_resolved(value.data):
            if value.data:
                return replace(value, whys=tuple(dict.fromkeys(whys)))
        elif not isinstance(value.data, Unset):
            whys.append(unless_given(value.data))
    last = values[-1]
    return replace(last, whys=()).because(*whys, *last.whys)
