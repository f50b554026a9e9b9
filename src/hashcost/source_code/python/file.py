"""What a Python file says, read without running it: its assignments, classes and calls.

Constants are followed, the default is taken for what the environment may set, and what
stands under a condition of tests is set apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hashcost.source_code.values import Call, Data, Value, dotted

_ANCESTORS: Final = 64
"""Bases of one class that are looked at; no class has as many."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Assigned:
    """A name that is given a value, or one of several.

    With a ``base`` it is ``base.name`` or ``base["name"]``. ``inside`` is the class that
    it stands in, ``local`` whether it is a function's own. ``apart`` says what sets it
    apart from production.
    """

    name: str
    line: int
    values: tuple[Value, ...]
    base: str = ""
    inside: str = ""
    local: bool = False
    apart: str = ""


@dataclass(frozen=True, kw_only=True)
class Class:
    """A class of the file; ``attributes`` are what its body leaves assigned."""

    name: str
    line: int
    bases: tuple[Data, ...]
    attributes: Mapping[str, tuple[Assigned, ...]]
    apart: str = ""


@dataclass(frozen=True, kw_only=True)
class Called:
    """A call of the file, with what sets it apart from production.

    ``end`` is the line and the column where the name of the function ends.
    """

    call: Call
    end: tuple[int, int]
    apart: str = ""


@dataclass(kw_only=True)
class PythonFile:
    """A file, in its order. ``names`` are those that its end leaves assigned."""

    assigned: list[Assigned] = field(default_factory=list)
    stored: list[Assigned] = field(default_factory=list)
    classes: dict[str, Class] = field(default_factory=dict)
    called: list[Called] = field(default_factory=list)
    names: dict[str, tuple[Assigned, ...]] = field(default_factory=dict)

    def attribute(self, name: str, attribute: str) -> tuple[Assigned, ...] | None:
        """An attribute of a class of the file or of its bases; ``None`` if it has none."""
        for each in self.ancestry(name):
            if each in self.classes and attribute in self.classes[each].attributes:
                return self.classes[each].attributes[attribute]
        return None

    def ancestry(self, name: str) -> tuple[str, ...]:
        """A class with all its bases, nearest first; those of other files by dotted name."""
        found: dict[str, None] = {}
        pending = [name]
        while pending and len(found) < _ANCESTORS:
            each = pending.pop(0)
            if each in found:
                continue
            found[each] = None
            known = self.classes.get(each)
            bases = known.bases if known is not None else ()
            pending = [path for base in bases if (path := dotted(base))] + pending
        return tuple(found)
