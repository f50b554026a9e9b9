"""Which files of a folder hold source code to read, and what is left out."""

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, TypeAlias

from hashcost.core.errors import UnreadableInputError
from hashcost.core.foreign import path_name
from hashcost.documents.files import reason_of
from hashcost.source_code.ignoring import Ignoring, read_ignoring
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
    excluded = read_ignoring("\n".join(exclude))
    vendored = _TOOLS if include_vendored else VENDORED
    seen: set[Path] = set()
    for path in paths:
        try:
            mode = path.stat().st_mode
        except (OSError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UnreadableInputError(
                f"cannot read {path_name(path)}: {reason.lower()}"
            ) from error
        if stat.S_ISDIR(mode):
            found = _Walk(excluded, vendored, skipped).below(str(path))
        elif stat.S_ISREG(mode):
            found = _source(path, path.name, skipped)
        else:
            raise UnreadableInputError(
                f"cannot read {path_name(path)}: it is neither a folder nor a file"
            )
        for each in found:
            if each.path not in seen:
                seen.add(each.path)
                yield each


_Ignored: TypeAlias = tuple[tuple[str, Ignoring], ...]
"""What leaves out files, with the folder that each is about."""


@dataclass(frozen=True)
class _Walk:
    """The folders below one, in order."""

    excluded: Ignoring
    vendored: frozenset[str]
    skipped: Counter[str]

    def below(self, folder: str, inside: str = "", ignored: _Ignored = ()) -> Iterator[SourceFile]:
        """The files of a folder, whose path below the first one is ``inside``."""
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if not inside:
                raise UnreadableInputError(
                    f"cannot read {path_name(folder)}: {reason_of(error)}"
                ) from error
            self.skipped["unreadable"] += 1
            return
        if any(entry.name == ".gitignore" for entry in found):
            ignored = (*ignored, (inside, _ignoring(folder)))
        folders = []
        for entry in found:
            reason = self._left_out(entry, f"{inside}{entry.name}", ignored)
            if reason:
                self.skipped[reason] += 1
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry)
            elif entry.is_file(follow_symlinks=False):
                yield from _source(Path(entry.path), f"{inside}{entry.name}", self.skipped)
        for entry in folders:
            yield from self.below(entry.path, f"{inside}{entry.name}/", ignored)

    def _left_out(self, entry: os.DirEntry[str], path: str, ignored: _Ignored) -> str:
        """Why an entry is not read; empty if it is."""
        try:
            is_link, is_folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
        except OSError:
            return "unreadable"
        if is_link:
            return "links"
        if is_folder and entry.name in self.vendored:
            return "vendored folders"
        if self.excluded.verdict(path, is_folder=is_folder):
            return "excluded"
        verdicts = (
            each.verdict(path.removeprefix(inside), is_folder=is_folder)
            for inside, each in reversed(ignored)
        )
        if next((each for each in verdicts if each is not None), False):
            return "ignored by git"
        return "too deep" if is_folder and path.count("/") >= _DEEPEST else ""


def _source(path: Path, inside: str, skipped: Counter[str]) -> Iterator[SourceFile]:
    known = by_suffix().get(path.suffix.lower())
    if known is None:
        return
    if path.name.endswith(_MADE):
        skipped["made by programs"] += 1
        return
    language, grammar = known
    folders = PurePath(inside).parts[:-1]
    in_tests = language.is_test(path.name) or not _TEST_FOLDERS.isdisjoint(folders)
    yield SourceFile(path=path, language=language, grammar=grammar, in_tests=in_tests)


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
