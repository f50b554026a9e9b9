"""Settings of Python's web frameworks: every value that one is given, and which counts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hashcost.core.text import joined
from hashcost.source_code.python import Assigned, PythonFile
from hashcost.source_code.stages import Stage, stage_named
from hashcost.source_code.values import Reason, Value

_OWNERS: Final = ("config", "settings")
_CONFIGURES: Final = ("config.update", "config.from_mapping", "settings.configure")


@dataclass(frozen=True)
class GivenSetting:
    """A value that a setting is given, whether it counts, and why or why not.

    ``condition`` is the line of the condition that sets it apart from production, if one does.
    """

    value: Value
    line: int
    wins: bool
    why: str
    condition: int


def settings_named(source: PythonFile, name: str) -> list[GivenSetting]:
    """Find every value that a file gives a setting, in the order of the lines.

    A class such as ``Production`` takes precedence over the module's own name, and what is put
    into ``app.config``, or given to it in a call, over both.
    """
    stored = [one for one in source.stored if one.name == name and one.base.endswith(_OWNERS)]
    for called in source.called:
        call = called.call
        if call.function.endswith(_CONFIGURES):
            first = call.arguments[0].data if call.arguments else None
            given = {**(first if isinstance(first, dict) else {}), **call.keywords}
            if name in given:
                value = given[name]
                stored.append(Assigned(name=name, line=call.line, value=value, apart=called.apart))
    stored.sort(key=lambda one: one.line)
    classes = [kind for kind in source.classes if stage_named(kind) is not Stage.TESTS]
    production = [kind for kind in classes if stage_named(kind) is Stage.PRODUCTION]
    in_classes = [
        one for kind in production or classes for one in source.attribute(kind, name) or ()
    ]
    candidates = (in_production(stored)[-1:], in_classes, source.names.get(name, ()))
    live = next(filter(None, map(in_production, candidates)), [])
    assigned = [one for one in source.assigned if one.name == name and not one.local]
    everything = sorted([*stored, *assigned], key=lambda one: one.line)
    settings = []
    for one in everything:
        why = one.apart
        if one in live and len(live) > 1:
            why = "conditions decide between the values"
        elif one in live and len(everything) > 1:
            why = "the last one counts"
        condition = one.apart.line if isinstance(one.apart, Reason) else 0
        why = joined(why, one.value.why)
        settings.append(GivenSetting(one.value, one.line, one in live, why, condition))
    return settings


def in_production(assigned: Iterable[Assigned]) -> list[Assigned]:
    """Leave out what only tests and development have."""
    return [one for one in assigned if not one.apart]
