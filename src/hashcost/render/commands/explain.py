"""The explanation of one hash or cost, by `calibrate explain`."""

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


def _lines(explanation: Explanation, devices: Sequence[Device]) -> list[tuple[str, str]]:
    facts = {
        "kind": _KINDS[explanation.kind],
        "shape" if explanation.kind is Kind.UNRECOGNISED else "format": explanation.format,
        "hasher": explanation.hasher,
        "cost": format_setting(explanation.params),
    }
    lines = [(name, value) for name, value in facts.items() if value]
    if explanation.time_seconds is not None:
        lines.append(("takes", _time(explanation)))
    elif explanation.untimed is not None:
        lines.append(("takes", f"not timed: {explanation.untimed}"))
    for check in explanation.floors:
        legacy = f"; {LEGACY}" if check.legacy else ""
        lines.append((check.policy, f"{standing(check)}{legacy}"))
    lines += [
        ("guessed", guessed(price, device.title, basis=True))
        for device in devices
        for price in explanation.attacker
        if price.device == device.id
    ]
    lines += [("note", NOTES[note]) for note in explanation.notes]
    if explanation.client_side:
        lines.append(("note", "the client computes the hash at login"))
    return lines


def _time(explanation: Explanation) -> str:
    time = with_error(explanation.time_seconds or 0.0, explanation.interval_seconds)
    blocks = f", {explanation.blocks} blocks" if explanation.blocks > 1 else ""
    by = " ".join(filter(None, (explanation.implementation, explanation.implementation_version)))
    machine = explanation.machine
    cpu = "" if machine is None else f" on {machine.cpu_model or 'this CPU'}"
    return f"{time}{cpu} by {by}{blocks}"
