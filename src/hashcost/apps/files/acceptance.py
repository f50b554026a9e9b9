"""What an application does with a cost that is outside what it accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from hashcost.apps.interface import Found, Limits, Scheme
from hashcost.core.units import format_list


def with_ranges(
    found: Iterable[Found], schemes: Sequence[Scheme], title: str
) -> tuple[Found, ...]:
    """The same costs in the order of the file; those outside a range say what happens to them."""

    def whys(each: Found, scheme: Scheme) -> Iterator[str]:
        for name, value, limits in _outside(each, scheme):
            yield _consequence(name, value, limits, title)

    ordered = sorted(found, key=lambda each: (each.line, each.wins))
    return _with_whys(ordered, schemes, whys)


def with_refusals(
    found: Iterable[Found], schemes: Sequence[Scheme], library: str
) -> tuple[Found, ...]:
    """The same costs; those that the application refuses say so."""

    def whys(each: Found, scheme: Scheme) -> Iterator[str]:
        refused = [
            f"{library} refuses {name} {value}; it takes {_legal(limits)}"
            for name, value, limits in _outside(each, scheme)
            if limits.beyond == "refused"
        ]
        yield from refused
        if not refused and set(scheme.limits) <= set(each.params):
            why = scheme.refuses(each.params)
            if why:
                yield f"{library} refuses it: {why}"

    return _with_whys(found, schemes, whys)


def _with_whys(
    found: Iterable[Found],
    schemes: Sequence[Scheme],
    whys: Callable[[Found, Scheme], Iterable[str]],
) -> tuple[Found, ...]:
    """The costs with what there is to say about each; a hasher without a scheme keeps its own."""
    by_hasher = {scheme.hasher: scheme for scheme in reversed(schemes)}
    return tuple(
        replace(each, why="; ".join(filter(None, (each.why, *whys(each, scheme)))))
        if (scheme := by_hasher.get(each.hasher)) is not None
        else each
        for each in found
    )


def _outside(found: Found, scheme: Scheme) -> Iterator[tuple[str, int, Limits]]:
    """The params that are not what the application would make of them."""
    for name, value in found.params.items():
        limits = scheme.limits.get(name)
        if limits is not None and limits.nearest(value) != value:
            yield name, value, limits


def _legal(limits: Limits) -> str:
    if limits.allowed:
        return format_list([str(each) for each in limits.allowed])
    return f"{limits.minimum} to {limits.maximum}"


def _consequence(name: str, value: int, limits: Limits, title: str) -> str:
    if limits.allowed:
        return f"{title} takes only {', '.join(map(str, limits.allowed))}, not {name} {value}"
    if value < limits.minimum:
        return f"{name} {value} is below the {limits.minimum} of {title}: {limits.beyond}"
    if value > limits.maximum:
        above = limits.above or limits.beyond
        return f"{name} {value} is above the {limits.maximum} of {title}: {above}"
    return f"{title} takes only multiples of {limits.step}, not {name} {value}"
