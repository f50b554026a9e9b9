"""Which assignment of a setting in a Python file is the one that production has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hashcost.source_code.python.file import Assigned, PythonFile
from hashcost.source_code.stages import Stage, stage_named
from hashcost.source_code.values import Value

_CONFIGURES = ("config.update", "config.from_mapping", "settings.configure")


@dataclass(frozen=True, kw_only=True)
class GivenSetting:
    """One value that a setting is given on a line; ``why`` it is the one or is not."""

    line: int
    value: Value
    wins: bool
    why: str

    @property
    def reason(self) -> str:
        """Why it is, or is not, the one, with what its value depends on."""
        return "; ".join(filter(None, (self.why, self.value.why)))

    def beaten(self, why: str) -> GivenSetting:
        """The same if another place overrides it."""
        return replace(self, wins=False, why=why) if self.wins else self


def settings_named(source: PythonFile, name: str) -> tuple[GivenSetting, ...]:
    """Every value that a file gives a setting, in the order of its lines.

    A class such as ``ProductionConfig`` goes before a module's own name, and what is
    put into ``app.config`` before both.
    """
    stored = list(_stored(source, name))
    classes = list(_of_classes(source, name))
    module = list(_of_module(source, name))
    if any(each.wins for each in stored):
        classes = [each.beaten("app.config is set after it") for each in classes]
    if any(each.wins for each in (*stored, *classes)):
        module = [each.beaten("another place overrides it") for each in module]
    return tuple(sorted((*module, *classes, *stored), key=lambda each: each.line))


def _of_module(source: PythonFile, name: str) -> Iterator[GivenSetting]:
    assigned = [
        each for each in source.assigned if each.name == name and not (each.inside or each.local)
    ]
    live = source.names.get(name, ())
    for each in assigned:
        wins = each in live and not each.apart
        if not wins:
            again = f"line {live[-1].line} sets it again" if live else ""
            why = each.apart or again
        elif len(live) > 1:
            why = "conditions decide between the assignments"
        else:
            why = "the last assignment wins" if len(assigned) > 1 else ""
        yield GivenSetting(line=each.line, value=each.value, wins=wins, why=why)


def _of_classes(source: PythonFile, name: str) -> Iterator[GivenSetting]:
    assigned = [each for each in source.assigned if each.name == name and each.inside]
    classes = [each for each in source.classes if stage_named(each) is not Stage.TESTS]
    production = [each for each in classes if stage_named(each) is Stage.PRODUCTION]
    winners: dict[Assigned, str] = {}
    for each in production or classes:
        for attribute in source.attribute(each, name) or ():
            winners.setdefault(attribute, f"{each} has it" if len(assigned) > 1 else "")
    for one in assigned:
        wins = one in winners and not one.apart
        if wins:
            why = winners[one]
        elif stage_named(one.inside) is Stage.TESTS:
            why = f"{one.inside} is only for tests and development"
        else:
            why = one.apart or "another class overrides it"
        yield GivenSetting(line=one.line, value=one.value, wins=wins, why=why)


def _stored(source: PythonFile, name: str) -> Iterator[GivenSetting]:
    found = [
        (each.line, each.value, each.apart)
        for each in source.stored
        if each.name == name and each.base.split(".")[-1] in ("config", "settings")
    ]
    for called in source.called:
        call = called.call
        if not call.function.endswith(_CONFIGURES):
            continue
        first = call.arguments[0].data if call.arguments else None
        given = {**(first if isinstance(first, dict) else {}), **call.keywords}
        if name in given:
            found.append((call.line, given[name], called.apart))
    found.sort(key=lambda each: each[0])
    last = max((line for line, _, apart in found if not apart), default=0)
    for line, value, apart in found:
        wins = line == last and not apart
        why = apart or "it is set again"
        if wins:
            why = "the last one set wins" if len(found) > 1 else ""
        yield GivenSetting(line=line, value=value, wins=wins, why=why)
