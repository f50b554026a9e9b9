"""A project's own setting of a library replaces the library's default in all its files."""

from collections.abc import Iterator, Sequence
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
    settings = [call for call in calls if call.sets and not call.in_tests and _strength(call)[1]]
    settings.sort(key=_strength)
    told: list[SetCost] = []
    untold: list[Setting] = []
    for call in calls:
        deciding = [
            setting
            for setting in settings
            if setting.sets in call.follows
            and (setting.path, setting.line) != (call.path, call.line)
            and ((root := _root(setting)) is None or call.path.is_relative_to(root))
        ]
        for settled in _settled(call, deciding):
            if isinstance(settled, SetCost):
                told.append(settled)
            else:
                untold.append(settled)
    return told, untold


def _settled(call: Setting, settings: Sequence[Setting]) -> Iterator[Setting]:
    """Give a call what settings say, the strongest last; several that are alike, each."""
    left = set(call.params).difference(call.told) if isinstance(call, SetCost) else set()
    settings = [
        setting
        for setting in settings
        if not (isinstance(call, SetCost) and isinstance(setting, SetCost))
        or left.intersection(setting.told)
    ]
    strongest = [other for other in settings if _strength(other) == _strength(settings[-1])]
    weaker = settings[: len(settings) - len(strongest)]
    if not settings:
        yield call
    for last in {(other.hasher, _said(other)): other for other in strongest}.values():
        settled = call
        for setting in (*weaker, last):
            settled = _decided(settled, setting, call, left)
        yield settled


def _decided(settled: Setting, setting: Setting, call: Setting, left: set[str]) -> Setting:
    place = f"{setting.path.name}:{setting.line} sets it"
    why = "; ".join(filter(None, (place, setting.why)))
    kept = {name: getattr(call, name) for name in ("line", "call", "in_tests", "path", "library")}
    if not isinstance(setting, SetCost):
        why = f"{place}: {setting.why}" if isinstance(call, SetCost) else call.why
        return Setting(**kept, hasher=call.hasher, why=why)
    if not isinstance(call, SetCost):  # It leaves all to the project.
        return SetCost(**kept, hasher=setting.hasher, params=setting.params, why=why)
    if not isinstance(settled, SetCost):
        if not left.issubset(setting.told):
            return settled
        settled = call
    params = {**settled.params, **{name: setting.params[name] for name in left & {*setting.told}}}
    if call.why_default:
        rest = [name for name in params if name in left.difference(setting.told)]
        named = f"{why}; {' and '.join(rest)}: {call.why_default}" if rest else why
        why = call.why.replace(call.why_default, named)
    return replace(settled, params=params, why=why)


def _said(setting: Setting) -> str:
    return str(sorted(setting.params.items())) if isinstance(setting, SetCost) else setting.why


def _root(setting: Setting) -> PurePath | None:
    """The folder of the project that a file of settings is in, if its path tells."""
    parts = setting.path.parts[:-1]
    at = next((at for at in reversed(range(len(parts))) if parts[at] in _HOMES), None)
    return None if at is None else PurePath(*parts[:at])


def _strength(setting: Setting) -> tuple[int, int]:
    root = _root(setting)
    return 0 if root is None else len(root.parts), _RANKS.get(setting.path.stem, 1)
