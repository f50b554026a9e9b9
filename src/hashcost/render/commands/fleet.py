"""What `calibrate fleet` shows: what became of each host, and those that are known compared."""

from collections.abc import Sequence

from msgspec.structs import replace

from hashcost.core.decision import Decision
from hashcost.core.units import format_duration
from hashcost.fleet.profiles import Fleet, HostResult, Outcome
from hashcost.render.commands.compare import MANY_MACHINES, comparison_document
from hashcost.render.document import Column, Document, Fields, Table, own, records, table
from hashcost.render.wording import counted, machine_line, minute
from hashcost.worth.policies.policy import Policy

_FIELDS: Fields[HostResult] = {
    "host": lambda each: each.host,
    "outcome": lambda each: each.outcome.value,
    **own("seconds", "error", "source"),
    "created": lambda each: each.created.isoformat() if each.created else None,
}


def fleet_document(
    fleet: Fleet,
    *,
    policies: Sequence[Policy] = (),
    explained: bool = False,
    decision: Decision | None = None,
) -> Document:
    """A row for each host, or of many for those that failed, before the comparison."""
    hosts, comparison = _hosts(fleet, explained=explained), fleet.comparison
    own_part = Document(
        head=(_head(fleet),),
        tables=() if hosts is None else (hosts,),
        fields=tuple(_FIELDS),
        records=records(fleet.hosts, _FIELDS),
        value=fleet,
    )
    if comparison is None:
        known = [each.source for each in fleet.hosts if each.source is not None]
        told = (
            f"Only {known[0]} was measured; `calibrate --from {known[0]}` shows it."
            if known
            else ""
        )
        return replace(own_part, answer=(told,) if told else ())
    compared = comparison_document(
        comparison,
        policies=policies,
        explained=explained,
        decision=decision,
        machines=hosts,
    )
    return replace(
        own_part,
        head=(*own_part.head, *compared.head[1:]),
        tables=compared.tables,
        notes=compared.notes,
        answer=compared.answer,
    )


def _head(fleet: Fleet) -> str:
    target = format_duration(fleet.target_seconds)
    return f"{counted(len(fleet.hosts), 'host', 'hosts')}, one hash in at most {target}"


def _hosts(fleet: Fleet, *, explained: bool) -> Table | None:
    """Each host, or of many those that failed; `None` if none did."""
    many = len(fleet.hosts) > MANY_MACHINES and not explained
    shown = [each for each in fleet.hosts if each.outcome is Outcome.FAILED or not many]
    if not shown:
        return None
    comparison = fleet.comparison
    on = {
        each.name: machine_line(each.machine)
        for each in (comparison.machines if comparison else ())
    }
    return table(
        shown,
        (Column("host", bold=True), lambda each: each.host),
        (Column("measured"), _when),
        (Column("on", flexible=True), lambda each: each.error or on.get(each.host, "")),
    )


def _when(each: HostResult) -> str:
    if each.outcome is Outcome.MEASURED:
        return f"in {format_duration(each.seconds or 0.0)}"
    before = f"{minute(each.created)}" if each.created is not None else ""
    if each.outcome is Outcome.KEPT:
        return before
    return f"failed; {before}" if before else "failed"
