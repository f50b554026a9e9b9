"""``calibrate explain``: one hash or one cost, its time and its worth."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from hashcost.checks.audit import timeable
from hashcost.checks.explanation import explain as explained
from hashcost.checks.judgement import Configured
from hashcost.checks.judging import completed, configured
from hashcost.cli.completion import completer
from hashcost.cli.inputs import costs_timed, standard_input
from hashcost.cli.options import (
    Criteria,
    GroupedCommand,
    app_option,
    criteria_options,
    profile_option,
    result_options,
)
from hashcost.cli.output import Output
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cost_expressions import example_of, label_of, separated
from hashcost.core.errors import HashcostError, OutOfRangeError, UnreadableInputError, UsageError
from hashcost.core.machine import TOOL
from hashcost.core.text import either
from hashcost.core.units import SHORT_NAMES
from hashcost.hashers.registry import candidates
from hashcost.render.commands.explain import explanation_document
from hashcost.storage.files import reason_of
from hashcost.stored.formats.reading import NOT_TEXT, HashReading, Kind
from hashcost.stored.formats.registry import hasher_of, read
from hashcost.stored.formats.typed import (
    has_cost_to_type,
    is_stored_only,
    named_in_cost,
    out_of_range,
    typed_reading,
)
from hashcost.stored.layouts import rows_in
from hashcost.stored.lines import lines_of
from hashcost.strength.policies.catalogue import load_policy, policy_names

_FAMILIES = frozenset({"pbkdf2", "argon2"})
_TARGET_SECONDS = 0.1
_SPACE = b" \t\r\n"


@click.command(cls=GroupedCommand)
@click.argument("cost", nargs=-1, metavar="[HASHER=COST]", shell_complete=completer("hashers"))
@app_option("Application that wrote the hash, if its format is ambiguous.")
@profile_option("Take the time from a profile.")
@criteria_options
@result_options("table", "json", "csv", "markdown", quiet="No progress.")
def explain(
    cost: tuple[str, ...], app: str | None, profile: Path | None, criteria: Criteria, out: Output
) -> None:
    """Read one hash or one cost from standard input and say what it is and what it is worth.

    No part of the hash is shown, kept or sent. Example: calibrate explain < hash.txt
    """
    out.check([profile])
    # Other commands write standard input so.
    if cost == ("-",):
        cost = ()
    read("", app)  # An application that tells nothing is refused before anything is read.
    if len(list(filter(_hasher_named, cost))) > 1:
        raise click.UsageError("one cost at a time; `calibrate check` judges several")
    given = _given(cost)
    if not given:
        raise UnreadableInputError(
            "nothing to explain; write a cost such as bcrypt=12, or send a hash to standard input"
        )
    typed_cost = _as_cost(given)
    if typed_cost is not None and app is not None:
        raise click.UsageError("--app applies only to a hash, not to a cost; leave it out")
    costs: tuple[Configured, ...] = ()
    format_name = implementation = None
    refused = ""
    if typed_cost is None:
        reading = _stored_hash(given, app, is_typed=bool(cost))
        costs = timeable(Counter((reading,)))
        format_name = reading.format
    elif isinstance(typed_cost, HashReading):
        reading = typed_cost
        refused = out_of_range(reading)
    else:
        reading = HashReading(
            kind=Kind.HASHED, format="cost", hasher=typed_cost.hasher, params=typed_cost.params
        )
        implementation = typed_cost.implementation
        refused = typed_cost.refused
        if not refused:
            costs = (typed_cost,)
    explanation = explained(
        reading,
        tool=TOOL,
        format_name=format_name,
        policies=criteria.policies,
        devices=criteria.devices,
        profile=costs_timed(costs, _TARGET_SECONDS, profile, out),
        implementation=implementation,
        refused=refused,
        is_saved=profile is not None,
    )
    document = explanation_document(
        explanation,
        criteria.devices,
        criteria.policies,
        others=tuple(map(load_policy, policy_names())),
    )
    out.write(document)


def _stored_hash(given: bytes, app: str | None, *, is_typed: bool) -> HashReading:
    """Read a hash from standard input.

    Raises:
        UsageError: it was typed, where other users may see it.
        UnreadableInputError: it is not a hash.
    """
    if is_typed:
        meant = _hashers_meant(given)
        if meant:
            examples = either([example_of(hasher) for hasher in meant])
            raise click.UsageError(
                f"that is not a cost; write for example {examples}, or put a hash on standard"
                " input, where no other user sees it"
            )
        if given.isdigit():
            raise click.UsageError(
                "that is only a number; write its hasher too, such as bcrypt=12 for bcrypt"
            )
        raise click.UsageError(
            "that is not a cost such as bcrypt=12; put a hash on standard input, where no"
            " other user sees it (`calibrate list hashers` lists the hashers that have a cost)"
        )
    reading = _reading(given, app)
    if reading.kind is Kind.PLAIN:
        raise UnreadableInputError("that is not a stored hash: it looks like plain text")
    if reading.kind is Kind.UNREADABLE:
        raise UnreadableInputError(_refusal(reading))
    return reading


def _hashers_meant(given: bytes) -> list[str]:
    """List the known hashers whose cost a text may be meant as."""
    text = given.decode(errors="replace")
    meant = separated(text, COST_NAMES)
    if meant is not None:
        return [label_of(meant)]
    name = named_in_cost(text)
    # `pbkdf2` and `argon2` are families: more letters may be somebody's password.
    if name.lower() in _FAMILIES:
        return [hasher for hasher in COST_NAMES if hasher.startswith(name.lower())]
    # Params without their hasher.
    keys = [part.partition("=")[0].strip().lower() for part in text.split(",") if "=" in part]
    return [hasher for hasher, names in COST_NAMES.items() if keys and _are_of(keys, names)]


def _are_of(keys: Sequence[str], names: Sequence[str]) -> bool:
    """Tell whether these are the params of a hasher, by their long or short names."""
    return all(key in names or key in map(SHORT_NAMES.get, names) for key in keys)


def _refusal(reading: HashReading) -> str:
    """Say what is wrong with a malformed hash."""
    if reading.format in NOT_TEXT:
        return f"that hash cannot be read: it is malformed ({reading.format})"
    hasher = _hasher_of(reading.format)
    instead = f"its hasher and cost, for example `calibrate explain {example_of(hasher)}`"
    if not has_cost_to_type(hasher):
        instead = f"only its hasher: `calibrate explain {hasher}`"
    return (
        f"that hash cannot be read: it begins like {reading.format}, but is cut off, or another"
        f" program wrote it; send the whole hash, or {instead}"
    )


def _hasher_of(format_name: str) -> str:
    """Name the hasher of a format, or else one of the family that its name has."""
    words = format_name.split()
    for hasher in (*words, hasher_of(format_name)):
        if hasher in COST_NAMES or is_stored_only(hasher or ""):
            return str(hasher)
    if "argon2" in words:
        return "argon2id"
    return "pbkdf2-sha256"


def _given(cost: tuple[str, ...]) -> bytes:
    """Read the hash or the cost, without the spaces around it."""
    if cost:
        # A cost may be typed as two words.
        return " ".join(cost).encode(errors="surrogateescape").strip(_SPACE)
    stream = standard_input()
    # Not shown while it is typed, since it may be a hash.
    if stream.isatty():
        typed: str = click.prompt("hash or cost", hide_input=True, err=True)
        return typed.encode(errors="surrogateescape").strip(_SPACE)
    first = b""
    try:
        for line in lines_of(stream):
            text = line.strip(_SPACE)
            if text and first:
                raise UnreadableInputError(
                    "standard input has several lines; `calibrate audit -` counts many hashes"
                )
            first = first or text
    except OSError as error:
        reason = reason_of(error)
        raise UnreadableInputError(f"cannot read standard input: {reason}") from error
    return first


def _reading(given: bytes, app: str | None) -> HashReading:
    """Read a hash, with or without a user's name before it."""
    reader = partial(read, app=app)
    try:
        _, rows = rows_in((given,), layout=None, columns=(), read=reader)
        text, *_ = next(rows, (given,))
        return reader(text)
    except HashcostError:  # A row of several values, of which none is named.
        return reader(given)


def _hasher_named(text: str) -> str:
    """Take the hasher's name from the start of a cost; it is empty for any other text."""
    hasher = named_in_cost(text)
    if hasher in COST_NAMES or is_stored_only(hasher):
        return hasher
    return ""


def _as_cost(given: bytes) -> Configured | HashReading | None:
    """Read a cost, which may be out of its hasher's range; `None` if it is something else.

    It is a `HashReading` if only stored hashes have such a cost. An invalid cost is refused
    without being quoted: part of it may be a hash.
    """
    text = given.decode(errors="replace")
    hasher = _hasher_named(text)
    # Anything else may be a hash, and is not quoted in a refusal.
    if not hasher:
        return None
    if is_stored_only(hasher):
        return typed_reading(text)
    try:
        cost = configured(text)
    except OutOfRangeError:
        raise
    except UsageError:
        example = example_of(hasher)
        raise UsageError(f"that is not a cost of {hasher}; write for example {example}") from None
    return completed(cost, None, candidates())
