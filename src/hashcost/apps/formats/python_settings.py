"""Settings of Python's web frameworks: every value that one is given, and which counts."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from hashcost.apps.formats.settings import NamedSettings
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.yaml_values import Scalar
from hashcost.core.errors import UndeterminedError
from hashcost.core.text import joined
from hashcost.source_code.python.file import PythonFile, read_python
from hashcost.source_code.python.values import Assigned
from hashcost.source_code.stages import DeploymentStage, is_for_development, stage_named
from hashcost.source_code.values import Reason, Value

_OWNERS: Final = ("config", "settings")


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

    Raises:
        UndeterminedError: only development sets it, and no class is production's.
    """
    stored = _stored(source, name)
    # Each of these replaces the one before it; of classes, any may be the one.
    live = in_production(stored)[-1:]
    if not live:
        live = in_production(_in_classes(source, name))
    if not live:
        live = in_production(source.names.get(name, ()))
    if not live:
        live = _in_tests_only(source, name)
    if not live:
        _refuse_development_only(source, name)
    assigned = [other for other in source.assigned if other.name == name and not other.local]
    everything = sorted([*stored, *assigned], key=lambda assignment: assignment.line)
    settings = []
    for assignment in everything:
        wins = assignment in live
        why = assignment.apart
        condition = 0
        if isinstance(why, Reason):
            condition = why.line
        if wins and len(live) > 1:
            why = "conditions decide between the values"
        elif wins and len(everything) > 1:
            why = "the last one counts"
        value = assignment.value
        why = joined(why, value.why)
        settings.append(GivenSetting(value, assignment.line, wins, why, condition))
    return settings


class PythonWords(NamedSettings, frozen=True):
    """A setting of Python code whose word has the cost."""

    def read(self, app: App, text: str) -> Costs:
        """The cost in each value of the setting."""
        if self.algorithm is None:
            return
        key = self.algorithm.key
        settings = []
        for given in settings_named(read_python(text), key):
            word = given.value.data
            if isinstance(word, str):
                scalar = Scalar(path=(key,), text=word, line=given.line, quoted=True)
                settings.append(replace(scalar, wins=given.wins, why=given.why))
            # What does not count may stay unknown.
            elif given.wins:
                yield Found.undetermined(given.line, f"{key} is known only at run time")
        yield from self.costs(app, settings)


def _stored(source: PythonFile, name: str) -> list[Assigned]:
    """Values that are put into ``app.config`` and the like, or given to it in a call, by line."""
    own = (assignment for assignment in source.stored if assignment.name == name)
    stored = [assignment for assignment in own if assignment.base.endswith(_OWNERS)]
    stored += (assignment for assignment in source.configured() if assignment.name == name)
    return sorted(stored, key=lambda assignment: assignment.line)


def _in_classes(source: PythonFile, name: str) -> list[Assigned]:
    """Values that classes for production assign, or else all classes but tests'."""
    stages = {kind: stage_named(kind) for kind in source.classes}
    kinds = [kind for kind, stage in stages.items() if stage is DeploymentStage.PRODUCTION]
    # No class is named for production, so each that may be it counts.
    if not kinds:
        kinds = [kind for kind, stage in stages.items() if stage is not DeploymentStage.TESTS]
    assigned: list[Assigned] = []
    for kind in kinds:
        assigned += source.attribute(kind, name) or ()
    return assigned


def _in_tests_only(source: PythonFile, name: str) -> list[Assigned]:
    """Values that classes for tests and development assign in a file that has no other class."""
    if any(stage_named(kind) is not DeploymentStage.TESTS for kind in source.classes):
        return []
    assigned: list[Assigned] = []
    for kind in source.classes:
        assigned += source.attribute(kind, name) or ()
    # A condition sets a value apart also there.
    return [one for one in assigned if not isinstance(one.apart, Reason)]


def _refuse_development_only(source: PythonFile, name: str) -> None:
    """Refuse a file whose classes but bases are of tests or development, and only these set it.

    Raises:
        UndeterminedError: a class for development sets it.
    """
    bases: set[str] = set()
    for kind in source.classes:
        bases.update(source.ancestry(kind)[1:])
    last = [kind for kind in source.classes if kind not in bases]
    if any(stage_named(kind) is not DeploymentStage.TESTS for kind in last):
        return
    for kind in last:
        if is_for_development(kind):
            for given in source.attribute(kind, name) or ():
                why = f"of the classes here only {kind} sets {name}, for development"
                raise UndeterminedError(given.line, why)


def in_production(assigned: Iterable[Assigned]) -> list[Assigned]:
    """Leave out what only tests and development have."""
    return [one for one in assigned if not one.apart]
