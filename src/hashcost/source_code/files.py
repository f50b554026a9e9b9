"""Which files of a folder hold source code to read, and what is left out."""

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Final, TypeAlias

from hashcost.core.errors import UnreadableInputError
from hashcost.core.text import path_name
from hashcost.documents.files import reason_of
from hashcost.source_code.ignoring import Ignoring, read_ignoring
from hashcost.source_code.rules import Language, by_suffix

LARGEST_FILE: Final = 1 << 20
"""Bytes; source code that people write is smaller."""
MOST_FILES: Final = 200_000
"""Source files of one scan."""
_LARGEST_SEARCHED: Final = 64 << 20
"""Bytes; a file that is not read is searched so far for what may set a cost."""
_PIECE: Final = 1 << 20
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


@dataclass(frozen=True, kw_only=True)
class Unread:
    """A file or a folder that may hold a cost and was not read, with the reason."""

    path: Path
    why: str
    in_tests: bool = False


class NotReadError(UnreadableInputError):
    """Why a file is not read; ``reason`` is that in a word or two."""

    def __init__(self, reason: str, why: str) -> None:
        super().__init__(why)
        self.reason = reason


@dataclass(frozen=True)
class LeftOut:
    """What a scan leaves out: how many by reason, and which of them may hold a cost."""

    counts: Counter[str] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)

    def count(self, reason: str) -> None:
        """Count what holds nothing that the scan is about."""
        self.counts[reason] += 1

    def miss(self, reason: str, path: Path, why: str, *, in_tests: bool = False) -> None:
        """Count what may hold a cost, and keep which it is."""
        self.counts[reason] += 1
        self.unread.append(Unread(path=path, why=why, in_tests=in_tests))


def sources(
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_vendored: bool = False,
    left_out: LeftOut,
    most: int = MOST_FILES,
) -> Iterator[SourceFile]:
    """The source files of folders, and those that are named, each once.

    ``left_out`` takes what is left out, and what is beyond the ``most`` files. Links are not
    followed, so that there is no loop; files that are named are read wherever they are.

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
            below = _Walk(excluded, vendored, left_out).below(str(path))
        elif stat.S_ISREG(mode):
            below = iter([(path, path.name)])
        else:
            raise UnreadableInputError(
                f"cannot read {path_name(path)}: it is neither a folder nor a file"
            )
        for each in (source for file in below for source in _source(*file, left_out)):
            if each.path in seen:
                continue
            if len(seen) >= most:
                left_out.miss(
                    "too many",
                    path,
                    f"it holds more than {most:,} source files: name fewer folders",
                )
                return
            seen.add(each.path)
            yield each


def own_files(folder: Path) -> Iterator[tuple[Path, PurePath]]:
    """The files that a project's people write, with their paths inside its folder.

    Links, tests, and what git or a build keeps there are left out.

    Raises:
        UnreadableInputError: the folder cannot be read.
    """
    walk = _Walk(read_ignoring(""), VENDORED, LeftOut())
    for path, inside in walk.below(str(folder)):
        found = PurePath(inside)
        if _TEST_FOLDERS.isdisjoint(found.parts[:-1]):
            yield path, found


_Ignored: TypeAlias = tuple[tuple[str, Ignoring], ...]
"""What leaves out files, with the folder that each is about."""


@dataclass(frozen=True)
class _Walk:
    """The folders below one, in order."""

    excluded: Ignoring
    vendored: frozenset[str]
    left_out: LeftOut

    def below(
        self, folder: str, inside: str = "", ignored: _Ignored = ()
    ) -> Iterator[tuple[Path, str]]:
        """The files of a folder, with their paths below the first one; its own is ``inside``."""
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if not inside:
                raise UnreadableInputError(
                    f"cannot read {path_name(folder)}: {reason_of(error)}"
                ) from error
            self.left_out.miss(
                "unreadable", Path(folder), f"it cannot be read: {reason_of(error)}"
            )
            return
        if any(entry.name == ".gitignore" for entry in found):
            ignored = (*ignored, (inside, _ignoring(folder)))
        folders = []
        for entry in found:
            reason = self._left_out(entry, f"{inside}{entry.name}", ignored)
            if reason in {"too deep", "unreadable"}:
                why = (
                    f"it is more than {_DEEPEST} folders deep" if reason == "too deep" else reason
                )
                self.left_out.miss(reason, Path(entry.path), why)
            elif reason:
                self.left_out.count(reason)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry)
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path), f"{inside}{entry.name}"
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


def _source(path: Path, inside: str, left_out: LeftOut) -> Iterator[SourceFile]:
    known = by_suffix().get(path.suffix.lower())
    if known is None:
        return
    if path.name.endswith(_MADE):
        left_out.count("made by programs")
        return
    language, grammar = known
    folders = PurePath(inside).parts[:-1]
    in_tests = language.is_test(path.name) or not _TEST_FOLDERS.isdisjoint(folders)
    yield SourceFile(path=path, language=language, grammar=grammar, in_tests=in_tests)


def content_of(path: Path) -> bytes:
    """The bytes of a source file.

    Raises:
        NotReadError: it cannot be read, or is too large or binary.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise NotReadError("unreadable", f"it cannot be read: {reason_of(error)}") from error
    if len(content) > LARGEST_FILE:
        raise NotReadError("too large", f"it is larger than {LARGEST_FILE >> 20} MiB")
    if b"\0" in content:
        raise NotReadError("binary", "it is binary: it holds a zero byte")
    return content


def may_hold(source: SourceFile) -> bool:
    """Whether a file may hold a cost that is not read, by a search that is quick."""
    longest = 2 * max(map(len, source.language.anchors), default=0)
    left = _LARGEST_SEARCHED
    end = b""
    try:
        with source.path.open("rb") as stream:
            while left > 0 and (piece := stream.read(_PIECE)):
                left -= len(piece)
                # Without its zeros a text in UTF-16 is as it would be in UTF-8.
                piece = end + piece.replace(b"\0", b"")
                if source.language.may_hold(piece):
                    return True
                end = piece[-longest:]
    except OSError:
        return True
    return left <= 0


def _ignoring(folder: str) -> Ignoring:
    path = Path(folder, ".gitignore")
    try:
        if not path.is_file():
            return Ignoring(())
        with path.open("rb") as stream:
            return read_ignoring(stream.read(_LARGEST_IGNORING).decode(errors="replace"))
    except OSError:
        return Ignoring(())
