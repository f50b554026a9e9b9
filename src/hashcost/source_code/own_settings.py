"""A project's own setting of a library replaces the library's default in all its files."""

from collections.abc import Sequence
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

    A setting of the nearest project counts first, one for production before one for every
    environment, and the lowest of those that count alike.
    """
    calls = (*costs, *unknown)
    settings = [call for call in calls if call.sets and not call.in_tests and _rank(call)]
    settings.sort(key=_strength)
    settled = [
        _settled(call, [other for other in settings if _decides(other, call)]) for call in calls
    ]
    return (
        [call for call in settled if isinstance(call, SetCost)],
        [call for call in settled if not isinstance(call, SetCost)],
    )


def _settled(call: Setting, settings: Sequence[Setting]) -> Setting:
    """Give a call what settings say, of which the strongest is the last."""
    given = {name: getattr(call, name) for name in ("line", "call", "in_tests", "path", "library")}
    left = set(call.params).difference(call.written) if isinstance(call, SetCost) else set()
    settled, rest = call, left
    for setting in settings:
        place = f"{setting.path.name}:{setting.line} sets it"
        if not isinstance(setting, SetCost):
            if left or not isinstance(call, SetCost):
                settled = Setting(**given, hasher=call.hasher, why=f"{place}: {setting.why}")
            continue
        why = "; ".join(filter(None, (place, setting.why)))
        if not isinstance(call, SetCost):  # It leaves all to the project.
            settled = SetCost(**given, hasher=setting.hasher, params=setting.params, why=why)
            continue
        decided = left.intersection(setting.written)
        if decided and (isinstance(settled, SetCost) or decided == left):
            base = settled if isinstance(settled, SetCost) else call
            rest = rest.difference(decided)
            if rest or call.written:
                why = f"{why}; {call.why}"
            params = {**base.params, **{name: setting.params[name] for name in decided}}
            settled = replace(base, params=params, why=why)
    return settled


def _decides(setting: Setting, call: Setting) -> bool:
    if setting.sets not in call.follows or setting is call:
        return False
    root = _root(setting)
    return root is None or call.path.is_relative_to(root)


def _root(setting: Setting) -> PurePath | None:
    """The folder of the project that a file of settings is in, if its path tells."""
    parts = setting.path.parts[:-1]
    at = next((at for at in reversed(range(len(parts))) if parts[at] in _HOMES), None)
    return None if at is None else PurePath(*parts[:at])


def _rank(setting: Setting) -> int:
    return _RANKS.get(setting.path.stem, 1)


def _strength(setting: Setting) -> tuple[int, int, list[int]]:
    root = _root(setting)
    costs = [-cost for cost in setting.params.values()] if isinstance(setting, SetCost) else [1]
    return 0 if root is None else len(root.parts), _rank(setting), costs
