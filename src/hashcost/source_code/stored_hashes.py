"""Stored hashes in the files of a project, and which of them protect nobody."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from hashcost.core.cost_expressions import Apart
from hashcost.source_code.dummies import TAKES_TIME, WORDS, comment_above, words_in
from hashcost.source_code.parsed.file import MOST_COLUMNS, ParsedFile
from hashcost.source_code.parsed.stages import TEST_MODULE
from hashcost.source_code.rules import Language
from hashcost.stored.encoded import spelt_out
from hashcost.stored.formats.reading import HashReading, Kind
from hashcost.stored.formats.registry import read
from hashcost.stored.named import named_in

if TYPE_CHECKING:
    from ast_grep_py import SgNode


@dataclass(frozen=True, kw_only=True)
class StoredHash:
    """So many hashes of one setting in a file, the first on ``line``."""

    reading: HashReading
    line: int
    count: int
    apart: Apart | None = None
    path: Path = field(default_factory=Path)
    is_basic: bool = False
    """Whether it is for HTTP Basic authentication."""


_OPENS_LIST: Final = re.compile(r"[$@\w][^=\n;]{0,120}+:?=(?![=>])[^=\n;(]{0,40}?[\[{(]\s*+")
"""The line on which a list or a map of some name begins."""
_COMMENT: Final = re.compile(r"comment$")
_DOCUMENTS_ELIXIR: Final = re.compile(r"@(?:module|type)?doc\b")
_DOCUMENTS_PYTHON: Final = re.compile(r"(?:__doc__|DOCUMENTATION|EXAMPLES|RETURN)\s*+=(?!=)")
"""A text about the module that Python has under a name, or Ansible shows."""
_LINE_COMMENT: Final = re.compile(
    r"[ \t]*(?:#|//|--(?![A-Za-z])|;|/?\*[ \t/*]|<!--|::|REM\b)|[^\"']*[ \t]#(?!>)"
)
"""How a line begins that is a comment up to the hash, in configurations and data.

A word right after two dashes is an option of a command that goes on from the line above.
"""
SQL: Final = "sql"
_IN_SQL: Final = re.compile(
    r"(?P<comment>--[^\n]*+|^[ \t]*+#(?![>-])[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))"
    r"|'(?:[^'\\]|\\.|'')*+(?:'|\Z)"
    r"|\"[^\"]*+(?:\"|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""A comment or a text of SQL, which may lack its end; ``#>`` and ``#-`` are operators."""

_FOR_PEOPLE: Final = r"[\"']?(?:description|placeholder|example)[\"']?[ \t]{0,9}+:[ \t]{0,9}+"
_DESCRIBES: Final = re.compile(rf"[ \t-]*+{_FOR_PEOPLE}[^\s#]", re.IGNORECASE)
"""How a line begins that has a text for people, with all lines below that are further in."""
_IS_DESCRIBED: Final = re.compile(
    rf"(?:^[ \t-]{{0,99}}+|[{{,][ \t]{{0,9}}+){_FOR_PEOPLE}[\"']?[^\"']*+$", re.IGNORECASE
)
"""How a line that has such a text begins, up to a hash in it."""
_OF_API: Final = re.compile(
    r"^[ \t{]*+[\"']?(?:openapi|swagger)[\"']?[ \t]*+:[ \t]*+[\"']?[0-9]", re.MULTILINE
)
"""The version of the format in which a file describes an API."""
_EXAMPLE_OF_API: Final = re.compile(r"[ \t-]*+[\"']?examples?[\"']?[ \t]*+:")
"""How a line of such a file begins that has an example, with all lines that are further in."""
_DESCRIPTION: Final = 4000
"""Characters before a hash in which the key of such a text is looked for."""

_BEFORE: Final = 400
"""Characters before a hash in which the name of what holds it is looked for."""
_BEFORE_LINES: Final = 3
_TEXT: Final = re.compile(
    r"(?P<defines>define\()?+(?:\"[^\"]*+\"|'[^']*+')(?P<is_key>\s*+[=:\]])?+"
)
_VALUE: Final = "\0"
"""Stands for a text that names nothing."""
_SIBLING: Final = re.compile(r"(?<![\w\"'-])[\w\"'-]++\s*+(?:=>|[:=])\s*+\0")
"""Another member, with its value, in front of what holds the hash."""
_OPEN_CALL: Final = re.compile(r"(?<![\w.])[\w.]++\((?![^()]*+\))")
_HOLDS: Final = re.compile(r"[=:{(]")
_ASKS: Final = r"(?:crypt|verif\w{0,20}+|checkpw|check_password(?:_hash)?|compare(?:Sync)?)\(\s*+"
"""The end of a function's name that asks whether a password has a hash, and its bracket."""
_IS_ASKED: Final = re.compile(rf"{_ASKS}[^()]*+$", re.IGNORECASE)
"""A question about what follows, which holds no hash."""
_WRITTEN: Final = r"[bB]?(?:'[^'\n]{0,80}+'|\"[^\"\n]{0,80}+\")"
"""A password in the program."""
_ASKED: Final = re.compile(rf"{_ASKS}{_WRITTEN}\s*+,\s*+[bB]?['\"]$", re.IGNORECASE)
"""A question about the hash that follows."""
_ASKED_OF_NAME: Final = re.compile(
    rf"{_ASKS}(?:{_WRITTEN}\s*+,\s*+[$@]?(?P<last>\w++)|[$@]?(?P<first>\w++)\s*+,\s*+{_WRITTEN})",
    re.IGNORECASE,
)
"""A question about the hash that a name holds."""
_QUESTION: Final = re.compile(rf"{_ASKS}(?P<given>[^()]{{0,200}}+)", re.IGNORECASE)
_WORD: Final = re.compile(r"\w++")
_BRACE: Final = re.compile(r"[{}]")
_GIVEN_TO_NAME: Final = re.compile(
    r"\b(?P<name>[^\W\d]\w{0,80}+)(?:\s{0,9}+:[^=\n]{0,40}+)?\s{0,9}+:?=\s{0,9}+[bB]?['\"]$"
)
"""The name that is given the hash that follows."""


_BASIC: Final = re.compile(
    r"basic_?auth|\bhtpasswd\b|^[ \t]*+user[ \t]++\S++[ \t]++password\b", re.IGNORECASE
)
"""Users of Traefik, Caddy and Prometheus's exporters, and those of HAProxy's lists."""


def stored_in(
    content: bytes,
    language: Language | None = None,
    grammar: str = "",
    apart: Apart | None = None,
    *,
    is_code: bool = False,
) -> tuple[StoredHash, ...]:
    """Find the hashes in a file that name their format, of each setting once.

    A file without a ``language`` is a configuration or data, or `SQL` by its ``grammar``, unless
    it ``is_code`` in another one. All are ``apart`` if that is given.
    """
    if language is None:
        content = spelt_out(content, read)
    readings = [(start, read(text)) for start, text in named_in(content, read)]
    # Nobody logs in with what is locked.
    readings = [(start, reading) for start, reading in readings if reading.kind is not Kind.LOCKED]
    if not readings:
        return ()
    text = content.decode("utf-8-sig", errors="replace")
    places = list(characters(content, [start for start, _ in readings]))
    apart_at: Mapping[int, Apart] = {}
    if apart is None:
        apart_at = places_apart(text, language, grammar, places)
    is_code = is_code or language is not None
    questions = _questions_in(text)
    groups: dict[tuple[HashReading, Apart | None], StoredHash] = {}
    line = 1
    counted_to = 0
    for (start, reading), place in zip(readings, places, strict=True):
        line += content.count(b"\n", counted_to, start)
        counted_to = start
        why = apart or apart_at.get(place) or _dummy_by_line(text, place)
        if why is None and is_code and _is_known_answer(text, place, questions):
            why = Apart.KNOWN_ANSWER
        first = groups.get((reading, why))
        count = 1
        if first is not None:
            count += first.count
        if first is None:
            is_basic = language is None and _is_for_basic(text, place)
            first = StoredHash(reading=reading, line=line, count=1, apart=why, is_basic=is_basic)
        groups[reading, why] = replace(first, count=count)
    return tuple(groups.values())


def places_apart(
    text: str, language: Language | None, grammar: str, places: Sequence[int]
) -> dict[int, Apart]:
    """Tell which places of a file, in their order, are in comments, documents or tests."""
    if language is not None:
        return _apart_in(ParsedFile(text, language, grammar, "", None), places)
    if grammar == SQL:
        return dict.fromkeys(_in_comments_of_sql(text, places), Apart.COMMENT)
    apart = {}
    for place in places:
        if _is_in_comment(text, place):
            apart[place] = Apart.COMMENT
        elif _is_in_description(text, place):
            apart[place] = Apart.DOCUMENTATION
    return apart


def _is_in_description(text: str, place: int) -> bool:
    """Tell whether a place of a configuration is in a text for people, by the key of that."""
    line, *holders = _outline(text, place)
    if _IS_DESCRIBED.search(line):
        return True
    if any(_DESCRIBES.match(holder) for holder in holders):
        return True
    return any(_EXAMPLE_OF_API.match(holder) for holder in holders) and bool(_OF_API.search(text))


def _is_for_basic(text: str, place: int) -> bool:
    """Tell whether a place of a configuration is a user of HTTP Basic authentication."""
    return any(_BASIC.search(line) for line in _outline(text, place))


def _outline(text: str, place: int) -> list[str]:
    """The line before a place of a configuration, and what holds it, from the inside out."""
    *above, line = text[max(0, place - _DESCRIPTION) : place].split("\n")
    outline = [line]
    depth = _depth(line)
    for before in reversed(above):
        # Only what is less far in holds what is below.
        if before.strip() and _depth(before) < depth:
            depth = _depth(before)
            outline.append(before)
    return outline


def _depth(line: str) -> int:
    """Count what stands before the key of a line, which may be in a list."""
    return len(line) - len(line.lstrip(" \t-"))


def _in_comments_of_sql(text: str, places: Sequence[int]) -> list[int]:
    """List those of some places, in their order, that are in comments."""
    inside: list[int] = []
    for part in _IN_SQL.finditer(text):
        if part["comment"]:
            begin = bisect_left(places, part.start())
            end = bisect_left(places, part.end())
            inside += places[begin:end]
    return inside


def characters(content: bytes, starts: Sequence[int]) -> Iterator[int]:
    """Turn places in bytes into places in the text that they stand for."""
    place = last = 0
    for start in starts:
        encoding = "utf-8"
        if not last:
            encoding = "utf-8-sig"
        place += len(content[last:start].decode(encoding, errors="replace"))
        last = start
        yield place


def _apart_in(file: ParsedFile, places: Sequence[int]) -> dict[int, Apart]:
    """Tell which places of a source file, in their order, are in comments, documents or tests."""
    apart: dict[int, Apart] = {}
    columns = 0
    pending = [file.root]
    while pending:
        node = pending.pop()
        for child in node.children():
            place = child.range()
            begin = bisect_left(places, place.start.index)
            end = bisect_left(places, place.end.index)
            # A grammar counts the columns of a long line each time.
            columns += place.start.column
            if columns > MOST_COLUMNS:
                return apart
            if begin == end:
                continue
            why = _why_apart(node, child, place.start.index, file.text)
            if why is None:
                pending.append(child)
            else:
                apart.update(dict.fromkeys(places[begin:end], why))
    return apart


def _why_apart(above: SgNode, node: SgNode, start: int, text: str) -> Apart | None:
    kind = node.kind()
    if _COMMENT.search(kind):
        return Apart.COMMENT
    # A text of Python that is a statement of its own.
    is_statement = above.kind() == "expression_statement" and len(above.children()) == 1
    if kind == "string" and is_statement:
        return Apart.DOCUMENTATION
    if kind == "assignment" and _DOCUMENTS_PYTHON.match(text, start):
        return Apart.DOCUMENTATION
    if kind == "unary_operator" and _DOCUMENTS_ELIXIR.match(text, start):
        return Apart.DOCUMENTATION
    if kind == "mod_item" and TEST_MODULE.match(text, start):
        return Apart.TESTS
    if _holds_dummies(text, start):
        return Apart.DUMMY
    return None


def _holds_dummies(text: str, start: int) -> bool:
    """Tell whether a list or a map that begins at a place holds hashes that nobody has.

    Its name says so, or a comment above it.
    """
    line, _, _ = text[start : start + _BEFORE].partition("\n")
    if not _OPENS_LIST.fullmatch(line):
        return False
    if not words_in(line).isdisjoint(WORDS):
        return True
    above = text[max(0, start - _BEFORE) : start].split("\n")[:-1]
    return any(not words_in(comment).isdisjoint(TAKES_TIME) for comment in comment_above(above))


def _is_in_comment(text: str, place: int) -> bool:
    """Tell by what stands before a place of a configuration or data."""
    before = text[max(0, place - _BEFORE) : place]
    if _LINE_COMMENT.match(before.rpartition("\n")[2]):
        return True
    return before.rfind("<!--") > before.rfind("-->")


def _dummy_by_line(text: str, place: int) -> Apart | None:
    """Tell by what stands before a hash, or in a comment above it, whether it is a dummy."""
    lines = text[max(0, place - _BEFORE) : place].split("\n")
    words: set[str] = set()
    first = len(lines) - 1
    for at in range(first, max(-1, first - _BEFORE_LINES), -1):
        if at < first and lines[at].rstrip().endswith(";"):
            break
        names = _OPEN_CALL.sub(" ", _SIBLING.sub(" ", _TEXT.sub(_key, lines[at])))
        words |= words_in(names)
        first = at
        # Above it stand other statements; a brace alone belongs to the line above.
        holder = _IS_ASKED.sub("", lines[at]).strip()
        if holder != "{" and _HOLDS.search(holder):
            break
    comment: set[str] = set()
    for line in comment_above(lines[:first]):
        comment |= words_in(line)
    if words.isdisjoint(WORDS) and comment.isdisjoint(TAKES_TIME):
        return None
    return Apart.DUMMY


class _Question(NamedTuple):
    """A question about hashes at a place: of which names, if with a password of the program."""

    place: int
    with_written: frozenset[str]
    with_others: frozenset[str]


def _questions_in(text: str) -> list[_Question]:
    """Find the questions about hashes, in their order."""
    questions = []
    for question in _QUESTION.finditer(text):
        asked = _ASKED_OF_NAME.match(text, question.start())
        names: frozenset[str] = frozenset()
        others: frozenset[str] = frozenset()
        if asked is None:
            others = frozenset(_WORD.findall(question["given"]))
        else:
            names = frozenset(filter(None, asked.groups()))
        questions.append(_Question(question.start(), names, others))
    return questions


def _is_known_answer(text: str, place: int, questions: Sequence[_Question]) -> bool:
    """Tell whether a hash is only held against a password that is written in the program."""
    before = text[max(0, place - _BEFORE) : place]
    if _ASKED.search(before):
        return True
    given = _GIVEN_TO_NAME.search(before)
    if given is None:
        return False
    # Elsewhere a name may mean another hash.
    end = _end_of_block(text, place)
    if end is not None:
        first = bisect_left(questions, place, key=_place_of)
        questions = questions[first : bisect_left(questions, end, key=_place_of)]
    name = given["name"]
    is_asked = any(name in question.with_written for question in questions)
    return is_asked and not any(name in question.with_others for question in questions)


def _place_of(question: _Question) -> int:
    return question.place


def _end_of_block(text: str, place: int) -> int | None:
    """Find the brace that ends the block around a place; `None` if none is near."""
    depth = 0
    for brace in _BRACE.finditer(text, place, place + _DESCRIPTION):
        if brace[0] == "{":
            depth += 1
        elif depth == 0:
            return brace.start()
        else:
            depth -= 1
    return None


def _key(text: re.Match[str]) -> str:
    """Leave a text only if it is a name: that of a member or of a constant."""
    if text["defines"] or text["is_key"]:
        return text[0]
    return _VALUE
