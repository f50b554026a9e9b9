"""The explanation of one hash or cost, by `calibrate explain`."""

from collections.abc import Iterator, Sequence
from typing import Final

from hashcost.checks.explanation import Explanation
from hashcost.checks.judgement import NO_HIGHER_COST
from hashcost.checks.verification import far_above
from hashcost.core.algorithms import guess_memory
from hashcost.core.cost_expressions import example_of
from hashcost.core.profile import Verdict
from hashcost.core.text import either
from hashcost.core.units import (
    DEFAULT_TARGET_SECONDS,
    format_bytes,
    format_duration,
    format_setting,
)
from hashcost.render.document import Column, Document, Table, records
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
_WRITE_ITS_COST: Final = (
    "Nothing is judged. If you know its hasher and cost, write them:"
    f" `calibrate explain {example_of('pbkdf2-sha256')}`."
)
_WORST_FIRST: Final = (
    Verdict.NOT_APPROVED,
    Verdict.SHORT,
    Verdict.EQUAL_WORK,
    Verdict.MET,
    Verdict.NOT_NAMED,
)
_COLUMNS: Final = (Column(""), Column("", flexible=True))
_FIELDS: Final = {"name": "0", "value": "1"}


def explanation_document(explanation: Explanation, devices: Sequence[Device]) -> Document:
    """A line for each known fact."""
    lines = tuple(_lines(explanation, devices))
    return Document(
        tables=(Table(columns=_COLUMNS, rows=lines),),
        answer=(_verdict(explanation),),
        records=records(lines, _FIELDS),
        value=explanation,
    )


def _lines(explanation: Explanation, devices: Sequence[Device]) -> Iterator[tuple[str, str]]:
    """The names of the facts with their values."""
    yield "kind", _KINDS[explanation.kind]
    for check in explanation.floors:
        stands = standing(check)
        if check.legacy:
            stands += f"; {LEGACY}"
        yield check.policy, stands
    if explanation.format:
        # Of an unknown text only the shape is shown: it may be a secret.
        name = "shape" if explanation.kind is Kind.UNRECOGNISED else "format"
        yield name, explanation.format
    if explanation.hasher:
        yield "hasher", explanation.hasher
    if explanation.params:
        yield "cost", format_setting(explanation.params)
    memory = guess_memory(explanation.hasher or "", explanation.params)
    if memory is not None:
        yield "memory", f"{format_bytes(round(memory))} per hash"
    if explanation.time_seconds is not None:
        yield "takes", _time(explanation, explanation.time_seconds)
    elif explanation.untimed is not None:
        yield "takes", f"not timed: {explanation.untimed}"
    for device in devices:
        price = price_on(device, explanation.attacker)
        if price is not None:
            yield "guessed", guessed(price, device.title, basis=True)
    yield from _notes(explanation)


def _notes(explanation: Explanation) -> Iterator[tuple[str, str]]:
    """List the facts besides the figures."""
    if explanation.also_set:
        needs = format_setting(explanation.also_set)
        yield "needs", f"{needs} in Python's hashlib, Node and OpenSSL"
    for note in explanation.notes:
        yield "note", NOTES[note]
    if explanation.client_side:
        yield "note", "the client computes the hash at login"


def _verdict(explanation: Explanation) -> str:
    """Whether it is strong enough, and what to move to if it is not."""
    hasher = explanation.hasher or explanation.format
    name = f"{hasher} {format_setting(explanation.params)}".strip()
    if explanation.refused:
        return _out_of_range(explanation, name)
    if explanation.is_broken:
        # Raising its cost, if it has one, would not help.
        fault = "is weak at any cost"
        if explanation.kind is Kind.HASHED:
            fault = "is outdated"
        return f"{name} {fault}. {_move(explanation)}"
    if explanation.kind is Kind.UNRECOGNISED:
        return _WRITE_ITS_COST
    if explanation.kind is not Kind.HASHED:
        return f"Nothing is judged: {_KINDS[explanation.kind]}."
    if not explanation.params:
        return f"{name} is not judged: its cost is not in the hash."
    # Nothing falls short of a policy that only describes usual costs.
    asking = [check for check in explanation.floors if not check.informative]
    if not asking:
        return f"{name} is held to no policy."
    worst = min(asking, key=lambda check: _WORST_FIRST.index(check.verdict))
    if worst.verdict is Verdict.NOT_NAMED:
        unlisted = f"{name} is not judged: {worst.policy} does not list it"
        if not explanation.move_to:
            return f"{unlisted}."
        instead = either(explanation.move_to)
        return f"{unlisted}. To meet it, move to {instead}, and {_anew(explanation)}."
    stands = standing(worst, of=worst.policy)
    if worst.met:
        takes = _takes_long(explanation)
        return f"{name} {stands}{takes}."
    cure = f"Raise the cost, and {_anew(explanation)}."
    if worst.params is None:
        cure = _move(explanation)  # No cost of this hasher would do.
    elif "fixed-cost" in explanation.notes:
        return f"{name} is {stands}; {NO_HIGHER_COST}."
    return f"{name} is {stands}. {cure}"


def _out_of_range(explanation: Explanation, name: str) -> str:
    """Say that nothing takes the cost, and which policies it would miss all the same."""
    short = [check for check in explanation.floors if check.is_short]
    if explanation.is_broken:
        return f"{explanation.refused}; {name} is outdated. {_move(explanation)}"
    if not short:
        return f"{explanation.refused}. Set a cost in this range."
    return f"{explanation.refused}; {name} is {standing(short[0], of=short[0].policy)}."


def _takes_long(explanation: Explanation) -> str:
    """Say how long the hash takes, if that is far above the usual target."""
    seconds = explanation.time_seconds
    far = far_above(explanation.hasher or "", explanation.params, seconds, DEFAULT_TARGET_SECONDS)
    if far is None or seconds is None:
        return ""
    return f", but takes {format_duration(seconds)} at each login"


def _move(explanation: Explanation) -> str:
    if not explanation.move_to:
        return "No hasher has the approval of all policies; leave one out."
    return f"Move to {either(explanation.move_to)}, and {_anew(explanation)}."


def _anew(explanation: Explanation) -> str:
    """How stored hashes come to have another cost."""
    if explanation.is_rehashed:
        return "rehash each password when its user next logs in or sets it"
    return "set each password again: its program does not rehash at a login"


def _time(explanation: Explanation, seconds: float) -> str:
    """How long one hash takes, and where and with what that was measured."""
    time = with_error(seconds, explanation.interval_seconds)
    if explanation.machine is not None:
        time += f" on {explanation.machine.cpu_model or 'this CPU'}"
    by = filter(None, (explanation.implementation, explanation.implementation_version))
    time += f" by {' '.join(by)}"
    if explanation.blocks > 1:
        time += f", {explanation.blocks} blocks"
    return time
