"""What `calibrate explain` shows of one hash or cost."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Final

from hashcost.core.units import format_setting
from hashcost.render.document import Column, Document, table
from hashcost.render.wording import LEGACY, guessed, standing, with_error
from hashcost.stored.formats.reading import NOTES, Kind
from hashcost.verdicts.explanation import Explanation
from hashcost.worth.attackers.device import Device

_KINDS: Final = {
    Kind.HASHED: "password hash",
    Kind.FAST: "fast digest without a cost",
    Kind.LOCKED: "locked: no password is right",
    Kind.EMPTY: "nothing",
    Kind.PLAIN: "looks like plain text",
    Kind.UNRECOGNISED: "looks like a hash, in an unknown format",
    Kind.MALFORMED: "malformed: not a hash of the format it starts like",
}


def explanation_document(explanation: Explanation, devices: Sequence[Device]) -> Document:
    """A line for each thing that is known."""
    lines = _lines(explanation, devices)
    columns = (Column(""), itemgetter(0)), (Column("", flexible=True), itemgetter(1))
    return Document(
        tables=(table(lines, *columns),),
        fields=("name", "value"),
        records=tuple({"name": name, "value": value} for name, value in lines),
        value=explanation,
    )


def _lines(found: Explanation, devices: Sequence[Device]) -> list[tuple[str, str]]:
    known = {
        "kind": _KINDS[found.kind],
        "shape" if found.kind is Kind.UNRECOGNISED else "format": found.format,
        "hasher": found.hasher,
        "cost": format_setting(found.params),
    }
    lines = [(name, value) for name, value in known.items() if value]
    if found.time_seconds is not None:
        lines.append(("takes", _time(found)))
    elif found.untimed is not None:
        lines.append(("takes", f"not timed: {found.untimed}"))
    for check in found.floors:
        legacy = f"; {LEGACY}" if check.legacy else ""
        lines.append((check.policy, f"{standing(check)}{legacy}"))
    lines += [
        ("guessed", guessed(price, device.title, basis=True))
        for device in devices
        for price in found.attacker
        if price.device == device.id
    ]
    lines += [("note", NOTES[note]) for note in found.notes]
    if found.client_side:
        lines.append(("note", "the client computes the hash at login"))
    return lines


def _time(found: Explanation) -> str:
    time = with_error(found.time_seconds or 0.0, found.interval_seconds)
    blocks = f", {found.blocks} blocks" if found.blocks > 1 else ""
    by = " ".join(filter(None, (found.implementation, found.implementation_version)))
    cpu = "" if found.machine is None else f" on {found.machine.cpu_model or 'this CPU'}"
    return f"{time}{cpu} by {by}{blocks}"
