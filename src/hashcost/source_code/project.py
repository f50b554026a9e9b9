"""Names of a file, looked up in the other files of its project within bounds."""

import enum
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from os.path import normpath
from pathlib import Path, PurePath
from typing import Final, Protocol

from hashcost.core.errors import Unread, UnreadableInputError, UnreadError
from hashcost.source_code.remembering import remembered
from hashcost.source_code.values import Call, Value, dotted, is_passed_on, is_told, plain
from hashcost.source_code.word_marks import marks_of, may_have
from hashcost.storage.gate import Gate

_SEPARATOR: Final = re.compile(r"\?\.|\?->|\.|::|->|\\")
_GIVEN: Final = re.compile(r"\([^()]*\)\s*")
_NAME: Final = re.compile(
    r"^(?:(?:type|function|const)\s+)?(?P<name>[\w.\\]+(?:::[\w.]+)*)"
    r"(?:\s+as\s+(?P<as>\w+)|\s*:\s*(?P<colon>\w+))?"
)
_NESTED: Final = re.compile(r"(?P<module>(?<![\w:])\w++(?:::\w++)*+)::\{(?P<names>[^{}]*+)\}")
_SCRIPT: Final = re.compile(
    r"^(?:node|npm|jsr):|(?<=\w)@[\d^~][\w.]*$|\.(?:[cm]?[jt]sx?|php|inc|rb)$"
)
"""Decoration of a module's name."""
_ADDRESS: Final = re.compile(
    r"^https?://(?:esm\.sh|unpkg\.com|cdn\.skypack\.dev|cdn\.jsdelivr\.net/npm|deno\.land/x)/"
    r"(?P<package>(?:@[\w.-]+/)?[\w.-]+)(?:[@/].*)?$"
)
"""The address of a module in a package that a service delivers, as Deno and browsers import it."""
_BUILT: Final = re.compile(r"^(?P<package>(?:@[\w.-]+/)?[\w.-]+)/(?:dist|build|umd|cjs|esm)/")
"""The path of a file that a package of JavaScript is built into, for browsers and bundlers."""
_DERIVED: Final = re.compile(r"\b(?:class|record)\s++\w++[^{};:]{0,400}:[^{};()]{0,400}")
"""A class of C#, with what it is derived from."""
_COMMENT: Final = re.compile(
    r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|^[ \t]*+#(?!\[)[^\n]*+", re.MULTILINE
)
"""A comment of most languages; a string that looks like one declares nothing."""
_GENERIC: Final = re.compile(r"(?<!\w)(?P<name>\w++)\s*+<")
"""A type that takes others, such as ``IPasswordHasher<User>``."""
_DEMANDS: Final = re.compile(r"\bwhere\b")
"""The beginning of what a class demands of the types that it takes."""
_NAMESPACE: Final = re.compile(
    r"^[ \t]*+(?:global\s++)?+(?:using\s++([\w.]++)|namespace\s++([\w.]++))", re.MULTILINE
)
"""A namespace of C# that a file uses, or that it is in."""
_NAMESPACE_OF_PHP: Final = re.compile(r"^[ \t]*+namespace\s++([\w\\\\]++)", re.MULTILINE)
"""The namespace of a file of PHP."""
_SHARES_FOLDERS: Final = frozenset({".java", ".kt", ".kts", ".php"})
"""Files that see the classes of their folder, and import others by whole names."""
_OWN: Final = ("./", "../", "@/", "~", "#", "$", "src/", "http")
"""Beginnings of the path of a module of the project itself in JavaScript."""
_SIGNS: Final = re.compile(r"[\W_]+")
"""The signs in a name, which differ between styles of writing it."""
_SIGNS_OF_NAMES: Final = b"_-."
_SHARED_CONSTANT: Final = {
    ".kt": re.compile(rb"(?m)^(?:(?:internal|public)\s++)?(?:const\s++)?val\s++(\w++)"),
    ".php": re.compile(rb"(?m)(?:\bdefine\s*+\(\s*+['\"]|^const\s++)(\w++)"),
}
"""How a language defines a constant outside of classes, which all its files share."""
_DECLARES: Final = re.compile(
    r"\b(?:class|struct|object|interface|enum|record|module|type)\s{1,40}+\Z"
)
"""The text in front of the name of a type where it is declared."""
_DECLARES_FUNCTION: Final = re.compile(r"\bfunction\s{1,40}+&?+\Z")
"""The text in front of the name of a function of PHP where it is declared."""
_HAS_TYPES: Final = re.compile(
    r"^[ \t]*+(?:\w++[ \t]++){0,2}(?:class|trait|interface|enum|namespace)\s", re.MULTILINE
)
"""A declaration behind which a function of PHP may be a method, or have a longer name."""
DECLARES_CLASS: Final = re.compile(r"\bclass\s{1,40}+\Z")
"""The text in front of the name of a class where it is declared."""
_BEFORE_NAME: Final = 50
"""Characters before a name in which that is looked for."""
_SUFFIXES: Final = ("", ".ts", ".js", ".mjs", ".cjs", ".tsx", "/index.ts", "/index.js")
_SCRIPT_NAMES: Final = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
KEPT: Final = 64  # parsed files of a project, each with its tree, that are kept at a time
_DEEPEST: Final = 5  # files that are followed one from another; imports may go in a circle
_MOST_FILES: Final = 16
"""Files that one name may mean: each of them is read, and a folder may have thousands."""
_OF_FOLDER: Final = frozenset({"index", "__init__", "mod", "lib", "main"})
"""Names of files that represent their folder."""
_FROM_HERE: Final = frozenset({"crate", "self", "super"})
_OF_SOURCES: Final = frozenset({"src", "lib"})
"""Names of folders that have the sources of a package, which has the name of the folder above."""
_PASSES_ALL: Final = (b"export *", b"require(", b"import *", b"::*")
"""How a file passes on every name of another one."""


def plain_name(name: str) -> str:
    """Write a name with dots for the language's own separators, without arguments."""
    return _SEPARATOR.sub(".", _GIVEN.sub("", name)).strip(".:")


@dataclass(frozen=True)
class Imported:
    """A module as it is written, and a member of it; the module itself if that is empty."""

    module: str
    member: str = ""

    @property
    def is_own(self) -> bool:
        """Tell whether its path says that it belongs to the project itself."""
        return self.module.startswith(_OWN) or self.module == "."

    @property
    def words(self) -> list[str]:
        """The words of the module's name; in a path, each file or folder is one."""
        if "/" not in self.module:
            return re.findall(r"\w+", self.module)
        words = [part for part in self.module.split("/") if home_key(part)]
        # A file that represents its folder has the name of that: ``./lib/index.js``.
        if len(words) > 1 and _SCRIPT.sub("", words[-1]) in _OF_FOLDER:
            words.pop()
        return words


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function, by its name and its position.

    The function ``may_derive_keys``: a caller that gives its result to a cipher hashes nothing.
    Of a map that is taken apart, what it has under the ``key`` is wanted. A call with more than
    ``most`` arguments is one of another function of that name.
    """

    name: str
    at: int
    may_derive_keys: bool = True
    key: str = ""
    most: int | None = None


class Use(enum.Enum):
    """The use that a caller makes of what a function returns."""

    KEY = "key"
    HASH = "hash"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Imports:
    """The names that a file imports, and the modules of which it imports all."""

    names: Mapping[str, Imported] = field(default_factory=dict)
    whole: tuple[str, ...] = ()

    def canonical(self, name: str) -> str:
        """Write a dotted name in full, by what its first part is imported from."""
        first, _, rest = name.partition(".")
        imported = self.names.get(first)
        if imported is None or imported.is_own:
            return name
        parts = (plain_name(imported.module), imported.member, rest)
        return ".".join(filter(None, parts))

    def of_built_package(self, name: str) -> str:
        """Write a dotted name in full if it is of a file that a package is built into.

        Such a file has the names of the package: ``argon2-browser/dist/argon2-bundled.min.js``.
        """
        first, _, rest = name.partition(".")
        imported = self.names.get(first)
        if imported is None or imported.is_own:
            return ""
        built = _BUILT.match(imported.module)
        if built is None:
            return ""
        return ".".join(filter(None, (built["package"], imported.member, rest)))


def imports_in(text: str, patterns: Sequence[str]) -> Imports:
    """Find what a text imports.

    A pattern has the group ``module``; ``alias`` is a name for all of it, ``names`` a list
    of members, each with its own name, and ``whole`` says that all members are names here.
    """
    names: dict[str, Imported] = {}
    whole: dict[str, None] = {}
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.MULTILINE):
            groups = match.groupdict()
            module = _SCRIPT.sub("", _ADDRESS.sub(r"\g<package>", groups["module"]))
            listed = groups.get("names")
            if groups.get("whole"):
                whole[module] = None
            elif groups.get("alias"):
                names.setdefault(groups["alias"], Imported(module, groups.get("member") or ""))
            elif listed is None:
                names.setdefault(_last_part(module), Imported(module))
            if listed:
                for name, member in _listed(listed):
                    names.setdefault(name or _last_part(module), Imported(module, member))
    return Imports(names, tuple(whole))


def _last_part(module: str) -> str:
    """Take the name that a module has where it is imported under no other."""
    return re.split(r"[./\\:]+", module)[-1]


def _listed(names: str) -> Iterator[tuple[str, str]]:
    """Take a list of members apart: the name of each here, and its own.

    Both are empty for the module itself.
    """
    for part in _NESTED.sub(_spelt_out, names).split(","):
        named = _NAME.match(part.strip())
        if named is not None:
            # Rust: ``use pwhash::bcrypt::{self, BcryptSetup};``
            member = f".{plain_name(named['name'])}".removesuffix(".self").removeprefix(".")
            yield named["as"] or named["colon"] or member.rpartition(".")[2], member


def is_of(words: Sequence[str], homes: Collection[str]) -> bool:
    """Tell by a dotted name in full whether it may be of a file or class with one of these names.

    A constructor has the name of its class.
    """
    return any(home_key(word) in homes for word in words[-2:])


def homes_of(path: str, function: str, owner: str) -> Collection[str]:
    """List the names under which others know a function, which is a constructor of its owner."""
    if function == owner:
        return {home_key(owner)}
    place = PurePath(path)
    names = {place.stem, owner}
    if _represents_folder(place):
        names = {place.parent.name, owner}
    # A method of that name of any object would be taken for it.
    return {home_key(name) for name in names if name} - {home_key(function)}


def _represents_folder(place: PurePath) -> bool:
    """Tell whether a file is known only by its folder's name, like each file of Go."""
    return place.stem in _OF_FOLDER or place.suffix == ".go"


def _spelt_out(nested: re.Match[str]) -> str:
    """Write a list inside a list of members with the whole name of each."""
    return ", ".join(f"{nested['module']}.{part.strip()}" for part in nested["names"].split(","))


class Modules:
    """The source files of a project, found by the names of modules."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._keys: dict[str, tuple[str, ...]] = {}
        self._named: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            place = PurePath(path)
            parts = list(place.parent.parts)
            words = {home_key(place.parent.name)}
            if not _represents_folder(place):
                # A module may be named by its file, too.
                parts.append(place.stem)
                words.add(home_key(place.stem))
            self._keys[path] = tuple(map(home_key, parts))
            for word in words:
                self._by_name[word].append(path)

    def of(self, imported: Imported, beside: str) -> tuple[str, ...]:
        """List the files that a module may be, as a file names it, the likeliest first."""
        if imported.module.startswith("."):
            place = PurePath(beside)
            for end in (*_SUFFIXES, place.suffix):
                path = normpath(f"{place.parent / imported.module}{end}")
                if path in self._keys:
                    return (path,)
            if "/" in imported.module:
                return ()
        words = [word for word in imported.words if word not in _FROM_HERE]
        return self.named(words, beside)

    def above(self, path: str) -> Iterator[tuple[PurePath, str]]:
        """List the folders around a file, with each file that represents one to others."""
        place = PurePath(path)
        for folder in list(place.parents)[:_DEEPEST]:
            for other in self._by_name.get(home_key(folder.name), ()):
                represents = PurePath(other).stem in _OF_FOLDER
                if represents and PurePath(other).parent == folder and other != path:
                    yield folder, other

    def named(self, words: Sequence[str], beside: str) -> tuple[str, ...]:
        """List the files whose paths end in most of these words, the nearest of them."""
        if not words:
            return ()
        place = PurePath(beside)
        asked = (str(place.parent), place.suffix, *words)
        if asked not in self._named:
            self._named[asked] = self._nearest(words, place)
        return self._named[asked]

    def _nearest(self, words: Sequence[str], place: PurePath) -> tuple[str, ...]:
        keys = [home_key(word) for word in reversed(words)]
        ranked = defaultdict(list)
        for path in self._by_name.get(keys[0], ()):
            is_of_language = place.suffix in _SCRIPT_NAMES or path.endswith(place.suffix)
            if not is_of_language:
                continue
            own = self._keys[path][::-1]
            # The last word may be the file, or a class in a file of that folder: the file goes
            # before a class of as many words.
            as_file = 2 * _same_start(own, keys)
            as_class = 2 * _same_start(own[1:], keys) - 1
            nearness = _same_start(PurePath(path).parts, place.parts)
            ranked[max(as_file, as_class), nearness].append(path)
        if not ranked:
            return ()
        return tuple(sorted(ranked[max(ranked)]))

    def is_named_in_full(self, path: str, words: Sequence[str]) -> bool:
        """Tell whether the path of a file ends in all words of a module's name."""
        keys = tuple(map(home_key, words))
        return bool(keys) and self._keys[path][-len(keys) :] == keys

    def beside(self, path: str) -> tuple[str, ...]:
        """List the other files of the same folder and language."""
        place = PurePath(path)
        others = []
        for other in self._by_name.get(home_key(place.parent.name), ()):
            is_beside = PurePath(other).parent == place.parent and other.endswith(place.suffix)
            if is_beside and other != path:
                others.append(other)
        return tuple(others)


def _is_in_namespace(path: str, imported: Imported) -> bool:
    """Tell whether a file of PHP is in the namespace of what is imported, whatever its folder."""
    namespace = _NAMESPACE_OF_PHP.search(_code(path))
    if namespace is None:
        return False
    owner, _, _ = imported.module.strip("\\").rpartition("\\")
    return namespace[1] == owner


def _share_folder(one: str, two: str) -> bool:
    return PurePath(one).parent == PurePath(two).parent


def home_key(word: str) -> str:
    """Write a name in the same way for all styles."""
    return _SIGNS.sub("", word).lower()


def _same_start(one: Sequence[str], two: Sequence[str]) -> int:
    """Count the parts that two sequences begin with alike."""
    count = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        count += 1
    return count


class Module(Protocol):
    """A file whose names other files import."""

    def calls_of(
        self, function: str, wanted: Parameter, homes: Collection[str] | None = None
    ) -> Iterator[Call]:
        """Work out one argument in the calls of a function of a file with one of these names."""
        ...

    def passed_on_as(self, function: str) -> Sequence[str]:
        """List the other names by which the file passes on a function."""
        ...

    def uses_of(self, function: str, homes: Collection[str] | None) -> Iterator[Use]:
        """Tell of each call of a function of another file what becomes of its result."""
        ...

    def bound(self, names: Sequence[str]) -> Value | None:
        """Find a setting in a class of the file whose fields a library fills, by its path."""

    def takes(self, of_type: str) -> Mapping[str, Value | None] | None:
        """List what a record or a class of the file is made of; ``None`` if it is not known."""
        ...

    def fields(self, name: str) -> Sequence[Value]:
        """List what the file gives fields of this name, wherever it makes an object with one."""
        ...

    def set_to(self, name: str) -> Sequence[Value]:
        """List what the file sets a field of this name to after its object is made."""
        ...

    def exported(self, members: Sequence[str]) -> Value | None:
        """Find what a dotted name stands for; ``None`` if the file does not define it."""
        ...


class Project:
    """The files of a project: ``read`` gives their text, ``opened`` reads that.

    ``missed`` takes the files that were looked into and could not be read, with the reason.
    """

    def __init__(
        self,
        paths: Iterable[str],
        read: Callable[[str], str],
        opened: Callable[[str, str, "Project"], Module],
        gate: Gate,
        marks: Mapping[str, bytes],
    ) -> None:
        self.gate = gate
        self.missed: dict[str, UnreadError] = {}
        self._paths = tuple(paths)
        self._modules = Modules(self._paths)
        self._read = read
        self._opened = opened
        self._closed: dict[str, UnreadError] = {}
        self._open: dict[str, Module | None] = {}
        self._depth = 0
        self._marks = marks
        """The words of the files that were read; any other may have any."""
        self._files_with: dict[tuple[str, str], Sequence[str]] = {}
        self._members: dict[tuple[str, tuple[str, ...]], Value | None] = {}
        """The values of names in each file, also of missing ones: each is looked up once."""
        self._agreed: dict[tuple[str, ...], Value | None] = {}
        """The values on which all files of a language agree, also of missing ones."""

    @cached_property
    def top(self) -> PurePath:
        """The innermost folder that holds all files of the project."""
        folders = [PurePath(path).parent for path in self._paths]
        first, *others = folders or [PurePath()]
        around = [first, *first.parents]
        return next(
            (top for top in around if all(other.is_relative_to(top) for other in others)), first
        )

    def of(self, imported: Imported, members: Sequence[str], beside: str) -> Value | None:
        """Find a member of a module that is named by its path."""
        own = [part for part in imported.member.split(".") if part]
        return self._first(self._modules.of(imported, beside), [[*own, *members]])

    def named(self, path: str, beside: str) -> Value | None:
        """Find what a whole dotted name stands for: a member of a module."""
        words = re.findall(r"\w+(?:\(\))?", path)
        # The longest name of a module first.
        for count in range(1, len(words)):
            owner = words[:-count]
            members = words[-count:]
            # What a call returns is no module.
            if owner[-1].endswith(")"):
                continue
            files = self._modules.named(owner, beside)
            # The module may be named, or a class that is in a file of its name.
            value = self._first(files, [members, [owner[-1], *members]])
            # A file that imports a name, or calls it, has no value for it: it would only grow.
            grown = (f"{path}.", f"{path}(")
            if value is not None and not f"{dotted(value.data)}.".startswith(grown):
                return value
        return None

    @remembered
    def texts(self, names: tuple[str, ...]) -> str:
        """Put together the files of these names, wherever they are."""
        paths = [path for path in self._paths if PurePath(path).name in names]
        return "\n".join(self._text(path) or "" for path in paths[:_MOST_FILES])

    def implementing(self, interface: str, path: str) -> str:
        """Name a file with a class that implements an interface, or return an empty text."""
        return self._implementing(interface, PurePath(path).suffix)

    @remembered
    def _implementing(self, interface: str, suffix: str) -> str:
        naming = self._naming(interface, suffix)
        implementing = next((file for file in naming if _implements(interface, file)), "")
        return PurePath(implementing).name

    @remembered
    def has_own(self, function: str, path: str) -> bool:
        """Tell whether a file has a method of a name that does not leave its work to another."""
        naming = self._naming(function, PurePath(path).suffix)
        return any(_has_own(function, file) for file in naming)

    def class_seen_from(self, name: str, imported: Imported | None, path: str) -> str:
        """Name another file with a class that a file sees by its name, or return an empty text.

        A file sees what it imports, the classes of its folder, and those of the namespaces that
        it is in or uses.
        """
        suffix = PurePath(path).suffix
        if suffix != ".cs" and suffix not in _SHARES_FOLDERS:
            return ""
        for other in self._files_declaring(name, suffix):
            if other == path:
                continue
            if imported is not None:
                is_seen = self._modules.is_named_in_full(other, imported.words)
                is_seen |= _is_in_namespace(other, imported)
            elif suffix == ".cs":
                is_seen = _shares_namespace(path, other)
            else:
                is_seen = _share_folder(path, other)
            if is_seen:
                return PurePath(other).name
        return ""

    @remembered
    def _files_declaring(self, name: str, suffix: str) -> Sequence[str]:
        """List the files of a language that declare a class or another type of this name."""
        return [file for file in self._naming(name, suffix) if declares(name, _code(file))]

    def declares(self, name: str, path: str) -> bool:
        """Tell whether a file in the language of a file declares a type of this name."""
        return bool(self._files_declaring(name, PurePath(path).suffix))

    @remembered
    def has_class(self, name: str, path: str) -> bool:
        """Tell whether a file in the language of a file declares a class of this name."""
        files = self._files_declaring(name, PurePath(path).suffix)
        return any(declares(name, _code(file), DECLARES_CLASS) for file in files)

    def inherited(self, name: str, bases: Collection[str], path: str) -> Value | None:
        """Find a name that classes of a file have from their bases, by the names of these."""
        files: list[str] = []
        for base in sorted(bases):
            named = self._modules.named([base], path)
            # A file in a folder of that name has other classes.
            files += [other for other in named if home_key(PurePath(other).stem) == base]
        return self._first(tuple(file for file in files if file != path), [[name]])

    def beside(self, name: str, path: str) -> Value | None:
        """Find a name of another file of the same folder."""
        return self._first(self._modules.beside(path), [[name]])

    def constant(self, name: str, path: str) -> Value | None:
        """Find a constant that files of PHP and Kotlin share; ``None`` if two values differ."""
        suffix = PurePath(path).suffix
        return self._value_of_all(("constant", suffix, name), self._constants(name, suffix))

    def _constants(self, name: str, suffix: str) -> Iterator[tuple[str, Value | None]]:
        pattern = _SHARED_CONSTANT.get(suffix)
        if pattern is None:
            return
        naming = self._naming(name, suffix)
        defining = [other for other in naming if name.encode() in pattern.findall(_content(other))]
        for other in defining[:_MOST_FILES]:
            yield other, self._member(other, [name])

    def of_type(self, names: Sequence[str], path: str) -> Value | None:
        """Find a member of a class or the like, in whichever files declare one of that name."""
        suffix = PurePath(path).suffix
        return self._value_of_all(("type", suffix, *names), self._of_types(names, suffix))

    def _of_types(self, names: Sequence[str], suffix: str) -> Iterator[tuple[str, Value | None]]:
        declaring = self._files_declaring(names[0], suffix)
        if len(declaring) <= _MOST_FILES:
            for other in declaring:
                yield other, self._member(other, names)

    def bound(self, names: Sequence[str], path: str) -> Value | None:
        """Find a setting in a class whose fields a library fills from the configuration."""
        suffix = PurePath(path).suffix
        return self._value_of_all(("bound", suffix, *names), self._bound(names, suffix))

    def _bound(self, names: Sequence[str], suffix: str) -> Iterator[tuple[str, Value | None]]:
        for other in self._files_declaring(names[0], suffix)[:_MOST_FILES]:
            module = self._module(other, names)
            if module is not None:
                yield other, module.bound(names)

    def takes(self, of_type: str, path: str) -> Mapping[str, Value | None] | None:
        """List what a record or a class of one other file is made of, with the defaults."""
        declaring = self._files_declaring(of_type, PurePath(path).suffix)
        if len(declaring) != 1 or self._depth == _DEEPEST:
            return None
        (other,) = declaring
        module = self._module(other, ())
        if module is None:
            return None
        with self._one_deeper():
            takes = module.takes(of_type)
        if takes is None:
            return None
        file = PurePath(other).name
        return {name: default and _set_in(file, default) for name, default in takes.items()}

    def _value_of_all(
        self, key: tuple[str, ...], given: Iterator[tuple[str, Value | None]]
    ) -> Value | None:
        """Find the value that all files give a name; ``None`` as soon as two of them differ.

        The first part of the ``key`` says what is looked up.
        """
        if key in self._agreed or self._depth == _DEEPEST:
            return self._agreed.get(key)
        self._agreed[key] = None  # As long as it is looked up.
        same: Value | None = None
        with self._one_deeper():
            for file, value in given:
                if value is None or not is_told(value.data):
                    return None
                if same is None:
                    same = _set_in(PurePath(file).name, value)
                elif plain(value.data) != plain(same.data):
                    return None
        self._agreed[key] = same
        return same

    @contextmanager
    def _one_deeper(self) -> Iterator[None]:
        """Count a file that is followed from another."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def calls_of(
        self, function: str, wanted: Parameter, path: str, homes: Collection[str]
    ) -> Iterator[tuple[str, Call]]:
        """Find the calls of a function of a file in others, with the beginning of their place."""
        for other, module, known_as in self._calling(function, path, homes):
            for call in module.calls_of(function, wanted, known_as):
                yield f"{PurePath(other).name}:", call
            for alias in module.passed_on_as(function):
                yield from self.calls_of(alias, wanted, other, homes_of(other, alias, ""))

    def uses_of(self, function: str, path: str, homes: Collection[str]) -> Iterator[Use]:
        """Tell of each call of a function in other files what becomes of its result."""
        for _, module, known_as in self._calling(function, path, homes):
            yield from module.uses_of(function, known_as)

    def _calling(
        self, function: str, path: str, homes: Collection[str]
    ) -> Iterator[tuple[str, Module, Collection[str] | None]]:
        """Open the files that may call a function, with the names by which each knows its home.

        Files of one package, and those of PHP, call each other's functions without a name, which
        is ``None``.
        """
        if self._depth == _DEEPEST:
            return
        homes = self._passed_on_by(function, path, frozenset(homes))
        with self._one_deeper():
            for other in self._callers(function, path, homes):
                module = self._module(other, ())
                if module is None:
                    continue
                known_as: Collection[str] | None = homes
                if _share_names(other, path) or self._is_of_all(function, path):
                    known_as = None
                yield other, module, known_as

    @remembered
    def _passed_on_by(self, function: str, path: str, homes: frozenset[str]) -> frozenset[str]:
        """Add the folders whose own file passes a function on, to the names of its homes."""
        names = set(homes)
        suffixes = _suffixes_like(path)
        passes_on = (function.encode(), *_PASSES_ALL)
        for folder, barrel in self._modules.above(path):
            content = _content(barrel)
            may_pass_on = any(word in content for word in passes_on)
            if may_pass_on and barrel.endswith(suffixes) and _mentions(barrel, names):
                names.add(home_key(folder.name))
                if folder.name in _OF_SOURCES:
                    names.add(home_key(folder.parent.name))
        # A method of that name of any object would be taken for it.
        added = names.difference(homes) - {home_key(function), ""}
        return homes.union(added)

    @remembered
    def _callers(self, function: str, path: str, homes: frozenset[str]) -> Sequence[str]:
        """List other files that name a function of a file, and one of its homes."""
        calling = []
        for other in self._naming(function, PurePath(path).suffix):
            knows_it = _share_names(other, path) or _mentions(other, homes)
            if (knows_it or self._is_of_all(function, path)) and other != path:
                calling.append(other)
        return calling[:_MOST_FILES]

    @remembered
    def _is_of_all(self, function: str, path: str) -> bool:
        """Tell whether all files of PHP call a function of a file without the name of a home."""
        if PurePath(path).suffix != ".php" or _HAS_TYPES.search(_code(path)):
            return False
        naming = self._naming(function, ".php")
        return [path] == [
            one for one in naming if declares(function, _code(one), _DECLARES_FUNCTION)
        ]

    def field(self, name: str, path: str) -> Value | None:
        """Find what other files give a field of this name, if that is the same in all of them."""
        suffix = PurePath(path).suffix
        others = self._naming(name, suffix)[:_MOST_FILES]
        self.missed.update(
            (other, self._closed[other]) for other in others if other in self._closed
        )
        own = [other for other in others if other != path]
        return self._value_of_all(("field", suffix, name), self._fields(name, own))

    def set_to(self, name: str, path: str) -> Iterator[tuple[str, Value]]:
        """Find what other files set a field of this name to, with the beginning of the place."""
        for other in self._naming(name, PurePath(path).suffix)[:_MOST_FILES]:
            module = self._module(other, ())
            if module is not None and other != path:
                for value in module.set_to(name):
                    yield f"{PurePath(other).name}:", value

    def registered(self, name: str, registers: Collection[str], path: str) -> Value | None:
        """Find a setting in what files of the project register as parts of its configuration."""
        suffix = PurePath(path).suffix
        registering: dict[str, None] = {}
        for function in registers:
            registering.update(dict.fromkeys(self._naming(function, suffix)))
        registering.pop(path, None)
        key = ("registered", suffix, name)
        return self._value_of_all(key, self._fields(name, list(registering)))

    def _fields(self, name: str, files: Sequence[str]) -> Iterator[tuple[str, Value]]:
        for file in files:
            module = self._module(file, ())
            if module is not None:
                for value in module.fields(name):
                    yield file, value

    def is_named_elsewhere(self, word: str, path: str) -> bool:
        """Tell whether another file of the language has a word, whatever it means there."""
        return any(other != path for other in self._naming(word, PurePath(path).suffix))

    def _naming(self, word: str, suffix: str) -> Sequence[str]:
        """List the files of a language in which a word stands, each read once for a word."""
        key = (word, suffix)
        if key not in self._files_with:
            suffixes = _suffixes_like(f"a{suffix}")
            marks = marks_of(word)
            written = word.encode()
            naming = []
            for path in self._paths:
                marked = self._marks.get(path)
                may_name = marked is None or may_have(marked, marks)
                if may_name and path.endswith(suffixes) and written in _content(path):
                    naming.append(path)
            self._files_with[key] = naming
        return self._files_with[key]

    def _first(self, files: tuple[str, ...], names: Sequence[Sequence[str]]) -> Value | None:
        """Find the first of some names that has a resolved value in one of the files.

        No file behind one that cannot be read is looked into: that one may set another value.
        """
        if self._depth == _DEEPEST:
            return None
        with self._one_deeper():
            for path in self._likely_of(files, names[0]):
                for members in names:
                    value = self._member(path, members)
                    if path in self._closed:
                        return None
                    if value is not None and is_told(value.data):
                        return _set_in(PurePath(path).name, value)
                    if value is not None and is_passed_on(dotted(value.data)):
                        return value
        return None

    def _likely_of(self, files: tuple[str, ...], members: Sequence[str]) -> Sequence[str]:
        """List the files that may define the last of some names, out of a folder of many."""
        if len(files) <= _MOST_FILES or not members:
            return files[:_MOST_FILES]
        return self._naming_of(files, members[-1].removesuffix("()"))

    @remembered
    def _naming_of(self, files: tuple[str, ...], name: str) -> Sequence[str]:
        return [path for path in files if _may_name(_content(path), name.encode())][:_MOST_FILES]

    def _member(self, path: str, members: Sequence[str]) -> Value | None:
        if path in self._closed:
            self.missed[path] = self._closed[path]
            return None
        key = (path, tuple(members))
        if key not in self._members:
            self._members[key] = None  # As long as it is looked up: imports may go in a circle.
            module = self._module(path, members)
            if module is not None:
                self._members[key] = module.exported(members)
        return self._members[key]

    def _module(self, path: str, members: Sequence[str]) -> Module | None:
        """Open a file that may define a name; ``None`` if it does not, or cannot be read."""
        if path not in self._open:
            text = self._text(path)
            if text is None or not _may_define(path, text, members):
                return None
            self._open[path] = None  # As long as it is read.
            try:
                with self.gate.reading(Path(path)):
                    self._open[path] = self._opened(path, text, self)
            except UnreadableInputError as error:
                self._miss(path, error)
            if len(self._open) > KEPT:
                del self._open[next(iter(self._open))]
        elif self._open[path] is not None:
            self._open[path] = self._open.pop(path)  # The one that was asked last is kept longest.
        return self._open.get(path)

    def _text(self, path: str) -> str | None:
        """Read a file; ``None`` if it cannot be read."""
        if path in self._closed:
            self.missed[path] = self._closed[path]
            return None
        try:
            with self.gate.reading(Path(path)):
                return self._read(path)
        except UnreadError as error:
            self._miss(path, error)
            return None

    def _miss(self, path: str, error: UnreadableInputError) -> None:
        if not isinstance(error, UnreadError):
            error = UnreadError(Unread.NOT_UNDERSTOOD, str(error))
        self.missed[path] = self._closed[path] = error


def _suffixes_like(path: str) -> tuple[str, ...]:
    """List the ends of the names of files in the language of a file."""
    if path.endswith(_SCRIPT_NAMES):
        return _SCRIPT_NAMES
    return (PurePath(path).suffix,)


def _mentions(path: str, homes: Collection[str]) -> bool:
    """Tell whether a file has one of some names, as any style writes it."""
    content = _content(path).lower().translate(None, delete=_SIGNS_OF_NAMES)
    return any(home.encode() in content for home in homes)


def _content(path: str) -> bytes:
    """Read a file of any length; thousands are asked, so nothing else is found out of each."""
    try:
        with open(path, "rb", opener=_open_at_once) as stream:
            return stream.read() or b""
    except OSError:
        return b""


def _code(path: str) -> str:
    """Read a file without its comments."""
    return without_comments(_content(path).decode("utf-8-sig", errors="replace"))


def without_comments(text: str) -> str:
    """Leave out the comments of a text, which may speak of the types of other files."""
    return _COMMENT.sub(" ", text)


def declares(name: str, code: str, kind: re.Pattern[str] = _DECLARES) -> bool:
    """Tell whether code declares a type of this name, or one of a kind, such as a class."""
    # Few files declare what they name, and a text is found faster than a pattern.
    for before, behind in pairwise(code.split(name)):
        is_whole = not (behind[:1].isalnum() or behind.startswith("_"))
        if is_whole and kind.search(before[-_BEFORE_NAME:]):
            return True
    return False


def _implements(interface: str, path: str) -> bool:
    """Tell whether a file of C# has a class that implements a generic interface."""
    for declared in _DERIVED.finditer(_code(path)):
        derived, *_ = _DEMANDS.split(declared[0], maxsplit=1)
        _, _, bases = derived.partition(":")
        # An interface of the project may have the name, too, and takes no type.
        if interface in _GENERIC.findall(bases):
            return True
    return False


def _has_own(function: str, path: str) -> bool:
    """Tell whether a file of Python has a method of a name that calls none of that name.

    A view called ``set_password`` is not a method of users; one that calls ``user.set_password``
    leaves the work to it. A function of PHP begins its line; a method is further in.
    """
    if path.endswith(".php"):
        heads = (f"function {function}(", f"function &{function}(")
        return any(line.startswith(heads) for line in _code(path).splitlines())
    bodies = re.split(r"(?m)^[ \t]*+(?:async\s++)?def\s++", _code(path))
    for body in bodies[1:]:
        parameters = body.removeprefix(f"{function}(")
        is_method = parameters != body and parameters.lstrip().startswith("self")
        if is_method and "super(" not in body and f".{function}(" not in body:
            return True
    return False


def _shares_namespace(path: str, other: str) -> bool:
    """Tell whether a file of C# is in, or uses, the namespace that another file is in."""
    seen = set()
    for used, inside in _NAMESPACE.findall(_code(path)):
        seen.add(used)
        # A namespace sees what is in those around it.
        parts = inside.split(".")
        seen.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return any(inside and inside in seen for _, inside in _NAMESPACE.findall(_code(other)))


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # A pipe may have taken the file's place.


def _share_names(one: str, other: str) -> bool:
    """Tell whether two files are of one package of Go."""
    place = PurePath(other)
    return place.suffix == ".go" and PurePath(one).parent == place.parent


def _set_in(file: str, value: Value) -> Value:
    """Add the place that sets a value, or each value of a mapping or an object."""
    if isinstance(value.data, Call):
        arguments = tuple(_set_in(file, argument) for argument in value.data.arguments)
        keywords = {name: _set_in(file, given) for name, given in value.data.keywords.items()}
        return replace(value, data=replace(value.data, arguments=arguments, keywords=keywords))
    if isinstance(value.data, dict):
        entries = {name: _set_in(file, entry) for name, entry in value.data.items()}
        return replace(value, data=entries)
    # Without a line it is set in a further file, which is named.
    if not isinstance(value.data, int | str) or not value.line:
        return value
    return replace(value, line=0).because(f"{file}:{value.line} sets it")


def _may_name(content: bytes, name: bytes) -> bool:
    """Tell whether a file has a name, or may pass on one that it imports."""
    return name in content or b"export *" in content or b"require(" in content


def _may_define(path: str, text: str, members: Sequence[str]) -> bool:
    """Tell by a quick search whether a text may give the last of some names a value."""
    if not members:
        return True
    name = members[-1].removesuffix("()")
    if name not in text:  # A file may pass on what it imports.
        return "export *" in text or "require(" in text
    if not path.endswith(".py"):
        return True
    if members[-1].endswith("()"):
        return f"def {name}(" in text
    name = re.escape(name)
    assigned = rf"(?m)^[ \t]*+(?:self\.)?{name}[ \t]*+(?::[^=\n]*+)?="
    passed_on = rf"\bimport\b[^=:]{{0,500}}\b{name}\b"
    return re.search(f"{assigned}|{passed_on}", text) is not None
