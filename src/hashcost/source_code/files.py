"""Which files of a folder hold source code to read, and what is left out."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Final

from hashcost.core.errors import UnreadableInputError
from hashcost.documents.files import reason_of
from hashcost.source_code.ignoring import Ignoring, globs, read_ignoring
from hashcost.source_code.rules import Language, by_suffix

LARGEST_FILE: Final = 1 << 20
"""Bytes; source code that people write is smaller."""
_LARGEST_IGNORING: Final = 1 << 18
_DEEPEST: Final = 128

VENDORED: Final = frozenset(
    {
        *(".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", "site-packages", "__pycache__"),
        *(".mypy_cache", ".ruff_cache", ".eggs", "node_modules", "bower_components", "vendor"),
        *("third_party", "third-party", "thirdparty", "Pods", "dist", "build", "target", "_build"),
        *(".gradle", ".idea", ".next", ".nuxt"),
    }
)
"""Folders of what others wrote, and of what is built."""
_TOOLS: Final = frozenset({".git", ".hg", ".svn", "__pycache__"})
"""Those that never hold source code."""

_TEST_FOLDERS: Final = frozenset(
    {
        *("test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "fixtures"),
        *("__mocks__", "e2e", "androidTest", "cypress"),
    }
)
_MADE: Final = (".min.js", ".min.mjs", ".bundle.js", ".d.ts", ".pb.go", "_pb2.py")
"""The ends of names of files that programs write."""


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A file to read."""

    path: Path
    language: Language
    grammar: str
    in_tests: bool


def sources(
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_vendored: bool = False,
    skipped: Counter[str],
) -> Iterator[SourceFile]:
    """The source files of folders, and those that are named, each once.

    ``skipped`` counts what is left out, by reason. Links are not followed, so that there
    is no loop; files that are named are read wherever they are.

    Raises:
        UnreadableInputError: a path that is named cannot be read.
    """
    excluded = globs(exclude)
    vendored = _TOOLS if include_vendored else VENDORED
    seen: set[Path] = set()
    for path in paths:
        try:
            mode = path.stat().st_mode
        except (OSError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UnreadableInputError(f"cannot read {path}: {reason.lower()}") from error
        if stat.S_ISDIR(mode):
            found = _Walk(excluded, vendored, skipped).below(path)
        elif stat.S_ISREG(mode):
            source = _source(path, path.name, skipped)
            found = iter(() if source is None else (source,))
        else:
            raise UnreadableInputError(f"cannot read {path}: it is neither a folder nor a file")
        for each in found:
            if each.path not in seen:
                seen.add(each.path)
                yield each


@dataclass(frozen=True)
class _Folder:
    """A folder to read, its path below the first one, and what leaves out files in it."""

    path: str
    inside: str = ""
    ignoring: tuple[tuple[str, Ignoring], ...] = ()


@dataclass(frozen=True)
class _Walk:
    """The folders below one, in order."""

    excluded: Ignoring
    vendored: frozenset[str]
    skipped: Counter[str]

    def below(self, root: Path) -> Iterator[SourceFile]:
        waiting = [_Folder(str(root))]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(folder.path) as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                if not folder.inside:
                    reason = reason_of(error)
                    raise UnreadableInputError(f"cannot read {root}: {reason}") from error
                self.skipped["unreadable"] += 1
                continue
            if any(entry.name == ".gitignore" for entry in found):
                ignoring = (*folder.ignoring, (folder.inside, _ignoring(folder.path)))
                folder = replace(folder, ignoring=ignoring)
            folders = []
            for entry in found:
                kept = self._kept(entry, folder)
                if isinstance(kept, _Folder):
                    folders.append(kept)
                elif kept is not None:
                    yield kept
            waiting += reversed(folders)

    def _kept(self, entry: os.DirEntry[str], folder: _Folder) -> _Folder | SourceFile | None:
        """What is to be read of an entry; `None` if it is left out."""
        inside = f"{folder.inside}{entry.name}"
        try:
            is_link = entry.is_symlink()
            is_folder = entry.is_dir(follow_symlinks=False)
            is_file = entry.is_file(follow_symlinks=False)
        except OSError:
            self.skipped["unreadable"] += 1
            return None
        if is_link:
            self.skipped["links"] += 1
        elif is_folder and entry.name in self.vendored:
            self.skipped["vendored folders"] += 1
        elif self.excluded.verdict(inside, is_folder=is_folder):
            self.skipped["excluded"] += 1
        elif _is_ignored(inside, folder.ignoring, is_folder=is_folder):
            self.skipped["ignored by git"] += 1
        elif is_folder and inside.count("/") >= _DEEPEST:
            self.skipped["too deep"] += 1
        elif is_folder:
            return _Folder(entry.path, f"{inside}/", folder.ignoring)
        elif is_file:
            return _source(Path(entry.path), inside, self.skipped)
        return None


def _source(path: Path, inside: str, skipped: Counter[str]) -> SourceFile | None:
    known = by_suffix().get(path.suffix.lower())
    if known is None:
        return None
    if path.name.endswith(_MADE):
        skipped["made by programs"] += 1
        return None
    language, grammar = known
    folders = PurePath(inside).parts[:-1]
    return SourceFile(
        path=path,
        language=language,
        grammar=grammar,
        in_tests=language.is_test(path.name) or not _TEST_FOLDERS.isdisjoint(folders),
    )


def content_of(path: Path, skipped: Counter[str]) -> bytes | None:
    """The bytes of a source file; `None` if it is left out, which is counted."""
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError:
        skipped["unreadable"] += 1
        return None
    if len(content) > LARGEST_FILE:
        skipped["too large"] += 1
        return None
    if b"\0" in content[:8192]:
        skipped["binary"] += 1
        return None
    return content


def _ignoring(folder: str) -> Ignoring:
    path = Path(folder, ".gitignore")
    try:
        if not path.is_file():
            return Ignoring(())
        with path.open("rb") as stream:
            return read_ignoring(stream.read(_LARGEST_IGNORING).decode(errors="replace"))
    except OSError:
        return Ignoring(())


def _is_ignored(path: str, ignoring: tuple[tuple[str, Ignoring], ...], *, is_folder: bool) -> bool:
    for inside, each in reversed(ignoring):
        verdict = each.verdict(path.removeprefix(inside), is_folder=is_folder)
        if verdict is not None:
            return verdict
    return False
