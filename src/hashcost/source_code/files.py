"""The source files of a folder, without those that tools write or git ignores."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

from hashcost.core.cost_expressions import Apart
from hashcost.core.errors import Unread, UnreadableInputError, UnreadError
from hashcost.core.text import path_name
from hashcost.source_code.costs import Setting
from hashcost.source_code.git_index import Index
from hashcost.source_code.git_index import around as index_around
from hashcost.source_code.rules import Language, Script, by_suffix, script_of
from hashcost.source_code.stages import TEST_FOLDERS, is_below_tests
from hashcost.source_code.stored_hashes import SQL
from hashcost.source_code.unread_languages import unread_language
from hashcost.storage.files import LARGEST_FILE, open_at_once, reason_of
from hashcost.storage.gate import Gate, name_of
from hashcost.storage.kinds import BEGINNING, beginning_of, strange_kind
from hashcost.stored.formats.registry import read
from hashcost.stored.lines import LONGEST
from hashcost.stored.named import named_in

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LARGEST_SOURCE: Final = 1 << 19
"""Bytes; source code that people write is smaller. A few bundles that programs made would use up
the time for all files, and the tree of a file takes a hundred times as much memory."""
_DEEPEST: Final = 128  # folders within folders; `os.walk` may call itself for each

_IN_PROJECTS: Final = frozenset({"vendor", "vendors", "dist", "build", "target"})
"""Where a project keeps its libraries and what is built of it. Elsewhere a folder of the name is
a part of the program: a package that is about builds, or about vendors."""
_OF_OTHERS: Final = frozenset({"vendor", "vendors"})
_SERVED: Final = frozenset({"static", "public", "assets", "wwwroot"})
"""Folders of what a web server delivers, in which a folder of vendors holds others' scripts."""
_DEPENDENCIES: Final = frozenset({"dep", "deps"})
"""Where projects of Elixir and C keep their libraries."""
_TOOLS: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".ruff_cache", ".idea"}
)
"""Folders that never hold source code, so that nobody misses them."""
VENDORED: Final = frozenset(
    {
        *_TOOLS,
        *(".tox", ".nox", ".venv", "venv", "site-packages", ".eggs"),
        *("node_modules", "bower_components", "third_party", "third-party", "thirdparty"),
        *("Pods", "_build", ".gradle", ".next", ".nuxt"),
        *_IN_PROJECTS,
        *_DEPENDENCIES,
    }
)
"""Folders of vendored and of built code."""
_COLLECTIONS: Final = "ansible_collections"
_OF_GALAXY: Final = frozenset({"MANIFEST.json", "FILES.json"})
"""Files of a collection of Ansible as `ansible-galaxy` installs it; its source has neither."""
_BESIDE_DEPENDENCIES: Final = frozenset({"mix.exs", "CMakeLists.txt"})
_TOPS: Final = frozenset(
    {
        *_BESIDE_DEPENDENCIES,
        *(".git", ".hg", ".svn", "package.json", "bower.json", "composer.json", "go.mod"),
        *("Gopkg.toml", "glide.yaml", "Gemfile", "Rakefile", "Cargo.toml", "pom.xml", "build.xml"),
        *("build.gradle", "build.gradle.kts", "build.sbt", "Makefile", "configure.ac"),
        *("meson.build", "pyproject.toml", "setup.py", "setup.cfg"),
    }
)
"""Files and folders of which each project has one at its top."""
_FIXTURES: Final = frozenset({"fixtures"})
_DOCUMENT_FOLDERS: Final = frozenset({"doc", "docs", "documentation", "man"})
_PACKAGES: Final = re.compile(r"(?:^|/)src/main/(?:java|kotlin|scala|groovy)/")
"""Where folders are packages of the program, whatever their names say."""
_DOCUMENTS: Final = frozenset(
    {
        *(".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".org", ".tex", ".rdoc"),
        *(".pod", ".html", ".htm", ".ipynb"),
    }
)
_PAGES: Final = frozenset({".hbs", ".handlebars"})
"""The ends of templates of pages, unless another end says what they become: ``a.cfg.hbs``."""
_DOCUMENT_NAME: Final = re.compile(r"(?:readme|changelog|changes|news|history)\b", re.IGNORECASE)
_TEST_NAME: Final = re.compile(r"(?:.*[._-])?(?:tests?|specs?)(?:[._-].*)?", re.IGNORECASE)
"""A file that is named as one of tests, whatever its language."""
_ONLY_TEST: Final = re.compile(r"tests?|specs?", re.IGNORECASE)
"""The name of a file for the stage of tests, without its end."""
_MIGRATIONS: Final = re.compile(
    r"(?:.*[._-])?(?:migrat(?:e|ions?)|seed(?:s|er|ers|ing)?)", re.IGNORECASE
)
"""A folder whose files are run once in each installation, whatever they are named after."""
_MADE: Final = (".min.js", ".min.mjs", ".bundle.js", "-bundle.js", ".pb.go", "_pb2.py")
"""The ends of names of files that programs write."""
_DECLARATIONS: Final = (".d.ts", ".d.mts", ".d.cts")
"""The ends of names of files that declare the types of a library, and hold no code."""
_IN_CODE: Final = b"function"
_BUNDLERS: Final = (b"function __webpack_require__(", b'.code="MODULE_NOT_FOUND"')
"""Code that webpack and browserify put into each of their bundles."""
_SCRIPT: Final = ".sql"
_COMMENTS: Final = {_SCRIPT: SQL}
"""How files that no grammar is about write comments."""


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A file to read; it was named, or it is in a folder that was.

    In a file without a ``language`` only stored hashes are looked for, and ``grammar`` is how it
    writes comments, if that is known; all of a file may be ``apart``. A script whose name has no
    end is in the project as if it had that of its language, its ``added_suffix``.
    """

    path: Path
    language: Language | None
    grammar: str = ""
    in_tests: bool
    is_named: bool = False
    apart: Apart | None = None
    added_suffix: str = ""

    @property
    def path_in_project(self) -> str:
        """The path by which other files of its language are found."""
        return f"{self.path}{self.added_suffix}"


@dataclass(frozen=True)
class LeftOut:
    """Files and folders that a scan leaves out: how many by reason, and those that are unread."""

    counts: Counter[str] = field(default_factory=Counter)
    unread: list[Setting] = field(default_factory=list)

    def miss(self, reason: Unread, path: Path, why: str, *, in_tests: bool = False) -> None:
        """Add what may hold a cost and is not read."""
        self.counts[reason.value] += 1
        self.unread.append(
            Setting(line=0, call="", why=why, path=path, in_tests=in_tests, unread=reason)
        )


def sources(
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_vendored: bool = False,
    left_out: LeftOut,
    gate: Gate,
) -> Iterator[SourceFile]:
    """Find the source files and the other files of folders, and the named files, each once.

    ``left_out`` takes the rest. Links are not followed, so that there is no loop; files that are
    named are read wherever they are and whatever they are called, unless they are excluded.

    Raises:
        UnreadableInputError: a path that is named cannot be read.
    """
    excluded = None
    if exclude:
        excluded = _patterns(exclude)
    vendored = VENDORED
    if include_vendored:
        vendored = _TOOLS
    folders = [path for path in dict.fromkeys(paths) if _is_folder(path)]
    named = {_whole(path) for path in paths if path not in folders}
    seen = set()
    for path in dict.fromkeys(paths):
        below: Iterable[tuple[Path, str]] = [(path, path.name)]
        if path in folders:
            below = _below(path, excluded, vendored, left_out, gate)
        for file, inside in below:
            whole = _whole(file)
            is_named = whole in named
            if whole in seen:
                continue
            seen.add(whole)
            # What is below a folder has been asked already.
            if path not in folders and excluded is not None and excluded.match_file(inside):
                left_out.counts["excluded"] += 1
            elif file.name.endswith(_MADE) and not is_named:
                left_out.counts["made by programs"] += 1
            elif file.name.endswith(_DECLARATIONS) and not is_named:
                left_out.counts["with types only"] += 1
            else:
                yield _source_file(file, PurePath(inside), is_named=is_named)


def _source_file(file: Path, inside: PurePath, *, is_named: bool) -> SourceFile:
    suffix = file.suffix.lower()
    language, grammar = by_suffix().get(suffix, (None, _COMMENTS.get(suffix, "")))
    added_suffix = ""
    script = _script_at(file)
    if script is not None:
        language, grammar, added_suffix = script
    is_test = language is not None and language.is_test(file.name)
    # A fixture is often what an installation begins with.
    has_test_hashes = is_test or is_below_tests(inside, TEST_FOLDERS - _FIXTURES)
    return SourceFile(
        path=file,
        language=language,
        grammar=grammar,
        in_tests=is_test or is_below_tests(inside),
        is_named=is_named,
        apart=_apart_by_name(inside, in_tests=has_test_hashes),
        added_suffix=added_suffix,
    )


def is_source(path: Path) -> bool:
    """Tell whether a file is source code in a language that is read."""
    return path.suffix.lower() in by_suffix() or _script_at(path) is not None


def _script_at(path: Path) -> Script | None:
    """Tell by its first line in which language a file is whose name has no end."""
    if path.suffix:
        return None
    return script_of(beginning_of(path))


def _apart_by_name(inside: PurePath, *, in_tests: bool) -> Apart | None:
    """Tell by the path of a file inside its folder whether no hash in it is anybody's."""
    is_named_test = _TEST_NAME.fullmatch(inside.name) is not None
    # ``V3__insert_test_users.sql`` gives production its users.
    if any(map(_MIGRATIONS.fullmatch, inside.parts[:-1])):
        is_named_test = _ONLY_TEST.fullmatch(inside.stem) is not None
    if in_tests or is_named_test:
        return Apart.TESTS
    suffix = inside.suffix.lower()
    if suffix in _DOCUMENTS or _DOCUMENT_NAME.match(inside.name):
        return Apart.DOCUMENTATION
    if suffix in _PAGES and len(inside.suffixes) == 1:
        return Apart.DOCUMENTATION
    # ``docs/sql/init.sql`` gives whoever follows the documentation their first users.
    around, *_ = _PACKAGES.split(f"{inside.parent.as_posix()}/")
    if suffix != _SCRIPT and not _DOCUMENT_FOLDERS.isdisjoint(PurePath(around).parts):
        return Apart.DOCUMENTATION
    return None


def _is_folder(path: Path) -> bool:
    """Tell whether a path that is named is a folder; otherwise it is a regular file."""
    try:
        mode = path.stat().st_mode
    except (OSError, RuntimeError) as error:
        message = f"cannot read {path_name(path)}: {reason_of(error)}"
        raise UnreadableInputError(message) from error
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        message = f"cannot read {path_name(path)}: it is neither a folder nor a file"
        raise UnreadableInputError(message)
    return stat.S_ISDIR(mode)


def _whole(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links


def strange(path: Path) -> str:
    """Say why a file is not source code."""
    beginning = beginning_of(path)
    language = unread_language(path, beginning)
    if language:
        return (
            f"it is in {language}, which is not read, and it holds no stored hash; look for costs"
            " in it yourself: `calibrate check bcrypt=10` judges any"
        )
    kind = strange_kind(beginning)
    if kind:
        return f"it is {kind}, not source code in a language that is read"
    return "no language that is read has files of this name, and it holds no stored hash"


def own_files(folder: Path, gate: Gate) -> Iterator[tuple[Path, PurePath]]:
    """Find the files that a project's people write, with their paths inside its folder.

    Links, tests, and what git or a build keeps there are left out.

    Raises:
        UnreadableInputError: the folder cannot be read.
    """
    for path, inside in _below(folder, None, VENDORED, LeftOut(), gate):
        if not is_below_tests(PurePath(inside)):
            yield path, PurePath(inside)


class _Patterns(NamedTuple):
    """The patterns of a .gitignore, with its name and the path of its folder in the root."""

    name: str
    inside: str
    patterns: GitIgnoreSpec


class _Ignored(NamedTuple):
    """The ignore files on the way to a folder, and the index, which goes before them.

    In a folder that they name, only what the index lists is not ignored.
    """

    patterns: tuple[_Patterns, ...] = ()
    tracked: Index | None = None
    is_named: bool = False

    def has(self, path: Path, asked: str, gate: Gate) -> bool:
        """Tell whether git ignores a path, which a folder's is asked for with a slash."""
        if not (self.is_named or self.names(asked, gate)):
            return False
        # git goes on with what it tracks, whatever a file says.
        return self.tracked is None or not self.tracked.lists(path, is_folder=asked.endswith("/"))

    def with_file(self, path: Path, inside: str, gate: Gate) -> _Ignored:
        """Add a .gitignore; one in a folder that is ignored itself decides nothing."""
        if self.is_named:
            return self
        return self._replace(patterns=(*self.patterns, *_gitignore(path, inside, gate)))

    def names(self, asked: str, gate: Gate) -> bool:
        """Tell whether a .gitignore names a path; the nearest one decides."""
        for name, inside, patterns in reversed(self.patterns):
            with gate.reading(name):
                verdict = patterns.check_file(asked.removeprefix(inside)).include
            if verdict is not None:
                return verdict
        return False


def _below(
    root: Path,
    excluded: GitIgnoreSpec | None,
    vendored: frozenset[str],
    left_out: LeftOut,
    gate: Gate,
) -> Iterator[tuple[Path, str]]:
    """Find the files of a folder, with their paths inside it."""
    around: dict[str, _Ignored] = {"": _Ignored(tracked=index_around(root, gate))}
    skips_others = vendored is not _TOOLS

    def not_listed(error: OSError) -> None:
        if Path(error.filename) == root:
            message = f"cannot read {path_name(root)}: {reason_of(error)}"
            raise UnreadableInputError(message) from error
        why = f"it cannot be read: {reason_of(error)}"
        left_out.miss(Unread.UNREADABLE, Path(error.filename), why)

    for place, folders, names in os.walk(root, onerror=not_listed):
        parts = Path(place).relative_to(root).parts
        inside = "".join(f"{part}/" for part in parts)
        ignored = around.pop(inside)
        # A repository within another one has its own rules.
        if parts and ".git" in (*names, *folders):
            ignored = _Ignored(tracked=index_around(Path(place), gate))
        if ".gitignore" in names:
            ignored = ignored.with_file(Path(place, ".gitignore"), inside, gate)
        # git asks for a folder by a name with a slash.
        entries = [(name, f"{inside}{name}") for name in names]
        entries += [(name, f"{inside}{name}/") for name in folders]
        others_work = _others_work(vendored, [*names, *folders], parts)
        folders.clear()
        for name, asked in sorted(entries):
            path = Path(place, name)
            is_folder = asked.endswith("/")
            if path.is_symlink():
                left_out.counts["links"] += 1
            elif is_folder and name in _TOOLS:
                continue
            elif is_folder and (
                name in others_work or (skips_others and _is_installed_collection(path, parts))
            ):
                left_out.counts["vendored folders"] += 1
            elif excluded is not None and excluded.match_file(asked):
                left_out.counts["excluded"] += 1
            elif ignored.has(path, asked, gate):
                left_out.counts["named in .gitignore"] += 1
            elif is_folder and len(parts) >= _DEEPEST:
                why = f"it is more than {_DEEPEST} folders deep"
                left_out.miss(Unread.TOO_DEEP, path, why)
            elif is_folder:
                folders.append(name)
                is_named = ignored.is_named or ignored.names(asked, gate)
                around[asked] = ignored._replace(is_named=is_named)
            elif path.is_file():
                yield path, asked


def _is_installed_collection(folder: Path, above: Sequence[str]) -> bool:
    """Tell whether a folder is a collection of Ansible that was installed, not written there."""
    return _COLLECTIONS in above and all(Path(folder, name).is_file() for name in _OF_GALAXY)


def _others_work(
    vendored: frozenset[str], beside: Sequence[str], above: Sequence[str]
) -> frozenset[str]:
    """Tell which folders hold vendored and built code.

    All names in the folder around tell, and the folders ``above``.
    """
    if _BESIDE_DEPENDENCIES.isdisjoint(beside):
        vendored -= _DEPENDENCIES
    at_top = not _TOPS.isdisjoint(beside)
    if not at_top and _SERVED.isdisjoint(above):
        return vendored - _IN_PROJECTS
    if not at_top:
        return vendored - (_IN_PROJECTS - _OF_OTHERS)
    return vendored


def _gitignore(path: Path, inside: str, gate: Gate) -> tuple[_Patterns, ...]:
    """Read a .gitignore; one that cannot be read makes nothing ignored."""
    try:
        lines = gate.read(path).decode(errors="replace").splitlines()
        with gate.reading(path):
            return (_Patterns(name_of(path), inside, _patterns(lines)),)
    except (UnreadError, ImportError):  # `init` works without the extra; a scan has asked for it.
        return ()


def _patterns(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)  # Matched by re2 where that is installed.


def content_of(path: Path) -> bytes:
    """Read the bytes of a source file.

    Raises:
        UnreadError: it cannot be read, is too large, or binary.
    """
    try:
        with open_at_once(path) as stream:
            # Most of what is no text shows it at once.
            content = stream.read(BEGINNING) or b""
            if b"\0" not in content:
                content += stream.read(LARGEST_SOURCE + 1 - len(content)) or b""
    except OSError as error:
        raise UnreadError(Unread.UNREADABLE, f"it cannot be read: {reason_of(error)}") from error
    check_written(content)
    return content


def check_written(content: bytes) -> None:
    """Refuse what people do not write, before a grammar takes its time over it.

    Raises:
        UnreadError: it is too large, or binary.
    """
    if len(content) > LARGEST_SOURCE:
        raise UnreadError(Unread.TOO_LARGE, f"it is larger than {LARGEST_SOURCE >> 10} KiB")
    if b"\0" in content:
        raise UnreadError(Unread.BINARY, "it is binary: it holds a zero byte")


def may_hold(path: Path, language: Language) -> bool:
    """Tell by a quick search whether a source file that is not read may hold a cost or a hash."""
    try:
        with open_at_once(path) as stream:
            content = stream.read(LARGEST_FILE) or b""
    except OSError:
        return True
    if len(content) == LARGEST_FILE:  # The rest is not known.
        return True
    # Without its zeros a text in UTF-16 is as it would be in UTF-8.
    text = _without_bundled(content.replace(b"\0", b""))
    return language.may_hold(text) or any(named_in(text, read))


def _without_bundled(text: bytes) -> bytes:
    """Leave out the code that a program put into one file for browsers."""
    if any(code in text for code in _BUNDLERS):
        return b""
    lines = text.splitlines()
    return b"\n".join(line for line in lines if not _is_minified(line))


def _is_minified(line: bytes) -> bool:
    """Tell whether a program wrote a line: people write data on long lines, but no code."""
    return len(line) > LONGEST and _IN_CODE in line
