"""What a recommendation is worth, for people: floors, and the price of guessing."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final

from hashcost.core.profile import AttackerPrice, Basis, FloorCheck, Recommendation, Verdict
from hashcost.core.units import (
    format_bandwidth,
    format_count,
    format_duration,
    format_list,
    format_money,
    format_pairs,
    format_percent,
    format_setting,
)
from hashcost.render.document import Column, Fields, Scalar, Table, table
from hashcost.render.wording import (
    BASES,
    EXAMPLE,
    LEGACY,
    VERDICTS,
    floor_title,
    known,
    often,
    password_lasts,
    refusal,
    row_names,
    slowest,
    target_option,
)
from hashcost.worth.attackers.device import ELSEWHERE, Device
from hashcost.worth.policies.policy import Policy, meets_all


def dearest_first(rows: Sequence[Recommendation]) -> tuple[Recommendation, ...]:
    """The rows by what a guess costs an attacker, the most first; unknown last."""

    def speeds(row: Recommendation) -> tuple[float, ...]:
        return (not row.attacker, *(price.guesses_per_second for price in row.attacker))

    return tuple(sorted(rows, key=speeds))


def worth_table(
    rows: Sequence[Recommendation],
    policies: Sequence[Policy],
    devices: Sequence[Device],
    *,
    title: str = "",
) -> tuple[Table, ...]:
    """Each row's floors and price; nothing where neither was asked for."""
    counts = any(row.capacity is not None for row in rows)
    if not rows or not (policies or devices or counts):
        return ()
    columns: list[tuple[Column, Callable[[Recommendation], str]]] = [
        (Column("hasher"), lambda row: row.hasher)
    ]
    if len({row.label for row in rows}) < len(rows):
        cost = Column("cost", flexible=True)
        columns = [(cost, lambda row: format_setting(row.params))]
    elif len({row.hasher for row in rows}) < len(rows):
        columns.append((Column("implementation"), lambda row: row.implementation))
    for policy in policies:
        column = Column(floor_title(policy.id, informative=policy.informative))
        columns.append((column, partial(floor_cell, policy=policy)))
    for device in devices:
        columns += _device_columns(device)
    if counts:
        columns.append((Column("logins/s", right=True), logins))
    return (table(rows, *columns, title=title),)


def priced(
    rows: Iterable[Recommendation], device: Device
) -> list[tuple[Recommendation, AttackerPrice]]:
    """The rows whose price on a device is known, each with it."""
    prices = ((row, price) for row in rows for price in row.attacker)
    return [(row, price) for row, price in prices if price.device == device.id]


def unpriced(rows: Iterable[Recommendation], device: Device) -> list[str]:
    """The hashers whose price on a device is not known."""
    return _names(row for row in rows if not priced([row], device))


def logins(row: Recommendation) -> str:
    """How many logins a second leave no CPU idle; a dash if that was not measured."""
    return known(row.capacity.logins_per_second if row.capacity else None, format_count)


def _device_columns(device: Device) -> list[tuple[Column, Callable[[Recommendation], str]]]:
    """How often a device guesses, what that rests on, and what it costs."""

    def cells(row: Recommendation) -> tuple[str, str, str]:
        for _, price in priced([row], device):
            dollars = known(price.dollars_per_2_32_guesses, format_money)
            return format_count(price.guesses_per_second), BASES[price.basis], dollars
        return "-", "", "-"

    return [
        (Column("guesses/s", right=True), lambda row: cells(row)[0]),
        (Column(""), lambda row: cells(row)[1]),
        (Column("$ per 2³²", right=True), lambda row: cells(row)[2]),
    ]


def worth_notes(
    rows: Sequence[Recommendation], policies: Sequence[Policy], devices: Sequence[Device]
) -> tuple[str, ...]:
    """One sentence for each thing that the table cannot say."""
    threads = {row.capacity.threads for row in rows if row.capacity is not None}
    return (
        *(note for policy in policies for note in policy_notes(policy, rows)),
        *(note for device in devices for note in _device_notes(device, rows)),
        *(
            f"Logins a second are the maximum for {count} threads; `calibrate capacity HASHER`"
            " predicts response times for logins that arrive at random."
            for count in threads
        ),
    )


def _policies(*verdicts: Verdict) -> Callable[[Recommendation], str]:
    """The policies that a cost stands to in one of these ways."""
    return lambda row: " ".join(check.policy for check in row.floors if check.verdict in verdicts)


def first_price(name: str) -> Callable[[Any], Scalar]:
    """A figure of what the first device guesses; nothing if that is not known."""
    return lambda row: getattr(row.attacker[0], name) if row.attacker else None


_PER_2_32: Final = (
    "$ per 2³² is the rent for all passwords of 32 bits; finding one takes half of it on average."
)

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
    "gpu": first_price("device"),
    "guesses_per_second": first_price("guesses_per_second"),
    "guesses_basis": lambda row: row.attacker[0].basis.value if row.attacker else None,
    "dollars_per_2_32_guesses": first_price("dollars_per_2_32_guesses"),
    "logins_per_second": lambda row: row.capacity.logins_per_second if row.capacity else None,
    "logins_threads": lambda row: row.capacity.threads if row.capacity else None,
}
"""The floors and the price of one row, flat."""


def floor_cell(row: Recommendation, policy: Policy) -> str:
    """How a row stands to a policy, in a word or two, and what the floor takes here."""
    check = next(each for each in row.floors if each.policy == policy.id)
    words = VERDICTS[check.verdict]
    if check.informative and check.met is not None:
        words = "above" if check.met else "below"
    elif row.raised_from is not None and not meets_all((policy,), row.hasher, row.raised_from):
        words = "raised"
    time = "" if check.time_seconds is None else format_duration(check.time_seconds)
    if check.verdict is Verdict.SHORT and not check.informative:
        return f"needs {time}" if time else "below, not timed"
    if check.time_params is not None and not policy.lists(row.hasher, check.time_params):
        return words  # What was timed asks for more than the floor does.
    return f"{words} ({time})" if time else words


def policy_notes(policy: Policy, rows: Sequence[Recommendation]) -> Iterator[str]:
    """Who falls short of a policy, and of whom it does not approve, or no longer."""
    short = [
        (row, check) for row, check in _checks(policy, rows) if check.verdict is Verdict.SHORT
    ]
    if short and not policy.informative:
        yield _shortfall(policy, short)
    yield from approval_notes(policy, rows)


def approval_notes(policy: Policy, rows: Sequence[Recommendation]) -> Iterator[str]:
    """Of whom a policy does not approve, or no longer, and what its verdict does not say."""
    checks = _checks(policy, rows)
    refused = _names(row for row, check in checks if check.verdict is Verdict.NOT_APPROVED)
    if refused:
        yield f"{refusal(policy.id, refused)}."
    legacy = _names(row for row, check in checks if check.legacy)
    if legacy:
        yield f"{policy.id} allows {format_list(legacy)} {LEGACY}."
    is_compared = any(check.met is not None for _, check in checks) or not policy.floors
    if policy.caution and checks and is_compared:
        yield f"{policy.id}: {policy.caution}."


def _checks(
    policy: Policy, rows: Sequence[Recommendation]
) -> list[tuple[Recommendation, FloorCheck]]:
    return [(row, check) for row in rows for check in row.floors if check.policy == policy.id]


def sure_seconds(row: Recommendation, check: FloorCheck) -> float | None:
    """The target that is sure to meet a floor, even if a hash is as slow as may be."""
    if check.time_seconds is None:
        return None
    return check.time_seconds * (slowest(row) / row.time_seconds)


def _shortfall(policy: Policy, short: Sequence[tuple[Recommendation, FloorCheck]]) -> str:
    """The smallest target that is sure to meet the floor, the first one first."""
    sure = [(sure_seconds(row, check), row) for row, check in short]
    timed = sorted(
        ((seconds, row) for seconds, row in sure if seconds is not None), key=lambda pair: pair[0]
    )
    untimed = _names(row for row, check in short if check.time_seconds is None)
    several = len({row.label for row, _ in short}) > len({row.hasher for row, _ in short})
    first: dict[str, float] = {}
    for seconds, row in timed:
        first.setdefault(row.label if several else row.hasher, seconds)
    targets = [f"{name} from {target_option(seconds)}" for name, seconds in first.items()]
    parts = [f"{policy.id}'s minimum is met by {', '.join(targets)}"] if targets else []
    if untimed:
        parts.append(
            f"{format_list(untimed)} {'fall' if len(untimed) > 1 else 'falls'} short of"
            f" {policy.id}'s minimum, whose memory was not timed"
        )
    return f"{'; '.join(parts)}."


def _device_notes(device: Device, rows: Sequence[Recommendation]) -> Iterator[str]:
    """Whose the speeds are, what limits them, and what they mean for a password."""
    known = priced(rows, device)
    if known:
        tools = dict.fromkeys(
            f"{each.tool} ({each.date.year})"
            for _, each in known
            if each.basis is not Basis.BANDWIDTH
        )
        made = (
            f"{format_list([*tools])} made them, scaled by the work of a guess"
            if tools
            else "the device's memory bandwidth allows"
        )
        hourly = known[0][1].dollars_per_hour
        rent = "" if hourly is None else f", rented at ${hourly:.2f} an hour"
        meaning = "" if hourly is None else f" {_PER_2_32}"
        yield f"Guesses a second as {made}{rent}; `calibrate gpus` has the sources.{meaning}"
        yield from _limit_notes(device, known)
        names = row_names([row for row, _ in known])
        rate = attrgetter("guesses_per_second")
        # In the dearest row and in the cheapest.
        ends = (pick(known, key=lambda pair: rate(pair[1])) for pick in (min, max))
        times = dict.fromkeys(f"{password_lasts(each)} as {names[id(row)]}" for row, each in ends)
        yield f"{EXAMPLE.capitalize()} lasts on average {', '.join(times)}."
    unknown = unpriced(rows, device)
    if unknown:
        elsewhere = "".join(
            f"; {speed.tool} guesses {name} ({format_setting(speed.params)})"
            f" {often(speed.guesses_per_second)} on an unnamed GPU ({speed.source}, {speed.date})"
            for name, speed in ELSEWHERE.items()
            if name in unknown
        )
        yield f"No speed is published for {format_list(unknown)} on this device{elsewhere}."


def _limit_notes(
    device: Device, known: Iterable[tuple[Recommendation, AttackerPrice]]
) -> Iterator[str]:
    """What the device's memory limits, and how that is known; once for each hasher."""
    moved = format_bandwidth(device.bandwidth.bytes_per_second)
    for (hasher, basis), price in {(row.hasher, each.basis): each for row, each in known}.items():
        if basis is Basis.BANDWIDTH:
            why = "no speed is published for it"
            if price.published_per_second is not None:
                share = price.published_per_second / price.guesses_per_second
                why = f"the published speed is only {format_percent(share)} of that"
            yield f"{hasher} is guessed as often as the device's {moved} of memory allow: {why}."
        elif basis is Basis.UPPER_BOUND and price.guesses_at_once is not None:
            yield (
                f"{hasher} may be guessed less often: only {price.guesses_at_once:,} guesses fit"
                " the device's memory at once, fewer than in the published benchmark."
            )


def _names(rows: Iterable[Recommendation]) -> list[str]:
    return list(dict.fromkeys(row.hasher for row in rows))
