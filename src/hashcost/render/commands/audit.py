"""The result of `calibrate audit`: a histogram of costs, and the number of weak hashes."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from hashcost.checks.audit import (
    KINDS,
    UNREAD,
    Audit,
    EarlierAudit,
    Group,
    is_below_min,
    is_broken,
    is_unlisted,
)
from hashcost.checks.forecast import Forecast, ForecastBasis
from hashcost.core.profile import FloorCheck, Verdict, figures_of, short_of
from hashcost.core.units import (
    format_duration,
    format_list,
    format_money,
    format_percent,
    format_setting,
)
from hashcost.render.document import Column, Document, Fields, Records, Table, own, records, table
from hashcost.render.wording import (
    VERDICTS,
    accepted_until,
    counted,
    gathered,
    guessed,
    known,
    named,
)
from hashcost.stored.formats.reading import NAMED, NOTES, Kind
from hashcost.strength.attackers.device import Device
from hashcost.strength.policies.policy import Policy, asking_of

_Groups: TypeAlias = Sequence[Group]

_BAR_CELLS = 8
_BAR_CELLS_BESIDE_TIMES = 6
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MOST_ROWS = 40
"""Rows of a table; the rest is counted in a last one."""
LOGS_IN: Final = frozenset({Kind.HASHED, Kind.FAST})
"""Kinds that have a hasher; the others are shown by their name."""
_BEHIND_LOCKS: Final = (
    "lock has a hash behind it, which is not judged",
    "locks have hashes behind them, which are not judged",
)
_NO_LISTS: Final = {
    "inside": (
        "The text is not a list of hashes: only those that name a format known here, or are"
        " called hashes of passwords, were counted."
    ),
    "sql": (
        "Only columns that are called passwords, or hashes in a table of users, or have a hash"
        " that names a format known here, were counted."
    ),
}
"""Say what counts of files that have more than hashes, by their layout."""
_CANNOT_BE_READ: Final = "cannot be read: cut off, not text, or of a program unknown here"
_PLAIN_TEXT: Final = ": plain text, unless {} or cut off"
_NOT_HASHES: Final = {
    Kind.EMPTY: (
        "has no value where the others have a hash; some systems then ask for no password",
        "have no value where the others have a hash; some systems then ask for no password",
    ),
    Kind.PLAIN: (
        f"does not look like a hash{_PLAIN_TEXT.format('it is a title, a name')}; leave that out",
        f"do not look like hashes{_PLAIN_TEXT.format('they are titles, names')}; leave those out",
    ),
    Kind.UNRECOGNISED: (
        "looks like a hash in an unknown format; `calibrate explain` says what to do",
        "look like hashes in an unknown format; `calibrate explain` says what to do about one",
    ),
    Kind.UNREADABLE: (
        f"{_CANNOT_BE_READ}; `calibrate explain` says more",
        f"{_CANNOT_BE_READ}; `calibrate explain` says more about one",
    ),
}
"""Texts that are not hashes, in the singular and in the plural."""
_BARE: Final = {Kind.PLAIN: "without a hash", Kind.EMPTY: "empty"}
"""Texts in place of a hash that are weak if somebody logs in with them."""
_VERDICTS: Final = {**VERDICTS, Verdict.EQUAL_WORK: VERDICTS[Verdict.MET]}


def audit_document(
    audit: Audit, devices: Sequence[Device] = (), others: Sequence[Policy] = ()
) -> Document:
    """A row per hasher and cost with a bar, and notes on what stands out.

    ``others`` are policies that may list the hashers that those asked for do not.
    """
    # The table keeps the order of the groups, so the rarest are found by their count.
    counts = sorted((group.count for group in audit.groups), reverse=True)
    least = min(counts[:_MOST_ROWS], default=0)
    shown = [group for group in audit.groups if group.count >= least][:_MOST_ROWS]
    # The rows that are gone stand last, as long as there is room.
    gone = audit.gone[: _MOST_ROWS - len(shown)]
    tables = [_table(audit, [*shown, *gone], is_priced=bool(devices))]
    if audit.forecast is not None and audit.below_min:
        tables.append(_forecast_table(audit.below_min, audit.forecast, _figure(audit)))
    return Document(
        head=(_head(audit),),
        tables=tuple(tables),
        notes=(*_notes(audit, shown, devices), *_listed_elsewhere(audit, others)),
        answer=(*_answer(audit), *_forecast(audit.below_min, audit.forecast)),
        records=_records(audit),
        value=audit,
    )


def _head(audit: Audit) -> str:
    """Count the stored hashes, and the values in their place."""
    others = audit.total - audit.hashes
    head = counted(audit.hashes, "stored hash", "stored hashes")
    if others:
        head = f"{head}, {counted(others, 'other value', 'other values')}"
    return head


def _table(audit: Audit, shown: _Groups, *, is_priced: bool) -> Table:
    """The largest groups, with the columns that were asked for."""
    is_timed = audit.target_seconds is not None
    columns = (
        Column("hasher"),
        Column("cost", flexible=True),
        Column("before", right=True),
        Column("count", right=True),
        Column("share", right=True),
        Column("", stays=True),
        Column(", ".join(audit.policies), flexible=True),
        Column("one hash", right=True),
        Column("$ per 2³²", right=True),
    )
    bar_cells = _BAR_CELLS
    if is_timed:
        bar_cells = _BAR_CELLS_BESIDE_TIMES  # The times need the room.
    # The longest bar is that of the largest group.
    most = max((group.share for group in shown), default=1.0)
    alike = gathered((_label(group), group) for group in shown)
    rows = []
    for group in shown:
        label = _label(group)
        before = share = time = standing = price = ""
        if audit.since is not None:
            before = f"{audit.since.count_of(group):,}"
        if is_timed:
            time = known(group.time_seconds, format_duration)
        # The count before needs the room of the share.
        elif audit.since is None:
            share = _percent(group.share)
        if audit.policies:
            standing = _standing(group)
        if is_priced:
            price = _price(group)
        cost = _cost_apart(group, alike[label])
        hashes = (before, f"{group.count:,}", share, bar(group.share / most, bar_cells))
        rows.append((label[0], cost, *hashes, standing, time, price))
    return table(columns, rows)


def _forecast_table(below_min: int, forecast: Forecast, figure: str) -> Table:
    """The hashes below the ``figure`` of the policies, now and in the months of the forecast."""
    columns = [Column("if logins rehash"), Column("now", right=True)]
    cells = [f"below the {figure}", f"{below_min:,}"]
    for rest in forecast.remaining:
        columns.append(Column(f"in {counted(rest.months, 'month', 'months')}", right=True))
        cells.append(_at_least(forecast, rest.hashes))
    return table(columns, [tuple(cells)])


def _forecast(below_min: int, forecast: Forecast | None) -> Iterator[str]:
    """The first and the last figure of the forecast in words."""
    if forecast is None:
        return
    if not below_min:
        yield "No hash has to be made anew at a login."
        return
    first, *_, last = forecast.remaining
    soon = f"{_at_least(forecast, first.hashes)} of {below_min:,} will be left in a month"
    months = counted(last.months, "month", "months")
    late = f"{_at_least(forecast, last.hashes)} in {months}"
    yield f"If every login rehashes, {soon}, {late}."


def _at_least(forecast: Forecast, hashes: int) -> str:
    if forecast.basis is ForecastBasis.LOGIN_RATE and not hashes:
        return "perhaps none"
    if forecast.basis is ForecastBasis.LOGIN_RATE:
        return f"at least {hashes:,}"
    return f"{hashes:,}"


def _percent(share: float) -> str:
    if share < 0.0005:
        return "<0.1%"  # It would be rounded to nothing.
    return format_percent(share).replace(" ", "")


def _price(group: Group) -> str:
    if group.kind not in LOGS_IN or not group.attacker:
        return "-"
    return known(group.attacker[0].dollars_per_2_32_guesses, format_money)


def bar(share: float, cells: int = _BAR_CELLS) -> str:
    """A bar in eighths of a cell, full for a share of one, and never empty."""
    eighths = round(share * cells * 8)
    if share > 0:
        eighths = max(eighths, 1)
    whole, part = divmod(eighths, 8)
    return ("█" * whole + _EIGHTHS[part]).rstrip()


def _name(group: Group) -> str:
    return group.hasher or group.format


def _label(group: Group) -> tuple[str, str]:
    """The hasher or the kind, and the cost."""
    name = KINDS.get(group.kind) or _name(group)
    if _is_bare_lock(group):
        name = group.format
    return name, _cost(group)


def _is_bare_lock(group: Group) -> bool:
    """Whether nobody logs in with it, and no hash is behind it."""
    return group.kind is Kind.LOCKED and not group.hasher


def _cost(group: Group) -> str:
    """The cost, the shape of an unrecognised text, or the hash behind a lock."""
    if group.kind is Kind.UNRECOGNISED:
        return group.format
    if group.kind not in LOGS_IN:
        # The first column has the kind, so the hasher goes with the cost.
        return f"{group.hasher or '-'} {format_setting(group.params)}".strip()
    if group.params:
        setting = format_setting(group.params)
        # Each block of PBKDF2 costs as much again, to whoever logs in alone.
        if group.blocks > 1:
            return f"{setting}, {group.blocks} blocks"
        return setting
    if "fixed-cost" in group.notes:
        return "fixed"
    if group.kind is Kind.FAST:
        return "none"
    return "not stored"


def _cost_apart(group: Group, alike: _Groups) -> str:
    """The cost; also what tells a group from others that have the same label."""
    apart = []
    if any(other.format != group.format for other in alike):
        apart.append(group.format)
    same = [other for other in alike if other.format == group.format]
    if len(same) > 1:
        shared = set(group.notes).intersection(*(other.notes for other in alike))
        apart += [_note_apart(note) for note in group.notes if note not in shared]
    if apart:
        return f"{_cost(group)} ({', '.join(apart)})"
    return _cost(group)


def _note_apart(note: str) -> str:
    """Write a note that tells two groups of one format apart."""
    if note in NAMED:
        return f"names {NAMED[note]}"
    return note


def _standing(group: Group) -> str:
    """The verdicts of the policies on a group, once where all of them agree."""
    if is_broken(group):
        # Policies do not list what is broken, and it is below any minimum.
        return _VERDICTS[Verdict.SHORT]
    standings = [_VERDICTS[check.verdict] for check in group.floors]
    # The title of the column names the policies in the same order.
    if len(set(standings)) == 1:
        return standings[0]
    return ", ".join(standings) or "-"


def _notes(audit: Audit, shown: _Groups, devices: Sequence[Device]) -> Iterator[str]:
    """Say what the table lacks: rarer groups, the weakest, other texts than hashes, notes."""
    rarer = len(audit.groups) - len(shown)
    if rarer:
        settings = counted(rarer, "rarer setting is", "rarer settings are")
        hashes = counted(_sum(audit.groups) - _sum(shown), "hash", "hashes")
        yield f"{settings} not shown, of {hashes}; --format json has them all."
    weakest = audit.weakest
    if weakest is not None and devices:
        name = f"{_name(weakest)} {format_setting(weakest.params)}".strip()
        price = guessed(weakest.attacker[0], devices[0].title)
        weakest_of = "The weakest"
        if not audit.is_priced:  # Another may be guessed faster.
            weakest_of = "The weakest whose speed is known"
        yield f"{weakest_of}, {name}, is guessed {price}."
    # The name of a lock without a hash says it already.
    locked = [group for group in audit.groups if group.kind is Kind.LOCKED and group.hasher]
    if _sum(locked):
        yield f"{counted(_sum(locked), *_BEHIND_LOCKS)}."
    for kind, (one, several) in _NOT_HASHES.items():
        if audit.kinds[kind.value]:
            yield f"{counted(audit.kinds[kind.value], one, several)}."
    yield from _format_notes(audit)
    if audit.layout in _NO_LISTS:
        yield _NO_LISTS[audit.layout]


def _answer(audit: Audit) -> Iterator[str]:
    """The verdict on the hashes that were judged, and the number of the others."""
    unread = sum(audit.kinds[kind.value] for kind in UNREAD)
    judged = audit.judged
    rest = []
    if unread:
        rest.append(f"{counted(unread, 'line was', 'lines were')} not recognised")
    asking = _asking(audit)
    if asking:
        names = " or ".join(asking)
        unlisted = [group for group in audit.groups if is_unlisted(group)]
        if unlisted:
            count = counted(_sum(unlisted), "is", "are")
            rest.append(f"{count} not judged by {names} ({_names(map(_name, unlisted))})")
        noun = _noun(audit, rest)
        below = _below_min(audit, judged - _sum(unlisted), asking, noun)
        yield _sentence(below, rest)
        rest = []  # It is said once.
    if audit.below_target is not None and audit.target_seconds is not None:
        undecided = audit.undecided or 0
        if undecided:
            were = counted(undecided, "was", "were")
            rest.append(f"{were} not timed, or too uncertain to tell")
        cheaper = f"below the highest cost within {format_duration(audit.target_seconds)}"
        below = _of(audit.below_target, judged - undecided, cheaper, _noun(audit, rest))
        yield _sentence(below, rest)
    elif not asking:
        recognised = counted(judged, "hash was", "hashes were")
        yield _sentence(f"{recognised} recognised, and held to no policy", rest)
    if audit.since is not None:
        yield _since(audit, audit.since)
    yield from _accepted(audit)


def _asking(audit: Audit) -> list[str]:
    """List the policies that ask for something, as far as the hashes tell."""
    describing: set[str] = set()
    for group in audit.groups:
        describing.update(check.policy for check in group.floors if check.informative)
    return [policy for policy in audit.policies if policy not in describing]


def _listed_elsewhere(audit: Audit, others: Sequence[Policy]) -> Iterator[str]:
    """Name the policies that list the hashers that none of those asked for lists."""
    if not audit.policies:
        return
    listing = []
    for group in filter(is_unlisted, audit.groups):
        policies = [policy.id for policy in asking_of(others) if policy.floors_of(_name(group))]
        if policies:
            listing.append((tuple(policies), _name(group)))
    clauses = []
    for names, hashers in gathered(listing).items():
        verb = "list"
        if len(names) == 1:
            verb = "lists"
        clauses.append(f"{format_list(names)} {verb} {format_list(hashers)}")
    if clauses:
        yield f"{'; '.join(clauses)}: name a policy with --policy to judge by it."


def _noun(audit: Audit, rest: Sequence[str]) -> tuple[str, str]:
    """Name the subject of a verdict that does not cover the ``rest``, also in the plural."""
    one, several = "hash", "hashes"
    if any(audit.kinds[kind.value] for kind in _BARE):
        one, several = "value", "values"
    if rest:
        return f"judged {one}", f"judged {several}"
    return one, several


def _sentence(verdict: str, rest: Sequence[str]) -> str:
    """The verdict, and what it does not cover."""
    return "; ".join([verdict, *rest]) + "."


def _since(audit: Audit, earlier: EarlierAudit) -> str:
    """How many are below the minimum, beside how many were."""
    before = f"{earlier.below_min:,} of {earlier.total:,}"
    now = f"{audit.below_min:,} of {audit.total:,}"
    if earlier.below_min > audit.below_min:
        change = f"{earlier.below_min - audit.below_min:,} fewer than before"
    elif earlier.below_min < audit.below_min:
        change = f"{audit.below_min - earlier.below_min:,} more than before"
    else:
        change = "As many as before"
    return f"{change} are below the {_figure(audit)}: {before} were, {now} are now."


def _below_min(audit: Audit, judged: int, asking: Sequence[str], noun: tuple[str, str]) -> str:
    """How many of the judged hashes are below the minimum, or have another fault."""
    policies = " or ".join(asking)
    refused = _sum(group for group in audit.groups if _is_refused(group))
    bare = sum(audit.kinds[kind.value] for kind in _BARE)
    broken = _sum(group for group in audit.groups if is_broken(group)) - bare
    # None of these is below a minimum: no policy has one for what is weak at any cost.
    faults = []
    if refused:
        faults.append(f"not approved by {policies}")
    if broken:
        faults.append("weak at any cost")
    faults += [fault for kind, fault in _BARE.items() if audit.kinds[kind.value]]
    if not audit.below_min:
        return _of(0, judged, f"below {_asked(audit, asking)}", noun)
    if broken + refused + bare == audit.below_min:
        return _of(audit.below_min, judged, format_list(faults, "or"), noun)
    what = f"below {_asked(audit, asking)}"
    if refused:
        what = f"below what {policies} asks for"
    below = _of(audit.below_min, judged, what, noun)
    parts = []
    if broken + refused:
        parts.append(f"{broken + refused:,} of them at any cost")
    for kind, fault in _BARE.items():
        if audit.kinds[kind.value]:
            parts.append(f"{audit.kinds[kind.value]:,} {fault}")
    return ", ".join([below, *parts])


def _asked(audit: Audit, asking: Sequence[str]) -> str:
    """Name what the policies set, such as the minimum of one."""
    checks = [check for check in _floors(audit) if check.policy in asking]
    if not checks:
        return f"the minimum of {' or '.join(asking)}"
    return figures_of(sorted(checks, key=lambda check: asking.index(check.policy)), "or")


def _figure(audit: Audit) -> str:
    """Name what all policies set."""
    figures = {check.figure for check in _floors(audit)}
    if len(figures) == 1:
        return figures.pop()
    return "minimum"


def _floors(audit: Audit) -> list[FloorCheck]:
    """List how the policies that ask for something judge the hashes."""
    checks = itertools.chain.from_iterable(group.floors for group in audit.groups)
    return [check for check in checks if not check.informative]


def _is_refused(group: Group) -> bool:
    """Tell whether a policy approves of no cost of the hasher, and it is not weak at any cost."""
    verdicts = {check.verdict for check in group.floors}
    return Verdict.NOT_APPROVED in verdicts and not is_broken(group)


def _accepted(audit: Audit) -> Iterator[str]:
    """How many hashes are accepted, and until when."""
    hashes = 0
    waivers = []
    for group in audit.groups:
        if group.accepted is not None:
            hashes += group.count
            waivers.append(group.accepted)
    if waivers:
        yield f"{counted(hashes, 'is', 'are')} {accepted_until(waivers)}."


def _format_notes(audit: Audit) -> Iterator[str]:
    """Notes on formats, several together if they are about the same hashes."""
    by_note: dict[str, list[int]] = {}
    for number, group in enumerate(audit.groups):
        for note in group.notes:
            if note not in {"locked", "fixed-cost"}:
                by_note.setdefault(note, []).append(number)
    alike = gathered((tuple(numbers), NOTES[note]) for note, numbers in sorted(by_note.items()))
    for numbers, meanings in alike.items():
        noted = [audit.groups[number] for number in numbers]
        names = _names(group.format for group in noted)
        yield f"{_sum(noted):,} {names}: {'; '.join(meanings)}."
    client = [group for group in audit.groups if group.client_side]
    if client:
        names = _names(group.format for group in client)
        yield f"{_sum(client):,} {names}: the client computes the hash at login."


def _names(names: Iterable[str]) -> str:
    return named(list(dict.fromkeys(names)))


def _sum(groups: Iterable[Group]) -> int:
    return sum(group.count for group in groups)


def _of(part: int, total: int, what: str, noun: tuple[str, str]) -> str:
    """How many of the judged hashes have a property."""
    one, several = noun
    if not total:
        return "No hash was judged"
    if total == 1 and part:
        return f"The {one} is {what}"
    if total == 1:
        return f"The {one} is not {what}"
    if part == total == 2:
        return f"Both {several} are {what}"
    if not part:
        return f"None of {total:,} {several} is {what}"
    if part == total:
        return f"All {total:,} {several} are {what}"
    of_all = f"of {total:,} {several}"
    return f"{counted(part, f'{of_all} is', f'{of_all} are')} {what}"


def _records(audit: Audit) -> Records:
    """A record for every group, those that are gone last."""
    earlier = audit.since
    before: Fields = {"before": lambda _: None}
    if earlier is not None:
        before = {"before": earlier.count_of}
    return records((*audit.groups, *audit.gone), {**_FIELDS, **before})


_FIELDS: Final[Fields] = {
    **own("kind", "hasher", "params", "count", "share", "format", "blocks", "client_side"),
    "below_min": is_below_min,
    "short_of": lambda group: short_of(group.floors),
    **own("outcome", "time_seconds"),
    "gpu": "attacker.0.device",
    "guesses_per_second": "attacker.0.guesses_per_second",
    "dollars_per_2_32_guesses": "attacker.0.dollars_per_2_32_guesses",
    **own("notes"),
    "accepted_until": "accepted.until",
    "accepted_why": "accepted.why",
}
