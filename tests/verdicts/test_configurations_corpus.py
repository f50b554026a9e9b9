"""What a check reads of the corpus of configurations, which others wrote and worked out."""

from __future__ import annotations

from typing import Final

import pytest

from configurations import Configuration, Fare, answer, configurations, fare
from hashcost.verdicts.judgement import Judgement, Outcome

_CORPUS: Final = tuple(configurations())
_MOST_UNKNOWN: Final = 0.2

_UNKNOWN: Final = {
    "a file that is taken in or read beside": (
        "argon2-cffi: costs in a module of constants, by position",
        "ansible: a role whose rounds a group of hosts overrides",
        "django: local_settings has the last word",
        "django: production on top of base, with fast hashers for tests beside",
        "elixir: rounds for tests only",
        "laravel: neither file sets it, of an old release",
        "node-bcrypt: rounds imported under another name",
        "node-bcryptjs: a configuration object in another file",
        "pwdlib: numbers from a settings class",
        "vaultwarden: the admin page has written config.json",
    ),
    "a container's environment or command": (
        "authelia: the environment chooses another algorithm",
        "elasticsearch: set in the environment of a compose service",
        "gitea: a compose file overrides app.ini",
        "keycloak: the provider's memory in the environment",
        "kratos: the quickstart, served with --dev",
        "laravel: the compose file wins over .env",
        "mongodb: given on the command line of a container",
        "opensearch: argon2 in a compose environment",
        "postgresql: options of the server in a compose file",
        "vaultwarden: a manifest of several documents",
        "vaultwarden: the least there is, in compose",
    ),
    "a condition on where the code runs, or a value from the environment": (
        "aspnet-identity: fewer iterations in development, a constant elsewhere",
        "aspnet-identity: the count bound from appsettings",
        "devise: a test value in an unless, a weak one in production",
        "django: PROD must be set, or else it is quick",
        "elixir: an environment check of the old kind",
        "node-bcrypt: the environment, and a fallback that .env does not reach",
        "rails: an initializer that knows its environment",
        "spring: a profile for developers with no hashing",
        "spring: the strength from application.properties",
        "wordpress: a cost for tests and one for the site",
    ),
    "what the file does not say, or says in a way that is not read": (
        "devise: the initializer is strong, the model sets its own",
        "django: a subclass that doubles what it inherits",
        "django: popped and replaced",
        "drupal: options without an algorithm",
        "login-defs: BCRYPT where shadow was built without it",
        "luks: LUKS1, the hash left out",
        "openldap: a count that pw-pbkdf2 does not take",
        "passlib: a copy with other rounds is the one in use",
        "passlib: updated after it was made",
        "symfony: configured by PHP",
    ),
}
"""What is not told of those that a reader can tell, by the reason."""
_TOO_WEAK: Final = (
    "symfony: a file for the environment beside",
    "synapse: a fragment of conf.d has the last word",
)
"""Those of which a file that another overrides is judged too: an alarm too many."""


def test_few_configurations_are_unknown() -> None:
    """Most of what a reader can tell is told."""
    assert sum(map(len, _UNKNOWN.values())) <= _MOST_UNKNOWN * len(_CORPUS)


@pytest.mark.parametrize("configuration", _CORPUS, ids=str)
def test_a_configuration_is_read_right_or_is_known_to_be_unknown(
    configuration: Configuration,
) -> None:
    """The costs are those that passwords really get, and what is unfit is told."""
    expected = Fare.RIGHT
    if any(str(configuration) in names for names in _UNKNOWN.values()):
        expected = Fare.UNKNOWN
    elif str(configuration) in _TOO_WEAK:
        expected = Fare.WRONG
    assert fare(configuration, answer(configuration)) is expected


@pytest.mark.parametrize(
    "configuration", [each for each in _CORPUS if each.truth == "unsuitable"], ids=str
)
def test_what_is_unfit_is_never_answered_by_a_cost_alone(configuration: Configuration) -> None:
    """Unsuitable, or unknown at the least, stands beside any cost that is found."""
    found = answer(configuration)
    assert isinstance(found, tuple)
    outcomes = {each.outcome for each in found if isinstance(each, Judgement)}
    assert outcomes & {Outcome.UNSUITABLE, Outcome.UNKNOWN}
