"""Applications that read their settings in a way of their own; ``function`` in TOML names each."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import msgspec

from hashcost.apps.formats.settings import NamedSettings, Unit, costs_of, setting, usual_costs
from hashcost.apps.interface import App, Costs, Found
from hashcost.apps.text import costs_apart
from hashcost.apps.yaml_values import Scalars

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


_AUTHELIA: Final = "authentication_backend.file.password."
"""Where releases before 4.38 have the cost of argon2 and sha2crypt."""
_LDAP: Final = "authentication_backend.ldap."


def authelia(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """The usual costs, by the keys of older releases where the file has no newer ones."""
    for value in settings:
        if value.name.startswith(_LDAP):
            why = "with an LDAP backend Authelia hashes no password"
            cure = "check the directory server, which stores the passwords"
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


_TYPO3_CLASSES: Final = {"BcryptPasswordHash": "-bcrypt", "Argon2idPasswordHash": ""}
"""The end of the name of each class's group, after ``backend`` or ``frontend``."""
_TYPO3_SIDES: Final = {"backend": "BE", "frontend": "FE"}
_TYPO3_VARIABLE: Final = "TYPO3_CONF_VARS."
"""The array of all settings; additional.php sets those that it changes one by one."""


def typo3(named: NamedSettings, app: App, settings: Scalars) -> Costs:
    """Find the usual costs, and the default where a file names a class and none of its options."""
    settings = [
        replace(value, path=(value.name.removeprefix(_TYPO3_VARIABLE),)) for value in settings
    ]
    yield from usual_costs(named, app, settings)
    for side, key in _TYPO3_SIDES.items():
        chosen = setting(settings, f"{key}.passwordHashing.className")
        if chosen is None:
            continue
        ending = _TYPO3_CLASSES.get(chosen.text.rpartition("\\")[2])
        if ending is None:
            continue
        group = named.groups[side + ending]
        if not any(setting(settings, option) for option in group.keys.values()):
            yield Found(hasher=group.hasher, params={}, line=chosen.line)


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
