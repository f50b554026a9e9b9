"""YAML: every value in a file with its path and line; nothing is constructed from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.environment import from_environment
from hashcost.core.errors import UnavailableError, UnreadableInputError, printable

if TYPE_CHECKING:
    import yaml

Path: TypeAlias = tuple[str | int, ...]
"""Keys of mappings and indexes of sequences, from the document down."""

ANY: Final = "*"
"""In a path that is looked for: whatever the key or index is."""

LARGEST: Final = 512 * 1024
"""Characters; PyYAML reads about 200,000 a second."""
_DEEPEST: Final = 64
_MOST_ALIASES: Final = 1000
_MOST_VALUES: Final = 100_000

_NULLS: Final = ("", "~", "null", "Null", "NULL")
_MERGE: Final = "tag:yaml.org,2002:merge"


@dataclass(frozen=True, kw_only=True)
class Value:
    """A scalar, by the text that it counts as.

    ``line`` is that of its key. ``wins`` says whether it is used, and ``why``, in
    words, where there was something to decide; ``written`` is then what the file has.
    """

    path: Path
    text: str
    line: int
    document: int = 0
    """Which of the file's documents it is in, from 0."""
    quoted: bool = False
    wins: bool = True
    why: str = ""
    written: str = ""

    @property
    def name(self) -> str:
        """The path with dots between its parts."""
        return ".".join(str(part) for part in self.path)

    @property
    def is_null(self) -> bool:
        """Whether nothing is set: ``key:``, ``key: ~``."""
        return not self.quoted and self.text in _NULLS

    def number(self) -> int:
        """The whole number that it is.

        Raises:
            UnreadableInputError: it is none, or the environment alone knows it.
        """
        reference = from_environment(self.text)
        if reference is not None:
            raise UnreadableInputError(f"line {self.line}: {self.name} is {reference.why}")
        return whole_number(self.text, self.name, self.line)

    def matches(self, path: Path) -> bool:
        """Whether it is at a path, in which `ANY` stands for any one part."""
        return len(path) == len(self.path) and all(
            wanted in {ANY, part} for wanted, part in zip(path, self.path, strict=True)
        )


def values(text: str) -> tuple[Value, ...]:
    """Every scalar in a file, documents and keys in their order.

    Aliases and merge keys are followed. Of equal keys in one mapping the last
    counts, as PyYAML has it; the others, with all below them, do not win.

    Raises:
        UnreadableInputError: it is no YAML, or too large, deep or entangled.
        UnavailableError: PyYAML is not installed.
    """
    if len(text) > LARGEST:
        raise UnreadableInputError(f"this YAML has more than {LARGEST:,} characters")
    return tuple(
        value
        for number, root in enumerate(_documents(text))
        for value in _Walk(number).values(root)
    )


def at(found: tuple[Value, ...], path: Path) -> tuple[Value, ...]:
    """Those at a path, in which `ANY` stands for any one part; without what is null."""
    return tuple(each for each in found if each.matches(path) and not each.is_null)


def winner(found: tuple[Value, ...], path: Path) -> Value | None:
    """The one that is used at a path, of several documents in the first that has it."""
    return next((each for each in at(found, path) if each.wins), None)


def _documents(text: str) -> list[yaml.Node]:
    """The composed documents; empty ones are left out."""
    try:
        import yaml
    except ImportError as error:
        raise UnavailableError(
            "reading YAML needs PyYAML; install it with: pip install 'hashcost[apps]'"
        ) from error

    class Loader(yaml.SafeLoader):
        """Composes with a limit to depth and aliases."""

        depth = 0
        aliases = 0

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                self.aliases += 1
                if self.aliases > _MOST_ALIASES:
                    raise UnreadableInputError(f"this YAML has more than {_MOST_ALIASES} aliases")
            self.depth += 1
            if self.depth > _DEEPEST:
                raise _too_deep()
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    try:
        loader = Loader(text)
        found = []
        while loader.check_node():
            node = loader.get_node()
            found += [node] if node is not None else []
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise UnreadableInputError(
            f"{where}no YAML: {printable(error.problem or error.context or 'unreadable')[:160]}"
        ) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise UnreadableInputError(f"no YAML: {printable(str(error))[:160]}") from error
    return found


def _too_deep() -> UnreadableInputError:
    return UnreadableInputError(f"this YAML is nested more than {_DEEPEST} levels deep")


@dataclass
class _Walk:
    """Visits one document; what its aliases make of it is counted."""

    document: int
    visited: int = 0

    def values(self, root: yaml.Node) -> Iterator[Value]:
        found = sorted(self._below(root, (), _line(root)), key=lambda value: value.line)
        return iter(found)

    def _below(self, node: yaml.Node, path: Path, line: int) -> Iterator[Value]:
        self._count(path)
        if _is_scalar(node):
            yield self._scalar(cast("yaml.ScalarNode", node), path, line)
        elif _is_mapping(node):
            yield from self._mapping(node, path)
        else:
            for index, each in enumerate(node.value):
                yield from self._below(each, (*path, index), _line(each))

    def _scalar(self, node: yaml.ScalarNode, path: Path, line: int) -> Value:
        text = node.value
        quoted = node.style in {"'", '"'}
        value = Value(path=path, text=text, line=line, document=self.document, quoted=quoted)
        reference = from_environment(text)
        if reference is None:
            return value
        default = text if reference.default is None else reference.default
        return dataclasses.replace(value, text=default, why=reference.why, written=text)

    def _mapping(self, node: yaml.Node, path: Path) -> Iterator[Value]:
        """Keys that are merged in lose to those written out, and of these the last wins."""
        entries = list(self._entries(node, path))
        last = {key: index for index, (key, _, _, _) in enumerate(entries)}
        times: dict[str, int] = {}
        for key, *_ in entries:
            times[key] = times.get(key, 0) + 1
        for index, (key, child, line, merged) in enumerate(entries):
            wins = last[key] == index
            for value in self._below(child, (*path, key), line):
                if not wins:
                    other = entries[last[key]][2]
                    why = f"line {other} sets {key} again"
                    yield dataclasses.replace(value, wins=False, why=why)
                elif times[key] > 1 and not value.why:
                    yield dataclasses.replace(value, why=_why_it_wins(entries, index))
                elif merged and not value.why:
                    yield dataclasses.replace(value, why="merged in by <<")
                else:
                    yield value

    def _entries(self, node: yaml.Node, path: Path) -> Iterator[tuple[str, yaml.Node, int, bool]]:
        """Key, value, line and whether it is merged in; what overrides comes later."""
        self._count(path)
        merged: list[yaml.Node] = []
        written = []
        for key, child in node.value:
            if not _is_scalar(key):
                continue
            if key.tag == _MERGE:
                merged += self._merged(child)
            else:
                written.append((key.value, child, _line(key), False))
        for source in merged:
            if len(path) > _DEEPEST:
                raise _too_deep()
            for key, child, line, _ in self._entries(source, (*path, _MERGE)):
                yield key, child, line, True
        yield from written

    def _merged(self, child: yaml.Node) -> list[yaml.Node]:
        """The mappings that a merge key names, the first one last: it overrides the others."""
        sources = [child] if _is_mapping(child) or _is_scalar(child) else child.value[::-1]
        for source in sources:
            if not _is_mapping(source):
                raise UnreadableInputError(f"line {_line(source)}: << merges no mapping")
        return sources

    def _count(self, path: Path) -> None:
        self.visited += 1
        if self.visited > _MOST_VALUES:
            raise UnreadableInputError(
                f"the aliases of this YAML make more than {_MOST_VALUES:,} values of it"
            )
        if len(path) > _DEEPEST:
            raise _too_deep()


def _why_it_wins(entries: list[tuple[str, yaml.Node, int, bool]], index: int) -> str:
    key = entries[index][0]
    others = [
        merged
        for number, (name, _, _, merged) in enumerate(entries)
        if name == key and number != index
    ]
    if all(others):
        return "overrides what << merges in"
    return f"the last of several {key} in one mapping counts"


def _is_scalar(node: yaml.Node) -> bool:
    return isinstance(node.value, str)


def _is_mapping(node: yaml.Node) -> bool:
    return isinstance(node.value, list) and (not node.value or isinstance(node.value[0], tuple))


def _line(node: yaml.Node) -> int:
    line: int = node.start_mark.line
    return line + 1
