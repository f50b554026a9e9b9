"""Find the signs of an application in the text of a file. Pure."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import PurePath
from typing import Final

from hashcost.apps.containers import OF_REGISTRY
from hashcost.apps.sign_tables import Dated, Sign, Signs
from hashcost.core.units import parse_release
from hashcost.source_code.rules import by_suffix
from hashcost.source_code.stages import is_below_tests

_BLOCK: Final = r"/\*(?:[^*]|\*(?!/))*+(?P<ends>\*/)?"
HEREDOC: Final = (
    r"<<<[ \t]*(?P<quote>[\"']?)(?P<label>[A-Za-z_]\w*)(?P=quote)\r?\n"
    r"(?:(?![ \t]*(?P=label)\b)[^\n]*\n)*(?P<closes>[ \t]*(?P=label)\b)?"
)
"""A text of PHP over lines, to the end of the file if nothing closes it."""
UNNAMED: Final = "that file"
"""Stands for a file whose name a line does not show."""
_SLASHES: Final = re.compile(_BLOCK)
_PHP: Final = re.compile(f"{_BLOCK}|{HEREDOC}")


def is_own(signs: Signs, text: str, *, marks: int = 1) -> bool:
    """Whether a file starts the application's image, or so many marks show that it is its own."""
    if any(starts_image(image, text) for image in signs.images):
        return True
    return len(list(islice(_marks_in(signs, text), marks))) == marks


def _marks_in(signs: Signs, text: str) -> Iterator[str]:
    """Find the different lines that show whose file it is."""
    for mark in signs.own:
        if r"\n" in mark:
            match = re.search(mark, text, re.MULTILINE)
            if match is not None:
                yield from match[0].splitlines()
            continue
        # Line by line: what may begin with spaces would look through all that follow for each.
        pattern = re.compile(mark)
        yield from (line for line in _distinct_lines(text) if pattern.search(line))


def is_for_tests(signs: Signs, path: str) -> bool:
    """Tell by its path whether only tests read a file.

    An absolute one leads through folders outside the project, too, which tell nothing.
    """
    place = PurePath(path)
    if not place.is_absolute() and is_below_tests(place):
        return True
    if signs.test_files and re.search(signs.test_files, place.as_posix()):
        return True
    language, _ = by_suffix().get(place.suffix.lower(), (None, ""))
    return language is not None and language.is_test(place.name)


def starts_image(image: str, text: str) -> bool:
    """Tell whether a line of a Compose file or a manifest starts an image, of any registry."""
    ends = r"(?=[:@\"'\s]|$)"
    pattern = re.compile(
        rf"(?i)^[ \t]*+(?:-[ \t]++)?image:[ \t]*+[\"']?{OF_REGISTRY}{re.escape(image)}{ends}"
    )
    return any(pattern.match(line) for line in _distinct_lines(text))


def seen(signs: tuple[Sign, ...], text: str) -> Iterator[tuple[int, Sign]]:
    """Every line that a sign is found in, with the first of them; of the whole file 0."""
    if not signs:
        return
    first_of = {}
    for line in _distinct_lines(text):
        for sign in signs:
            if re.search(sign.mark, line):
                first_of[line] = sign
                break
    of_file: list[Sign] = []
    for number, line in _numbered(text, first_of):
        sign = first_of[line]
        if not sign.of_file:
            yield number, sign
        elif sign not in of_file:
            of_file.append(sign)
            yield 0, sign


def stated_release(signs: Signs, text: str) -> tuple[str, int] | None:
    """The oldest release that a file states, and its line; `None` if it states none."""
    if not signs.stated:
        return None
    line_of = {}
    lines: Iterable[str] = _distinct_lines(text)
    if signs.stated_in:
        lines = _lines_around(signs.stated_in, text)
    for line in lines:
        for match in re.finditer(signs.stated, line):
            line_of[match["release"]] = line
    if not line_of:
        return None
    oldest = min(line_of, key=parse_release)
    number, _ = next(_numbered(text, {line_of[oldest]}))
    return oldest, number


def _lines_around(mark: str, text: str) -> Iterator[str]:
    """Find the lines of each paragraph that has a line with a mark."""
    paragraph: list[str] = []
    for line in (*text.splitlines(), ""):
        if line.strip():
            paragraph.append(line)
            continue
        if any(re.search(mark, part) for part in paragraph):
            yield from paragraph
        paragraph = []


def dated_by(signs: Signs, text: str, path: str) -> tuple[Dated, int] | None:
    """The sign of an old release in a file, and its line, or 0 if it is the file's path."""
    for dated in signs.dated:
        lines = _distinct_lines(text)
        if dated.unless and any(re.search(dated.unless, line) for line in lines):
            continue
        if dated.path and re.search(dated.path, path):
            return dated, 0
        if not dated.mark:
            continue
        marked = {line for line in lines if re.search(dated.mark, line)}
        for number, _ in _numbered(text, marked):
            return dated, number
    return None


def first_elsewhere(
    marks: Sequence[str], text: str, *, after: int = 0
) -> tuple[int, str, str] | None:
    """The first line below another with one of the marks of a file, and the name of that file."""
    if not marks:
        return None
    paths = {}
    for line in _distinct_lines(text):
        for mark in marks:
            match = re.search(mark, line)
            if match is not None:
                paths[line] = _file_named(match.groupdict())
                break
    for number, line in _numbered(text, paths):
        if number > after:
            return number, line.strip(), paths[line]
    return None


def _file_named(groups: Mapping[str, str | None]) -> str:
    """The file that a line takes in: its path, or the file of a module of Python."""
    module = groups.get("module")
    if module is None:
        return groups.get("path") or UNNAMED
    name = module.lstrip(".")
    # One dot is the folder of the file itself, and each further one a folder above.
    above = "../" * (len(module) - len(name) - 1)
    return f"{above}{name.replace('.', '/') or '__init__'}.py"


# A text, and the same without its comments, are searched for the signs of each application.
@lru_cache(maxsize=2)
def _distinct_lines(text: str) -> tuple[str, ...]:
    """Each line of a text once: a million equal lines are one to search."""
    return tuple(dict.fromkeys(text.splitlines()))


def _numbered(text: str, wanted: Container[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are wanted, with their numbers."""
    return ((number, line) for number, line in enumerate(text.splitlines(), 1) if line in wanted)


def without_comments(text: str, comment: str) -> str:
    """The text without comments, on as many lines; ``comment`` is how the application writes one.

    PHP has both kinds of comment, and goes without its heredocs.
    """
    if "<?php" in text:
        return _ends(("#", "//")).sub("", _PHP.sub(_blank, text))
    begins = comment.partition("{}")[0].strip() or "#"
    if begins == "//":
        text = _SLASHES.sub(_blank, text)
    return _ends((begins,)).sub("", text)


def _blank(match: re.Match[str]) -> str:
    """The lines of a comment or a heredoc that ends."""
    parts = match.groupdict()
    if parts.get("ends") or parts.get("closes"):
        return "\n" * match[0].count("\n")
    return match[0]


@cache
def _ends(begins: tuple[str, ...]) -> re.Pattern[str]:
    """A comment at the end of a line; in PHP ``#[`` begins an attribute."""
    words = [re.escape(begin) for begin in begins if begin != "#"]
    if "#" in begins:
        words.append(r"#(?!\[)")
    return re.compile(rf"(?:^|(?<=\s))(?:{'|'.join(words)}).*$", re.MULTILINE)
