"""The last line of `calibrate`: which setting to use, why, and how certain that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from msgspec.structs import replace

from hashcost.core.algorithms import memory_limit_of
from hashcost.core.machine import has_notice
from hashcost.core.measurement import Params
from hashcost.core.profile import (
    FloorCheck,
    Profile,
    Recommendation,
    Verdict,
    is_changed,
    is_too_noisy,
    listed_by,
    policies_with,
    short_of,
)
from hashcost.core.text import either
from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.fit.common import times_at
from hashcost.recommend.huge_pages import VARIABLE, depends_on
from hashcost.recommend.recommendation import for_all_libraries, lowest_row
from hashcost.render.wording import (
    gathered,
    listed,
    memory_bounds,
    plus_minus,
    target_option,
    without_minimum,
)
from hashcost.strength.appraisal import appraise, floors_of
from hashcost.strength.attackers.device import Device
from hashcost.strength.policies.catalogue import replacements
from hashcost.strength.policies.policy import Policy, asking_of

Rows: TypeAlias = Sequence[Recommendation]
Policies: TypeAlias = Sequence[Policy]
Devices: TypeAlias = Sequence[Device]


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A setting that the last line may name: of one library, or for all that were timed."""

    row: Recommendation
    """The row; of several libraries that of the slowest, at the setting for all."""
    name: str
    """The hasher with its setting."""
    takes: str = ""
    """The times in several libraries."""
    also_set: str = ""
    """The setting without which one of the libraries refuses the cost."""


@dataclass(frozen=True, kw_only=True)
class Weighed:
    """The offers, weighed by the policies that ask for something."""

    offers: Sequence[Offer]
    """An offer for each hasher, the one with the longest crack time first."""
    modern: Sequence[Offer]
    """The offers for new systems, or else all."""
    enough: Sequence[Offer]
    """The modern offers that meet every policy."""
    missed: Sequence[str]
    """The policies that one of them misses."""
    beyond: Sequence[Offer]
    """The lowest costs of other hashers for new systems, none of whose costs fits the target."""
    asking: Policies
    """The policies that have a minimum for any of the hashers."""
    silent: Policies
    """The policies that ask for something, but have no minimum for any of them."""

    @property
    def best(self) -> Offer | None:
        """The offer to use, if one meets the policies and lasts longest, or is the only one."""
        if self.enough:
            first = self.enough[0]
            if len(self.enough) == 1 or first.row.attacker:
                return first
            # Nothing tells which of several lasts longest.
            return None
        if len(self.offers) == 1 and not self.missed:
            return self.offers[0]
        return None


def weigh(profile: Profile, policies: Policies, devices: Devices) -> Weighed:
    """Weigh the settings of a profile, which was appraised by these policies and devices."""
    listing = set()
    for row in profile.answers:
        listing.update(listed_by(row.floors))
    asking: list[Policy] = []
    silent: list[Policy] = []
    for policy in asking_of(policies):
        # A policy that lists none of these hashers tells nothing of them apart.
        if policy.id in listing:
            asking.append(policy)
        else:
            silent.append(policy)
    offers = _offers(profile, policies, devices)
    lowest = _lowest_beyond(profile, policies, devices)
    beyond = [offer for offer in lowest if not _is_legacy(offer.row, asking)]
    # Hashers that are allowed only in existing systems are the last resort.
    modern = [offer for offer in offers if not _is_legacy(offer.row, asking)] or offers
    enough = []
    missed = []
    for offer in modern:
        checks = checks_of(offer.row, asking)
        if all(check.met for check in checks):
            enough.append(offer)
        missed += short_of(checks)
    return Weighed(
        offers=offers,
        modern=modern,
        enough=enough,
        missed=missed,
        beyond=beyond,
        asking=asking,
        silent=silent,
    )


def answer_line(weighed: Weighed, profile: Profile) -> str:
    """The advice, and on the same line the policies that have no minimum for any hasher here."""
    rows = dearest_first(profile.answers)
    unlisted = without_minimum((row.hasher, checks_of(row, weighed.silent)) for row in rows)
    if not weighed.asking and not weighed.silent:
        unlisted += _describing(rows)
    return " ".join(filter(None, (_advice(weighed, profile), *unlisted)))


def _describing(rows: Rows) -> Sequence[str]:
    """Say that the policies, if any was named, ask for nothing."""
    checks = chain.from_iterable(row.floors for row in rows)
    names = [*dict.fromkeys(check.policy for check in checks)]
    if not names:
        return []
    verb = "describe"
    if len(names) == 1:
        verb = "describes"
    return [f"{format_list(names)} only {verb} what is usual; name another --policy."]


def dearest_first(rows: Rows) -> tuple[Recommendation, ...]:
    """The rows by an attacker's cost of a guess, the highest first; unknown ones last."""

    def speeds(row: Recommendation) -> tuple[float, ...]:
        return (not row.attacker, *(price.guesses_per_second for price in row.attacker))

    return tuple(sorted(rows, key=speeds))


def checks_of(row: Recommendation, policies: Policies) -> list[FloorCheck]:
    """A row beside the minimums of these policies."""
    ids = {policy.id for policy in policies}
    return [check for check in row.floors if check.policy in ids]


def sure_seconds(row: Recommendation, check: FloorCheck) -> float | None:
    """The target that surely meets a minimum, even at the slow end of the interval."""
    if check.time_seconds is None:
        return None
    # The interval is about the time at the row's params; it scales with the time.
    slowest = row.interval_seconds[1] / row.time_seconds
    return row.waits(check.time_seconds * slowest)


def _is_legacy(row: Recommendation, policies: Policies) -> bool:
    return any(check.legacy for check in checks_of(row, policies))


def _offers(profile: Profile, policies: Policies, devices: Devices) -> list[Offer]:
    offers = []
    by_hasher = gathered((row.hasher, row) for row in profile.answers)
    for hasher, rows in by_hasher.items():
        if len(rows) == 1:
            name = _with_setting(hasher, rows[0])
            offers.append(Offer(row=rows[0], name=name, also_set=_also_set(rows, rows[0].params)))
            continue
        for_all = _for_all_libraries(profile, rows, policies, devices)
        if for_all is not None:
            offers.append(for_all)
        else:
            # No setting holds in all libraries, so each has its own.
            offers += [Offer(row=row, name=_with_setting(row.label, row)) for row in rows]
    # Settings for all libraries are weaker than their rows in the table: they are ranked anew.
    order = dearest_first([offer.row for offer in offers])
    return sorted(offers, key=lambda offer: order.index(offer.row))


def _lowest_beyond(profile: Profile, policies: Policies, devices: Devices) -> list[Offer]:
    """The lowest cost of each hasher that was timed and has no answer to the target."""
    answered = {row.hasher for row in profile.answers}
    offers = []
    for failure in profile.failures:
        measurement = profile.measurement_of(failure)
        if measurement is None or failure.hasher in answered:
            continue
        lowest = replace(profile, results=(lowest_row(measurement),))
        (row,) = appraise(lowest, policies, devices).recommendations
        offers.append(Offer(row=row, name=_with_setting(row.hasher, row)))
    return offers


def _for_all_libraries(
    profile: Profile, rows: Rows, policies: Policies, devices: Devices
) -> Offer | None:
    """The setting that holds in all libraries of a hasher that were timed."""
    hasher = rows[0].hasher
    measurements = list(filter(None, map(profile.measurement_of, rows)))
    slowest = for_all_libraries(measurements, profile.target_seconds, floors_of(policies, hasher))
    if slowest is None:
        return None
    # The setting may be none of the rows', so its floors and prices are still unknown.
    appraised = appraise(replace(profile, results=(slowest,)), policies, devices)
    (row,) = appraised.recommendations
    times = times_at(measurements, row.params) or []
    waits = [m.waits(time.seconds) for m, time in zip(measurements, times, strict=True)]
    takes = format_duration(max(waits))
    least = format_duration(min(waits))
    if least != takes:
        takes = f"{least} to {takes}"
    libraries = f"all {len(rows)} libraries"
    if len(rows) == 2:
        libraries = "both libraries"
    name = f"{_with_setting(hasher, row)} in {libraries}"
    also_set = _also_set(rows, row.params)
    return Offer(row=row, name=name, takes=f"takes {takes}", also_set=also_set)


def _also_set(rows: Rows, params: Params) -> str:
    """Write the setting without which the library of one of the rows refuses a cost."""
    for row in rows:
        limit = memory_limit_of(row.hasher, row.implementation)
        if limit is not None:
            return format_setting(limit.raised_for(params))
    return ""


def _with_setting(name: str, row: Recommendation) -> str:
    return f"{name} {format_setting(row.params)}"


def _advice(weighed: Weighed, profile: Profile) -> str:
    """Say which setting to use, why, and how certain that is; empty if nothing is known."""
    if weighed.best is not None:
        return _use(weighed.best, weighed.asking, profile)
    if weighed.enough:
        if not weighed.asking:
            return ""  # Neither a policy nor a price tells the hashers apart.
        costs = format_list([offer.name for offer in weighed.enough])
        return f"{costs} meet {_named(weighed.asking)}{_doubt(weighed.enough, profile)}."
    if weighed.missed:
        return _missing(weighed, profile)
    if weighed.asking:
        lists = "lists"
        if len(weighed.asking) > 1:
            lists = "list"
        none = f"{_named(weighed.asking)} {lists} none of these for new systems"
        return f"{none}; {_approved(weighed.asking)}."
    return ""


def _named(policies: Policies) -> str:
    return format_list([policy.id for policy in policies])


def _use(best: Offer, asking: Policies, profile: Profile) -> str:
    """Name the setting, and say why it and no other."""
    row = best.row
    reasons = []
    if any(check.met for check in checks_of(row, asking)):
        reasons.append(f"meets {_named(asking)}")
    if best.takes:
        reasons.append(best.takes)
    if _is_dearest(row, profile):
        if all(other.attacker for other in profile.recommendations):
            reasons.append("has the longest crack time")
        else:
            # A hasher without a price might last longer.
            reasons.append("has the longest known crack time")
    use = f"Use {best.name}"
    if best.also_set:
        use += f" with {best.also_set}"
    if depends_on(profile.machine, row.implementation, row.memory_bytes):
        use += f" with {VARIABLE}"
    if reasons:
        use += f": it {format_list(reasons)}"
    return f"{use}{_doubt([best], profile)}{_bound(row)}."


def _is_dearest(row: Recommendation, profile: Profile) -> bool:
    """Whether no other row of the table lasts longer, as far as prices are known."""
    if not row.attacker or len({other.hasher for other in profile.recommendations}) == 1:
        return False
    rate = row.attacker[0].guesses_per_second
    for other in profile.recommendations:
        if other.attacker and other.attacker[0].guesses_per_second < rate:
            return False
    return True


def _missing(weighed: Weighed, profile: Profile) -> str:
    """Say which policies are missed, and what meets them."""
    instead = _nearest(weighed)
    bound = ""
    if len(weighed.offers) == 1:
        offer = weighed.modern[0]
        says = f"{offer.name} does not meet {format_list(weighed.missed)}"
        if not instead:
            bound = _bound(offer.row)
    else:
        says = f"None of these meets {_named(weighed.asking)}"
    if instead:
        says += f"; use {instead}"
    elif _are_refused(weighed):
        bound = f"; {_approved(weighed.asking)}"
    return f"{says}{_doubt(weighed.modern, profile)}{bound}."


def _are_refused(weighed: Weighed) -> bool:
    """Tell whether some policy approves of no cost of any of these hashers."""
    for offer in weighed.modern:
        checks = checks_of(offer.row, weighed.asking)
        if not policies_with(checks, Verdict.NOT_APPROVED):
            return False
    return True


def _approved(asking: Policies) -> str:
    """Name the hashers that the policies approve, or say that they agree on none."""
    names = replacements(asking)
    if not names:
        return "no hasher is listed by all of these policies"
    options = " ".join(f"--policy {policy.id}" for policy in asking)
    return f"use {either(names)}: `calibrate {' '.join(names)} {options}`"


def _nearest(weighed: Weighed) -> str:
    """The setting or lowest target that is sure to meet every policy; empty if none does.

    If no hasher is listed by all policies, use those that most list and none rules out.
    """
    ranks = [_reaching(offer, weighed.asking, fits=True) for offer in weighed.modern]
    ranks += [_reaching(offer, weighed.asking, fits=False) for offer in weighed.beyond]
    reaching = [rank for rank in ranks if rank is not None]
    # A policy that does not list the hasher might ask for more: the fewer, the better.
    if not reaching:
        return ""
    _, _, nearest = min(reaching, key=lambda rank: rank[:2])
    return nearest


def _reaching(offer: Offer, asking: Policies, *, fits: bool) -> tuple[int, float, str] | None:
    """How many policies do not list an offer, the target that meets the others, and both in words.

    `None` if no target is known to meet them. A setting that ``fits`` the target may meet them
    as it is.
    """
    listing = []
    targets = []
    for check in checks_of(offer.row, asking):
        if check.verdict is Verdict.NOT_NAMED:
            continue
        listing.append(check.policy)
        if not (fits and check.met):
            targets.append(sure_seconds(offer.row, check))
    # A target that is not known cannot be named.
    if not listing or not all(targets):
        return None
    seconds = max(filter(None, targets), default=0.0)
    use = offer.name
    if targets:
        use = f"{offer.row.hasher} with {target_option(seconds)}"
    unlisted = len(asking) - len(listing)
    if unlisted:
        use += f" for {format_list(listing)}"
    return unlisted, seconds, use


def _bound(row: Recommendation) -> str:
    bound = memory_bounds(row)
    if not bound:
        return ""
    return f"; {bound}"


def _doubt(offers: Sequence[Offer], profile: Profile) -> str:
    """Why an answer is uncertain, for its last words."""
    rows = [offer.row for offer in offers]
    noisy = [row for row in rows if is_too_noisy(row)]
    # The widest of them, and where one is too wide, only of those.
    error = plus_minus(max(row.error_fraction for row in noisy or rows))
    if noisy:
        some = ""
        if len(noisy) < len(rows):
            some = f"{listed(row.hasher for row in noisy)} "
        cure = profile.cure_of(noisy) or "measure again with --effort precise"
        return f"; {some}too uncertain at {error}: {cure}"
    if any(map(is_changed, rows)):
        return f" (unlike earlier runs: {error})"
    if has_notice(profile.warnings, "first-run"):
        return f" (a first run: {error})"
    return ""
