"""Applications that are configured in code: what is written is read, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.apps.interface import App, Limits, Scheme
from hashcost.apps.registry import load_app
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params
from hashcost.verdicts.app_costs import costs_in

NAMES = (
    "laravel",
    "php",
    "symfony",
    "wordpress",
    "spring",
    "rails",
    "devise",
    "aspnet-identity",
    "node-bcrypt",
    "node-bcryptjs",
    "node-crypto",
    "go-bcrypt",
    "elixir",
)


def app(name: str) -> App:
    """An application that has a cost to set."""
    found = load_app(name)
    assert isinstance(found, App)
    return found


def every_scheme() -> list[tuple[App, Scheme]]:
    """Every scheme of the applications here."""
    return [(app(name), scheme) for name in NAMES for scheme in app(name).schemes]


def legal(limits: Limits) -> st.SearchStrategy[int]:
    """Any value that the application accepts."""
    if limits.allowed:
        return st.sampled_from(limits.allowed)
    return st.integers(limits.minimum, limits.maximum)


SCHEMES = [pytest.param(a, s, id=f"{a.name}-{s.hasher}") for a, s in every_scheme()]


@pytest.mark.parametrize(("found", "scheme"), SCHEMES)
@given(st.data())
def test_what_is_written_is_read(found: App, scheme: Scheme, data: st.DataObject) -> None:
    """Every legal cost that is written is read back, alone, as the one that counts."""
    names = COST_NAMES[scheme.hasher]
    params: Params = {name: data.draw(legal(scheme.limits[name]), label=name) for name in names}
    comment = found.comment.format("bcrypt cost 4, new BCryptPasswordEncoder(4)") + "\n"
    (read,) = found.read(comment + scheme.write(params))
    assert (scheme.hasher, params, True) == (read.hasher, read.params, read.wins)
    assert 2 <= read.line <= 2 + scheme.write(params).count("\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_without_a_cost_has_none(name: str) -> None:
    """An empty file, and one with comments alone, configure nothing."""
    found = app(name)
    for text in ("", found.comment.format("nothing here") + "\n"):
        assert () == found.read(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("php", "<?php password_hash($p, PASSWORD_BCRYPT, $options);"),
        ("spring", "class A { void f() { new BCryptPasswordEncoder(strength()); } }"),
        ("rails", "BCrypt::Engine.cost = ENV['COST'].to_i\n"),
        ("devise", "config.stretches = ENV.fetch('STRETCHES')\n"),
        ("go-bcrypt", "package a\nfunc f() { bcrypt.GenerateFromPassword(p, config.Cost) }\n"),
        ("node-bcrypt", "bcrypt.hash(p, process.env.ROUNDS)"),
        ("laravel", "BCRYPT_ROUNDS=twelve\n"),
    ],
)
def test_what_the_file_does_not_tell_is_refused(name: str, text: str) -> None:
    """A cost that is computed elsewhere is one clear error with its line."""
    with pytest.raises(UnreadableInputError, match=r"line \d"):
        app(name).read(text)


def test_devise_counts_the_branch_of_production() -> None:
    """Of Devise's ternary the branch outside of tests counts."""
    text = "Devise.setup do |config|\n  config.stretches = Rails.env.test? ? 1 : 12\nend\n"
    (found,) = app("devise").read(text)
    assert ({"cost": 12}, 2) == (found.params, found.line)
    assert "tests" in found.why


def test_laravel_uses_what_its_driver_names() -> None:
    """With HASH_DRIVER=argon2id the rounds of bcrypt do not count; defaults fill what is left."""
    text = "BCRYPT_ROUNDS=12\nHASH_DRIVER=argon2id\nARGON_MEMORY=131072\n"
    bcrypt, argon2id = app("laravel").read(text)
    assert not bcrypt.wins
    assert "argon2id" in bcrypt.why
    assert ({"memory_kib": 131072}, 3) == (argon2id.params, argon2id.line)
    (cost,) = costs_in(app("laravel"), text, ".env", None)
    assert {"memory_kib": 131072, "time_cost": 4, "parallelism": 1} == cost.params
    assert "Laravel's default since 11" in cost.note


def test_laravel_refuses_a_driver_that_is_not_known() -> None:
    """A driver without a cost is one clear line, not the default's cost."""
    with pytest.raises(UnreadableInputError, match="HASH_DRIVER is 'md5'; Laravel knows bcrypt"):
        app("laravel").read("BCRYPT_ROUNDS=12\nHASH_DRIVER=md5\n")


def test_laravels_argon_is_argon2i() -> None:
    """The driver argon is not the one that argon2id is."""
    bcrypt, argon = app("laravel").read("BCRYPT_ROUNDS=12\nHASH_DRIVER=argon\n")
    assert not bcrypt.wins
    assert ("argon2i", True) == (argon.hasher, argon.wins)


def test_laravels_configuration_has_the_default() -> None:
    """In config/hashing.php the fallback of env() is the cost, and what goes before it is said."""
    text = "<?php\nreturn [\n 'bcrypt' => ['rounds' => env('BCRYPT_ROUNDS', 13)],\n];\n"
    (found,) = app("laravel").read(text)
    assert ({"cost": 13}, 3) == (found.params, found.line)
    assert "BCRYPT_ROUNDS" in found.why


def test_wordpress_filters_are_read_in_both_forms() -> None:
    """A filter that changes the options it is given sets the cost as one that returns them."""
    text = (
        "<?php\nadd_filter( 'wp_hash_password_options', function( $options, $algorithm ) {\n"
        "  if ( PASSWORD_BCRYPT === $algorithm ) {\n    $options['cost'] = 11;\n  }\n"
        "  return $options;\n}, 10, 2 );\n"
    )
    (found,) = app("wordpress").read(text)
    assert ({"cost": 11}, 2) == (found.params, found.line)


def test_symfony_production_wins() -> None:
    """What when@prod sets for the same class wins over the rest of the file."""
    text = (
        "security:\n  password_hashers:\n    App\\Entity\\User: {algorithm: auto, cost: 12}\n"
        "when@test:\n  security:\n    password_hashers:\n      App\\Entity\\User: {cost: 4}\n"
        "when@prod:\n  security:\n    password_hashers:\n      App\\Entity\\User: {cost: 14}\n"
    )
    assert [(12, False), (14, True)] == [
        (found.params["cost"], found.wins) for found in app("symfony").read(text)
    ]


def test_go_makes_ten_of_what_is_too_low() -> None:
    """Go's bcrypt silently takes its default below 4: that is the cost that counts."""
    (found,) = app("go-bcrypt").read("package a\nfunc f() { bcrypt.GenerateFromPassword(p, 3) }\n")
    assert {"cost": 10} == found.params
    assert "10" in found.why


def test_elixir_memory_is_a_logarithm() -> None:
    """The log2 of argon2_elixir's m_cost becomes the memory in KiB."""
    (found,) = app("elixir").read("config :argon2_elixir, t_cost: 2, m_cost: 17, parallelism: 1\n")
    assert {"memory_kib": 131072, "time_cost": 2, "parallelism": 1} == found.params


def test_spring_reads_kotlin_too() -> None:
    """The encoder of a Kotlin configuration is found as that of a Java one."""
    text = "class A {\n  @Bean\n  fun encoder() = BCryptPasswordEncoder(13)\n}\n"
    (found,) = app("spring").read(text)
    assert ({"cost": 13}, 3) == (found.params, found.line)


def test_node_scrypt_asks_for_its_memory() -> None:
    """The call allows the memory that OpenSSL needs, which Node's default would refuse."""
    (scheme,) = (each for each in app("node-crypto").schemes if each.hasher == "scrypt")
    assert "maxmem: 33557504" in scheme.write({"n": 32768, "r": 8, "p": 1})


def test_powers_of_two_are_said_shortly() -> None:
    """A long list of powers of two is worded, a short one listed."""
    assert (
        "powers of two from 8 to 2147483648"
        == app("elixir").schemes[1].limits["memory_kib"].choices
    )
    assert "1, 2" == Limits(minimum=1, maximum=2, allowed=(1, 2)).choices
