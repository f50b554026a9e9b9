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


def spelt_out(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Make a table for each set of words that a table of the data lists under ``each``.

    In its texts ``<word>`` stands for such a word; a text that is nothing else becomes the
    word's value, which may be a number. A table without ``each`` is the only one.
    """
    sets_of_words = table.pop("each", [{}])
    return [_filled(table, words) for words in sets_of_words]


def _filled(data: Any, words: dict[str, Any]) -> Any:
    """Copy data of TOML, with values in the place of words."""
    if isinstance(data, dict):
        return {_filled(name, words): _filled(value, words) for name, value in data.items()}
    if isinstance(data, list):
        return [_filled(value, words) for value in data]
    if not isinstance(data, str):
        return data
    for word, value in words.items():
        # A text that is only a word may stand for a number.
        if data == f"<{word}>":
            return value
        data = data.replace(f"<{word}>", str(value))
    return data
