"""Keycloak: the realm's password policy, and argon2's options in ``keycloak.conf``.

Read in keycloak/keycloak: Argon2PasswordHashProvider.java at 048da333, Argon2Parameters.java at
5ffdbd9b, Pbkdf2Sha256PasswordHashProviderFactory.java at 67f2db38 and its kin.
"""

from __future__ import annotations

import json
import re

from hashcost.apps.factors import BOUNCY_CASTLE_ARGON2, JAVA
from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.assignments import assignments
from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.environment import from_environment
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write
from hashcost.core.errors import UnreadableInputError
from hashcost.core.model import Params

_ARGON2 = "keycloak/keycloak, crypto/default/…/hash/Argon2PasswordHashProvider.java"
_PBKDF2 = "keycloak/keycloak, server-spi-private/…/credential/hash"
_LARGEST_JSON = 32 * 1024 * 1024
_HASHERS = {
    "argon2": "argon2id",
    "pbkdf2": "pbkdf2-sha1",
    "pbkdf2-sha256": "pbkdf2-sha256",
    "pbkdf2-sha512": "pbkdf2-sha512",
}
_POLICY = re.compile(r"\b(?P<name>hashAlgorithm|hashIterations)\((?P<value>[^()\n]{0,60})\)")
_OPTION = "spi-password-hashing--argon2--"
_OPTIONS = {"memory": "memory_kib", "iterations": "time_cost", "parallelism": "parallelism"}
_MOST_OF_POLICY = 100
_IGNORED = (
    "ignored: the argon2 options of the server count, as hashIterations is above"
    f" {_MOST_OF_POLICY}"
)


def _writing(algorithm: str) -> Write:
    def write(params: Params) -> str:
        return (
            'kcadm.sh update "realms/$REALM" -s'
            f" 'passwordPolicy=hashAlgorithm({algorithm}) and"
            f" hashIterations({params['iterations']})'\n"
        )

    return write


def _write_argon2(params: Params) -> str:
    return "".join(f"{_OPTION}{key}={params[name]}\n" for key, name in _OPTIONS.items())


def _read(text: str) -> tuple[Found, ...]:
    """The policies of a realm's JSON or of a script, and the options of a keycloak.conf."""
    if text.lstrip()[:1] in {"{", "["}:
        _check_json(text)
    found = [
        each
        for number, line in enumerate(text.splitlines(), 1)
        if not line.lstrip().startswith(("#", "//"))
        for each in _of_policy(line, number)
    ]
    return with_ranges([*found, *_of_options(text)], APP.schemes, APP.title)


def _check_json(text: str) -> None:
    if len(text) > _LARGEST_JSON:
        raise UnreadableInputError(f"this JSON has more than {_LARGEST_JSON:,} characters")
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise UnreadableInputError(f"line {error.lineno}: no JSON: {error.msg.lower()}") from error
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
        raise UnreadableInputError(f"line {number}: hashAlgorithm is none of Keycloak's own")
    why = "" if "hashAlgorithm" in parts else "argon2 is used where the policy names no algorithm"
    count = parts.get("hashIterations", "undefined")
    if count in {"", "undefined", "-1"}:
        return [Found(hasher=hasher, params={}, line=number, why=why)]
    iterations = whole_number(count, "hashIterations", number)
    if hasher != "argon2id":
        params = {"iterations": iterations}
        return [Found(hasher=hasher, params=params, line=number, why=why)]
    if iterations > _MOST_OF_POLICY:
        why = "; ".join(filter(None, (why, _IGNORED)))
        return [Found(hasher=hasher, params={}, line=number, why=why, written=str(iterations))]
    return [Found(hasher=hasher, params={"time_cost": iterations}, line=number, why=why)]


def _of_options(text: str) -> tuple[Found, ...]:
    """The argon2 options, with ``--`` between their parts (26.3) or ``-`` (before)."""
    found: dict[str, list[Found]] = {name: [] for name in _OPTIONS.values()}
    for each in assignments(text, by="="):
        key = each.name.lower().replace("--", "-")
        name = _OPTIONS.get(key.removeprefix(_OPTION.replace("--", "-")))
        if name is None or not key.startswith("spi-"):
            continue
        reference = from_environment(each.value)
        if reference is not None and reference.default is None:
            raise UnreadableInputError(f"line {each.line}: {each.name} is {reference.why}")
        value = each.value if reference is None else reference.default or ""
        found[name].append(
            Found(
                hasher="argon2id",
                params={name: whole_number(value, each.name, each.line)},
                line=each.line,
                why="" if reference is None else reference.why,
                written="" if reference is None else each.value,
            )
        )
    chosen = [
        each for of_one in found.values() for each in last_wins(of_one, "the last one counts")
    ]
    won = [each for each in chosen if each.wins]
    if not won:
        return ()
    together = Found(
        hasher="argon2id",
        params={name: value for each in won for name, value in each.params.items()},
        line=min(each.line for each in won),
        why="; ".join(dict.fromkeys(each.why for each in won if each.why)),
        written=", ".join(each.written for each in won if each.written),
    )
    return (*(each for each in chosen if not each.wins), together)


def _pbkdf2(hasher: str, timing: Timing, default: int, blocks: int, note: str) -> Scheme:
    algorithm = next(name for name, each in _HASHERS.items() if each == hasher)
    return Scheme(
        hasher=hasher,
        library="Java's PBKDF2",
        timing=timing,
        keys={"iterations": f"passwordPolicy: hashAlgorithm({algorithm}) and hashIterations(…)"},
        limits={"iterations": Limits(minimum=1, maximum=2**31 - 1)},
        write=_writing(algorithm),
        defaults=(Default(since="24", params={"iterations": default}, source=_PBKDF2),),
        blocks=blocks,
        note=" ".join(filter(None, (note, _WHOLE_POLICY))),
    )


_WHOLE_POLICY = "the command replaces the realm's whole policy: keep its other parts (length, …)"

APP = App(
    name="keycloak",
    title="Keycloak",
    schemes=(
        Scheme(
            hasher="argon2id",
            library="BouncyCastle",
            timing=BOUNCY_CASTLE_ARGON2,
            keys={name: f"{_OPTION}{key}" for key, name in _OPTIONS.items()},
            limits={
                "memory_kib": Limits(minimum=8, maximum=2**31 - 1),
                "time_cost": Limits(minimum=1, maximum=2**31 - 1),
                "parallelism": Limits(minimum=1, maximum=2**24 - 1),
            },
            write=_write_argon2,
            defaults=(
                Default(
                    since="25",
                    params={"memory_kib": 7168, "time_cost": 5, "parallelism": 1},
                    source="keycloak/keycloak, crypto/default/…/hash/Argon2Parameters.java",
                ),
            ),
            note="leave hashIterations out of the policy: up to 100 it is used instead, and every"
            " login hashes again; before 26.3 write - for -- in the names",
        ),
        _pbkdf2("pbkdf2-sha512", JAVA["pbkdf2-sha512"], 210_000, 1, ""),
        _pbkdf2("pbkdf2-sha256", JAVA["pbkdf2-sha256"], 600_000, 1, ""),
        _pbkdf2(
            "pbkdf2-sha1",
            Timing(
                implementation="hashlib",
                factor=0.91,
                source="measured 2026-11 on a 2-vCPU Intel Xeon guest: Java 17 took 22.4 ms,"
                " hashlib 24.7 (100,000 iterations)",
            ),
            1_300_000,
            4,
            "Keycloak advises against it;",
        ),
    ),
    comment="# {}",
    read=_read,
    places=("conf/keycloak.conf", "/opt/keycloak/conf/keycloak.conf"),
    rehashes="on login, whenever the cost or the algorithm differs",
    sources=(_ARGON2, _PBKDF2),
)
