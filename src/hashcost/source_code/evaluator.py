"""The value of an expression, as far as its file tells. Nothing is run.

The tree is Python's own ``ast``; the other languages are translated into it
(``translation.py``), so that one expression has one answer whoever asks.
"""

import ast
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Generic, TypeVar

from hashcost.core.text import printable
from hashcost.core.units import parse_release
from hashcost.source_code.project import Project
from hashcost.source_code.rules import Dialect
from hashcost.source_code.stages import Stage, stage_of
from hashcost.source_code.values import (
    LARGEST_BITS,
    LONGEST_TEXT,
    MOST_PARTS,
    SPREAD,
    Call,
    DottedName,
    Function,
    Prefix,
    Reason,
    Unknown,
    Unset,
    Value,
    combined,
    described,
    dotted,
    is_resolved,
    number_of,
    shown,
)
from hashcost.source_code.versions import pins_beside

_LONGEST_NUMBER: Final = 18
_MOST_DOTS: Final = 3  # in the name of a function of the dialect

ScopeT = TypeVar("ScopeT")
"""Where an expression is written, which decides what its names mean."""


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

    def _noted(self, call: Call, node: ast.Call) -> None:
        """Take note of a call."""

    def _member(self, owner: str, name: str) -> Value | None:
        """Find what a class of the file has under a name."""
        return None

    def _field(self, name: str) -> Value | None:
        """Find what the file gives a field of this name wherever it makes an object with one."""
        return None

    def _foreign(self, path: str) -> Value | None:
        """Find the value of a dotted name in another file of the project."""
        return None

    def _unknown(self, node: ast.expr) -> Value:
        return Value(Unknown(shown(self._written(node))), node.lineno)

    def _other(self, node: ast.expr, scope: ScopeT) -> Value:
        return self._unknown(node)

    def _constant(self, node: ast.Constant, scope: ScopeT) -> Value:
        data = node.value
        too_large = isinstance(data, int) and data.bit_length() > LARGEST_BITS
        if too_large or not (data is None or isinstance(data, bool | int | float | str)):
            return self._unknown(node)
        return Value(data, node.lineno)

    # Names

    def _name(self, node: ast.Name, scope: ScopeT) -> Value:
        value = self._find(node.id, scope)
        if value is None:
            return self._elsewhere(node.id, node.lineno)
        path = dotted(value.data)
        if path:
            return self._elsewhere(path, node.lineno).because(*value.whys)
        return value if value.line else replace(value, line=node.lineno)

    def _attribute(self, node: ast.Attribute, scope: ScopeT) -> Value:
        base, name = self.value(node.value, scope), node.attr
        data = base.data
        if not dotted(data) and name in self._dialect.methods:
            return _converted(base)
        owner = data.function if isinstance(data, Call) else dotted(data)
        member = self._member(owner, name) if owner else None
        if member is not None:
            return member
        if owner in self._dialect.environment:
            return self._unset(name, node)
        given = data.keywords if isinstance(data, Call) else data if isinstance(data, dict) else {}
        if name in given:
            return given[name]
        if owner:
            made = "()" if isinstance(data, Call) else ""
            return self._elsewhere(f"{owner}{made}.{name}", node.lineno)
        return self._field(name) or self._unknown(node)

    def _elsewhere(self, path: str, line: int) -> Value:
        constant = self._constant_named(path)
        if constant is not None:
            return replace(constant, line=line)
        return self._foreign(path) or Value(DottedName(path), line)

    def _constant_named(self, path: str) -> Value | None:
        if path in self._dialect.constants:
            return Value(self._dialect.constants[path], 0)
        name = ".".join(path.split(".")[-2:])
        versioned = self._dialect.versioned.get(name)
        if versioned is None or self.project is None:
            return None
        pin = pins_beside(self._path, self.project.gate).get(versioned.package)
        if pin is None:
            return None
        number = parse_release(pin.version)
        values = [
            value for since, value in versioned.since.items() if number >= parse_release(since)
        ]
        if not values:
            return None
        return Value(
            values[-1], 0, (f"{name} is {values[-1]} in {versioned.package} {pin.version}",)
        )

    def _subscript(self, node: ast.Subscript, scope: ScopeT) -> Value:
        base, key = self.value(node.value, scope).data, self.value(node.slice, scope).data
        if isinstance(base, dict) and isinstance(key, str) and key in base:
            return base[key]
        if isinstance(base, tuple) and isinstance(key, int) and 0 <= key < len(base):
            return base[key]
        if dotted(base) in self._dialect.environment and isinstance(key, str):
            return self._unset(key, node)
        return self._unknown(node)

    # What is put together

    def _tuple(self, node: ast.Tuple | ast.List, scope: ScopeT) -> Value:
        parts: list[Value] = []
        for element in node.elts:
            value = self.value(element, scope)
            if not isinstance(element, ast.Starred):
                parts.append(value)
            else:
                spread = value.data if isinstance(value.data, tuple) else (self._unknown(element),)
                parts = [*parts, *spread[:MOST_PARTS]][:MOST_PARTS]
        return Value(tuple(parts), node.lineno)

    _list = _tuple

    def _starred(self, node: ast.Starred | ast.FormattedValue, scope: ScopeT) -> Value:
        return self.value(node.value, scope)

    _formattedvalue = _starred

    def _dict(self, node: ast.Dict, scope: ScopeT) -> Value:
        entries: dict[str, Value] = {}
        for key, value_node in zip(node.keys, node.values, strict=True):
            name = None if key is None else self.value(key, scope).data
            value = self.value(value_node, scope)
            if isinstance(name, str):
                entries[name] = value
            elif key is None and isinstance(value.data, dict):
                entries = dict(islice({**entries, **value.data}.items(), MOST_PARTS))
            elif key is None and not (
                isinstance(value.data, Call) and value.data.name == "default"
            ):
                entries[SPREAD] = value
        return Value(entries, node.lineno)

    def _joinedstr(self, node: ast.JoinedStr, scope: ScopeT) -> Value:
        joined = Value("", node.lineno)
        for part in node.values:
            value = self.value(part, scope)
            data = combined(ast.Add(), joined.data, value.data)
            joined = replace(joined, data=data).because(*value.whys)
        return self._unknown(node) if joined.data == Prefix("") else joined

    def _lambda(self, node: ast.Lambda, scope: ScopeT) -> Value:
        self.value(node.body, scope)
        return Value(Function(shown(self._written(node))), node.lineno)

    # Operators

    def _binop(self, node: ast.BinOp, scope: ScopeT) -> Value:
        return self._operated(node, self.value(node.left, scope), self.value(node.right, scope))

    def _operated(self, node: ast.BinOp | ast.AugAssign, left: Value, right: Value) -> Value:
        data = combined(node.op, left.data, right.data)
        if data == Unknown(""):
            data = self._unknown(node if isinstance(node, ast.BinOp) else node.value).data
        return Value(data, node.lineno).because(*left.whys, *right.whys)

    def _unaryop(self, node: ast.UnaryOp, scope: ScopeT) -> Value:
        operand = self.value(node.operand, scope)
        number = number_of(operand.data)
        if isinstance(node.op, ast.USub) and number is not None:
            return replace(operand, data=-number)
        return _converted(operand) if isinstance(node.op, ast.UAdd) else self._unknown(node)

    def _boolop(self, node: ast.BoolOp, scope: ScopeT) -> Value:
        values = [self.value(either, scope) for either in node.values]
        return _first_given(values) if isinstance(node.op, ast.Or) else self._unknown(node)

    def _ifexp(self, node: ast.IfExp, scope: ScopeT) -> Value:
        """Take what production has, if the condition speaks of it."""
        self.value(node.test, scope)
        first, second = self.value(node.body, scope), self.value(node.orelse, scope)
        stage = stage_of(node.test)
        if stage is Stage.UNKNOWN:
            return self._unknown(node)
        value = first if stage is Stage.PRODUCTION else second
        return value.because("outside tests and development")

    # Calls

    def _call(self, node: ast.Call, scope: ScopeT) -> Value:
        if isinstance(node.func, ast.Attribute) and node.func.attr in self._dialect.methods:
            return self._attribute(node.func, scope)
        called = self.value(node.func, scope).data
        form = self.form(node, scope)
        function = _plain(node.func) if isinstance(called, Unknown) else dotted(called)
        if not function:
            return self._unknown(node)
        call = replace(form, function=function)
        self._noted(call, node)
        return self._returned(call, node)

    def form(self, node: ast.Call, scope: ScopeT) -> Call:
        """Work out the arguments of a call, without its function."""
        positional: list[Value] = []
        keywords: dict[str, Value] = {}
        whole = True
        for argument in node.args:
            value = self.value(argument, scope)
            if not isinstance(argument, ast.Starred):
                positional += [value] if whole else []  # Else its place is not known.
            elif isinstance(value.data, tuple) and len(value.data) <= MOST_PARTS:
                positional += value.data
            else:
                whole = False
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value.data, dict) and len(value.data) <= MOST_PARTS:
                whole = whole and SPREAD not in value.data
                keywords |= {key: entry for key, entry in value.data.items() if key != SPREAD}
            else:
                whole = False
        return Call("", tuple(positional), keywords, node.lineno, whole)

    def _returned(self, call: Call, node: ast.Call) -> Value:
        dialect, function = self._dialect, call.function
        if not call.arguments:
            return Value(call, node.lineno)
        first, base = call.arguments[0], call.argument("base", 1)
        setting = _is_one_of(function, dialect.settings)
        if isinstance(first.data, str) and (setting or _is_one_of(function, dialect.reads)):
            default = call.argument("default", 2 if setting else 1)
            unset = self._unset(first.data, node)
            if default is None:
                return unset
            if call.name in dialect.functions:
                default = _converted(default)
            return default.because(*unset.whys)
        if _is_one_of(function, dialect.functions):
            decimal = base is None or base.data == 10
            return _converted(first) if decimal else self._unknown(node)
        if _is_one_of(function, dialect.powers) and base is not None:
            data = combined(ast.Pow(), first.data, base.data)
            return self._unknown(node) if isinstance(data, Unknown) else replace(first, data=data)
        return Value(call, node.lineno)

    def _unset(self, name: str, node: ast.expr) -> Value:
        variable = printable(name)[:40]
        why = Reason(f"unless the environment sets {variable}", variable=variable)
        return Value(Unset(shown(self._written(node))), node.lineno, (why,))


def _plain(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    root = node.id if isinstance(node, ast.Name) else "?" if parts else ""
    return ".".join(filter(None, [root, *reversed(parts)]))[:LONGEST_TEXT]


def _is_one_of(function: str, names: frozenset[str]) -> bool:
    parts = function.replace("()", "").rsplit(".", _MOST_DOTS)
    return any(".".join(parts[start:]) in names for start in range(len(parts)))


def _converted(value: Value) -> Value:
    """Make a number of a text of digits; anything else stays as it is."""
    data = value.data
    if isinstance(data, str) and data.strip().isdecimal() and len(data) <= _LONGEST_NUMBER:
        return replace(value, data=int(data))
    return value


def _first_given(values: Sequence[Value]) -> Value:
    """Choose the first that is something, and the last if a running program decides."""
    *others, last = values
    whys: list[str] = []
    for value in others:
        whys += value.whys
        if is_resolved(value.data) and value.data:
            return replace(value, whys=()).because(*whys)
        if not is_resolved(value.data) and not isinstance(value.data, Unset):
            whys.append(f"unless {described(value.data)} is set")
    return replace(last, whys=()).because(*whys, *last.whys)
