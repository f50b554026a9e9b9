"""What people read is plain English: messages, help, shipped data and documentation."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import hashcost
from corpora import cases
from hashcost.core import errors

PACKAGE: Final = Path(hashcost.__file__).parent
ROOT: Final = Path(__file__).parents[1]

BANNED: Final = cases(__file__, "prose.toml", "banned")
"""Phrases that sound translated, each with what to write instead. The list can grow."""


def _messages(source: str) -> Iterator[str]:
    """The texts of a module, with what is filled in left open; docstrings are not texts."""
    tree = ast.parse(source)
    silent = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            silent.update(map(id, node.values))
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in silent
        ):
            yield node.value


def _values(found: Any) -> Iterator[str]:
    """Every text of a data file."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for value in found.values():
            yield from _values(value)
    elif isinstance(found, list):
        for value in found:
            yield from _values(value)


def _paragraphs(text: str) -> Iterator[str]:
    """The sentences of a page, each on one line; examples of code are not prose."""
    prose = re.sub(r"(?ms)^```.*?^```$", "", text)
    for paragraph in re.split(r"\n\s*\n|\n(?=[-|#])", prose):
        yield re.sub(r"^[-|#*\s]+", "", " ".join(paragraph.split()))


@cache
def _texts() -> dict[Path, tuple[str, ...]]:
    """What people read, by the file that it stands in."""
    pages = (ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md"))
    return {
        **{path: tuple(_messages(path.read_text("utf-8"))) for path in PACKAGE.rglob("*.py")},
        **{
            path: tuple(_values(tomllib.loads(path.read_text("utf-8"))))
            for path in PACKAGE.rglob("*.toml")
        },
        **{path: tuple(_paragraphs(path.read_text("utf-8"))) for path in pages},
    }


@pytest.mark.parametrize("phrase", BANNED)
def test_no_text_sounds_translated(phrase: str) -> None:
    """No message, help text, shipped note or page has a phrase of the list."""
    phrases = [
        f"{path}: {match[0]!r} in {text[max(match.start() - 40, 0) : match.end() + 40]!r}"
        for path, texts in _texts().items()
        for text in texts
        if " " in text
        for match in [re.search(phrase, text)]
        if match
    ]

    assert not phrases, f"{BANNED[phrase]}:\n" + "\n".join(phrases)


ACTIONS: Final = re.compile(
    r"""\b(?:add|call|change|check|choose|convert|give|install|leave|let|list|lower|make|measure|must|name|needs|paste|put
    |raise|read|remove|rename|restore|run|send|set|shorten|time|try|upgrade|use|wait|write)\b
    |calibrate|--[a-z]|did\ you\ mean|;\ \{}|\{}$""",
    re.VERBOSE,
)
"""What to type or to edit; or a text that is filled in at the end, which says it."""
REASONS: Final = ("hashers/", "measure/session.py", "source_code/", "apps/", "apps/formats/")
"""Where an error is a reason that others put behind a name and before what to do about it."""
ASKING: Final = {
    error.__name__
    for error in vars(errors).values()
    if isinstance(error, type) and getattr(error, "exit_code", 70) in {2, 3, 4, 5}
} - {"UndeterminedError", "WrongAnswerError"}
"""The errors that somebody can do something about."""


def _refusals() -> Iterator[tuple[str, str]]:
    """Where an error is raised, and its text with what is filled in left open."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
                continue
            if ast.unparse(node.exc.func).rpartition(".")[2] not in ASKING:
                continue
            for argument in node.exc.args[:1]:
                text = "".join(_messages(ast.unparse(argument)))
                if " " in text and not name.startswith(REASONS):
                    yield f"{name}:{node.lineno}", text


def test_every_error_says_what_to_type_or_to_edit() -> None:
    """No refusal is a dead end."""
    refusals = dict(_refusals())

    assert len(refusals) > 150
    assert {} == {at: text for at, text in refusals.items() if not ACTIONS.search(text)}


_VAGUE: Final = re.compile(
    r"\A\s*(?:What|Who|Whose|Those|The same|As many|Of|Such as|By)\b"
    r"|\b(?:is|are|has|have) none\b|\bto be had\b|\bno use\b|\bstands? (?:behind|in|to)\b"
    r"|\bthere (?:is|are) (?:one|none|no such)\b|\bwhere there (?:is|are)\b|"
    + "|".join(phrase for phrase in BANNED if "loor" not in phrase)
)
"""The ways in which a docstring sounds translated. The list can grow."""
_VAGUE_NAMES: Final = frozenset({"each", "found", "known", "told", "untold", "held", "rungs"})


def _vague(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings that open with a pronoun, and variables that could hold anything."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))) if match := _VAGUE.search(text):
                yield node.lineno, match[0].strip()
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in _VAGUE_NAMES:
                yield node.lineno, name


def test_docstrings_and_names_are_plain() -> None:
    """A docstring begins with its subject or a verb; a variable is a noun of the field."""
    assert [] == [
        f"{path}:{line}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, text in _vague(path.read_text("utf-8"))
    ]
