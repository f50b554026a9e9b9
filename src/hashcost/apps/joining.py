"""Files that are named together as the one configuration that they make."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os.path import normpath
from pathlib import PurePath
from typing import Any, Final

from hashcost.apps.files.assignments import assignments
from hashcost.apps.files.compose import Service, services
from hashcost.apps.files.lines import Entry
from hashcost.apps.files.yaml_file import values
from hashcost.apps.inclusion import Left, Part, Reader, Whole, taken_in, whole
from hashcost.apps.interface import App
from hashcost.apps.signs import Signs, is_own
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, said_of

_DOTENV: Final = re.compile(r"(?:^|/)(?:\.env(?:\.\w+)?|[\w.-]+\.env)$")
_INTERPOLATED: Final = re.compile(
    r"\$\{(?P<braced>\w+)(?::?-(?P<default>[^{}]*))?\}|\$(?P<name>\w+)"
)
_HARMLESS: Final = re.compile(r"[\w .,:/@+=-]{0,200}")
"""A value that can be put between quotes in any language."""
_FURTHEST: Final = 8
"""So many folders above a file of code may be the one that has its values."""


def wholes(app: App, named: Sequence[Part], reader: Reader | None) -> tuple[Whole, ...]:
    """What the files make: one configuration, or one each.

    A file that another one takes in counts as a part of that one. A Compose file or a
    manifest is what its services have in their environments.

    Raises:
        UnreadableInputError: a file with services is not YAML.
    """
    signs, comment = app.signs, app.comment
    made: dict[str, list[Part]] = {}
    variables: dict[str, str] = {}
    used: set[str] = set()
    code = []
    for part in named:
        started = _started(part) if _takes_services(signs) else None
        is_environment = bool(signs.environment) and len(named) > 1
        if started is not None:
            fragments = [_fragment(app, part, each, reader, used) for each in started]
            if is_environment:
                variables.update(_values(each for one in started for each in one.variables))
                continue
            own = [each for each in fragments if is_own(signs, each.text)]
            made[part.path] = own or fragments[:1] or [part]
        elif signs.json and part.text.lstrip()[:1] == "{":
            made[part.path] = [_members(signs, part)]
        elif is_environment and _has_values(signs, part.path):
            variables.update(_in_file(part.text, part.path))
            continue
        code.append(part)
    kept = [each for each in code if normpath(each.path) not in used] or code
    kept = _apart(signs, comment, kept, reader)
    if signs.environment:
        kept = [_with_values(signs, each, variables, reader) for each in kept]
    if signs.together is None or len(kept) < 2:
        groups = [[one] for each in kept for one in made.get(each.path, [each])]
    else:
        order = sorted(kept, key=lambda each: _rank(signs.together or (), each.path))
        groups = [[one for each in order for one in made.get(each.path, [each])]]
    return tuple(whole(signs, comment, group, reader) for group in groups)


def _takes_services(signs: Signs) -> bool:
    return bool(signs.compose or signs.environment or signs.options)


def _started(part: Part) -> tuple[Service, ...] | None:
    with said_of(part.path):
        return services(part.text)


def _has_values(signs: Signs, path: str) -> bool:
    names = {PurePath(each).name for each in signs.values}
    return PurePath(path).name in names or bool(_DOTENV.search(PurePath(path).as_posix()))


def _values(entries: Iterator[Entry]) -> dict[str, str]:
    return {each.name: each.value for each in entries}


def _rank(patterns: Sequence[str], path: str) -> int:
    matching = [index for index, each in enumerate(patterns) if re.search(each, path)]
    return matching[-1] if matching else -1


def _apart(signs: Signs, comment: str, parts: list[Part], reader: Reader | None) -> list[Part]:
    """Those that no other of them takes in; of two that take in each other the first."""
    if len(parts) < 2:
        return parts
    inside = [taken_in(signs, comment, each, reader) for each in parts]
    paths = [normpath(each.path) for each in parts]
    return [
        part
        for index, part in enumerate(parts)
        if not any(
            paths[index] in others and (paths[other] not in inside[index] or other < index)
            for other, others in enumerate(inside)
            if other != index
        )
    ]


def _fragment(
    app: App, part: Part, service: Service, reader: Reader | None, used: set[str]
) -> Part:
    """A service as lines of the application's own file."""
    signs, folder = app.signs, PurePath(part.path).parent
    beside = reader.read(str(folder / ".env")) if reader is not None else None
    known = _values(assignments(beside or "", by="="))
    lines: list[tuple[str, int, str]] = []
    left = []
    for each in service.files:
        path = str(folder / each.value)
        text = reader.read(path) if reader is not None and each.value else None
        if text is None:
            left.append((each.line, f"{each.name} {each.value}".strip()))
            continue
        used.add(normpath(path))
        found = assignments(text, by="=")
        lines += [(line, one.line, path) for one in found for line in _lines(app, one)]
    for each in service.variables:
        filled = replace(each, value=_interpolated(each.value, known))
        lines += [(line, each.line, part.path) for line in _lines(app, filled)]
    for option in signs.options:
        for match in re.finditer(option.mark, service.command):
            text = match.expand(option.stands_for)
            lines += [(line, service.line, part.path) for line in text.splitlines()]
    if left:
        lines.append(("", left[0][0], part.path))
    return Part(
        path=part.path,
        text="\n".join(line for line, _, _ in lines) or "\n",
        places=tuple(Place(path=path, line=line) for _, line, path in lines)
        or (Place(path=part.path),),
        left=tuple(Left(len(lines), words) for _, words in left),
    )


def _members(signs: Signs, part: Part) -> Part:
    """A JSON object as lines of the application's own file."""
    with said_of(part.path):
        found = [each for each in values(part.text) if len(each.path) == 1]
    lines = [signs.json.format(str(each.path[0]).upper(), each.text) for each in found]
    places = tuple(Place(path=part.path, line=each.line) for each in found)
    return Part(part.path, "\n".join(lines), places)


def _interpolated(value: str, known: Mapping[str, str]) -> str:
    """The value with Compose's variables in it, as far as ``.env`` has them."""

    def filled(match: re.Match[str]) -> str:
        return known.get(match["braced"] or match["name"], match[0])

    return _INTERPOLATED.sub(filled, value)


def _lines(app: App, variable: Entry) -> list[str]:
    """How a variable is written in the application's own file; nothing if it is not its."""
    signs = app.signs
    if signs.prefix is not None:
        names = {_in_capitals(each): each for each in _keys(app.reading)}
        key = names.get(variable.name.removeprefix(signs.prefix))
        if key is not None and variable.name.startswith(signs.prefix):
            return [signs.compose.format(key, variable.value)]
        return []
    match = re.fullmatch(signs.variable, variable.name)
    if match is None or not signs.compose:
        return []
    return signs.compose.format(*match.groups(), variable.value).splitlines()


def _in_capitals(key: str) -> str:
    return re.sub(r"\W", "_", key).upper()


def _keys(reading: Mapping[str, Any]) -> Iterator[str]:
    """The names of settings in a table ``read``."""
    for name, value in reading.items():
        if name in {"keys", "older"} and isinstance(value, Mapping):
            yield from map(str, value.values())
        elif name == "key":
            yield str(value)
        elif isinstance(value, Mapping):
            yield from _keys(value)


def _with_values(
    signs: Signs, part: Part, variables: Mapping[str, str], reader: Reader | None
) -> Part:
    """Code in which the expressions for a variable that is known are its value."""
    known = {**_beside(part, signs.values, reader), **variables}

    def written(match: re.Match[str]) -> str:
        value = known.get(match["name"])
        if value is None or not _HARMLESS.fullmatch(value):
            return match[0]
        return value if match.re.groupindex.get("plain") else f'"{value}"'

    text = part.text
    for mark in signs.environment if known else ():
        text = re.sub(mark, written, text)
    return replace(part, text=text)


def _beside(part: Part, names: Sequence[str], reader: Reader | None) -> dict[str, str]:
    """What the nearest file of some names above a file has."""
    folder = PurePath(part.path).parent
    for each in (folder, *folder.parents)[: _FURTHEST + 1] if reader is not None else ():
        for name in names:
            text = reader.read(str(each / name)) if reader is not None else None
            if text is not None:
                return _in_file(text, name)
    return {}


def _in_file(text: str, name: str) -> dict[str, str]:
    """The values in a dotenv, a file of Java's properties, YAML or JSON, by dotted names."""
    if not name.endswith((".json", ".yml", ".yaml")):
        return _values(assignments(text, by="="))
    try:
        return {each.name: each.text for each in values(text) if each.wins}
    except UnreadableInputError:
        return {}
