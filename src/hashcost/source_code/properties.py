"""The property files of a Java project: ``application.properties`` and ``application.yml``."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from hashcost.source_code.stages import DeploymentStage, stage_named
from hashcost.source_code.values import Reason
from hashcost.storage.gate import Gate

_FURTHEST: Final = 12
"""Folders above a source that are looked into; repositories are nested less deeply."""
_RESOURCES: Final = PurePath("src/main/resources")
_FILES: Final = ("application*.properties", "application*.yml", "application*.yaml")
_SET: Final = re.compile(
    r"^(?P<indent>[ \t]*+)(?P<name>[\w.-]++)[ \t]*+[=:](?P<value>[^\n#]{0,200})", re.MULTILINE
)
"""A property by its name or, in YAML, the last part of it; the parts before have less indent."""
_NUMBER: Final = re.compile(
    r"[\"']?(?:\$\{(?P<placeholder>[^{}:\n]*+):)?(?P<digits>[0-9]{1,18})\}?[\"']?"
)
"""A number, or the default of a placeholder: ``${COST:12}``."""
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]*")
"""The name of a placeholder that is written as variables of the environment are."""


class Property(NamedTuple):
    """A value that a file gives a property; ``number`` is ``None`` if it is not one.

    The setting that its ``placeholder`` names, if it has one, comes before the number.
    """

    number: int | None
    file: str
    line: int
    placeholder: str = ""

    @property
    def whys(self) -> tuple[str, ...]:
        """The reasons for the number, in words."""
        sets = f"{self.file}:{self.line} sets it"
        if not self.placeholder:
            return (sets,)
        if _VARIABLE.fullmatch(self.placeholder):
            why = f"unless the environment sets {self.placeholder}"
            return (sets, Reason(why, variable=self.placeholder))
        return (sets, f"unless the configuration sets {self.placeholder}")


def properties_named(key: str, path: str, gate: Gate) -> list[Property]:
    """Find the values that the property files of a source's project give a property.

    Raises:
        UnreadError: a file is too large, or cannot be read.
    """
    asked = _plain(key)
    of_source = _of_source(str(PurePath(path).parent), gate)
    return [given for name, given in of_source if _plain(name) == asked]


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
            is_for_tests = stage_named(file.stem) is DeploymentStage.TESTS
            if file.is_file() and not is_for_tests:
                text = gate.read(file).decode("utf-8", "replace")
                yield from _of_text(text, file.name)


def _of_text(text: str, file: str) -> Iterator[tuple[str, Property]]:
    around: list[tuple[int, str]] = []
    at = 1
    counted_to = 0
    for line in _SET.finditer(text):
        at += text.count("\n", counted_to, line.start())
        counted_to = line.start()
        indent = len(line["indent"])
        while around and around[-1][0] >= indent:
            around.pop()
        value = line["value"].strip()
        if value:
            name = ".".join([*(outer for _, outer in around), line["name"]])
            yield name, _property(value, file, at)
        else:
            around.append((indent, line["name"]))


def _property(value: str, file: str, line: int) -> Property:
    written = _NUMBER.fullmatch(value)
    if written is None:
        return Property(None, file, line)
    return Property(int(written["digits"]), file, line, written["placeholder"] or "")


def _plain(name: str) -> str:
    """Write a name as Spring compares it, without dashes and capitals."""
    return name.replace("-", "").replace("_", "").lower()
