"""What `calibrate` shows unless asked for more: a table, and below it which setting to use."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from hashcost.core.measurement import SeenBy
from hashcost.core.profile import FloorCheck, Recommendation, Verdict
from hashcost.core.units import format_list, format_setting
from hashcost.render.commands.worth import approval_notes, logins, priced, sure_seconds, unpriced
from hashcost.render.document import Column, Table, table
from hashcost.render.wording import (
    EXAMPLE,
    VERDICTS,
    lasts,
    row_names,
    target_option,
    target_typed,
    timed,
    with_cost,
)
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy, assess


def answer_table(
    rows: Sequence[Recommendation], policies: Sequence[Policy], devices: Sequence[Device]
) -> Table:
    """Each hasher's setting, its time, whether that is enough, and how long a password lasts."""
    names = row_names(rows)
    columns: list[tuple[Column, Callable[[Recommendation], str]]] = [
        (Column("hasher", flexible=True), lambda row: names[id(row)]),
        (Column("setting", bold=True, below=True), lambda row: format_setting(row.params)),
        (Column("one hash"), lambda row: timed(row.time_seconds, row.error_fraction)),
    ]
    for policy in policies:
        title = f"{policy.id} default" if policy.informative else f"meets {policy.id}"
        columns.append((Column(title, flexible=True), partial(_standing, policy=policy)))
    for device in devices:
        column = Column(_crack_time(device, devices), right=True, flexible=True)
        columns.append((column, partial(_lasting, device=device)))
    if any(row.capacity is not None for row in rows):
        columns.append((Column("logins/s", right=True), logins))
    return table(rows, *columns)


def answer_notes(
    rows: Sequence[Recommendation],
    policies: Sequence[Policy],
    devices: Sequence[Device],
    others: Sequence[Policy],
) -> Iterator[str]:
    """What the table's words mean, and what it cannot say; ``others`` are all policies."""
    if rows and devices:
        titles = format_list([f"one {device.title}" for device in devices])
        columns = format_list([_crack_time(device, devices) for device in devices])
        yield f"{columns}: how long {EXAMPLE} lasts on average against {titles}."
        if any(unpriced(rows, device) for device in devices):
            yield "unknown: no speed is published for this hasher on this device."
    asking = _asking(policies)
    short = dict.fromkeys(
        check.policy
        for row in rows
        for check in _checks(row, asking)
        if sure_seconds(row, check) and check.verdict is Verdict.SHORT
    )
    if short:
        yield f"from: the smallest --target that is sure to meet {format_list([*short])}."
    for policy in policies:
        yield from approval_notes(policy, rows)
    yield from _elsewhere(rows, policies, others)


def chosen(rows: Sequence[Recommendation], policies: Sequence[Policy]) -> Recommendation | None:
    """The setting to use: it meets every policy and costs an attacker most, if both are known.

    What a policy allows only in existing systems is chosen where nothing else was asked for.
    """
    asking = _asking(policies)
    enough = _enough(_modern(rows, asking), asking)
    if len(enough) > 1 and not enough[0].attacker:
        return None
    if enough:
        return enough[0]
    return rows[0] if len(rows) == 1 and not _missed(rows, asking) else None


def advice(rows: Sequence[Recommendation], policies: Sequence[Policy]) -> Iterator[str]:
    """Which setting to use, and why; ``rows`` begin with the one that is dearest to attack."""
    asking = _asking(policies)
    wanted = format_list([policy.id for policy in asking]) if asking else ""
    best = chosen(rows, policies)
    modern = _modern(rows, asking)
    enough = _enough(modern, asking)
    missed = _missed(modern, asking)
    if best is not None:
        why = [f"it meets {wanted}"] if any(check.met for check in _checks(best, asking)) else []
        if best is rows[0] and best.attacker and len(rows) > 1:
            why.append("costs an attacker most" if why else "it costs an attacker most")
        reason = f": {format_list(why)}" if why else ""
        yield f"Use {with_cost(best, rows)}{reason}.{_doubt(best)}"
    elif enough:
        if wanted:
            yield f"{format_list([with_cost(row, rows) for row in enough])} meet {wanted}."
    elif missed:
        alone = len(rows) == 1
        few = f"{with_cost(modern[0], rows)} does not meet" if alone else "None of these meets"
        nearest = min(_reaching(modern, asking), default=None)
        instead = "" if nearest is None else f"; use {nearest[2]}"
        yield f"{few} {format_list(missed) if alone else wanted}{instead}."


def _asking(policies: Sequence[Policy]) -> list[Policy]:
    """The policies that ask for something."""
    return [policy for policy in policies if not policy.informative]


def _modern(rows: Sequence[Recommendation], asking: Sequence[Policy]) -> Sequence[Recommendation]:
    return [row for row in rows if not _is_legacy(row, asking)] or rows


def _missed(rows: Sequence[Recommendation], asking: Sequence[Policy]) -> list[str]:
    """The policies that a row falls short of."""
    return [check.policy for row in rows for check in _checks(row, asking) if check.met is False]


def _enough(rows: Sequence[Recommendation], asking: Sequence[Policy]) -> list[Recommendation]:
    """The rows that meet every policy."""
    return [row for row in rows if all(check.met for check in _checks(row, asking))]


def _checks(row: Recommendation, policies: Sequence[Policy]) -> list[FloorCheck]:
    asked = {policy.id for policy in policies}
    return [check for check in row.floors if check.policy in asked]


def _is_legacy(row: Recommendation, asking: Sequence[Policy]) -> bool:
    return any(check.legacy for check in _checks(row, asking))


def _reaching(
    rows: Sequence[Recommendation], asking: Sequence[Policy]
) -> Iterator[tuple[int, float, str]]:
    """The targets that are sure to meet every policy, with what to type.

    Where no hasher is listed by all of them, the most that list one and do not rule it out.
    """
    for row in rows:
        listing = [c for c in _checks(row, asking) if c.verdict is not Verdict.NOT_NAMED]
        short = [check for check in listing if not check.met]
        sure = [sure_seconds(row, check) for check in short]
        if short and all(sure):
            seconds = max(filter(None, sure))
            unlisted = len(asking) - len(listing)
            for_these = f" for {format_list([each.policy for each in listing])}"
            yield (
                unlisted,
                seconds,
                f"{row.hasher} with {target_option(seconds)}{for_these if unlisted else ''}",
            )


def _standing(row: Recommendation, policy: Policy) -> str:
    """Whether a row meets a policy, or the target that does."""
    check = next(each for each in row.floors if each.policy == policy.id)
    if check.informative and check.met is not None:
        return "above" if check.met else "below"
    if check.verdict is not Verdict.SHORT:
        words = VERDICTS | {Verdict.MET: "yes" if row.raised_from is None else "yes, raised"}
        return words[check.verdict]
    seconds = sure_seconds(row, check)
    return "no" if seconds is None else f"from {target_typed(seconds)}"


def _crack_time(device: Device, devices: Sequence[Device]) -> str:
    """What stands above the times of a device."""
    return "crack time" if len(devices) == 1 else device.id


def _lasting(row: Recommendation, device: Device) -> str:
    return next((lasts(price) for _, price in priced([row], device)), "unknown")


def _elsewhere(
    rows: Sequence[Recommendation], policies: Sequence[Policy], others: Sequence[Policy]
) -> Iterator[str]:
    """Which other policies name a hasher that none of those asked for does."""
    silent = [
        row
        for row in rows
        if policies and all(each.verdict is Verdict.NOT_NAMED for each in row.floors)
    ]
    for row in {row.hasher: row for row in silent}.values():
        names = format_list([policy.id for policy in policies])
        silence = f"{names} {'does' if len(policies) == 1 else 'do'} not list {row.hasher}"
        checks = [assess(each, row.hasher, row.params) for each in _asking(others)]
        told = [*_told([check for check in checks if check.params])]
        yield (
            f"{silence}. It {' and '.join(told)}."
            if told
            else f"{silence}, nor does any other policy."
        )


def _told(checks: Sequence[FloorCheck]) -> Iterator[str]:
    """How a row stands to each of these, those that it meets first."""
    for verb, is_met in (("meets", True), ("misses", False)):
        found = [
            f"{each.policy} ({format_setting(each.params or {})})"
            for each in checks
            if each.met is is_met
        ]
        if found:
            yield f"{verb} {format_list(found)}"


def _doubt(row: Recommendation) -> str:
    if row.seen_by is not SeenBy.NOBODY:
        return ""
    return " It may be too low: this run saw no quiet core; run it again."
