"""The code can be read at the speed of reading aloud, as far as a machine can tell."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).parents[1] / "src/hashcost"
TREES: Final = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
MOST_ARGUMENTS: Final = 9
_LIMIT: Final = re.compile(r"_?(?:MOST|LONGEST|LARGEST|DEEPEST|BIGGEST|FEWEST|LEAST|MAX|MIN)_")
_SENTENCE: Final = re.compile(r"[a-z]{2,} [a-z]{2,}")
_SAID: Final = frozenset({"message", "error", "why", "says", "what"})
"""Attributes that hold a sentence of ours."""
_SEARCHES: Final = frozenset({"startswith", "endswith", "find", "index", "removeprefix"})
FOREIGN: Final = frozenset(
    {
        "Got unexpected",  # click's
        "can't start new thread",  # Python's
        "cpu family",  # the kernel's
        "numbered.error",  # a code of the protocol
    }
)
"""What is no sentence of ours: others tell by nothing else."""


def test_no_two_classes_have_one_name() -> None:
    """Each type has a name of its own."""
    places = defaultdict(list)
    for name, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(name)
    assert {} == {name: found for name, found in places.items() if len(found) > 1}


def test_functions_take_few_arguments() -> None:
    """A function takes nine arguments at most; those that go together are one value."""
    many = [
        f"{name}: {node.name}"
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and _arguments(node) > MOST_ARGUMENTS
    ]
    assert [] == many


def _arguments(node: ast.FunctionDef) -> int:
    arguments = node.args
    given = len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)
    return given + 10 * (arguments.kwarg is not None)


def test_a_constant_that_limits_says_why() -> None:
    """Beside each limit stands what would go wrong without it, or where it comes from."""
    silent = []
    for name in TREES:
        lines = (SOURCE / name).read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if not _LIMIT.match(line):
                continue
            after = next((text for text in lines[number + 1 :] if text[:1].strip()), "")
            explained = "#" in line or lines[number - 1].startswith("#")
            if not (explained or after.startswith('"""')):
                silent.append(f"{name}:{number + 1} {line}")
    assert [] == silent


def test_no_decision_depends_on_a_sentence() -> None:
    """What the program branches on is a value, never a sentence that it prints."""
    found = [
        f"{name}:{line} {sentence}"
        for name, tree in TREES.items()
        for line, sentence in _sentences_in_decisions(tree)
        if sentence not in FOREIGN
    ]
    assert [] == found


def test_a_decision_by_a_sentence_is_seen() -> None:
    """A comparison, and a search, with a sentence or in a message are noticed."""
    code = "x == 'only for tests'\ny.startswith('not read:')\n'a' in error.why\nz.kind == 'a b'"
    seen = [line for line, _ in _sentences_in_decisions(ast.parse(code))]
    assert [1, 2, 3] == seen


def _sentences_in_decisions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        compared: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            compared = [node.left, *node.comparators]
            if all(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops):
                continue
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _SEARCHES
        ):
            compared = [node.func.value, *node.args]
        for part in compared:
            for sentence in _told_by(part):
                yield part.lineno, sentence


def _told_by(part: ast.expr) -> Iterator[str]:
    """Yield the sentences that an operand is, holds or stands for."""
    if isinstance(part, ast.Tuple | ast.List | ast.Set):
        for element in part.elts:
            yield from _told_by(element)
    elif isinstance(part, ast.Constant) and isinstance(part.value, str):
        if _SENTENCE.search(part.value):
            yield part.value
    elif isinstance(part, ast.Attribute) and part.attr in _SAID:
        yield ast.unparse(part)
