"""A check never says *fine* of what it could not read."""

from pathlib import Path
from typing import Any, Final

import pytest

from corpora import cases
from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, load_tunable
from hashcost.apps.schemes import Scheme
from hashcost.checks.app_costs import costs_in, costs_in_files
from hashcost.checks.app_files import app_costs
from hashcost.checks.app_releases import AppRelease
from hashcost.checks.judgement import Configured, CostOrVerdict, Judgement, Outcome
from hashcost.core.measurement import Params
from hashcost.storage.gate import Gate

_CASES: Final[list[dict[str, Any]]] = [
    each for name in ("line", "case") for each in cases(__file__, "../apps/false_fine.toml", name)
]
_APPS = tuple(app for name in app_names() for app in (load_app(name),) if isinstance(app, App))
_USUAL = {"cost": 12, "n": 16384, "r": 8, "p": 1, "time_cost": 3, "memory_kib": 65536}
_ON_THIS_SYSTEM = {("login-defs", "bcrypt")}
"""What only some systems take, so that it is unknown as well."""


def _told(row: CostOrVerdict) -> str:
    if isinstance(row, Judgement):
        return row.outcome.value
    return " ".join([row.hasher, *(f"{name}={value}" for name, value in row.params.items())])


@pytest.mark.parametrize("text", ["# hello\n", "", "hello\n"])
@pytest.mark.parametrize("app", _APPS, ids=lambda app: app.name)
def test_a_file_of_nobody_is_unknown(app: App, text: str) -> None:
    """The default counts only where something shows that a file is the application's."""
    (found,) = costs_in(app, text, "x.md", None)
    assert isinstance(found, Judgement)
    assert found.outcome is Outcome.UNKNOWN
    assert found.place is not None
    assert found.place.path == "x.md"
    assert found.message
    assert found.advice


@pytest.mark.parametrize(
    "case", _CASES, ids=[f"{case['app']}-{index}" for index, case in enumerate(_CASES)]
)
def test_what_was_judged_wrongly_is_right_or_unknown(case: dict[str, Any]) -> None:
    """Each is told as the program has it; what is not told has a reason and advice."""
    found = costs_in(load_tunable(case["app"]), case["text"], "file", None)
    assert list(dict.fromkeys(map(_told, found))) == case["is"]
    assert all(held.message and held.advice for held in found if isinstance(held, Judgement))


@pytest.mark.parametrize(
    ("release", "told"),
    [
        (None, "unknown"),
        ("2.5.13", "unknown"),
        ("2.5.18", "unknown"),
        ("2.5.19", "argon2id memory_kib=65536"),
        ("2.6.8", "unknown"),
        ("2.6.9", "argon2id memory_kib=65536"),
        ("2.7.0", "argon2id memory_kib=65536"),
    ],
)
def test_a_release_that_makes_another_hash_is_not_judged(release: str | None, told: str) -> None:
    """An older line of releases has what newer ones have from its own release on."""
    text = "moduleload argon2 m=65536 t=3 p=1\npassword-hash {ARGON2}\n"
    given = None
    if release is not None:
        given = AppRelease(release)
    (found,) = costs_in(load_tunable("openldap"), text, "slapd.conf", given)
    assert _told(found).startswith(told)


def test_the_name_of_a_file_tells_its_release() -> None:
    """A file of old releases has no default of new ones; a known release goes before its name."""
    typo3 = load_tunable("typo3")
    text = "<?php return [\n    'SYS' => ['sitename' => 'x'],\n];\n"
    for path, release, told in (
        ("typo3conf/LocalConfiguration.php", None, "unknown"),
        ("config/system/settings.php", None, "argon2id memory_kib=65536"),
        ("typo3conf/LocalConfiguration.php", AppRelease("13.4"), "argon2id memory_kib=65536"),
    ):
        (found,) = costs_in(typo3, text, path, release)
        assert _told(found).startswith(told)


def test_a_release_before_all_known_defaults_has_none() -> None:
    """PHP's default is that of the releases that leave the choice to PHP."""
    text = "parameters:\n  session.storage.options:\n    gc_maxlifetime: 1\n"
    drupal = load_tunable("drupal")
    for release, told in (("9.5.3", "unknown"), ("10.1", "bcrypt cost=10")):
        (found,) = costs_in(drupal, text, "services.yml", AppRelease(release))
        assert _told(found) == told


def _legal(scheme: Scheme) -> Params:
    """A usual cost that the application takes."""
    return {
        name: limits.nearest(_USUAL.get(name, 1 if name == "parallelism" else 300_000))
        for name, limits in scheme.limits.items()
    }


def _in_its_file(app: App, snippet: str) -> str:
    match app.name:
        case "nextcloud":
            return f"<?php\n$CONFIG = array(\n{snippet});\n"
        case "wordpress":
            return f"<?php\n{snippet}"
        case _:
            return snippet


@pytest.mark.parametrize(
    ("app", "scheme"),
    [
        (app, scheme)
        for app in _APPS
        for scheme in app.schemes
        if (app.name, scheme.hasher) not in _ON_THIS_SYSTEM
    ],
    ids=lambda value: value.name if isinstance(value, App) else value.hasher,
)
def test_what_is_emitted_is_read_whole(app: App, scheme: Scheme) -> None:
    """No sign of anything unread is seen in a snippet of one's own."""
    params = _legal(scheme)
    text = _in_its_file(app, scheme.write(params))
    found = costs_in(app, text, "the file", AppRelease("99"))
    also = {each.hasher for each in app.every} - {scheme.hasher}
    (one,) = (each for each in found if each.hasher not in also)
    assert isinstance(one, Configured)
    assert (one.hasher, one.params) == (scheme.hasher, params)


def test_files_that_are_read_one_after_the_other_count_as_one() -> None:
    """The last one decides, and a line is told as its file's."""
    postgresql, laravel = load_tunable("postgresql"), load_tunable("laravel")
    files = [("p.conf", "scram_iterations = 5000\n"), ("auto.conf", "\nscram_iterations = 1000\n")]
    (found,) = costs_in_files(postgresql, files, None)
    assert (_told(found), str(found.place)) == ("pbkdf2-sha256 iterations=1000", "auto.conf:2")
    files = [
        ("config.exs", 'config :x, []\nimport_config "#{config_env()}.exs"\n'),
        ("prod.exs", "config :bcrypt_elixir, log_rounds: 4\n"),
    ]
    (found,) = costs_in_files(load_tunable("elixir"), files, None)
    assert (_told(found), str(found.place)) == ("bcrypt cost=4", "prod.exs:1")
    (found,) = costs_in_files(load_tunable("elixir"), files[:1], None)
    assert _told(found) == "unknown"
    # PHP prints the blank line above its code, and reads the rest all the same.
    files = [
        ("config/hashing.php", "\n<?php return ['bcrypt' => ['rounds' => env('R', 12)]];\n"),
        (".env", "APP_KEY=x\nR=4\n"),
    ]
    (found,) = costs_in_files(laravel, files, None)
    assert (_told(found), str(found.place)) == ("bcrypt cost=4", ".env:2")


def test_what_starts_containers_is_told() -> None:
    """Their variables may set the cost, and the advice is to check these."""
    text = "services:\n  app:\n    environment: {BCRYPT_ROUNDS: 4}\n"
    (found,) = costs_in(load_tunable("laravel"), text, "compose.yaml", None)
    assert isinstance(found, Judgement)
    assert found.message == (
        "it starts containers, and none is known to run Laravel;"
        " check the configuration and the variables of the one that does"
    )


@pytest.mark.parametrize(
    ("app", "image", "setting"),
    [
        ("directus", "directus/directus", "HASH_TIME_COST"),
        ("forgejo", "codeberg.org/forgejo/forgejo", "FORGEJO__security__PASSWORD_HASH_ALGO"),
        ("vaultwarden", "vaultwarden/server", "PASSWORD_ITERATIONS"),
    ],
)
def test_an_image_with_all_its_variables_takes_its_default(
    app: str, image: str, setting: str
) -> None:
    """The default counts only if no other file, and nothing that is not read, may set the cost."""
    head = f"services:\n  a:\n    image: {image}"
    whole = f"{head}:latest\n    environment:\n      DOMAIN: https://a.example\n"

    def outcome(text: str) -> str:
        (found,) = costs_in(load_tunable(app), text, "compose.yaml", None)
        return _told(found)

    assert outcome(whole) != "unknown"
    assert outcome(whole.replace(":latest", "")) == outcome(whole)
    assert outcome(whole.replace("image:", "image: example.com/backup # of")) == "unknown"
    assert outcome(whole.replace(":latest", "-backup:1")) == "unknown"
    for more in (
        "env_file: .env",
        "env_file:\n      - path: vars.txt",
        "environment: *common",
        "environment: {<<: *common}",
        "<<: *common",
        "extends: {file: common.yaml, service: a}",
        "volumes: [./.env:/app/.env]",
        "volumes:\n      - ./.env:/app/.env",
        f"environment:\n      - {setting}",
        f"env:\n      - name: {setting}_FILE\n        value: /run/secrets/a",
    ):
        assert outcome(f"{head}\n    {more}\n") == "unknown", more


def test_a_file_that_sets_no_cost_says_what_does() -> None:
    """The usual file of a program may have no setting for the cost, or another may set it."""
    for app, text, what in (
        (
            "cassandra",
            "cluster_name: a\nauthenticator: PasswordAuthenticator\n",
            "an option of the JVM",
        ),
        (
            "clickhouse",
            "<clickhouse>\n  <tcp_port>9000</tcp_port>\n</clickhouse>\n",
            "a file in config.d",
        ),
        (
            "zitadel",
            "zitadel:\n  configSecretName: a\n  configmapConfig: {ExternalPort: 443}\n",
            "names a Secret of Kubernetes",
        ),
    ):
        (found,) = costs_in(load_tunable(app), text, "the file", None)
        assert isinstance(found, Judgement)
        assert (Outcome.UNKNOWN, True) == (found.outcome, what in found.message)


@pytest.mark.parametrize(
    ("app", "switch", "cost"),
    [
        (
            "opensearch",
            "plugins.security.disabled: true",
            "plugins.security.password.hashing.bcrypt.rounds: 12",
        ),
        (
            "elasticsearch",
            "xpack.security.enabled: false",
            "xpack.security.authc.password_hashing.algorithm: bcrypt12",
        ),
    ],
)
def test_no_cost_is_fine_where_security_is_disabled(app: str, switch: str, cost: str) -> None:
    """A server that asks for no password hashes none, at whatever cost."""
    *parts, last = switch.split(".")
    nested = "".join(f"{'  ' * depth}{part}:\n" for depth, part in enumerate(parts))
    nested += f"{'  ' * len(parts)}{last}\n"
    for text in (f"cluster.name: a\n{switch}\n", f"{switch}\n{cost}\n", f"{nested}{cost}\n"):
        rows = costs_in(load_tunable(app), text, "the file", None)
        assert "unknown" in [_told(row) for row in rows], text
        assert "so it asks for no password" in str(rows)
    is_on = switch.replace("true", "False").replace(": false", ": true").lower()
    (found,) = costs_in(load_tunable(app), f"{is_on}\n{cost}\n", "the file", None)
    assert _told(found) == "bcrypt cost=12"


def test_the_file_that_was_read_is_not_advised() -> None:
    """Who has named the usual file is not told to name it."""
    for name, is_advised in (("Caddyfile", False), ("Makefile", True)):
        (found,) = costs_in(load_tunable("caddy"), ":80\n", f"a/{name}", None)
        assert isinstance(found, Judgement)
        assert is_advised is ("(often Caddyfile)" in found.advice)


def test_two_services_with_two_costs_are_told() -> None:
    """The last one is not used by the other service, so neither cost stands for the file."""
    service = "  %s:\n    environment:\n      - PASSWORD_ITERATIONS=%d\n"
    text = "services:\n" + service % ("a", 100_000) + service % ("b", 900_000)
    app = load_tunable("vaultwarden")
    for other, told in (
        (text, "unknown"),
        (text.replace("9", "1"), "pbkdf2-sha256 iterations=100000"),
    ):
        assert [told] == [*map(_told, costs_in(app, other, "compose.yaml", None))]


def test_a_file_beside_that_may_set_the_cost_is_named(tmp_path: Path) -> None:
    """The default of one file is not all, where another one is there that is not named."""
    environment = tmp_path / ".env"
    environment.write_text("APP_KEY=x\n", "utf-8")
    laravel = load_tunable("laravel")
    (found,) = app_costs(laravel, (environment,), None, Gate())[0]
    assert _told(found) == "bcrypt cost=12"
    config = tmp_path / "config" / "hashing.php"
    config.parent.mkdir()
    config.write_text("<?php return ['bcrypt' => ['rounds' => 4]];\n", "utf-8")
    _, unknown = app_costs(laravel, (environment,), None, Gate())[0]
    assert isinstance(unknown, Judgement)
    assert "config/hashing.php may set the cost too" in unknown.message
    (found,) = app_costs(laravel, (environment, config), None, Gate())[0]
    assert _told(found) == "bcrypt cost=4"


def test_a_line_that_is_too_long_is_unread() -> None:
    """Where nothing else sets a cost, a line beyond the bound is named instead of a default."""
    text = "#!/bin/sh\n" + "true; " * 1000 + "htpasswd -B -C 4 users alice\n"
    [found] = costs_in(load_tunable("htpasswd"), text, "file", None)
    assert isinstance(found, Judgement)
    assert found.outcome is Outcome.UNREAD
    assert "longer than 4,096 characters" in found.message


def test_a_sign_is_found_at_the_end_of_a_long_line() -> None:
    """What may set the cost elsewhere is named however long its line is."""
    text = "INSTALLED_APPS = ['" + "a" * 5000 + "']; exec(open('other.py').read())\n"
    [found] = costs_in(load_tunable("django"), text, "settings.py", None)
    assert isinstance(found, Judgement)
    assert found.outcome is Outcome.UNKNOWN
    assert "may take in a file that sets the cost" in found.message


def test_a_file_whose_name_is_put_together_is_described() -> None:
    """Nobody has a file of the name that the code has: the pattern is one to look for."""
    text = 'import Config\nimport_config "#{config_env()}.exs"\nconfig :bcrypt_elixir, x: 1\n'
    found = costs_in(load_tunable("elixir"), text, "config/config.exs", None)[-1]
    assert isinstance(found, Judgement)
    assert "takes in the one of *.exs that production reads" in found.message


def test_a_long_line_beside_a_cost_is_no_matter() -> None:
    """What the application is known to use stays as it is."""
    text = "PASSWORD_ITERATIONS=600000\nADMIN_TOKEN=" + "a" * 5000 + "\n"
    [found] = costs_in(load_tunable("vaultwarden"), text, ".env", None)
    assert isinstance(found, Configured)
