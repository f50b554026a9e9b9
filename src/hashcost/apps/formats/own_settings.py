"""Applications that read their settings in a way of their own; ``function`` in TOML names each."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import msgspec

from hashcost.apps.formats.settings import (
    NamedSettings,
    Unit,
    costs_of,
    setting,
    usual_costs,
    with_defaults,
)
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.text import costs_apart
from hashcost.apps.yaml_values import Scalars
from hashcost.core.errors import UndeterminedError
from hashcost.core.text import printable

_MECHANISMS: Final = "setParameter.authenticationMechanisms"


def mongodb(named: NamedSettings, _: App, settings: Scalars) -> Costs:
    """The cost of each mechanism; where the file lists mechanisms, only those are used."""
    # A list in YAML has a setting for each item; a text has all of them, with commas.
    lists = [value.text for value in settings if value.name.startswith(_MECHANISMS)]
    listed = re.findall(r"[\w-]+", " ".join(lists))

    def of_mechanism(mechanism: str) -> Costs:
        group = named.groups[mechanism]
        used = not lists or mechanism in listed
        return costs_of(settings, group.hasher, group.keys, group.units, used=used)

    return costs_apart(of_mechanism, named.groups)


_FILE: Final = "authentication_backend.file."
_AUTHELIA: Final = f"{_FILE}password."
"""Where releases before 4.38 have the cost of argon2 and sha2crypt."""
_LDAP: Final = "authentication_backend.ldap."
_ENABLED: Final = "enabled"
"""Each backend has this key in the values of the chart (its templates/configMap.yaml)."""


def authelia(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The usual costs, by the keys of older releases where the file has no newer ones."""
    for backend in (_FILE, _LDAP):
        enabled = setting(settings, f"{backend}{_ENABLED}")
        if enabled is not None and enabled.text != "true":
            settings = [value for value in settings if not value.name.startswith(backend)]
    for value in settings:
        if value.name.startswith(_LDAP):
            why = "with an LDAP backend Authelia hashes no password"
            cure = "check the directory server, which stores the passwords, or accept this"
            yield Found.undetermined(value.line, why, cure=cure)
            return
    if named.algorithm is not None:
        word = named.algorithm.made(settings, named.groups, app)
        if word in {"argon2", "sha2crypt"}:
            # Older releases count memory in mebibytes.
            named = _by_older_keys(named, settings, word, _AUTHELIA, {"memory_kib": "MiB"})
    yield from usual_costs(named, app, settings)


_MATOMO_UNSET: Final = "default"


def matomo(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """Find the usual costs, without the settings that leave the choice to PHP by name."""
    # PHP reads the file, so quotes are no part of a value.
    plain = [replace(value, text=value.text.strip("\"'")) for value in settings]
    chosen = [value for value in plain if value.text != _MATOMO_UNSET]
    return usual_costs(named, app, chosen)


_ROUNDS: Final = "password_hash_rounds"


def keystone(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The usual costs, and that of scrypt by its rounds where the release reads these."""
    chosen = setting(settings, "password_hash_algorithm")
    # Before 27 passlib hashes, which takes the rounds for the logarithm of n (hash_password).
    if app.is_before("27") and chosen is not None and chosen.text == "scrypt":
        scrypt = named.groups["scrypt"]
        keys = {"n": _ROUNDS, **scrypt.keys}
        by_rounds = msgspec.structs.replace(scrypt, keys=keys, units={"n": "log2"})
        named = msgspec.structs.replace(named, groups={**named.groups, "scrypt": by_rounds})
    return usual_costs(named, app, settings)


_TYPO3_SIDES: Final = ("BE", "FE")
"""The backend and the users of the site, who may have different hashers."""
_TYPO3_VARIABLE: Final = "TYPO3_CONF_VARS."
"""The array of all settings; additional.php sets those that it changes one by one."""
_ASK_A_HASH: Final = "pass a hash that it made to `calibrate explain`"
_TYPO3_ARGON2ID: Final = "13.1"
"""The first release with that default (DefaultConfiguration.php at v13.0.1 and v13.1.0)."""


def typo3(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """Find the cost of the class of each side, by the options that this class reads."""
    plain = [
        replace(value, path=(value.name.removeprefix(_TYPO3_VARIABLE),)) for value in settings
    ]
    return costs_apart(lambda side: _typo3_side(named, app, plain, side), _TYPO3_SIDES)


def _typo3_side(named: NamedSettings, app: App, settings: Scalars, side: str) -> Costs:
    chosen = setting(settings, f"{side}.passwordHashing.className")
    options = f"{side}.passwordHashing.options."
    line = None
    if chosen is None:
        name = _typo3_class(app, settings, options)
    else:
        name = chosen.text.rpartition("\\")[2]
        line = chosen.line
    if not name:
        return
    if name not in named.groups:
        why = f"{printable(name)[:60]} is not a class of TYPO3"
        yield Found.undetermined(line or 0, why, cure=_ASK_A_HASH)
        return
    group = named.groups[name]
    keys = {param: options + key for param, key in group.keys.items()}
    costs = costs_of(settings, group.hasher, keys, group.units, used=True, line=line)
    yield from with_defaults(app, costs, group.defaults, name)


def _typo3_class(app: App, settings: Scalars, options: str) -> str:
    """Tell by the options which class reads them, where another file names it.

    Raises:
        UndeterminedError: several classes have an option that is set.
    """
    count = setting(settings, f"{options}hash_count")
    if count is not None:
        raise UndeterminedError(count.line, "the class that reads hash_count is in another file")
    if setting(settings, f"{options}cost") is not None:
        return "BcryptPasswordHash"
    argon2 = ("memory_cost", "time_cost", "threads")
    if all(setting(settings, options + option) is None for option in argon2):
        return ""
    if app.is_before(_TYPO3_ARGON2ID):
        return "Argon2iPasswordHash"
    return "Argon2idPasswordHash"


_DRUPAL_ALGORITHM: Final = "services.password.arguments.0"
_DRUPAL_OPTIONS: Final = "services.password.arguments.1."
"""The service that sites replaced before there were parameters, and PHP's options in it."""


def drupal(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The usual costs, by the arguments of the service where the file has no parameters."""
    algorithm = named.algorithm
    if algorithm is not None:
        has_service = setting(settings, _DRUPAL_ALGORITHM) is not None
        if setting(settings, algorithm.key) is None and has_service:
            algorithm = msgspec.structs.replace(algorithm, key=_DRUPAL_ALGORITHM)
            named = msgspec.structs.replace(named, algorithm=algorithm)
        word = algorithm.made(settings, named.groups, app)
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
