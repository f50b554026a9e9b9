"""What a recommendation is worth, for people: floors, and the price of guessing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from hashcost.core.profile import AttackerPrice, FloorCheck, Recommendation, Verdict
from hashcost.core.units import (
    format_cost,
    format_count,
    format_duration,
    format_list,
    format_money,
    format_pairs,
)
from hashcost.render.document import Column, Fields, Row, Scalar, Table
from hashcost.render.wording import BASES, LEGACY, VERDICTS, floor_title, refusal, target_option
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy, meets_all


def dearest_first(rows: Sequence[Recommendation]) -> tuple[Recommendation, ...]:
    """The rows by what a guess costs an attacker, the most first; unknown last."""
    return tuple(sorted(rows, key=lambda row: (not row.attacker, *_speeds(row))))


def worth_table(
    rows: Sequence[Recommendation], policies: Sequence[Policy], devices: Sequence[Device]
) -> tuple[Table, ...]:
    """Each row's floors and price; nothing where neither was asked for."""
    counts = any(row.capacity is not None for row in rows)
    if not rows or not (policies or devices or counts):
        return ()
    hashers = [row.hasher for row in rows]
    labels = [row.label for row in rows]
    shows_implementation = len(set(hashers)) < len(hashers)
    shows_cost = len(set(labels)) < len(labels)
    columns = [Column("hasher")]
    if shows_cost:
        columns.append(Column("cost", flexible=True, pairs=True))
    elif shows_implementation:
        columns.append(Column("implementation"))
    columns += [
        Column(floor_title(policy.id, informative=policy.informative)) for policy in policies
    ]
    for _ in devices:
        columns += [
            Column("guesses/s", right=True),
            Column(""),
            Column("$ per 2³²", right=True),
        ]
    if counts:
        columns.append(Column("logins/s", right=True))
    grid = []
    for row in rows:
        cells = [row.hasher]
        if shows_cost:
            cells.append(format_cost(row.params))
        elif shows_implementation:
            cells.append(row.implementation)
        checks = {check.policy: check for check in row.floors}
        cells += [floor_cell(checks[policy.id], row, policy) for policy in policies]
        prices = {price.device: price for price in row.attacker}
        for device in devices:
            cells += _price_cells(prices.get(device.id))
        if counts:
            level = row.capacity
            cells.append("-" if level is None else format_count(level.logins_per_second))
        grid.append(Row(cells=tuple(cells)))
    return (Table(title=_title(devices), columns=tuple(columns), rows=tuple(grid)),)


def worth_notes(
    rows: Sequence[Recommendation], policies: Sequence[Policy], devices: Sequence[Device]
) -> tuple[str, ...]:
    """One sentence for each thing that the table cannot say."""
    notes = []
    for policy in policies:
        notes += policy_notes(policy, rows)
    for device in devices:
        notes += _device_notes(device, rows)
    threads = {row.capacity.threads for row in rows if row.capacity is not None}
    for count in threads:
        notes.append(
            f"Logins a second are the most that {count} threads do here, and nothing else;"
            " `calibrate capacity HASHER` tells what they leave for logins at random."
        )
    return tuple(notes)


def _policies(*verdicts: Verdict) -> Callable[[Recommendation], str]:
    """The policies that a cost stands to in one of these ways."""
    return lambda row: " ".join(check.policy for check in row.floors if check.verdict in verdicts)


def _of_price(name: str) -> Callable[[Recommendation], Scalar]:
    return lambda row: getattr(row.attacker[0], name) if row.attacker else None


WORTH: Final[Fields[Recommendation]] = {
    "meets": _policies(Verdict.MET, Verdict.EQUAL_WORK),
    "short_of": _policies(Verdict.SHORT),
    "not_approved_by": _policies(Verdict.NOT_APPROVED),
    "legacy_in": lambda row: " ".join(check.policy for check in row.floors if check.legacy),
    "floor_seconds": lambda row: max(
        (check.time_seconds for check in row.floors if check.time_seconds is not None),
        default=None,
    ),
    "raised_from": lambda row: format_pairs(row.raised_from) if row.raised_from else None,
    "gpu": _of_price("device"),
    "guesses_per_second": _of_price("guesses_per_second"),
    "guesses_basis": lambda row: row.attacker[0].basis.value if row.attacker else None,
    "dollars_per_2_32_guesses": _of_price("dollars_per_2_32_guesses"),
    "logins_per_second": lambda row: row.capacity.logins_per_second if row.capacity else None,
    "logins_threads": lambda row: row.capacity.threads if row.capacity else None,
}
"""The floors and the price of one row, flat."""


def _speeds(row: Recommendation) -> list[float]:
    return [price.guesses_per_second for price in row.attacker]


def _title(devices: Sequence[Device]) -> str:
    if not devices:
        return "What that is worth"
    return f"What that is worth against one {' and one '.join(d.title for d in devices)}"


def floor_cell(check: FloorCheck, row: Recommendation, policy: Policy) -> str:
    """How a row stands to a policy, in a word or two, and what the floor takes here."""
    words = VERDICTS[check.verdict]
    if check.informative and check.met is not None:
        words = "above" if check.met else "below"
    elif row.raised_from is not None and not meets_all((policy,), row.hasher, row.raised_from):
        words = "raised"
    time = "" if check.time_seconds is None else format_duration(check.time_seconds)
    if check.verdict is Verdict.SHORT and not check.informative:
        return f"needs {time}" if time else "short, not timed"
    if check.time_params is not None and not policy.lists(row.hasher, check.time_params):
        return words  # What was timed asks for more than the floor does.
    return f"{words} ({time})" if time else words


def _price_cells(price: AttackerPrice | None) -> tuple[str, str, str]:
    if price is None:
        return "-", "", "-"
    dollars = price.dollars_per_2_32_guesses
    return (
        format_count(price.guesses_per_second),
        BASES[price.basis],
        "-" if dollars is None else format_money(dollars),
    )


def policy_notes(policy: Policy, rows: Sequence[Recommendation]) -> list[str]:
    """Who falls short of a policy, and of whom it does not approve, or no longer."""
    checks = [(row, check) for row in rows for check in row.floors if check.policy == policy.id]
    notes = []
    short = [(row, check) for row, check in checks if check.verdict is Verdict.SHORT]
    if short and not policy.informative:
        notes.append(_shortfall(policy, short))
    refused = _names(row for row, check in checks if check.verdict is Verdict.NOT_APPROVED)
    if refused:
        notes.append(f"{refusal(policy.id, refused)}.")
    legacy = _names(row for row, check in checks if check.legacy)
    if legacy:
        notes.append(f"{policy.id} allows {format_list(legacy)} {LEGACY}.")
    return notes


def _shortfall(policy: Policy, short: Sequence[tuple[Recommendation, FloorCheck]]) -> str:
    """The smallest target that meets the floor in a fresh run as well, the first one first."""
    known = [
        (seconds, row)
        for row, check in short
        if (seconds := _meeting_target(row, check)) is not None
    ]
    timed = sorted(known, key=lambda pair: pair[0])
    untimed = _names(row for row, check in short if check.time_seconds is None)
    several = len({row.hasher for row, _ in short}) < len(short)
    targets = [
        f"{row.label if several else row.hasher} at {target_option(seconds)}"
        for seconds, row in timed
    ]
    parts = [f"{policy.id}'s floor is first met by {', '.join(targets)}"] if targets else []
    if untimed:
        parts.append(
            f"{format_list(untimed)} {'fall' if len(untimed) > 1 else 'falls'} short of"
            f" {policy.id}'s floor, whose memory was not timed"
        )
    # What another policy does not approve of is not raised.
    if any(
        all(each.verdict is not Verdict.NOT_APPROVED for each in row.floors) for _, row in timed
    ):
        parts.append("--enforce raises the cost to it")
    return f"{'; '.join(parts)}."


def _meeting_target(row: Recommendation, check: FloorCheck) -> float | None:
    """The smallest target, in seconds, that a fresh run would meet the floor by as well.

    None where the floor's memory was not timed.
    """
    if check.time_seconds is None or row.interval_seconds is None:
        return check.time_seconds
    # A fresh run may find hashes slower, by as much as the interval leaves open.
    return check.time_seconds * (row.interval_seconds[1] / row.time_seconds)


def _device_notes(device: Device, rows: Sequence[Recommendation]) -> list[str]:
    notes = []
    prices = [p for row in rows for p in row.attacker if p.device == device.id]
    if prices:
        tools = format_list(list(dict.fromkeys(f"{p.tool} ({p.date.year})" for p in prices)))
        hourly = prices[0].dollars_per_hour
        rent = "" if hourly is None else f", rented at ${hourly:.2f} an hour"
        notes.append(
            f"Guesses a second as {tools} made them, scaled by the work of a guess{rent};"
            " `calibrate gpus` has the sources."
        )
    unknown = _names(row for row in rows if all(p.device != device.id for p in row.attacker))
    if unknown:
        notes.append(f"No speed is published for {format_list(unknown)} on this device.")
    return notes


def _names(rows: Iterable[Recommendation]) -> list[str]:
    return list(dict.fromkeys(row.hasher for row in rows))
