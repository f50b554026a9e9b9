"""What an application does with a cost that is outside what it accepts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hashcost.apps.interface import Found, Scheme
from hashcost.units import format_list


def with_refusals(
    found: Iterable[Found], schemes: Sequence[Scheme], library: str
) -> tuple[Found, ...]:
    """The same costs; those that the application refuses say so."""
    return tuple(_judged(each, schemes, library) for each in found)


def _judged(found: Found, schemes: Sequence[Scheme], library: str) -> Found:
    scheme = next((each for each in schemes if each.hasher == found.hasher), None)
    if scheme is None:
        return found
    refused = []
    for name, value in found.params.items():
        limits = scheme.limits.get(name)
        if limits is None or limits.nearest(value) == value or limits.beyond != "refused":
            continue
        legal = (
            format_list([str(each) for each in limits.allowed])
            if limits.allowed
            else f"{limits.minimum} to {limits.maximum}"
        )
        refused.append(f"{library} refuses {name} {value}; it takes {legal}")
    if not refused and set(scheme.limits) <= set(found.params):
        why = scheme.refuses(found.params)
        refused += [f"{library} refuses it: {why}"] if why else []
    return replace(found, why="; ".join(filter(None, (found.why, *refused))))
