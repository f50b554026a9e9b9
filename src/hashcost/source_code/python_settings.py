"""Which assignment of a setting in a Python file is the one that production has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from hashcost.source_code.python_file import Assigned, PythonFile
from hashcost.source_code.stages import Stage, stage_named
from hashcost.source_code.values import Value

_CONFIGURES = ("config.update", "config.from_mapping", "settings.configure")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One value that a setting is given on a line; ``why`` it is the one or is not."""

    line: int
    value: Value
    wins: bool
    why: str


def settings_named(source: PythonFile, name: str) -> tuple[Setting, ...]:
    """Every value that a file gives a setting, in the order of its lines.

    A class such as ``ProductionConfig`` goes before a module's own name, and what is
    put into ``app.config`` before both.
    """
    stored = list(_stored(source, name))
    classes = list(_of_classes(source, name))
    module = list(_of_module(source, name))
    if any(each.wins for each in stored):
        classes = [_beaten(each, "app.config is set after it") for each in classes]
    if any(each.wins for each in (*stored, *classes)):
        module = [_beaten(each, "another place overrides it") for each in module]
    return tuple(sorted((*module, *classes, *stored), key=lambda each: each.line))


def chosen(setting: Setting) -> str:
    """Why a setting is, or is not, the one, with what its value depends on."""
    return "; ".join(filter(None, (setting.why, setting.value.why)))


def _of_module(source: PythonFile, name: str) -> Iterator[Setting]:
    assigned = [
        each for each in source.assigned if each.name == name and not (each.inside or each.local)
    ]
    live = source.names.get(name, ())
    several = len(assigned) > 1
    for each in assigned:
        wins = each in live and not each.apart
        if wins:
            why = "the last assignment wins" if several and len(live) == 1 else ""
        else:
            why = each.apart or f"line {live[-1].line} sets it again" if live else each.apart
        if wins and len(live) > 1:
            why = "conditions decide between the assignments"
        yield from _settings(each, wins=wins, why=why)


def _of_classes(source: PythonFile, name: str) -> Iterator[Setting]:
    assigned = [each for each in source.assigned if each.name == name and each.inside]
    classes = [each for each in source.classes if stage_named(each) is not Stage.TESTS]
    production = [each for each in classes if stage_named(each) is Stage.PRODUCTION]
    winners: dict[Assigned, str] = {}
    for each in production or classes:
        for attribute in source.attribute(each, name) or ():
            why = f"{each} has it" if len(assigned) > 1 else ""
            winners.setdefault(attribute, why)
    for one in assigned:
        wins = one in winners and not one.apart
        if wins:
            why = winners[one]
        elif stage_named(one.inside) is Stage.TESTS:
            why = f"{one.inside} is for tests and development alone"
        else:
            why = one.apart or "another class overrides it"
        yield from _settings(one, wins=wins, why=why)


def _stored(source: PythonFile, name: str) -> Iterator[Setting]:
    found: list[tuple[int, Value, str]] = []
    for each in source.stored:
        if each.key == name and each.base.split(".")[-1] in ("config", "settings"):
            found += [(each.line, value, each.apart) for value in each.values]
    for called in source.called:
        call = called.call
        if not call.function.endswith(_CONFIGURES):
            continue
        given = call.keywords.get(name)
        first = call.arguments[0].data if call.arguments else None
        if given is None and isinstance(first, dict):
            given = first.get(name)
        if given is not None:
            found.append((call.line, given, called.apart))
    found.sort(key=lambda each: each[0])
    last = max((line for line, _, apart in found if not apart), default=0)
    for line, value, apart in found:
        wins = line == last and not apart
        why = "" if wins and len(found) == 1 else "the last one set wins" if wins else apart
        yield Setting(
            line=line, value=value, wins=wins, why=why or ("" if wins else "it is set again")
        )


def _settings(assigned: Assigned, *, wins: bool, why: str) -> Iterable[Setting]:
    return (
        Setting(line=assigned.line, value=value, wins=wins, why=why) for value in assigned.values
    )


def _beaten(setting: Setting, why: str) -> Setting:
    return replace(setting, wins=False, why=why if setting.wins else setting.why)
