"""A Python tree: its nodes by their names, and their places in the text."""

import ast
import re
from collections import defaultdict
from itertools import accumulate
from typing import Final, TypeAlias

PythonFunction: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
OBJECTS: Final = ("self", "cls")
"""The names by which a method sees its object or its class; no caller gives these parameters."""
_TEST: Final = "test_"
"""The beginning of the name of a function that runs as a test."""
_EXCERPT: Final = 200  # bytes of an expression that may be shown
_HAVE_NOTHING_BELOW: Final = (ast.Name, ast.Constant, ast.expr_context)
"""The nodes of which most of a tree is made."""


class PythonText:
    """A text, and the places of the nodes of its tree in it."""

    def __init__(self, text: str) -> None:
        lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)  # As Python counts them.
        # A node's columns are bytes.
        self._lines = [line.encode("utf-8", "replace") for line in lines]
        self._starts = [0, *accumulate(map(len, lines))]

    def written(self, node: ast.expr) -> str:
        """Take the first line of an expression as it is written."""
        if node.lineno > len(self._lines):  # Of a name that another file asks for.
            return ""
        last = node.col_offset + _EXCERPT
        if node.end_lineno == node.lineno and node.end_col_offset is not None:
            last = min(last, node.end_col_offset)
        excerpt = self._lines[node.lineno - 1][node.col_offset : last]
        return excerpt.decode("utf-8", "replace")

    def place_of(self, node: ast.expr) -> tuple[int, int]:
        """Find where an expression begins and ends."""
        start = self.offset(node.lineno, node.col_offset)
        end = self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return start, end

    def lines(self, first: int, last: int) -> tuple[int, int]:
        """Find where a line begins, and where another one ends."""
        return self._starts[first - 1], self._starts[last]

    def lines_of(self, node: ast.stmt) -> tuple[int, int]:
        """Find where the first line of a statement begins, and where its last one ends."""
        return self.lines(node.lineno, node.end_lineno or 0)

    def offset(self, line: int, column: int) -> int:
        """Find a place in the text by its line, from 1, and its column in bytes."""
        before = self._lines[line - 1][:column]
        return self._starts[line - 1] + len(before.decode("utf-8", "replace"))


class PythonTree:
    """The nodes of a tree that are looked for by name, or all of a kind."""

    def __init__(self, tree: ast.Module) -> None:
        self.globals: set[str] = set()
        """The names that functions declare as those of the module."""
        self.calls: dict[str, list[tuple[ast.Call, PythonFunction | None]]] = defaultdict(list)
        """The calls of each name, with the function around."""
        self.callers: dict[str, list[tuple[ast.Call, PythonFunction | None]]] = defaultdict(list)
        """The calls that are in no test of the file, in the same way."""
        self.functions: dict[str, list[PythonFunction]] = defaultdict(list)
        """The functions by their names."""
        self.lists: list[ast.List | ast.Tuple | ast.Set] = []
        pending: list[tuple[ast.AST, PythonFunction | None, bool]] = [(tree, None, False)]
        for node, around, in_tests in pending:  # Grows while it is read.
            match node:
                case ast.Global(names=names):
                    self.globals.update(names)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    self.functions[name].append(node)
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                    self.calls[name].append((node, around))
                    if not in_tests:
                        self.callers[name].append((node, around))
                case ast.List() | ast.Tuple() | ast.Set():
                    self.lists.append(node)
                case _:
                    pass
            below = around
            if isinstance(node, PythonFunction):
                below = node
            below_tests = in_tests or is_test(node)
            pending += [
                (child, below, below_tests)
                for child in ast.iter_child_nodes(node)
                if not isinstance(child, _HAVE_NOTHING_BELOW)
            ]


def is_test(node: ast.AST) -> bool:
    """Tell whether a function, or a class by one of its methods, is what runs as a test.

    A function that only has the name may test a password in production.
    """
    match node:
        case ast.ClassDef(name=name, body=body) if "Test" in name:
            methods = [part.name for part in body if isinstance(part, PythonFunction)]
            return any(method.startswith(_TEST) for method in methods)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            is_named = name.startswith(_TEST)
            return is_named and any(isinstance(part, ast.Assert) for part in ast.walk(node))
        case _:
            return False


def arguments_of_constructor(defined: ast.ClassDef) -> frozenset[str]:
    """List the names of the arguments that the constructor of a class takes."""
    for part in defined.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            arguments = part.args
            listed = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            return frozenset(argument.arg for argument in listed)
    return frozenset()


def takes_arguments(function: PythonFunction) -> bool:
    """Tell whether callers give a function anything."""
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    others = (*arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return any(others) or any(name not in OBJECTS for name in names)
