"""Waivers in the comments of an application's files.

In code they are comments of its grammar. In configurations they have a line of their own, and
stand at a line's end only where that cannot be a part of the value.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import PurePath
from typing import Final

from hashcost.apps.interface import App
from hashcost.apps.text import assignments
from hashcost.apps.yaml_values import texts
from hashcost.core.errors import UnreadableInputError
from hashcost.core.waiver_comments import (
    MOST,
    Comment,
    Comments,
    may_have_waivers,
    reached_from_above,
    waiver_in,
)
from hashcost.source_code.rules import by_suffix
from hashcost.source_code.scan import Failed, comments_of
from hashcost.storage.toml_tables import comments_in_toml

_WITHOUT_COMMENTS: Final = frozenset({".json", ".csv"})
_YAML: Final = frozenset({".yml", ".yaml"})
_HEREDOC: Final = re.compile(
    r"(?<!<)<<[-~]?[ \t]*(?P<quote>[\"']?)(?P<label>[A-Za-z_]\w*)(?P=quote)"
)
_QUOTED_OR_COMMENT: Final = re.compile(r"(?<![\\'])'(?:[^'\\\n]|''|\\.)*+'|(?P<comment>#[^\n]*)")


def comments_in_file(app: App, path: str, text: str, lines: Collection[int]) -> Comments:
    """Find the waivers in a file that an application reads, by its path and text.

    ``lines`` are those of findings in the file.

    Raises:
        UnavailableError: what reads the file's comments is not installed.
    """
    suffix = PurePath(path).suffix.lower()
    if suffix in _WITHOUT_COMMENTS or not may_have_waivers(text):
        return Comments()
    language, grammar = by_suffix().get(suffix, (None, ""))
    name = ""
    if language is not None:
        name = language.language
    if not name and "<?php" in text:
        name = grammar = "php"
    if name:
        in_code = comments_of(text, name, grammar, lines)
        # The file has a row of its own that says what is wrong.
        if isinstance(in_code, Failed):
            return Comments()
        return in_code
    if suffix == ".toml":
        return comments_in_toml(text)
    formats = {app.reading["format"], app.reading.get("otherwise", {}).get("format")}
    if suffix in _YAML or "settings.Yaml" in formats:
        try:
            return _placed(text, _in_yaml(text))
        except UnreadableInputError:
            pass  # A variable's file, or one that has a row of its own that says what is wrong.
    if app.comments_at_end:
        return _placed(text, _at_ends(text))
    return _placed(text, _on_own_lines(app, text, formats))


def _placed(text: str, comments: Iterator[tuple[int, int, str]]) -> Comments:
    """Read the waivers among comments, which come with line, column and text."""
    waivers: list[Comment] = []
    own_lines = set()
    lines = text.split("\n")
    for number, column, written in comments:
        before = lines[number - 1][:column]
        if not before.strip():
            own_lines.add(number)
        comment = waiver_in(written, number)
        if comment is not None and len(waivers) < MOST:
            waivers.append(comment)
    if not waivers:
        return Comments()
    return Comments(tuple(waivers), reached_from_above(own_lines))


def _in_yaml(text: str) -> Iterator[tuple[int, int, str]]:
    """Find the comments of a YAML file, outside of its keys and scalars."""
    spans = texts(text)
    at = 0
    begins = 0
    for number, line in enumerate(text.split("\n"), 1):
        for sign in re.finditer(r"(?:^|(?<=[ \t]))#", line):
            index = begins + sign.start()
            # Both lists are in order: texts that end before this sign hold no later one.
            while at < len(spans) and spans[at][1] <= index:
                at += 1
            if at == len(spans) or index < spans[at][0]:
                yield number, sign.start(), line[sign.start() :]
                break
        begins += len(line) + 1


def _at_ends(text: str) -> Iterator[tuple[int, int, str]]:
    """Find the comments of a file in which they may follow a setting."""
    for number, line in enumerate(text.split("\n"), 1):
        for part in _QUOTED_OR_COMMENT.finditer(line):
            if part["comment"] is not None:
                yield number, part.start(), part["comment"]


def _on_own_lines(
    app: App, text: str, formats: Collection[str | None]
) -> Iterator[tuple[int, int, str]]:
    """Find the comments that have a line of their own, outside of texts over lines."""
    marks = {"#", app.comment.partition("{}")[0].strip()}
    if "settings.Ini" in formats:
        marks.add(";")
    inside = set()
    if "settings.Assignments" in formats:
        inside = _inside_values(text)
    label = ""
    for number, line in enumerate(text.split("\n"), 1):
        written = line.strip()
        if label:
            if written == label:
                label = ""
            continue
        if written.startswith(tuple(marks)) and number not in inside:
            yield number, line.index(written), written
            continue
        heredoc = _HEREDOC.search(line)
        if heredoc is not None:
            label = heredoc["label"]


def _inside_values(text: str) -> set[int]:
    """The lines on which a value in quotes goes on."""
    inside = set()
    try:
        for entry in assignments(text):
            last = entry.line + entry.value.count("\n")
            inside |= set(range(entry.line + 1, last + 1))
    except UnreadableInputError:
        pass  # The file has a row of its own that says so.
    return inside
