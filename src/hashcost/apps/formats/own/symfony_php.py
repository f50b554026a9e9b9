"""Symfony's configuration in PHP: ``$security->passwordHasher(…)->algorithm(…)->cost(…)``."""

import re
from collections.abc import Iterator
from typing import Final

from hashcost.apps.files.yaml_file import Scalar
from hashcost.apps.formats.own.symfony import of_class
from hashcost.apps.interface import App, Found, format_of
from hashcost.apps.signs import without_comments

_CODE: Final = {"format": "source-code", "languages": ["php"], "libraries": ["Symfony"]}
_HASHER: Final = re.compile(
    r"->passwordHasher\(\s*(?P<name>[^()]*)\)\s*(?P<chain>(?:->\w+\(\s*[^()]*\)\s*)*)"
)
_CALL: Final = re.compile(r"->(?P<name>\w+)\(\s*(?P<value>[^()]*?)\s*\)")
_LITERAL: Final = re.compile(r"['\"](?P<text>[^'\"]*)['\"]|(?P<number>[0-9]+)")
_UPPER: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read(app: App, text: str) -> tuple[Found, ...]:
    """What each class of users is hashed with, or the costs of the hashers that code makes."""
    code = without_comments(text, "// {}")
    found = [one for match in _HASHER.finditer(code) for one in _of(match, code)]
    return tuple(found) or format_of(_CODE).read(app, text)


def _of(match: re.Match[str], code: str) -> Iterator[Found]:
    line = code.count("\n", 0, match.start()) + 1
    given = []
    for call in _CALL.finditer(match["chain"]):
        literal = _LITERAL.fullmatch(call["value"])
        if literal is None:
            yield Found.untold(line, f"{call['name'][:40]} is known only at run time")
            return
        name = _UPPER.sub("_", call["name"]).lower()
        at = line + match["chain"].count("\n", 0, call.start())
        given.append(Scalar(path=(name,), text=literal["text"] or literal["number"], line=at))
    yield from of_class(given)
