"""Which part may know which: the rules of the house, read off the source."""

import ast
import graphlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import hashcost
from corpora import cases

PACKAGE = Path(hashcost.__file__).parent


ROOMS: Final[list[str]] = cases(__file__, "architecture.toml", "rooms")
"""The rooms of the house from the top down."""

FLOORS: Final = ROOMS[::-1]
"""The rooms from the bottom up: each imports from itself and from those below."""

FACE = frozenset({"__init__.py", "__main__.py"})
"""The modules that stand in no room."""


HOMES: Final[dict[str, list[str]]] = cases(__file__, "architecture.toml", "homes")
"""Which folders or files may import a library."""

READINGS: Final[dict[str, list[str]]] = cases(__file__, "architecture.toml", "readings")
"""Which rooms may read a clock, the date or the environment."""

DATA_READER: Final = "core/package_data.py"
"""The one module that reads the package's own files, wherever they are."""


class _Import(NamedTuple):
    module: str
    name: str
    only_for_types: bool


def _imports(path: str, tree: ast.AST, *, only_for_types: bool = False) -> Iterator[_Import]:
    """Every import in a source, also those inside functions; relative ones resolved."""
    folders = ["hashcost", *Path(path).parts[:-1]]
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield _Import(alias.name, "", only_for_types)
        elif isinstance(node, ast.ImportFrom):
            above = folders[: len(folders) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield _Import(base, alias.name, only_for_types)
        else:
            guarded = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            yield from _imports(path, node, only_for_types=only_for_types or guarded)


def violations(path: str, source: str) -> list[str]:
    """Name what a module of this path, relative to the package, does that the house forbids."""
    tree = ast.parse(source)
    imports = tuple(_imports(path, tree))
    wrong = (
        *_upward(path, imports),
        *_elsewhere(path, imports),
        *_read(path, tree, imports),
        *_own_files(path, tree, imports),
    )
    return [f"{path}: {what}" for what in wrong]


def _upward(path: str, imports: Iterable[_Import]) -> Iterator[str]:
    room, *inside = Path(path).parts
    if not inside and path not in FACE:
        yield "belongs in a room"
    if inside and room not in FLOORS:
        yield f"there is no room {room}"
        return
    for needed in imports:
        package, *rest = needed.module.split(".")
        if package != "hashcost":
            continue
        other = rest[0] if rest else needed.name if needed.name in FLOORS else ""
        if not inside:
            if path == "__init__.py" and not needed.only_for_types and other != "core":
                yield f"imports {other} before it is asked for"
        elif other not in FLOORS:
            yield f"imports {other or 'the face of the package'}, which is not a room"
        elif FLOORS.index(other) > FLOORS.index(room):
            yield f"imports {other}, which stands above {room}"


def _elsewhere(path: str, imports: Iterable[_Import]) -> Iterator[str]:
    for needed in imports:
        library = needed.module.split(".")[0]
        homes = HOMES.get(library)
        if homes is not None and not path.startswith(tuple(homes)):
            yield f"imports {library}, which belongs in {' or '.join(homes) or 'no file'}"


def _read(path: str, tree: ast.AST, imports: Iterable[_Import]) -> Iterator[str]:
    """Clocks, the date and the environment that a module reads without being allowed to."""
    names = [f"{needed.module}.{needed.name}" for needed in imports if needed.name]
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    # Writing out every attribute would take half a minute.
    names += [
        ast.unparse(node) for node in attributes if node.attr.removesuffix("_ns") in _LAST_NAMES
    ]
    for name in names:
        for reading, rooms in READINGS.items():
            if _is_reading(name, reading) and not path.startswith(tuple(rooms)):
                yield f"reads {name}, which belongs in {' or '.join(rooms)}"


def _is_reading(name: str, reading: str) -> bool:
    """Whether a dotted name is a reading; a clock is one in whatever module or object it is."""
    if "." in reading:
        return name == reading
    return _last_name(name).removesuffix("_ns") == reading


def _last_name(dotted: str) -> str:
    return dotted.rpartition(".")[2]


_LAST_NAMES: Final = frozenset(map(_last_name, READINGS))


def _own_files(path: str, tree: ast.AST, imports: Iterable[_Import]) -> Iterator[str]:
    """Files of the package, which may be a zip."""
    if path == DATA_READER:
        return
    if any(needed.module == "importlib.resources" for needed in imports):
        yield f"imports importlib.resources, which belongs in {DATA_READER}"
    if any(isinstance(node, ast.Name) and node.id == "__file__" for node in ast.walk(tree)):
        yield "reads __file__, which a zip does not have"


def _sources() -> dict[str, str]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in paths}


def _dependencies(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Which module needs which, also only for types."""
    names = {
        path: ".".join(("hashcost", *Path(path).with_suffix("").parts)).removesuffix(".__init__")
        for path in sources
    }
    return {
        name: {
            module
            for needed in _imports(path, ast.parse(sources[path]))
            for module in (needed.module, f"{needed.module}.{needed.name}")
            if module in names.values() and module != name
        }
        for path, name in names.items()
    }


def test_the_rooms_are_the_folders_and_those_of_the_guide() -> None:
    """CONTRIBUTING's table has the rooms in their order, and each folder of code is a room."""
    guide = (PACKAGE.parents[1] / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    table = guide.partition("| Room |")[2].partition("\n\n")[0]
    assert ROOMS == re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert sorted(ROOMS) == sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


@pytest.mark.parametrize(
    ("path", "source", "allowed"),
    [
        ("fit/a.py", "from time import perf_counter_ns", False),
        ("machine/a.py", "import time; time.perf_counter()", True),
        ("measure/a.py", "import time; time.monotonic()", False),
        ("runtimes/a.py", "import time; time.monotonic()", True),
        ("apps/a.py", "import os; os.environ", False),
        ("cli/a.py", "from os import environ", True),
        ("machines/a.py", "from os import environ", False),
    ],
)
def test_only_the_rooms_of_a_reading_read_it(path: str, source: str, *, allowed: bool) -> None:
    """A clock or the environment is found in any form, and only its rooms may read it."""
    assert allowed == (violations(path, source) == [])


@pytest.mark.parametrize("room", FLOORS)
def test_a_room_says_what_belongs_there(room: str) -> None:
    """Each room begins with at most three lines on what belongs there and what does not."""
    said = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text("utf-8")))
    assert said
    assert len([line for line in said.splitlines() if line]) <= 3


def test_every_module_keeps_to_the_rules_of_the_house() -> None:
    """A module imports from its layer and below, and what belongs elsewhere not at all."""
    sources = _sources().items()
    assert [] == [wrong for path, source in sources for wrong in violations(path, source)]


def test_no_two_modules_need_each_other() -> None:
    """Imports have no circle, inside a layer or only for types either."""
    sources = _sources()
    order = list(graphlib.TopologicalSorter(_dependencies(sources)).static_order())
    assert order.index("hashcost.core.measurement") < order.index("hashcost.recommend.calibration")
    assert len(sources) == len(order)
