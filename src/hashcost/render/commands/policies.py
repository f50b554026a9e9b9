"""What `calibrate policies` shows: every floor, with the place and the day it is from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hashcost.core.units import format_cost, format_pairs
from hashcost.render.document import Column, Document, Fields, Table, records, sourced_table, table
from hashcost.worth.policies.policy import Floor, Policy

_FIELDS: Final[Fields[tuple[Policy, Floor]]] = {
    "policy": lambda each: each[0].id,
    "title": lambda each: each[0].title,
    "hasher": lambda each: each[1].hasher,
    "params": lambda each: format_pairs(each[1].params),
    "legacy": lambda each: each[1].legacy,
    "informative": lambda each: each[0].informative,
    "date": lambda each: str(each[1].date),
    "source": lambda each: each[1].source,
    "url": lambda each: each[0].url,
}


def policies_document(policies: Sequence[Policy], *, in_full: bool) -> Document:
    """A row per policy, or ``in_full`` a table for each; the records are whole either way."""
    return Document(
        tables=tuple(map(_floors, policies)) if in_full else (_list(policies),),
        notes=()
        if in_full
        else (
            *(f"{policy.id}: {policy.url or policy.source}" for policy in policies),
            "`calibrate policies NAME` shows a policy's floors.",
        ),
        fields=tuple(_FIELDS),
        records=records(
            ((policy, floor) for policy in policies for floor in policy.floors), _FIELDS
        ),
        value=tuple(policies),
    )


def _list(policies: Sequence[Policy]) -> Table:
    return table(
        policies,
        (Column("policy"), lambda policy: policy.id),
        (Column("as of"), lambda policy: str(policy.date)),
        (Column("title", flexible=True), lambda policy: policy.title),
    )


def _floors(policy: Policy) -> Table:
    lines = (
        f"{policy.id}: {policy.title}, {policy.date}",
        policy.url or policy.source,
        "" if policy.approved is None else f"no hasher but {', '.join(policy.approved)}",
        f"a salt of at least {policy.salt_bits} bits" if policy.salt_bits else "",
        f"an output of at least {policy.output_bits} bits" if policy.output_bits else "",
        policy.note,
    )
    least = Column("usual" if policy.informative else "at least", flexible=True, pairs=True)
    return sourced_table(
        policy.floors,
        (Column("hasher"), lambda floor: floor.hasher),
        (least, lambda f: format_cost(f.params) + (" (legacy only)" if f.legacy else "")),
        fact=lambda floor: floor,
        dated="since",
        title=filter(None, lines),
    )
