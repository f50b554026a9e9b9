"""Whether dummy hashes take as long as the hashes of users. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

from hashcost.checks.judgement import CostKind, Judgement, StoredApart
from hashcost.core.algorithms import guess_work
from hashcost.core.cost_expressions import Apart
from hashcost.core.machine import Notice
from hashcost.core.units import format_setting

_MAKE_IT_AT_START: Final = "make it when the process starts, by the function that hashes passwords"


def stale_dummies(
    stored: Iterable[StoredApart], results: Sequence[Judgement]
) -> tuple[Notice, ...]:
    """Note dummy hashes whose hasher or cost differs from the only one that is set.

    There is one note for each pair of costs. A cost in the file of the dummy goes before those of
    other files.
    """
    costs = [row for row in results if row.kind is CostKind.SET and row.params]
    notes: dict[tuple[str, str], Notice] = {}
    for dummy in stored:
        if dummy.why is not Apart.DUMMY:
            continue
        beside = [row for row in costs if row.place and row.place.path == dummy.place.path]
        configured = _only(beside or costs)
        if configured is None or _cost(configured) == _cost(dummy):
            continue
        notes.setdefault((_cost(dummy), _cost(configured)), _note(dummy, configured))
    return tuple(notes.values())


def _only(rows: Sequence[Judgement]) -> Judgement | None:
    """The first of these rows if all have one cost."""
    if len({_cost(row) for row in rows}) != 1:
        return None
    return rows[0]


def _cost(row: Judgement | StoredApart) -> str:
    return f"{row.hasher} {format_setting(row.params)}".strip()


def _note(dummy: StoredApart, configured: Judgement) -> Notice:
    when = "in a different time than others"
    work = guess_work(dummy.hasher, dummy.params)
    usual = guess_work(configured.hasher, configured.params)
    if dummy.hasher == configured.hasher and work is not None and usual is not None:
        when = "sooner than others" if work < usual else "later than others"
    where = ""
    if configured.place is not None:
        where = f" ({configured.place})"
    return Notice(
        code="stale-dummy",
        message=(
            f"{dummy.place}: the dummy hash is {_cost(dummy)}, but new hashes are"
            f" {_cost(configured)}{where}, so unknown users get an answer {when}"
        ),
        advice=_MAKE_IT_AT_START,
    )
