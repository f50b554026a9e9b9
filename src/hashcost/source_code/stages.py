"""Whether a condition or a name speaks of tests or of production."""

import ast
import enum
import re
from typing import Final


class Stage(enum.Enum):
    """When a condition holds; tests include development."""

    TESTS = "tests"
    PRODUCTION = "production"
    UNKNOWN = "unknown"


_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TESTS: Final = frozenset(
    {
        *("test", "tests", "testing", "unittest", "pytest", "ci"),
        *("debug", "debugging", "dev", "development"),
    }
)
_PRODUCTION: Final = frozenset(("prod", "production"))
_NEGATIONS: Final = frozenset(("no", "non", "not", "without"))
_RAILS_TESTS: Final = "min_cost"
"""``ActiveModel::SecurePassword.min_cost`` is set where Rails runs tests."""
_LONGEST: Final = 200
_OPPOSITE: Final = dict(zip(Stage, (Stage.PRODUCTION, Stage.TESTS, Stage.UNKNOWN), strict=True))


def stage_named(name: str) -> Stage:
    """Tell the stage that a name speaks of in whole words, as ``isTest`` does, not ``latest``."""
    words = {word.lower() for word in _WORD.findall(name[:_LONGEST])}
    tests = name == _RAILS_TESTS or bool(words & _TESTS)
    if words & _NEGATIONS or tests == bool(words & _PRODUCTION):
        return Stage.UNKNOWN
    return Stage.TESTS if tests else Stage.PRODUCTION


def stage_of(condition: ast.expr) -> Stage:
    """Tell when a condition holds, by the names and texts that it asks for."""
    match condition:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _OPPOSITE[stage_of(operand)]
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            stages = [stage_of(side) for side in (right, left)]
            stage = next((one for one in stages if one is not Stage.UNKNOWN), Stage.UNKNOWN)
            opposed = isinstance(operator, ast.NotEq | ast.IsNot | ast.NotIn)
            if not opposed and not isinstance(operator, ast.Eq | ast.Is | ast.In):
                return Stage.UNKNOWN
            if isinstance(right, ast.Constant) and not right.value:  # TESTING is False
                opposed = not opposed
            return _OPPOSITE[stage] if opposed else stage
        case ast.Subscript(slice=inner):
            return stage_of(inner)
        case ast.Call(func=function, args=args):
            texts = [arg for arg in args if isinstance(arg, ast.Constant)]
            return stage_of(texts[0] if texts else function)
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return stage_named(name)
        case _:
            return Stage.UNKNOWN
