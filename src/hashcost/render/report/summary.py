"""What a profile says, in plain words and in the figures that matter first. Pure."""

from collections.abc import Sequence

from hashcost.core.profile import Profile, Recommendation, Verdict
from hashcost.core.units import (
    format_count,
    format_dollars,
    format_duration,
    format_list,
    format_percent,
    format_setting,
)
from hashcost.recommend.recommendation import is_too_noisy
from hashcost.render.commands.answer import advice, chosen
from hashcost.render.commands.worth import dearest_first, floor_cell, policy_notes, priced
from hashcost.render.report.page import Fact
from hashcost.render.wording import (
    asked,
    floor_title,
    plus_minus,
    processors,
    row_names,
    shared_note,
)
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy


def facts(
    profile: Profile, policies: Sequence[Policy], devices: Sequence[Device]
) -> tuple[Fact, ...]:
    """The figures of the setting to use, or else of the one that costs an attacker most."""
    rows = dearest_first(profile.answers)
    if not rows:
        return ()
    best = chosen(rows, policies)
    row = best or rows[0]
    clock = "wall" if row.threads > 1 else "CPU"
    name = "use this" if best else "most expensive to attack" if row.attacker else "setting"
    error = f"{plus_minus(row.error_fraction)}, {clock} time"
    found = [
        (name, row.hasher, format_setting(row.params)),
        ("one hash", format_duration(row.time_seconds), error),
    ]
    for policy in policies[:1]:
        check = next((each for each in row.floors if each.policy == policy.id), None)
        if check is not None and check.verdict is not Verdict.NOT_NAMED:
            words, _, time = floor_cell(row, policy).replace(")", "").partition(" (")
            name = floor_title(policy.id, informative=policy.informative)
            found.append((name, words, f"the minimum takes {time}" if time else ""))
    for price in row.attacker[:1]:
        device = next((each.title for each in devices if each.id == price.device), price.device)
        if price.dollars_per_2_32_guesses is not None:
            dollars = format_dollars(price.dollars_per_2_32_guesses)
            found.append(("2³² guesses", dollars, f"on one {device}"))
    if row.capacity is not None:
        rate = format_count(row.capacity.logins_per_second)
        found.append(("logins a second", rate, f"at most, by {row.capacity.threads} threads"))
    return tuple(Fact(name=name, figure=figure, remark=remark) for name, figure, remark in found)


def sentences(
    profile: Profile,
    policies: Sequence[Policy],
    devices: Sequence[Device],
    *,
    solved_again: bool,
) -> tuple[str, ...]:
    """The answer, the floors, the price of guessing, how sure that is, and the shared speed."""
    rows = dearest_first(profile.recommendations)
    found = (
        _answer(profile, policies),
        *(_floors(policy, rows) for policy in policies if not policy.informative),
        *(_price(device, rows) for device in devices),
        _capacity(rows),
        _certainty(rows, solved_again=solved_again),
        *shared_note(rows),
    )
    return tuple(filter(None, found))


def _answer(profile: Profile, policies: Sequence[Policy]) -> str:
    """Which setting to use and what it takes, or why there is none."""
    rows = dearest_first(profile.answers)
    wanted = asked(profile.target_seconds, profile.rounding)
    where = processors(profile.machine)
    if not rows:
        return f"On {where}, no hasher has a cost that takes {wanted}."
    told = " ".join(advice(rows, policies)) or f"{len(rows)} settings do that: see the table."
    best = chosen(rows, policies)
    if best is None:
        return f"On {where}, one hash should take {wanted}. {told}"
    time = format_duration(best.time_seconds)
    takes = f"It takes {time} ({plus_minus(best.error_fraction)})"
    if best.raised_from is not None:
        takes += f", more than the target; {format_setting(best.raised_from)} would fit it"
    return f"On {where}, one hash should take {wanted}. {told} {takes}."


def _floors(policy: Policy, rows: Sequence[Recommendation]) -> str:
    """Who meets the floor, who does not and with which target would."""
    names = row_names(rows)

    def named(*verdicts: Verdict) -> list[str]:
        checks = (
            (row, check) for row in rows for check in row.floors if check.policy == policy.id
        )
        known = (names[id(row)] for row, check in checks if check.verdict in verdicts)
        return list(dict.fromkeys(known))

    said = list(policy_notes(policy, rows))
    if met := named(Verdict.MET, Verdict.EQUAL_WORK):
        verb = "meets" if len(met) == 1 else "meet"
        said.insert(0, f"{format_list(met)} {verb} {policy.id}'s minimum.")
    if silent := named(Verdict.NOT_NAMED):
        said.append(f"{policy.id} says nothing about {format_list(silent)}.")
    return " ".join(said)


def _price(device: Device, rows: Sequence[Recommendation]) -> str:
    known = [
        (price.dollars_per_2_32_guesses, row)
        for row, price in priced(rows, device)
        if price.dollars_per_2_32_guesses is not None
    ]
    if not known:
        return ""
    names = row_names(rows)
    most, dearest = max(known, key=lambda pair: pair[0])
    least, cheapest = min(known, key=lambda pair: pair[0])
    words = (
        f"Trying 2³² passwords on one rented {device.title} costs"
        f" {format_dollars(most)} with {names[id(dearest)]}"
    )
    if cheapest is not dearest:
        words += f", and {format_dollars(least)} with {names[id(cheapest)]}, the cheapest"
    return f"{words}."


def _capacity(rows: Sequence[Recommendation]) -> str:
    rates = [row.capacity.logins_per_second for row in rows if row.capacity is not None]
    if not rates:
        return ""
    span = " to ".join(dict.fromkeys(map(format_count, (min(rates), max(rates)))))
    return f"The whole machine gets through {span} logins a second at these costs, at most."


def _certainty(rows: Sequence[Recommendation], *, solved_again: bool) -> str:
    known = [row.error_fraction for row in rows if row.error_fraction is not None]
    if not rows:
        return ""
    parts = []
    if known:
        confidence = format_percent(min(row.confidence for row in rows))
        span = " to ".join(dict.fromkeys(map(plus_minus, (min(known), max(known)))))
        one = ("", "lies", "")
        several, verb, by_hasher = one if len(rows) == 1 else ("s", "lie", ", by the hasher")
        parts.append(
            f"On a quiet core the time{several} {verb} within {span}{by_hasher}, with"
            f" {confidence} confidence"
        )
    names = row_names(rows)
    doubtful = list(dict.fromkeys(names[id(row)] for row in rows if is_too_noisy(row)))
    if doubtful:
        parts.append(f"too little was timed to rely on the result for {format_list(doubtful)}")
    if solved_again:
        parts.append(
            "nothing was timed for this target: the answer is calculated from earlier measurements"
        )
    words = "; ".join(parts)
    return f"{words[0].upper()}{words[1:]}." if words else ""
