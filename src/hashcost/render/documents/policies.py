"""What `calibrate policies` shows: every floor, with the place and the day it is from."""

from __future__ import annotations

from collections.abc import Sequence

from hashcost.core.units import format_cost, format_pairs
from hashcost.render.document import Column, Document, Row, Scalar, Table
from hashcost.render.numbered_sources import NumberedSources
from hashcost.worth.policies.policy import Floor, Policy


def policies_document(policies: Sequence[Policy], *, in_full: bool) -> Document:
    """A row per policy, or ``in_full`` a table for each with a row per floor.

    The records and the value are the same, and whole, either way.
    """
    return Document(
        tables=tuple(_table(policy) for policy in policies) if in_full else (_list(policies),),
        notes=()
        if in_full
        else (
            *(f"{policy.id}: {policy.url or policy.source}" for policy in policies),
            "`calibrate policies NAME` shows a policy's floors.",
        ),
        fields=(
            "policy",
            "title",
            "hasher",
            "params",
            "legacy",
            "informative",
            "date",
            "source",
            "url",
        ),
        records=tuple(record for policy in policies for record in _records(policy)),
        value=tuple(policies),
    )


def _list(policies: Sequence[Policy]) -> Table:
    return Table(
        columns=(
            Column(title="policy"),
            Column(title="as of"),
            Column(title="title", flexible=True),
        ),
        rows=tuple(Row(cells=(policy.id, str(policy.date), policy.title)) for policy in policies),
    )


def _table(policy: Policy) -> Table:
    references = NumberedSources(floor.source for floor in policy.floors)
    refused = None if policy.approved is None else f"no hasher but {', '.join(policy.approved)}"
    lines = [
        f"{policy.id}: {policy.title}, {policy.date}",
        policy.url or policy.source,
        *([refused] if refused else []),
        *([f"a salt of at least {policy.salt_bits} bits"] if policy.salt_bits else []),
        *([f"an output of at least {policy.output_bits} bits"] if policy.output_bits else []),
        *([policy.note] if policy.note else []),
        *references.lines,
    ]
    return Table(
        title="\n".join(lines),
        columns=(
            Column(title="hasher"),
            Column(title="usual" if policy.informative else "at least", flexible=True, pairs=True),
            Column(title="since"),
        ),
        rows=tuple(
            Row(
                cells=(
                    floor.hasher,
                    format_cost(floor.params) + (" (legacy only)" if floor.legacy else ""),
                    f"{floor.date} {references.mark(floor.source)}",
                )
            )
            for floor in policy.floors
        ),
    )


def _records(policy: Policy) -> list[dict[str, Scalar]]:
    return [_record(policy, floor) for floor in policy.floors]


def _record(policy: Policy, floor: Floor) -> dict[str, Scalar]:
    return {
        "policy": policy.id,
        "title": policy.title,
        "hasher": floor.hasher,
        "params": format_pairs(floor.params),
        "legacy": floor.legacy,
        "informative": policy.informative,
        "date": str(floor.date),
        "source": floor.source,
        "url": policy.url,
    }
