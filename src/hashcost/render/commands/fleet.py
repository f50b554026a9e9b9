"""The result of `calibrate fleet`: a row for each host before the comparison."""

from msgspec.structs import replace

from hashcost.core.units import format_duration
from hashcost.machines.fleet import Fleet, HostOutcome, HostResult
from hashcost.render.commands.compare import comparison_document
from hashcost.render.document import Column, Document, own, records, table
from hashcost.render.wording import counted, minute

_MANY = 12
"""Beyond this number, only hosts that failed have a row."""
_FIELDS = own("host", "outcome", "seconds", "error", "source", "created")


def fleet_document(fleet: Fleet, *, explained: bool = False) -> Document:
    """A row for each host, or of many for those that failed, before the comparison."""
    hosts = fleet.hosts
    if len(fleet.hosts) > _MANY and not explained:
        hosts = tuple(host for host in fleet.hosts if host.outcome is HostOutcome.FAILED)
    columns = (
        Column("host", bold=True),
        Column("measured", stays=True),
        Column("", flexible=True),
    )
    cells = [(host.host, _when(host), host.error or "") for host in hosts]
    target = format_duration(fleet.target_seconds)
    count = counted(len(fleet.hosts), "host", "hosts")
    document = Document(
        head=(f"{count}, one hash in at most {target}",),
        tables=(table(columns, cells),),
        records=records(fleet.hosts, _FIELDS),
        value=fleet,
    )
    if fleet.comparison is not None:
        compared = comparison_document(fleet.comparison, explained=explained)
        return replace(
            document,
            # The first line of a comparison says how many machines there are and the target.
            head=document.head + compared.head[1:],
            tables=document.tables + compared.tables,
            notes=compared.notes,
            answer=compared.answer,
        )
    for host in fleet.hosts:
        # A comparison needs two hosts; of one, its file says more.
        if host.source is not None:
            only = f"Only {host.source} was measured; `calibrate --from {host.source}` shows it."
            return replace(document, answer=(only,))
    return document


def _when(host: HostResult) -> str:
    if host.outcome is HostOutcome.MEASURED:
        return f"in {format_duration(host.seconds or 0.0)}"
    before = ""
    if host.created is not None:
        before = minute(host.created)
    # Of a host that failed, the time of its last measurement is told as well.
    if host.outcome is HostOutcome.KEPT:
        return before
    return f"failed; {before}".removesuffix("; ")
