"""The explanation of one hash or cost, by `calibrate explain`."""

from collections.abc import Iterator, Sequence
from typing import Final

from hashcost.checks.explanation import Explanation
from hashcost.checks.judgement import AS_CLIENTS_ACCEPT, NO_HIGHER_COST
from hashcost.checks.programs import USUAL
from hashcost.checks.stored_only import worth_of_other_digest
from hashcost.checks.verification import far_above
from hashcost.core.algorithms import guess_memory, guess_work
from hashcost.core.cost_expressions import example_of
from hashcost.core.profile import FloorCheck, Verdict
from hashcost.core.text import either
from hashcost.core.units import (
    DEFAULT_TARGET_SECONDS,
    format_bytes,
    format_duration,
    format_list,
    format_setting,
)
from hashcost.render.document import Column, Document, Table, records
from hashcost.render.wording import (
    LEGACY,
    elsewhere,
    gathered,
    guessed,
    price_on,
    standing,
    with_error,
)
from hashcost.stored.formats.reading import CRYPTS, NOTES, Kind, hasher_named_in
from hashcost.strength.attackers.device import Device
from hashcost.strength.policies.policy import Policy

_KINDS: Final = {
    Kind.HASHED: "password hash",
    Kind.FAST: "fast digest without a cost",
    Kind.LOCKED: "locked",
    Kind.EMPTY: "nothing",
    Kind.PLAIN: "looks like plain text",
    Kind.UNRECOGNISED: "looks like a hash, in an unknown format",
    Kind.UNREADABLE: "unreadable: not a hash of the format it starts like",
}
_WORST_FIRST: Final = (
    Verdict.NOT_APPROVED,
    Verdict.SHORT,
    Verdict.EQUAL_WORK,
    Verdict.MET,
    Verdict.NOT_NAMED,
)
_VERBS: Final = {
    Verdict.SHORT: "is below",
    Verdict.EQUAL_WORK: "takes at least the work of",
    Verdict.MET: "meets",
}
_COLUMNS: Final = (Column(""), Column("", flexible=True))
_FIELDS: Final = {"name": "0", "value": "1"}


def explanation_document(
    explanation: Explanation,
    devices: Sequence[Device],
    policies: Sequence[Policy] = (),
    others: Sequence[Policy] = (),
) -> Document:
    """A line for each known fact.

    ``policies`` are those that were asked for, and ``others`` may judge what they do not list.
    """
    lines = tuple(_lines(explanation, devices, policies))
    return Document(
        tables=(Table(columns=_COLUMNS, rows=lines),),
        answer=(_verdict(explanation, policies, others),),
        records=records(lines, _FIELDS),
        value=explanation,
    )


def _lines(
    explanation: Explanation, devices: Sequence[Device], policies: Sequence[Policy]
) -> Iterator[tuple[str, str]]:
    """The names of the facts with their values."""
    yield "kind", _KINDS[explanation.kind]
    for check in explanation.floors:
        # Whether an impossible cost would meet a minimum does not matter.
        if explanation.refused and check.met:
            continue
        yield check.policy, _standing(check, policies)
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
    yield from _notes(explanation, policies)


def _standing(check: FloorCheck, policies: Sequence[Policy]) -> str:
    """A cost beside what one policy asks for, in words."""
    stands = standing(check)
    if check.verdict is Verdict.NOT_NAMED and _is_silent(check, policies):
        stands = "names no minimum"
    if check.legacy:
        stands += f"; {LEGACY}"
    return stands


def _notes(explanation: Explanation, policies: Sequence[Policy]) -> Iterator[tuple[str, str]]:
    """List the facts besides the figures."""
    if explanation.also_set:
        needs = format_setting(explanation.also_set)
        yield "needs", f"{needs} in Python's hashlib, Node and OpenSSL"
    for note in explanation.notes:
        yield "note", NOTES[note]
    if explanation.client_side:
        yield "note", "the client computes the hash at login"
    standings = {check.policy: check.met for check in explanation.floors}
    for policy in policies:
        # A caution about figures is none where nothing is compared with them.
        is_compared = not policy.floors or standings.get(policy.id) is not None
        if policy.caution and policy.id in standings and is_compared:
            yield "note", f"{policy.id}: {policy.caution}"


def _verdict(
    explanation: Explanation, policies: Sequence[Policy], others: Sequence[Policy]
) -> str:
    """Whether it is strong enough, and what to move to if it is not."""
    name = _name(explanation)
    if explanation.refused:
        return _out_of_range(explanation, name, policies)
    if explanation.kind is Kind.EMPTY:
        return (
            "Nothing is judged: there is no hash, and some systems then ask for no password. Set"
            " one, or lock the account."
        )
    if explanation.is_broken:
        return _broken(explanation, name, policies)
    without_cost = _unjudged(explanation)
    if without_cost:
        return f"Nothing is judged{without_cost}"
    # Nothing falls short of a policy that only describes usual costs.
    asking = [check for check in explanation.floors if not check.informative]
    if not asking:
        stands = f"{name} is held to no policy."
        if explanation.floors:
            stands = f"{name} is not judged: {_only_describing(explanation.floors)}."
        return stands + _by_others(explanation, others)
    stands = f"{name} {_all_standings(asking, policies)}"
    worst = min(asking, key=_rank)
    if worst.verdict is Verdict.NOT_NAMED:
        elsewhere_judged = f"{_by_others(explanation, others)}{_by_same_work(explanation)}"
        return f"{stands}.{elsewhere_judged}{_to_meet(explanation, policies)}"
    if worst.met:
        return f"{stands}{_takes_long(explanation)}."
    if worst.params is None:
        # No cost of this hasher would do.
        return f"{stands}. {_move(explanation, policies)}"
    return f"{stands}{_raised(explanation)}."


def _broken(explanation: Explanation, name: str, policies: Sequence[Policy]) -> str:
    """Say that no cost makes it strong; to raise one would not help."""
    fault = "is weak at any cost"
    if explanation.kind is Kind.HASHED:
        fault = "is outdated"
    # Other texts have the same length and alphabet.
    if "unmarked" in explanation.notes:
        name = f"If it is {name}, it"
    elif explanation.hasher in CRYPTS and explanation.format is None:
        name = f"The digest {name}"
    return f"{name} {fault}. {_move(explanation, policies)}"


def _unjudged(explanation: Explanation) -> str:
    """Say why nothing is judged, and what to do; empty if there is a cost to judge."""
    match explanation.kind:
        case Kind.UNRECOGNISED:
            return f". {_write_its_cost(explanation)}"
        case Kind.LOCKED:
            return f": {_locked(explanation)}."
        case Kind.HASHED:
            if explanation.params and explanation.hasher is not None:
                return ""
            return f": {_not_stored(explanation)}. {_write_it(explanation)}"
        case _:
            return f": {_KINDS[explanation.kind]}."


def _raised(explanation: Explanation) -> str:
    """Say how to reach a minimum."""
    if "fixed-cost" in explanation.notes:
        return f"; {NO_HIGHER_COST}"
    if explanation.client_side:
        return f"; {AS_CLIENTS_ACCEPT}"
    if explanation.instead is not None:
        return f". {explanation.instead.removesuffix('.')}"
    return f". Raise the cost, and {_anew(explanation)}"


def _locked(explanation: Explanation) -> str:
    """Say what is there instead of a hash, or before one."""
    if explanation.hasher is not None:
        return "it is locked; leave out what stands before the hash to judge that"
    return (
        "there is no hash in it; either no password is right, or another file has the hash, which"
        " is shadow for x in passwd"
    )


def _name(explanation: Explanation) -> str:
    hasher = explanation.hasher or explanation.format
    return f"{hasher} {format_setting(explanation.params)}".strip()


def _rank(check: FloorCheck) -> int:
    return _WORST_FIRST.index(check.verdict)


def _all_standings(checks: Sequence[FloorCheck], policies: Sequence[Policy]) -> str:
    """A cost beside every policy that asks for something, the worst first."""
    by_verdict = gathered((check.verdict, check) for check in sorted(checks, key=_rank))
    unlisted = by_verdict.pop(Verdict.NOT_NAMED, [])
    clauses = []
    for verdict, alike in by_verdict.items():
        if verdict is Verdict.NOT_APPROVED:
            names = format_list([check.policy for check in alike])
            clauses.append(f"is not approved by {names} at any cost")
        else:
            figures = format_list([_figure(check) for check in alike])
            clauses.append(f"{_VERBS[verdict]} {figures}")
    reasons = []
    silent = [check.policy for check in unlisted if _is_silent(check, policies)]
    if silent:
        reasons.append(f"{_with_verb(silent, 'names', 'name')} no minimum")
    lacking = [check.policy for check in unlisted if check.policy not in silent]
    if lacking:
        reasons.append(f"{_with_verb(lacking, 'does', 'do')} not list it")
    if not clauses:
        return f"is not judged: {format_list(reasons)}"
    return "; ".join(["; it ".join(clauses), *reasons])


def _with_verb(names: Sequence[str], one: str, several: str) -> str:
    """Names with a verb in their number."""
    verb = several
    if len(names) == 1:
        verb = one
    return f"{format_list(names)} {verb}"


def _only_describing(checks: Sequence[FloorCheck]) -> str:
    """Say that policies ask for nothing."""
    names = [check.policy for check in checks]
    return f"{_with_verb(names, 'only describes', 'only describe')} what is usual"


def _figure(check: FloorCheck) -> str:
    """Name what a policy asks for."""
    text = f"the {check.figure} of {check.policy}"
    details = []
    if check.params is not None:
        details.append(format_setting(check.params))
    if check.legacy and check.met:
        details.append(LEGACY)
    if details:
        text += f" ({'; '.join(details)})"
    return text


def _policy_of(check: FloorCheck, policies: Sequence[Policy]) -> Policy | None:
    """Find the policy that a cost was compared with."""
    return next((policy for policy in policies if policy.id == check.policy), None)


def _is_silent(check: FloorCheck, policies: Sequence[Policy]) -> bool:
    """Tell whether a policy has no figures at all, of which this hasher could have one."""
    policy = _policy_of(check, policies)
    return policy is not None and not policy.floors


def _by_others(explanation: Explanation, others: Sequence[Policy]) -> str:
    """Say how other policies judge a cost that those asked for do not."""
    hasher = explanation.hasher or ""
    stands = elsewhere(hasher, explanation.params, others)
    if stands:
        return f" It {stands}: name one with --policy for the figures."
    if not others:
        return ""
    if explanation.floors:
        return " Nor is it listed by any other policy."
    return " No policy lists it."


def _by_same_work(explanation: Explanation) -> str:
    """Say how a digest is judged that takes the same work as that of a cost nobody lists."""
    worth = worth_of_other_digest(explanation.hasher or "", explanation.params)
    if not worth:
        return ""
    return f" {worth[0].upper()}{worth[1:]}."


def _to_meet(explanation: Explanation, policies: Sequence[Policy]) -> str:
    """Say how to meet the policies that do not list the hasher."""
    asking = [check for check in explanation.floors if not check.informative]
    unlisted = [check.policy for check in asking if not _is_silent(check, policies)]
    if not unlisted or not explanation.move_to or explanation.lacked_by is not None:
        return ""
    if explanation.instead is not None:
        return f" {explanation.instead}"
    move = f"move to {either(explanation.move_to)}"
    if explanation.emitted_by is not None:
        move += f" (`{explanation.emitted_by}` writes it)"
    # Nothing tells what hashes: it may be unable to.
    else:
        move += " if its program has it"
    return f" To meet {format_list(unlisted)}, {move}, and {_anew(explanation)}."


def _not_stored(explanation: Explanation) -> str:
    """Say what the hash does not tell."""
    if explanation.hasher is None:
        return "its algorithm is not in the hash but in the configuration"
    return "its cost is not in the hash but in the configuration"


def _write_it(explanation: Explanation) -> str:
    """Name the command that explains a cost of this hasher."""
    hasher = explanation.hasher
    example = example_of(hasher or "pbkdf2-sha256")
    count = explanation.params.get("iterations")
    if hasher is None and count is not None:
        example = f"pbkdf2-sha256={count}"
    return f"If you know it, write it as in `calibrate explain {example}`."


def _write_its_cost(explanation: Explanation) -> str:
    """Say how a hash in an unknown format is judged all the same."""
    example = example_of(hasher_named_in(explanation.notes))
    return (
        f"If you know its hasher and cost, write them as in `calibrate explain {example}`; else"
        " look for them in the source of the program that made it, with `calibrate scan` if it"
        " reads that language."
    )


def _out_of_range(explanation: Explanation, name: str, policies: Sequence[Policy]) -> str:
    """Say that nothing takes the cost, and which policies it would miss all the same."""
    short = [check for check in explanation.floors if check.is_short]
    hasher = explanation.hasher or ""
    if explanation.is_broken:
        return f"{explanation.refused}; {name} is outdated. {_move(explanation, policies)}"
    if not short:
        return f"{explanation.refused}. Set one that is accepted."
    # What meets the highest minimum meets the others.
    check = max(short, key=lambda check: guess_work(hasher, check.params or {}) or 0.0)
    least = format_setting(check.params or {})
    return f"{explanation.refused}. Set at least {least}, the {check.figure} of {check.policy}."


def _takes_long(explanation: Explanation) -> str:
    """Say how long the hash takes, if that is far above the usual target."""
    seconds = explanation.time_seconds
    if seconds is None or explanation.interval_seconds is None:
        return ""
    least, _ = explanation.interval_seconds
    far = far_above(explanation.hasher or "", explanation.params, least, DEFAULT_TARGET_SECONDS)
    if far is None:
        return ""
    return f", but takes {format_duration(seconds)} to verify"


def _move(explanation: Explanation, policies: Sequence[Policy]) -> str:
    """Say which hasher to move to."""
    if explanation.instead is not None:
        return explanation.instead
    if not explanation.move_to:
        return "No hasher is listed by all of these policies; leave one out."
    hashers = either(explanation.move_to)
    if explanation.lacked_by is not None:
        lacks = f"{explanation.lacked_by} has no hasher that is approved, such as {hashers}"
        return f"{lacks}; let another system hold the passwords, or leave the policy out."
    move = f"Move to {hashers}"
    if explanation.emitted_by is not None:
        move += f" (`{explanation.emitted_by}` writes it)"
    # Nothing tells what hashes: it may be unable to.
    elif explanation.move_to == (USUAL,) and not any(policy.approved for policy in policies):
        move += ", or the best hasher that its program has"
    return f"{move}, and {_anew(explanation)}."


def _anew(explanation: Explanation) -> str:
    """How stored hashes come to have another cost."""
    kept_by = explanation.kept_by
    if not explanation.is_rehashed:
        by = "its program does"
        if kept_by:
            by = _with_verb(kept_by, "does", "do")
        return f"set each password again: {by} not rehash at a login"
    anew = "rehash each password at a login where that is possible, else set it again"
    if kept_by:
        anew += f": {_with_verb(kept_by, 'does', 'do')} not rehash"
    return anew


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
