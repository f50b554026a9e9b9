"""The calls and assignments of a source text that may set a cost, with what they are given."""

import re
from dataclasses import dataclass
from typing import Final

from hashcost.source_code.project.imports import plain_name
from hashcost.source_code.rules import last_word
from hashcost.source_code.values import Call

_GENERIC: Final = re.compile(r"(?:::)?<(?P<first>[^,]+?)(?:,.*)?>$", re.DOTALL)

_LONGEST_SHOWN: Final = 60


@dataclass(frozen=True, kw_only=True)
class Site:
    """A call, or an assignment: then the value is its only argument.

    ``calls`` are the forms that it may have, as conditions decide.
    """

    name: str
    """As it is written; in Python with what its names stand for."""
    line: int
    column: int
    calls: tuple[Call, ...] = ()
    assigns: bool = False
    in_tests: bool = False
    others: tuple[str, ...] = ()
    """What else it is called, as imports and assignments tell, with dots."""
    imported: bool = False
    """Whether an import says what it is, so that the name as it is written counts no more."""
    verifies: bool = False
    """Whether what it makes only verifies a hash, whose own cost counts then."""

    @property
    def plain(self) -> str:
        """The name without blanks, generics, optional chaining and a leading backslash."""
        name = " ".join(self.name.split()).replace("?.", ".").replace("?->", "->")
        return _GENERIC.sub("", name).removeprefix("\\")

    @property
    def dotted(self) -> str:
        """The plain name with dots, whatever the language writes."""
        return plain_name(self.plain.removeprefix("new "))

    @property
    def is_class(self) -> bool:
        """Whether it is a class that is given its attributes."""
        return self.name.startswith("class ")

    @property
    def is_whole(self) -> bool:
        """Whether it is a class, or what a file returns, which sets a cost on one of its lines."""
        return self.is_class or self.name == "return"

    @property
    def names(self) -> tuple[str, ...]:
        """All its names with dots: as written, unless its import says what else it is."""
        return self.others if self.imported else (self.dotted, *self.others)

    @property
    def shown(self) -> str:
        """The end of the name, on one line, as a message shows it."""
        return " ".join(self.name.split())[-_LONGEST_SHOWN:]

    @property
    def last_word(self) -> str:
        """The last word of the name."""
        return last_word(self.plain)

    @property
    def generic(self) -> str:
        """What stands first in the angle brackets of the name; empty if there are none."""
        found = _GENERIC.search(self.name)
        return found["first"] if found else ""
