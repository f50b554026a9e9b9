"""Tables of cases beside the tests that read them: a line a case."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

import hashcost

_Test = TypeVar("_Test", bound=Callable[..., None])
_DATA: Final = Path(hashcost.__file__).parent / "apps" / "data"
LIBRARIES: Final = sorted(path.stem for path in (_DATA / "libraries").glob("*.toml"))
"""The libraries of applications."""
_ESCAPES: Final = {"n": "\n", "t": "\t", "\\": "\\"}


def rows(test: str, name: str) -> list[list[str]]:
    r"""The cases of a file beside a test, below its first line; ``\n`` is a line's end."""
    lines = (Path(test).parent / name).read_text("utf-8").splitlines()[1:]
    return [[_read(field) for field in line.split("\t")] for line in lines]


def _read(field: str) -> str:
    return re.sub(r"\\([nt\\])", lambda code: _ESCAPES[code[1]], field)


def cases(test: str, name: str, table: str) -> Any:
    """The rows of a table, or a text, in a TOML file beside a test."""
    return tomllib.loads((Path(test).parent / name).read_text("utf-8"))[table]


def table(names: str, **options: Any) -> Callable[[_Test], _Test]:
    """Try a test with each row of the table of its name, in the TOML file of its module's name.

    A row is a list, or has its values by name; a value that it lacks is ``None``.
    """
    columns = names.split(", ")

    def of(test: _Test) -> _Test:
        path = Path(test.__code__.co_filename)
        file = f"{path.stem.removeprefix('test_')}.toml"
        rows = [
            [row.get(column) for column in columns]
            if columns[1:] and isinstance(row, dict)
            else row
            for row in cases(str(path), file, test.__name__.removeprefix("test_"))
        ]
        tried: _Test = pytest.mark.parametrize(names, rows, **options)(test)
        return tried

    return of
