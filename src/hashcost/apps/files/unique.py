"""Costs that several calls of a file share, each once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hashcost.apps.interface import Found


def unique(found: Iterable[Found]) -> tuple[Found, ...]:
    """The same in the order of their lines; what several calls share is there once."""
    kept: dict[tuple[object, ...], Found] = {}
    for each in found:
        key = (each.line, each.hasher, *each.params.items())
        known = kept.get(key)
        if known is None or (each.wins and not known.wins):
            kept[key] = each if known is None else replace(each, why=each.why or known.why)
    return tuple(sorted(kept.values(), key=lambda each: each.line))
