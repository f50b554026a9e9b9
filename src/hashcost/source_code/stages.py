"""Whether a condition holds in production, only in tests, or nobody can tell."""

import ast
import enum
import re
from typing import Final


class Stage(enum.Enum):
    """When a condition holds."""

    TESTS = "tests"
    """Only in tests and development."""
    PRODUCTION = "production"
    ALWAYS = "always"
    NEVER = "never"
    UNKNOWN = "unknown"


_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TESTS: Final = frozenset(
    (
        *("test", "tests", "testing", "unittest", "pytest", "ci"),
        *("debug", "debugging", "dev", "development"),
    )
)
_PRODUCTION: Final = frozenset(("prod", "production"))
_ONLY_WORDS: Final = {
    "local": Stage.TESTS,
    "develop": Stage.TESTS,
    "live": Stage.PRODUCTION,
    "release": Stage.PRODUCTION,
}
"""Words that say it only if nothing else is said: ``is_local``, not ``local_cache``."""
_NAMES: Final = {"min_cost": Stage.TESTS}
"""Whole names: ``ActiveModel::SecurePassword.min_cost`` is set where Rails runs tests."""
_AUXILIARY: Final = frozenset(
    ("is", "in", "mode", "env", "environment", "config", "configuration", "settings")
)
_NEGATIONS: Final = frozenset(("no", "non", "not", "without"))
_LONGEST: Final = 200
"""Characters of a name or a text that is looked at."""
_OPPOSITE: Final = {
    Stage.TESTS: Stage.PRODUCTION,
    Stage.PRODUCTION: Stage.TESTS,
    Stage.ALWAYS: Stage.NEVER,
    Stage.NEVER: Stage.ALWAYS,
    Stage.UNKNOWN: Stage.UNKNOWN,
}


def stage_of(condition: ast.expr) -> Stage:
    """When a condition holds, by the names that it asks for."""
    match condition:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _OPPOSITE[stage_of(operand)]
        case ast.BoolOp():
            return _of_several(condition)
        case ast.Compare():
            return _of_comparison(condition)
        case ast.Constant(value=value):
            return Stage.ALWAYS if value else Stage.NEVER
        case _:
            return _of_name(condition)


def stage_named(name: str) -> Stage:
    """The stage that a name speaks of in whole words, as ``isTest`` and ``ProductionConfig`` do.

    ``latest`` speaks of none.
    """
    if name in _NAMES:
        return _NAMES[name]
    words = [word.lower() for word in _WORD.findall(name[:_LONGEST])]
    if not _NEGATIONS.isdisjoint(words):
        return Stage.UNKNOWN
    tests, production = (not each.isdisjoint(words) for each in (_TESTS, _PRODUCTION))
    if tests != production:
        return Stage.TESTS if tests else Stage.PRODUCTION
    said = [word for word in words if word not in _AUXILIARY]
    return _ONLY_WORDS.get(said[0], Stage.UNKNOWN) if len(said) == 1 else Stage.UNKNOWN


def _of_several(condition: ast.BoolOp) -> Stage:
    stages = {stage_of(each) for each in condition.values}
    if len(stages) == 1:
        return stages.pop()
    if isinstance(condition.op, ast.And):
        for stage in (Stage.NEVER, Stage.TESTS, Stage.PRODUCTION):
            if stage in stages:
                return stage
    return Stage.UNKNOWN


def _of_comparison(condition: ast.Compare) -> Stage:
    if len(condition.ops) != 1:
        return Stage.UNKNOWN
    sides = (condition.left, condition.comparators[0])
    stages = [_of_name(each) for each in sides]
    told = [each for each in stages if each is not Stage.UNKNOWN]
    texts = [each for each in sides if _is_text(each)]
    operator = condition.ops[0]
    compared = isinstance(operator, ast.Eq | ast.In | ast.Is)
    opposed = isinstance(operator, ast.NotEq | ast.NotIn | ast.IsNot)
    if not told or not (compared or opposed):
        return Stage.UNKNOWN
    if not texts:  # TESTING is True, TESTING == 1
        constants = [each.value for each in sides if isinstance(each, ast.Constant)]
        if not constants:
            return Stage.UNKNOWN
        opposed = opposed == bool(constants[0])
    stage = told[-1] if len(told) == 1 else next(_of_name(each) for each in texts)
    return _OPPOSITE[stage] if opposed else stage


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _of_name(node: ast.expr) -> Stage:
    match node:
        case ast.Subscript(slice=inner):
            return _of_name(inner)
        case ast.Call(func=function, args=args):
            return _of_name(next(filter(_is_text, args), function))
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return stage_named(name)
        case _:
            return Stage.UNKNOWN
