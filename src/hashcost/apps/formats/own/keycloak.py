"""Keycloak: the realm's password policy, and argon2's options in ``keycloak.conf``."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.assignments import assignments
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import uncommented
from hashcost.apps.files.yaml_costs import costs
from hashcost.apps.formats.assignments import one_winner
from hashcost.apps.formats.settings import setting_of
from hashcost.apps.interface import App, Found, Scheme, joined
from hashcost.core.errors import UnreadableInputError, UntoldError, at_line

_LARGEST_JSON = 32 * 1024 * 1024
_HASHERS = {
    "argon2": "argon2id",
    "pbkdf2": "pbkdf2-sha1",
    "pbkdf2-sha256": "pbkdf2-sha256",
    "pbkdf2-sha512": "pbkdf2-sha512",
}
_POLICY = re.compile(r"\b(?P<name>hashAlgorithm|hashIterations)\((?P<value>[^()\n]{0,60})\)")
_POLICY_KEY = '"passwordPolicy"'
_MOST_OF_POLICY = 100
_IGNORED = (
    "ignored: the argon2 options of the server count, as hashIterations is above"
    f" {_MOST_OF_POLICY}"
)


def read(app: App, text: str) -> tuple[Found, ...]:
    """The policies of a realm's JSON or of a script, and the options of a keycloak.conf."""
    unset: list[Found] = []
    if text.lstrip()[:1] in {"{", "["}:
        unset = list(_unset(_json(text), text))
    found = [
        each
        for number, line in uncommented(text, "//")
        for policy in _policies(line)
        for each in _of_policy(policy, number)
    ]
    found += unset if found else []
    return with_ranges([*found, *_of_options(app.schemes[0], text)], app)


def _policies(line: str) -> list[str]:
    """The parts of a line that are each one realm's; an export may have several on one line."""
    parts = line.split(_POLICY_KEY)
    return parts if len(parts) > 2 else [line]


def _unset(realms: object, text: str) -> Iterator[Found]:
    """The realms of an export whose policy says nothing about hashes."""
    for each in realms if isinstance(realms, list) else [realms]:
        realm = each if isinstance(each, dict) else {}
        name = realm.get("realm")
        if isinstance(name, str) and not _POLICY.search(str(realm.get("passwordPolicy"))):
            at = re.search(rf'"realm"\s*:\s*{re.escape(json.dumps(name))}', text)
            line = text.count("\n", 0, at.start()) + 1 if at else 1
            why = "argon2 is used where the policy names no algorithm"
            yield Found(hasher="argon2id", params={}, line=line, why=why)


def _json(text: str) -> object:
    if len(text) > _LARGEST_JSON:
        raise UnreadableInputError(
            f"this JSON has more than {_LARGEST_JSON:,} characters; shorten it"
        )
    try:
        return cast("object", json.loads(text))
    except json.JSONDecodeError as error:
        raise at_line(error.lineno, f"no JSON: {error.msg.lower()}") from error
    except (RecursionError, ValueError) as error:
        raise UnreadableInputError("no JSON that can be read: too deep or too large") from error


def _of_policy(line: str, number: int) -> list[Found]:
    """What one realm's policy, which is on one line, makes of hashes."""
    parts = {match["name"]: match["value"].strip() for match in _POLICY.finditer(line)}
    if not parts:
        return []
    algorithm = parts.get("hashAlgorithm") or "argon2"
    hasher = _HASHERS.get(algorithm)
    if hasher is None:
        raise UntoldError(number, "hashAlgorithm is not one of Keycloak's")
    why = "" if "hashAlgorithm" in parts else "argon2 is used where the policy names no algorithm"
    count = parts.get("hashIterations", "undefined")
    if count in {"", "undefined", "-1"}:
        return [Found(hasher=hasher, params={}, line=number, why=why)]
    iterations = whole_number(count, "hashIterations", number)
    if hasher == "argon2id" and iterations > _MOST_OF_POLICY:
        why = joined(why, _IGNORED)
        return [Found(hasher=hasher, params={}, line=number, why=why, written=str(iterations))]
    param = "time_cost" if hasher == "argon2id" else "iterations"
    return [Found(hasher=hasher, params={param: iterations}, line=number, why=why)]


def _of_options(argon2: Scheme, text: str) -> tuple[Found, ...]:
    """The argon2 options, with ``--`` between their parts (26.3) or ``-`` (before)."""
    keys = {param: option.replace("--", "-") for param, option in argon2.keys.items()}
    options = [
        setting_of(replace(each, name=re.sub(r"--|_", "-", each.name.lower())))
        for each in assignments(text, by="=")
    ]
    found = tuple(one_winner(options, "last", "the last one counts"))
    return costs(found, argon2.hasher, keys, {}, used=True)
