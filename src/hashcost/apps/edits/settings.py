"""A snippet of settings put into a file of the same kind, below the headers that are there. Pure.

Flat files (``.env``, ``login.defs``, ``postgresql.conf``), INI sections and nested YAML are
one form here: lines with a key each, some of them headers of others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.apps.edits.literals import Edit

_SECTION: Final = re.compile(r"\s*\[[^\[\]]+\]\s*")
_KEY: Final = re.compile(
    r"\s*(?:export\s+)?(?P<key>:?[^\s=#;:][^\s=]*?)"
    r"(?:\s*(?:=>|=|:(?=\s|$))\s*|\s+)(?P<value>.*?)\s*"
)
_PLAIN_VALUE: Final = re.compile(r"(?P<quote>[\"']?)(?P<text>[\w$:.-]+)(?P=quote)(?=\s|$|;|,)")
_PLACE: Final = re.compile(r"<[^<>]*>")
_REFERENCE: Final = re.compile(r"\$(?:\{|[A-Z_]{2,})")


@dataclass(frozen=True)
class _Node:
    """A line of the snippet, with those below it."""

    line: str
    below: tuple[_Node, ...] = ()

    @property
    def lines(self) -> Iterator[str]:
        """The line and all below it."""
        yield self.line
        for each in self.below:
            yield from each.lines


@dataclass(frozen=True)
class _Level:
    """The lines, from and to, in which the keys of one level are, and how they are indented."""

    first: int
    last: int
    indent: str = ""


def merged(text: str, snippet: str, head: Sequence[str], costs: frozenset[str]) -> str | None:
    """The text with what it lacks of the snippet; `None` if it has another value for a key.

    A key of ``costs`` that is there keeps its value. ``head`` are lines of comment.
    """
    lines = text.splitlines(keepends=True)
    newline = "\r\n" if "\r\n" in text else "\n"
    rows = [line for line in snippet.splitlines() if line.strip()]
    if _SECTION.fullmatch(rows[0]) and lines and not any(map(_SECTION.fullmatch, lines)):
        return None  # It has no sections, so it is a file of another kind.
    for offset, added in reversed(_missing(lines, _tree(rows), _Level(0, len(lines)), costs)):
        if added is None:
            return None
        indent = added[0][: len(added[0]) - len(added[0].lstrip())]
        new = [*(indent + each for each in head), *added]
        if offset and not lines[offset - 1].endswith("\n"):
            lines[offset - 1] += newline
        lines[offset:offset] = [each + newline for each in new]
        head = ()
    return "".join(lines)


def keys_in(template: str) -> dict[str, str]:
    """The keys of a snippet's costs, each with its line; none if it is not made of settings."""
    found = {}
    for line in template.splitlines():
        match = _KEY.fullmatch(line)
        if match is not None and "<" in match["value"]:
            found[match["key"]] = line.strip()
            if len(_PLACE.sub("0", match["value"]).split()) > 1:
                return {}  # A command, and no setting.
    return found


def values_of(text: str, snippet: str, keys: Sequence[str]) -> Iterator[Edit]:
    """The value of each line that has a key of the snippet, with the snippet's in its place.

    Quotes stay, and so does what is behind the value; what refers to a variable is left alone.
    """
    wanted = {}
    for line in snippet.splitlines():
        match = _KEY.fullmatch(line)
        if match is not None and match["key"] in keys:
            wanted[match["key"]] = match["value"].strip("\"'")
    offset = 0
    for line in text.splitlines(keepends=True):
        match = _KEY.fullmatch(line.rstrip("\r\n"))
        if match is not None and _bare(match["key"]) in wanted:
            value = _PLAIN_VALUE.match(line, match.start("value"))
            if value is not None and not _REFERENCE.search(value["text"]):
                start, end = value.span("text")
                yield Edit(offset + start, offset + end, wanted[_bare(match["key"])])
        offset += len(line)


def value_on(text: str, line: int, snippet: str) -> Iterator[Edit]:
    """The value of one line, with one of the snippet's in its place, whatever its key is."""
    rows = text.splitlines(keepends=True)
    if not 0 < line <= len(rows):
        return
    match = _KEY.fullmatch(rows[line - 1].rstrip("\r\n"))
    value = _PLAIN_VALUE.match(rows[line - 1], match.start("value")) if match else None
    if value is None or _REFERENCE.search(value["text"]):
        return
    offset = sum(map(len, rows[: line - 1]))
    start, end = value.span("text")
    for each in snippet.splitlines():
        wanted = _KEY.fullmatch(each)
        if wanted is not None and any(map(str.isdigit, wanted["value"])):
            yield Edit(offset + start, offset + end, wanted["value"].strip("\"'"))


def _tree(rows: Sequence[str]) -> tuple[_Node, ...]:
    """The lines of a snippet, those that are indented further below the one before them."""
    nodes: list[_Node] = []
    index = 0
    while index < len(rows):
        section = _SECTION.fullmatch(rows[index]) is not None
        depth = _depth(rows[index])
        end = index + 1
        while end < len(rows) and (
            not _SECTION.fullmatch(rows[end]) if section else _depth(rows[end]) > depth
        ):
            end += 1
        nodes.append(_Node(rows[index], _tree(rows[index + 1 : end])))
        index = end
    return tuple(nodes)


def _missing(
    lines: Sequence[str], nodes: Sequence[_Node], level: _Level, costs: frozenset[str]
) -> list[tuple[int, list[str] | None]]:
    """The lines to add, each with where; no lines where something else stands."""
    found: list[tuple[int, list[str] | None]] = []
    new: list[str] = []
    for node in nodes:
        at = _line_of(lines, node, level)
        if at is None:
            new += _indented(node, level.indent)
        elif node.below:
            found += _missing(lines, node.below, _below(lines, at, node), costs)
        elif _bare(_key(node.line)) not in costs and not _same(lines[at], node.line):
            found.append((at, None))
    if new:
        found.append((_where(lines, new, level), new))
    return sorted(found, key=lambda each: each[0])


def _line_of(lines: Sequence[str], node: _Node, level: _Level) -> int | None:
    """The last line of a level that has a node's key."""
    for at in range(level.last - 1, level.first - 1, -1):
        line = lines[at].rstrip("\r\n")
        if _depth(line) != len(level.indent):
            continue
        if _SECTION.fullmatch(node.line):
            if line.strip() == node.line.strip():
                return at
        elif _KEY.fullmatch(line) and _bare(_key(line)) == _bare(_key(node.line)):
            return at
    return None


def _below(lines: Sequence[str], at: int, header: _Node) -> _Level:
    """The level below a header of the file."""
    section = _SECTION.fullmatch(header.line) is not None
    depth = _depth(lines[at])
    end, indent = at + 1, None
    for number in range(at + 1, len(lines)):
        line = lines[number].rstrip("\r\n")
        if section and _SECTION.fullmatch(line):
            break
        if line.strip() and not line.lstrip().startswith(("#", ";")):
            if not section and _depth(line) <= depth:
                break
            indent = line[: _depth(line)] if indent is None else indent
        end = number + 1
    if indent is None:
        own = _depth(header.below[0].line) - _depth(header.line) if header.below else 0
        indent = lines[at][:depth] + " " * own
    return _Level(at + 1, end, "" if section else indent)


def _where(lines: Sequence[str], new: Sequence[str], level: _Level) -> int:
    """Behind the comment that shows the key, or at the end of a flat file, or below a header."""
    shown = re.compile(rf"\s*[#;]\s*{re.escape(_key(new[0]))}\s*[=:\s]\s*[\w'\"]")
    commented = [at for at in range(level.first, level.last) if shown.match(lines[at])]
    if commented and len(new) == sum(1 for each in new if _depth(each) == _depth(new[0])):
        return commented[-1] + 1
    return level.first or level.last


def _indented(node: _Node, indent: str) -> list[str]:
    depth = _depth(node.line)
    return [indent + line[depth:] for line in node.lines]


def _same(line: str, other: str) -> bool:
    """Whether two lines set the same, however they are quoted, spaced and commented."""
    found, wanted = _KEY.fullmatch(line.rstrip("\r\n")), _KEY.fullmatch(other)
    if found is None or wanted is None:
        return line.strip() == other.strip()
    value = re.split(r"\s[#;]", found["value"], maxsplit=1)[0].strip()
    return value.strip("\"'").casefold() == wanted["value"].strip("\"'").casefold()


def _key(line: str) -> str:
    match = _KEY.fullmatch(line.rstrip("\r\n"))
    return line.strip() if match is None else match["key"]


def _bare(key: str) -> str:
    return key.strip("\"'")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
