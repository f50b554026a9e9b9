"""What the guides for contributors name is there: files, functions, keys, options, commands."""

import ast
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import pytest

from corpora import cases
from hashcost.cli import COMMANDS, load_command

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "src" / "hashcost"
BASES: Final = (ROOT, PACKAGE, ROOT / "tests")
"""The folders that a path in a guide may start from."""
GUIDES: Final = ("CONTRIBUTING.md", "SECURITY.md")
WORDS: Final[dict[str, list[str]]] = cases(__file__, "guides.toml", "words")
"""Words that name nothing of this repository, by their kind."""
PROGRAMS: Final[list[str]] = cases(__file__, "guides.toml", "programs")
"""Programs of others that a command line may start."""

_BLOCK: Final = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_WORD: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_PATH: Final = re.compile(r"[\w./-]+")
_STAND_IN: Final = re.compile(r"\b(?:NAME|MODULE|WORD)\b")
"""Words in a path or a key that a reader replaces."""
_CALL: Final = re.compile(r"@?(?P<name>[A-Za-z_][\w.]*)\((?P<arguments>.*)\)")


@dataclass(frozen=True)
class Section:
    """A part of a guide; a short name may mean something in the files that the part names."""

    title: str
    text: str
    own: tuple[Path, ...] = ()
    """Folders that it is about without naming them."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every word in backticks, and every line of a console block."""
        blocks = [block[3] for block in _BLOCK.finditer(self.text) if block[2] == "console"]
        lines = [line.partition("  #")[0] for block in blocks for line in block.splitlines()]
        prose = _BLOCK.sub("", self.text)
        return tuple(dict.fromkeys([*lines, *(word[2].strip() for word in _WORD.finditer(prose))]))

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Every file and folder that it names by a path."""
        named = [path for word in self.words for path in paths_of(word, BASES)]
        modules = [
            ROOT / name.replace(".", "/")
            for word in self.words
            for name in re.findall(r"-m (tests\.[\w.]+)", word)
        ]
        return (*self.own, *named, *(path for path in modules if path.is_dir()))

    @cached_property
    def folders(self) -> tuple[Path, ...]:
        """The folders of these paths, in which a name without a folder is looked for."""
        folders = [path if path.is_dir() else path.parent for path in self.paths]
        return tuple(path for path in dict.fromkeys(folders) if path not in BASES)

    @cached_property
    def names(self) -> frozenset[str]:
        """What the files define: functions, classes, constants, arguments, keys, texts."""
        short = [path for word in self.words for path in paths_of(word, self.folders)]
        files = [file for path in (*self.paths, *short) for file in _files(path)]
        return frozenset(name for file in dict.fromkeys(files) for name in defined(file))


def paths_of(word: str, *places: Iterable[Path]) -> list[Path]:
    """The files and folders that a word means, in the folders of these places."""
    if not _PATH.fullmatch(word) or word.strip("./") == "":
        return []
    pattern = _STAND_IN.sub("*", word.replace("NAME_", "*_")).lstrip("/")
    return [path for place in places for folder in place for path in folder.glob(pattern)]


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path not in BASES:
        yield from (file for file in path.iterdir() if file.is_file())


@cache
def defined(file: Path) -> frozenset[str]:
    """Every name that a file defines, and, if it is not Python or TOML, every word of it."""
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError:
        return frozenset()
    if file.suffix == ".py":
        return frozenset((file.stem, *_python_names(ast.parse(text))))
    if file.suffix == ".toml":
        return frozenset(_keys(tomllib.loads(text)))
    return frozenset(re.findall(r"[\w.-]+", text))


def _python_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _keys(value: Any, above: str = "") -> Iterator[str]:
    """The texts of a table, and its keys at any depth, also behind those above them."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            whole = f"{above}.{key}".lstrip(".")
            yield from (key, whole)
            if isinstance(inner, str):
                yield f"{key} = {inner!r}"
            yield from _keys(inner, whole)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner, above)
    elif isinstance(value, str):
        yield value


def sections() -> Iterator[Section]:
    """The sections of the guides, and what each room says of itself."""
    for name in GUIDES:
        parts = re.split(r"^## ", (ROOT / ".github" / name).read_text("utf-8"), flags=re.MULTILINE)
        for part in parts:
            yield Section(f"{name}: {part.partition(chr(10))[0]}", part)
    for room in sorted(PACKAGE.glob("*/__init__.py")):
        text = ast.get_docstring(ast.parse(room.read_text("utf-8"))) or ""
        yield Section(f"{room.parent.name}/__init__.py", text, own=(room.parent,))


SECTIONS: Final = tuple(sections())


def is_there(word: str, section: Section, pytestconfig: pytest.Config) -> bool:
    """Whether a word of a section names something of this repository."""
    if paths_of(word, BASES, section.folders):
        return True
    if " | " in word:
        return all(is_there(part, section, pytestconfig) for part in word.split(" | "))
    first = word.partition(" ")[0]
    if first in PROGRAMS or first.startswith("-") or _is_command(first):
        return _is_command_line(word, section, pytestconfig)
    return _is_variable(word) or _is_name(word, section.names)


def _is_name(word: str, names: frozenset[str]) -> bool:
    call = _CALL.fullmatch(word)
    if call is not None:
        return all(part in names for part in call["name"].split("."))
    table = re.fullmatch(r"\[{1,2}([\w.-]+)\]{1,2}", word)
    if table is not None:
        pattern = _STAND_IN.sub(r"[^.]+", re.escape(table[1]))
        return any(re.fullmatch(pattern, name) for name in names)
    assigned = re.fullmatch(r"(\w+) = \"([^\"]*)\"", word)
    if assigned is not None:
        return f"{assigned[1]} = {assigned[2]!r}" in names
    plain = re.sub(r"^[<\"](.*)[>\"]$", r"\1", word)
    # A dotted name is a key as it is, or an attribute of what a file defines.
    return plain in names or ("." in plain and all(part in names for part in plain.split(".")))


def _is_command(first: str) -> bool:
    return first in {"$", "calibrate", "pytest", *COMMANDS} or bool(
        re.fullmatch(r"(?:\.venv/bin/)?python3?|[A-Z_\d]+=\S*|\.ci/\w+", first)
    )


def _is_command_line(line: str, section: Section, pytestconfig: pytest.Config) -> bool:
    """Whether a command of ours has these options, and each path of the line is there."""
    words = shlex.split(line.removeprefix("$ "))
    while words and re.match(r"[A-Z_\d]+=", words[0]):  # The environment of the command.
        del words[0]
    if not words:
        return _is_variable(line.partition("=")[0])
    paths = [part for word in words for part in word.split("=")]
    ours = [path for path in paths if re.match(r"(?:src|tests|docs|ansible|\.ci|\.github)/", path)]
    if not all((ROOT / path).exists() for path in ours):
        return False
    if words[0].endswith(("python", "python3")) and "-m" in words:
        words = words[words.index("-m") + 1 :]
    first, *rest = words
    options = [word.partition("=")[0] for word in words if word.startswith("-")]
    if first in PROGRAMS or first.startswith(".ci/"):
        return True
    if first == "pytest":
        return all(_pytest_has(option, pytestconfig) for option in options)
    if first.startswith("tests."):
        return all(option in section.names for option in options)
    if first in {"calibrate", *COMMANDS}:
        named = [word for word in (first, *rest[:1]) if word in COMMANDS]
        known = _options_of(named or ["recommend"])
        return known.issuperset(options)
    if first.startswith("-"):
        known = _options_of(COMMANDS) | section.names
        return known.issuperset(options) or all(
            _pytest_has(each, pytestconfig) for each in options
        )
    # A tool of others, by `python -m`, or this Python.
    return True


def _is_variable(name: str) -> bool:
    """Whether the command reads this environment variable."""
    return name.isupper() and any(
        name in defined(file) for file in (PACKAGE / "cli").rglob("*.py")
    )


def _pytest_has(option: str, pytestconfig: pytest.Config) -> bool:
    try:
        pytestconfig.getoption(option)
    except ValueError:
        return False
    return True


@cache
def _option_names(command: str) -> frozenset[str]:
    names = (name for option in load_command(command).params for name in option.opts)
    return frozenset((*names, "--help", "-h", "--version"))


def _options_of(commands: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(_option_names, commands))


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_what_a_guide_names_is_there(section: Section, pytestconfig: pytest.Config) -> None:
    """Each word in backticks is found in the repository, or listed with its kind."""
    listed = {word for words in WORDS.values() for word in words}
    missing = [
        word
        for word in section.words
        if word not in listed and not is_there(word, section, pytestconfig)
    ]
    assert [] == missing


def test_no_word_is_listed_for_nothing(pytestconfig: pytest.Config) -> None:
    """A listed word is in a guide, and cannot be found in the repository."""
    used = {
        word
        for section in SECTIONS
        for word in section.words
        if not is_there(word, section, pytestconfig)
    }
    assert [] == [word for words in WORDS.values() for word in words if word not in used]


@pytest.mark.parametrize(
    "word",
    [
        *("adapter()", "_WORK", "cli/check_run.py", "_FORMS", "apps/keys.toml", "apps/files/"),
        *("calibrate check --hurry", "python -m tests.tools.fuzz --hurry", "pytest --hurry"),
        *("render(document, size)", "[read.groups.WORD.lost]", 'format = "lost"', "test_lost"),
    ],
)
def test_what_is_not_there_is_missed(word: str, pytestconfig: pytest.Config) -> None:
    """A file, name, key or option that does not exist is not found, whatever it looks like."""
    section = Section(
        "a section", f"`{word}` `hashers/built_in.py` `core/algorithms.py` `apps/data/` `cli/`"
    )
    assert not is_there(word, section, pytestconfig)
