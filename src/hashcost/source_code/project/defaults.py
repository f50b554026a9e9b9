"""A project's own setting of a library replaces the library's default in all its files. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path, PurePath
from typing import Final

from hashcost.core.measurement import Params
from hashcost.source_code.reading import SetCost, Setting
from hashcost.source_code.stages import Stage, stage_named
from hashcost.source_code.values import ALTERNATIVES

_HOMES: Final = frozenset({"config", "app", "lib", "src"})
"""Folders inside a project: what is beside them is of the same project."""
_LAST: Final = frozenset({"runtime", "releases"})
"""Files of settings that are read when the program starts, after all others."""


@dataclass(frozen=True, kw_only=True)
class Settled:
    """The costs of a project with its settings, and the calls whose cost is still not told."""

    costs: tuple[SetCost, ...]
    unknown: tuple[Setting, ...]


def with_settings(costs: Sequence[SetCost], unknown: Sequence[Setting]) -> Settled:
    """Replace the defaults that settings of the project decide, in the order of the costs.

    Settings for tests and development decide nothing. One of the nearest project counts
    first, one for production before one for every environment; of several alike, each is a
    cost of its own.
    """
    settings = [each for each in (*costs, *unknown) if each.sets and _rank(each) > 0]
    told: list[SetCost] = []
    untold: list[Setting] = []
    for found in (*costs, *unknown):
        around = [each for each in settings if _decides(each, found)]
        for each in _settled(found, around) if around else [found]:
            if isinstance(each, SetCost):
                told.append(each)
            else:
                untold.append(each)
    return Settled(costs=tuple(told), unknown=tuple(untold))


def _settled(found: Setting, settings: Sequence[Setting]) -> Iterator[Setting]:
    if not isinstance(found, SetCost):
        yield from _filled(found, settings)
        return
    left = [name for name in found.params if name not in found.told]
    deciding = [_strongest(each for each in settings if _tells(each, name)) for name in left]
    chosen = [(name, each) for name, each in zip(left, deciding, strict=True) if each]
    opaque = [each for _, several in chosen for each in several if not isinstance(each, SetCost)]
    if opaque:
        yield _untold(found, f"{_place(opaque[0])} sets it: {opaque[0].why}")
        return
    if prod(len(several) for _, several in chosen) > ALTERNATIVES:
        yield _untold(found, "the project sets it in several places")
        return
    for combination in product(*(several for _, several in chosen)):
        decided = dict(zip((name for name, _ in chosen), combination, strict=True))
        yield _replaced(found, decided)


def _replaced(found: SetCost, decided: dict[str, Setting]) -> SetCost:
    """A cost with the params that settings decide."""
    params: Params = dict(found.params)
    reasons: dict[str, None] = {}
    for name, setting in decided.items():
        if isinstance(setting, SetCost):
            params[name] = setting.params[name]
            reasons[_sets(setting)] = None
    if not reasons:
        return found
    said = "; ".join(reasons)
    rest = [each for each in params if each not in found.told and each not in decided]
    if rest and found.why_default:
        said = f"{said}; {' and '.join(rest)}: {found.why_default}"
    why = found.why.replace(found.why_default, said) if found.why_default else said
    return replace(found, params=params, why=why)


def _filled(found: Setting, settings: Sequence[Setting]) -> Iterator[Setting]:
    """A call that leaves all to the project, as its settings decide."""
    deciding = _strongest(settings)
    if not all(isinstance(each, SetCost) for each in deciding):
        yield found
        return
    for each in deciding:
        if isinstance(each, SetCost):
            yield SetCost(
                **{name: getattr(found, name) for name in ("line", "call", "in_tests", "path")},
                library=found.library,
                why=_sets(each),
                hasher=each.hasher,
                params=each.params,
            )


def _decides(setting: Setting, found: Setting) -> bool:
    """Whether a setting is about a call, and of the same project."""
    if setting.sets not in found.follows or _same_place(setting, found):
        return False
    root = _root(setting.path)
    return root is None or found.path.is_relative_to(root)


def _same_place(one: Setting, two: Setting) -> bool:
    return (one.path, one.line) == (two.path, two.line)


def _root(path: Path) -> PurePath | None:
    """The folder of the project that a file of settings is in, if its path tells."""
    parts = PurePath(path).parts[:-1]
    at = next((at for at in reversed(range(len(parts))) if parts[at] in _HOMES), None)
    return None if at is None else PurePath(*parts[:at])


def _rank(setting: Setting) -> int:
    """How late a setting is read: 0 for one that never counts in production."""
    stem = PurePath(setting.path).stem
    stage = stage_named(stem)
    if setting.in_tests or stage is Stage.TESTS:
        return 0
    return 3 if stem in _LAST else 2 if stage is Stage.PRODUCTION else 1


def _strength(setting: Setting) -> tuple[int, int]:
    """How near a setting's project is, and how late it is read."""
    root = _root(setting.path)
    return 0 if root is None else len(root.parts), _rank(setting)


def _strongest(settings: Iterable[Setting]) -> list[Setting]:
    """Those that are read last, those alike only once."""
    known = list(settings)
    highest = max(map(_strength, known), default=(0, 0))
    found: dict[tuple[object, ...], Setting] = {}
    for each in known:
        if _strength(each) == highest:
            said = sorted(each.params.items()) if isinstance(each, SetCost) else [each.why]
            found.setdefault((each.hasher, *said), each)
    return list(found.values())


def _tells(setting: Setting, name: str) -> bool:
    """Whether a setting is about a param; one that is not told may be about any."""
    return not isinstance(setting, SetCost) or name in setting.told


def _untold(found: SetCost, why: str) -> Setting:
    return Setting(
        line=found.line,
        call=found.call,
        why=why,
        in_tests=found.in_tests,
        path=found.path,
        library=found.library,
        hasher=found.hasher,
    )


def _sets(setting: SetCost) -> str:
    """Where a setting stands, with what it depends on."""
    said = f"{_place(setting)} sets it"
    return f"{said}; {setting.why}" if setting.why else said


def _place(setting: Setting) -> str:
    return f"{PurePath(setting.path).name}:{setting.line}"
