"""A project's own setting of a library replaces the library's default in all its files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from hashcost.source_code.reading import SetCost, Setting

_HOMES: Final = frozenset({"config", "app", "lib", "src"})
"""Folders inside a project: what is beside them is of the same project."""
_RANKS: Final = {
    **dict.fromkeys(("test", "testing", "dev", "development", "local"), 0),
    **dict.fromkeys(("prod", "production"), 2),
    **dict.fromkeys(("runtime", "releases"), 3),
}
"""How late a file of settings is read; 0 for one that never counts in production."""


def with_settings(
    costs: Sequence[SetCost], unknown: Sequence[Setting]
) -> tuple[list[SetCost], list[Setting]]:
    """Replace the defaults that settings of the project decide, in the order of the costs.

    One of the nearest project counts first, one for production before one for every
    environment; where several count alike, each of them is a cost.
    """
    calls = (*costs, *unknown)
    settings = [call for call in calls if call.sets and not call.in_tests and _rank(call)]
    told: list[SetCost] = []
    untold: list[Setting] = []
    for call in calls:
        deciding = list(_deciding(call, settings))
        for settled in _settled(call, deciding) if deciding else [call]:
            if isinstance(settled, SetCost):
                told.append(settled)
            else:
                untold.append(settled)
    return told, untold


def _deciding(call: Setting, settings: Iterable[Setting]) -> Iterator[Setting]:
    """Find the settings about a call, those that say the most at last."""
    around = [
        setting
        for setting in settings
        if setting.sets in call.follows
        and (setting.path, setting.line) != (call.path, call.line)
        and ((root := _root(setting)) is None or call.path.is_relative_to(root))
    ]
    yield from sorted(around, key=_strength)


def _settled(call: Setting, settings: Sequence[Setting]) -> Iterator[Setting]:
    if not isinstance(call, SetCost):  # It leaves all to the project.
        strongest = [each for each in settings if _strength(each) == _strength(settings[-1])]
        opaque = any(not isinstance(each, SetCost) for each in strongest)
        yield from [call] if opaque else (_filled(call, each) for each in strongest)
        return
    left = {name for name in call.params if name not in call.told}
    layers: dict[tuple[int, int], list[Setting]] = {}
    for setting in settings:
        if not isinstance(setting, SetCost) or left.intersection(setting.told):
            layers.setdefault(_strength(setting), []).append(setting)
    if not layers:
        yield call
        return
    *lower, top = layers.values()
    for last in _distinct(top):
        settled: Setting = call
        for setting in (*(layer[-1] for layer in lower), last):
            settled = _replaced(settled, setting, left)
        yield settled


def _replaced(call: Setting, setting: Setting, left: set[str]) -> Setting:
    """Give a call what a setting says of the params that it leaves out."""
    sets = left.intersection(setting.told) if isinstance(setting, SetCost) else left
    if isinstance(setting, SetCost) and isinstance(call, SetCost):
        params = {**call.params, **{name: setting.params[name] for name in sets}}
        why = _sets(setting)
        rest = [name for name in params if name in left - sets]
        if rest and call.why_default:
            why = f"{why}; {' and '.join(rest)}: {call.why_default}"
        if call.why_default:
            why = call.why.replace(call.why_default, why)
        return replace(call, params=params, why=why)
    return Setting(
        **{name: getattr(call, name) for name in _KEPT},
        hasher=call.hasher,
        why=f"{_place(setting)} sets it: {setting.why}",
    )


_KEPT: Final = ("line", "call", "in_tests", "path", "library")


def _filled(call: Setting, setting: Setting) -> Setting:
    kept = {name: getattr(call, name) for name in _KEPT}
    if not isinstance(setting, SetCost):
        return call
    return SetCost(**kept, hasher=setting.hasher, params=setting.params, why=_sets(setting))


def _distinct(settings: Sequence[Setting]) -> Sequence[Setting]:
    known = {
        str(each.params if isinstance(each, SetCost) else each.why): each for each in settings
    }
    return tuple(known.values())


def _root(setting: Setting) -> PurePath | None:
    """The folder of the project that a file of settings is in, if its path tells."""
    parts = PurePath(setting.path).parts[:-1]
    at = next((at for at in reversed(range(len(parts))) if parts[at] in _HOMES), None)
    return None if at is None else PurePath(*parts[:at])


def _strength(setting: Setting) -> tuple[int, int]:
    root = _root(setting)
    return 0 if root is None else len(root.parts), _rank(setting)


def _rank(setting: Setting) -> int:
    return _RANKS.get(PurePath(setting.path).stem, 1)


def _sets(setting: Setting) -> str:
    said = f"{_place(setting)} sets it"
    return f"{said}; {setting.why}" if setting.why else said


def _place(setting: Setting) -> str:
    return f"{PurePath(setting.path).name}:{setting.line}"
