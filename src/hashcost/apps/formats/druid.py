"""Druid: the authenticators in its properties, and in the variables of its container."""

import re
from collections.abc import Iterator
from typing import Final

from hashcost.apps.formats.settings import last_of_each, named_values, setting
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.text import Entry, costs_apart, joined_lines
from hashcost.apps.yaml_values import Scalar, Scalars, setting_of

_HASHER: Final = "pbkdf2-sha512"
_COUNT: Final = "credentialIterations"
_TYPE: Final = "type"
_VALIDATOR: Final = "credentialsValidator.type"
_PROPERTY: Final = re.compile(
    r"druid\.auth\.authenticator\.(?P<authenticator>.+?)"
    rf"\.(?P<key>{_COUNT}|{re.escape(_VALIDATOR)}|(?<!Validator\.){_TYPE})"
)
# As java.util.Properties has it: blanks, ``=`` or ``:`` between name and value, and comments
# behind ``#`` or ``!``. Lists of variables in YAML begin with a dash.
_LINE: Final = re.compile(
    r"""\s*+(?:-\s++)?["']?(?P<name>druid[._][^\s=:"']++)["']?(?:\s*+[=:]\s*+|\s++)(?P<value>.*+)"""
)


def authenticators(_: App, text: str) -> Costs:
    """Find the cost of each authenticator that keeps passwords itself."""
    return costs_apart(_costs, last_of_each(_settings(text)))


def _costs(authenticator: Scalars) -> Costs:
    kind = setting(authenticator, _TYPE)
    validator = setting(authenticator, _VALIDATOR)
    count = setting(authenticator, _COUNT)
    # Another type has no passwords of its own, whatever its counts.
    if kind is not None and kind.text != "basic":
        return
    if validator is not None and validator.text == "ldap":
        why = "the passwords are in LDAP; Druid hashes only those that it keeps in memory"
        cure = "check the directory server, which stores the passwords, or accept this"
        yield Found.undetermined(validator.line, why, cure=cure)
    elif count is not None:
        for value in named_values(authenticator, _COUNT):
            params = {"iterations": value.number()}
            yield Found(
                hasher=_HASHER,
                params=params,
                line=value.line,
                wins=value.wins,
                why=value.why,
                environment=value.variable,
            )
    elif kind is not None:
        yield Found(hasher=_HASHER, params={}, line=kind.line)


def _settings(text: str) -> Iterator[tuple[str, Scalar]]:
    """List the settings of authenticators, each with the name of its own."""
    for number, line in joined_lines(text):
        match = _LINE.match(line)
        if match is None:
            continue
        name = match["name"]
        # A container's variables have underscores for dots (distribution/docker/druid.sh).
        if name.startswith("druid_"):
            name = name.replace("_", ".")
        setting_name = _PROPERTY.fullmatch(name)
        if setting_name is not None:
            value = setting_of(Entry(setting_name["key"], match["value"].strip(" \t\"'"), number))
            yield setting_name["authenticator"], value
