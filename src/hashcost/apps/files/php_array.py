"""A PHP file that holds one array of settings, such as Nextcloud's: read, never run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hashcost.apps.files.lines import Entry
from hashcost.core.errors import UnreadableInputError, at_line

LARGEST: Final = 1024 * 1024
"""Characters."""
_TOKEN: Final = re.compile(
    r"""(?P<skipped>\s+|<\?(?:php\b|=)?|\?>|//[^\n]*|\#(?!\[)[^\n]*|/\*.*?\*/)"""
    r"""|(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"""|(?P<word>\$?[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9A-Za-z_.]*)"""
    r"""|(?P<sign>=>|[^\s])""",
    re.DOTALL,
)
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int
    depth: int


def elements(text: str) -> tuple[Entry, ...]:
    """Each ``'key' => word`` of the outermost array, and each ``$array['key'] = word``.

    A word is a number, a constant or a string without escapes; other values are left out.

    Raises:
        UnreadableInputError: it is too large, or a quote or a comment does not end.
    """
    if len(text) > LARGEST:
        raise UnreadableInputError(f"this PHP has more than {LARGEST:,} characters; shorten it")
    found = list(_tokens(text))
    outermost = min(
        (token.depth for token in found if token.text == "=>"),
        default=0,
    )
    return tuple(_elements(found, outermost))


def _elements(found: list[_Token], outermost: int) -> Iterator[Entry]:
    for index, token in enumerate(found[:-2]):
        if token.kind != "string":
            continue
        following = [each.text for each in found[index + 1 : index + 3]]
        if following[0] == "=>" and token.depth == outermost:
            value, end = found[index + 2], found[index + 3 : index + 4]
        elif following == ["]", "="] and index + 3 < len(found):
            value, end = found[index + 3], found[index + 4 : index + 5]
        else:
            continue
        if value.kind in {"word", "string"} and (not end or end[0].text in {",", ";", ")", "]"}):
            yield Entry(token.text[1:-1], value.text.strip("'\""), token.line)


def _tokens(text: str) -> Iterator[_Token]:
    line, depth, position = 1, 0, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        kind = "" if match is None else match.lastgroup or ""
        if match is None or (kind == "sign" and match[0] in {"'", '"'}):
            raise at_line(line, "not PHP: a quote that does not end")
        if kind == "sign" and text.startswith("/*", position):
            raise at_line(line, "not PHP: a comment that does not end")
        if kind == "sign":
            depth -= match[0] in _CLOSING
        if kind != "skipped":
            yield _Token(kind, match[0], line, depth)
        if kind == "sign":
            depth += match[0] in _OPENING
        line += match[0].count("\n")
        position = match.end()
