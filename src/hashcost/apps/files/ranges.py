"""What an application says to a cost that is outside its range."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hashcost.apps.interface import Found, Limits, Scheme


def with_ranges(
    found: Iterable[Found], schemes: Sequence[Scheme], title: str
) -> tuple[Found, ...]:
    """The same costs in the order of the file; those outside a range say what comes of it."""
    ordered = sorted(found, key=lambda each: (each.line, each.wins))
    return tuple(_judged(each, schemes, title) for each in ordered)


def _judged(found: Found, schemes: Sequence[Scheme], title: str) -> Found:
    scheme = next((each for each in schemes if each.hasher == found.hasher), None)
    if scheme is None:
        return found
    whys = [
        _outside(name, value, limits, title)
        for name, value in found.params.items()
        if (limits := scheme.limits.get(name)) is not None and limits.nearest(value) != value
    ]
    return replace(found, why="; ".join(filter(None, (found.why, *whys))))


def _outside(name: str, value: int, limits: Limits, title: str) -> str:
    if limits.allowed:
        return f"{title} takes {', '.join(map(str, limits.allowed))} alone, not {name} {value}"
    if value < limits.minimum:
        return f"{name} {value} is below the {limits.minimum} of {title}: {limits.beyond}"
    if value > limits.maximum:
        above = limits.above or limits.beyond
        return f"{name} {value} is above the {limits.maximum} of {title}: {above}"
    return f"{title} takes multiples of {limits.step} alone, not {name} {value}"
