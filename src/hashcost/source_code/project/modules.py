"""Where what an import names may be: the files of the project that a module may be."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Final

from hashcost.source_code.project.imports import Imported

_SCRIPTS: Final = ("", ".ts", ".js", ".mjs", ".cjs", ".tsx", "/index.ts", "/index.js")
_FURTHEST: Final = 4
"""So many folders above a file may be the one that Python's modules are found from."""
_MOST: Final = 16
"""Files that one module may be."""
_OF_FOLDER: Final = frozenset({"index", "__init__", "mod", "lib", "main"})
"""Names of files that stand for their folder."""
_WORDS: Final = re.compile(r"\w+")
_FROM_HERE: Final = frozenset({"crate", "self", "super"})


def scripts(name: str, folder: PurePath) -> Iterator[str]:
    """The files that a relative module of JavaScript or TypeScript may be."""
    yield from (f"{folder / name}{suffix}" for suffix in _SCRIPTS)


def python_modules(name: str, folder: PurePath) -> Iterator[str]:
    """The files that a module of Python may be."""
    dots = len(name) - len(name.lstrip("."))
    parts = [part for part in name.split(".") if part]
    above = (folder, *folder.parents)
    for base in above[dots - 1 : dots] if dots else above[:_FURTHEST]:
        if parts:
            yield str(base.joinpath(*parts)) + ".py"
        yield str(base.joinpath(*parts, "__init__.py"))


@dataclass(frozen=True)
class Modules:
    """The source files of a project, found by the names of modules and types."""

    paths: tuple[str, ...]

    def of(self, imported: Imported, beside: str) -> tuple[str, ...]:
        """The files that a module may be, as a file names it, the likeliest first."""
        words = [each for each in _WORDS.findall(imported.module) if each not in _FROM_HERE]
        if imported.module.startswith("."):
            folder, own = PurePath(beside).parent, PurePath(beside).suffix
            named = (*scripts(imported.module, folder), f"{folder / imported.module}{own}")
            exact = [_normal(each) for each in named]
            found = [each for each in exact if each in self._known]
            if found or "/" in imported.module:
                return tuple(found[:1])
        return self.named(words, beside)

    def named(self, words: Sequence[str], beside: str) -> tuple[str, ...]:
        """The files whose paths end in most of these words, the nearest of them."""
        if not words:
            return ()
        last = _key(words[-1])
        ranked = [
            (-_common(self._words[each], words), -_shared(each, beside), each)
            for each in self._by_name.get(last, ())
            if PurePath(each).suffix == PurePath(beside).suffix or not _is_typed(beside)
        ]
        best = min((rank[:2] for rank in ranked), default=None)
        return tuple(sorted(each for *rank, each in ranked if tuple(rank) == best)[:_MOST])

    def beside(self, path: str) -> tuple[str, ...]:
        """The other files of the same folder and language."""
        own = PurePath(path)
        return tuple(
            each
            for each in self._by_folder.get(str(own.parent), ())
            if each != path and PurePath(each).suffix == own.suffix
        )[:_MOST]

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)

    @cached_property
    def _words(self) -> dict[str, tuple[str, ...]]:
        return {each: tuple(_key(part) for part in _parts(each)) for each in self.paths}

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """Files by their own name, and by that of their folder."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            for word in {_key(PurePath(path).stem), _key(PurePath(path).parent.name)}:
                found[word].append(path)
        return found

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            found[str(PurePath(path).parent)].append(path)
        return found


def _parts(path: str) -> Iterable[str]:
    pure = PurePath(path)
    stem = () if pure.stem in _OF_FOLDER else (pure.stem,)
    return (*pure.parent.parts, *stem)


def _key(word: str) -> str:
    """A word as files are named after it: ``AuthConfig`` and ``auth_config`` are the same."""
    return word.replace("_", "").replace("-", "").lower()


def _common(path: Sequence[str], words: Sequence[str]) -> int:
    """How many of the last words a path ends in, with or without the file's own name."""
    keys = [_key(each) for each in words]

    def ends(parts: Sequence[str]) -> int:
        pairs = zip(reversed(parts), reversed(keys), strict=False)
        count = 0
        for one, two in pairs:
            if one != two:
                break
            count += 1
        return count

    return max(2 * ends(path), 2 * ends(path[:-1]) - 1)


def _shared(one: str, two: str) -> int:
    """How many folders two paths share from the top."""
    count = 0
    for first, second in zip(PurePath(one).parts, PurePath(two).parts, strict=False):
        if first != second:
            break
        count += 1
    return count


def _is_typed(path: str) -> bool:
    return not path.endswith((".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"))


def _normal(path: str) -> str:
    """A path without the dots in it."""
    parts: list[str] = []
    for part in PurePath(path).parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return str(PurePath(*parts)) if parts else "."
