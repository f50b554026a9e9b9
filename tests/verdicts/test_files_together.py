"""Files that are named together are one configuration, as the application reads it."""

from __future__ import annotations

import pytest

from applied import Files
from hashcost.apps.registry import load_tunable
from hashcost.verdicts.app_costs import costs_in_files
from hashcost.verdicts.judgement import Judgement


def told(
    app: str, named: dict[str, str], beside: dict[str, str] | None = None, version: str = ""
) -> list[str]:
    """What is found, as short text."""
    files = Files({**named, **(beside or {})})
    found = costs_in_files(load_tunable(app), [*named.items()], version or None, files)
    return [
        each.outcome.value
        if isinstance(each, Judgement)
        else " ".join(f"{name}={value}" for name, value in each.params.items())
        for each in found
    ]


COMPOSE = "services:\n  app:\n    environment:\n      {}\n"


@pytest.mark.parametrize("turned", [False, True])
def test_the_order_of_arguments_does_not_matter(*, turned: bool) -> None:
    """Which file overrides the other is up to the application."""
    named = {".env": "BCRYPT_ROUNDS=12\n", "compose.yml": COMPOSE.format("BCRYPT_ROUNDS: 6")}
    named = dict(reversed(named.items())) if turned else named
    assert told("laravel", named) == ["cost=6"]


def test_a_file_that_another_takes_in_is_not_judged_again() -> None:
    """It counts where it is taken in."""
    named = {
        "postgresql.conf": "scram_iterations = 60000\ninclude_dir = 'conf.d'\n",
        "conf.d/10.conf": "scram_iterations = 8192\n",
    }
    assert told("postgresql", named) == ["iterations=8192"]


def test_a_named_file_that_is_not_recognised_is_unknown() -> None:
    """It may set the cost, although another file is read."""
    named = {".env": "APP_KEY=x\nBCRYPT_ROUNDS=12\n", "notes.md": "hello\n"}
    assert set(told("laravel", named)) == {"cost=12", "unknown"}


@pytest.mark.parametrize(
    ("app", "variable", "expected"),
    [
        ("kratos", "HASHERS_BCRYPT_COST: 14", "cost=14"),
        ("gitea", "GITEA__security__PASSWORD_HASH_ALGO: bcrypt$$11", "cost=11"),
        ("vaultwarden", "PASSWORD_ITERATIONS: 700000", "iterations=700000"),
    ],
)
def test_a_container_overrides_by_its_environment(app: str, variable: str, expected: str) -> None:
    """Variables have the names that the application gives its settings."""
    assert told(app, {"compose.yml": COMPOSE.format(variable)}) == [expected]


def test_a_container_overrides_by_its_command() -> None:
    """Options of the server are settings too."""
    text = "services:\n  db:\n    command: postgres -c scram_iterations=9000\n"
    assert told("postgresql", {"compose.yml": text}) == ["iterations=9000"]


def test_a_file_of_variables_is_followed() -> None:
    """What ``env_file`` names stands below ``environment``."""
    text = "services:\n  app:\n    env_file: app.env\n"
    beside = {"app.env": "APP_KEY=x\nBCRYPT_ROUNDS=5\n"}
    assert told("laravel", {"compose.yml": text}, beside) == ["cost=5"]


def test_the_variables_of_a_config_map_count() -> None:
    """A manifest may have them in a document of their own."""
    text = "kind: ConfigMap\nmetadata: {name: v}\ndata:\n  PASSWORD_ITERATIONS: '650000'\n"
    assert told("vaultwarden", {"v.yml": text}) == ["iterations=650000"]


CODE = "import bcrypt from 'bcrypt';\nbcrypt.hash(p, Number(process.env.ROUNDS ?? 11));\n"


def test_a_fallback_in_code_counts_where_nothing_beside_sets_the_variable() -> None:
    """Nothing beside is as good as unset."""
    assert told("node-bcrypt", {"src/a.ts": CODE}) == ["cost=11"]


def test_a_variable_that_is_set_beside_code_counts() -> None:
    """The nearest ``.env`` above it has it."""
    assert told("node-bcrypt", {"src/a.ts": CODE}, {".env": "ROUNDS=6\n"}) == ["cost=6"]


@pytest.mark.parametrize(
    ("app", "text", "version", "expected"),
    [
        ("postgresql", "listen_addresses = '*'\n", "13", "unsuitable"),
        ("postgresql", "password_encryption = scram-sha-256\n", "13", "iterations=4096"),
        ("keycloak", '{"realm": "x"}', "24", "iterations=210000"),
        ("keycloak", '{"realm": "x"}', "20", "unknown"),
    ],
)
def test_a_release_decides_where_the_file_does_not(
    app: str, text: str, version: str, expected: str
) -> None:
    """The default is that of the release, and unsuitable where that was no password hash."""
    assert told(app, {"file": text}, version=version) == [expected]
