"""What a Python file says, read without running it.

Assignments, classes and calls, with what their expressions come to as far as the file
alone tells: constants are followed, a default is taken where the environment may set
a value, and what stands under a condition of tests alone is set apart.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, TypeAlias

from hashcost.apps.files.python_conditions import Stage, stage_of
from hashcost.apps.files.python_values import (
    MOST_PARTS,
    Call,
    ClassName,
    Data,
    Reference,
    Unknown,
    Value,
    binary,
    dotted,
    shown,
)
from hashcost.core.errors import UnreadableInputError, printable

LARGEST: Final = 1 << 19
"""Characters; no source that configures an application comes near."""

_ALTERNATIVES = 8
"""Values that one expression is followed into at most."""
_ANCESTORS = 64
"""Bases of one class that are looked at; no class has as many."""
_EXCERPT = 200
"""Bytes of an expression that may be shown."""
_PARTIAL = "functools.partial"


@dataclass(frozen=True, kw_only=True, eq=False)
class Assigned:
    """A name that is given a value, or one of several.

    ``inside`` is the class that it stands in, ``local`` whether a function has it to
    itself. ``apart`` says what sets it apart from production.
    """

    name: str
    line: int
    values: tuple[Value, ...]
    inside: str = ""
    local: bool = False
    apart: str = ""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """``base.key = value`` or ``base["key"] = value``."""

    base: str
    key: str
    line: int
    values: tuple[Value, ...]
    apart: str = ""


@dataclass(frozen=True, kw_only=True)
class Class:
    """A class of the file; ``attributes`` are what its body leaves assigned."""

    name: str
    line: int
    bases: tuple[Data, ...]
    attributes: Mapping[str, tuple[Assigned, ...]]
    apart: str = ""


@dataclass(frozen=True, kw_only=True)
class Called:
    """A call of the file, with what sets it apart from production."""

    call: Call
    apart: str = ""


@dataclass(kw_only=True)
class Source:
    """A file, in its order. ``names`` are those that its end leaves assigned."""

    assigned: list[Assigned] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)
    classes: dict[str, Class] = field(default_factory=dict)
    called: list[Called] = field(default_factory=list)
    names: dict[str, tuple[Assigned, ...]] = field(default_factory=dict)

    def attribute(self, name: str, attribute: str) -> tuple[Assigned, ...] | None:
        """An attribute of a class of the file, its bases' included; none where it has none."""
        for each in self.ancestry(name):
            if each in self.classes and attribute in self.classes[each].attributes:
                return self.classes[each].attributes[attribute]
        return None

    def ancestry(self, name: str) -> tuple[str, ...]:
        """A class with all its bases, nearest first; those of other files by dotted name."""
        found: dict[str, None] = {}
        pending = [name]
        while pending and len(found) < _ANCESTORS:
            each = pending.pop(0)
            if each in found:
                continue
            found[each] = None
            known = self.classes.get(each)
            bases = known.bases if known is not None else ()
            pending = [path for base in bases if (path := dotted(base))] + pending
        return tuple(found)


def read_source(text: str) -> Source:
    """Read a file.

    Raises:
        UnreadableInputError: it is no Python, too large, or too deeply nested.
    """
    if len(text) > LARGEST:
        raise UnreadableInputError(f"it is larger than {LARGEST:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        return _Interpreter(text).run(tree)
    except (RecursionError, MemoryError):
        raise UnreadableInputError("it is nested too deeply to be read") from None
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        raise UnreadableInputError(f"{where}no Python: {printable(error.msg)[:80]}") from None
    except ValueError as error:
        raise UnreadableInputError(f"no Python: {printable(str(error))[:80]}") from None


class _Scope:
    """Names, and the scope around it; what is assigned stays in the innermost."""

    def __init__(self, parent: _Scope | None = None) -> None:
        self.parent = parent
        self.names: dict[str, tuple[Assigned, ...]] = {}

    def find(self, name: str) -> tuple[Assigned, ...] | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Later: TypeAlias = tuple[_Function, _Scope, str]
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Interpreter:
    """Goes through the statements once; bodies of functions after the module."""

    def __init__(self, text: str) -> None:
        lines = re.split(r"\r\n|\r|\n", text)  # As Python counts them.
        self._lines = [line.encode("utf-8", "replace") for line in lines]
        self._source = Source()
        self._module = _Scope()
        self._later: list[_Later] = []
        self._apart = ""
        self._inside = ""
        self._local = False
        self._by_kind: dict[type[ast.expr], Callable[..., tuple[Value, ...]]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Tuple: self._sequence,
            ast.List: self._sequence,
            ast.Dict: self._dict,
            ast.Call: self._call,
            ast.BinOp: self._binary,
            ast.UnaryOp: self._unary,
            ast.BoolOp: self._either,
            ast.IfExp: self._if_else,
            ast.JoinedStr: self._joined,
            ast.Subscript: self._subscript,
            ast.NamedExpr: self._named,
        }

    def run(self, tree: ast.Module) -> Source:
        self._block(tree.body, self._module)
        self._source.names = self._module.names
        self._local = True
        while self._later:
            function, scope, apart = self._later.pop(0)
            self._apart, self._inside = apart, ""
            self._block(function.body, self._parameters(function, scope))
        return self._source

    # Statements

    def _block(self, body: Iterable[ast.stmt], scope: _Scope) -> None:
        for statement in body:
            self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: _Scope) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            self._assign(node, scope)
        elif isinstance(node, ast.If):
            self._if(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._function(node, scope)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        else:
            self._compound(node, scope)

    def _compound(self, node: ast.stmt, scope: _Scope) -> None:
        if isinstance(node, ast.Try | ast.TryStar):
            self._block(node.body, scope)
            for handler in node.handlers:
                self._maybe([handler.body], scope, handler.lineno)
            self._block([*node.orelse, *node.finalbody], scope)
        elif isinstance(node, _LOOPS):
            self._expressions(node, scope)
            if not isinstance(node, ast.While):
                self._bind(node.target, _unknown("a loop", node.lineno), scope)
            self._maybe([[*node.body, *node.orelse]], scope, node.lineno)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                values = self.evaluate(item.context_expr, scope)
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, values, scope)
            self._block(node.body, scope)
        elif isinstance(node, ast.Match):
            self.evaluate(node.subject, scope)
            self._maybe([case.body for case in node.cases], scope, node.lineno)
        else:
            self._expressions(node, scope)

    def _expressions(self, node: ast.AST, scope: _Scope) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child, scope)
            elif isinstance(child, ast.comprehension | ast.arguments | ast.keyword):
                self._expressions(child, scope)

    def _maybe(self, bodies: Sequence[Sequence[ast.stmt]], scope: _Scope, line: int) -> None:
        """Bodies of which any, or none, may run."""
        branches = [_Scope(scope) for _ in bodies]
        for body, branch in zip(bodies, branches, strict=True):
            self._block(body, branch)
        self._merge(scope, branches, line, one_runs=False)

    def _if(self, node: ast.If, scope: _Scope) -> None:
        self.evaluate(node.test, scope)
        stage = stage_of(node.test)
        if stage is Stage.UNKNOWN:
            branches = [_Scope(scope), _Scope(scope)]
            self._block(node.body, branches[0])
            self._block(node.orelse, branches[1])
            self._merge(scope, branches, node.lineno, one_runs=True)
            return
        main, other = node.body, node.orelse
        if stage in (Stage.TESTS, Stage.NEVER):
            main, other = other, main
        self._block(main, scope)
        outer = self._apart
        self._apart = outer or (
            f"line {node.lineno} is for tests and development alone"
            if stage in (Stage.TESTS, Stage.PRODUCTION)
            else f"line {node.lineno} never lets it run"
        )
        self._block(other, _Scope(scope))
        self._apart = outer

    def _merge(
        self, scope: _Scope, branches: Sequence[_Scope], line: int, *, one_runs: bool
    ) -> None:
        for name in dict.fromkeys(name for branch in branches for name in branch.names):
            if one_runs and all(name in branch.names for branch in branches):
                before: tuple[Assigned, ...] = ()
            else:
                before = scope.find(name) or ()
            after = [each for branch in branches for each in branch.names.get(name, ())]
            both = tuple(dict.fromkeys([*before, *after]))[-_ALTERNATIVES:]
            scope.names[name] = both

    def _class(self, node: ast.ClassDef, scope: _Scope) -> None:
        bases = tuple(self.evaluate(base, scope)[-1].data for base in node.bases)
        for each in [*node.decorator_list, *(keyword.value for keyword in node.keywords)]:
            self.evaluate(each, scope)
        outer, self._inside = self._inside, node.name
        body = _Scope(scope)
        self._block(node.body, body)
        self._inside = outer
        found = Class(
            name=node.name,
            line=node.lineno,
            bases=bases,
            attributes=body.names,
            apart=self._apart,
        )
        known = self._source.classes.get(node.name)
        if known is None or known.apart or not self._apart:
            self._source.classes[node.name] = found
        self._put(node.name, node.lineno, (Value(ClassName(node.name), node.lineno),), scope)

    def _function(self, node: _Function, scope: _Scope) -> None:
        for each in [*node.decorator_list, *node.args.defaults]:
            self.evaluate(each, scope)
        outer = self._module if self._inside else scope
        self._later.append((node, outer, self._apart))
        self._put(node.name, node.lineno, (Value(Reference(node.name), node.lineno),), scope)

    def _parameters(self, node: _Function, outer: _Scope) -> _Scope:
        scope = _Scope(outer)
        arguments = node.args
        given = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [None] * (len(given) - len(arguments.defaults))
        pairs = [
            *zip(given, [*defaults, *arguments.defaults], strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
            *((each, None) for each in (arguments.vararg, arguments.kwarg) if each is not None),
        ]
        for argument, default in pairs:
            values = _unknown(f"the argument {argument.arg}", argument.lineno)
            if default is not None:
                why = f"unless the caller passes {argument.arg}"
                values = tuple(each.because(why) for each in self.evaluate(default, outer))
            if argument.arg in ("self", "cls"):
                values = (Value(Reference(argument.arg), argument.lineno),)
            self._put(argument.arg, argument.lineno, values, scope, record=False)
        return scope

    def _import(self, node: ast.Import | ast.ImportFrom, scope: _Scope) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                path = alias.name if alias.asname else alias.name.split(".")[0]
                name = alias.asname or path
            else:
                path = f"{'.' * node.level}{node.module or ''}.{alias.name}".lstrip(".")
                name = alias.asname or alias.name
            if name != "*":
                values = (Value(Reference(path), node.lineno),)
                self._put(name, node.lineno, values, scope, record=False)

    def _assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, scope: _Scope) -> None:
        if node.value is None:
            return
        values = self.evaluate(node.value, scope)
        if isinstance(node, ast.AugAssign):
            before = self.evaluate(node.target, scope)
            values = self._combined(node, before, values)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self._bind(target, values, scope)

    def _bind(self, target: ast.expr, values: tuple[Value, ...], scope: _Scope) -> None:
        if isinstance(target, ast.Name):
            self._put(target.id, target.lineno, values, scope)
        elif isinstance(target, ast.Attribute):
            self._store(self.evaluate(target.value, scope), target.attr, target.lineno, values)
        elif isinstance(target, ast.Subscript):
            key = self.evaluate(target.slice, scope)[-1].data
            if isinstance(key, str):
                self._store(self.evaluate(target.value, scope), key, target.lineno, values)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = values[-1].data
            fits = isinstance(parts, tuple) and len(parts) == len(target.elts)
            for index, each in enumerate(target.elts):
                part = (
                    (parts[index],)
                    if fits and isinstance(parts, tuple)
                    else _unknown("part of a value", target.lineno)
                )
                self._bind(each, part, scope)

    def _put(
        self,
        name: str,
        line: int,
        values: tuple[Value, ...],
        scope: _Scope,
        *,
        record: bool = True,
    ) -> None:
        assigned = Assigned(
            name=name,
            line=line,
            values=values,
            inside=self._inside,
            local=self._local and not self._inside,
            apart=self._apart,
        )
        scope.names[name] = (assigned,)
        if record:
            self._source.assigned.append(assigned)

    def _store(
        self, bases: tuple[Value, ...], key: str, line: int, values: tuple[Value, ...]
    ) -> None:
        base = dotted(bases[-1].data)
        if base:
            self._source.stored.append(
                Stored(base=base, key=key, line=line, values=values, apart=self._apart)
            )

    # Expressions

    def evaluate(self, node: ast.expr, scope: _Scope) -> tuple[Value, ...]:
        """What an expression may come to: at least one value, unknown if need be."""
        evaluated = self._by_kind.get(type(node))
        if evaluated is not None:
            return evaluated(node, scope)[:_ALTERNATIVES]
        if isinstance(node, (*_COMPREHENSIONS, ast.Lambda)):
            scope = self._shadowing(node, scope)
        self._expressions(node, scope)
        return self._unknown(node)

    def _unknown(self, node: ast.expr) -> tuple[Value, ...]:
        line = self._lines[node.lineno - 1] if node.lineno <= len(self._lines) else b""
        last = node.col_offset + _EXCERPT
        if node.end_lineno == node.lineno and node.end_col_offset is not None:
            last = min(last, node.end_col_offset)
        text = line[node.col_offset : last].decode("utf-8", "replace")
        return _unknown(shown(text), node.lineno)

    def _shadowing(self, node: ast.AST, outer: _Scope) -> _Scope:
        scope = _Scope(outer)
        for each in ast.walk(node):
            name = each.arg if isinstance(each, ast.arg) else None
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                name = each.id
            if name is not None:
                self._put(name, 0, _unknown(name, 0), scope, record=False)
        return scope

    def _constant(self, node: ast.Constant, scope: _Scope) -> tuple[Value, ...]:
        if node.value is None or isinstance(node.value, bool | int | float | str):
            return (Value(node.value, node.lineno),)
        return self._unknown(node)

    def _name(self, node: ast.Name, scope: _Scope) -> tuple[Value, ...]:
        found = scope.find(node.id)
        if found is None:
            data = node.id if node.id == "__name__" else Reference(node.id)
            return (Value(data, node.lineno),)
        return tuple(
            replace(each, line=node.lineno) if dotted(each.data) else each
            for each in _of_all(found)
        )

    def _attribute(self, node: ast.Attribute, scope: _Scope) -> tuple[Value, ...]:
        found: list[Value] = []
        for base in self.evaluate(node.value, scope):
            data = base.data
            owner = data.function if isinstance(data, Call) else dotted(data)
            attribute = self._source.attribute(owner, node.attr) if owner else None
            if attribute is not None:
                found += _of_all(attribute)
            elif owner and not isinstance(data, Call):
                found.append(Value(Reference(f"{owner}.{node.attr}"), node.lineno))
            elif isinstance(data, Call):
                found.append(Value(Reference(f"{owner}().{node.attr}"), node.lineno))
            else:
                found += self._unknown(node)
        return tuple(found)

    def _sequence(self, node: ast.Tuple | ast.List, scope: _Scope) -> tuple[Value, ...]:
        parts: list[Value] = []
        for each in node.elts:
            if isinstance(each, ast.Starred):
                data = self.evaluate(each.value, scope)[-1].data
                parts += data[:MOST_PARTS] if isinstance(data, tuple) else self._unknown(each)
                parts = parts[:MOST_PARTS]
            else:
                parts.append(self.evaluate(each, scope)[-1])
        return (Value(tuple(parts), node.lineno),)

    def _dict(self, node: ast.Dict, scope: _Scope) -> tuple[Value, ...]:
        found: dict[str, Value] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            values = self.evaluate(value, scope)
            name = None if key is None else self.evaluate(key, scope)[-1].data
            if isinstance(name, str):
                found[name] = values[-1]
            elif key is None and isinstance(values[-1].data, dict):
                found.update(islice(values[-1].data.items(), MOST_PARTS))
                found = dict(islice(found.items(), MOST_PARTS))
        return (Value(found, node.lineno),)

    def _binary(self, node: ast.BinOp, scope: _Scope) -> tuple[Value, ...]:
        return self._combined(
            node, self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        )

    def _combined(
        self,
        node: ast.BinOp | ast.AugAssign,
        left: tuple[Value, ...],
        right: tuple[Value, ...],
    ) -> tuple[Value, ...]:
        found = []
        for one in left:
            for two in right:
                data = binary(node.op, one.data, two.data)
                if isinstance(data, Unknown):
                    target = node if isinstance(node, ast.BinOp) else node.value
                    data = self._unknown(target)[0].data
                found.append(replace(one, data=data, line=node.lineno).because(*two.whys))
        return tuple(found)

    def _unary(self, node: ast.UnaryOp, scope: _Scope) -> tuple[Value, ...]:
        operand = self.evaluate(node.operand, scope)[-1]
        if isinstance(node.op, ast.USub) and isinstance(operand.data, int):
            return (replace(operand, data=-operand.data),)
        return self._unknown(node)

    def _either(self, node: ast.BoolOp, scope: _Scope) -> tuple[Value, ...]:
        """``a or b``: the first that is known to be something, with why it may be another."""
        values = [self.evaluate(each, scope)[-1] for each in node.values]
        if isinstance(node.op, ast.And):
            return self._unknown(node)
        whys: list[str] = []
        for each in values:
            whys += each.whys
            if each.data or each is values[-1]:
                return (replace(each, whys=tuple(dict.fromkeys(whys))),)
        return self._unknown(node)

    def _if_else(self, node: ast.IfExp, scope: _Scope) -> tuple[Value, ...]:
        self.evaluate(node.test, scope)
        first, second = self.evaluate(node.body, scope), self.evaluate(node.orelse, scope)
        stage = stage_of(node.test)
        if stage is Stage.UNKNOWN:
            why = f"line {node.lineno} decides"
            return tuple(each.because(why) for each in (*first, *second))
        if stage in (Stage.TESTS, Stage.NEVER):
            first, second = second, first
        if stage in (Stage.ALWAYS, Stage.NEVER):
            return first
        return tuple(each.because("outside tests and development") for each in first)

    def _joined(self, node: ast.JoinedStr, scope: _Scope) -> tuple[Value, ...]:
        text = ""
        whys: list[str] = []
        for each in node.values:
            inner = each.value if isinstance(each, ast.FormattedValue) else each
            part = self.evaluate(inner, scope)[-1]
            if isinstance(part.data, str | int) and not isinstance(part.data, bool):
                text += str(part.data)
            else:
                return self._unknown(node)
            whys += part.whys
        return (Value(text[:1000], node.lineno, tuple(dict.fromkeys(whys))),)

    def _subscript(self, node: ast.Subscript, scope: _Scope) -> tuple[Value, ...]:
        base, key = self.evaluate(node.value, scope)[-1], self.evaluate(node.slice, scope)[-1].data
        if isinstance(base.data, dict) and isinstance(key, str) and key in base.data:
            return (base.data[key],)
        if isinstance(base.data, tuple) and isinstance(key, int) and 0 <= key < len(base.data):
            return (base.data[key],)
        return self._unknown(node)

    def _named(self, node: ast.NamedExpr, scope: _Scope) -> tuple[Value, ...]:
        values = self.evaluate(node.value, scope)
        self._bind(node.target, values, scope)
        return values

    # Calls

    def _call(self, node: ast.Call, scope: _Scope) -> tuple[Value, ...]:
        arguments, keywords, whole = self._arguments(node, scope)
        found: list[Value] = []
        for function in self.evaluate(node.func, scope):
            call = _called(function.data, arguments, keywords, node.lineno, whole=whole)
            if call is None:
                found += self._unknown(node)
                continue
            self._source.called.append(Called(call=call, apart=self._apart))
            inner = _inner(call)
            if inner is not None:
                self._source.called.append(Called(call=inner, apart=self._apart))
            simple = _simplified(call)
            found.append(simple or Value(call, node.lineno))
        return tuple(found)

    def _arguments(
        self, node: ast.Call, scope: _Scope
    ) -> tuple[tuple[Value, ...], dict[str, Value], bool]:
        """Positional and keyword arguments, and whether these are all of them."""
        arguments: list[Value] = []
        keywords: dict[str, Value] = {}
        whole = True
        for each in node.args:
            starred = isinstance(each, ast.Starred)
            values = self.evaluate(each.value if isinstance(each, ast.Starred) else each, scope)
            data = values[-1].data
            if starred and isinstance(data, tuple) and len(data) <= MOST_PARTS:
                arguments += data
            elif starred:
                whole = False
            else:
                arguments.append(_one_of(values))
        for keyword in node.keywords:
            values = self.evaluate(keyword.value, scope)
            data = values[-1].data
            if keyword.arg is not None:
                keywords[keyword.arg] = _one_of(values)
            elif isinstance(data, dict) and len(data) <= MOST_PARTS:
                keywords.update(data)
            else:
                whole = False
        return tuple(arguments), keywords, whole


def _unknown(text: str, line: int) -> tuple[Value, ...]:
    return (Value(Unknown(text), line),)


def _of_all(assigned: Sequence[Assigned]) -> tuple[Value, ...]:
    """The values of all assignments that may hold."""
    if len(assigned) == 1:
        return assigned[0].values
    lines = " or ".join(str(line) for line in sorted({each.line for each in assigned}))
    why = f"set on line {lines}, as a condition has it"
    return tuple(value.because(why) for each in assigned for value in each.values)


def _one_of(values: tuple[Value, ...]) -> Value:
    """One value for several: the lowest number of them, as the file does not tell."""
    if len(values) == 1:
        return values[0]
    numbers = [each for each in values if isinstance(each.data, int)]
    if len(numbers) < len(values):
        return Value(Unknown("one of several values"), values[-1].line)
    return min(numbers, key=lambda each: each.data if isinstance(each.data, int) else 0)


def _called(
    function: Data,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    line: int,
    *,
    whole: bool,
) -> Call | None:
    if isinstance(function, Call):
        if function.function != _PARTIAL or not function.arguments:
            return None
        inner = dotted(function.arguments[0].data)
        return Call(
            function=inner,
            arguments=(*function.arguments[1:], *arguments),
            keywords={**function.keywords, **keywords},
            line=line,
            whole=whole and function.whole,
        )
    path = dotted(function)
    if not path:
        return None
    return Call(function=path, arguments=arguments, keywords=keywords, line=line, whole=whole)


def _inner(call: Call) -> Call | None:
    """What ``partial(function, ...)`` will call."""
    if call.function != _PARTIAL or not call.arguments:
        return None
    return _called(call, (), {}, call.line, whole=True)


_ENVIRONMENTS = (
    "env",
    "config",
    "environ",
    "environ.get",
    "os.environ.get",
    "os.getenv",
    "getenv",
)
_KINDS = ("int", "str", "bool", "float", "get", "get_value")


def _simplified(call: Call) -> Value | None:
    """What a call comes to: a number in a string, a default; none where it stays a call."""
    first = call.arguments[0] if call.arguments else None
    if call.function in ("int", "str", "list", "tuple") and first is not None:
        return _converted(call.function, first, call.line)
    if call.function.split(".")[-1] == "Field":
        default = call.keywords.get("default", first)
        return default and default.because("unless the environment sets it")
    if first is None or not isinstance(first.data, str):
        if call.function == "getattr" and len(call.arguments) == 3:
            return call.arguments[2].because("unless the object has another")
        return None
    if not _asks_environment(call.function):
        return None
    default = call.keywords.get("default", call.arguments[1] if len(call.arguments) > 1 else None)
    name = printable(first.data)[:40]
    if default is None:
        return Value(None, call.line, (f"unless the environment sets {name}",))
    if isinstance(default.data, str) and call.function.split(".")[-1] == "int":
        default = _converted("int", default, call.line) or default
    return default.because(f"unless the environment sets {name}")


def _asks_environment(function: str) -> bool:
    if function in _ENVIRONMENTS or function.endswith((".environ.get", ".getenv", ".config")):
        return True
    owner, _, kind = function.rpartition(".")
    name = owner.split(".")[-1].removesuffix("()").lower()
    return kind in _KINDS and name in ("env", "environ", "config")


def _converted(kind: str, value: Value, line: int) -> Value | None:
    data = value.data
    if kind in ("list", "tuple"):
        return value if isinstance(data, tuple) else None
    if isinstance(data, Unknown) or data is None:
        return Value(data, line, value.whys)
    if kind == "str":
        return replace(value, data=str(data)) if isinstance(data, int | str) else None
    if isinstance(data, str) and data.strip().isdecimal() and len(data) < 30:
        return replace(value, data=int(data))
    return value if isinstance(data, int) else None
