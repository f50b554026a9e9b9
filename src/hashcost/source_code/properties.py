"""The property files of a Java project: ``application.properties`` and ``application.yml``."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from hashcost.storage.gate import Gate

_FURTHEST: Final = 12
"""Folders above a source that are looked into; repositories are nested less deeply."""
_RESOURCES: Final = PurePath("src/main/resources")
_FILES: Final = ("application*.properties", "application*.yml", "application*.yaml")
_SET: Final = re.compile(
    r"^[ \t]*+(?P<name>[\w.-]++)[ \t]*+[=:][ \t]*+(?P<value>[^\s#][^\n#]{0,200})", re.MULTILINE
)
"""A property, by its whole name or, in YAML, the last part of it."""
_NUMBER: Final = re.compile(r"[\"']?(?:\$\{[^{}:\n]*+:)?(?P<digits>[0-9]{1,18})\}?[\"']?")
"""A number, or the default of a placeholder: ``${COST:12}``."""


class Property(NamedTuple):
    """A value that a file gives a property; ``number`` is ``None`` if it is not one."""

    number: int | None
    file: str
    line: int


def properties_named(key: str, path: str, gate: Gate) -> list[Property]:
    """Find the values that the property files of a source's project give a property.

    In YAML only the last part of its name is compared.

    Raises:
        UnreadError: a file is too large, or cannot be read.
    """
    last = _plain(key.rpartition(".")[2])
    named = []
    for name, given in _of_source(str(PurePath(path).parent), gate):
        if _plain(name.rpartition(".")[2]) == last:
            named.append(given)
    return named


@lru_cache(maxsize=1024)
def _of_source(folder: str, gate: Gate) -> tuple[tuple[str, Property], ...]:
    for above in [PurePath(folder), *PurePath(folder).parents][:_FURTHEST]:
        resources = Path(above, _RESOURCES)
        if resources.is_dir():
            return tuple(_of_folder(resources, gate))
    return ()


def _of_folder(resources: Path, gate: Gate) -> Iterator[tuple[str, Property]]:
    for pattern in _FILES:
        for file in sorted(resources.glob(pattern)):
            if not file.is_file():
                continue
            text = gate.read(file).decode("utf-8", "replace")
            for line in _SET.finditer(text):
                number = None
                written = _NUMBER.fullmatch(line["value"].strip())
                if written is not None:
                    number = int(written["digits"])
                at = text.count("\n", 0, line.start()) + 1
                yield line["name"], Property(number, file.name, at)


def _plain(name: str) -> str:
    """Write a name as Spring compares it, without dashes and capitals."""
    return name.replace("-", "").replace("_", "").lower()
