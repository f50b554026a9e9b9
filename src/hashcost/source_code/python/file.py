"""A Python file, read without running it: its assignments, classes and calls.

Constants are followed, the default is taken for what the environment may set, and what
stands under a condition of tests is set apart.
"""

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hashcost.source_code.values import Call, Data, Unknown, Value, dotted

_ANCESTORS: Final = 64  # bases of one class that are looked at; no class has as many


@dataclass(frozen=True, kw_only=True, eq=False)
class Assigned:
    """A name that is given a value, or one of several.

    With a ``base`` it is ``base.name`` or ``base["name"]``. ``inside`` is the class that
    it stands in, ``local`` whether it is a function's own. ``apart`` says what sets it
    apart from production.
    """

    name: str
    line: int
    value: Value
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
        """Find an attribute of a class of the file or of its bases; ``None`` if it has none."""
        for path in self.ancestry(name):
            if path in self.classes and attribute in self.classes[path].attributes:
                return self.classes[path].attributes[attribute]
        return None

    def ancestry(self, name: str) -> tuple[str, ...]:
        """List a class with all its bases, nearest first; those of other files by dotted name."""
        known: dict[str, None] = {}
        pending = [name]
        while pending and len(known) < _ANCESTORS:
            path = pending.pop(0)
            if path not in known:
                known[path] = None
                bases = self.classes[path].bases if path in self.classes else ()
                pending = [*filter(None, map(dotted, bases)), *pending]
        return tuple(known)


class Scope(ChainMap[str, tuple[Assigned, ...]]):
    """Names, and the scopes around it; what is assigned stays in the innermost."""

    def find(self, name: str) -> Value | None:
        """Find the value of a name; ``None`` if nothing here assigns it."""
        assigned = self.get(name)
        if assigned:
            return one_of(assigned)
        return Value(name, 0) if name == "__name__" else None


def one_of(assigned: Sequence[Assigned]) -> Value:
    """Take the value of all assignments that may hold, if it is the same."""
    last = assigned[-1].value
    if all(each.value.data == last.data for each in assigned):
        return last
    lines = " or ".join(str(line) for line in sorted({each.line for each in assigned}))
    return Value(Unknown(f"set on line {lines}, by a condition"), last.line)
