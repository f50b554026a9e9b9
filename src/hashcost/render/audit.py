"""What `calibrate audit` shows: a histogram of costs, and what is to be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hashcost.attackers.device import Device
from hashcost.audit import Audit, Group, is_below_floor
from hashcost.encoded.reading import NOTES, Kind
from hashcost.model import Verdict
from hashcost.render.document import Column, Document, Row, Scalar, Table
from hashcost.units import (
    format_cost,
    format_count,
    format_dollars,
    format_duration,
    format_money,
    format_percent,
)

_FIELDS: Final = (
    "kind",
    "hasher",
    "params",
    "count",
    "share",
    "formats",
    "blocks",
    "client_side",
    "below_floor",
    "short_of",
    "outcome",
    "time_seconds",
    "gpu",
    "guesses_per_second",
    "dollars_per_2_32_guesses",
    "notes",
)
_BAR_CELLS = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MOST_ROWS = 40
_NAMED: Final = frozenset({Kind.HASHED, Kind.FAST})
_WORDS: Final = {
    Kind.FAST: "no cost",
    Kind.PLAIN: "no hash",
    Kind.EMPTY: "no password",
}


def audit_document(audit: Audit, devices: Sequence[Device] = ()) -> Document:
    """A row per hasher and cost with a bar, and a sentence for what stands out."""
    largest = sorted(audit.groups, key=lambda group: -group.count)[:_MOST_ROWS]
    shown = [group for group in audit.groups if group in largest]
    most = max((group.share for group in shown), default=1.0)
    timed = audit.target_seconds is not None
    title = f"{', '.join(audit.policies)} floor" if audit.policies else ""
    return Document(
        head=(f"{format_count(audit.total)} stored {'hash' if audit.total == 1 else 'hashes'}",),
        tables=(
            Table(
                columns=(
                    Column(title="hasher"),
                    Column(title="cost", flexible=True, pairs=True),
                    Column(title="count", right=True),
                    Column(title="share", right=True),
                    Column(title=""),
                    *((Column(title=title),) if title else ()),
                    *((Column(title="one hash", right=True),) if timed else ()),
                    *((Column(title="$ per 2³²", right=True),) if devices else ()),
                ),
                rows=tuple(
                    Row(cells=_cells(group, most, audit, priced=bool(devices))) for group in shown
                ),
            ),
        ),
        notes=tuple(_notes(audit, shown, devices)),
        fields=_FIELDS,
        records=tuple(_record(group) for group in audit.groups),
        value=audit,
    )


def _cells(group: Group, most: float, audit: Audit, *, priced: bool) -> tuple[str, ...]:
    cost = format_cost(group.params) or "-"
    if group.blocks > 1:
        cost = f"{cost}, {group.blocks} blocks"
    price = group.attacker[0].dollars_per_2_32_guesses if group.attacker else None
    time = "" if group.time_seconds is None else format_duration(group.time_seconds)
    return (
        group.kind.value if group.kind not in _NAMED else group.hasher or "-",
        cost,
        format_count(group.count) if group.count >= 100 else str(group.count),
        format_percent(group.share).replace(" ", ""),
        bar(group.share / most),
        *((_standing(group),) if audit.policies else ()),
        *((time,) if audit.target_seconds is not None else ()),
        *(("-" if price is None else format_money(price),) if priced else ()),
    )


def bar(share: float) -> str:
    """A bar of eighths of a cell; the whole of it for one, something for anything."""
    eighths = max(round(share * _BAR_CELLS * 8), 1 if share > 0 else 0)
    whole, part = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[part] if part else "")


def _standing(group: Group) -> str:
    if group.kind in _WORDS:
        return _WORDS[group.kind]
    words = {
        Verdict.MET: "met",
        Verdict.EQUAL_WORK: "met",
        Verdict.SHORT: "short",
        Verdict.NOT_APPROVED: "not approved",
        Verdict.NOT_NAMED: "-",
    }
    standings = [words[check.verdict] for check in group.floors]
    if len(set(standings)) == 1:
        return standings[0]
    return ", ".join(standings) or "-"


def _notes(audit: Audit, shown: Sequence[Group], devices: Sequence[Device]) -> list[str]:
    notes = []
    if audit.policies and audit.total:
        notes.append(
            f"{_of(audit.below_floor, audit.total)} below the floor of"
            f" {', '.join(audit.policies)}, or no password hashes at all."
        )
    if audit.below_target is not None and audit.target_seconds is not None:
        notes.append(
            f"{_of(audit.below_target, audit.total)} cheaper than a target of"
            f" {format_duration(audit.target_seconds)} asks for."
        )
    hidden = len(audit.groups) - len(shown)
    if hidden > 0:
        many = audit.total - sum(group.count for group in shown)
        notes.append(
            f"{hidden} more settings, {format_count(many)} hashes, are left out; --format json"
            " has them all."
        )
    weakest = audit.weakest
    if weakest is not None and devices:
        price = weakest.attacker[0]
        dollars = price.dollars_per_2_32_guesses
        money = "" if dollars is None else f", {format_dollars(dollars)} for 2³² of them"
        name = f"{weakest.hasher} {format_cost(weakest.params)}".strip()
        notes.append(
            f"The weakest, {name}, is guessed {format_count(price.guesses_per_second)} times"
            f" a second on one {devices[0].title}{money}."
        )
    notes += _format_notes(audit)
    return notes


def _format_notes(audit: Audit) -> list[str]:
    counts: dict[str, int] = {}
    for group in audit.groups:
        for each in group.formats:
            for note in each.notes:
                counts[note] = counts.get(note, 0) + each.count
    lines = [f"{format_count(many)}: {NOTES[note]}." for note, many in sorted(counts.items())]
    client = sum(group.count for group in audit.groups if group.client_side)
    if client:
        lines.append(f"{format_count(client)}: the client computes the hash when it logs in.")
    return lines


def _of(part: int, total: int) -> str:
    verb = "is" if part == 1 else "are"
    return f"{format_count(part) if part >= 100 else part} of {format_count(total)} {verb}"


def _record(group: Group) -> dict[str, Scalar]:
    price = group.attacker[0] if group.attacker else None
    notes = dict.fromkeys(note for each in group.formats for note in each.notes)
    return {
        "kind": group.kind.value,
        "hasher": group.hasher,
        "params": " ".join(f"{name}={value}" for name, value in group.params.items()),
        "count": group.count,
        "share": group.share,
        "formats": "; ".join(each.format for each in group.formats),
        "blocks": group.blocks,
        "client_side": group.client_side,
        "below_floor": is_below_floor(group),
        "short_of": " ".join(check.policy for check in group.floors if check.met is False),
        "outcome": None if group.outcome is None else group.outcome.value,
        "time_seconds": group.time_seconds,
        "gpu": None if price is None else price.device,
        "guesses_per_second": None if price is None else price.guesses_per_second,
        "dollars_per_2_32_guesses": None if price is None else price.dollars_per_2_32_guesses,
        "notes": " ".join(notes),
    }
