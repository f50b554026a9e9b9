"""What shows that a file is an application's, and what in it no reader of costs tells. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import msgspec

_BLOCK: Final = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?P<ends>\*/)?")
LONGEST_LINE: Final = 4096
"""Characters; a longer line is data."""


class Sign(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A regular expression to look for in each line, and what it says where it is found.

    ``hasher`` is what the line names.
    ``always`` says that it counts although a cost was read on that line, and ``until``
    from which release on it does not.
    """

    mark: str
    says: str
    hasher: str = ""
    always: bool = False
    until: str = ""


class Include(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A regular expression for a line that takes in what may set the cost too.

    If it has a group ``path``, ``follows`` says what that is: a file, a folder of which
    the files with a ``suffix`` count, a file of Elixir's configuration, or a module.
    What is ``optional`` may be missing. With ``above`` it counts as if it stood before the
    file, in which the line stays.
    """

    mark: str
    follows: Literal["", "file", "folder", "elixir", "node", "python"] = ""
    suffix: str = ""
    optional: bool = False
    above: bool = False


class Beside(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file at a relative ``path``, which counts together with a file whose path ends in ``of``.

    It is read after that one, or ``before`` it. If the last part of the path begins with a
    ``*``, it is every file of the folder that ends so.
    """

    of: str
    path: str
    before: bool = False


class SetBy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A regular expression for a line that sets a cost by its presence.

    It counts in files whose path matches ``path``; ``instead`` of all others that are read.
    """

    mark: str
    hasher: str
    params: dict[str, int]
    path: str = ""
    instead: bool = False


class Option(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    r"""A regular expression for an option of a command line, and the line that it stands for.

    That has the groups of the expression as ``\g<name>``.
    """

    mark: str
    stands_for: str


class Signs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Regular expressions that tell an application's file from another.

    ``own`` show that a file is the application's, so that its default counts where the
    file sets nothing; without any, the default never counts unasked. ``unfit`` name an
    algorithm that is no password hash, ``unread`` set a cost as no reader here can tell,
    and ``elsewhere`` take in files that may set it. Comments are left out, but for ``own``.

    ``sets`` are lines that set a cost by their presence. ``production`` says that only
    what production runs counts of code with branches for tests. ``values`` are files in
    the folders above one of code that have what its ``environment`` stands for.

    ``beside`` are files that count together. ``together`` are regular expressions for the
    paths of files that count together if they are named together: what a later one matches
    stands below the others. ``seam`` is a line to put between them. ``json`` is how a line
    is written that has the name in capitals and the value of a member of a JSON object.

    ``compose`` is how a line of the file is written that has the name and the value of a
    variable of a container's environment, in which ``variable`` finds the parts of the
    name; with a ``prefix`` it has the key whose name in capitals follows that. ``options``
    are those of a container's command. ``environment`` are expressions in code that
    stand for the variable ``name``.
    """

    own: tuple[str, ...] = ()
    unfit: tuple[Sign, ...] = ()
    unread: tuple[Sign, ...] = ()
    elsewhere: tuple[Include, ...] = ()
    sets: tuple[SetBy, ...] = ()
    production: bool = False
    values: tuple[str, ...] = ()
    beside: tuple[Beside, ...] = ()
    together: tuple[str, ...] | None = None
    seam: str = ""
    json: str = ""
    compose: str = ""
    variable: str = "(.+)"
    prefix: str | None = None
    options: tuple[Option, ...] = ()
    environment: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seen:
    """A sign that was found, and its line."""

    says: str
    line: int
    hasher: str = ""
    always: bool = False
    until: str = ""


def is_own(signs: Signs, text: str) -> bool:
    """Whether anything shows that a file is the application's."""
    blocks = [mark for mark in signs.own if r"\n" in mark]
    marks = [re.compile(mark) for mark in signs.own if mark not in blocks]
    # Line by line: what may begin with spaces would look through all that follow for each.
    return any(mark.search(line) for line in text.splitlines() for mark in marks) or any(
        re.search(mark, text, re.MULTILINE) for mark in blocks
    )


def seen(signs: tuple[Sign, ...], text: str) -> Iterator[Seen]:
    """Every line that a sign is found in, the first sign of each."""
    for number, line in enumerate(text.splitlines(), 1) if signs else ():
        first = next((each for each in signs if re.search(each.mark, line[:LONGEST_LINE])), None)
        if first is not None:
            yield Seen(first.says, number, first.hasher, first.always, first.until)


def longest_line(text: str) -> int:
    """The first line that is too long to be looked at whole; 0 if there is none."""
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if len(line) > LONGEST_LINE), 0)


def without_comments(text: str, comment: str) -> str:
    """The text without comments, on as many lines; ``comment`` is how the application writes one.

    PHP has both kinds of comment.
    """
    begins = {comment.partition("{}")[0].strip() or "#"}
    if "<?php" in text[:LONGEST_LINE]:
        begins = {"#", "//"}
    if "//" in begins:
        text = _BLOCK.sub(_blank, text)
    return _ends(tuple(sorted(begins))).sub("", text)


def _blank(match: re.Match[str]) -> str:
    """The lines of a comment; what does not end is none."""
    return "\n" * match[0].count("\n") if match["ends"] else match[0]


@cache
def _ends(begins: tuple[str, ...]) -> re.Pattern[str]:
    """A comment at the end of a line; in PHP ``#[`` begins an attribute."""
    words = "|".join(re.escape(each) + (r"(?!\[)" if each == "#" else "") for each in begins)
    return re.compile(rf"(?:^|(?<=\s))(?:{words}).*$", re.MULTILINE)
