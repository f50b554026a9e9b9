"""What a recommendation is worth, for people: floors, and the price of guessing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hashcost.core.model import AttackerPrice, Basis, FloorCheck, Recommendation, Verdict
from hashcost.core.units import (
    format_cost,
    format_count,
    format_duration,
    format_duration_up,
    format_list,
    format_money,
    format_pairs,
)
from hashcost.render.document import Column, Row, Scalar, Table
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy, meets_all

FIELDS: Final = (
    "meets",
    "short_of",
    "not_approved_by",
    "legacy_in",
    "floor_seconds",
    "raised_from",
    "gpu",
    "guesses_per_second",
    "guesses_basis",
    "dollars_per_2_32_guesses",
    "logins_per_second",
    "logins_threads",
)

_VERDICTS: Final = {
    Verdict.MET: "met",
    Verdict.EQUAL_WORK: "equal work",
    Verdict.SHORT: "short",
    Verdict.NOT_APPROVED: "not approved",
    Verdict.NOT_NAMED: "-",
}
_BASES: Final = {
    Basis.MEASURED: "measured",
    Basis.SCALED: "scaled",
    Basis.UPPER_BOUND: "at most",
}


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
    columns = [Column(title="hasher")]
    if shows_cost:
        columns.append(Column(title="cost", flexible=True, pairs=True))
    elif shows_implementation:
        columns.append(Column(title="implementation"))
    columns += [Column(title=floor_title(policy)) for policy in policies]
    for _ in devices:
        columns += [
            Column(title="guesses/s", right=True),
            Column(title=""),
            Column(title="$ per 2³²", right=True),
        ]
    if counts:
        columns.append(Column(title="logins/s", right=True))
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
        of_policy = [
            (row, check) for row in rows for check in row.floors if check.policy == policy.id
        ]
        notes += _policy_notes(policy, of_policy)
    for device in devices:
        notes += _device_notes(device, rows)
    threads = {row.capacity.threads for row in rows if row.capacity is not None}
    for count in threads:
        notes.append(
            f"Logins a second are the most that {count} threads do here, and nothing else;"
            " `calibrate capacity HASHER` tells what they leave for logins at random."
        )
    return tuple(notes)


def worth_record(row: Recommendation) -> dict[str, Scalar]:
    """The floors and the price of one row, flat."""

    def named(*verdicts: Verdict) -> str:
        return " ".join(check.policy for check in row.floors if check.verdict in verdicts)

    times = [check.time_seconds for check in row.floors if check.time_seconds is not None]
    price = row.attacker[0] if row.attacker else None
    prices: dict[str, Scalar] = (
        {}
        if price is None
        else {
            "gpu": price.device,
            "guesses_per_second": price.guesses_per_second,
            "guesses_basis": price.basis.value,
            "dollars_per_2_32_guesses": price.dollars_per_2_32_guesses,
        }
    )
    return {
        "meets": named(Verdict.MET, Verdict.EQUAL_WORK),
        "short_of": named(Verdict.SHORT),
        "not_approved_by": named(Verdict.NOT_APPROVED),
        "legacy_in": " ".join(check.policy for check in row.floors if check.legacy),
        "floor_seconds": max(times, default=None),
        "raised_from": None if row.raised_from is None else format_pairs(row.raised_from),
        **prices,
        "logins_per_second": None if row.capacity is None else row.capacity.logins_per_second,
        "logins_threads": None if row.capacity is None else row.capacity.threads,
    }


def _speeds(row: Recommendation) -> list[float]:
    return [price.guesses_per_second for price in row.attacker]


def _title(devices: Sequence[Device]) -> str:
    if not devices:
        return "What that is worth"
    return f"What that is worth against one {' and one '.join(d.title for d in devices)}"


def floor_title(policy: Policy) -> str:
    """What a policy's floors are called above a column."""
    return f"{policy.id} {'default' if policy.informative else 'floor'}"


def floor_cell(check: FloorCheck, row: Recommendation, policy: Policy) -> str:
    """How a row stands to a policy, in a word or two, and what the floor takes here."""
    words = _VERDICTS[check.verdict]
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
        _BASES[price.basis],
        "-" if dollars is None else format_money(dollars),
    )


def _policy_notes(
    policy: Policy, checks: Sequence[tuple[Recommendation, FloorCheck]]
) -> list[str]:
    notes = []
    short = [(row, check) for row, check in checks if check.verdict is Verdict.SHORT]
    if short and not policy.informative:
        notes.append(_shortfall(policy, short))
    refused = _names(row for row, check in checks if check.verdict is Verdict.NOT_APPROVED)
    if refused:
        notes.append(f"{policy.id} does not approve of {format_list(refused)} at any cost.")
    legacy = _names(row for row, check in checks if check.legacy)
    if legacy:
        notes.append(
            f"{policy.id} allows {format_list(legacy)} for systems that have it already,"
            " and no more."
        )
    return notes


def _shortfall(policy: Policy, short: Sequence[tuple[Recommendation, FloorCheck]]) -> str:
    """The smallest target that meets the floor in a fresh run as well, the first one first."""
    known = [
        (seconds, row)
        for row, check in short
        if (seconds := meeting_target(row, check)) is not None
    ]
    timed = sorted(known, key=lambda pair: pair[0])
    untimed = _names(row for row, check in short if check.time_seconds is None)
    several = len({row.hasher for row, _ in short}) < len(short)
    targets = [
        f"{row.label if several else row.hasher} at --target {_target(seconds)}"
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


def meeting_target(row: Recommendation, check: FloorCheck) -> float | None:
    """The smallest target, in seconds, that a fresh run would meet the floor by as well.

    None where the floor's memory was not timed.
    """
    if check.time_seconds is None or row.interval_seconds is None:
        return check.time_seconds
    # A fresh run may find hashes slower, by as much as the interval leaves open.
    return check.time_seconds * (row.interval_seconds[1] / row.time_seconds)


def _target(seconds: float) -> str:
    return format_duration_up(seconds).replace(" ", "")


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
