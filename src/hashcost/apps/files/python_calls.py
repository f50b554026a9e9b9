"""Costs that a Python file gives as arguments of calls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from hashcost.apps.files.python_source import Called, Source
from hashcost.apps.files.python_values import Call, whole
from hashcost.apps.interface import Found
from hashcost.core.errors import UnreadableInputError


def calls_named(
    source: Source, names: Collection[str], *, of: str, but_not: Sequence[str] = ()
) -> tuple[Called, ...]:
    """The calls of functions with these last names, in the order of their lines.

    One that another package than ``of`` is known to have is left out.
    """
    found = []
    for called in source.called:
        module, _, name = called.call.function.rpartition(".")
        package = module.split(".")[0]
        foreign = any(part in called.call.function.lower() for part in but_not)
        defined = called.call.function in source.classes
        if name in names and not foreign and not defined and not _is_another(package, of):
            found.append(called)
    return tuple(sorted(found, key=lambda called: called.call.line))


def numbers(
    call: Call, arguments: Sequence[tuple[str, str]]
) -> tuple[Mapping[str, int], tuple[str, ...], int]:
    """The whole numbers of a call by param, what they depend on, and the first's line.

    ``arguments`` are the names in their order, each with the param that it sets.

    Raises:
        UnreadableInputError: only running it tells.
    """
    found: dict[str, int] = {}
    whys: list[str] = []
    line = 0
    for position, (name, param) in enumerate(arguments):
        value = call.argument(name, position)
        if value is None:
            require_whole(call, name)
            continue
        found[param] = whole(value, name)
        whys += value.whys
        line = line or value.line
    return found, tuple(dict.fromkeys(whys)), line or call.line


def require_whole(call: Call, name: str) -> None:
    """Refuse a call that may have an argument which the file does not show.

    Raises:
        UnreadableInputError: it has ``*`` or ``**`` of what is not known.
    """
    if not call.whole:
        raise UnreadableInputError(
            f"line {call.line}: whether {name} is given, only running it tells"
        )


def unique(found: Iterable[Found]) -> tuple[Found, ...]:
    """The same in the order of their lines; what several calls share is there once."""
    kept: dict[tuple[object, ...], Found] = {}
    for each in found:
        key = (each.line, each.hasher, *each.params.items())
        known = kept.get(key)
        if known is None or (each.wins and not known.wins):
            kept[key] = each if known is None else replace(each, why=each.why or known.why)
    return tuple(sorted(kept.values(), key=lambda each: each.line))


def _is_another(package: str, wanted: str) -> bool:
    """Whether a module, where one is known, belongs to another package."""
    return package.isidentifier() and package not in (wanted, "self", "cls", "app", "security")
