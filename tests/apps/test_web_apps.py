"""Web applications that set a cost in YAML or PHP: what counts, and what is refused."""

from __future__ import annotations

import pytest

from hashcost.apps.interface import App
from hashcost.apps.registry import load_app
from hashcost.core.errors import UnreadableInputError


def app(name: str) -> App:
    """An application that has a cost to set."""
    found = load_app(name)
    assert isinstance(found, App)
    return found


def test_synapse_rounds_are_a_key_of_the_top() -> None:
    """Of homeserver.yaml the key bcrypt_rounds counts, and none below another key does."""
    text = "server_name: example.org\nbcrypt_rounds: 13\noidc:\n  bcrypt_rounds: 4\n"
    (found,) = app("synapse").read(text)
    assert ("bcrypt", {"cost": 13}, 2) == (found.hasher, found.params, found.line)
    assert found.wins


def test_drupal_needs_the_algorithm_beside_its_options() -> None:
    """Without password.algorithm Drupal leaves the options to PHP, and the cost does not count."""
    text = "parameters:\n  password.options:\n    cost: 11\n"
    (found,) = app("drupal").read(text)
    assert ({"cost": 11}, False) == (found.params, found.wins)
    assert "PHP's own default is used unless parameters.password.algorithm says" in found.why


def test_drupal_takes_argon2id_by_its_name() -> None:
    """With password.algorithm argon2id all three costs count."""
    text = (
        "parameters:\n  password.algorithm: argon2id\n  password.options:\n"
        "    memory_cost: 131072\n    time_cost: 3\n    threads: 1\n"
    )
    (found,) = app("drupal").read(text)
    assert found.hasher == "argon2id"
    assert {"memory_kib": 131072, "time_cost": 3, "parallelism": 1} == found.params
    assert found.wins


MEDIAWIKI = """\
<?php
# $wgPasswordConfig['pbkdf2']['cost'] = '1';
$wgServer = 'https://wiki.example.org'; // not a comment: '//'
$wgPasswordConfig['pbkdf2'] = [
\t'class' => Pbkdf2PasswordUsingOpenSSL::class,
\t'algo' => 'sha256', /* 'cost' => '2' */
\t'cost' => '128000',
\t'length' => '64',
];
$wgPasswordConfig['bcrypt']['cost'] = 12;
"""


def test_mediawiki_reads_an_array_and_a_key() -> None:
    """Both forms count, comments do not, and the type that is not chosen loses."""
    bcrypt, pbkdf2 = sorted(app("mediawiki").read(MEDIAWIKI), key=lambda each: each.hasher)
    assert ("pbkdf2-sha256", {"iterations": 128000}) == (pbkdf2.hasher, pbkdf2.params)
    assert (2, 7, True) == (pbkdf2.blocks, pbkdf2.line, pbkdf2.wins)
    assert ({"cost": 12}, 10, False) == (bcrypt.params, bcrypt.line, bcrypt.wins)
    assert "$wgPasswordDefault is pbkdf2" in bcrypt.why


def test_mediawiki_that_names_a_type_alone_leaves_the_cost_to_its_default() -> None:
    """$wgPasswordDefault without a cost is found at its line, with nothing set."""
    (found,) = app("mediawiki").read("<?php\n$wgPasswordDefault = 'argon2';\n")
    assert ("argon2id", {}, 2) == (found.hasher, found.params, found.line)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "$wgPasswordDefault = 'bcrypt-peppered';",
            "line 2: .*whose cost hashcost does not judge",
        ),
        ("$wgPasswordConfig['bcrypt']['cost'] = getenv('C');", "line 2: .*not a whole number"),
        ("$wgPasswordConfig['pbkdf2']['algo'] = 'md5';", "line 2: algo is 'md5'"),
    ],
)
def test_mediawiki_refuses_what_it_cannot_tell(text: str, told: str) -> None:
    """A type, a cost or a digest that the file does not set is one error with its line."""
    with pytest.raises(UnreadableInputError, match=told):
        app("mediawiki").read(f"<?php\n{text}\n")


HASH = "$2y$10$" + "a" * 53


def test_prometheus_judges_the_hashes_that_are_there() -> None:
    """Of web-config.yml each user's hash tells its cost, and one in a comment does not."""
    text = f"basic_auth_users:\n  # old: {HASH}\n  alice: {HASH}\n"
    (found,) = app("prometheus").read(text)
    assert ({"cost": 10}, 3) == (found.params, found.line)


@pytest.mark.parametrize(
    ("line", "costs"),
    [
        ('htpasswd -nBC 12 "" | tr -d ":"', [12]),
        ('htpasswd -nB ""', [5]),
        ('htpasswd -nm ""', []),
    ],
)
def test_prometheus_judges_the_htpasswd_that_makes_them(line: str, costs: list[int]) -> None:
    """A script's htpasswd counts with -B alone, and without -C at its own 5."""
    assert costs == [found.params["cost"] for found in app("prometheus").read(line + "\n")]
