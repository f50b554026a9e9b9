"""Configurations of Python applications as they are found, and which line of them wins."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import Final

import pytest

from hashcost.apps.interface import App, Found
from hashcost.apps.registry import load_app
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params


def read(name: str, text: str) -> tuple[Found, ...]:
    """What an application's reader finds."""
    app = load_app(name)
    assert isinstance(app, App)
    return app.read(dedent(text))


@dataclass(frozen=True)
class Sample:
    """A file, the costs that win in it with their lines, and words of why."""

    about: str
    app: str
    text: str
    winners: tuple[tuple[int, str, Params], ...]
    losers: tuple[int, ...] = ()
    words: tuple[str, ...] = ()


_STOCK = "django.contrib.auth.hashers"

SAMPLES: Final = (
    Sample(
        "a module of hashers alone",
        "django",
        """\
        from django.contrib.auth.hashers import PBKDF2PasswordHasher

        class MyHasher(PBKDF2PasswordHasher):
            \"\"\"Twice as many.\"\"\"
            # iterations = 1
            iterations = 2 * 600_000
        """,
        ((6, "pbkdf2-sha256", {"iterations": 1_200_000}),),
        words=("another file",),
    ),
    Sample(
        "settings that begin with a hasher of Django",
        "django",
        f"""\
        PASSWORD_HASHERS = (
            # the first hashes
            "{_STOCK}.Argon2PasswordHasher",
            "{_STOCK}.PBKDF2PasswordHasher",
        )
        """,
        ((3, "argon2id", {}),),
        words=("Django's default",),
    ),
    Sample(
        "fast hashers for tests after the real ones",
        "django",
        f"""\
        import sys
        from django.contrib.auth import hashers as h

        class Slow(h.ScryptPasswordHasher):
            work_factor = 1 << 16
            block_size = 8; parallelism = 1
            maxmem = 2**27

        PASSWORD_HASHERS = ["project.settings.Slow"]
        if "test" in sys.argv:
            PASSWORD_HASHERS = ["{_STOCK}.MD5PasswordHasher"]
        """,
        ((5, "scrypt", {"n": 65536, "r": 8, "p": 1}),),
    ),
    Sample(
        "two hashers, of which the second only checks",
        "django",
        """\
        from django.contrib.auth.hashers import *

        class Old(PBKDF2PasswordHasher):
            iterations = 20_000

        class New(BCryptSHA256PasswordHasher):
            rounds = 13

        PASSWORD_HASHERS = ["a.New", "a.Old"]
        """,
        ((7, "bcrypt", {"cost": 13}),),
        losers=(4,),
        words=("does not name it first",),
    ),
    Sample(
        "inheritance inside the file",
        "django",
        """\
        from django.contrib.auth.hashers import Argon2PasswordHasher

        class Base(Argon2PasswordHasher):
            memory_cost = 64 * 1024
            parallelism = 4

        class Final(Base):
            time_cost = 3

        PASSWORD_HASHERS = ["x.Final"]
        """,
        ((4, "argon2id", {"memory_kib": 65536, "time_cost": 3, "parallelism": 4}),),
    ),
    Sample(
        "a count from the environment",
        "django",
        """\
        import os
        from django.contrib.auth.hashers import PBKDF2PasswordHasher
        DEFAULT = 900_000
        class H(PBKDF2PasswordHasher):
            iterations = int(os.environ.get("PBKDF2_ITERATIONS", DEFAULT))
        PASSWORD_HASHERS = [__name__ + ".H"]
        """,
        ((3, "pbkdf2-sha256", {"iterations": 900_000}),),
        words=("unless the environment sets PBKDF2_ITERATIONS",),
    ),
    Sample(
        "Django's own class changed",
        "django",
        f"""\
        from django.contrib.auth import hashers
        hashers.PBKDF2PasswordHasher.iterations = 123_456
        PASSWORD_HASHERS = ["{_STOCK}.PBKDF2PasswordHasher"]
        """,
        ((2, "pbkdf2-sha256", {"iterations": 123_456}),),
    ),
    Sample(
        "lists put together, and the last assignment",
        "django",
        f"""\
        from .base import *
        from django.contrib.auth.hashers import PBKDF2PasswordHasher
        class H(PBKDF2PasswordHasher): iterations = 7
        PASSWORD_HASHERS = ["{_STOCK}.ScryptPasswordHasher"]
        PASSWORD_HASHERS = ["here.H"] + PASSWORD_HASHERS
        """,
        ((3, "pbkdf2-sha256", {"iterations": 7}),),
        losers=(4,),
        words=("the last assignment wins",),
    ),
    Sample(
        "classes of Flask's configuration",
        "flask-bcrypt",
        """\
        import os

        class Config(object):
            BCRYPT_LOG_ROUNDS = 13

        class DevelopmentConfig(Config):
            DEBUG = True
            BCRYPT_LOG_ROUNDS = 4

        class TestingConfig(Config):
            TESTING, BCRYPT_LOG_ROUNDS = True, 4

        class ProductionConfig(Config):
            DEBUG = False
        """,
        ((4, "bcrypt", {"cost": 13}),),
        losers=(8, 11),
        words=("ProductionConfig has it", "only for tests and development"),
    ),
    Sample(
        "a configuration for production that overrides",
        "flask-bcrypt",
        """\
        class Config: BCRYPT_LOG_ROUNDS = 10
        class Prod(Config):
            BCRYPT_LOG_ROUNDS: int = int(os.getenv('ROUNDS') or "14")
        """,
        ((3, "bcrypt", {"cost": 14}),),
        losers=(1,),
        words=("unless the environment sets ROUNDS",),
    ),
    Sample(
        "an application's factory",
        "flask-bcrypt",
        """\
        ROUNDS = 12

        def create_app(testing=False):
            app = Flask(__name__)
            app.config.from_mapping(SECRET_KEY="dev", BCRYPT_LOG_ROUNDS=10)
            app.config["BCRYPT_LOG_ROUNDS"] = ROUNDS
            if testing:
                app.config["BCRYPT_LOG_ROUNDS"] = 4
            return app
        """,
        ((1, "bcrypt", {"cost": 12}),),
        losers=(5, 8),
        words=("the last one set wins",),
    ),
    Sample(
        "rounds of one call",
        "flask-bcrypt",
        """\
        from flask_bcrypt import generate_password_hash, Bcrypt
        bcrypt = Bcrypt(app)
        one = generate_password_hash("x", 10)
        two = bcrypt.generate_password_hash("x", rounds=11).decode()
        three = bcrypt.generate_password_hash("x")
        """,
        ((3, "bcrypt", {"cost": 10}), (4, "bcrypt", {"cost": 11})),
        words=("whatever BCRYPT_LOG_ROUNDS is",),
    ),
    Sample(
        "two methods of Werkzeug, one of them in a constant",
        "werkzeug",
        """\
        import os
        from werkzeug.security import check_password_hash, generate_password_hash as hashed

        METHOD = os.environ.get("HASH_METHOD", "pbkdf2:sha256:260000")
        # generate_password_hash("x", "pbkdf2:sha1:1")

        class User:
            def set(self, password):
                self.password = hashed(password, METHOD, salt_length=16)

        def admin(password):
            text = "generate_password_hash(x, 'pbkdf2:sha1:1')"
            return hashed(password, method=f"scrypt:{2**14}:8:1")
        """,
        (
            (4, "pbkdf2-sha256", {"iterations": 260_000}),
            (13, "scrypt", {"n": 16384, "r": 8, "p": 1}),
        ),
        words=("unless the environment sets HASH_METHOD",),
    ),
    Sample(
        "Werkzeug's defaults",
        "werkzeug",
        """\
        from werkzeug import security
        security.generate_password_hash("x")
        security.generate_password_hash("x", "pbkdf2")
        security.generate_password_hash("x", "pbkdf2:sha512")
        """,
        ((2, "scrypt", {}), (3, "pbkdf2-sha256", {}), (4, "pbkdf2-sha512", {})),
    ),
    Sample(
        "arguments by position, a profile, and another variant",
        "argon2-cffi",
        """\
        import argon2
        from argon2.profiles import RFC_9106_HIGH_MEMORY
        a = argon2.PasswordHasher(2, 19 * 1024, 1)
        b = argon2.PasswordHasher.from_parameters(RFC_9106_HIGH_MEMORY)
        c = argon2.PasswordHasher(time_cost=1, type=argon2.Type.I)
        d = argon2.PasswordHasher()
        """,
        (
            (3, "argon2id", {"memory_kib": 19456, "time_cost": 2, "parallelism": 1}),
            (4, "argon2id", {"memory_kib": 2_097_152, "time_cost": 1, "parallelism": 4}),
            (5, "argon2i", {"time_cost": 1}),
            (6, "argon2id", {}),
        ),
    ),
    Sample(
        "settings of pydantic, and a dictionary of arguments",
        "argon2-cffi",
        """\
        from argon2 import PasswordHasher
        from pydantic import Field
        from pydantic_settings import BaseSettings

        class Settings(BaseSettings):
            time_cost: int = Field(default=4)
            memory: int = 65536

        settings = Settings()
        OPTIONS = {"memory_cost": settings.memory, "parallelism": 2}
        hasher = PasswordHasher(time_cost=settings.time_cost, **OPTIONS)
        """,
        ((6, "argon2id", {"memory_kib": 65536, "time_cost": 4, "parallelism": 2}),),
        words=("unless the environment sets it",),
    ),
    Sample(
        "a hasher that tests have cheaper",
        "argon2-cffi",
        """\
        from argon2 import PasswordHasher
        if settings.TESTING:
            hasher = PasswordHasher(1, 8, 1)
        else:
            hasher = PasswordHasher(time_cost=3 if not settings.DEBUG else 1)
        """,
        ((5, "argon2id", {"time_cost": 3}),),
        losers=(3,),
        words=("line 2 is only for tests and development", "outside tests and development"),
    ),
    Sample(
        "two hashers of pwdlib",
        "pwdlib",
        """\
        from pwdlib import PasswordHash
        from pwdlib.hashers.argon2 import Argon2Hasher
        from pwdlib.hashers.bcrypt import BcryptHasher

        bcrypt = BcryptHasher(rounds=10)
        password_hash = PasswordHash((
            Argon2Hasher(time_cost=2, memory_cost=19456, parallelism=1),
            bcrypt,
        ))
        """,
        ((7, "argon2id", {"memory_kib": 19456, "time_cost": 2, "parallelism": 1}),),
        losers=(5,),
        words=("only the first hasher",),
    ),
    Sample(
        "what pwdlib recommends",
        "pwdlib",
        "from pwdlib import PasswordHash\nhash = PasswordHash.recommended()\n",
        ((2, "argon2id", {}),),
    ),
    Sample(
        "a context of FastAPI's tutorial",
        "passlib",
        """\
        from passlib.context import CryptContext
        pwd_context = CryptContext(schemes=["bcrypt"], deprecated="auto")
        """,
        ((2, "bcrypt", {}),),
        words=("passlib's default",),
    ),
    Sample(
        "a context with a deprecated scheme first",
        "passlib",
        """\
        from passlib.context import CryptContext
        context = CryptContext(
            schemes=["md5_crypt", "pbkdf2_sha256", "argon2"],
            deprecated=["md5_crypt"],
            pbkdf2_sha256__default_rounds=310_000,
            argon2__time_cost=3, argon2__memory_cost=65536,
        )
        """,
        ((5, "pbkdf2-sha256", {"iterations": 310_000}),),
        losers=(6,),
        words=("only checks older hashes",),
    ),
    Sample(
        "an INI text in Python, and handlers",
        "passlib",
        """\
        from passlib.context import CryptContext
        from passlib.hash import sha512_crypt
        context = CryptContext.from_string(\"\"\"
        [passlib]
        schemes = sha256_crypt
        sha256_crypt__rounds = 40000
        \"\"\")
        custom = sha512_crypt.using(rounds=5000)
        """,
        ((6, "sha256-crypt", {"rounds": 40000}), (8, "sha512-crypt", {"rounds": 5000})),
    ),
    Sample(
        "an INI file with categories, continuation lines and comments",
        "passlib",
        """\
        ; passwords
        [passlib]
        # the first one hashes
        schemes = sha512_crypt,
            bcrypt, ldap_pbkdf2_sha256
        default: bcrypt
        bcrypt__default_rounds : 11
        admin__bcrypt__default_rounds = 14
        sha512_crypt.min_rounds = 1000
        deprecated = auto
        """,
        ((7, "bcrypt", {"cost": 11}),),
        losers=(9,),
        words=("default names it",),
    ),
    Sample(
        "rounds of scrypt as a logarithm",
        "passlib",
        "[passlib]\nschemes = scrypt\nscrypt__default_rounds = 14\nscrypt__parallelism = 2\n",
        ((3, "scrypt", {"n": 16384, "p": 2}),),
    ),
    Sample(
        "a task of Ansible, with comments",
        "ansible",
        """\
        - name: users  # password_hash('md5')
          ansible.builtin.user:
            name: "{{ item }}"
            # password: "{{ x | password_hash('sha512', rounds=1000) }}"
            password: >-
              {{ secret | password_hash(
                   'sha512',
                   salt=lookup('pipe', 'echo a, b'), rounds=656000) }}
        - debug:
            msg: "{# x | password_hash('md5') #}{{ y|password_hash }}"
        """,
        ((6, "sha512-crypt", {"rounds": 656_000}), (10, "sha512-crypt", {})),
        words=("Ansible's default",),
    ),
    Sample(
        "rounds in variables of Ansible, and by position",
        "ansible",
        """\
        password_rounds: 12
        hashing: 'sha256_crypt'
        one: "{{ p | password_hash('bcrypt', rounds=password_rounds, ident='2b') }}"
        two: "{{ p | password_hash(hashing, 'somesalt', 16, 40_000) }}"
        three: "{{ p | password_hash('yescrypt', rounds=5) if false else '' }}"
        """,
        (
            (1, "bcrypt", {"cost": 12}),
            (4, "sha256-crypt", {"rounds": 40_000}),
            (5, "yescrypt", {"cost": 5}),
        ),
        words=("unless password_rounds is set elsewhere",),
    ),
    Sample(
        "a default of Ansible's own, and too few rounds",
        "ansible",
        """\
        one: "{{ p | password_hash('sha512', rounds=n | default(5000) | int) }}"
        two: "{{ p | password_hash('sha512', rounds=500) }}"
        three: "{{ p | password_hash('sha512', rounds=0) }}"
        """,
        (
            (1, "sha512-crypt", {"rounds": 5000}),
            (2, "sha512-crypt", {"rounds": 1000}),
            (3, "sha512-crypt", {}),
        ),
        words=("unless n is set elsewhere", "libxcrypt makes 1000 of it", "0 for its default"),
    ),
)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.app}: {sample.about}")
def test_a_sample(sample: Sample) -> None:
    """The line that wins is the one that the application uses, and what is said is why."""
    found = read(sample.app, sample.text)
    whys = " | ".join(each.why for each in found)
    winners = tuple((each.line, each.hasher, each.params) for each in found if each.wins)
    assert sample.winners == winners, found
    assert sample.losers == tuple(each.line for each in found if not each.wins), found
    assert all(word in whys for word in sample.words), whys


@pytest.mark.parametrize(
    ("app", "text", "words"),
    [
        (
            "django",
            """\
            from django.contrib.auth.hashers import PBKDF2PasswordHasher
            class H(PBKDF2PasswordHasher):
                iterations = PBKDF2PasswordHasher.iterations * 100
            """,
            "iterations is PBKDF2PasswordHasher.iterations * 100, known only at run time;",
        ),
        (
            "django",
            "PASSWORD_HASHERS = ['shop.hashers.Slow']\n",
            "line 1: PASSWORD_HASHERS begins with 'shop.hashers.Slow'",
        ),
        (
            "django",
            f"PASSWORD_HASHERS = ['{_STOCK}.OwnPasswordHasher']\n",
            "OwnPasswordHasher, which has no cost",
        ),
        ("django", "PASSWORD_HASHERS = load()\n", "line 1: PASSWORD_HASHERS is not a list"),
        ("flask-bcrypt", "BCRYPT_LOG_ROUNDS = '12'\n", "line 1: BCRYPT_LOG_ROUNDS is '12', which"),
        ("flask-bcrypt", "BCRYPT_LOG_ROUNDS = os.environ['X']\n", "known only at run time"),
        ("werkzeug", "generate_password_hash('x', 'rot13')\n", "line 1: Werkzeug takes no method"),
        ("werkzeug", "generate_password_hash('x', 'scrypt:2:x:1')\n", "not a whole number"),
        ("werkzeug", "generate_password_hash('x', **more)\n", "known only at run time"),
        ("argon2-cffi", "PasswordHasher(time_cost=load())\n", "line 1: time_cost is load(...)"),
        ("pwdlib", "PasswordHash(load())\n", "line 1: the hashers of PasswordHash"),
        ("passlib", "[passlib]\nschemes = fshp\n", "'fshp', whose cost"),
        ("passlib", "CryptContext(['bcrypt'], deprecated=['bcrypt'])\n", "passlib refuses it"),
        ("passlib", "[passlib]\nschemes = bcrypt\nbcrypt__rounds = x\n", "not a whole number"),
        (
            "passlib",
            "[passlib]\nschemes = bcrypt\nbcrypt__rounds = 5\nbcrypt__rounds = 6\n",
            "line 4: bcrypt__rounds is set twice",
        ),
        ("ansible", "x: \"{{ y | password_hash('x') }}\"\n", "line 1: password_hash with 'x'"),
        ("ansible", "x: \"{{ y | password_hash('sha512', rounds=n) }}\"\n", "rounds is n"),
    ],
)
def test_what_cannot_be_told(app: str, text: str, words: str) -> None:
    """What only running the file tells, or the application refuses, is one clear line."""
    with pytest.raises(UnreadableInputError) as raised:
        read(app, text)
    assert words in str(raised.value)


def test_conditions_that_nobody_can_tell() -> None:
    """Where a condition decides, every value that may hold is found, and it is said."""
    found = read(
        "flask-bcrypt",
        """\
        BCRYPT_LOG_ROUNDS = 12
        if os.cpu_count() > 4:
            BCRYPT_LOG_ROUNDS = 13
        """,
    )
    assert [(1, True), (3, True)] == [(each.line, each.wins) for each in found]
    assert all("conditions decide" in each.why for each in found)


@pytest.mark.parametrize(
    ("condition", "tests"),
    [
        ("TESTING", True),
        ("settings.DEBUG", True),
        ("not DEBUG", False),
        ("'pytest' in sys.modules", True),
        ("'test' not in sys.argv", False),
        ("os.environ.get('CI')", True),
        ("env.bool('DEBUG', default=False)", True),
        ("ENVIRONMENT == 'production'", False),
        ("ENVIRONMENT != 'production'", True),
        ("os.environ['STAGE'] in 'test'", True),
        ("TESTING is False", False),
    ],
)
def test_conditions_of_tests(condition: str, *, tests: bool) -> None:
    """What stands under a condition of tests is set apart, and its opposite is not."""
    text = f"BCRYPT_LOG_ROUNDS = 12\nif {condition}:\n    BCRYPT_LOG_ROUNDS = 4\n"
    found = read("flask-bcrypt", text)
    assert [1 if tests else 3] == [each.line for each in found if each.wins]
    assert all(each.why for each in found)
