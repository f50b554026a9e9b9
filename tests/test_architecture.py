"""Which part may know which: the rules of the house, read off the source."""

import ast
import graphlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import hashcost
from corpora import cases

PACKAGE = Path(hashcost.__file__).parent


FLOORS: Final = (
    *("core", "fit", "documents", "stored", "source_code", "apps", "machine", "hashers"),
    *("runtimes", "measure", "worth", "recommend", "sweep", "logins", "compare", "fleet"),
    *("verdicts", "render", "cli"),
)
"""The rooms of the house from the bottom up: each imports from itself and from those below."""

FACE = frozenset({"__init__.py", "__main__.py"})
"""The modules that stand in no room."""


HOMES: Final[dict[str, list[str]]] = cases(__file__, "architecture.toml", "homes")
"""Which folders or files may import a library."""

CLOCKS = frozenset(
    f"{clock}{suffix}"
    for clock in ("perf_counter", "process_time", "thread_time")
    for suffix in ("", "_ns")
) | {"clock_gettime", "clock_gettime_ns"}
"""Readings that belong to machine/."""

HOST = {
    read.rpartition(".")[2]: read
    for read in ("time.time", "dt.datetime.now", "os.environ", "os.getenv")
}
"""Readings that everyone asks the host for, by their last name."""

DATA_READER: Final = "core/package_data.py"
"""The one module that reads the package's own files, wherever they are."""

HOST_READERS = ("machine/", "cli/")
"""Who may look for themselves: the command is the edge."""


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
    """Clocks, the date and the environment, which are the host's to tell."""
    if path.startswith("machine/"):
        return
    for needed in imports:
        if needed.module == "time" and needed.name in CLOCKS:
            yield f"reads {needed.name}, which belongs in machine/"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr in CLOCKS:
                yield f"reads {node.attr}, which belongs in machine/"
            read = HOST.get(node.attr)
            if read and ast.unparse(node) == read and not path.startswith(HOST_READERS):
                yield f"reads {read}, which a host tells"


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
    """Which module needs which to be imported, types left aside."""
    names = {
        path: ".".join(("hashcost", *Path(path).with_suffix("").parts)).removesuffix(".__init__")
        for path in sources
    }
    return {
        name: {
            module
            for needed in _imports(path, ast.parse(sources[path]))
            for module in (needed.module, f"{needed.module}.{needed.name}")
            if module in names.values() and module != name and not needed.only_for_types
        }
        for path, name in names.items()
    }


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
    """Imports have no circle, inside a layer either."""
    sources = _sources()
    order = list(graphlib.TopologicalSorter(_dependencies(sources)).static_order())
    assert order.index("hashcost.core.measurement") < order.index("hashcost.recommend.calibration")
    assert len(sources) == len(order)
