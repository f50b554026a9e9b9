"""The answer of `calibrate`: a row per hasher, and below it the setting to use."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from hashcost.core.algorithms import Strength, strength_of
from hashcost.core.measurement import Doubt
from hashcost.core.profile import (
    Basis,
    Failure,
    FloorCheck,
    Profile,
    Recommendation,
    Verdict,
    is_too_noisy,
)
from hashcost.core.units import (
    format_count,
    format_duration,
    format_list,
    format_money,
    format_pairs,
    format_percent,
    format_setting,
    typed_duration,
)
from hashcost.fit.common import times_at
from hashcost.recommend.huge_pages import VARIABLE, best_gain, depends_on
from hashcost.recommend.recommendation import choices, for_all_libraries
from hashcost.render.document import Column, Document, Fields, Records, Table, own, records, table
from hashcost.render.wording import (
    BASES,
    LEGACY,
    VERDICTS,
    aligned,
    first_price,
    gathered,
    hashed_by,
    known,
    lasts,
    library,
    memory_bounds,
    minute,
    place,
    plus_minus,
    price_on,
    refusal,
    target_option,
    timed,
    within_lines,
    without_minimum,
)
from hashcost.strength.appraisal import appraise, floors_of
from hashcost.strength.attackers.device import Device, prices
from hashcost.strength.policies.policy import Policy, assess

_Rows: TypeAlias = Sequence[Recommendation]
_Cells: TypeAlias = tuple[Column, Callable[[Recommendation], str]]

_MOST_LINES: Final = 3
"""Most lines of notes below the table."""
_PER_2_32: Final = (
    "$ per 2³² is the rent for all passwords of 32 bits; finding one takes half of it on average."
)


@dataclass(frozen=True, kw_only=True)
class _Offer:
    """A setting that the last line may name: of one library, or for all that were timed."""

    row: Recommendation
    """The row; of several libraries that of the slowest, at the setting for all."""
    name: str
    """The hasher with its setting."""
    takes: str = ""
    """The times in several libraries."""


@dataclass(frozen=True, kw_only=True)
class _Weighed:
    """The offers, weighed by the policies that ask for something."""

    offers: Sequence[_Offer]
    modern: Sequence[_Offer]
    """The offers for new systems, or else all."""
    enough: Sequence[_Offer]
    """The modern offers that meet every policy."""
    missed: Sequence[str]
    """The policies that one of them misses."""

    @property
    def best(self) -> _Offer | None:
        """The offer to use, if one meets the policies and lasts longest, or is the only one."""
        if len(self.enough) == 1 or (self.enough and self.enough[0].row.attacker):
            return self.enough[0]
        if len(self.offers) == 1 and not self.enough and not self.missed:
            return self.offers[0]
        return None


def recommendation_document(
    profile: Profile,
    *,
    solved_again: bool = False,
    policies: Sequence[Policy] = (),
    devices: Sequence[Device] = (),
    others: Sequence[Policy] = (),
    explained: bool = True,
) -> Document:
    """A row per hasher, the one that costs an attacker most first, and the setting to use.

    ``solved_again``: nothing was timed for this target. The profile was appraised by
    ``policies`` and ``devices``; ``others`` are all policies. If it is ``explained``, a second
    table has libraries, wall times, neighbouring costs and prices, and every note is there; of
    a single memory-hard hasher, also the settings that take the same time.
    """
    rows = dearest_first(profile.recommendations)
    place_lines: tuple[str, ...] = place(profile.machine, profile.tool, profile.results)
    if not explained:
        # The second table names the libraries in place of this line.
        place_lines = (place_lines[0], *([hashed_by(rows)] if rows else []))
    how = f"measured in {format_duration(profile.duration_seconds)}"
    if solved_again:
        how = f"solved from measurements of {minute(profile.created)} UTC"
    tables = [_answer_table(rows, policies, devices)]
    weighed = _weighed(profile, policies, devices)
    notes = [
        *_memory_notes(rows, weighed.best),
        *_minimum_notes(rows, policies, others),
        *_huge_page_notes(profile, policies, devices),
    ]
    if explained:
        tables += [_detail_table(profile, rows, devices), *_choices(profile, rows, policies)]
        notes += (note for device in devices for note in device_notes(device, rows))
        notes += (*shared_note(rows), *_page_fault_notes(rows))
    fields: Fields[Any] = _fields(profile)
    target = {"target_seconds": fields["target_seconds"]}
    failed = {**own("hasher", "implementation", "error"), **target}
    return Document(
        head=(
            f"One hash in at most {format_duration(profile.target_seconds)}, {how} on",
            *place_lines,
        ),
        tables=tuple(tables),
        notes=(
            *_legend(rows, policies, devices),
            *(notes if explained else within_lines(notes, _MOST_LINES)),
        ),
        foot=tuple(f"{row.label}: {row.error}" for row in profile.failures),
        answer=_answer(weighed, policies, profile),
        records=Records(
            (*fields, "error"),
            tuple(
                record
                for row in profile.results
                for record in records((row,), failed if isinstance(row, Failure) else fields).rows
            ),
        ),
        short=tuple(_short_line(row, rows) for row in rows),
        value=profile,
    )


def _short_line(row: Recommendation, rows: _Rows) -> str:
    doubt = f" {plus_minus(row.error_fraction)}" if is_too_noisy(row) else ""
    return f"{_with_cost(row, rows)}  {format_duration(row.time_seconds)}{doubt}"


def dearest_first(rows: _Rows) -> tuple[Recommendation, ...]:
    """The rows by an attacker's cost of a guess, the highest first; unknown ones last."""

    def speeds(row: Recommendation) -> tuple[float, ...]:
        return (not row.attacker, *(price.guesses_per_second for price in row.attacker))

    return tuple(sorted(rows, key=speeds))


def _answer_table(rows: _Rows, policies: Sequence[Policy], devices: Sequence[Device]) -> Table:
    """Each hasher's setting, its time, whether that is enough, and how long a password lasts."""
    return table(
        rows,
        (Column("hasher"), lambda row: row.hasher),
        *(
            ((Column("library"), lambda row: row.implementation),)
            if _has_several_libraries(rows)
            else ()
        ),
        (Column("setting", bold=True, below=True), lambda row: format_setting(row.params)),
        (Column("one hash"), _time),
        *(
            (Column(_minimum(policy), flexible=True), partial(_standing, policy=policy))
            for policy in policies
        ),
        *(
            (
                Column("crack time", right=True, flexible=True),
                lambda row: lasts(row.attacker[0]) if row.attacker else "unknown",
            )
            for _ in devices
        ),
    )


def _has_several_libraries(rows: _Rows) -> bool:
    """Whether a hasher was timed in more than one library."""
    return len({row.label for row in rows}) > len({row.hasher for row in rows})


def _time(row: Recommendation) -> str:
    time = timed(row.time_seconds, row.error_fraction)
    return f"{aligned(row.wait_seconds)}; {time} of CPU" if row.wait_seconds else time


def _minimum(policy: Policy) -> str:
    return f"{policy.id} default" if policy.informative else f"meets {policy.id}"


def _standing(row: Recommendation, policy: Policy) -> str:
    """``yes``, or the target that meets the policy."""
    check = next(check for check in row.floors if check.policy == policy.id)
    if check.informative and check.met is not None:
        return "above" if check.met else "below"
    if check.verdict is not Verdict.SHORT:
        return "yes" if check.verdict is Verdict.MET else VERDICTS[check.verdict]
    seconds = _sure_seconds(row, check)
    return "no" if seconds is None else f"from {typed_duration(seconds)}"


def _sure_seconds(row: Recommendation, check: FloorCheck) -> float | None:
    """The target that surely meets a minimum, even at the slow end of the interval."""
    if check.time_seconds is None:
        return None
    return row.waits(check.time_seconds * (row.interval_seconds[1] / row.time_seconds))


def _legend(rows: _Rows, policies: Sequence[Policy], devices: Sequence[Device]) -> Iterator[str]:
    """A line for each word in the table that needs one."""
    if any(row.wait_seconds for row in rows):
        yield "one hash: what a login waits under the CPU limit, and the CPU time of it."
    for device in devices if rows else ():
        yield f"crack time: 8 random letters a-z, on average, by one {device.title}."
    short = _short(rows, policies)
    reachable = dict.fromkeys(check.policy for check in short if check.time_seconds)
    if reachable:
        yield f"from: the smallest --target that is sure to meet {format_list([*reachable])}."
    untimed = dict.fromkeys(check.policy for check in short if not check.time_seconds)
    if untimed:
        yield f"no: nothing was timed in the memory that {format_list([*untimed])} asks for."


def _memory_notes(rows: _Rows, best: _Offer | None) -> Iterator[str]:
    """Say of each hasher that memory limits it, but for the one that the last line names."""
    named = best.row.hasher if best is not None else ""
    if len(rows) > 1:
        for row in rows:
            bound = memory_bounds(row).removeprefix("; ")
            if bound and row.hasher != named:
                yield f"{row.hasher}: {bound}."


def _minimum_notes(
    rows: _Rows, policies: Sequence[Policy], others: Sequence[Policy]
) -> Iterator[str]:
    """Explain the verdicts in the columns of the policies, the most important first."""
    cautions = []
    for policy in policies:
        checks = [(row, check) for row in rows for check in _checks(row, [policy])]
        refused = _names(row for row, check in checks if check.verdict is Verdict.NOT_APPROVED)
        if refused:
            yield f"{refusal(policy.id, refused)}."
        legacy = _names(row for row, check in checks if check.legacy)
        if legacy:
            yield f"{policy.id} allows {format_list(legacy)} {LEGACY}."
        is_compared = any(check.met is not None for _, check in checks) or not policy.floors
        if policy.caution and checks and is_compared:
            cautions.append(f"{policy.id}: {policy.caution}.")
    elsewhere = list(_elsewhere(rows, policies, others))
    if elsewhere:
        yield f"{'; '.join(elsewhere)}."
    yield from cautions


def _elsewhere(rows: _Rows, policies: Sequence[Policy], others: Sequence[Policy]) -> Iterator[str]:
    """Other policies that list a hasher which none of those asked for lists."""
    silent = {
        row.hasher: row
        for row in rows
        if policies and all(check.verdict is Verdict.NOT_NAMED for check in row.floors)
    }
    for row in silent.values():
        checks = [assess(policy, row.hasher, row.params) for policy in _asking(others)]
        parts = []
        for verb, is_met in (("meets", True), ("misses", False)):
            named = [check.policy for check in checks if check.params and check.met is is_met]
            parts += [f"{verb} {format_list(named)}"] if named else []
        if parts:
            yield f"{row.hasher} {' and '.join(parts)}"


def _answer(weighed: _Weighed, policies: Sequence[Policy], profile: Profile) -> tuple[str, ...]:
    """The advice, and on the same line the policies that have no minimum for any hasher here."""
    rows = dearest_first(profile.answers)
    silent = [policy for policy in _asking(policies) if _is_silent(policy, rows)]
    advice = _advice(weighed, [policy for policy in policies if policy not in silent], profile)
    unlisted = without_minimum((row.hasher, _checks(row, silent)) for row in rows)
    sentences = (*advice, *unlisted)
    return (" ".join(sentences),) if sentences else ()


def _is_silent(policy: Policy, rows: _Rows) -> bool:
    checks = (check for row in rows for check in _checks(row, [policy]))
    return all(check.verdict is Verdict.NOT_NAMED for check in checks)


def _offers(
    profile: Profile, policies: Sequence[Policy], devices: Sequence[Device]
) -> list[_Offer]:
    """An offer for each hasher, the one with the longest crack time first."""
    by_hasher = gathered((row.hasher, row) for row in profile.answers)
    offers = []
    for hasher, rows in by_hasher.items():
        for_all: _Offer | None = None
        if len(rows) > 1:
            for_all = _for_all_libraries(profile, rows, policies, devices)
        if for_all is not None:
            offers.append(for_all)
        else:
            # One library, or several that no setting holds in.
            name = hasher if len(rows) == 1 else ""
            offers += [_Offer(row=row, name=_named(name or row.label, row)) for row in rows]
    order = dearest_first([offer.row for offer in offers])
    return sorted(offers, key=lambda offer: order.index(offer.row))


def _for_all_libraries(
    profile: Profile, rows: _Rows, policies: Sequence[Policy], devices: Sequence[Device]
) -> _Offer | None:
    """The setting that holds in all libraries of a hasher that were timed."""
    hasher = rows[0].hasher
    measurements = [m for m in map(profile.measurement_of, rows) if m is not None]
    floors = floors_of(policies, hasher)
    slowest = for_all_libraries(measurements, profile.target_seconds, floors)
    if slowest is None:
        return None
    appraised = appraise(replace(profile, results=(slowest,)), policies, devices)
    (row,) = appraised.recommendations
    times = times_at(measurements, row.params) or []
    waits = [m.waits(time.seconds) for m, time in zip(measurements, times, strict=True)]
    least, most = format_duration(min(waits)), format_duration(max(waits))
    span = most if least == most else f"{least} to {most}"
    return _Offer(
        row=row, name=f"{_named(hasher, row)} in all {len(rows)} libraries", takes=f"takes {span}"
    )


def _named(hasher: str, row: Recommendation) -> str:
    return f"{hasher} {format_setting(row.params)}"


def _weighed(profile: Profile, policies: Sequence[Policy], devices: Sequence[Device]) -> _Weighed:
    """Weigh the offers by the policies that have a minimum for any of the hashers."""
    rows = dearest_first(profile.answers)
    asking = [policy for policy in _asking(policies) if not _is_silent(policy, rows)]
    offers = _offers(profile, policies, devices)
    modern = [offer for offer in offers if not any(c.legacy for c in _checks(offer.row, asking))]
    modern = modern or offers
    return _Weighed(
        offers=offers,
        modern=modern,
        enough=[offer for offer in modern if all(c.met for c in _checks(offer.row, asking))],
        missed=[c.policy for one in modern for c in _checks(one.row, asking) if c.met is False],
    )


def _advice(weighed: _Weighed, policies: Sequence[Policy], profile: Profile) -> Iterator[str]:
    """Say which setting to use, why, and how certain that is."""
    asking = _asking(policies)
    wanted = format_list([policy.id for policy in asking]) if asking else ""
    offers, modern, enough = weighed.offers, weighed.modern, weighed.enough
    missed, best = weighed.missed, weighed.best
    if best is not None:
        yield _use(best, profile, is_met=any(c.met for c in _checks(best.row, asking)), of=wanted)
    elif enough:
        if wanted:
            costs = format_list([offer.name for offer in enough])
            yield f"{costs} meet {wanted}{_doubt(enough, profile)}."
    elif missed:
        alone = len(offers) == 1
        few = f"{modern[0].name} does not meet" if alone else "None of these meets"
        nearest = min(_reaching(modern, asking), default=None, key=lambda reach: reach[:2])
        instead = "" if nearest is None else f"; use {nearest[2]}"
        these = format_list(missed) if alone else wanted
        bound = memory_bounds(modern[0].row) if alone and nearest is None else ""
        yield f"{few} {these}{instead}{_doubt(modern, profile)}{bound}."


def _use(best: _Offer, profile: Profile, *, is_met: bool, of: str) -> str:
    """Name the setting, and say why it and no other."""
    row = best.row
    reasons = [f"meets {of}"] if is_met else []
    if best.takes:
        reasons.append(best.takes)
    if _is_dearest(row, profile):
        is_told = all(other.attacker for other in profile.recommendations)
        known_of = "" if is_told else "known "
        reasons.append(f"has the longest {known_of}crack time")
    why = f": it {format_list(reasons)}" if reasons else ""
    asks = depends_on(profile.machine, row.implementation, row.memory_bytes)
    given = f" with {VARIABLE}" if asks else ""
    return f"Use {best.name}{given}{why}{_doubt([best], profile)}{memory_bounds(row)}."


def _is_dearest(row: Recommendation, profile: Profile) -> bool:
    """Whether no other row of the table lasts longer, as far as prices are known."""
    if not row.attacker or len(_names(profile.recommendations)) == 1:
        return False
    others = (other for other in profile.recommendations if other.attacker)
    rate = row.attacker[0].guesses_per_second
    return all(rate <= other.attacker[0].guesses_per_second for other in others)


def _doubt(offers: Sequence[_Offer], profile: Profile) -> str:
    """Why an answer is uncertain, for its last words."""
    rows = [offer.row for offer in offers]
    noisy = [row for row in rows if is_too_noisy(row)]
    error = plus_minus(max(row.error_fraction for row in noisy or rows))
    if noisy:
        some = f"{format_list(_names(noisy))} " if len(noisy) < len(rows) else ""
        return f"; {some}too uncertain at {error}: measure again with --effort precise"
    if any(notice.code == Doubt.CHANGED.value for row in rows for notice in row.warnings):
        return f" (unlike earlier runs: {error})"
    is_first = any(notice.code == "first-run" for notice in profile.warnings)
    return f" (a first run: {error})" if is_first else ""


def _reaching(
    offers: Sequence[_Offer], asking: Sequence[Policy]
) -> Iterator[tuple[int, float, str]]:
    """Find the targets that are sure to meet every policy, with how many do not list the hasher.

    If no hasher is listed by all policies, use those that most list and none rules out.
    """
    for offer in offers:
        row = offer.row
        listing = [c for c in _checks(row, asking) if c.verdict is not Verdict.NOT_NAMED]
        short = [check for check in listing if not check.met]
        sure = [_sure_seconds(row, check) for check in short]
        if not listing or not all(sure):
            continue
        seconds = max(filter(None, sure), default=0.0)
        unlisted = len(asking) - len(listing)
        use = f"{row.hasher} with {target_option(seconds)}" if short else offer.name
        for_these = f" for {format_list([check.policy for check in listing])}"
        yield unlisted, seconds, f"{use}{for_these if unlisted else ''}"


def _asking(policies: Sequence[Policy]) -> list[Policy]:
    """The policies that ask for something."""
    return [policy for policy in policies if not policy.informative]


def _checks(row: Recommendation, policies: Sequence[Policy]) -> list[FloorCheck]:
    ids = {policy.id for policy in policies}
    return [check for check in row.floors if check.policy in ids]


def _short(rows: _Rows, policies: Sequence[Policy]) -> list[FloorCheck]:
    """The minimums that rows fall short of."""
    checks = (check for row in rows for check in _checks(row, _asking(policies)))
    return [check for check in checks if check.verdict is Verdict.SHORT]


def _with_cost(row: Recommendation, rows: _Rows) -> str:
    """A row's name and cost; also the implementation if a hasher has several."""
    name = row.label if _has_several_libraries(rows) else row.hasher
    return f"{name} {format_setting(row.params)}"


def _names(rows: Iterable[Recommendation]) -> list[str]:
    return list(dict.fromkeys(row.hasher for row in rows))


def _detail_table(profile: Profile, rows: _Rows, devices: Sequence[Device]) -> Table:
    """Each row's library, its other time, the cost across the target, and prices."""

    def other_time(row: Recommendation) -> str:
        if row.threads > 1:
            return f"CPU {format_duration(row.cpu_seconds)}"
        return known(row.wait_seconds or row.wall_seconds, format_duration)

    return table(
        rows,
        (Column("hasher"), lambda row: row.hasher),
        (Column("library", flexible=True, below=True), library),
        (Column("wall", right=True), other_time),
        (
            Column("next cost", flexible=True),
            lambda row: _step_across(row, profile.target_seconds),
        ),
        *(column for device in devices for column in _device_columns(device)),
        title=f"In detail{''.join(f', against one {device.title}' for device in devices)}",
    )


def _choices(
    profile: Profile, rows: Sequence[Recommendation], policies: Sequence[Policy]
) -> tuple[Table, ...]:
    """The settings that a memory-hard hasher's answer was chosen from, with their shares."""
    measurement = profile.measurement_of(rows[0]) if len(rows) == 1 else None
    if measurement is None or not measurement.climbs or len(measurement.knobs) == 1:
        return ()
    hasher, chosen = measurement.hasher, rows[0].params
    every = choices(measurement, profile.target_seconds, floors_of(policies, hasher))
    prices_of = [strength_of(hasher, step.params, step.memory_bytes) for step in every]
    most = Strength(
        gpu=max((price.gpu for price in prices_of), default=1.0),
        hardware=max((price.hardware for price in prices_of), default=1.0),
    )
    return (
        table(
            zip(every, prices_of, strict=True),
            (Column("cost", flexible=True), lambda shown: format_setting(shown[0].params)),
            (
                Column("one hash, CPU"),
                lambda shown: timed(shown[0].time_seconds, shown[0].error_fraction),
            ),
            (Column("GPU", right=True), lambda shown: format_percent(shown[1].gpu / most.gpu)),
            (
                Column("hardware", right=True),
                lambda shown: format_percent(shown[1].hardware / most.hardware),
            ),
            (Column(""), lambda shown: "use this" if shown[0].params == chosen else ""),
            title="To choose from: the price of a guess on a GPU and on hardware, of the best",
        ),
    )


def _step_across(row: Recommendation, target_seconds: float) -> str:
    """The next setting on the other side of the target with its time, if it is known.

    For memory it is the step above or below.
    """
    beyond = row.waits(row.time_seconds) > target_seconds
    across = [
        step
        for step in row.neighbours
        if (row.waits(step.time_seconds) > target_seconds) is not beyond
    ]
    ladder = row.knobs[0]
    if row.params[ladder.name] in ladder.steps:
        at = ladder.steps.index(row.params[ladder.name])
        beside = ladder.steps[max(at - 1, 0) : at + 2]
        across = [step for step in across if step.params[ladder.name] in beside]
    if not across:
        return ""
    step = min(across, key=lambda step: abs(step.time_seconds - target_seconds))
    changed = {name: value for name, value in step.params.items() if row.params[name] != value}
    about = "" if step.measured else "~"
    return f"{format_setting(changed)} {about}{format_duration(step.time_seconds)}"


def _device_columns(device: Device) -> tuple[_Cells, ...]:
    def cells(row: Recommendation) -> tuple[str, str, str]:
        price = price_on(device, row.attacker)
        if price is None:
            return "-", "", "-"
        dollars = known(price.dollars_per_2_32_guesses, format_money)
        return format_count(price.guesses_per_second), BASES[price.basis], dollars

    return (
        (Column("guesses/s", right=True), lambda row: cells(row)[0]),
        (Column(""), lambda row: cells(row)[1]),
        (Column("$ per 2³²", right=True), lambda row: cells(row)[2]),
    )


def device_notes(device: Device, rows: Sequence[Recommendation]) -> Iterator[str]:
    """The sources of the speeds, and the hashers without one."""
    on_device = [price_on(device, row.attacker) for row in rows]
    prices = [price for price in on_device if price is not None]
    if prices:
        tools = dict.fromkeys(
            f"{price.tool} ({price.date.year})"
            for price in prices
            if price.basis is not Basis.BANDWIDTH
        )
        made = (
            f"{format_list([*tools])} made them, scaled by the work of a guess"
            if tools
            else "the device's memory bandwidth allows"
        )
        hourly = prices[0].dollars_per_hour
        rent = "" if hourly is None else f", rented at ${hourly:.2f} an hour"
        meaning = "" if hourly is None else f" {_PER_2_32}"
        yield f"Guesses a second as {made}{rent}; `calibrate list gpus` has the sources.{meaning}"
    unknown = _names(row for row in rows if price_on(device, row.attacker) is None)
    if unknown:
        yield f"No speed is published for {format_list(unknown)} on this device."


def shared_note(rows: Sequence[Recommendation]) -> Iterator[str]:
    """A sentence on the hashers that the run's neighbours slow by more than their interval."""
    several = _has_several_libraries(rows)
    slowed = {
        row.label if several else row.hasher: format_duration(row.shared_seconds)
        for row in rows
        if row.shared_seconds is not None and row.shared_seconds > row.interval_seconds[1]
    }
    if slowed:
        (first, seconds), *others = slowed.items()
        times = [f"{first} takes {seconds}", *(f"{name} {seconds}" for name, seconds in others)]
        yield f"As busy as the core was during this run, {format_list(times)}."


def _page_fault_notes(rows: _Rows) -> Iterator[str]:
    share_of = [(row, (row.page_fault_seconds or 0.0) / row.time_seconds) for row in rows]
    shares = [
        f"{format_percent(share)} of {_with_cost(row, rows)}"
        for row, share in share_of
        if round(share, 2)
    ]
    if shares:
        yield f"page faults: {format_list(shares)}"


def _huge_page_notes(
    profile: Profile, policies: Sequence[Policy], devices: Sequence[Device]
) -> Iterator[str]:
    gain = best_gain(profile, policies)
    if gain is None:
        return
    row, (other, *_) = gain.row, (*prices(devices, gain.row.hasher, gain.params), None)
    lasting = ""
    if row.attacker and other is not None:
        lasting = f", {lasts(row.attacker[0])} → {lasts(other)} to crack"
    name = row.label if ":" in row.implementation else row.hasher
    yield (
        f"{name} {format_setting(gain.params)} fits with huge pages: {gain.on_gpu:.1f} times the"
        f" price for a GPU, {gain.on_hardware:.1f} for hardware{lasting}:"
        f" `calibrate {name} --huge-pages"
        f" {target_option(profile.target_seconds)}`."
    )


def _policies(*verdicts: Verdict) -> Callable[[Recommendation], str]:
    """The policies with one of these verdicts on a cost."""
    return lambda row: " ".join(check.policy for check in row.floors if check.verdict in verdicts)


def _fields(profile: Profile) -> Fields[Recommendation]:
    return {
        **own("hasher", "implementation", "implementation_version"),
        "params": lambda row: format_pairs(row.params),
        "parameter": lambda row: row.model.parameter,
        "value": lambda row: row.params[row.model.parameter],
        **own("time_seconds"),
        "low_seconds": lambda row: row.interval_seconds and row.interval_seconds[0],
        "high_seconds": lambda row: row.interval_seconds and row.interval_seconds[1],
        **own(
            "confidence", "clock", "wait_seconds", "wall_seconds", "cpu_seconds", "shared_seconds"
        ),
        **own("threads", "memory_bytes", "page_fault_seconds"),
        "target_seconds": lambda _: profile.target_seconds,
        "meets": _policies(Verdict.MET, Verdict.EQUAL_WORK),
        "short_of": _policies(Verdict.SHORT),
        "not_approved_by": _policies(Verdict.NOT_APPROVED),
        "legacy_in": lambda row: " ".join(check.policy for check in row.floors if check.legacy),
        "floor_seconds": lambda row: max(
            (check.time_seconds for check in row.floors if check.time_seconds is not None),
            default=None,
        ),
        "gpu": first_price("device"),
        "guesses_per_second": first_price("guesses_per_second"),
        "guesses_basis": lambda row: row.attacker[0].basis.value if row.attacker else None,
        "dollars_per_2_32_guesses": first_price("dollars_per_2_32_guesses"),
        "warnings": lambda row: " ".join(notice.code for notice in row.warnings),
    }
