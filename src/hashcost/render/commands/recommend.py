"""The answer of `calibrate`: a row per hasher, and below it the setting to use."""

from collections.abc import Iterator
from typing import Final

from hashcost.core.algorithms import strength_of
from hashcost.core.profile import (
    Basis,
    Failure,
    Profile,
    Recommendation,
    Verdict,
    is_too_noisy,
    listed_by,
    policies_with,
)
from hashcost.core.units import (
    format_count,
    format_duration,
    format_list,
    format_money,
    format_percent,
    format_setting,
    typed_duration,
)
from hashcost.recommend.huge_pages import best_gain
from hashcost.recommend.recommendation import choices
from hashcost.render.commands.advice import (
    Devices,
    Policies,
    Rows,
    Weighed,
    answer_line,
    checks_of,
    dearest_first,
    sure_seconds,
    weigh,
)
from hashcost.render.document import (
    Column,
    Document,
    Fields,
    Records,
    Row,
    Scalar,
    Table,
    own,
    records,
    table,
)
from hashcost.render.wording import (
    BASES,
    LEGACY,
    VERDICTS,
    aligned,
    crack_time,
    elsewhere,
    failures_told,
    hashed_by,
    known,
    library,
    listed,
    memory_bounds,
    minute,
    place,
    plus_minus,
    price_on,
    refusal,
    target_option,
    timed,
    within_lines,
)
from hashcost.strength.appraisal import floors_of
from hashcost.strength.attackers.device import Device, prices
from hashcost.strength.policies.policy import Policy, asking_of

_MOST_LINES: Final = 3
"""Most lines of notes below the table: the whole answer has to fit a screen of 24 lines."""
_PER_2_32: Final = (
    "$ per 2³² is the rent for all passwords of 32 bits; finding one takes half of it on average."
)


def recommendation_document(
    profile: Profile,
    *,
    solved_again: bool = False,
    policies: Policies = (),
    devices: Devices = (),
    others: Policies = (),
    explained: bool = True,
) -> Document:
    """A row per hasher, the one that costs an attacker most first, and the setting to use.

    Args:
        profile: The answers, appraised by ``policies`` and ``devices``.
        solved_again: Nothing was timed for this target.
        policies: The policies to meet.
        devices: The devices to be guessed by.
        others: All policies.
        explained: Show every note, and a second table with libraries, wall times, neighbouring
            costs and prices; of a single memory-hard hasher, also the settings that take the
            same time.
    """
    rows = dearest_first(profile.recommendations)
    weighed = weigh(profile, policies, devices)
    tables = [_answer_table(rows, policies, devices)]
    notes = [*_memory_notes(rows, weighed), *_minimum_notes(rows, policies, others)]
    notes += _huge_page_notes(profile, policies, devices)
    if explained:
        tables.append(_detail_table(profile, rows, devices))
        tables += _choices(profile, rows, policies)
        for device in devices:
            notes += device_notes(device, rows)
        notes += [*shared_note(rows), *_page_fault_notes(rows)]
    else:
        notes = list(within_lines(notes, _MOST_LINES))
    answer = answer_line(weighed, profile)
    return Document(
        head=tuple(_head(profile, rows, solved_again=solved_again, explained=explained)),
        tables=tuple(tables),
        notes=(*_legend(rows, policies, devices), *notes),
        foot=tuple(failures_told(profile)),
        answer=(answer,) if answer else (),
        records=_records(profile),
        short=tuple(_short_line(row, rows) for row in rows),
        value=profile,
    )


def _head(profile: Profile, rows: Rows, *, solved_again: bool, explained: bool) -> Iterator[str]:
    """The target, when it was answered, the machine and the libraries."""
    how = f"measured in {format_duration(profile.duration_seconds)}"
    if not rows:
        how = "not measured"  # Every hasher failed.
    if solved_again:
        how = f"solved from measurements of {minute(profile.created)} UTC"
    yield f"One hash in at most {format_duration(profile.target_seconds)}, {how} on"
    machine, software = place(profile.machine, profile.tool, profile.results)
    yield machine
    # The second table names the libraries.
    if explained:
        yield software
    elif rows:
        yield hashed_by(rows)


def _short_line(row: Recommendation, rows: Rows) -> str:
    line = f"{_with_cost(row, rows)}  {format_duration(row.time_seconds)}"
    if is_too_noisy(row):
        line += f" {plus_minus(row.error_fraction)}"
    return line


def _answer_table(rows: Rows, policies: Policies, devices: Devices) -> Table:
    """Each hasher's setting, its time, whether that is enough, and how long a password lasts."""
    several = _has_several_libraries(rows)
    columns = [
        Column("hasher"),
        Column("library"),
        Column("setting", bold=True, below=True),
        Column("one hash"),
    ]
    for policy in policies:
        title = f"meets {policy.id}"
        if policy.informative:
            title = f"{policy.id} default"  # It describes usual costs, and asks for nothing.
        columns.append(Column(title, flexible=True))
    columns += [Column("crack time", right=True, flexible=True)] * len(devices)
    shown = []
    for row in rows:
        # Of one library, the line above the table names it.
        implementation = row.implementation if several else ""
        cells = [row.hasher, implementation, format_setting(row.params), _time(row)]
        cells += [_standing(row, policy) for policy in policies]
        lasting = "unknown"
        if row.attacker:
            lasting = crack_time(row.attacker[0])
        cells += [lasting] * len(devices)
        shown.append(tuple(cells))
    return table(columns, shown)


def _has_several_libraries(rows: Rows) -> bool:
    """Whether a hasher was timed in more than one library."""
    return len({row.label for row in rows}) > len({row.hasher for row in rows})


def _time(row: Recommendation) -> str:
    time = timed(row.time_seconds, row.error_fraction)
    if row.wait_seconds:
        return f"{aligned(row.wait_seconds)}; {time} of CPU"
    return time


def _standing(row: Recommendation, policy: Policy) -> str:
    """``yes``, or the target that meets the policy."""
    check = checks_of(row, [policy])[0]
    if check.informative and check.met:
        return "above"
    if check.informative and check.met is False:
        return "below"
    if check.verdict is Verdict.MET:
        return "yes"
    if check.verdict is not Verdict.SHORT:
        return VERDICTS[check.verdict]
    seconds = sure_seconds(row, check)
    if seconds is None:
        return "no"
    return f"from {typed_duration(seconds)}"


def _legend(rows: Rows, policies: Policies, devices: Devices) -> Iterator[str]:
    """A line for each word in the table that needs one."""
    if not rows:
        return
    if any(row.wait_seconds for row in rows):
        yield "one hash: what a login waits under the CPU limit, and the CPU time of it."
    for device in devices:
        yield f"crack time: 8 random letters a-z, on average, by one {device.title}."
    reachable = []
    untimed = []
    for row in rows:
        for check in checks_of(row, asking_of(policies)):
            # Nothing is known of the time in memory that was not timed.
            if check.verdict is Verdict.SHORT and not check.time_seconds:
                untimed.append(check.policy)
            elif check.verdict is Verdict.SHORT:
                reachable.append(check.policy)
    if reachable:
        yield f"from: the smallest --target that is sure to meet {listed(reachable)}."
    if untimed:
        yield f"no: nothing was timed in the memory that {listed(untimed)} asks for."


def _memory_notes(rows: Rows, weighed: Weighed) -> Iterator[str]:
    """Say of each hasher that memory limits it, but for the one that the last line names."""
    if len(rows) == 1:
        return
    named = ""
    if weighed.best is not None:
        named = weighed.best.row.hasher
    for row in rows:
        bound = memory_bounds(row)
        if bound and row.hasher != named:
            yield f"{row.hasher}: {bound}."


def _minimum_notes(rows: Rows, policies: Policies, others: Policies) -> Iterator[str]:
    """Explain the verdicts in the columns of the policies, the most important first."""
    cautions = []
    for policy in policies:
        refused = []
        legacy = []
        met = []
        for row in rows:
            for check in checks_of(row, [policy]):
                met.append(check.met)
                if check.verdict is Verdict.NOT_APPROVED:
                    refused.append(row.hasher)
                if check.legacy:
                    legacy.append(row.hasher)
        if refused:
            yield f"{refusal(policy.id, refused)}."
        if legacy:
            yield f"{policy.id} allows {listed(legacy)} {LEGACY}."
        # A caution about its minimums is none where nothing is compared with them.
        is_compared = not policy.floors or any(one is not None for one in met)
        if policy.caution and met and is_compared:
            cautions.append(f"{policy.id}: {policy.caution}.")
    by_others = _elsewhere(rows, policies, others)
    if by_others:
        yield f"{'; '.join(by_others)}."
    yield from cautions


def _elsewhere(rows: Rows, policies: Policies, others: Policies) -> list[str]:
    """Other policies that list a hasher which none of those asked for lists."""
    if not policies:
        return []
    clauses = []
    # Of several libraries, one setting stands for the hasher.
    for row in {row.hasher: row for row in rows}.values():
        # What only describes usual costs judges nothing.
        if listed_by(check for check in row.floors if not check.informative):
            continue
        stands = elsewhere(row.hasher, row.params, others)
        if stands:
            clauses.append(f"{row.hasher} {stands}")
    return clauses


def _with_cost(row: Recommendation, rows: Rows) -> str:
    """A row's name and cost; also the implementation if a hasher has several."""
    return f"{_name(row, rows)} {format_setting(row.params)}"


def _name(row: Recommendation, rows: Rows) -> str:
    if _has_several_libraries(rows):
        return row.label
    return row.hasher


def _detail_table(profile: Profile, rows: Rows, devices: Devices) -> Table:
    """Each row's library, its other time, the cost across the target, and prices."""
    title = "In detail"
    columns = [
        Column("hasher"),
        Column("library", flexible=True, below=True),
        Column("wall", right=True),
        Column("next cost", flexible=True),
    ]
    for device in devices:
        title += f", against one {device.title}"
        columns.append(Column("guesses/s", right=True))
        columns.append(Column("", stays=True))
        columns.append(Column("$ per 2³²", right=True))
    shown = []
    for row in rows:
        next_cost = _step_across(row, profile.target_seconds)
        cells = [row.hasher, library(row), _other_time(row), next_cost]
        for device in devices:
            cells += _price_cells(device, row)
        shown.append(tuple(cells))
    return table(columns, shown, title)


def _other_time(row: Recommendation) -> str:
    """The time that is not in the first table: CPU time of a hash in several threads, or wall."""
    if row.threads > 1:
        return f"CPU {format_duration(row.cpu_seconds)}"
    return known(row.wait_seconds or row.wall_seconds, format_duration)


def _price_cells(device: Device, row: Recommendation) -> Row:
    price = price_on(device, row.attacker)
    if price is None:
        return "-", "", "-"
    dollars = known(price.dollars_per_2_32_guesses, format_money)
    return format_count(price.guesses_per_second), BASES[price.basis], dollars


def _choices(profile: Profile, rows: Rows, policies: Policies) -> Iterator[Table]:
    """The settings that a memory-hard hasher's answer was chosen from, with their shares."""
    if len(rows) != 1:
        return
    (row,) = rows
    measurement = profile.measurement_of(row)
    # A hasher with one knob has one cost that fits, so there is nothing to choose.
    if measurement is None or not measurement.is_memory_hard or len(measurement.knobs) == 1:
        return
    steps = choices(measurement, profile.target_seconds, floors_of(policies, row.hasher))
    strengths = [strength_of(step.hasher, step.params, step.memory_bytes) for step in steps]
    most_gpu = 0.0
    most_hardware = 0.0
    for strength in strengths:
        # Shares are of the best setting by each price, which may be two settings.
        most_gpu = max(most_gpu, strength.gpu)
        most_hardware = max(most_hardware, strength.hardware)
    shown = []
    for step, strength in zip(steps, strengths, strict=True):
        use = ""
        if step.params == row.params:
            use = "use this"
        time = timed(step.time_seconds, step.error_fraction)
        gpu = format_percent(strength.gpu / most_gpu)
        hardware = format_percent(strength.hardware / most_hardware)
        shown.append((format_setting(step.params), time, gpu, hardware, use))
    columns = (
        Column("cost", flexible=True),
        Column("one hash, CPU"),
        Column("GPU", right=True),
        Column("hardware", right=True),
        Column("", stays=True),
    )
    title = "To choose from: the price of a guess on a GPU and on hardware, of the best"
    yield table(columns, shown, title)


def _step_across(row: Recommendation, target_seconds: float) -> str:
    """The next setting on the other side of the target with its time, if it is known.

    For memory it is the step above or below.
    """
    memory = row.knobs[0]
    used = row.params[memory.name]
    beside: tuple[int, ...] = ()
    if used in memory.steps:
        at = memory.steps.index(used)
        beside = memory.steps[max(at - 1, 0) : at + 2]
    is_beyond = row.waits(row.time_seconds) > target_seconds
    across = []
    for step in row.neighbours:
        if beside and step.params[memory.name] not in beside:
            continue
        if (row.waits(step.time_seconds) > target_seconds) is not is_beyond:
            across.append(step)
    if not across:
        return ""
    # Of several across the target, show the one that comes nearest to it.
    nearest = min(across, key=lambda step: abs(step.time_seconds - target_seconds))
    changed = {name: n for name, n in nearest.params.items() if row.params[name] != n}
    time = format_duration(nearest.time_seconds)
    if not nearest.measured:
        time = f"~{time}"
    return f"{format_setting(changed)} {time}"


def device_notes(device: Device, rows: Rows) -> Iterator[str]:
    """The sources of the speeds, and the hashers without one."""
    on_device = []
    unknown = []
    tools = []
    for row in rows:
        price = price_on(device, row.attacker)
        if price is None:
            unknown.append(row.hasher)
            continue
        on_device.append(price)
        if price.basis is not Basis.BANDWIDTH:
            tools.append(f"{price.tool} ({price.date.year})")
    if on_device:
        note = "Guesses a second as the device's memory bandwidth allows"
        if tools:
            note = f"Guesses a second as {listed(tools)} made them, scaled by the work of a guess"
        meaning = ""
        hourly = on_device[0].dollars_per_hour  # It is the device's, so the same in all rows.
        if hourly is not None:
            note += f", rented at ${hourly:.2f} an hour"
            meaning = f" {_PER_2_32}"
        yield f"{note}; `calibrate list gpus` has the sources.{meaning}"
    if unknown:
        yield f"No speed is published for {listed(unknown)} on this device."


def shared_note(rows: Rows) -> Iterator[str]:
    """A sentence on the hashers that the run's neighbours slow by more than their interval."""
    slowed: dict[str, str] = {}
    for row in rows:
        if row.shared_seconds is not None and row.shared_seconds > row.interval_seconds[1]:
            slowed[_name(row, rows)] = format_duration(row.shared_seconds)
    if not slowed:
        return
    (first, seconds), *others = slowed.items()
    times = [f"{first} takes {seconds}"]  # The verb is said once.
    times += [f"{name} {other}" for name, other in others]
    yield f"As busy as the core was during this run, {format_list(times)}."


def _page_fault_notes(rows: Rows) -> Iterator[str]:
    shares = []
    for row in rows:
        share = (row.page_fault_seconds or 0.0) / row.time_seconds
        # What rounds to no percent is not worth a word.
        if round(share, 2):
            shares.append(f"{format_percent(share)} of {_with_cost(row, rows)}")
    if shares:
        yield f"page faults: {format_list(shares)}"


def _huge_page_notes(profile: Profile, policies: Policies, devices: Devices) -> Iterator[str]:
    """The setting that huge pages would allow, and the command that measures with them."""
    gain = best_gain(profile, policies)
    if gain is None:
        return
    row = gain.row
    # Huge pages change no guess: only the setting that fits is another.
    with_them = prices(devices, row.hasher, gain.params)
    lasting = ""
    if row.attacker and with_them:
        lasting = f", {crack_time(row.attacker[0])} → {crack_time(with_them[0])} to crack"
    name = row.hasher
    if ":" in row.implementation:
        name = row.label  # Another runtime has to be named, in which the library is.
    yield (
        f"{name} {format_setting(gain.params)} fits with huge pages: {gain.on_gpu:.1f} times the"
        f" price for a GPU, {gain.on_hardware:.1f} for hardware{lasting}:"
        f" `calibrate {name} --huge-pages"
        f" {target_option(profile.target_seconds)}`."
    )


def _records(profile: Profile) -> Records:
    """A record for each result; that of a failure has its reason in place of figures."""
    fields = _fields(profile.target_seconds)
    failed = {name: fields[name] for name in ("hasher", "implementation", "target_seconds")}
    rows: list[dict[str, Scalar]] = []
    for result in profile.results:
        if isinstance(result, Failure):
            rows += records((result,), {**failed, **own("error")}).rows
        else:
            rows += records((result,), fields).rows
    return Records((*fields, "error"), tuple(rows))


def _fields(target_seconds: float) -> Fields:
    return {
        **own("hasher", "implementation", "implementation_version", "params"),
        "parameter": "model.parameter",
        "value": lambda row: row.params[row.model.parameter],
        **own("time_seconds"),
        "low_seconds": "interval_seconds.0",
        "high_seconds": "interval_seconds.1",
        **own(
            "confidence", "clock", "wait_seconds", "wall_seconds", "cpu_seconds", "shared_seconds"
        ),
        **own("threads", "memory_bytes", "page_fault_seconds"),
        "target_seconds": lambda _: target_seconds,
        "meets": lambda row: policies_with(row.floors, Verdict.MET, Verdict.EQUAL_WORK),
        "short_of": lambda row: policies_with(row.floors, Verdict.SHORT),
        "not_approved_by": lambda row: policies_with(row.floors, Verdict.NOT_APPROVED),
        "legacy_in": lambda row: [check.policy for check in row.floors if check.legacy],
        "floor_seconds": _floor_seconds,
        "gpu": "attacker.0.device",
        "guesses_per_second": "attacker.0.guesses_per_second",
        "guesses_basis": "attacker.0.basis",
        "dollars_per_2_32_guesses": "attacker.0.dollars_per_2_32_guesses",
        "warnings": lambda row: [notice.code for notice in row.warnings],
    }


def _floor_seconds(row: Recommendation) -> float | None:
    """The time that meets every minimum that was timed."""
    times = [check.time_seconds for check in row.floors if check.time_seconds is not None]
    return max(times, default=None)
