"""Whether a condition or a name speaks of tests or of production."""

import ast
import enum
import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import Final

from hashcost.source_code.rules import name_words


class DeploymentStage(enum.Enum):
    """When a condition holds; tests include development."""

    TESTS = "tests"
    PRODUCTION = "production"
    UNKNOWN = "unknown"


_DEVELOPMENT: Final = frozenset(("debug", "debugging", "dev", "development"))
_TESTS: Final = frozenset(("test", "tests", "testing", "unittest", "pytest", "ci")) | _DEVELOPMENT
_END_TO_END: Final = re.compile(r"(?:(?<![A-Za-z0-9])e|E)2[eE](?![a-z0-9])")
"""The word ``e2e`` in any style: ``e2e``, ``E2E_TESTS``, ``isE2E``."""
_PRODUCTION: Final = frozenset(("prod", "production"))
TEST_FOLDERS: Final = frozenset(
    {
        *("__tests__", "testing", "testdata", "fixtures", "__mocks__", "e2e", "cypress"),
        # What runs there are tests, and what is set up for them lasts as long.
        *(".travis", ".github", ".gitlab", ".circleci", ".buildkite", ".woodpecker", ".drone"),
    }
)
_TEST_FOLDER: Final = re.compile(
    r"(?:.*[._-])?(?i:tests?|specs?)|.*[a-z]Tests?"
    r"|(?i:tests?[._-]?(?:helpers?|util(?:itie)?s?|support|data|fixtures?|common|resources?|kit"
    r"|harness|mocks?|doubles?|set-?up|unit|integration)|mocks)"
)
"""A folder whose name ends in a word for tests, ``integration-tests`` or ``Shop.Tests``, or tells
what tests need, ``testhelpers``."""
_NEGATIONS: Final = frozenset(("no", "non", "not", "without"))
_RAILS_TESTS: Final = "min_cost"
"""``ActiveModel::SecurePassword.min_cost`` is set where Rails runs tests."""
OPPOSITE: Final = {
    DeploymentStage.TESTS: DeploymentStage.PRODUCTION,
    DeploymentStage.PRODUCTION: DeploymentStage.TESTS,
    DeploymentStage.UNKNOWN: DeploymentStage.UNKNOWN,
}


@lru_cache(maxsize=64)
def stage_named(name: str) -> DeploymentStage:
    """Tell the stage that a name speaks of in whole words, as ``isTest`` does, not ``latest``."""
    words = set(name_words(name))
    if words & _NEGATIONS:
        return DeploymentStage.UNKNOWN
    is_for_tests = name == _RAILS_TESTS or not words.isdisjoint(_TESTS)
    if _END_TO_END.search(name):
        is_for_tests = True
    is_for_production = not words.isdisjoint(_PRODUCTION)
    # A name that speaks of both tells neither.
    if is_for_tests == is_for_production:
        return DeploymentStage.UNKNOWN
    if is_for_tests:
        return DeploymentStage.TESTS
    return DeploymentStage.PRODUCTION


def is_for_development(name: str) -> bool:
    """Tell whether a name of the stage of tests speaks of development rather than of tests."""
    words = set(name_words(name))
    return stage_named(name) is DeploymentStage.TESTS and words & _TESTS <= _DEVELOPMENT


def stage_of(condition: ast.expr) -> DeploymentStage:
    """Tell when a condition holds, by the names and texts that it asks for."""
    match condition:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return OPPOSITE[stage_of(operand)]
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _stage_of_comparison(left, operator, right)
        case ast.Subscript(slice=inner):
            return stage_of(inner)
        case ast.BoolOp(op=operator, values=values):
            return _stage_of_several(operator, {stage_of(value) for value in values})
        case ast.Call(func=function, args=args):
            for argument in args:
                if isinstance(argument, ast.Constant):
                    return stage_of(argument)
            # The test of a regular expression is about what it is given: ``pattern.test(text)``.
            if args and _is_test(function):
                return DeploymentStage.UNKNOWN
            return stage_of(function)
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return stage_named(name)
        case _:
            return DeploymentStage.UNKNOWN


def _stage_of_several(operator: ast.boolop, stages: set[DeploymentStage]) -> DeploymentStage:
    """Tell when several conditions hold together, or one of them, by the stages of all."""
    # What holds together with a condition of tests holds in no other stage.
    telling = DeploymentStage.TESTS
    if isinstance(operator, ast.Or):
        telling = DeploymentStage.PRODUCTION
    if stages in ({telling}, {telling, DeploymentStage.UNKNOWN}):
        return telling
    if len(stages) == 1:
        return stages.pop()
    return DeploymentStage.UNKNOWN


def stage_of_arm(
    values: Sequence[DeploymentStage], every: Collection[DeploymentStage]
) -> DeploymentStage:
    """Tell when an arm of a choice runs, by the stages of its values and of those of all arms.

    An arm without values runs for anything that no other arm names.
    """
    stages = set(values)
    if len(stages) == 1:
        return stages.pop()
    if stages:
        return DeploymentStage.UNKNOWN
    if DeploymentStage.PRODUCTION in every:
        return DeploymentStage.TESTS
    if DeploymentStage.TESTS in every:
        return DeploymentStage.PRODUCTION
    return DeploymentStage.UNKNOWN


def _is_test(function: ast.expr) -> bool:
    match function:
        case ast.Name(id="test") | ast.Attribute(attr="test"):
            return True
        case _:
            return False


def _stage_of_comparison(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> DeploymentStage:
    stage = stage_of(right)
    if stage is DeploymentStage.UNKNOWN:
        stage = stage_of(left)
    if isinstance(operator, ast.NotEq | ast.IsNot | ast.NotIn):
        stage = OPPOSITE[stage]
    elif not isinstance(operator, ast.Eq | ast.Is | ast.In):
        return DeploymentStage.UNKNOWN
    if isinstance(right, ast.Constant) and not right.value:  # TESTING is False
        stage = OPPOSITE[stage]
    return stage


def leaves_in_production(statement: ast.stmt) -> bool:
    """Tell whether a statement leaves a function or the program in production."""
    match statement:
        case ast.If(test=test, body=[*_, last], orelse=[]):
            return stage_of(test) is DeploymentStage.PRODUCTION and _leaves(last)
        case _:
            return False


def _leaves(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return() | ast.Raise():
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name in ("exit", "_exit", "abort", "quit")
        case _:
            return False


def values_of_case(case: ast.match_case) -> Sequence[ast.expr]:
    """List the values for which a case runs; none for that which runs for anything else."""
    if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
        return ()
    patterns = [case.pattern]
    if isinstance(case.pattern, ast.MatchOr):
        patterns = case.pattern.patterns
    values: list[ast.expr] = []
    for pattern in patterns:
        # Another pattern says nothing of a stage, but it is one.
        value: ast.expr = ast.Constant(None)
        if isinstance(pattern, ast.MatchValue):
            value = pattern.value
        values.append(value)
    return values


def is_below_tests(path: PurePath, folders: frozenset[str] = TEST_FOLDERS) -> bool:
    """Tell whether a folder on the way to a file is one of tests, by its name."""
    around = path.parts[:-1]
    return not folders.isdisjoint(around) or any(map(_TEST_FOLDER.fullmatch, around))
