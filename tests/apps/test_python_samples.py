"""Configurations of Python applications as they are found, and which line of them wins."""

from __future__ import annotations

import tomllib
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from apps.test_readers import told
from hashcost.apps.interface import App, Found
from hashcost.apps.registry import load_app
from hashcost.core.errors import UnreadableInputError


def read(name: str, text: str) -> tuple[Found, ...]:
    """What an application's reader finds."""
    app = load_app(name)
    assert isinstance(app, App)
    return app.read(dedent(text))


SAMPLES: Final[list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("python_samples.toml").read_text("utf-8")
)["sample"]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: f"{one['app']}: {one['about']}")
def test_a_sample(sample: dict[str, Any]) -> None:
    """The line that wins is the one that the application uses, and what is said is why."""
    found = read(sample["app"], sample["text"])
    assert [told(cost) for cost in found if cost.wins] == sample["is"]
    assert [cost.line for cost in found if not cost.wins] == sample.get("lost", [])
    whys = " | ".join(cost.why for cost in found)
    assert all(word in whys for word in sample.get("words", ())), whys


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
            "PASSWORD_HASHERS = ['django.contrib.auth.hashers.OwnPasswordHasher']\n",
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
