"""What the Python applications are said to do, asked of the installed packages."""

import hashlib
import inspect
from importlib.metadata import version
from typing import Any

import argon2
import bcrypt
import msgspec
import pytest
from ansible.utils import encrypt
from argon2 import low_level
from argon2 import profiles as argon2_profiles
from django.conf import global_settings
from django.contrib.auth import hashers
from flask_bcrypt import Bcrypt
from passlib import hash as passlib_hash
from passlib.context import CryptContext
from pwdlib.hashers.argon2 import Argon2Hasher
from pwdlib.hashers.bcrypt import BcryptHasher
from werkzeug import security

from corpora import table
from hashcost.apps.formats.passlib import Passlib as OfPasslib
from hashcost.apps.refusals import RULES, hashlib_refusal
from hashcost.apps.registry import load_tunable
from hashcost.apps.schemes import ReleaseDefault
from hashcost.core.algorithms import scrypt_bytes
from hashcost.core.measurement import Params


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:3] if part.isdecimal())


def default_of(name: str, hasher: str) -> Params:
    """The default that is said of the installed release."""
    app = load_tunable(name)
    scheme = app.scheme(hasher)
    assert scheme is not None
    assert app.package is not None
    installed = _release(version(app.package))
    known: list[ReleaseDefault] = [
        each for each in scheme.defaults if _release(each.since) <= installed
    ] or list(scheme.defaults)
    return known[-1].params


STOCK: dict[str, Any] = load_tunable("django").reading["stock"]


@pytest.mark.parametrize("stock", STOCK)
def test_defaults_of_django(stock: str) -> None:
    """The default of each hasher is what the installed Django has in its class."""
    hasher, attributes = STOCK[stock]["hasher"], STOCK[stock]["attributes"]
    kind = getattr(hashers, stock)
    assert default_of("django", hasher) == {
        param: getattr(kind, name) for name, param in attributes.items()
    }


def test_the_list_of_django() -> None:
    """The snippet keeps every hasher that Django has itself, its own first."""
    scheme = load_tunable("django").schemes[0]
    names = [each.rpartition(".")[2] for each in global_settings.PASSWORD_HASHERS]
    snippet = scheme.write({"iterations": 1})
    listed = snippet[snippet.index("PASSWORD_HASHERS") :]
    assert [f"Calibrated{names[0]}", *names[1:]] == [
        line.strip().strip('f",').rpartition(".")[2] for line in listed.splitlines()[1:-1]
    ]


_PASSLIB = msgspec.convert(
    {key: value for key, value in load_tunable("passlib").reading.items() if key != "format"},
    OfPasslib,
)


@pytest.mark.parametrize("name", _PASSLIB.handlers)
def test_handlers_of_passlib(name: str) -> None:
    """Ranges of clamped rounds, units and defaults are those of the installed handlers."""
    known = _PASSLIB.handlers[name]
    scheme = load_tunable("passlib").scheme(known.hasher)
    assert scheme is not None
    limits = scheme.limits[known.param]
    default = default_of("passlib", known.hasher)[known.param]
    for alias in (name, *known.also):
        handler: Any = getattr(passlib_hash, alias)
        handler = getattr(handler, "wrapped", handler)
        if limits.clamped:
            assert (limits.minimum, limits.maximum) == (handler.min_rounds, handler.max_rounds)
        rounds = handler.default_rounds
        assert default == (2**rounds if known.param == "n" else rounds)
        assert (handler.rounds_cost == "log2") == (known.param in ("n", "cost"))


def test_further_defaults_of_passlib() -> None:
    """The cost beside the rounds is what the installed handlers have too."""
    assert default_of("passlib", "argon2id") == {
        "memory_kib": passlib_hash.argon2.memory_cost,
        "time_cost": passlib_hash.argon2.default_rounds,
        "parallelism": passlib_hash.argon2.parallelism,
    }
    assert default_of("passlib", "scrypt") == {
        "n": 2**passlib_hash.scrypt.default_rounds,
        "r": passlib_hash.scrypt.block_size,
        "p": passlib_hash.scrypt.parallelism,
    }


@table("options, rounds")
@pytest.mark.filterwarnings("ignore::passlib.exc.PasslibWarning")
def test_options_of_passlib(options: dict[str, int], rounds: int | None) -> None:
    """What a context makes of its options is what is read of them."""
    given = {f"sha512_crypt__{name}": value for name, value in options.items()}
    context = CryptContext(schemes=["sha512_crypt"], **given)
    (found,) = load_tunable("passlib").read(
        "[passlib]\nschemes = sha512_crypt\n"
        + "".join(f"{name} = {str(value).replace('%', '%%')}\n" for name, value in given.items())
    )
    assert ({} if rounds is None else {"rounds": rounds}) == found.params
    assert max(rounds or 656_000, 1000) == context.handler().default_rounds


@table("options")
def test_contradictions_of_passlib(options: dict[str, int]) -> None:
    """Options that a context refuses are unreadable input."""
    given = {f"sha512_crypt__{name}": value for name, value in options.items()}
    with pytest.raises(ValueError, match="rounds"):
        CryptContext(schemes=["sha512_crypt"], **given)
    text = "[passlib]\nschemes = sha512_crypt\n"
    with pytest.raises(Exception, match="passlib refuses it"):
        load_tunable("passlib").read(text + "".join(f"{k} = {v}\n" for k, v in given.items()))


def test_defaults_of_werkzeug() -> None:
    """The defaults of Werkzeug's methods are those of the installed release."""
    scrypt = security.generate_password_hash("x").split("$")[0]
    default = default_of("werkzeug", "scrypt")
    assert scrypt == f"scrypt:{default['n']}:{default['r']}:{default['p']}"
    for hasher in ("pbkdf2-sha256", "pbkdf2-sha512", "pbkdf2-sha1"):
        count = default_of("werkzeug", hasher)["iterations"]
        assert count == security.DEFAULT_PBKDF2_ITERATIONS


def test_defaults_of_argon2_cffi() -> None:
    """The default and the profiles are those of the installed release."""
    hasher = argon2.PasswordHasher()
    assert default_of("argon2-cffi", "argon2id") == _argon2(hasher)
    for name in argon2_profiles.__dict__:
        if name.isupper():
            text = f"import argon2\nargon2.PasswordHasher.from_parameters(argon2.profiles.{name})"
            (found,) = load_tunable("argon2-cffi").read(text)
            assert found.params == _argon2(getattr(argon2_profiles, name))


def _argon2(given: Any) -> Params:
    return {
        "memory_kib": given.memory_cost,
        "time_cost": given.time_cost,
        "parallelism": given.parallelism,
    }


def test_defaults_of_pwdlib_and_flask_bcrypt() -> None:
    """The defaults are those of the installed releases."""
    assert default_of("pwdlib", "argon2id") == _argon2(Argon2Hasher()._hasher)
    assert default_of("pwdlib", "bcrypt") == {"cost": BcryptHasher().rounds}
    assert default_of("flask-bcrypt", "bcrypt") == {"cost": Bcrypt()._log_rounds}


def test_arguments_in_their_order() -> None:
    """Positional arguments are read in the order that the packages have."""
    for function in (argon2.PasswordHasher, Argon2Hasher):
        names = list(inspect.signature(function).parameters)
        assert ["time_cost", "memory_cost", "parallelism"] == names[:3]
    assert list(inspect.signature(argon2.PasswordHasher).parameters)[6] == "type"
    assert next(iter(inspect.signature(BcryptHasher).parameters)) == "rounds"
    assert list(inspect.signature(security.generate_password_hash).parameters)[1] == "method"
    assert list(inspect.signature(Bcrypt.generate_password_hash).parameters)[2] == "rounds"


@table("name, hasher")
def test_defaults_of_ansible(name: str, hasher: str) -> None:
    """The rounds that Ansible uses unasked are those of the installed release."""
    (default,) = default_of("ansible", hasher).values()
    assert default == encrypt.BaseHash.algorithms[name].implicit_rounds


@pytest.mark.parametrize("rounds", [3, 32])
def test_bcrypt_refuses(rounds: int) -> None:
    """The bcrypt package takes 4 to 31, and clamps nothing."""
    with pytest.raises(ValueError, match="rounds"):
        bcrypt.gensalt(rounds)


def test_hashlib_refuses() -> None:
    """PBKDF2 takes no more iterations than a C int, whatever passlib's handler says."""
    with pytest.raises(OverflowError):
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31)


def _takes_scrypt(params: Params, maxmem: int) -> bool:
    try:
        hashlib.scrypt(b"", salt=b"", **params, maxmem=maxmem)
    except (ValueError, OverflowError):
        return False
    return True


@table("params")
def test_scrypt_is_refused_as_said(params: Params) -> None:
    """What hashlib, Werkzeug and Django refuse of scrypt is what is said of them."""
    need = scrypt_bytes(params)
    werkzeug_maxmem = 132 * params["n"] * params["r"] * params["p"]
    assert _takes_scrypt(params, need) == (not hashlib_refusal(params, need))
    assert not _takes_scrypt(params, need - 1)
    assert hashlib_refusal(params, need - 1)
    assert _takes_scrypt(params, werkzeug_maxmem) == (not RULES["werkzeug-scrypt"](params))
    assert _takes_scrypt(params, 2**31 - 1) == (not hashlib_refusal(params))


def test_maxmem_is_a_c_int() -> None:
    """No scrypt setting that needs 2 GiB is said to be taken."""
    assert not _takes_scrypt({"n": 2, "r": 1, "p": 1}, 2**31)
    assert hashlib_refusal({"n": 2**21, "r": 8, "p": 1})
    assert not hashlib_refusal({"n": 2**20, "r": 8, "p": 1})
    assert RULES["werkzeug-scrypt"]({"n": 2**20, "r": 8, "p": 2})
    assert RULES["passlib-scrypt"]({"n": 2**21, "r": 8, "p": 1})


@pytest.mark.parametrize(("memory_kib", "lanes"), [(8, 1), (8, 2), (15, 2), (16, 2), (7, 1)])
def test_argon2_refuses(memory_kib: int, lanes: int) -> None:
    """Argon2 takes no less than eight blocks for each lane."""
    params = {"memory_kib": memory_kib, "time_cost": 1, "parallelism": lanes}
    try:
        low_level.hash_secret(b"", b"12345678", 1, memory_kib, lanes, 16, low_level.Type.ID)
    except argon2.exceptions.HashingError:
        assert RULES["argon2"](params)
    else:
        assert not RULES["argon2"](params)
