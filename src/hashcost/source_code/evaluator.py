"""What an expression comes to, as far as its file tells. Nothing is run.

The tree is Python's own ``ast``; the other languages are translated into it
(``translation.py``), so that one expression has one answer whoever asks.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Generic, Protocol, TypeVar

from hashcost.core.text import printable
from hashcost.source_code.project.versions import is_before
from hashcost.source_code.rules import Dialect
from hashcost.source_code.stages import Stage, stage_of
from hashcost.source_code.values import (
    ALTERNATIVES,
    LARGEST_BITS,
    MOST_PARTS,
    SPREAD,
    Call,
    Data,
    DottedName,
    Function,
    Prefix,
    Unknown,
    Unset,
    Value,
    combinations,
    combined,
    dotted,
    first_given,
    item,
    number_of,
    several,
    shown,
    whys,
)

_LONGEST_NUMBER: Final = 18
_MOST_DOTS: Final = 3
"""In the name of a function of the dialect."""
_LONGEST_TEXT: Final = 1000


class Scope(Protocol):
    """What names stand for where an expression is written."""

    def find(self, name: str) -> tuple[Value, ...] | None:
        """The values that a name may have; ``None`` if the file does not define it."""


ScopeT = TypeVar("ScopeT", bound=Scope)


class Evaluator(Generic[ScopeT]):
    """Works out the expressions of one file; ``written`` shows one as it stands there.

    As in `ast.NodeVisitor`, a node is read by the method that has the name of its class.
    """

    def __init__(self, dialect: Dialect, written: Callable[[ast.expr], str]) -> None:
        self._dialect = dialect
        self._written = written

    def values(self, node: ast.expr, scope: ScopeT) -> tuple[Value, ...]:
        """What an expression may come to: at least one value, unknown if need be."""
        evaluated = getattr(self, f"_{type(node).__name__.lower()}", self._other)
        found: tuple[Value, ...] = tuple(evaluated(node, scope))
        return found if len(found) <= ALTERNATIVES else (several(found),)

    def _calls(self, node: ast.Call, called: Sequence[Value], scope: ScopeT) -> tuple[Call, ...]:
        """A call in each form that it may have; none if nothing tells what is ``called``."""
        forms = self.forms(node, scope)
        functions = (self._called(each.data, node) for each in called)
        return tuple(
            self._noted(_completed(function, form), node)
            for function in functions
            for form in forms
            if function
        )

    def _noted(self, call: Call, node: ast.Call) -> Call:
        """The call, once whoever reads the file has taken note of it."""
        return call

    def _member(self, owner: str, name: str) -> Sequence[Value] | None:
        """What a class of the file has under a name; ``None`` if the file does not tell."""
        return None

    def _made(self, call: Call, name: str) -> tuple[Value, ...]:
        """What an object that a call made has under a name it was not given, if that is told."""
        return ()

    def _called(self, function: Data, node: ast.Call) -> str | Call:
        """The name of what is called, or a call that lacks arguments; empty if nothing tells."""
        return self._plain(node.func) if isinstance(function, Unknown) else dotted(function)

    def _plain(self, node: ast.expr) -> str:
        """A dotted name as it is written, ``?`` for what is none; empty for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        root = node.id if isinstance(node, ast.Name) else "?" if parts else ""
        return ".".join(filter(None, [root, *reversed(parts)]))[:_LONGEST_TEXT]

    def _unknown(self, node: ast.expr) -> tuple[Value, ...]:
        return (Value(Unknown(shown(self._written(node))), node.lineno),)

    def _other(self, node: ast.expr, scope: ScopeT) -> Sequence[Value]:
        return self._unknown(node)

    def _constant(self, node: ast.Constant, scope: ScopeT) -> Sequence[Value]:
        value = node.value
        if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
            return self._unknown(node)
        if value is None or isinstance(value, bool | int | float | str):
            return (Value(value, node.lineno),)
        return self._unknown(node)

    # Names

    def _name(self, node: ast.Name, scope: ScopeT) -> Sequence[Value]:
        found = scope.find(node.id)
        if found is None:
            return self._elsewhere(node.id, node.lineno)
        values: list[Value] = []
        for each in found:
            path = dotted(each.data)
            if path:
                values += (one.because(*each.whys) for one in self._elsewhere(path, node.lineno))
            else:
                values.append(each if each.line else replace(each, line=node.lineno))
        return values

    def _attribute(self, node: ast.Attribute, scope: ScopeT) -> Iterator[Value]:
        for base in self.values(node.value, scope):
            data = base.data
            if node.attr in self._dialect.same and not dotted(data):
                yield base
                continue
            if node.attr in self._dialect.methods and not dotted(data):
                yield self._converted(base, node)
                continue
            owner = data.function if isinstance(data, Call) else dotted(data)
            member = self._member(owner, node.attr) if owner else None
            if member is not None:
                yield from member
            elif owner in self._dialect.environment:
                yield self._unset(node.attr, node)
            elif isinstance(data, dict) and node.attr in data:
                yield data[node.attr]
            elif isinstance(data, Call) and node.attr in data.keywords:
                yield data.keywords[node.attr]
            elif isinstance(data, Call) and (own := self._made(data, node.attr)):
                yield from (each.because(*base.whys) for each in own)
            elif owner:
                made = "()" if isinstance(data, Call) else ""
                yield from self._elsewhere(f"{owner}{made}.{node.attr}", node.lineno)
            else:
                yield from self._field(node.attr) or self._unknown(node)

    def _field(self, name: str) -> tuple[Value, ...]:
        """What the file gives a field of this name wherever it makes an object with one."""
        return ()

    def _elsewhere(self, path: str, line: int) -> tuple[Value, ...]:
        """What another file defines: a constant of a library, or no more than its name."""
        constant = self._constant_named(path)
        if constant is not None:
            return (replace(constant, line=line),)
        found = self._foreign(path)
        return (Value(DottedName(path), line),) if found is None else found

    def _constant_named(self, path: str) -> Value | None:
        """A constant of a library, by the version that the project uses where that matters."""
        constant = self._dialect.constants.get(path)
        if constant is not None:
            return Value(constant, 0)
        name = ".".join(path.split(".")[-2:])
        versioned = self._dialect.versioned.get(name)
        version = None if versioned is None else self._versions().get(versioned.package)
        if versioned is None or version is None:
            return None
        known = [
            value for since, value in versioned.since.items() if not is_before(version, since)
        ]
        why = f"{name} is {max(known)} in {versioned.package} {version}" if known else ""
        return Value(known[-1], 0, (why,)) if known else None

    def _versions(self) -> Mapping[str, str]:
        """The versions of the packages that the project uses, as far as its files tell."""
        return {}

    def _foreign(self, path: str) -> tuple[Value, ...] | None:
        """What a dotted name stands for in another file of the project, if it is told."""
        return None

    def _subscript(self, node: ast.Subscript, scope: ScopeT) -> Iterator[Value]:
        for base, key in combinations(
            [self.values(node.value, scope), self.values(node.slice, scope)]
        ):
            found = item(base.data, key.data)
            if found is not None:
                yield found
            elif dotted(base.data) in self._dialect.environment and isinstance(key.data, str):
                yield self._unset(key.data, node)
            else:
                yield from self._unknown(node)

    # What is put together

    def _tuple(self, node: ast.Tuple | ast.List, scope: ScopeT) -> Iterator[Value]:
        for combination in combinations([self.values(each, scope) for each in node.elts]):
            parts: list[Value] = []
            for each, value in zip(node.elts, combination, strict=True):
                if not isinstance(each, ast.Starred):
                    parts.append(value)
                elif isinstance(value.data, tuple):
                    parts = [*parts, *value.data[:MOST_PARTS]][:MOST_PARTS]
                else:
                    parts = [*parts, *self._unknown(each)][:MOST_PARTS]
            yield Value(tuple(parts), node.lineno)

    _list = _tuple

    def _starred(self, node: ast.Starred | ast.FormattedValue, scope: ScopeT) -> Sequence[Value]:
        return self.values(node.value, scope)

    _formattedvalue = _starred

    def _dict(self, node: ast.Dict, scope: ScopeT) -> Iterator[Value]:
        keys = [None if key is None else self.values(key, scope)[-1].data for key in node.keys]
        for combination in combinations([self.values(each, scope) for each in node.values]):
            entries: dict[str, Value] = {}
            for key, name, value in zip(node.keys, keys, combination, strict=True):
                if isinstance(name, str):
                    entries[name] = value
                elif key is None and isinstance(value.data, dict):
                    entries.update(islice(value.data.items(), MOST_PARTS))
                    entries = dict(islice(entries.items(), MOST_PARTS))
                elif key is None:
                    entries[SPREAD] = value
            yield Value(entries, node.lineno)

    def _joinedstr(self, node: ast.JoinedStr, scope: ScopeT) -> Iterator[Value]:
        for combination in combinations([self.values(each, scope) for each in node.values]):
            texts = [
                str(each.data)
                for each in combination
                if isinstance(each.data, str) or number_of(each.data) is not None
            ]
            if len(texts) == len(combination):
                text = "".join(texts)[:_LONGEST_TEXT]
                yield Value(text, node.lineno).because(*whys(combination))
            elif combination and isinstance(combination[0].data, str):
                yield Value(Prefix(combination[0].data), node.lineno)
            else:
                yield from self._unknown(node)

    def _lambda(self, node: ast.Lambda, scope: ScopeT) -> Sequence[Value]:
        returned = self.values(node.body, scope)[-1].data
        sets = returned if isinstance(returned, dict) else {}
        return (Value(Function(shown(self._written(node)), sets), node.lineno),)

    # Operators

    def _binop(self, node: ast.BinOp, scope: ScopeT) -> Sequence[Value]:
        return self._operated(node, self.values(node.left, scope), self.values(node.right, scope))

    def _operated(
        self,
        node: ast.BinOp | ast.AugAssign,
        left: tuple[Value, ...],
        right: tuple[Value, ...],
    ) -> tuple[Value, ...]:
        found = []
        for one, two in combinations([left, right]):
            data = combined(node.op, one.data, two.data)
            if isinstance(data, Unknown) and not isinstance(data, Prefix):
                target = node if isinstance(node, ast.BinOp) else node.value
                data = self._unknown(target)[0].data
            found.append(Value(data, node.lineno).because(*whys([one, two])))
        return tuple(found)

    def _unaryop(self, node: ast.UnaryOp, scope: ScopeT) -> Iterator[Value]:
        for operand in self.values(node.operand, scope):
            number = number_of(operand.data)
            if isinstance(node.op, ast.USub) and number is not None:
                yield replace(operand, data=-number)
            elif isinstance(node.op, ast.UAdd):
                yield self._converted(operand, node)
            else:
                yield from self._unknown(node)

    def _boolop(self, node: ast.BoolOp, scope: ScopeT) -> Iterator[Value]:
        """``a or b``: the first that is something, with why it may be another."""
        lists = [self.values(each, scope) for each in node.values]
        if isinstance(node.op, ast.And):
            yield from self._unknown(node)
            return
        for combination in combinations(lists):
            yield first_given(combination)

    def _ifexp(self, node: ast.IfExp, scope: ScopeT) -> Sequence[Value]:
        self.values(node.test, scope)
        first, second = self.values(node.body, scope), self.values(node.orelse, scope)
        stage = stage_of(node.test)
        if stage is Stage.UNKNOWN:
            why = f"line {node.lineno} decides"
            return [each.because(why) for each in (*first, *second)]
        if stage in (Stage.TESTS, Stage.NEVER):
            first, second = second, first
        if stage in (Stage.ALWAYS, Stage.NEVER):
            return first
        return [each.because("outside tests and development") for each in first]

    # Calls

    def _call(self, node: ast.Call, scope: ScopeT) -> Iterable[Value]:
        if isinstance(node.func, ast.Attribute) and node.func.attr in self._dialect.same:
            return self.values(node.func.value, scope)
        if isinstance(node.func, ast.Attribute) and node.func.attr in self._dialect.methods:
            return self._attribute(node.func, scope)
        if isinstance(node.func, ast.Attribute) and node.func.attr in self._dialect.otherwise:
            either = [node.func.value, *node.args]
            return map(first_given, combinations([self.values(e, scope) for e in either]))
        called = self.values(node.func, scope)
        found = [self._returned(call, node) for call in self._calls(node, called, scope)]
        values = [one for each in found for one in self._result(each)]
        if not values:  # A function of another file, which stands for what it returns.
            values = [each for each in called if number_of(each.data) is not None]
        return values or self._unknown(node)

    def _result(self, made: Value) -> tuple[Value, ...]:
        """What a call comes to by the function's own text, if it has one result."""
        return (made,)

    def forms(self, node: ast.Call, scope: ScopeT) -> list[Call]:
        """The arguments of a call, in each form that they may have, without its function."""
        places: list[tuple[str | None, ast.expr]] = [(None, each) for each in node.args]
        places += [(each.arg or SPREAD, each.value) for each in node.keywords]
        found = []
        for combination in combinations([self.values(each, scope) for _, each in places]):
            positional: list[Value] = []
            keywords: dict[str, Value] = {}
            whole = True
            for (name, each), value in zip(places, combination, strict=True):
                data = value.data
                if name is None and not isinstance(each, ast.Starred):
                    positional += [value] if whole else []  # Else its place is not known.
                elif name is not None and name != SPREAD:
                    keywords[name] = value
                elif name is None and isinstance(data, tuple) and len(data) <= MOST_PARTS:
                    positional += data
                elif name and isinstance(data, dict) and len(data) <= MOST_PARTS:
                    keywords |= {key: each for key, each in data.items() if key != SPREAD}
                    whole = whole and SPREAD not in data
                else:
                    whole = False
            found.append(
                Call(
                    function="",
                    arguments=tuple(positional),
                    keywords=keywords,
                    line=node.lineno,
                    whole=whole,
                )
            )
        return found

    def _returned(self, call: Call, node: ast.Call) -> Value:
        """What a call comes to: a number in a text, a default, or no more than a call."""
        dialect = self._dialect
        first = call.arguments[0] if call.arguments else None
        if first is None:
            return Value(call, node.lineno)
        setting = _is_one_of(call.function, dialect.settings)
        if isinstance(first.data, str) and (setting or _is_one_of(call.function, dialect.reads)):
            default = call.argument("default", 2 if setting else 1)
            unset = self._unset(first.data, node)
            if default is None:
                return unset
            if isinstance(default.data, str) and call.name in dialect.conversions:
                default = self._converted(default, node)
            return default.because(*unset.whys)
        if _is_one_of(call.function, dialect.wraps):
            return first
        if _is_one_of(call.function, dialect.conversions):
            return self._converted(first, node, call.argument("base", 1))
        if _is_one_of(call.function, dialect.powers) and len(call.arguments) == 2:
            power = combined(ast.Pow(), first.data, call.arguments[1].data)
            known = not isinstance(power, Unknown)
            return replace(first, data=power) if known else self._unknown(node)[0]
        return Value(call, node.lineno)

    def _unset(self, name: str, node: ast.expr) -> Value:
        why = f"unless the environment sets {printable(name)[:40]}"
        return Value(Unset(shown(self._written(node))), node.lineno, (why,))

    def _converted(self, value: Value, node: ast.expr, base: Value | None = None) -> Value:
        """What a conversion to a whole number makes of a value."""
        data = value.data
        if isinstance(data, Unknown):
            return value
        if base is None or base.data == 10:
            if isinstance(data, str) and data.strip().isdecimal() and len(data) <= _LONGEST_NUMBER:
                return replace(value, data=int(data))
            if isinstance(data, int):
                return value
        return self._unknown(node)[0]


def _completed(function: str | Call, form: Call) -> Call:
    """A form of a call with what is called, or with the arguments given before."""
    if isinstance(function, str):
        return replace(form, function=function)
    return replace(
        function,
        arguments=(*function.arguments, *form.arguments),
        keywords={**function.keywords, **form.keywords},
        line=form.line,
        whole=function.whole and form.whole,
    )


def _is_one_of(function: str, names: frozenset[str]) -> bool:
    """Whether a function has one of these names, or ends in one after a dot."""
    parts = function.replace("()", "").rsplit(".", _MOST_DOTS)
    return any(".".join(parts[start:]) in names for start in range(len(parts)))
