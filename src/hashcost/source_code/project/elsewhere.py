"""What a name of a file stands for in another file of the project, within bounds."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import Final, Protocol

from hashcost.source_code.project.imports import Imported, bases_in
from hashcost.source_code.project.modules import Modules
from hashcost.source_code.project.versions import versions_beside
from hashcost.source_code.values import Call, DottedName, Unknown, Value

MOST_FILES: Final = 64
"""Files of a project that are kept in mind at a time."""
DEEPEST: Final = 5
"""So many files are followed one from another."""
_MOST_MEMBERS: Final = 3
_WORD: Final = re.compile(r"\w+(?:\(\))?")
"""A part of a dotted name, which may be called."""
_MOST_NAMES: Final = 10_000
_MOST_READ: Final = 16 << 20
"""Characters of all files in which types are looked for."""
_TYPE: Final = re.compile(
    r"^[^\n*#/\"']*\b(?:class|struct|object|interface|trait|enum|module|record|defmodule)"
    r"\s+(?:[\w.:]*[.:])?(\w+)",
    re.MULTILINE,
)


class Module(Protocol):
    """A file that others take names from."""

    def exported(self, members: Sequence[str]) -> tuple[Value, ...] | None:
        """What a dotted name stands for; ``None`` if the file does not define it."""
        ...


class Elsewhere:
    """The other files of a project: ``read`` gives their text, ``opened`` reads that."""

    def __init__(
        self,
        modules: Modules,
        read: Callable[[str], str | None],
        opened: Callable[[str, str, "Elsewhere"], Module | None],
    ) -> None:
        self._modules = modules
        self._read = read
        self._opened = opened
        self._open: OrderedDict[str, Module | None] = OrderedDict()
        self._named: OrderedDict[tuple[str, str], tuple[Value, ...] | None] = OrderedDict()
        self._depth = 0

    def versions(self, path: str) -> Mapping[str, str]:
        """The versions of packages that the files around one fix."""
        return versions_beside(path)

    def of(
        self, imported: Imported, members: Sequence[str], beside: str
    ) -> tuple[Value, ...] | None:
        """A member of a module that is named by its path."""
        names = [*filter(None, imported.member.split(".")), *members]
        return self._first(self._modules.of(imported, beside), [names])

    def named(self, path: str, beside: str) -> tuple[Value, ...] | None:
        """What a whole dotted name stands for: a member of a module, or of a type."""
        key = path, str(PurePath(beside).parent)
        if key not in self._named:
            self._named[key] = None  # As long as it is looked up.
            self._named[key] = self._by_words(path, beside)
            if len(self._named) > _MOST_NAMES:
                self._named.popitem(last=False)
        return self._named.get(key)

    def _by_words(self, path: str, beside: str) -> tuple[Value, ...] | None:
        words = _WORD.findall(path)
        for count in range(1, min(_MOST_MEMBERS, len(words) - 1) + 1):
            owner, members = words[:-count], words[-count:]
            if owner[-1].endswith(")"):
                continue
            found = self._first(
                self._modules.named(owner, beside), [members, [owner[-1], *members]]
            )
            if found is not None:
                return found
        if len(words) < 2:
            return None
        files = self._types.get(words[-2], ())
        suffix = PurePath(beside).suffix
        return self._first([each for each in files if each.endswith(suffix)], [words[-2:]])

    def beside(self, name: str, path: str) -> tuple[Value, ...] | None:
        """A name of another file of the same folder."""
        return self._first(self._modules.beside(path), [[name]])

    def _first(
        self, files: Sequence[str], names: Sequence[Sequence[str]]
    ) -> tuple[Value, ...] | None:
        for path in files:
            for members in names:
                found = self._member(path, members)
                if found is not None:
                    return found
        return None

    def _member(self, path: str, members: Sequence[str]) -> tuple[Value, ...] | None:
        """A member of one file, if that is more than a name or a call again."""
        if self._depth >= DEEPEST:
            return None
        self._depth += 1
        try:
            text = self._text(path)
            if text is None or not _may_define(path, text, members):
                return None
            module = self._module(path, text)
            found = None if module is None else module.exported(members)
        finally:
            self._depth -= 1
        if not found or any(isinstance(e.data, DottedName | Call | Unknown) for e in found):
            return None
        return tuple(_set_in(PurePath(path).name, each) for each in found)

    def _module(self, path: str, text: str) -> Module | None:
        if path not in self._open:
            self._open[path] = None  # As long as it is read.
            self._open[path] = self._opened(path, text, self)
            if len(self._open) > MOST_FILES:
                self._open.popitem(last=False)
        return self._open.get(path)

    def _text(self, path: str) -> str | None:
        return self._read(path)

    @cached_property
    def _types(self) -> dict[str, list[str]]:
        """The files that declare a type of each name."""
        found: dict[str, list[str]] = {}
        for path, text in self._typed():
            for name in set(_TYPE.findall(text)):
                found.setdefault(name, []).append(path)
        return found

    def _typed(self) -> Iterator[tuple[str, str]]:
        left = _MOST_READ
        for path in self._modules.paths:
            if path.endswith((".py", ".js", ".ts", ".jsx", ".tsx", ".go")):
                continue
            text = self._text(path)
            left -= len(text or "")
            if left < 0:
                return
            if text is not None:
                yield path, text


def _set_in(file: str, value: Value) -> Value:
    """A value, or those in a mapping, with the place that sets it."""
    if isinstance(value.data, dict):
        entries = {name: _set_in(file, each) for name, each in value.data.items()}
        return replace(value, data=entries)
    if not isinstance(value.data, int | str):
        return value
    return replace(value, line=0).because(f"{file}:{value.line} sets it")


def _may_define(path: str, text: str, members: Sequence[str]) -> bool:
    """Whether a text may give a value to the last of some names, by a search that is quick."""
    if not members:
        return True
    if members[-1] not in text:
        inherited = not path.endswith(".py") and bool(bases_in(text))
        return inherited or "export *" in text or "require(" in text
    if not path.endswith(".py"):
        return True
    name = re.escape(members[-1])
    return bool(re.search(rf"^\s*(?:self\.)?{name}\s*(?::[^=\n]*)?=", text, re.MULTILINE))
