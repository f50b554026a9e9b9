"""The values in a Python file: what its statements assign, pass on and call.

Statements are gone through once. Constants are followed, the default is taken for what the
environment may set, and code under a condition of tests is set apart.
"""

from __future__ import annotations

import ast
from collections import ChainMap, Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final, TypeAlias

from hashcost.source_code.derived_keys import may_derive_keys
from hashcost.source_code.evaluator import Evaluator
from hashcost.source_code.project import Parameter, Project, home_key, homes_of
from hashcost.source_code.python.results import RESULT, only_returned, with_named_result
from hashcost.source_code.python.tree import (
    OBJECTS,
    PythonFunction,
    PythonText,
    PythonTree,
    arguments_of_constructor,
    is_test,
)
from hashcost.source_code.remembering import remembered
from hashcost.source_code.rules import last_word, load_language
from hashcost.source_code.stages import (
    DeploymentStage,
    leaves_in_production,
    stage_named,
    stage_of,
    stage_of_arm,
    values_of_case,
)
from hashcost.source_code.values import (
    MOST_JOINED,
    Call,
    Data,
    DottedName,
    Reason,
    Unknown,
    Unset,
    Value,
    described,
    dotted,
    is_resolved,
    unless_set,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Assigned:
    """An assignment of a value to a name, maybe one of several.

    With a ``base`` it is ``base.name`` or ``base["name"]``. ``inside`` is the class that
    it is in, ``local`` whether it is a function's own. ``apart`` says what sets it
    apart from production.
    """

    name: str
    line: int
    value: Value
    base: str = ""
    inside: str = ""
    local: bool = False
    apart: str = ""


@dataclass(frozen=True)
class Class:
    """A class of the file; ``attributes`` are what its body leaves assigned.

    ``takes`` are the names of what its constructor is given.
    """

    name: str
    line: int
    last_line: int
    bases: tuple[Data, ...]
    attributes: Mapping[str, tuple[Assigned, ...]]
    takes: frozenset[str] = frozenset()
    apart: str = ""


@dataclass(frozen=True)
class Called:
    """A call of the file, with the function around and what sets it apart from production."""

    call: Call
    node: ast.Call
    function: PythonFunction | None = None
    apart: str = ""


@dataclass(frozen=True)
class _Body:
    """A function whose body is read once the module is."""

    function: PythonFunction
    scope: Scope
    of_class: str
    apart: str
    defaults: Mapping[str, Value]


@dataclass(frozen=True)
class _Callee:
    """A function as its callers know it: other files by one of the names of its ``homes``.

    ``placed`` are the parameters that have a place, ``named`` those that only have a name.
    """

    function: str
    homes: Collection[str]
    placed: Sequence[str]
    named: Sequence[str]
    may_derive_keys: bool


_FIELDS: Final = ("field", "attrib", "ib")
"""Functions of dataclasses and attrs that describe a field."""
_NOWHERE: Final = 1000
"""The place of an argument that is only given by its name."""
_Names: TypeAlias = Mapping[str, tuple[Assigned, ...]]
Scope: TypeAlias = ChainMap[str, tuple[Assigned, ...]]
"""Names, and the scopes around; what is assigned stays in the innermost."""


class PythonValues(Evaluator[Scope]):
    """A file, in its order; ``names`` are the assignments that its end leaves.

    Statements are gone through once; bodies of functions after the module.
    """

    def __init__(
        self, tree: ast.Module, text: str, path: str, project: Project | None, *, for_names: bool
    ) -> None:
        self._language = load_language("python")
        super().__init__(self._language.dialect, path, project)
        self.assigned: list[Assigned] = []
        self.stored: list[Assigned] = []
        self.classes: dict[str, Class] = {}
        self.called: list[Called] = []
        self._text = text
        self._places = PythonText(text)
        self._tree = PythonTree(tree)
        self._module: Scope = ChainMap()
        self._later: list[_Body] = []
        self._for_names = for_names
        self._apart = self._inside = self._method_of = ""
        self._within: PythonFunction | None = None
        self._loops = 0
        self._own: dict[str, Counter[str]] = defaultdict(Counter)
        """How often each class assigns each attribute of an object."""
        self._set_by_methods: dict[tuple[str, str], Value] = {}
        self._imported: dict[str, str] = {}
        """The dotted name in full of each name that is imported."""
        self._block(tree.body, self._module)
        self.names = dict(self._module)

    def _written(self, node: ast.expr) -> str:
        return self._places.written(node)

    def read_functions(self) -> None:
        """Read the bodies of functions, which tell nothing of the names of the module."""
        for body in self._later:  # Grows while it is read.
            self._within = body.function
            self._method_of = body.of_class
            self._apart = body.apart
            self._give_arguments(body)
            self._block(body.function.body, body.scope)

    def attribute(self, name: str, attribute: str) -> tuple[Assigned, ...] | None:
        """Find an attribute of a class of the file or of its bases; ``None`` if it is missing."""
        for path in self.ancestry(name):
            if path in self.classes and attribute in self.classes[path].attributes:
                return self.classes[path].attributes[attribute]
        return None

    def ancestry(self, name: str) -> tuple[str, ...]:
        """List a class with all its bases, nearest first; those of other files by dotted name."""
        ancestors: dict[str, None] = {}
        pending = [name]
        while pending:
            path = pending.pop()
            if path in ancestors:
                continue
            ancestors[path] = None
            if path in self.classes:
                bases = map(dotted, reversed(self.classes[path].bases))
                pending += filter(None, bases)
        return tuple(ancestors)

    def exported(self, members: Sequence[str]) -> Value | None:
        """Find what a dotted name stands for at the end of the file."""
        if not members or members[0].removesuffix("()") not in self.names:
            return None
        if members[-1].endswith("()"):
            return self._result(".".join(members).replace("()", ""))
        return self.value(ast.parse(".".join(members), mode="eval").body, self._module)

    def passed_on_as(self, function: str) -> Sequence[str]:
        """List the other names by which the file passes on a function."""
        return [
            alias
            for alias, name in self._imported.items()
            if alias != function and last_word(name) == function
        ]

    def _block(self, body: Iterable[ast.stmt], scope: Scope) -> None:
        outer = self._apart
        for statement in body:
            self._statement(statement, scope)
            # What is behind it runs only in tests and development.
            if not self._apart and leaves_in_production(statement):
                self._apart = _only_for_tests(statement.lineno)
        self._apart = outer

    def _branch(self, body: Iterable[ast.stmt], scope: Scope) -> _Names:
        """Read statements that may not run, and return what they assign."""
        inner = scope.new_child()
        self._block(body, inner)
        return inner.maps[0]

    def _statement(self, node: ast.stmt, scope: Scope) -> None:  # noqa: PLR0912
        match node:
            case ast.Assign() | ast.AnnAssign():
                self._assign(node, scope)
            case ast.AugAssign():
                self._change(node, scope)
            case ast.If():
                self._if(node, scope)
            case ast.ClassDef():
                self._class(node, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node, scope)
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope)
            case ast.Try() | ast.TryStar():
                self._block(node.body, scope)
                for handler in node.handlers:
                    self._maybe([handler.body], scope)
                self._block([*node.orelse, *node.finalbody], scope)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._expressions(node, scope)
                if not isinstance(node, ast.While):
                    self._bind(node.target, _unknown("a loop", node.lineno), scope)
                self._loops += 1
                self._maybe([[*node.body, *node.orelse]], scope)
                self._loops -= 1
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    value = self.value(item.context_expr, scope)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, value, scope)
                self._block(node.body, scope)
            case ast.Match():
                self.value(node.subject, scope)
                self._match(node, scope)
            case ast.Expr(value=ast.Call() as call):
                self._expressions(node, scope)
                self._set_default(call, scope)
            case _:
                self._expressions(node, scope)

    def _expressions(self, node: ast.AST, scope: Scope) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, scope)
            elif isinstance(child, ast.comprehension | ast.arguments | ast.keyword):
                self._expressions(child, scope)

    def _maybe(
        self, bodies: Iterable[Sequence[ast.stmt]], scope: Scope, *, one_runs: bool = False
    ) -> None:
        """Read branches: afterwards a name may be what it was, unless each of them assigns it."""
        branches = [self._branch(body, scope) for body in bodies]
        for name in dict.fromkeys(chain.from_iterable(branches)):
            assigned: list[Assigned] = []
            if not (one_runs and all(name in branch for branch in branches)):
                assigned += scope.get(name, ())
            for branch in branches:
                assigned += branch.get(name, ())
            scope[name] = tuple(dict.fromkeys(assigned))

    def _match(self, node: ast.Match, scope: Scope) -> None:
        values = [values_of_case(case) for case in node.cases]
        stages = [[stage_of(value) for value in asked] for asked in values]
        every = set(chain.from_iterable(stages))
        bodies = []
        for case, own in zip(node.cases, stages, strict=True):
            if stage_of_arm(own, every) is DeploymentStage.TESTS:
                self._apart_branch(case.body, scope, case.pattern.lineno)
            else:
                bodies.append(case.body)
        self._maybe(bodies, scope, one_runs=not all(values))

    def _apart_branch(self, body: Sequence[ast.stmt], scope: Scope, line: int) -> None:
        """Read statements that run only in tests and development, by a condition on a line."""
        outer = self._apart
        self._apart = outer or _only_for_tests(line)
        self._branch(body, scope)
        self._apart = outer

    def _if(self, node: ast.If, scope: Scope) -> None:
        self.value(node.test, scope)
        stage = stage_of(node.test)
        if stage is DeploymentStage.UNKNOWN:
            self._maybe([node.body, node.orelse], scope, one_runs=True)
            return
        main = node.body
        other = node.orelse
        if stage is DeploymentStage.TESTS:
            main = node.orelse
            other = node.body
        self._block(main, scope)
        self._apart_branch(other, scope, node.lineno)

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        bases = tuple(self.value(base, scope).data for base in node.bases)
        for decorator in node.decorator_list:
            self.value(decorator, scope)
        for keyword in node.keywords:
            self.value(keyword.value, scope)
        own: Counter[str] = Counter()
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                own[part.attr] += 1
        self._own[node.name] = own
        outer = self._inside
        around = self._apart
        self._inside = node.name
        if is_test(node):
            self._apart = around or _only_for_tests(node.lineno)
        attributes = self._branch(node.body, scope)
        self._inside = outer
        self._apart = around
        earlier = self.classes.get(node.name)
        # A class of tests does not take the place of production's.
        if earlier is None or earlier.apart or not self._apart:
            self.classes[node.name] = Class(
                name=node.name,
                line=node.lineno,
                last_line=node.end_lineno or node.lineno,
                bases=bases,
                attributes=attributes,
                takes=arguments_of_constructor(node),
                apart=self._apart,
            )
        self._put(node.name, Value(DottedName(node.name), node.lineno), scope)

    def _function(self, node: PythonFunction, scope: Scope) -> None:
        for decorator in node.decorator_list:
            self.value(decorator, scope)
        around = scope
        # A method does not see the names of its class.
        if self._inside:
            around = self._module
        inner = around.new_child()
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = {}
        # The last of the positional arguments have defaults.
        given = [
            *zip(reversed(positional), reversed(arguments.defaults), strict=False),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        for argument, default in given:
            if default is not None:
                defaults[argument.arg] = self.value(default, scope)
        of_class = self._inside or self._method_of
        apart = self._apart
        if is_test(node):
            apart = apart or _only_for_tests(node.lineno)
        self._later.append(_Body(node, inner, of_class, apart, defaults))
        self._put(node.name, Value(DottedName(node.name), node.lineno), scope)

    def _give_arguments(self, body: _Body) -> None:
        """Give a function's arguments the values that its callers pass, or their defaults."""
        callee = self._callee(body)
        arguments = body.function.args
        positional = (*arguments.posonlyargs, *arguments.args)
        for argument in (*positional, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if argument is None:
                continue
            name = argument.arg
            value = Value(DottedName(name), argument.lineno)
            if name not in OBJECTS:
                passed = self._passed(argument, callee, body)
                value = passed or _unknown(f"the argument {name}", argument.lineno)
            self._put(name, value, body.scope, record=False)

    def _callee(self, body: _Body) -> _Callee:
        """Find out by which names callers know a function and its parameters."""
        node = body.function
        function = node.name
        lines = (node.lineno, node.end_lineno or 0)
        if node.name == "__init__":
            function = body.of_class
            own = self.classes.get(body.of_class)
            # What a constructor is given is used by other methods.
            if own is not None:
                lines = (own.line, own.last_line)
        written = self._text[slice(*self._places.lines(*lines))]
        homes: Collection[str] = ()
        # Other files are read only for a function that may set a cost.
        if self._language.may_hold(written.encode("utf-8", "replace")):
            homes = homes_of(self._path, function, body.of_class)
        positional = (*node.args.posonlyargs, *node.args.args)
        return _Callee(
            function=function,
            homes=homes,
            placed=[argument.arg for argument in positional if argument.arg not in OBJECTS],
            named=[argument.arg for argument in node.args.kwonlyargs],
            may_derive_keys=may_derive_keys(written),
        )

    def _passed(self, argument: ast.arg, callee: _Callee, body: _Body) -> Value | None:
        """Tell what all callers pass for a parameter, or its default; ``None`` if unknown."""
        name = argument.arg
        if argument is body.function.args.vararg:
            passed = self._rest(callee)
        elif argument is body.function.args.kwarg:
            passed = self._named_rest(callee)
        else:
            at = _NOWHERE
            if name in callee.placed:
                at = callee.placed.index(name)
            wanted = Parameter(name, at, callee.may_derive_keys)
            default = body.defaults.get(name)
            passed = self._argument(wanted, callee.function, callee.homes, default)
        is_open = passed is None or isinstance(passed.data, Call)
        if callee.homes and argument.annotation and is_open:
            return self._of_class(argument.annotation) or passed
        return passed

    def _of_class(self, annotation: ast.expr) -> Value | None:
        """Take an argument for an object of its class, if nothing is given to any such object."""
        match annotation:
            # ``Annotated[Settings, Depends(get_settings)]``
            case ast.Subscript(slice=ast.Tuple(elts=[ast.Name() as first, *_])):
                annotation = first
            case _:
                pass
        path = dotted(self.value(annotation, self._module).data)
        name = path.rpartition(".")[2]
        if name not in self.classes and name not in self._imported:
            return None
        calls = self._all_calls(name, {home_key(name)})
        if any(call.arguments or call.keywords or not call.whole for call in calls):
            return None
        return Value(DottedName(path), annotation.lineno, (f"unless {name} is given another",))

    def _all_calls(self, function: str, homes: Collection[str]) -> list[Call]:
        """List the calls of a function in all files, without the values that they pass."""
        nothing = Parameter("", -1)
        calls = list(self.calls_of(function, nothing))
        if self.project is not None and homes:
            elsewhere = self.project.calls_of(function, nothing, self._path, homes)
            calls += [call for _, call in elsewhere]
        return calls

    def _forms(self, callee: _Callee) -> list[Call]:
        """List the calls of a function without the values that they pass; empty if one is open."""
        calls = self._all_calls(callee.function, callee.homes)
        if not all(call.whole for call in calls):
            return []
        return calls

    def _rest(self, callee: _Callee) -> Value | None:
        """Tell what all callers pass for ``*args``, if they pass as many."""
        calls = self._forms(callee)
        counts = {len(call.arguments) for call in calls}
        if len(counts) != 1:
            return None
        parts = []
        for at in range(len(callee.placed), counts.pop()):
            value = self._argument(Parameter("", at), callee.function, callee.homes, None)
            parts.append(value or _unknown("an argument", calls[0].line))
        return Value(tuple(parts), calls[0].line)

    def _named_rest(self, callee: _Callee) -> Value | None:
        """Tell what all callers pass for ``**kwargs``, if they name the same arguments."""
        calls = self._forms(callee)
        given = {frozenset(call.keywords) for call in calls}
        if len(given) != 1:
            return None
        entries = {}
        for name in sorted(given.pop().difference(callee.placed, callee.named)):
            wanted = Parameter(name, _NOWHERE)
            value = self._argument(wanted, callee.function, callee.homes, None)
            entries[name] = value or _unknown(f"the argument {name}", calls[0].line)
        return Value(entries, calls[0].line)

    @remembered
    def _seen_in(self, function: PythonFunction | None) -> Scope:
        """Find the names of the module that a function sees, which may have others itself."""
        if function is None:
            return self._module
        return self._shadowing(function, self._module)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            path = alias.name
            if isinstance(node, ast.ImportFrom):
                path = f"{node.module or ''}.{alias.name}".lstrip(".")
            elif alias.asname is None:  # "import a.b" makes a name for a.
                path = path.partition(".")[0]
            name = alias.asname or path.rpartition(".")[2]
            if name != "*":
                self._imported[name] = path
                self._put(name, Value(DottedName(path), node.lineno), scope, record=False)

    def _assign(self, node: ast.Assign | ast.AnnAssign, scope: Scope) -> None:
        if node.value is None:
            return
        value = self.value(node.value, scope)
        if isinstance(node, ast.AnnAssign):
            self._bind(node.target, value, scope)
            return
        for target in node.targets:
            self._bind(target, value, scope)

    def _change(self, node: ast.AugAssign, scope: Scope) -> None:
        change = self.value(node.value, scope)
        before = self.value(node.target, scope)
        value = self._operated(node.op, node.value, before, change)
        if self._loops:
            value = _unknown("changed in a loop", node.lineno)
        self._bind(node.target, value, scope)

    def _bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        line = target.lineno
        match target:
            case ast.Name(id=name):
                if name in self._tree.globals:
                    value = _unknown(f"{name}, a global", line)
                self._put(name, value, scope, line=line)
            case ast.Attribute(value=owner, attr=name):
                self._store(self.value(owner, scope), name, line, value)
            case ast.Subscript(value=owner, slice=subscript):
                key = self.value(subscript, scope).data
                mapping = self.value(owner, scope)
                if isinstance(key, str):
                    self._store(mapping, key, line, value)
                    self._enter(owner, mapping, {key: value}, scope)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                parts = [_unknown("part of a value", line)] * len(targets)
                if isinstance(value.data, tuple) and len(value.data) == len(targets):
                    parts = [*value.data]
                for part_target, part in zip(targets, parts, strict=True):
                    self._bind(part_target, part, scope)
            case _:
                pass

    def _enter(
        self, owner: ast.expr, mapping: Value, entries: Mapping[str, Value], scope: Scope
    ) -> None:
        """Give a mapping that has a name further entries; it is not followed if it has many."""
        if isinstance(owner, ast.Name) and isinstance(mapping.data, dict):
            changed = _unknown("a large map", mapping.line)
            if len(mapping.data) < MOST_JOINED:
                changed = replace(mapping, data={**mapping.data, **entries})
            self._put(owner.id, changed, scope, record=False)

    def _set_default(self, call: ast.Call, scope: Scope) -> None:
        """Read ``options.setdefault("rounds", 12)``."""
        match call:
            case ast.Call(
                func=ast.Attribute(value=owner, attr="setdefault"), args=[first, default]
            ):
                mapping = self.value(owner, scope)
                key = self.value(first, scope).data
                if not isinstance(key, str) or not isinstance(mapping.data, dict):
                    return
                if key not in mapping.data:
                    self._enter(owner, mapping, {key: self.value(default, scope)}, scope)
            case _:
                pass

    def _put(
        self, name: str, value: Value, scope: Scope, *, line: int = 0, record: bool = True
    ) -> None:
        apart = self._apart
        if not apart and stage_named(self._inside) is DeploymentStage.TESTS:
            apart = f"{self._inside} is only for tests and development"
        assigned = Assigned(
            name=name,
            line=line or value.line,
            value=value,
            inside=self._inside,
            local=self._within is not None and not self._inside,
            apart=apart,
        )
        scope[name] = (assigned,)
        if record:
            self.assigned.append(assigned)

    def _store(self, owner: Value, key: str, line: int, value: Value) -> None:
        base = dotted(owner.data)
        if base:
            self.stored.append(
                Assigned(name=key, base=base, line=line, value=value, apart=self._apart)
            )
        # An attribute that is assigned in several places has no one value.
        if base == "self" and self._own[self._method_of][key] == 1:
            self._set_by_methods[self._method_of, key] = value

    def _find(self, name: str, scope: Scope) -> Value | None:
        assigned = scope.get(name)
        if assigned:
            return one_of(assigned)
        if name == "__name__":
            return Value(name, 0)
        return None

    def _other(self, node: ast.expr, scope: Scope) -> Value:
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            scope = self._shadowing(node, scope)
        self._expressions(node, scope)
        return self._unknown(node)

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Value:
        self._expressions(node.args, scope)
        return super()._lambda(node, self._shadowing(node, scope))

    def _shadowing(self, node: ast.AST, outer: Scope) -> Scope:
        """Make the scope inside an expression or a function that has names of its own."""
        scope = outer.new_child()
        for part in ast.walk(node):
            match part:
                case ast.arg(arg=name) if name in OBJECTS:
                    pass
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                    self._put(name, _unknown(name, 0), scope, record=False)
                case _:
                    pass
        return scope

    def _namedexpr(self, node: ast.NamedExpr, scope: Scope) -> Value:
        value = self.value(node.value, scope)
        self._bind(node.target, value, scope)
        return value

    def _foreign(self, path: str) -> Value | None:
        if self.project is None:
            return None
        return self.project.named(path, self._path)

    def _result(self, function: str) -> Value | None:
        *owner, name = function.split(".")
        if owner and owner[-1] not in (*OBJECTS, *self.classes):
            return None
        named = self._tree.functions.get(name, ())
        functions = [one for one in named if isinstance(one, ast.FunctionDef)]
        if len(functions) != 1:
            return None
        returned = only_returned(functions[0])
        if returned is None:
            value = self._one_of_results(functions[0])
        else:
            value = self.value(returned, self._module)
        if value is None or (
            isinstance(value.data, Unknown) and not isinstance(value.data, Unset)
        ):
            return None
        return value

    @remembered
    def _one_of_results(self, function: PythonFunction) -> Value | None:
        """Work out what a function without arguments returns, if it does so in several places."""
        if function.name in self._followed:
            return None
        # All of it is noted where the function is read.
        noted = (self.called, self.assigned, self.stored)
        self.called, self.assigned, self.stored = [], [], []
        self._followed.add(function.name)
        given: Sequence[Assigned] = ()
        try:
            body = with_named_result(function) or []
            given = self._branch(body, self._module).get(RESULT, ())
        except RecursionError:  # It has hundreds of conditions, one after another.
            pass
        finally:
            self._followed.discard(function.name)
            self.called, self.assigned, self.stored = noted
        if not given:
            return None
        # Where branches give different results, each of them may be the one.
        return one_of(given)

    @cached_property
    def _followed(self) -> set[str]:
        """The functions whose results are being worked out."""
        return set()

    def _member(self, owner: str, name: str) -> Value | None:
        if owner in OBJECTS:
            owner = self._method_of
        value = None
        assigned = self.attribute(owner, name)
        if assigned is not None:
            value = one_of(assigned)
        if self._own[owner][name] == 0:
            return value
        if value is not None:
            return _unknown(f"{owner}.{name}, set again", value.line)
        if self._for_names:
            self._for_names = False
            # What its functions are given by further files is not looked for.
            project = self.project
            self.project = None
            self.read_functions()
            self.project = project
        return self._set_by_methods.get((owner, name))

    def _noted(self, call: Call, node: ast.Call) -> None:
        self.called.append(Called(call, node, self._within, self._apart))

    def _returned(self, call: Call, node: ast.Call) -> Value:
        if call.function == "dict" and call.keywords and not call.arguments and call.whole:
            return Value(dict(call.keywords), node.lineno)
        default = call.argument("default", 0)
        if call.name == "Field" and default is not None:
            # The name of the variable depends on the class and its prefix.
            return default.because(Reason("unless the environment sets it", variable="variable"))
        if call.name in _FIELDS and "default" in call.keywords:
            return call.keywords["default"]
        if call.name == "partial" and call.arguments:
            function, *arguments = call.arguments
            name = dotted(function.data)
            if name:
                self._noted(replace(call, function=name, arguments=tuple(arguments)), node)
        return super()._returned(call, node)


def _only_for_tests(line: int) -> str:
    return Reason(f"line {line} is only for tests and development", line=line)


def one_of(assigned: Sequence[Assigned]) -> Value:
    """Take the value of all assignments that may hold, if it is the same."""
    last = assigned[-1].value
    if all(other.value.data == last.data for other in assigned):
        return last
    default = unless_set(other.value for other in assigned)
    if default is not None:
        return default
    mappings = [other.value.data for other in assigned if isinstance(other.value.data, dict)]
    # Each use of the name goes through the entries of all.
    if len(mappings) == len(assigned) and sum(map(len, mappings)) <= MOST_JOINED:
        return replace(assigned[-1].value, data=_one_of_mappings(mappings))
    lines = sorted({other.line for other in assigned})
    places = " or ".join(map(str, lines))
    return Value(Unknown(f"set on line {places}, by a condition"), last.line)


def _one_of_mappings(mappings: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Put together the entries of mappings of which one holds."""
    given_to = defaultdict(list)
    for mapping in mappings:
        for name, value in mapping.items():
            given_to[name].append(value)
    entries: dict[str, Value] = {}
    for name, given in given_to.items():
        value = given[0]
        # What another condition left out has the same text.
        if any(described(other.data) != described(value.data) for other in given):
            value = _unknown("set by a condition", value.line)
        elif len(given) < len(mappings) and is_resolved(value.data):
            value = _unknown(f"{described(value.data)}, by a condition", value.line)
        elif len(given) < len(mappings):
            # It is only entered where something gives it a value.
            text = described(value.data)
            value = Value(Unset(text), value.line, (f"unless {text} is set",))
        entries[name] = value
    return entries


def _unknown(text: str, line: int) -> Value:
    return Value(Unknown(text), line)
