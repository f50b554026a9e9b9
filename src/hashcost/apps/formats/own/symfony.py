"""Symfony: ``security.password_hashers`` in ``config/packages/security.yaml``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from hashcost.apps.files.yaml_file import Path, Scalar, values
from hashcost.apps.interface import App, Found, joined
from hashcost.core.measurement import Params
from hashcost.core.text import printable

_ROOTS: Final = ("password_hashers", "password-hashers", "encoders")
"""The last is that of releases before 5.3; dashes are as good as underscores."""
_PRODUCTION: Final = "when@prod"
_ARGON2: Final[Params] = {"memory_kib": 65536, "time_cost": 4, "parallelism": 1}
"""What is not set (symfony/password-hasher, Hasher/SodiumPasswordHasher.php)."""
_ARGON2_KEYS: Final = {"memory_kib": "memory_cost", "time_cost": "time_cost"}
_PBKDF2: Final[Params] = {"iterations": 1000}
"""What is not set (symfony/password-hasher, Hasher/Pbkdf2PasswordHasher.php)."""
_PBKDF2_DIGESTS: Final = ("sha1", "sha256", "sha512")

_Given: TypeAlias = Mapping[str, Scalar]


def read(app: App, text: str) -> tuple[Found, ...]:
    """What each class of users is hashed with; ``when@prod`` wins over the rest."""
    found = [each for each in values(text) if not each.is_null]
    usual = _by_class(found, ("security",))
    production = _by_class(found, (_PRODUCTION, "security"))
    older = {
        each.text for each in found if len(each.path) > 1 and "migrate_from" in each.path[-2:]
    }
    costs = [
        replace(one, wins=False, why="when@prod sets it again") if name in production else one
        for name, given in usual.items()
        for one in of_class(given)
    ]
    costs += [one for given in production.values() for one in of_class(given)]
    lines = {
        each.line
        for settings in (usual, production)
        for name in older & settings.keys()
        for each in settings[name]
    }
    costs = [
        replace(one, wins=False, why="it only checks older hashes") if one.line in lines else one
        for one in costs
    ]
    return tuple(sorted(costs, key=lambda each: each.line))


def _by_class(found: Sequence[Scalar], above: Path) -> dict[str, list[Scalar]]:
    """What is set for each class of users below some keys, whose paths are cut off."""
    classes: dict[str, list[Scalar]] = {}
    root = len(above)
    for each in found:
        path = each.path
        if path[:root] == above and len(path) > root + 1 and path[root] in _ROOTS:
            cut = replace(each, path=path[root + 2 :])
            classes.setdefault(str(path[root + 1]), []).append(cut)
    return classes


def of_class(given: Sequence[Scalar]) -> Iterator[Found]:
    """What the settings of one class of users come to."""
    for each in given:
        if not each.wins and each.path == ("cost",):
            lost = Found(hasher="bcrypt", params={"cost": each.number()}, line=each.line)
            yield lost.unless(each.why)
    settings = {
        str(each.path[0]) if each.path else "algorithm": each
        for each in given
        if each.wins and len(each.path) < 2
    }
    if settings:
        yield _chosen(settings)


def _chosen(given: _Given) -> Found:
    """The cost of a class, by its algorithm; ``auto`` is bcrypt."""
    if "id" in given:
        return Found.untold(given["id"].line, "a service of its own computes the hashes")
    algorithm = given.get("algorithm")
    name = "auto" if algorithm is None else algorithm.text.strip().lower()
    line = min(each.line for each in given.values()) if algorithm is None else algorithm.line
    shown = printable(name)[:40]
    match name:
        case "auto" | "native" | "bcrypt":
            return _cost("bcrypt", {"cost": "cost"}, {}, given, line)
        case "sodium" | "argon2id":
            return _cost("argon2id", _ARGON2_KEYS, _ARGON2, given, line)
        case "argon2i":
            return _cost("argon2i", _ARGON2_KEYS, _ARGON2, given, line)
        case "pbkdf2":
            digest = given.get("hash_algorithm")
            kind = "sha512" if digest is None else digest.text.strip().lower()
            if kind not in _PBKDF2_DIGESTS:
                return Found.untold(
                    line, f"PBKDF2 with {printable(kind)[:20]} is unknown to hashcost"
                )
            return _cost(f"pbkdf2-{kind}", {"iterations": "iterations"}, _PBKDF2, given, line)
        case "plaintext":
            return Found.unfit("plain text", line, "plaintext stores the password itself")
        case _ if "%" in name or "$" in name:
            return Found.untold(line, f"only Symfony knows what {shown} is")
        case _:
            why = f"{shown} is a message digest, repeated, and no password hash"
            return Found.unfit(shown, line, why)


def _cost(
    hasher: str, keys: Mapping[str, str], default: Params, given: _Given, line: int
) -> Found:
    here = {param: given[key] for param, key in keys.items() if key in given}
    return Found(
        hasher=hasher,
        params={**default, **{param: each.number() for param, each in here.items()}},
        line=min((each.line for each in here.values()), default=line),
        why=joined(*(each.why for each in here.values())),
        written=", ".join(each.written for each in here.values() if each.written),
    )
