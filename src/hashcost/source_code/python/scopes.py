"""The scopes of a Python file, and the values of what is assigned in them."""

from collections import ChainMap
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hashcost.source_code.python.file import Assigned
from hashcost.source_code.values import Call, Unknown, Value, dotted

_PARTIAL: Final = "functools.partial"


class Scope(ChainMap[str, tuple[Assigned, ...]]):
    """Names, and the scopes around it; what is assigned stays in the innermost."""

    def find(self, name: str) -> tuple[Value, ...] | None:
        """The values that a name may have; ``None`` if nothing here assigns it."""
        found = self.get(name)
        if found:
            return of_all(found)
        return (Value(name, 0),) if name == "__name__" else None


def prepared(call: Call) -> Call | None:
    """What ``partial(function, ...)`` will call."""
    if call.function != _PARTIAL or not call.arguments:
        return None
    function = dotted(call.arguments[0].data)
    return replace(call, function=function, arguments=call.arguments[1:]) if function else None


def unknown(text: str, line: int) -> tuple[Value, ...]:
    """What the file does not tell."""
    return (Value(Unknown(text), line),)


def of_all(assigned: Sequence[Assigned]) -> tuple[Value, ...]:
    """The values of all assignments that may hold."""
    if len(assigned) == 1:
        return assigned[0].values
    lines = " or ".join(str(line) for line in sorted({each.line for each in assigned}))
    why = f"set on line {lines}, by a condition"
    return tuple(value.because(why) for each in assigned for value in each.values)
