"""What `calibrate audit` shows: a histogram of costs, and what is to be done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.profile import Verdict
from hashcost.core.units import (
    format_cost,
    format_duration,
    format_list,
    format_money,
    format_pairs,
    format_percent,
)
from hashcost.render.document import Column, Document, Fields, Row, Scalar, Table, own, records
from hashcost.render.wording import VERDICTS, counted, guessed
from hashcost.stored.formats.reading import NOTES, Kind
from hashcost.verdicts.audit import Audit, Group, has_no_cost, is_below_floor
from hashcost.worth.attackers.device import Device

_BAR_CELLS = 8
_BAR_CELLS_BESIDE_TIMES = 6
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MOST_ROWS = 40
_MOST_NAMES = 4
LOGS_IN: Final = frozenset({Kind.HASHED, Kind.FAST})
"""What has a hasher; of the other kinds the name is shown."""
KINDS: Final = {
    Kind.LOCKED: "locked",
    Kind.EMPTY: "empty",
    Kind.PLAIN: "plain text",
    Kind.UNKNOWN: "unknown",
    Kind.MALFORMED: "malformed",
}
_VERDICTS: Final = {**VERDICTS, Verdict.EQUAL_WORK: VERDICTS[Verdict.MET]}


@dataclass(frozen=True, kw_only=True)
class _Line:
    """A row of the table: the groups that are told apart by nothing that it shows."""

    groups: tuple[Group, ...]

    @property
    def first(self) -> Group:
        """What the row says is of all of its groups."""
        return self.groups[0]

    @property
    def count(self) -> int:
        """Of all groups."""
        return _sum(self.groups)

    @property
    def share(self) -> float:
        """Of all groups."""
        return sum(group.share for group in self.groups)


def audit_document(audit: Audit, devices: Sequence[Device] = ()) -> Document:
    """A row per hasher and cost with a bar, and a sentence for what stands out."""
    lines = _lines(audit.groups)
    largest = sorted(lines, key=lambda line: -line.count)[:_MOST_ROWS]
    least = largest[-1].count if largest else 0
    shown = [line for line in lines if line.count >= least][:_MOST_ROWS]
    most = max((line.share for line in shown), default=1.0)
    timed = audit.target_seconds is not None
    floors = ", ".join(audit.policies)
    return Document(
        head=(counted(audit.total, "stored hash", "stored hashes"),),
        tables=(
            Table(
                columns=(
                    Column("hasher"),
                    Column("cost", flexible=True, pairs=True),
                    Column("count", right=True),
                    *(() if timed else (Column("share", right=True),)),
                    Column(""),
                    *((Column(floors, flexible=True),) if floors else ()),
                    *((Column("one hash", right=True),) if timed else ()),
                    *((Column("$ per 2³²", right=True),) if devices else ()),
                ),
                rows=tuple(
                    Row(cells=_cells(line, most, audit, priced=bool(devices))) for line in shown
                ),
            ),
        ),
        notes=tuple(_notes(audit, lines, shown, devices)),
        fields=tuple(_FIELDS),
        records=records(audit.groups, _FIELDS),
        value=audit,
    )


def _lines(groups: Iterable[Group]) -> list[_Line]:
    """A row for each group that has a hash, and one for each kind of those that have none."""
    lines: dict[object, list[Group]] = {}
    for group in groups:
        key = id(group) if group.kind in LOGS_IN else group.kind
        lines.setdefault(key, []).append(group)
    return [_Line(groups=tuple(alike)) for alike in lines.values()]


def _cells(line: _Line, most: float, audit: Audit, *, priced: bool) -> tuple[str, ...]:
    group = line.first
    timed = audit.target_seconds is not None
    hashes = group.kind in LOGS_IN
    price = group.attacker[0].dollars_per_2_32_guesses if hashes and group.attacker else None
    time = "-" if group.time_seconds is None else format_duration(group.time_seconds)
    share = "<0.1%" if line.share < 0.0005 else format_percent(line.share).replace(" ", "")
    return (
        _name(group) if hashes else KINDS[group.kind],
        _cost(group) if hashes else "-",
        f"{line.count:,}",
        *(() if timed else (share,)),
        bar(line.share / most, _BAR_CELLS_BESIDE_TIMES if timed else _BAR_CELLS),
        *((_standing(group),) if audit.policies else ()),
        *((time,) if timed else ()),
        *(("-" if price is None else format_money(price),) if priced else ()),
    )


def bar(share: float, cells: int = _BAR_CELLS) -> str:
    """A bar of eighths of a cell; the whole of it for one, something for anything."""
    eighths = max(round(share * cells * 8), 1 if share > 0 else 0)
    whole, part = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[part] if part else "")


def _name(group: Group) -> str:
    return group.hasher or group.formats[0].format


def _cost(group: Group) -> str:
    notes = {note for each in group.formats for note in each.notes}
    if group.params:
        blocks = f", {group.blocks} blocks" if group.blocks > 1 else ""
        return format_cost(group.params) + blocks
    return (
        "fixed" if "fixed-cost" in notes else "none" if group.kind is Kind.FAST else "not stored"
    )


def _standing(group: Group) -> str:
    """How a group stands to each policy, once where all of them agree."""
    if has_no_cost(group):
        return "short"
    standings = [_VERDICTS[check.verdict] for check in group.floors]
    if len(set(standings)) == 1:
        return standings[0]
    return ", ".join(standings) or "-"


def _notes(
    audit: Audit, lines: Sequence[_Line], shown: Sequence[_Line], devices: Sequence[Device]
) -> list[str]:
    notes = []
    hidden = [group for line in lines if line not in shown for group in line.groups]
    if hidden:
        notes.append(
            f"{counted(len(lines) - len(shown), 'rarer setting is', 'rarer settings are')} not"
            f" shown, of {counted(_sum(hidden), 'hash', 'hashes')}; --format json has them all."
        )
    if audit.policies:
        notes += _floor_notes(audit)
    if audit.below_target is not None and audit.target_seconds is not None:
        target = format_duration(audit.target_seconds)
        notes.append(
            f"{_of(audit.below_target, audit.total)} cheaper than a target of {target} asks for."
        )
        if audit.undecided:
            notes.append(
                f"{counted(audit.undecided, 'was', 'were')} not timed, or not well enough to tell."
            )
    weakest = audit.weakest
    if weakest is not None and devices:
        name = f"{_name(weakest)} {format_cost(weakest.params)}".strip()
        notes.append(
            f"The weakest, {name}, is guessed {guessed(weakest.attacker[0], devices[0].title)}."
        )
    notes += _kind_notes(audit)
    notes += _format_notes(audit)
    return notes


def _floor_notes(audit: Audit) -> list[str]:
    policies = " or ".join(audit.policies)
    without = _sum(group for group in audit.groups if has_no_cost(group))
    part = ""
    if 0 < without < audit.below_floor:
        part = f", {without:,} of them because they have no cost to raise"
    elif without:
        part = (
            ", because they have no cost to raise" if without > 1 else ": it has no cost to raise"
        )
    notes = [f"{_of(audit.below_floor, audit.total)} below the floor of {policies}{part}."]
    unnamed = [
        group
        for group in audit.groups
        if group.kind is Kind.HASHED
        and not has_no_cost(group)
        and all(check.verdict is Verdict.NOT_NAMED for check in group.floors)
    ]
    if unnamed:
        names = _names(_name(group) for group in unnamed)
        notes.append(f"{_of(_sum(unnamed), audit.total)} not judged by {policies}: {names}.")
    return notes


def _kind_notes(audit: Audit) -> list[str]:
    """What there is besides hashes, unless the name says it already."""
    notes = []
    behind = _sum(
        group for group in audit.groups if group.kind is Kind.LOCKED and group.hasher is not None
    )
    if behind:
        notes.append(
            f"{counted(behind, 'lock has', 'locks have')} a hash behind, not judged here."
        )
    for kind, one, more in (
        (Kind.EMPTY, "has no password, and some systems", "have no password, and some systems"),
        (Kind.PLAIN, "looks like the password itself", "look like the password itself"),
        (Kind.UNKNOWN, "looks like a hash", "look like hashes"),
        (Kind.MALFORMED, "is malformed: no hash", "are malformed: no hash"),
    ):
        many = audit.kinds[kind.value]
        if many:
            end = {
                Kind.EMPTY: " ask for none",
                Kind.UNKNOWN: " in a format that is not known here",
                Kind.MALFORMED: " of the format that it begins as, or not even text",
            }
            notes.append(f"{counted(many, one, more)}{end.get(kind, '')}.")
    return notes


def _format_notes(audit: Audit) -> list[str]:
    """What is to be said of formats; once where it is said of the same hashes."""
    said: dict[str, dict[str, int]] = {}
    for group in audit.groups:
        for each in group.formats:
            for note in each.notes:
                if note not in {"locked", "fixed-cost"}:
                    formats = said.setdefault(note, {})
                    formats[each.format] = formats.get(each.format, 0) + each.count
    alike: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for note, formats in sorted(said.items()):
        alike.setdefault(tuple(formats.items()), []).append(NOTES[note])
    lines = [
        f"{sum(many for _, many in formats):,} {_names(name for name, _ in formats)}:"
        f" {'; '.join(meanings)}."
        for formats, meanings in alike.items()
    ]
    client = [group for group in audit.groups if group.client_side]
    if client:
        names = _names(each.format for group in client for each in group.formats)
        lines.append(f"{_sum(client):,} {names}: the client computes the hash when it logs in.")
    return lines


def _names(names: Iterable[str]) -> str:
    """A few names, each once."""
    unique = list(dict.fromkeys(names))
    if len(unique) > _MOST_NAMES:
        unique = [*unique[: _MOST_NAMES - 1], f"{len(unique) - _MOST_NAMES + 1} others"]
    return format_list(unique)


def _sum(groups: Iterable[Group]) -> int:
    return sum(group.count for group in groups)


def _of(part: int, total: int) -> str:
    return f"{part:,} of {total:,} {'is' if part == 1 else 'are'}"


def _of_price(name: str) -> Callable[[Group], Scalar]:
    return lambda group: getattr(group.attacker[0], name) if group.attacker else None


_FIELDS: Final[Fields[Group]] = {
    "kind": lambda group: group.kind.value,
    "hasher": lambda group: group.hasher,
    "params": lambda group: format_pairs(group.params),
    **own("count", "share"),
    "formats": lambda group: "; ".join(each.format for each in group.formats),
    **own("blocks", "client_side"),
    "below_floor": is_below_floor,
    "short_of": lambda group: " ".join(c.policy for c in group.floors if c.met is False),
    "outcome": lambda group: group.outcome.value if group.outcome else None,
    "time_seconds": lambda group: group.time_seconds,
    "gpu": _of_price("device"),
    "guesses_per_second": _of_price("guesses_per_second"),
    "dollars_per_2_32_guesses": _of_price("dollars_per_2_32_guesses"),
    "notes": lambda group: " ".join(
        dict.fromkeys(note for each in group.formats for note in each.notes)
    ),
}
