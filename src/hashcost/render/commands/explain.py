"""The explanation of one hash or cost, by `calibrate explain`."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Final

from hashcost.checks.explanation import Explanation
from hashcost.core.profile import Verdict
from hashcost.core.text import either
from hashcost.core.units import format_setting
from hashcost.render.document import Column, Document, records, table
from hashcost.render.wording import LEGACY, guessed, price_on, standing, with_error
from hashcost.stored.formats.reading import NOTES, Kind
from hashcost.strength.attackers.device import Device

_KINDS: Final = {
    Kind.HASHED: "password hash",
    Kind.FAST: "fast digest without a cost",
    Kind.LOCKED: "locked: no password is right",
    Kind.EMPTY: "nothing",
    Kind.PLAIN: "looks like plain text",
    Kind.UNRECOGNISED: "looks like a hash, in an unknown format",
    Kind.MALFORMED: "malformed: not a hash of the format it starts like",
}
_WHEN: Final = "rehash each password when its user logs in"
_RAISE: Final = f"Raise the cost, and {_WHEN}."
_WORST_FIRST: Final = (
    *(Verdict.NOT_APPROVED, Verdict.SHORT, Verdict.EQUAL_WORK, Verdict.MET, Verdict.NOT_NAMED),
)


def explanation_document(explanation: Explanation, devices: Sequence[Device]) -> Document:
    """A line for each known fact."""
    lines = _lines(explanation, devices)
    name, value = itemgetter(0), itemgetter(1)
    return Document(
        tables=(table(lines, (Column(""), name), (Column("", flexible=True), value)),),
        answer=(_verdict(explanation),),
        records=records(lines, {"name": name, "value": value}),
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
    lines[1:1] = [
        (check.policy, f"{standing(check)}{f'; {LEGACY}' if check.legacy else ''}")
        for check in explanation.floors
    ]
    if explanation.time_seconds is not None:
        lines.append(("takes", _time(explanation)))
    elif explanation.untimed is not None:
        lines.append(("takes", f"not timed: {explanation.untimed}"))
    lines += [
        ("guessed", guessed(price, device.title, basis=True))
        for device in devices
        if (price := price_on(device, explanation.attacker))
    ]
    lines += [("note", NOTES[note]) for note in explanation.notes]
    if explanation.client_side:
        lines.append(("note", "the client computes the hash at login"))
    return lines


def _verdict(explanation: Explanation) -> str:
    """Whether it is strong enough, and what to move to if it is not."""
    name = f"{explanation.hasher or explanation.format} {format_setting(explanation.params)}"
    name = name.strip()
    if explanation.is_broken:
        return f"{name} is weak at any cost. {_move(explanation)}"
    if explanation.kind is not Kind.HASHED:
        return f"Nothing is judged: {_KINDS[explanation.kind]}."
    asking = [check for check in explanation.floors if not check.informative]
    worst = min(asking, key=lambda check: _WORST_FIRST.index(check.verdict), default=None)
    if worst is None:
        return f"{name} is held to no policy."
    if worst.verdict is Verdict.NOT_NAMED:
        return f"{name} is not judged: {worst.policy} does not list it."
    stands = standing(worst, of=worst.policy)
    if worst.met:
        return f"{name} {stands}."
    return f"{name} is {stands}. {_move(explanation) if worst.params is None else _RAISE}"


def _move(explanation: Explanation) -> str:
    if not explanation.move_to:
        return "No hasher has the approval of all policies; leave one out."
    return f"Move to {either(explanation.move_to)}, and {_WHEN}."


def _time(explanation: Explanation) -> str:
    time = with_error(explanation.time_seconds or 0.0, explanation.interval_seconds)
    blocks = f", {explanation.blocks} blocks" if explanation.blocks > 1 else ""
    by = " ".join(filter(None, (explanation.implementation, explanation.implementation_version)))
    machine = explanation.machine
    cpu = "" if machine is None else f" on {machine.cpu_model or 'this CPU'}"
    return f"{time}{cpu} by {by}{blocks}"
