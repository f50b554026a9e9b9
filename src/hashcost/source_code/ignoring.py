"""What the ``.gitignore`` of a folder leaves out. Pure."""

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_LONGEST_LINE: Final = 400
_MOST_LINES: Final = 2000
_NOTHING: Final = re.compile(r"(?!)")


@dataclass(frozen=True)
class _Pattern:
    """One line: what it matches below its folder, and whether it takes back.

    ``parts`` are the names on the way, with `None` for ``**``.
    """

    parts: tuple[re.Pattern[str] | None, ...]
    folders_only: bool
    takes_back: bool

    def fits(self, names: Sequence[str]) -> bool:
        """Whether it matches a path.

        What follows ``**`` is taken where it is first met, for good: what the next one
        may skip is then the most. So the time does not grow with their number.
        """
        last = self.parts[-1]
        if last is not None and not last.fullmatch(names[-1]):
            return False
        part = at = 0
        again: tuple[int, int] | None = None
        while at < len(names):
            expression = self.parts[part] if part < len(self.parts) else _NOTHING
            if expression is None:
                part += 1
                again = part, at + 1
            elif expression.fullmatch(names[at]):
                part, at = part + 1, at + 1
            elif again is not None:
                part, at = again
                again = part, at + 1
            else:
                return False
        return part == len(self.parts)


@dataclass(frozen=True)
class Ignoring:
    """The patterns of one file, for paths relative to its folder."""

    patterns: tuple[_Pattern, ...]

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether a path is left out; `None` if nothing here is about it."""
        names = path.split("/")
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.folders_only) and pattern.fits(names):
                return not pattern.takes_back
        return None


def read_ignoring(text: str) -> Ignoring:
    """Read the lines of a ``.gitignore`` (git-scm.com/docs/gitignore)."""
    lines = text.splitlines()[:_MOST_LINES]
    return Ignoring(tuple(pattern for line in lines if (pattern := _pattern(line)) is not None))


def _pattern(line: str) -> _Pattern | None:
    text = line.rstrip()
    if not text or text.startswith("#") or len(text) > _LONGEST_LINE:
        return None
    takes_back = text.startswith("!")
    text = text.removeprefix("!").removeprefix("\\")
    folders_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    text = text.lstrip("/")
    if not text:
        return None
    names = text.split("/") if anchored else ["**", text]
    if names[-1] == "**":
        names.append("*")  # Everything inside, but not the folder itself.
    # The time of what fnmatch makes of a name does not grow with its stars.
    parts = tuple(
        None if name == "**" else re.compile(fnmatch.translate(name.replace("[^", "[!")))
        for name in names
    )
    return _Pattern(parts, folders_only, takes_back)
