"""YAML: every value in a file with its path and line; nothing is constructed from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Final, TypeAlias

from hashcost.apps.text import Entry, whole_number
from hashcost.core.errors import UndeterminedError, UnreadableInputError, at_line
from hashcost.core.text import printable
from hashcost.storage.extras import imported

Path: TypeAlias = tuple[str | int, ...]
"""Keys of mappings and indexes of sequences, from the document down."""

DEEPEST: Final = 64
"""Levels; ruamel.yaml and the walk call themselves for each."""
_MOST_VALUES: Final = 100_000
"""A few aliases can make any number of values of a short file."""

_NULLS: Final = ("", "~", "null", "Null", "NULL")
_MERGE: Final = "tag:yaml.org,2002:merge"

_FROM_ENVIRONMENT: Final = re.compile(
    r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_.]*)(?:(?:-|:-?)(?P<default>[^${}]*))?\}"
)
"""``${NAME:-12}``, ``${NAME-12}`` (shells, Compose), ``${NAME:12}`` (Spring, Elasticsearch)."""

_Node: TypeAlias = Any
"""A node of ruamel.yaml, which says what it is in its ``id``; the library gives it no types."""
_Entry: TypeAlias = tuple[_Node, _Node, str]
"""A key of a mapping with its value, and why it counts if that was to be decided."""


@dataclass(frozen=True, kw_only=True)
class Scalar:
    """A scalar, by the text that it counts as.

    ``line`` is the line of its key, and ``span`` the characters of the file that hold the
    scalar. ``wins`` says whether it is used, and ``why``, in words, if there was something
    to decide. ``variable`` is what the environment may set it by.
    """

    path: Path
    text: str
    line: int
    span: tuple[int, int] = (0, 0)
    document: int = 0
    """Which of the file's documents it is in, from 0."""
    quoted: bool = False
    wins: bool = True
    why: str = ""
    variable: str = ""

    @property
    def name(self) -> str:
        """The path with dots between its parts."""
        return ".".join(str(part) for part in self.path)

    @property
    def is_null(self) -> bool:
        """Whether nothing is set: ``key:``, ``key: ~``."""
        return not self.quoted and self.text in _NULLS

    def resolved(self) -> Scalar:
        """The scalar, with a value from the environment replaced by its default, if any."""
        reference = _FROM_ENVIRONMENT.fullmatch(self.text.strip())
        if reference is None:
            return self
        name = reference["name"]
        default = reference["default"]
        if default is None:
            why = f"from the environment's {name}, which has no default in the file"
            return replace(self, why=why, variable=name)
        why = f"the default, unless the environment sets {name}"
        return replace(self, text=default, why=why, variable=name)

    def number(self) -> int:
        """The whole number that it is.

        Raises:
            UndeterminedError: it is not a number, or only the environment knows it.
        """
        if self.variable and _FROM_ENVIRONMENT.fullmatch(self.text.strip()):
            raise UndeterminedError(self.line, f"{self.name} is {self.why}")
        return whole_number(self.text, self.name, self.line)


Scalars: TypeAlias = Sequence[Scalar]


def values(text: str, *, also_plain: str = "") -> Scalars:
    """Every scalar in a file, documents and keys in their order.

    Aliases and merge keys are followed. If a mapping has a key twice, the last counts;
    the others, with everything below them, do not win. ``also_plain`` are the characters that
    a value without quotes may begin with although YAML reserves them.

    Raises:
        UnreadableInputError: it is not YAML, or too deep or too entangled.
        UnavailableError: ruamel.yaml is not installed.
    """
    scalars = []
    for number, root in enumerate(_documents(text, also_plain)):
        scalars += _Walk(number).values(root)
    return tuple(scalars)


def texts(text: str) -> tuple[tuple[int, int], ...]:
    """The characters of each key and each scalar: what is outside of them may be a comment.

    Raises:
        UnreadableInputError: it is not YAML, or too deep or too entangled.
        UnavailableError: ruamel.yaml is not installed.
    """
    values(text)  # Refuses what takes long to read.
    from ruamel.yaml import YAML
    from ruamel.yaml.tokens import ScalarToken

    tokens = YAML(typ="safe", pure=True).scan(text)
    scalars = (token for token in tokens if isinstance(token, ScalarToken))
    return tuple((token.start_mark.index, token.end_mark.index) for token in scalars)


def of_first_document(text: str) -> Scalars:
    """Every value in a file; only those of the first document that sets anything win."""
    scalars: list[Scalar] = []
    for value in values(text):
        # An empty document has no scalars, so the first scalar's document is the one.
        if scalars and value.document != scalars[0].document:
            scalars.append(replace(value, wins=False))
        else:
            scalars.append(value)
    return scalars


def setting_of(entry: Entry) -> Scalar:
    """A setting on a line, which may come from the environment."""
    return Scalar(path=(entry.name,), text=entry.value, line=entry.line, quoted=True).resolved()


def with_keys(text: str, snippet: str) -> str | None:
    """Add the keys of a snippet, a block of nested mappings, that the first document lacks.

    Each goes before the first key of the mapping that it belongs to, or at the end of the text.

    Returns:
        `None` if that mapping is not written as a block, or if a key that would be added is
        there in another spelling.

    Raises:
        UnreadableInputError: it is not YAML, or too deep or too entangled.
    """
    repeated = _repeated(text)
    if text and not text.endswith("\n"):
        text += "\n"
    documents = _documents(text)
    if not documents:
        return text + snippet
    if len(documents) > 1 or not _is_block(documents[0]):
        return None
    lines = snippet.splitlines()
    additions = []
    pending = [(documents[0], _documents(snippet)[0], len(text))]
    while pending:
        mapping, wanted, place = pending.pop()
        there = {key.value: child for key, child in mapping.value if key.id == "scalar"}
        # Each key of the snippet goes to where the next one begins.
        ends = [key.start_mark.line for key, _ in wanted.value[1:]]
        ends.append(wanted.end_mark.line)
        for (key, child), end in zip(wanted.value, ends, strict=True):
            existing = there.get(key.value)
            if existing is None:
                outer = key.start_mark.column
                indent = " " * _first_key(mapping).column
                block = [f"{indent}{line[outer:]}\n" for line in lines[key.start_mark.line : end]]
                additions.append((place, "".join(block)))
            elif child.id == "mapping":
                if not _is_block(existing):
                    return None
                above = text.rfind("\n", 0, _first_key(existing).index) + 1
                pending.append((existing, child, above))
    ordered = sorted(additions, key=itemgetter(0))
    # From the end on, so that each place stays where it is.
    for place, block_text in reversed(ordered):
        text = text[:place] + block_text + text[place:]
    # An application may refuse a key that is written both nested and with dots.
    if _repeated(text) != repeated:
        return None
    return text


def _repeated(text: str) -> int:
    """The number of values whose dotted name another value has."""
    names = [value.name for value in values(text)]
    return len(names) - len(set(names))


def _first_key(mapping: _Node) -> Any:
    """The place of a mapping's first key."""
    key, _ = mapping.value[0]
    return key.start_mark


def _is_block(node: _Node) -> bool:
    """Whether a node is a mapping with a key a line, which no alias uses elsewhere."""
    return bool(node.id == "mapping" and node.value and not node.flow_style and not node.anchor)


def _documents(text: str, also_plain: str = "") -> list[_Node]:
    """The nodes of each document, before anything is made of them."""
    imported("ruamel.yaml", "ruamel.yaml", "apps")
    from ruamel.yaml import YAML
    from ruamel.yaml.composer import MaxDepthExceededError
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.scanner import Scanner

    class LenientScanner(Scanner):
        """Takes more characters for the beginning of a value without quotes."""

        def check_plain(self) -> bool:
            return self.reader.peek() in also_plain or super().check_plain()

    yaml = YAML(typ="safe", pure=True)
    yaml.Scanner = LenientScanner
    yaml.max_depth = DEEPEST
    yaml.composer.warn_double_anchors = False
    try:
        return list(yaml.compose_all(text))
    except MaxDepthExceededError as error:
        raise _too_deep() from error
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = ""
        if mark is not None:
            where = f"line {mark.line + 1}: "
        why = printable(error.problem or error.context or "unreadable")[:160]
        raise UnreadableInputError(f"{where}not YAML: {why}") from error
    except (YAMLError, ValueError, OverflowError) as error:
        raise UnreadableInputError(f"not YAML: {printable(str(error))[:160]}") from error


def _too_deep() -> UnreadableInputError:
    return UnreadableInputError(f"this YAML is nested more than {DEEPEST} levels deep")


@dataclass
class _Walk:
    """Visits one document, and counts what its aliases make of it."""

    document: int
    visited: int = 0

    def values(self, root: _Node) -> list[Scalar]:
        return sorted(self._below(root, (), _line(root)), key=lambda value: value.line)

    def _below(self, node: _Node, path: Path, line: int) -> Iterator[Scalar]:
        self._count(path)
        if node.id == "scalar":
            yield self._scalar(node, path, line)
        elif node.id == "mapping":
            yield from self._mapping(node, path)
        else:
            for index, item in enumerate(node.value):
                yield from self._below(item, (*path, index), _line(item))

    def _scalar(self, node: _Node, path: Path, line: int) -> Scalar:
        return Scalar(
            path=path,
            text=node.value,
            line=line,
            span=(node.start_mark.index, node.end_mark.index),
            document=self.document,
            quoted=node.style in {"'", '"'},
        ).resolved()

    def _mapping(self, node: _Node, path: Path) -> Iterator[Scalar]:
        entries = self._entries(node, path)
        for key, child in _own_entries(node):
            counting, _, _ = entries[key.value]
            if counting is key:
                continue
            # Another entry of this key counts.
            for value in self._below(child, (*path, key.value), _line(key)):
                yield replace(value, wins=False)
        for name, (key, child, why) in entries.items():
            for value in self._below(child, (*path, name), _line(key)):
                yield replace(value, why=value.why or why)

    def _entries(self, node: _Node, path: Path) -> dict[str, _Entry]:
        """The entries of a mapping that count, with those that ``<<`` merges into it."""
        self._count(path, len(node.value))
        entries = {}
        for key, child in node.value:
            if key.tag != _MERGE:
                continue
            sources = [child]
            if child.id == "sequence":
                # Of several mappings in one merge key, the first overrides the others.
                sources = child.value[::-1]
            for source in sources:
                if source.id != "mapping":
                    raise at_line(_line(source), "<< merges something other than a mapping")
                merged = self._entries(source, (*path, _MERGE))
                for name, (key_of, value, _) in merged.items():
                    entries[name] = key_of, value, "merged in by <<"
        # What the mapping has itself overrides what it merges.
        own = set()
        for key, child in _own_entries(node):
            name = key.value
            why = ""
            if name in own:
                why = f"the last of several {name} in one mapping counts"
            own.add(name)
            entries[name] = key, child, why
        return entries

    def _count(self, path: Path, nodes: int = 1) -> None:
        self.visited += nodes
        if self.visited > _MOST_VALUES:
            raise UnreadableInputError(
                f"the aliases of this YAML make more than {_MOST_VALUES:,} values of it"
            )
        if len(path) > DEEPEST:
            raise _too_deep()


def _own_entries(node: _Node) -> list[tuple[_Node, _Node]]:
    """The keys of a mapping with their values, without merge keys."""
    return [(key, child) for key, child in node.value if key.id == "scalar" and key.tag != _MERGE]


def _line(node: _Node) -> int:
    line: int = node.start_mark.line
    return line + 1
