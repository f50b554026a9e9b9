"""The policies: the built-in ones, and a user's own file."""

import math
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from hashcost.core.algorithms import COST_NAMES, guess_memory
from hashcost.core.errors import UnknownNameError, UnreadableInputError, UsageError
from hashcost.core.measurement import Params
from hashcost.core.package_data import data_names, data_table
from hashcost.core.text import hint, path_name, printable, quoted
from hashcost.storage.files import read_limited
from hashcost.storage.toml_tables import mistake, table_of
from hashcost.strength.policies.policy import Policy, asking_of

NONE: Final = "none"
"""The name that asks for no policy."""

_DATA: Final = "strength/policies/data"
_MOST_ALTERNATIVES = 32
"""Minimums of one hasher, which are compared with each other, and with those of each policy."""
_HIGHEST: Final[Mapping[str, int]] = {"bcrypt": 31, "yescrypt": 11}
_HIGHEST_COUNT = 2**32
_LISTED = "`calibrate list policies` lists them."
_WANTED: Final[Mapping[str, str]] = {
    "id": 'a short name without spaces, and not none, such as "house"',
    "title": 'a line of text, such as "Our own rules"',
    "source": 'a line of text, such as "the wiki, page Passwords"',
    "date": "a day without quotes, such as 2026-11-20",
    "url": 'an address, such as "https://wiki.example/passwords"',
    "note": 'a line of text, such as "for what is there already"',
    "caution": 'a line of text, such as "superseded in 2025"',
    "informative": "true or false",
    "salt_bits": "a whole number of 1 to 65536, such as 128",
    "output_bits": "a whole number of 1 to 65536, such as 256",
    "approved": 'a list of hashers, such as ["argon2id", "bcrypt"]',
    "floors": "a table for each minimum, which begins with [[floors]]",
    "hasher": 'the name of a hasher, such as "bcrypt"',
    "params": "whole numbers by their names, such as { cost = 12 }",
    "legacy": "true or false",
}
"""The value that each key of a policy and of a floor takes, in words."""


def policy_names() -> tuple[str, ...]:
    """The ids of the built-in policies, in alphabetical order."""
    return data_names(_DATA)


def load_policy(name: str | os.PathLike[str]) -> Policy:
    """Load a built-in policy by its id, or a policy of your own by the path of its TOML file.

    Raises:
        UnknownNameError: there is no policy and no file of this name.
        UnreadableInputError: the file cannot be read, is not a policy, or has a built-in one's id.
    """
    named = os.fspath(name)
    if named in policy_names():
        return _built_in(named)
    return _from_file(named)


@cache
def _built_in(name: str) -> Policy:
    return _inherited(msgspec.convert(data_table(f"{_DATA}/{name}.toml"), Policy))


def least_listed(hasher: str) -> Params | None:
    """The setting with the least memory that any built-in policy lists; `None` without any."""
    least = math.inf
    params = None
    for name in policy_names():
        for floor in load_policy(name).floors_of(hasher):
            memory = guess_memory(hasher, floor.params)
            if memory and memory < least:
                least = memory
                params = floor.params
    return params


def replacements(policies: Sequence[Policy]) -> tuple[str, ...]:
    """The hashers for new systems that all of these policies approve.

    A policy that does not say which it approves, such as OWASP's, approves those that it lists.
    Those that any of them, or OWASP, allows only in existing systems come into question only if
    there are no others.
    """
    asking = asking_of(policies)
    # In the order of the first policy, which is that of its preference.
    approved = None
    for policy in asking:
        names = policy.approved or tuple(floor.hasher for floor in policy.floors)
        if not names:
            continue
        if approved is None:
            approved = list(dict.fromkeys(names))
        approved = [name for name in approved if name in names]
    if approved is None:
        return ()
    legacy = set()
    for policy in (*asking, load_policy("owasp")):
        legacy |= {floor.hasher for floor in policy.floors if floor.legacy}
    for_new_systems = tuple(name for name in approved if name not in legacy)
    return for_new_systems or tuple(approved)


def load_policies(names: Sequence[str]) -> tuple[Policy, ...]:
    """Load policies by id, or by the path of a TOML file of the same form.

    Raises:
        UsageError: an unknown name, ``none`` beside others, or two policies of one id.
        UnreadableInputError: a file cannot be read, is not a policy, or has a built-in one's id.
    """
    # Together with a policy it could mean either.
    if NONE in names:
        if len(set(names)) > 1:
            raise UsageError("--policy none cannot be combined with other policies; leave one out")
        return ()
    policies = {}
    for name in dict.fromkeys(names):
        policy = load_policy(name)
        # Verdicts name their policy by its id.
        if policy.id in policies:
            raise UsageError(f"two policies have the id {policy.id!r}; rename one")
        policies[policy.id] = policy
    return tuple(policies.values())


def policy_from_toml(content: bytes, *, name: str, known_hashers: Collection[str]) -> Policy:
    """Read a policy; ``name`` stands for its origin in messages.

    Raises:
        UnreadableInputError: it is not TOML, not a policy, contradicts itself, or names
            an unknown hasher; the message has the line or the key.
    """
    try:
        policy = msgspec.convert(table_of(content), Policy)
        problem = next(_problems(policy, known_hashers), "")
        if not problem:
            return _inherited(policy)
    except msgspec.ValidationError as error:
        problem = mistake(error, _WANTED)
    except ValueError as error:
        problem = str(error)
    raise UnreadableInputError(f"{name} is not a policy: {printable(problem)}")


def _from_file(text: str) -> Policy:
    """Load the policy in a file."""
    # A built-in policy names no hasher of a plug-in.
    from hashcost.hashers.registry import candidates

    path, built_in = Path(text), policy_names()
    # A misspelt name gets a hint; only a path gets an error about a file. A number behind a dot
    # is a release, such as that of asvs-5.0.
    is_path = "/" in text or path.suffix[1:].isalpha()
    if not (is_path or os.path.exists(text)):  # noqa: PTH110 - of any length
        raise UnknownNameError(
            f"unknown policy {quoted(text, 60)}; {hint(text, (*built_in, NONE), _LISTED)} A"
            " file of your own needs a path, such as ./own.toml",
            text,
        )
    content = read_limited(path)
    name = path_name(path)
    hashers = {candidate.hasher for candidate in candidates()}
    policy = policy_from_toml(content, name=name, known_hashers=hashers)
    if policy.id.lower() in built_in:
        # Its verdicts would read as those of the publisher.
        raise UnreadableInputError(
            f"{name} is not a policy: `id` {policy.id!r} is a built-in policy's; choose another"
        )
    return policy


def _problems(policy: Policy, known_hashers: Collection[str]) -> Iterator[str]:
    """Say what is wrong with a policy as a whole, the first problem first."""
    for key in ("title", "source", "url", "note", "caution"):
        text = getattr(policy, key)
        is_missing = key in {"title", "source"} and not text.strip()
        if is_missing or not text.isprintable():
            yield f"`{key}` needs a line of text"
    # Every cost would meet it, and nobody would notice.
    if not policy.floors and policy.approved is None and not policy.caution:
        yield "it has neither `floors` nor `approved`, so it sets no minimum; add one"
    named = [(f"approved[{index}]", name) for index, name in enumerate(policy.approved or ())]
    named += [(f"floors[{index}].hasher", f.hasher) for index, f in enumerate(policy.floors)]
    named += [(f"alike.{name[:60]}", hasher) for name, hasher in policy.alike.items()]
    for key, hasher in named:
        # A misspelt hasher would never be held to its minimum.
        if hasher not in known_hashers:
            cure = hint(hasher, known_hashers, "`calibrate list hashers` lists them")
            yield f"`{key}` names an unknown hasher {hasher[:60]!r}; {cure}"
    for index in range(len(policy.floors)):
        yield from _problems_of_floor(policy, index)


def _problems_of_floor(policy: Policy, index: int) -> Iterator[str]:
    """Say what is wrong with one minimum of a policy."""
    floor = policy.floors[index]
    key, hasher = f"floors[{index}]", floor.hasher
    if not floor.source.isprintable():
        yield f"`{key}.source` needs a line of text"
    if not policy.approves(hasher):
        yield (
            f"`{key}` has a minimum for {hasher},"
            " which `approved` leaves out: they contradict each other"
        )
    # A param that is left out would have no minimum.
    if floor.params.keys() != {*COST_NAMES.get(hasher, floor.params)}:
        yield f"`{key}.params` of {hasher} must be {', '.join(COST_NAMES[hasher])}"
    highest = _HIGHEST.get(hasher, _HIGHEST_COUNT)
    for param, value in floor.params.items():
        if not 1 <= value <= highest:
            yield f"`{key}.params.{param[:60]}` must be 1 to {highest}"
    if len(policy.floors_of(hasher)) > _MOST_ALTERNATIVES:
        yield f"more than {_MOST_ALTERNATIVES} minimums for {hasher}; leave some out"
    for other, earlier in enumerate(policy.floors[:index]):
        if earlier.hasher != hasher:
            continue
        if earlier.met_by(floor.params) or floor.met_by(earlier.params):
            yield (
                f"`{key}` and `floors[{other}]` contradict each other: any one will"
                f" do for {hasher}, so the higher asks for nothing"
            )


def _inherited(policy: Policy) -> Policy:
    """The policy, with its own source and date on each floor without them."""
    floors = [
        replace(floor, source=floor.source or policy.source, date=floor.date or policy.date)
        for floor in policy.floors
    ]
    return replace(policy, floors=tuple(floors))
