"""The result of `calibrate compare`: one cost for all, and how long it takes on each machine."""

from collections.abc import Iterator, Mapping, Sequence

from hashcost.core.profile import TOO_NOISY, Verdict
from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.machines.deciding import DecidedOutcome
from hashcost.machines.model import Comparison, HasherComparison, Step
from hashcost.recommend.huge_pages import VARIABLE
from hashcost.render.document import Column, Document, Row, Table, records, table
from hashcost.render.wording import (
    counted,
    gathered,
    library,
    machine_line,
    named,
    refusal,
    time_of,
)
from hashcost.storage.decision import DecidedCost

_PAIR = 2
"""Most machines that get a column each; of more, each group gets a row."""
_SHORT = 24
_FIELDS = {
    "hasher": "1.hasher",
    "machine": "2.name",
    "group": "3.machine",
    "source": "2.source",
    "created": "2.created",
    "cpu_model": "2.machine.cpu_model",
    "implementation": "4.implementation",
    "implementation_version": "4.implementation_version",
    "target_seconds": "0.target_seconds",
    "params": "1.common.params",
    "time_seconds": "4.time_seconds",
    "low_seconds": "4.interval_seconds.0",
    "high_seconds": "4.interval_seconds.1",
    "wait_seconds": "4.wait_seconds",
    "misses": "1.common.missed",
    "error": "1.undecided",
}
"""Paths of a comparison, a hasher's, a machine, the row of its group, and its own row."""


def comparison_document(
    comparison: Comparison, *, targets_differ: bool = False, explained: bool = False
) -> Document:
    """A row per hasher for two machines; for more, one per hasher and group of machines.

    ``targets_differ``: the files were made for different targets, and none was asked for.
    ``explained``: a row per machine.
    """
    rows = []
    machines = {machine.name: machine for machine in comparison.machines}
    for compared in comparison.hashers:
        groups = {name: group for group in compared.groups for name in group.machines}
        rows += [
            (comparison, compared, machines[row.machine], groups[row.machine], row)
            for row in compared.rows
        ]
    return Document(
        head=tuple(_head(comparison, targets_differ=targets_differ)),
        tables=(_table(comparison, explained=explained),),
        notes=tuple(_notes(comparison, explained=explained)),
        answer=(_answer(comparison),),
        records=records(rows, _FIELDS),
        value=comparison,
    )


def _head(comparison: Comparison, *, targets_differ: bool) -> Iterator[str]:
    """How many machines, when they were measured, what they are, and their libraries."""
    machines = comparison.machines
    days = sorted({f"{machine.created:%Y-%m-%d}" for machine in machines})
    measured = " to ".join(dict.fromkeys((days[0], days[-1])))
    target = format_duration(comparison.target_seconds)
    head = f"{len(machines)} machines, measured {measured}, one hash in at most {target}"
    if targets_differ:
        head += "; the files were made for different targets"
    yield head
    alike = gathered((machine_line(machine.machine), machine.name) for machine in machines)
    for line, names in alike.items():
        yield f"{named(names)}: {line}"
    yield f"Hashed by {'; '.join(_libraries(comparison))}"


def _libraries(comparison: Comparison) -> Iterator[str]:
    """The libraries with their versions, and the machines where they differ in it."""
    owners: dict[str, str] = {}
    for compared in comparison.hashers:
        versions = gathered((library(row), row.machine) for row in compared.rows)
        for version, names in versions.items():
            # A version that all machines have needs no names.
            where = ""
            if len(versions) > 1:
                where = f" ({named(names)})"
            owners.setdefault(version, where)
    for version, where in owners.items():
        yield f"{version}{where}"


def _answer(comparison: Comparison) -> str:
    """The strongest cost for all and the target that it keeps on each, or why none does."""
    compared = comparison.hashers[0]  # The first is the hasher to use.
    label = comparison.label_of(compared)
    cost = compared.common
    if cost is None:
        return f"There is no cost for all machines. {label}: {compared.undecided}."
    # Machines that lack the hasher have no such cost.
    where = f"all {len(comparison.machines)} machines"
    if compared.missing:
        where = named([row.machine for row in compared.rows])
    elif len(comparison.machines) == _PAIR:
        where = "both machines"
    answer = f"Use {label} {format_setting(cost.params)} on {where}: it {_keeps(comparison)}"
    if cost.missed:
        answer += f", and does not meet {format_list(cost.missed)}"
    return f"{answer}."


def _keeps(comparison: Comparison) -> str:
    """On which machines the first cost keeps the target, and how long it takes on others."""
    target = format_duration(comparison.target_seconds)
    kept: dict[str, float] = {}
    beyond: dict[str, float] = {}
    for row in comparison.hashers[0].rows:
        seconds = row.wait_seconds or 0.0  # Where there is a cost for all, it is known.
        if seconds <= comparison.target_seconds:
            kept[row.machine] = seconds
        else:
            beyond[row.machine] = seconds
    if not beyond:
        return f"keeps the target of {target} on each"
    if len(beyond) > _PAIR:
        takes = f"up to {format_duration(max(beyond.values()))} on {named([*beyond])}"
    else:
        times = [f"{format_duration(seconds)} on {name}" for name, seconds in beyond.items()]
        takes = " and ".join(times)
    if kept:
        return f"keeps the target of {target} on {named([*kept])}, but takes {takes}"
    return f"takes {takes}, longer than the target of {target}"


def _table(comparison: Comparison, *, explained: bool) -> Table:
    """The costs for all, with their times on each of two machines, or group by group."""
    columns = [Column("hasher"), Column("cost for all", bold=True, below=True)]
    names = [machine.name for machine in comparison.machines]
    if len(names) == _PAIR and not explained:
        # Two times fit beside each other, whatever the machines' names are.
        columns += [Column(name, stays=True) for name in names]
        return table(columns, [_pair_cells(comparison, hasher) for hasher in comparison.hashers])
    cells = []
    for compared in comparison.hashers:
        label, cost = comparison.label_of(compared), _cost(compared)
        rows = compared.rows if explained else compared.groups
        cells += [(label, cost, _stand_in(row.machines), time_of(row, "-")) for row in rows]
    columns += [Column("machine", flexible=True), Column("one hash")]
    return table(columns, cells)


def _pair_cells(comparison: Comparison, compared: HasherComparison) -> Row:
    """A hasher, its cost, and a time on each machine."""
    times = {machine.name: "-" for machine in comparison.machines}
    for row in compared.rows:
        times[row.machine] = time_of(row, "-")
    return comparison.label_of(compared), _cost(compared), *times.values()


def _cost(compared: HasherComparison) -> str:
    if compared.common is None:
        return "none"
    return format_setting(compared.common.params)


def _stand_in(machines: Sequence[str]) -> str:
    """A group of machines in a cell: the first and how many others, or two short names."""
    others = len(machines) - 1
    if not others or (others == 1 and len("".join(machines)) <= _SHORT):
        return format_list(machines)
    return f"{machines[0]} and {counted(others, 'other', 'others')}"


def _notes(comparison: Comparison, *, explained: bool) -> Iterator[str]:
    """Say what machines lack and differ in, and why a hasher has no cost for all."""
    for machine, hashers in _reversed(comparison.alone).items():
        yield f"only {machine} has {format_list(hashers)}, so nothing is compared"
    largest = 0
    for compared in comparison.hashers:
        for group in compared.groups:
            largest = max(largest, len(group.machines))
    # Two machines have a column each, and an explained table a row for each machine.
    is_pooled = len(comparison.machines) > _PAIR and not explained
    if is_pooled and largest > 1:
        yield (
            "a row stands for machines with the same CPU, library and limits, by the slowest of"
            " them, or of four and more by the slowest but a quarter (--explain shows each)"
        )
    yield from _missing(comparison)
    # OpenSSL obeys this mask of the CPU's instructions, and is slower with it.
    masks = gathered((entry.machine.openssl_ia32cap, entry.name) for entry in comparison.machines)
    if len(masks) > 1:
        for mask, masked in masks.items():
            if mask:
                yield f"{named(masked)}: OPENSSL_ia32cap {mask}"
    yield from _shortfalls(comparison)
    asking = []
    undecided = {}
    for label, compared in _labelled(comparison):
        if compared.common is None:
            undecided[label] = compared.undecided
        elif compared.common.huge_pages:
            asking.append(label)
    if asking:
        yield f"{format_list(asking)}: the times hold where the service has {VARIABLE}"
    for why, labels in _reversed(undecided).items():
        yield f"no cost for all of {format_list(labels)}: {why}"


def _missing(comparison: Comparison) -> Iterator[str]:
    """Say once why several hashers are missing on the same machines."""
    pairs = []
    for label, compared in _labelled(comparison):
        for reason, machines in _reversed(compared.missing).items():
            pairs.append(((named(machines), reason), label))
    alike = gathered(pairs)
    for (names, reason), labels in alike.items():
        yield f"{format_list(labels)} on {names}: {reason}"


def _shortfalls(comparison: Comparison) -> Iterator[str]:
    """Say which costs a policy raises beyond the target, and which it does not approve."""
    raised = []
    pairs = []
    for label, compared in _labelled(comparison):
        if compared.common is None:
            continue
        if compared.is_raised:
            raised.append(label)
        for floor in compared.common.floors:
            kind = (floor.policy, floor.verdict, floor.figure, floor.informative)
            pairs.append((kind, compared.hasher))
    if raised:
        yield (
            f"{format_list(raised)}: the policy's minimum takes longer than the target;"
            " raise --target, or leave the minimum out by --policy none"
        )
    for (policy, verdict, figure, is_informative), names in gathered(pairs).items():
        if verdict is Verdict.NOT_APPROVED:
            yield refusal(policy, names)
        elif verdict is Verdict.NOT_NAMED:
            yield f"{policy} does not list {format_list(names, 'or')}"
        elif verdict is Verdict.SHORT and is_informative:
            yield f"{format_list(names)}: below the {figure} of {policy}"
        elif verdict is Verdict.SHORT:
            yield f"{format_list(names)}: the {figure} of {policy} was not timed on all machines"


def decision_remarks(comparison: Comparison, outcomes: Sequence[DecidedOutcome]) -> Iterator[str]:
    """Say what was decided on each cost, and why nothing could be decided on others."""
    if not outcomes:
        return
    for label, compared in _labelled(comparison):
        if compared.step is None:
            yield f"{label}: nothing is decided: {compared.undecided}"
    for outcome in outcomes:
        cost = outcome.cost
        setting = f"{cost.label} {format_setting(cost.params)}"
        if outcome.before is not None:
            yield f"{setting}: {outcome.step.value} from {format_setting(outcome.before)}"
        elif outcome.step is Step.TOO_HIGH:
            yield (
                f"{setting}: kept, though measuring again says that it takes more time or memory"
                " than is allowed; --lower allows less"
            )
        else:
            yield f"{setting}: {outcome.step.value}{_doubt(cost)}"


def _doubt(cost: DecidedCost) -> str:
    """Say that strangers may have slowed the hosts all the while."""
    if cost.interval_seconds is None:
        return ""
    quickest = cost.interval_seconds[0]
    # A cost whose time is certain enough to be relied upon needs no doubt.
    if quickest >= (1 - TOO_NOISY) * cost.time_seconds:
        return ""
    return f", though one hash may take only {format_duration(quickest)}; measure again later"


def _reversed(values: Mapping[str, str | None]) -> dict[str | None, list[str]]:
    """The keys by their values."""
    return gathered((value, key) for key, value in values.items())


def _labelled(comparison: Comparison) -> list[tuple[str, HasherComparison]]:
    """Each hasher's comparison with the name of its hasher."""
    return [(comparison.label_of(compared), compared) for compared in comparison.hashers]
