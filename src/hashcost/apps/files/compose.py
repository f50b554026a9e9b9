"""What Docker Compose files and Kubernetes manifests start programs with."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from hashcost.apps.files.lines import Entry
from hashcost.apps.files.yaml_file import Scalar, values

_SERVICES: Final = re.compile(r"^services\s*:", re.MULTILINE)
_MANIFEST: Final = re.compile(
    r"^kind\s*:\s*[\"']?(?:Deployment|StatefulSet|DaemonSet|Pod|Job|CronJob|ConfigMap)\b",
    re.MULTILINE,
)
_CONTAINERS: Final = ("containers", "initContainers")
_COMMANDS: Final = ("command", "args", "entrypoint")


@dataclass(frozen=True)
class Service:
    """The variables that a container gets, the files of further ones, and its command line.

    ``files`` have paths relative to the file as their values, empty where none is told.
    """

    variables: tuple[Entry, ...] = ()
    files: tuple[Entry, ...] = ()
    command: str = ""
    line: int = 0
    """Where the command stands."""


def services(text: str) -> tuple[Service, ...] | None:
    """Every service of a Compose file or container of a manifest; `None` if it is neither.

    Raises:
        UnreadableInputError: it is not YAML.
        UnavailableError: ruamel.yaml is not installed.
    """
    if _SERVICES.search(text):
        return tuple(_composed([each for each in values(text) if each.wins]))
    if _MANIFEST.search(text):
        return tuple(_deployed([each for each in values(text) if each.wins]))
    return None


def _composed(found: list[Scalar]) -> Iterator[Service]:
    below = [each for each in found if len(each.path) > 2 and each.path[0] == "services"]
    for name in dict.fromkeys(each.path[1] for each in below):
        own = [each for each in below if each.path[1] == name]
        variables, files = [], []
        for each in own:
            if each.path[2] == "environment" and len(each.path) == 4:
                variables.append(_variable(str(each.path[3]), each))
            elif each.path[2] == "env_file" and each.path[-1] != "required":
                files.append(Entry("env_file", each.text, each.line))
        yield _service(variables, files, [each for each in own if each.path[2] in _COMMANDS])


def _deployed(found: list[Scalar]) -> Iterator[Service]:
    maps = _maps(found)
    taken: set[str] = set()
    inside = [each for each in found if _container(each)]
    for _, group in groupby(sorted(inside, key=_container), key=_container):
        own = [(each.path[len(_container(each)) - 1 :], each) for each in group]
        listed: dict[object, dict[object, Scalar]] = {}
        for path, each in own:
            if path[0] == "env" and len(path) == 3:
                listed.setdefault(path[1], {})[path[2]] = each
        variables = [
            _variable(pair["name"].text, pair["value"])
            for pair in listed.values()
            if pair.keys() >= {"name", "value"}
        ]
        files = []
        for path, each in own:
            if path[0] != "envFrom" or path[-1] != "name":
                continue
            if each.text in maps:
                taken.add(each.text)
                variables = [*maps[each.text], *variables]
            else:
                files.append(Entry("envFrom", "", each.line))
        yield _service(variables, files, [each for path, each in own if path[0] in _COMMANDS])
    for name, variables in maps.items():
        if name not in taken:
            yield Service(variables=tuple(variables))


def _maps(found: list[Scalar]) -> dict[str, list[Entry]]:
    """The variables of every ConfigMap by its name."""
    maps: dict[str, list[Entry]] = {}
    names = {each.document: each.text for each in found if each.path == ("metadata", "name")}
    for each in found:
        if each.path[:1] == ("data",) and len(each.path) == 2:
            name = names.get(each.document, "")
            maps.setdefault(name, []).append(_variable(str(each.path[1]), each))
    return maps


def _container(each: Scalar) -> tuple[int | str, ...]:
    """The document and the path of the container that a value is in; empty if it is in none."""
    for index, part in enumerate(each.path[:-2]):
        if part in _CONTAINERS and isinstance(each.path[index + 1], int):
            return (each.document, *each.path[: index + 2])
    return ()


def _service(variables: list[Entry], files: list[Entry], words: list[Scalar]) -> Service:
    return Service(
        variables=tuple(variables),
        files=tuple(files),
        command=" ".join(each.text for each in words),
        line=words[0].line if words else 0,
    )


def _variable(name: str, value: Scalar) -> Entry:
    """A variable; two dollar signs are one, and a list has ``NAME=value``."""
    text = value.written or value.text
    if name.isdigit():
        name, _, text = text.partition("=")
    return Entry(name.strip(), text.replace("$$", "$"), value.line)
