"""The files that give a project its settings: those of Spring and Quarkus, and of .NET."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from hashcost.source_code.stages import DeploymentStage, is_below_tests, stage_named
from hashcost.source_code.values import Reason
from hashcost.storage.gate import Gate

_FURTHEST: Final = 12
"""Folders above a source that are looked into; repositories are nested less deeply."""
_RESOURCES: Final = PurePath("src/main/resources")
_FILES: Final = ("application*.properties", "application*.yml", "application*.yaml")
_FILES_OF_DOTNET: Final = "appsettings*.json"
_OF_OPTIONS: Final = re.compile(r"(?:options|settings|config|configuration)$")
"""The end of the name of a class that .NET fills from a section."""
_IN_JSON: Final = re.compile(
    r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
    r"|\"(?P<text>(?:[^\"\\\n]|\\.)*+)\"?+(?P<is_name>[ \t]*+:)?+"
    r"|(?P<number>[\w.+-]++)|(?P<sign>[{}])"
)
"""The names, values and braces of JSON, also of that of .NET, which has comments.

A text may lack its end.
"""
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


def settings_of_dotnet(key: str, path: str, top: PurePath, gate: Gate) -> list[Property]:
    """Find the values that ``appsettings.json`` beside a source gives a key, ``Security:Cost``.

    It is in a folder around the source, or next to one, but not above the ``top`` of the project.

    Raises:
        UnreadError: a file is too large, or cannot be read.
    """
    asked = key.lower()
    of_source = _of_dotnet(PurePath(path).parent, top, gate)
    return [given for name, given in of_source if name == asked]


def options_of_dotnet(
    of_class: str, name: str, sections: Collection[str], path: str, top: PurePath, gate: Gate
) -> list[Property]:
    """Find the values that ``appsettings.json`` gives a property of a class of options.

    The section is named as the class, with or without its last word, or is one of ``sections``.

    Raises:
        UnreadError: a file is too large, or cannot be read.
    """
    plain = of_class.lower()
    own = {plain, _OF_OPTIONS.sub("", plain), *map(str.lower, sections)}
    values = []
    for key, given in _of_dotnet(PurePath(path).parent, top, gate):
        section, _, last = key.rpartition(":")
        is_own = section in own or section.rpartition(":")[2] in own
        if last == name.lower() and is_own:
            values.append(given)
    return values


def in_production(given: Sequence[Property]) -> Sequence[Property]:
    """Keep what files for production give, or else everything."""
    kept = [
        one for one in given if stage_named(PurePath(one.file).stem) is DeploymentStage.PRODUCTION
    ]
    return kept or given


@lru_cache(maxsize=1024)
def _of_dotnet(folder: PurePath, top: PurePath, gate: Gate) -> tuple[tuple[str, Property], ...]:
    for above in [folder, *folder.parents][:_FURTHEST]:
        if not above.is_relative_to(top):
            break
        files = list(Path(above).glob(_FILES_OF_DOTNET))
        # The program that is started may be a project beside the one of the source.
        files += Path(above).glob(f"*/{_FILES_OF_DOTNET}")
        kept = [file for file in sorted(files) if _is_for_production(file, above)]
        if kept:
            return tuple(chain.from_iterable(_of_json(file, gate) for file in kept))
    return ()


def _is_for_production(file: Path, above: PurePath) -> bool:
    """Tell whether a file of settings below a folder is neither for tests nor development."""
    if is_below_tests(PurePath(file).relative_to(above)):
        return False
    return file.is_file() and stage_named(file.stem) is not DeploymentStage.TESTS


def _of_json(file: Path, gate: Gate) -> Iterator[tuple[str, Property]]:
    """List the settings of a JSON file by their keys, in which colons part the sections."""
    text = gate.read(file).decode("utf-8-sig", "replace")
    around: list[str] = []
    name = ""
    line = 1
    counted_to = 0
    for part in _IN_JSON.finditer(text):
        line += text.count("\n", counted_to, part.start())
        counted_to = part.start()
        if part["is_name"]:
            name = part["text"].lower()
        elif part["sign"] == "{":
            around.append(name)
        elif part["sign"]:
            del around[-1:]
        elif part["text"] is not None or part["number"]:
            value = part["text"] or part["number"] or ""
            key = ":".join(filter(None, [*around, name]))
            yield key, _property(value, file.name, line)


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
