"""What `calibrate explain` shows of one hash or cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hashcost.core.model import Basis, FloorCheck, Verdict
from hashcost.core.units import format_cost, format_dollars, format_duration, format_percent
from hashcost.render.document import Column, Document, Row, Table
from hashcost.render.wording import often
from hashcost.stored.formats.reading import NOTES, Kind
from hashcost.verdicts.explanation import Explanation
from hashcost.worth.attackers.device import Device

_KINDS: Final = {
    Kind.HASHED: "password hash",
    Kind.FAST: "digest without a cost: guessed as fast as it is computed",
    Kind.LOCKED: "locked: no password is right",
    Kind.EMPTY: "nothing",
    Kind.PLAIN: "looks like plain text",
    Kind.UNKNOWN: "looks like a hash, in a format that is not known here",
    Kind.MALFORMED: "malformed: it cannot be a hash of the format that it begins as",
}
_BASES: Final = {
    Basis.MEASURED: "measured",
    Basis.SCALED: "scaled",
    Basis.UPPER_BOUND: "at most",
}


def explanation_document(explanation: Explanation, devices: Sequence[Device]) -> Document:
    """A line for each thing that is known."""
    lines = list(_lines(explanation, devices))
    return Document(
        tables=(
            Table(
                columns=(Column(title=""), Column(title="", flexible=True)),
                rows=tuple(Row(cells=line) for line in lines),
            ),
        ),
        fields=("name", "value"),
        records=tuple({"name": name, "value": value} for name, value in lines),
        value=explanation,
    )


def _lines(found: Explanation, devices: Sequence[Device]) -> list[tuple[str, str]]:
    lines = [("kind", _KINDS[found.kind])]
    if found.format is not None and found.kind is not Kind.UNKNOWN:
        lines.append(("format", found.format))
    if found.hasher is not None:
        lines.append(("hasher", found.hasher))
    if found.params:
        lines.append(("cost", format_cost(found.params)))
    if found.time_seconds is not None:
        lines.append(("takes", _time(found)))
    elif found.untimed is not None:
        lines.append(("takes", f"not timed: {found.untimed}"))
    lines += [(check.policy, _standing(check)) for check in found.floors]
    for device in devices:
        for price in found.attacker:
            if price.device == device.id:
                dollars = price.dollars_per_2_32_guesses
                money = "" if dollars is None else f"; {format_dollars(dollars)} for 2³² guesses"
                how = f"on one {device.title} ({_BASES[price.basis]}){money}"
                lines.append(("guessed", f"{often(price.guesses_per_second)} {how}"))
    lines += [("note", NOTES[note]) for note in found.notes]
    if found.client_side:
        lines.append(("note", "the client computes the hash when it logs in"))
    return lines


def _time(found: Explanation) -> str:
    seconds = found.time_seconds or 0.0
    error = ""
    if found.interval_seconds is not None:
        low, high = found.interval_seconds
        error = f" ±{format_percent(max(seconds - low, high - seconds) / seconds)}"
    blocks = f", {found.blocks} blocks" if found.blocks > 1 else ""
    by = " ".join(filter(None, (found.implementation, found.implementation_version)))
    cpu = "" if found.machine is None else f" on {found.machine.cpu_model or 'this CPU'}"
    return f"{format_duration(seconds)}{error}{cpu} by {by}{blocks}"


def _standing(check: FloorCheck) -> str:
    floor = "" if check.params is None else f", {format_cost(check.params)}"
    words = {
        Verdict.MET: f"meets the floor{floor}",
        Verdict.EQUAL_WORK: f"takes as much work as the floor{floor}",
        Verdict.SHORT: f"below the floor{floor}",
        Verdict.NOT_APPROVED: "not approved at any cost",
        Verdict.NOT_NAMED: "not named",
    }
    legacy = "; for systems that have it already, and no more" if check.legacy else ""
    return words[check.verdict] + legacy
