"""What is wrong with a table or a name that a person wrote, and what to write instead. Pure."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

_PLACE: Final = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_MISSING: Final = re.compile(r"^Object missing required field `(?P<key>[^`]+)`")
_UNKNOWN: Final = re.compile(r"^Object contains unknown field `(?P<key>[^`]+)`")
_INDEX: Final = re.compile(r"\[[^]]*\]$")


def mistake(error: msgspec.ValidationError, wanted: Mapping[str, str]) -> str:
    """The key that is wrong and what belongs there, for a message.

    ``wanted`` is what each key takes, with an example; tables inside share their names.
    """
    text = str(error)
    found = _PLACE.search(text)
    path = "" if found is None else found["path"]
    missing, unknown = _MISSING.match(text), _UNKNOWN.match(text)
    if missing is not None:
        return f"{_below(path, missing['key'])} is missing; write {wanted[missing['key']]}"
    if unknown is not None:
        return f"there is no key {_below(path, unknown['key'])}"
    path = _INDEX.sub("", path)
    key = path.rpartition(".")[2]
    return f"{path}: write {wanted[key]}" if key in wanted else "it must be a table"


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
