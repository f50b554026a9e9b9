"""Tables of cases beside the tests that read them: a line a case."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

_ESCAPES: Final = {"n": "\n", "t": "\t", "\\": "\\"}


def rows(test: str, name: str) -> list[list[str]]:
    r"""The cases of a file beside a test, below its first line; ``\n`` is a line's end."""
    lines = Path(test).with_name(name).read_text("utf-8").splitlines()[1:]
    return [[_read(field) for field in line.split("\t")] for line in lines]


def _read(field: str) -> str:
    return re.sub(r"\\([nt\\])", lambda code: _ESCAPES[code[1]], field)


def cases(test: str, name: str, table: str) -> list[Any]:
    """The rows of a table in a TOML file beside a test."""
    rows: list[Any] = tomllib.loads(Path(test).with_name(name).read_text("utf-8"))[table]
    return rows
