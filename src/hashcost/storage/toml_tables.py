"""Tables that a person wrote: read, what is wrong with them, and what to write instead. Pure."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashcost.core.text import hint
from hashcost.core.waiver_comments import (
    MOST,
    NO_COMMENTS,
    Comment,
    Comments,
    reached_from_above,
    waiver_in,
)

_PLACE: Final = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_MISSING: Final = re.compile(r"^Object missing required field `(?P<key>[^`]+)`")
_UNKNOWN: Final = re.compile(r"^Object contains unknown field `(?P<key>[^`]+)`")
_STRING_OR_COMMENT: Final = re.compile(
    r"""\"{3}(?:[^\\"]|\\.|"(?!""))*+(?:\"{3}|\Z)|'{3}(?:[^']|'(?!''))*+(?:'{3}|\Z)"""
    r"""|(?<!\\)"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|(?P<comment>\#[^\n]*)""",
    re.DOTALL,
)

MOST_PARTS: Final = 32
"""Most parts of a key: the TOML parser walks all of them for each key below it."""
_PART: Final = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_KEY: Final = re.compile(rf"(?<![\w-])(?:{_PART}){{{MOST_PARTS}}}")


def table_of(content: bytes) -> dict[str, Any]:
    """The table in the content of a file.

    Raises:
        ValueError: it is not TOML, or beyond what is read; the message goes on from "it is".
    """
    try:
        text = content.decode("utf-8-sig")  # Some editors write a byte order mark.
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(f"not UTF-8 at line {line}") from error
    long = _LONG_KEY.search(text)
    if long is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise ValueError(
            f"beyond what is read: a key of more than {MOST_PARTS} parts at line {line}"
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # It may quote a key, which has any length.
        problem, _, where = str(error).rpartition(" (at ")
        raise ValueError(f"not TOML: {problem[:80]} (at {where}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except ValueError as error:
        raise ValueError("not TOML: it has a number of thousands of digits") from error


def comments_in_toml(text: str) -> Comments:
    """The waivers in the comments of a TOML file.

    A finding is reached from its own line and from the comments directly above that.
    """
    waivers: list[Comment] = []
    own_lines = set()
    line, counted = 1, 0
    for match in _STRING_OR_COMMENT.finditer(text):
        if match["comment"] is None:
            continue
        # From the last comment on: from the beginning each time would take quadratic time.
        line += text.count("\n", counted, match.start())
        counted = match.start()
        begins = text.rfind("\n", 0, match.start()) + 1
        if not text[begins : match.start()].strip():
            own_lines.add(line)
        comment = waiver_in(match["comment"], line)
        if comment is not None and len(waivers) < MOST:
            waivers.append(comment)
    if not waivers:
        return NO_COMMENTS
    return Comments(tuple(waivers), reached_from_above(own_lines))


def mistake(error: msgspec.ValidationError, wanted: Mapping[str, str]) -> str:
    """The key that is wrong and what belongs there, for a message.

    ``wanted`` has the value that each key takes, with an example; tables inside share it.
    """
    text, path = str(error), ""
    place = _PLACE.search(text)
    if place is not None:
        path = place["path"]
    missing, unknown = _MISSING.match(text), _UNKNOWN.match(text)
    if missing is not None:
        return f"{_below(path, missing['key'])} is missing; write {wanted[missing['key']]}"
    if unknown is not None:
        key = unknown["key"][:60]
        return f"there is no key {_below(path, key)}; {hint(key, wanted)}"
    while path.endswith("]"):  # The place of an item in its array.
        path = path.rpartition("[")[0]
    key = path.rpartition(".")[2]
    if key not in wanted:
        return "it must be a table"
    return f"{path}: write {wanted[key]}"


def _below(path: str, key: str) -> str:
    return ".".join(filter(None, (path, key)))
