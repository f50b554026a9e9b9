"""A table whose rows rest on sources: a number in each row, the sources below the title."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hashcost.core.profile import AttackerPrice
from hashcost.render.document import Column, Table, table
from hashcost.worth.attackers.device import Speed
from hashcost.worth.policies.policy import Floor

_Shown = TypeVar("_Shown")


def sourced_table(
    shown: Sequence[_Shown],
    *columns: tuple[Column, Callable[[_Shown], str]],
    fact: Callable[[_Shown], AttackerPrice | Speed | Floor],
    title: Iterable[str],
    dated: str = "published",
) -> Table:
    """A table that ends with the date of each row's fact and the number of its source."""
    sources = dict.fromkeys(fact(each).source for each in shown)
    marks = {source: f"[{number}]" for number, source in enumerate(sources, 1)}
    return table(
        shown,
        *columns,
        (Column(dated), lambda each: f"{fact(each).date} {marks[fact(each).source]}"),
        title="\n".join((*title, *(f"{mark} {source}" for source, mark in marks.items()))),
    )
