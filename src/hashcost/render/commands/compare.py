"""The result of `calibrate compare`: one cost for all, and how long it takes on each machine."""

from collections.abc import Iterator, Sequence
from functools import partial

from hashcost.core.profile import TOO_NOISY, Verdict
from hashcost.core.units import format_duration, format_list, format_pairs, format_setting
from hashcost.machines.deciding import DecidedOutcome
from hashcost.machines.model import Comparison, HasherComparison, MachineRow, Step
from hashcost.recommend.huge_pages import VARIABLE
from hashcost.render.document import Column, Document, Records, Scalar, Table, table
from hashcost.render.wording import (
    counted,
    gathered,
    library,
    machine_line,
    named,
    refusal,
    with_error,
)
from hashcost.storage.decision import DecidedCost

_PAIR = 2
"""Most machines that get a column each; of more, each group gets a row."""
_SHORT = 24


def comparison_document(
    comparison: Comparison, *, targets_differ: bool = False, explained: bool = False
) -> Document:
    """A row per hasher for two machines; for more, one per hasher and group of machines.

    ``targets_differ``: the files were made for different targets, and none was asked for.
    ``explained``: a row per machine.
    """
    entries = comparison.machines
    target = format_duration(comparison.target_seconds)
    why = "; the files were made for different targets" if targets_differ else ""
    days = sorted(f"{entry.created:%Y-%m-%d}" for entry in entries)
    measured = " to ".join(dict.fromkeys((days[0], days[-1])))
    alike = gathered((machine_line(entry.machine), entry.name) for entry in entries)
    rows = tuple(
        _record(comparison, compared, row)
        for compared in comparison.hashers
        for row in compared.rows
    )
    return Document(
        head=(
            f"{len(entries)} machines, measured {measured}, one hash in at most {target}{why}",
            *(f"{named(names)}: {line}" for line, names in alike.items()),
            f"Hashed by {'; '.join(_libraries(comparison))}",
        ),
        tables=(_table(comparison, explained=explained),),
        notes=tuple(_notes(comparison, explained=explained)),
        answer=(_answer(comparison),),
        records=Records(tuple(rows[0]), rows),
        value=comparison,
    )


def _libraries(comparison: Comparison) -> Iterator[str]:
    """The libraries with their versions, and the machines where they differ in it."""
    owners: dict[str, list[str]] = {}
    for compared in comparison.hashers:
        versions = gathered((library(row), row.machine) for row in compared.rows)
        for version, names in versions.items():
            owners.setdefault(version, names if len(versions) > 1 else [])
    for version, names in owners.items():
        yield f"{version} ({named(names)})" if names else version


def _answer(comparison: Comparison) -> str:
    """The strongest cost for all and the target that it keeps on each, or why none does."""
    compared = comparison.hashers[0]
    cost, label = compared.common, comparison.label_of(compared)
    if cost is None:
        return f"There is no cost for all machines. {label}: {compared.undecided}."
    count = len(comparison.machines)
    where = "both machines" if count == _PAIR else f"all {count} machines"
    if compared.missing:
        where = named([row.machine for row in compared.rows])
    target = format_duration(comparison.target_seconds)
    times = {row.machine: row.wait_seconds or 0.0 for row in compared.rows}
    kept = [name for name, seconds in times.items() if seconds <= comparison.target_seconds]
    beyond = [name for name in times if name not in kept]
    if len(beyond) > _PAIR:
        takes = f"up to {format_duration(max(times.values()))} on {named(beyond)}"
    else:
        takes = " and ".join(f"{format_duration(times[name])} on {name}" for name in beyond)
    if not beyond:
        says = f"keeps the target of {target} on each"
    elif kept:
        says = f"keeps the target of {target} on {named(kept)}, but takes {takes}"
    else:
        says = f"takes {takes}, longer than the target of {target}"
    misses = f", and does not meet {format_list(cost.missed)}" if cost.missed else ""
    return f"Use {label} {format_setting(cost.params)} on {where}: it {says}{misses}."


def _table(comparison: Comparison, *, explained: bool) -> Table:
    """The costs for all, with their times on each of two machines, or group by group."""
    names = [entry.name for entry in comparison.machines]
    if len(names) == _PAIR and not explained:
        return table(
            comparison.hashers,
            (Column("hasher"), comparison.label_of),
            (Column("cost for all", bold=True, below=True), _cost),
            *((Column(name), partial(_time_on, machine=name)) for name in names),
        )
    rows = [
        (compared, row)
        for compared in comparison.hashers
        for row in (compared.rows if explained else compared.groups)
    ]
    return table(
        rows,
        (Column("hasher"), lambda pair: comparison.label_of(pair[0])),
        (Column("cost for all", bold=True, below=True), lambda pair: _cost(pair[0])),
        (Column("machine", flexible=True), lambda pair: _stand_in(pair[1].machines)),
        (Column("one hash"), lambda pair: _time(pair[1])),
    )


def _cost(compared: HasherComparison) -> str:
    return "none" if compared.common is None else format_setting(compared.common.params)


def _time_on(compared: HasherComparison, machine: str) -> str:
    return next((_time(row) for row in compared.rows if row.machine == machine), "-")


def _time(row: MachineRow) -> str:
    if row.time_seconds is None:
        return "-"
    return with_error(row.time_seconds, row.interval_seconds, row.wait_seconds)


def _stand_in(machines: Sequence[str]) -> str:
    """A group of machines in a cell: the first and how many others, or two short names."""
    others = len(machines) - 1
    if not others or (others == 1 and len("".join(machines)) <= _SHORT):
        return format_list(machines)
    return f"{machines[0]} and {counted(others, 'other', 'others')}"


def _record(
    comparison: Comparison, compared: HasherComparison, row: MachineRow
) -> dict[str, Scalar]:
    (machine,) = (entry for entry in comparison.machines if entry.name == row.machine)
    (group,) = (group for group in compared.groups if row.machine in group.machines)
    low, high = row.interval_seconds or (None, None)
    cost = compared.common
    return {
        "hasher": compared.hasher,
        "machine": row.machine,
        "group": group.machine,
        "source": machine.source,
        "created": machine.created.isoformat(),
        "cpu_model": machine.machine.cpu_model,
        "implementation": row.implementation,
        "implementation_version": row.implementation_version,
        "target_seconds": comparison.target_seconds,
        "params": format_pairs(cost.params) if cost else None,
        "time_seconds": row.time_seconds,
        "low_seconds": low,
        "high_seconds": high,
        "wait_seconds": row.wait_seconds,
        "misses": " ".join(cost.missed) if cost else None,
        "error": compared.undecided,
    }


def _notes(comparison: Comparison, *, explained: bool) -> Iterator[str]:
    """Say what machines lack and differ in, and why a hasher has no cost for all."""
    tables = _labelled(comparison)
    for machine, hashers in gathered((m, h) for h, m in comparison.alone.items()).items():
        yield f"only {machine} has {format_list(hashers)}, so nothing is compared"
    pooled = any(len(row.machines) > 1 for _, compared in tables for row in compared.groups)
    if pooled and not explained and len(comparison.machines) > _PAIR:
        yield (
            "a row stands for machines with the same CPU, library and limits, by the slowest of"
            " them, or of four and more by the slowest but a quarter (--explain shows each)"
        )
    missing = gathered(
        ((label, reason), machine)
        for label, compared in tables
        for machine, reason in compared.missing.items()
    )
    lacks = gathered(((named(m), reason), label) for (label, reason), m in missing.items())
    for (names, reason), labels in lacks.items():
        yield f"{format_list(labels)} on {names}: {reason}"
    masks = gathered((entry.machine.openssl_ia32cap, entry.name) for entry in comparison.machines)
    for mask, masked in masks.items() if len(masks) > 1 else ():
        if mask:
            yield f"{named(masked)}: OPENSSL_ia32cap {mask}"
    yield from _shortfalls(comparison)
    asking = [label for label, c in tables if c.common and c.common.huge_pages]
    if asking:
        yield f"{format_list(asking)}: the times hold where the service has {VARIABLE}"
    undecided = gathered((c.undecided, label) for label, c in tables if c.undecided)
    for why, labels in undecided.items():
        yield f"no cost for all of {format_list(labels)}: {why}"


def _shortfalls(comparison: Comparison) -> Iterator[str]:
    """Say which costs a policy raises beyond the target, and which it does not approve."""
    costs = [(label, c, c.common) for label, c in _labelled(comparison) if c.common]
    raised = [label for label, compared, _ in costs if compared.is_raised]
    if raised:
        yield (
            f"{format_list(raised)}: the policy's minimum takes longer than the target;"
            " --policy none leaves it out"
        )
    floors = gathered(
        ((floor.policy, floor.verdict, floor.informative), compared.hasher)
        for _, compared, cost in costs
        for floor in cost.floors
    )
    for (policy, verdict, informative), hashers in floors.items():
        names = [*dict.fromkeys(hashers)]
        if verdict is Verdict.NOT_APPROVED:
            yield refusal(policy, names)
        elif verdict is Verdict.NOT_NAMED:
            yield f"{policy} does not list {format_list(names, 'or')}"
        elif verdict is Verdict.SHORT and informative:
            yield f"{format_list(names)}: below the default of {policy}"
        elif verdict is Verdict.SHORT:
            yield f"{format_list(names)}: the minimum of {policy} was not timed on all machines"


def decision_remarks(comparison: Comparison, outcomes: Sequence[DecidedOutcome]) -> Iterator[str]:
    """Say what was decided on each cost, and why nothing could be decided on others."""
    for label, compared in _labelled(comparison) if outcomes else ():
        if compared.step is None:
            yield f"{label}: nothing is decided: {compared.undecided}"
    for outcome in outcomes:
        cost = outcome.cost
        setting = f"{cost.label} {format_setting(cost.params)}"
        if outcome.before is not None:
            before = format_setting(outcome.before)
            yield f"{setting}: {outcome.step.value} from {before}"
        elif outcome.step is Step.TOO_HIGH:
            yield (
                f"{setting}: kept, though measuring again says that it takes longer than the"
                " target; --lower allows less"
            )
        else:
            yield f"{setting}: {outcome.step.value}{_doubt(cost)}"


def _doubt(cost: DecidedCost) -> str:
    """Say that strangers may have slowed the hosts all the while."""
    quickest = cost.interval_seconds[0] if cost.interval_seconds else cost.time_seconds
    if quickest >= (1 - TOO_NOISY) * cost.time_seconds:
        return ""
    return f", though one hash may take only {format_duration(quickest)}; measure again later"


def _labelled(comparison: Comparison) -> list[tuple[str, HasherComparison]]:
    """Each hasher's comparison with the name of its hasher."""
    return [(comparison.label_of(compared), compared) for compared in comparison.hashers]
