"""Whether a condition of a Python file holds in production, in tests alone, or who knows."""

from __future__ import annotations

import ast
import enum
from typing import Final


class Stage(enum.Enum):
    """When a condition holds."""

    TESTS = "tests"
    """In tests and development alone."""
    PRODUCTION = "production"
    ALWAYS = "always"
    NEVER = "never"
    UNKNOWN = "unknown"


_TESTS: Final = frozenset(
    (
        *("test", "tests", "testing", "is_test", "is_testing", "in_test", "under_test"),
        *("running_tests", "test_mode", "unittest", "pytest", "ci"),
        *("debug", "dev", "develop", "development", "is_dev", "local"),
    )
)
_PRODUCTION: Final = frozenset(
    ("prod", "production", "is_prod", "is_production", "live", "release")
)
_OPPOSITE: Final = {
    Stage.TESTS: Stage.PRODUCTION,
    Stage.PRODUCTION: Stage.TESTS,
    Stage.ALWAYS: Stage.NEVER,
    Stage.NEVER: Stage.ALWAYS,
    Stage.UNKNOWN: Stage.UNKNOWN,
}


def stage_of(condition: ast.expr) -> Stage:
    """When a condition holds, by the names that it asks for."""
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        return _OPPOSITE[stage_of(condition.operand)]
    if isinstance(condition, ast.BoolOp):
        return _of_several(condition)
    if isinstance(condition, ast.Compare):
        return _of_comparison(condition)
    if isinstance(condition, ast.Constant):
        return Stage.ALWAYS if condition.value else Stage.NEVER
    return _of_name(condition)


def is_for_tests(name: str) -> bool:
    """Whether a class, by its name, configures tests or development."""
    lowered = name.lower()
    return lowered.startswith(("test", "dev", "local", "ci")) or lowered.endswith(
        ("test", "tests", "testing", "testconfig", "dev", "development")
    )


def is_for_production(name: str) -> bool:
    """Whether a class, by its name, configures production."""
    return "prod" in name.lower()


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
    if stage is Stage.UNKNOWN:
        return stage
    return _OPPOSITE[stage] if opposed else stage


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _of_name(node: ast.expr) -> Stage:
    words: list[str] = []
    if isinstance(node, ast.Name):
        words = [node.id]
    elif isinstance(node, ast.Attribute):
        words = [node.attr]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = [node.value]
    elif isinstance(node, ast.Subscript):
        return _of_name(node.slice)
    elif isinstance(node, ast.Call):
        words = [
            each.value
            for each in node.args
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ][:1]
    for word in words:
        lowered = word.lower()
        if lowered in _TESTS or lowered.startswith(("test_", "testing")):
            return Stage.TESTS
        if lowered in _PRODUCTION:
            return Stage.PRODUCTION
    return Stage.UNKNOWN
