"""Which of several settings in one file is the one that counts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hashcost.apps.interface import Found


def last_wins(found: Sequence[Found], why: str) -> tuple[Found, ...]:
    """All of them; each overrides the one before it."""
    if len(found) < 2:
        return tuple(found)
    last = found[-1]
    last = replace(last, why=why) if last.flaw is None else last.because(why)
    return (*(replace(each, wins=False) for each in found[:-1]), last)


def unique(found: Iterable[Found]) -> tuple[Found, ...]:
    """The same in the order of their lines; what several calls share is there once."""
    kept: dict[tuple[object, ...], Found] = {}
    for each in found:
        key = (each.line, each.hasher, *each.params.items())
        known = kept.get(key)
        if known is None or (each.wins and not known.wins):
            kept[key] = each if known is None else replace(each, why=each.why or known.why)
    return tuple(sorted(kept.values(), key=lambda each: each.line))
