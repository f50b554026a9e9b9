"""Applications that read their settings in a way of their own; ``function`` in TOML names each."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import msgspec

from hashcost.apps.formats.settings import (
    NamedSettings,
    Unit,
    costs_of,
    named_values,
    setting,
    shown,
    usual_costs,
)
from hashcost.apps.interface import App, Costs, Found
from hashcost.apps.text import blocks_of, whole_number
from hashcost.apps.yaml_values import Scalar, Scalars
from hashcost.core.errors import UntoldError
from hashcost.core.text import joined

_GITEA: Final = {
    "pbkdf2": ("pbkdf2-sha256", ("iterations", "key")),
    "bcrypt": ("bcrypt", ("cost",)),
    "scrypt": ("scrypt", ("n", "r", "p", "key")),
    "argon2": ("argon2id", ("time_cost", "memory_kib", "parallelism", "key")),
}
"""The hasher of each name, and what the numbers behind it are."""
_DIGEST_BYTES: Final = 32
"""The key that one block of PBKDF2 with SHA-256 makes."""


def gitea(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The cost in the word for the algorithm, such as ``pbkdf2$50000$50``."""
    for value, word in _words(named, settings):
        yield _gitea_cost(app, value, word)


def forgejo_variables(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The word in a container's variables, also by Gitea's name; Compose has ``$$`` for ``$``."""
    for value, word in _words(named, settings, otherwise="gitea__security__password_hash_algo"):
        yield _gitea_cost(app, value, re.sub(r"\$+", "$", word))


def _gitea_cost(app: App, value: Scalar, word: str) -> Found:
    name, *numbers = word.split("$")
    hasher, meanings = _GITEA.get(name, ("", ()))
    are_numbers = all(number.isdecimal() for number in numbers)
    if not hasher or len(numbers) != len(meanings) or not are_numbers:
        raise _unknown(app, value)
    params = {}
    for meaning, number in zip(meanings, numbers, strict=True):
        params[meaning] = whole_number(number, value.name, value.line)
    key_bytes = params.pop("key", 0)
    cost = _found(hasher, params, value)
    if hasher == "pbkdf2-sha256":
        return _with_blocks(cost, key_bytes)
    return cost


def _with_blocks(cost: Found, key_bytes: int) -> Found:
    """Say how many blocks PBKDF2 computes for a key; an attacker needs only the first."""
    blocks = blocks_of(key_bytes, _DIGEST_BYTES)
    why = cost.why
    if blocks > 1:
        price = (
            f"its key of {key_bytes} bytes takes {blocks} blocks, which costs you {blocks} times"
        )
        cure = f"and an attacker once; ${_DIGEST_BYTES} at the end takes one"
        why = joined(why, f"{price} {cure}")
    return replace(cost, blocks=blocks, why=why)


_FIPS_MODE: Final = "xpack.security.fips_mode.enabled"
"""Where no algorithm is set, it decides between the two defaults."""
_ELASTICSEARCH: Final = (
    (re.compile(r"bcrypt(?P<count>[0-9]{1,2})?"), "bcrypt", "cost"),
    (re.compile(r"pbkdf2(?:_stretch)?(?:_(?P<count>[0-9]{1,9}))?"), "pbkdf2-sha512", "iterations"),
)


def elasticsearch(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The cost in the word for the algorithm, such as ``pbkdf2_stretch_50000``."""
    for value, word in _words(named, settings, otherwise=_FIPS_MODE):
        yield _elasticsearch_cost(app, value, word)


def _elasticsearch_cost(app: App, value: Scalar, word: str) -> Found:
    for pattern, hasher, param in _ELASTICSEARCH:
        match = pattern.fullmatch(word)
        if match is None:
            continue
        params = {}
        if match["count"]:
            params[param] = whole_number(match["count"], value.name, value.line)
        return _found(hasher, params, value)
    raise _unknown(app, value)


def _words(
    named: NamedSettings, settings: Scalars, otherwise: str = ""
) -> Iterator[tuple[Scalar, str]]:
    """Each value of the algorithm with its word; ``otherwise`` names what counts without any."""
    if named.algorithm is None:
        return
    values = named_values(settings, named.algorithm.key)
    other = setting(settings, otherwise)
    if not values and other is not None:
        values = [other]
    for value in values:
        yield value, named.algorithm.word(value.text)


def _unknown(app: App, value: Scalar) -> UntoldError:
    what = f"{value.name} is {shown(value)!r}, which {app.title} does not know"
    return UntoldError(value.line, what)


def _found(hasher: str, params: dict[str, int], value: Scalar) -> Found:
    return Found(
        hasher=hasher,
        params=params,
        line=value.line,
        wins=value.wins,
        why=value.why,
        environment=value.variable,
    )


_MECHANISMS: Final = "setParameter.authenticationMechanisms"


def mongodb(named: NamedSettings, _: App, settings: Scalars) -> Costs:
    """The cost of each mechanism; where the file lists mechanisms, only those are used."""
    lists = [value.text for value in settings if value.name.startswith(_MECHANISMS)]
    listed = re.findall(r"[\w-]+", " ".join(lists))
    for mechanism, group in named.groups.items():
        used = not lists or mechanism in listed
        yield from costs_of(settings, group.hasher, group.keys, group.units, used=used)


_AUTHELIA: Final = "authentication_backend.file.password."
"""Where releases before 4.38 have the cost of argon2 and sha2crypt."""


def authelia(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The usual costs, by the keys of older releases where the file has no newer ones."""
    if named.algorithm is not None:
        word = named.algorithm.made(settings, named.groups, app.title)
        if word in {"argon2", "sha2crypt"}:
            # Older releases count memory in mebibytes.
            named = _by_older_keys(named, settings, word, _AUTHELIA, {"memory_kib": "MiB"})
    return usual_costs(named, app, settings)


_DRUPAL_ALGORITHM: Final = "services.password.arguments.0"
_DRUPAL_OPTIONS: Final = "services.password.arguments.1."
"""The service that sites replaced before there were parameters, and PHP's options in it."""


def drupal(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The usual costs, by the arguments of the service where the file has no parameters."""
    algorithm = named.algorithm
    if algorithm is not None:
        if setting(settings, algorithm.key) is None:
            algorithm = msgspec.structs.replace(algorithm, key=_DRUPAL_ALGORITHM)
            named = msgspec.structs.replace(named, algorithm=algorithm)
        word = algorithm.made(settings, named.groups, app.title)
        named = _by_older_keys(named, settings, word, _DRUPAL_OPTIONS, {})
    return usual_costs(named, app, settings)


def _by_older_keys(
    named: NamedSettings, settings: Scalars, word: str, above: str, units: Mapping[str, Unit]
) -> NamedSettings:
    """The settings with older keys of one algorithm, unless the file has a newer one.

    ``above`` is what stands before the last part of each older key.
    """
    group = named.groups.get(word)
    if group is None or any(setting(settings, key) for key in group.keys.values()):
        return named
    keys = {param: above + key.rpartition(".")[2] for param, key in group.keys.items()}
    older = msgspec.structs.replace(group, keys=keys, units=dict(units))
    return msgspec.structs.replace(named, groups={**named.groups, word: older})
