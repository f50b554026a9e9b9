"""Collects every regular expression of the package, with the way in which each is used.

``python -m expressions`` does so in a process where nothing was imported before, and prints them
as JSON.
"""

import ast
import contextlib
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeGuard
from unittest.mock import Mock

import msgspec

ROOT: Final = Path(__file__).parents[1]
_PACKAGE: Final = ROOT / "src" / "hashcost"
_TAKING_A_PATTERN: Final = frozenset(
    {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"}
)
_ANCHORED: Final = frozenset({"match", "fullmatch"})
"""Methods that begin at one place, and nowhere else if they fail there."""


class Expression(msgspec.Struct, frozen=True, order=True):
    """A regular expression, and each method with which it is used."""

    pattern: str
    flags: int
    is_bytes: bool
    methods: tuple[str, ...]
    place: str
    """The file and line that compile it first."""

    @property
    def compiled(self) -> re.Pattern[str] | re.Pattern[bytes]:
        """The expression as the package uses it."""
        if self.is_bytes:
            return re.compile(self.pattern.encode("latin-1"), self.flags)
        return re.compile(self.pattern, self.flags)


@dataclass(frozen=True)
class _Site:
    """A place of the source that gives a pattern to ``re``."""

    file: str
    line: int
    methods: tuple[str, ...]
    constant: tuple[str | bytes, int] | None
    """The pattern and its flags, if they are written there."""


class Collection(msgspec.Struct, frozen=True):
    """What was collected, and the places of the source that gave nothing."""

    expressions: tuple[Expression, ...]
    escaped: tuple[str, ...]


@cache
def collected() -> Collection:
    """Collect in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-m", "expressions"],
        cwd=ROOT / "tests", stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    return msgspec.convert(json.loads(ended.stdout), type=Collection)


# The source


def _sites() -> Iterator[_Site]:
    """Find each place that gives a pattern to ``re``, or hands one of its functions on.

    Raises:
        ValueError: a module imports ``re`` in another way, so its patterns would not be found.
    """
    for path in _modules():
        tree = _tree(path)
        file = path.relative_to(_PACKAGE).as_posix()
        _check_imports(tree, file)
        calls = {node.func: node for node in ast.walk(tree) if isinstance(node, ast.Call)}
        for node in ast.walk(tree):
            if not _is_of_re(node):
                continue
            call = calls.get(node)
            methods: tuple[str, ...] = (node.attr,)
            if node.attr == "compile":
                methods = _methods_of(call, tree, path)
            yield _Site(file, node.lineno, methods, _constant(call))


def _constant(call: ast.Call | None) -> tuple[str | bytes, int] | None:
    if call is None or not call.args or not isinstance(call.args[0], ast.Constant):
        return None
    pattern = call.args[0].value
    if not isinstance(pattern, str | bytes):
        return None
    flags = 0
    for argument in (*call.args[1:], *(keyword.value for keyword in call.keywords)):
        for node in ast.walk(argument):
            if isinstance(node, ast.Attribute) and node.attr in re.RegexFlag.__members__:
                flags |= re.RegexFlag[node.attr]
    return pattern, int(flags)


def _modules() -> list[Path]:
    return sorted(_PACKAGE.rglob("*.py"))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def _importers() -> Mapping[tuple[str, str], Sequence[Path]]:
    """The modules that import a name, by the last part of its module and the name."""
    importers: dict[tuple[str, str], list[Path]] = {}
    for path in _modules():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for alias in node.names:
                    key = node.module.rpartition(".")[2], alias.name
                    importers.setdefault(key, []).append(path)
    return importers


def _check_imports(tree: ast.Module, file: str) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            raise ValueError(f"{file}:{node.lineno}: write `import re`")
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "re" and alias.asname:
                    raise ValueError(f"{file}:{node.lineno}: write `import re`")


def _is_of_re(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "re"
        and node.attr in _TAKING_A_PATTERN
    )


def _methods_of(call: ast.Call | None, tree: ast.Module, path: Path) -> tuple[str, ...]:
    """Find the methods of a compiled pattern: any may be used unless it has one name."""
    names = [name for name, value in _named(tree) if value is call]
    if call is None or not names:
        return ("search",)
    users = [tree, *map(_tree, _importers().get((path.stem, names[0]), ()))]
    methods = {method for user in users for method in _used_with(names[0], user)}
    return tuple(sorted(methods)) or ("search",)


def _named(tree: ast.Module) -> Iterator[tuple[str, ast.expr | None]]:
    """Find the values that have a name, or are what a function of that name returns."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and isinstance(node.body[-1], ast.Return):
            yield node.name, node.body[-1].value
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node.value
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


def _used_with(name: str, tree: ast.Module) -> Iterator[str]:
    """Find the methods of a name; where it is used in another way, any may be."""
    methods: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            if isinstance(owner, ast.Call):
                owner = owner.func
            methods[owner] = node.attr
    # With `None`.
    compared = {node.left for node in ast.walk(tree) if isinstance(node, ast.Compare)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            if node in compared:
                continue
            yield methods.get(node, "search")


# The patterns


class _Record:
    """The patterns of each place, as they are compiled."""

    def __init__(self) -> None:
        self.by_place: dict[tuple[str, int], set[tuple[str | bytes, int]]] = {}
        self._compile = re._compile  # type: ignore[attr-defined]
        # Every function of the module, and every library, compiles by this one.
        re._compile = self.compile  # type: ignore[attr-defined]

    def compile(self, pattern: Any, flags: int) -> re.Pattern[Any]:
        """Compile as `re` does; of what the package compiles, remember the place."""
        compiled: re.Pattern[Any] = self._compile(pattern, flags)
        place = _place(sys._getframe(1))
        if place is not None:
            self.add(place, compiled.pattern, compiled.flags)
        return compiled

    def add(self, place: tuple[str, int], pattern: str | bytes, flags: int) -> None:
        """Remember a pattern."""
        self.by_place.setdefault(place, set()).add((pattern, int(flags) & ~re.UNICODE))


def _place(frame: FrameType | None) -> tuple[str, int] | None:
    while frame is not None and frame.f_code.co_filename == re.__file__:
        frame = frame.f_back
    if frame is None or not Path(frame.f_code.co_filename).is_relative_to(_PACKAGE):
        return None
    return Path(frame.f_code.co_filename).relative_to(_PACKAGE).as_posix(), frame.f_lineno


def _collect() -> Collection:
    record = _Record()
    _use_everything()
    by_place = {}
    for site in _sites():
        by_place[site.file, site.line] = site
        if site.constant is not None:
            record.add((site.file, site.line), *site.constant)
    _add_rest_of_data(record)
    methods: dict[tuple[str | bytes, int], set[str]] = {}
    places: dict[tuple[str | bytes, int], str] = {}
    for place, patterns in record.by_place.items():
        # A library that is given a pattern may search with it.
        used = by_place[place].methods if place in by_place else ("search",)
        for key in patterns:
            methods.setdefault(key, set()).update(used)
            places.setdefault(key, f"{place[0]}:{place[1]}")
    expressions = (
        Expression(
            pattern=pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern,
            flags=flags,
            is_bytes=isinstance(pattern, bytes),
            methods=tuple(sorted(methods[pattern, flags])),
            place=place,
        )
        for (pattern, flags), place in places.items()
    )
    missing = by_place.keys() - record.by_place.keys()
    return Collection(
        tuple(sorted(expressions)), tuple(sorted(f"{file}:{line}" for file, line in missing))
    )


def _add_rest_of_data(record: _Record) -> None:
    """Add patterns of data that nothing needed, by the keys of those that were compiled."""
    used = {pattern for patterns in record.by_place.values() for pattern, _ in patterns}
    texts = [
        pair
        for file in sorted(_PACKAGE.rglob("*.toml"))
        for pair in _texts(tomllib.loads(file.read_text("utf-8")), file.parent.parent.name)
    ]
    # What a rule of source code needs are words; one of them is a pattern of an application.
    keys = {key for key, text in texts if text in used} - {("source_code", "needs")}
    for key, text in texts:
        if key in keys and text not in used:
            record.add((f"{key[0]}/data", 0), text, re.MULTILINE)


def _texts(value: object, *key: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Find each text of a table with the folder and the last key that it has."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, key[0], name)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, *key)
    elif isinstance(value, str):
        yield key, value


def _use_everything() -> None:
    """Import every module, load all data, and make each pattern that depends on an input."""
    import hashcost

    for module in pkgutil.walk_packages(hashcost.__path__, "hashcost."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    from hashcost.core.errors import HashcostError
    from tools.fuzz.readers import readers

    for reader in readers().values():
        for sample in reader.samples():
            with contextlib.suppress(HashcostError):
                reader.read(sample)
    _use_formats()
    _use_applications()
    _use_the_rest()


def _use_formats() -> None:
    from hashcost.stored.formats.registry import FAMILIES, format_of
    from hashcost.stored.formats.rows import rows_of

    for family in FAMILIES:
        for row in rows_of(family):
            format_of(row).read("")


def _use_applications() -> None:
    from hashcost.apps.additions import with_setting
    from hashcost.apps.interface import App
    from hashcost.apps.registry import app_names, load_app
    from hashcost.checks.app_costs import costs_in_files
    from hashcost.checks.applying import Target, change_for
    from hashcost.core.errors import HashcostError

    for app in map(load_app, app_names()):
        if not isinstance(app, App):
            continue
        if app.unfit is not None:
            app.unfit.is_so(msgspec.structs.replace(app, release="0"), "")
        with contextlib.suppress(HashcostError):
            costs_in_files(app, [("one", ""), ("other", "")], None)
        old = msgspec.structs.replace(app, release="0.0.0.1")
        for scheme in app.schemes:
            missing = old.missing(scheme)
            if missing is not None:
                missing.is_read_in("")
            lowest = {param: limits.nearest(2) for param, limits in scheme.limits.items()}
            higher = {
                param: limits.nearest(2 * lowest[param] + 2)
                for param, limits in scheme.limits.items()
            }
            target = Target(
                app=app, scheme=scheme, params=higher, path="file", text=scheme.write(lowest)
            )
            with contextlib.suppress(HashcostError, KeyError):
                change_for(target)
            first_line = scheme.write(lowest).partition("\n")[0]
            for text in ("", f"{first_line}\nother = 1\n"):
                with contextlib.suppress(HashcostError):
                    with_setting(app, scheme, text, lowest)


def _use_the_rest() -> None:
    from hashcost.core.text import without
    from hashcost.runtimes.remote_host import read_files
    from hashcost.source_code.project import Project
    from hashcost.storage.extras import how_to_install
    from hashcost.storage.gate import Gate

    without("message", ("short", "long" * 100))
    how_to_install("scan")
    read_files(("sh",))
    module = Mock(exported=lambda _: None)
    project = Project(["a.py", "b.py"], lambda _: "B = 1\n", lambda *_: module, Gate(), {})
    project.beside("B", "a.py")


if __name__ == "__main__":
    # Patterns may have surrogates, which msgspec does not write.
    print(json.dumps(msgspec.to_builtins(_collect())))
