"""The result of a Python function, as an expression or as statements that name it."""

import ast
from collections.abc import Sequence
from typing import Final

from hashcost.source_code.python.tree import PythonFunction, takes_arguments

RESULT: Final = "the result"
"""Stands for the result of a function: no name of a program has a blank."""
_UNFOLLOWED: Final = (
    *(ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Match),
    *(ast.Yield, ast.YieldFrom, ast.Lambda),
)
"""Parts of a function from which it may return, or which have results of their own."""


def only_returned(function: PythonFunction) -> ast.expr | None:
    """Find the expression that is all of a function without arguments."""
    if takes_arguments(function):
        return None
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    if len(body) == 1 and isinstance(body[0], ast.Return):
        return body[0].value
    return None


def with_named_result(function: PythonFunction) -> list[ast.stmt] | None:
    """Write a body so that it gives its result a name; ``None`` if it cannot be followed.

    What is behind a branch that returns runs only if that does not: it becomes the other branch.
    """
    if takes_arguments(function):
        return None
    for statement in ast.walk(function):
        if isinstance(statement, _UNFOLLOWED) or (
            isinstance(statement, PythonFunction) and statement is not function
        ):
            return None
    ended = ast.copy_location(ast.Return(ast.Constant(None)), function)
    body = _naming_result([*function.body, ended])
    if body is None:
        return None
    return [ast.fix_missing_locations(part) for part in body]


def _naming_result(body: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """Give the result of some statements a name, up to the first one that returns.

    Return ``None`` for a branch that returns in some cases only.
    """
    written: list[ast.stmt] = []
    for number, statement in enumerate(body, 1):
        match statement:
            case ast.Return(value=value):
                target = ast.Name(RESULT, ast.Store())
                result = ast.Assign([target], value or ast.Constant(None))
                return [*written, ast.copy_location(result, statement)]
            case ast.Raise():
                return [*written, statement]
            case ast.If(test=test, body=first, orelse=second) if _returns(statement):
                rest = body[number:]
                if not isinstance(first[-1], ast.Return | ast.Raise):
                    return None
                main = _naming_result(first)
                other = _naming_result([*second, *rest])
                if main is None or other is None:
                    return None
                return [*written, ast.copy_location(ast.If(test, main, other), statement)]
            case _:
                written.append(statement)
    return written


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(part, ast.Return) for part in ast.walk(statement))
