"""The data files of this package, from a folder or from a zip: the one way to read them."""

import tomllib
from importlib.resources import files
from typing import Any, Final

_PACKAGE: Final = files("hashcost")


def data_text(path: str) -> str:
    """The text of a data file; ``path`` is relative to the package, with slashes."""
    return _PACKAGE.joinpath(path).read_text("utf-8")


def data_table(path: str) -> dict[str, Any]:
    """The table in a TOML file; ``path`` is relative to the package, with slashes."""
    return tomllib.loads(data_text(path))


def data_names(folder: str, suffix: str = ".toml") -> tuple[str, ...]:
    """The names in a folder of data that end with the suffix, sorted and without it."""
    names = [file.name for file in _PACKAGE.joinpath(folder).iterdir()]
    return tuple(sorted(name.removesuffix(suffix) for name in names if name.endswith(suffix)))
