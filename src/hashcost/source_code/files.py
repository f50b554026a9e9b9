"""The source files of a folder, without those that tools write or git ignores."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from hashcost.core.errors import UnreadableInputError
from hashcost.core.text import path_name
from hashcost.documents.files import open_at_once, reason_of
from hashcost.documents.kinds import beginning_of, strange_kind
from hashcost.source_code.reading import Setting
from hashcost.source_code.rules import Language, by_suffix

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LARGEST_FILE: Final = 1 << 19
"""Bytes; source code that people write is smaller."""
MOST_FILES: Final = 200_000
"""Source files of one scan."""
_LARGEST_SEARCHED: Final = 64 << 20
"""Bytes; a file that is not read is searched so far for what may set a cost."""
_MOST_PATTERNS: Final = 2000
_LONGEST_PATTERN: Final = 400
_MOST_STARS: Final = 3
"""Most wildcards in one pattern: a match takes time that grows with the length to this power."""
_DEEPEST: Final = 128

VENDORED: Final = frozenset(
    {
        *(".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", "site-packages", "__pycache__"),
        *(".mypy_cache", ".ruff_cache", ".eggs", "node_modules", "bower_components", "vendor"),
        *("third_party", "third-party", "thirdparty", "Pods", "dist", "build", "target", "_build"),
        *(".gradle", ".idea", ".next", ".nuxt", "deps"),
    }
)
"""Folders of vendored and of built code."""
_TOOLS: Final = frozenset({".git", ".hg", ".svn", "__pycache__"})
"""Folders that never hold source code."""
_TEST_FOLDERS: Final = frozenset(
    {
        *("test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "fixtures"),
        *("__mocks__", "e2e", "androidTest", "cypress"),
    }
)
_MADE: Final = (".min.js", ".min.mjs", ".bundle.js", ".d.ts", ".pb.go", "_pb2.py")
"""The ends of names of files that programs write."""
MADE: Final = "made by programs"
_LONG_LINE: Final = 1000  # bytes; people break lines earlier
_SHORT: Final = 1 << 13  # bytes of a file that is read whatever its lines are


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A file to read."""

    path: Path
    language: Language
    grammar: str
    in_tests: bool


class NotReadError(UnreadableInputError):
    """A file is not read; ``reason`` says why in a word or two."""

    def __init__(self, reason: str, why: str) -> None:
        super().__init__(why)
        self.reason = reason


@dataclass(frozen=True)
class LeftOut:
    """Files that a scan leaves out: how many by reason, and which of them may hold a cost."""

    counts: Counter[str] = field(default_factory=Counter)
    unread: list[Setting] = field(default_factory=list)

    def miss(self, reason: str, path: Path, why: str, *, in_tests: bool = False) -> None:
        """Count a file, and keep which it is if it may hold a cost: then it has a ``why``."""
        self.counts[reason] += 1
        if why:
            self.unread.append(Setting(line=0, call="", why=why, path=path, in_tests=in_tests))


def sources(
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_vendored: bool = False,
    left_out: LeftOut,
    most: int = MOST_FILES,
) -> Iterator[SourceFile]:
    """Find the source files of folders, and the named files, each once.

    ``left_out`` takes the rest, and what is beyond the ``most`` files. Links are not followed,
    so that there is no loop; files that are named are read wherever they are.

    Raises:
        UnreadableInputError: a path that is named cannot be read.
    """
    excluded, vendored = _patterns(exclude), _TOOLS if include_vendored else VENDORED
    seen: set[Path] = set()
    for path in paths:
        try:
            mode = path.stat().st_mode
        except (OSError, RuntimeError) as error:
            message = f"cannot read {path_name(path)}: {reason_of(error)}"
            raise UnreadableInputError(message) from error
        is_folder = stat.S_ISDIR(mode)
        if not (is_folder or stat.S_ISREG(mode)):
            message = f"cannot read {path_name(path)}: it is neither a folder nor a file"
            raise UnreadableInputError(message)
        below = _below(path, excluded, vendored, left_out) if is_folder else [(path, path.name)]
        for file, inside in below:
            language, grammar = by_suffix().get(file.suffix.lower(), (None, ""))
            if language is None and not is_folder:
                kind = strange_kind(beginning_of(path))
                why = f"it is {kind}, not source code" if kind else "its name is of no source code"
                raise UnreadableInputError(f"{path_name(path)}: {why} in a language that is read")
            if language is None or file in seen:
                continue
            if file.name.endswith(_MADE):
                left_out.counts[MADE] += 1
                continue
            if len(seen) >= most:
                why = f"it holds more than {most:,} source files: name fewer folders"
                left_out.miss("too many", path, why)
                return
            seen.add(file)
            in_tests = language.is_test(file.name) or _is_in_tests(PurePath(inside))
            yield SourceFile(path=file, language=language, grammar=grammar, in_tests=in_tests)


def own_files(folder: Path) -> Iterator[tuple[Path, PurePath]]:
    """Find the files that a project's people write, with their paths inside its folder.

    Links, tests, and what git or a build keeps there are left out.

    Raises:
        UnreadableInputError: the folder cannot be read.
    """
    for path, inside in _below(folder, None, VENDORED, LeftOut()):
        if not _is_in_tests(PurePath(inside)):
            yield path, PurePath(inside)


def _is_in_tests(inside: PurePath) -> bool:
    return not _TEST_FOLDERS.isdisjoint(inside.parts[:-1])


def _below(
    root: Path, excluded: GitIgnoreSpec | None, vendored: frozenset[str], left_out: LeftOut
) -> Iterator[tuple[Path, str]]:
    """Find the files of a folder, with their paths inside it."""
    ignored: dict[str, tuple[tuple[str, GitIgnoreSpec], ...]] = {}

    def not_listed(error: OSError) -> None:
        if Path(error.filename) == root:
            message = f"cannot read {path_name(root)}: {reason_of(error)}"
            raise UnreadableInputError(message) from error
        why = f"it cannot be read: {reason_of(error)}"
        left_out.miss("unreadable", Path(error.filename), why)

    for place, folders, names in os.walk(root, onerror=not_listed):
        parts = Path(place).relative_to(root).parts
        inside = "".join(f"{part}/" for part in parts)
        patterns = ignored.pop(inside, ())
        own = _gitignore(Path(place, ".gitignore")) if ".gitignore" in names else None
        patterns = (*patterns, (inside, own)) if own is not None else patterns
        entries = sorted([*((name, False) for name in names), *((name, True) for name in folders)])
        folders.clear()
        for name, is_folder in entries:
            path = Path(place, name)
            asked = f"{inside}{name}/" if is_folder else f"{inside}{name}"
            if path.is_symlink():
                left_out.counts["links"] += 1
            elif is_folder and name in vendored and (name != "deps" or "mix.exs" in names):
                left_out.counts["vendored folders"] += 1
            elif excluded is not None and excluded.match_file(asked):
                left_out.counts["excluded"] += 1
            elif _is_ignored(asked, patterns):
                left_out.counts["ignored by git"] += 1
            elif is_folder and len(parts) >= _DEEPEST:
                why = f"it is more than {_DEEPEST} folders deep"
                left_out.miss("too deep", path, why)
            elif is_folder:
                folders.append(name)
                ignored[asked] = patterns
            elif path.is_file():
                yield path, asked


def _is_ignored(path: str, ignored: tuple[tuple[str, GitIgnoreSpec], ...]) -> bool:
    verdicts = (
        spec.check_file(path.removeprefix(inside)).include for inside, spec in reversed(ignored)
    )
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _gitignore(path: Path) -> GitIgnoreSpec | None:
    try:
        if not path.is_file():
            return None
        with path.open(errors="replace") as stream:
            return _patterns(stream.read(_MOST_PATTERNS * _LONGEST_PATTERN).splitlines())
    except (OSError, ImportError):  # `init` works without the extra; a scan has asked for it.
        return None


def _patterns(lines: Sequence[str]) -> GitIgnoreSpec | None:
    kept = [
        line
        for line in lines[:_MOST_PATTERNS]
        if len(line) <= _LONGEST_PATTERN and len(re.findall(r"\*+", line)) <= _MOST_STARS
    ]
    if not kept:
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(kept)


def content_of(path: Path) -> bytes:
    """Read the bytes of a source file.

    Raises:
        NotReadError: it cannot be read, is too large, binary, or a bundle.
    """
    try:
        with open_at_once(path) as stream:
            content = stream.read(LARGEST_FILE + 1) or b""
    except OSError as error:
        raise NotReadError("unreadable", f"it cannot be read: {reason_of(error)}") from error
    check_written(content)
    return content


def check_written(content: bytes) -> None:
    """Refuse what people do not write, before a grammar takes its time over it.

    Raises:
        NotReadError: it is too large, binary, or a bundle.
    """
    long = sum(len(line) for line in content.splitlines() if len(line) > _LONG_LINE)
    if len(content) > _SHORT and 2 * long > len(content):
        raise NotReadError(MADE, "most of its lines are too long to be written by hand")
    if len(content) > LARGEST_FILE:
        raise NotReadError("too large", f"it is larger than {LARGEST_FILE >> 10} KiB")
    if b"\0" in content:
        raise NotReadError("binary", "it is binary: it holds a zero byte")


def may_hold(source: SourceFile) -> bool:
    """Tell by a quick search whether a file that is not read may hold a cost."""
    try:
        with open_at_once(source.path) as stream:
            content = stream.read(_LARGEST_SEARCHED) or b""
    except OSError:
        return True
    # Without its zeros a text in UTF-16 is as it would be in UTF-8.
    holds = source.language.may_hold(content.replace(b"\0", b""))
    return holds or len(content) == _LARGEST_SEARCHED
