"""An application's files as one text: what a file takes in stands in its place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from os.path import normpath
from pathlib import PurePath
from typing import Final, Protocol

from hashcost.apps.files.production import production
from hashcost.apps.signs import Include, Signs, without_comments
from hashcost.core.cost_expressions import Place
from hashcost.source_code.project import python_modules, scripts

MOST_FILES: Final = 64
DEEPEST: Final = 5
LARGEST: Final = 4 << 20
"""Characters of all files together."""

_LINE: Final = re.compile(r"\bline ([0-9]+)\b")
_INTERPOLATED: Final = re.compile(r"#\{[^{}]*\}")
_LONGEST_LINE: Final = 1000
"""Characters; no longer line takes in a file."""


class Reader(Protocol):
    """Whoever reads further files; `None` is what cannot be read."""

    def read(self, path: str) -> str | None:
        """The text of a file."""
        ...

    def listed(self, folder: str, suffix: str) -> tuple[str, ...] | None:
        """The paths of a folder's files with a suffix, in alphabetical order."""
        ...


@dataclass(frozen=True)
class Left:
    """A line that takes in what was not read."""

    line: int
    words: str


@dataclass(frozen=True)
class Whole:
    """The text, where each of its lines is from, and what was not followed."""

    path: str
    text: str
    places: tuple[Place, ...]
    left: tuple[Left, ...]
    named: tuple[str, ...] = ()
    """The files that were named, where these are several."""

    def place(self, line: int) -> Place:
        """Where a line of the text really stands; 0 is the file itself."""
        if 0 < line <= len(self.places):
            return self.places[line - 1]
        return Place(path=self.path)

    def told(self, message: str, place: Place) -> str:
        """A message about a place, in which lines are those of their files."""

        def named(match: re.Match[str]) -> str:
            other = self.place(int(match[1]))
            return f"line {other.line}" if other.path == place.path else str(other)

        return _LINE.sub(named, message)


@dataclass(frozen=True)
class Part:
    """A file, or lines made of one, which then have the ``places`` that they are from."""

    path: str
    text: str
    places: tuple[Place, ...] = ()
    left: tuple[Left, ...] = ()


def whole(
    signs: Signs, comment: str, parts: Sequence[Part], reader: Reader | None = None
) -> Whole:
    """Files with what they take in, as far as a reader finds it, one after the other."""
    gathered = _Gathered(signs, comment, reader)
    for part in parts:
        if part.places:
            gathered.add_part(part)
        else:
            gathered.add_with_those_before(part.text, part.path)
    for part in parts:
        if not part.places:
            gathered.add_those_after(part.path)
    return Whole(
        path=parts[0].path if parts else "",
        text="\n".join(gathered.lines) + "\n",
        places=tuple(gathered.places),
        left=tuple(gathered.left),
        named=tuple(dict.fromkeys(part.path for part in parts)),
    )


def taken_in(signs: Signs, comment: str, part: Part, reader: Reader | None) -> set[str]:
    """The normal paths of all files that count together with a file, without its own."""
    gathered = _Gathered(signs, comment, reader)
    gathered.add_with_those_before(part.text, part.path)
    gathered.add_those_after(part.path)
    return gathered.seen - {normpath(part.path)}


@dataclass
class _Gathered:
    signs: Signs
    comment: str
    reader: Reader | None
    lines: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    size: int = 0

    def add_with_those_before(self, text: str, path: str) -> None:
        """Append a file, with those before it that count together with it."""
        for other in self._beside(path, before=True):
            self._add_if_there(other)
        if normpath(path) not in self.seen:
            self._seam(path)
            self.add(text, path)

    def add_those_after(self, path: str) -> None:
        """Append those that count together with a file, and are read after it."""
        for other in self._beside(path, before=False):
            self._add_if_there(other)

    def _beside(self, path: str, *, before: bool) -> list[str]:
        return [
            other
            for each in self.signs.beside
            if each.before is before and PurePath(path).as_posix().endswith(each.of)
            for other in self._meant(str(PurePath(path).parent / each.path))
        ]

    def add_part(self, part: Part) -> None:
        """Append lines that were made of a file."""
        self._seam(part.path)
        above = len(self.lines)
        self.lines += part.text.splitlines()
        self.places += part.places
        self.left += [Left(above + each.line, each.words) for each in part.left]

    def _meant(self, path: str) -> tuple[str, ...]:
        folder, name = PurePath(path).parent, PurePath(path).name
        if not name.startswith("*") or self.reader is None:
            return (path,)
        return self.reader.listed(str(folder), name[1:]) or ()

    def _seam(self, path: str) -> None:
        if self.signs.seam and self.lines:
            self.lines.append(self.signs.seam)
            self.places.append(Place(path=path))

    def _add_if_there(self, path: str) -> None:
        if normpath(path) in self.seen:
            return
        text = self._read(path)
        if text is not None:
            self._seam(path)
            self.add(text, path)

    def add(self, text: str, path: str, indent: str = "", depth: int = 0) -> None:
        """Append a file, with what it takes in at the lines that do."""
        self.seen.add(normpath(path))
        self.size += len(text)
        if self.signs.production:
            text = production(text)
        plain = without_comments(text, self.comment).splitlines()
        self._add_above(plain, path, depth)
        lines = zip_longest(text.splitlines(), plain, fillvalue="")
        for number, (line, code) in enumerate(lines, 1):
            texts = self._taken_in(code, path, depth)
            if texts is None:
                self.lines.append(indent + line)
                self.places.append(Place(path=path, line=number))
                continue
            inside = indent + line[: len(line) - len(line.lstrip())]
            for other, found in texts:
                self.add(found, other, inside, depth + 1)

    def _add_above(self, plain: Sequence[str], path: str, depth: int) -> None:
        """Append what counts before a file, as some of its lines name it."""
        for include in (each for each in self.signs.elsewhere if each.above):
            for line in plain if depth < DEEPEST else ():
                match = re.search(include.mark, line[:_LONGEST_LINE])
                found = self._followed(include, match["path"], path, line) if match else None
                for other, text in found or ():
                    if text:
                        self.add(text, other, depth=depth + 1)

    def _taken_in(self, line: str, path: str, depth: int) -> list[tuple[str, str]] | None:
        """The files that a line takes in, with their texts; `None` if it is to stay."""
        for include in self.signs.elsewhere if len(line) <= _LONGEST_LINE else ():
            match = re.search(include.mark, line)
            if match is None or include.above:
                continue
            found = None
            if include.follows and depth < DEEPEST:
                found = self._followed(include, match["path"], path, line)
            if found is None and not include.optional:
                self.left.append(Left(len(self.lines) + 1, line.strip()))
            return found
        return None

    def _followed(
        self, include: Include, name: str, path: str, line: str
    ) -> list[tuple[str, str]] | None:
        if self.reader is None:
            return None
        if include.follows == "folder" or PurePath(name).name.startswith("*"):
            folder = PurePath(path).parent / name
            suffix = include.suffix if include.follows == "folder" else folder.name[1:]
            folder = folder if include.follows == "folder" else folder.parent
            listed = self.reader.listed(str(folder), suffix)
            if listed is None:
                return None
            texts = [(each, self._read(each)) for each in listed]
        else:
            first = next(self._first(include, name, path), None)
            if first is None:
                return None
            texts = [first if include.follows != "node" else (first[0], exported(line, first[1]))]
        known = [(each, text) for each, text in texts if text is not None]
        return known if len(known) == len(texts) else None

    def _first(self, include: Include, name: str, path: str) -> Iterator[tuple[str, str]]:
        for candidate in _candidates(include, name, path):
            if normpath(candidate) in self.seen:  # It is there already.
                yield candidate, ""
            text = self._read(candidate)
            if text is not None:
                yield candidate, text

    def _read(self, path: str) -> str | None:
        if self.reader is None or len(self.seen) >= MOST_FILES or self.size > LARGEST:
            return None
        return "" if normpath(path) in self.seen else self.reader.read(path)


def _candidates(include: Include, name: str, path: str) -> Iterator[str]:
    """Where what a line names may be."""
    folder = PurePath(path).parent
    match include.follows:
        case "python":
            yield from python_modules(name, folder)
        case "node":
            yield from scripts(name, folder)
        case "elixir":  # The configuration of production is the one that counts.
            yield str(folder / _INTERPOLATED.sub("prod", name))
        case _:
            yield str(folder / name)


def exported(line: str, text: str) -> str:
    """A module of Node, with the names by which a line imports what it exports."""
    whole_module = re.search(
        r"\b(?:import|const|let|var)\s+(?:\*\s*as\s+)?(?P<name>[\w$]+)\s*(?:from|=|,)", line
    )
    if whole_module is not None:
        text = re.sub(
            r"\bmodule\.exports\s*=(?!=)|\bexport\s+default\b(?!\s+(?:class|function|async))",
            f"const {whole_module['name']} =",
            text,
            count=1,
        )
        if "* as" in line or re.search(r"=\s*require", line):
            names = re.findall(r"^export\s+const\s+(\w+)", text, re.MULTILINE)
            if names:
                members = ", ".join(f"{each}: {each}" for each in names)
                text += f"\nconst {whole_module['name']} = {{ {members} }};"
    if whole_module is None and re.search(r"\brequire\b", line):
        text = re.sub(r"\bmodule\.exports\s*=(?!=)", "const _exported =", text, count=1)
    named = re.search(r"\{(?P<names>[^{}]*)\}", line)
    for each in named["names"].split(",") if named else ():
        if "const _exported =" in text and re.fullmatch(r"\s*\w+\s*", each):
            text += f"\nconst {each.strip()} = _exported.{each.strip()};"
            continue
        renamed = re.fullmatch(r"\s*(\w+)\s*(?:\bas\b|:)\s*(\w+)\s*", each)
        if renamed is not None:
            of = "_exported." if "const _exported =" in text else ""
            text += f"\nconst {renamed[2]} = {of}{renamed[1]};"
    return text
