"""Members of objects that code sets once, in the place of what reads them. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from hashcost.apps.files.production import closing

_OBJECT: Final = re.compile(
    r"\b(?:(?:const|let|var)\s+)?(?P<name>[A-Za-z_$][\w$]*)\s*(?::\s*[\w.<>]+\s*)?:?=\s*"
    r"(?:Object\.freeze\()?&?[\w.]*\{"
)
_MEMBER: Final = re.compile(
    r"(?:^|[{,\n])\s*(?:['\"]?(?P<key>[A-Za-z_$][\w$]*)['\"]?)\s*:\s*"
    r"(?P<value>[0-9][0-9_]*|\{)(?=\s*[,}\n]|[^,}]*)"
)
_LONGEST: Final = 20_000
_LARGEST: Final = 200_000
"""Characters of code; nobody wrote a longer file by hand."""


def with_members(text: str) -> str:
    """The code with numbers for the members of its own objects, unless these are set again."""
    if len(text) > _LARGEST:
        return text
    code = text
    for match in _OBJECT.finditer(code):
        if f"{match['name']}." not in code:
            continue
        end = closing(code, match.end() - 1)
        if end is None:
            break
        if end - match.end() > _LONGEST:
            continue
        for path, value in _members(code[match.end() - 1 : end + 1], match["name"]):
            if path not in text:
                continue
            name = re.escape(path)
            if len(re.findall(rf"(?<![\w.$]){name}\s*[-+*/]?=(?!=)", text)):
                continue
            text = re.sub(rf"(?<![\w.$]){name}(?![\w$.(])", value, text)
    return text


def _members(block: str, name: str) -> Iterator[tuple[str, str]]:
    """The dotted names of the numbers in a literal of an object."""
    position = 0
    while (match := _MEMBER.search(block, position)) is not None:
        position = match.end()
        path = f"{name}.{match['key']}"
        if match["value"] != "{":
            yield path, match["value"]
            continue
        end = closing(block, match.end() - 1)
        if end is None:
            return
        yield from _members(block[match.end() - 1 : end + 1], path)
        position = end
