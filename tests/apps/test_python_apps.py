"""Every Python application: what is written is read, whatever else the file holds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hashcost.apps.interface import App, Found, Scheme
from hashcost.apps.registry import load_app
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params
from laws import examples

NAMES = ("django", "passlib", "werkzeug", "flask-bcrypt", "argon2-cffi", "pwdlib", "ansible")
HEADER = (
    "# hashcost 0.1.0, 2026-11-20: cost=12\n"
    "# takes 201 ms of 250 ms, by bcrypt 5.0.0\n"
    "# on 2 x AMD EPYC, password_hash('md5'), BCRYPT_LOG_ROUNDS = 4, [passlib]\n"
)
AROUND = {
    "django": ('"""Settings."""\nDEBUG = False\nSECRET_KEY = "x"\n', "\nUSE_TZ = True\n"),
    "passlib": ("[server]\nport = 80\n\n", "\n[other]\nschemes = md5_crypt\n"),
    "werkzeug": ("from flask import Flask\n\napp = Flask(__name__)\n", "\nPORT = 80\n"),
    "flask-bcrypt": ("DEBUG = False\n\n", '\nSECRET_KEY = "x"\n'),
    "argon2-cffi": ("import logging\n", "\n\ndef check(password: str) -> bool:\n    ...\n"),
    "pwdlib": ("import logging\n", '\n\nprint(password_hash.hash("x"))\n'),
    "ansible": ("---\nname: someone\n", "shell: /bin/sh\n"),
}
"""What stands before and after the snippet in a file of the application."""

_SCHEMES = [
    pytest.param(app, scheme, id=f"{app.name} {scheme.hasher}")
    for app in (load_app(name) for name in NAMES)
    if isinstance(app, App)
    for scheme in app.schemes
]
each_scheme = pytest.mark.parametrize(("app", "scheme"), _SCHEMES)


def costs(scheme: Scheme) -> st.SearchStrategy[Params]:
    """Every cost that the application takes."""
    drawn = {
        name: st.integers(limits.minimum, limits.maximum)
        if name != "n"
        else st.integers(1, 20).map(lambda log2: 1 << log2)
        for name, limits in scheme.limits.items()
    }
    if "r" in drawn:
        drawn |= {"r": st.integers(1, 32), "p": st.integers(1, 64)}
    return st.fixed_dictionaries(drawn).filter(lambda params: not scheme.refuses(params))


@each_scheme
@given(data=st.data())
@settings(examples(40), suppress_health_check=[HealthCheck.filter_too_much])
def test_what_is_written_is_read(app: App, scheme: Scheme, data: st.DataObject) -> None:
    """Every legal cost comes back from its snippet, with the comment at its head and inside
    a file of the application, as the one that wins.
    """
    params = data.draw(costs(scheme))
    snippet = scheme.write(params)
    before, after = AROUND[app.name]
    for text in (snippet, HEADER + snippet, before + HEADER + snippet + after):
        (found,) = app.read(text)
        assert (scheme.hasher, params, True) == (found.hasher, found.params, found.wins)
        assert not found.why
        assert text.splitlines()[found.line - 1].strip()


@each_scheme
def test_the_limits_name_what_can_be_set(app: App, scheme: Scheme) -> None:
    """Every param with a key has a range, and every default lies within it."""
    assert set(scheme.keys) == set(scheme.limits)
    for default in scheme.defaults:
        assert set(default.params) == set(scheme.keys)
        assert not scheme.refuses(default.params)
        for name, value in default.params.items():
            assert scheme.limits[name].nearest(value) == value
        assert default.source
        assert default.since


def _read(name: str, text: str) -> tuple[tuple[Found, ...], str]:
    """The costs in a text, or what is said where it is unreadable."""
    app = load_app(name)
    assert isinstance(app, App)
    try:
        return app.read(text), ""
    except UnreadableInputError as error:
        return (), str(error)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "\0",
        "x = 1\0",
        "def f(:\n",
        "(" * 5000 + ")" * 5000,
        "x = " + "[" * 150 + "]" * 150,
        "x = " + "-" * 20_000 + "1",
        "x = a" + ".b" * 20_000,
        "x = " + "f(" * 90 + ")" * 90,
        "x = 1" + " + 1" * 20_000,
        "if a: pass\n" + "elif a: pass\n" * 5000,
        "x = " + "9" * 5000,
        "x = 2 ** 2 ** 2 ** 2 ** 2 ** 2 ** 2",
        "x = 1 << 10 ** 18",
        "x = [1]\n" + "x = x + x\n" * 200,
        "x = '1'\n" + "x = x + x\n" * 200,
        "\ud800 = 1",
        "class A(B): pass\nclass B(A): pass\nPASSWORD_HASHERS = ['x.A']\n",
        "a = b\nb = a\nBCRYPT_LOG_ROUNDS = a\n",
        "[passlib\nschemes=",
        "[passlib]\nschemes = bcrypt\nschemes = argon2\n",
        "[passlib]\n[passlib]\n",
        "[passlib]\nschemes\n",
        "[passlib]\nschemes = bcrypt\nbcrypt__rounds = %(a)s\na = %(bcrypt__rounds)s\n",
        "{{ x | password_hash(",
        "{{ x | password_hash('sha512', " + "(" * 1000,
        "x" * ((1 << 20) + 1),
    ],
    ids=range(28),
)
def test_what_is_no_configuration(name: str, text: str) -> None:
    """Whatever the text, there are costs, or one line that says why there are none."""
    _, refusal = _read(name, text)
    assert "\n" not in refusal
    assert len(refusal) < 300


_WORDS = st.sampled_from(
    (
        *("PASSWORD_HASHERS", "BCRYPT_LOG_ROUNDS", "PasswordHasher(", "PasswordHash("),
        *("Argon2Hasher(", "CryptContext(", "generate_password_hash(", "PBKDF2PasswordHasher"),
        *("iterations", "=", "==", "[", "]", "(", ")", ",", ":", "|", "{", "}", "''", '"x"'),
        *("12", "class", "def", "if", "else:", "for", "in", "import", "from", "as", "lambda"),
        *("*", "**", ".", "..", "+", "not", "None", "True", "rounds=", "method=", "schemes="),
        *("[passlib]\n", "bcrypt__rounds=", "password_hash(", "'sha512'", "{{", "}}", "#"),
        *("\n", "\n    ", "\t"),
    )
)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(max_size=200) | st.lists(_WORDS, max_size=30).map(" ".join))
@examples(150)
def test_any_text(name: str, text: str) -> None:
    """No text makes a reader fail otherwise than as unreadable input."""
    found, refusal = _read(name, text)
    assert "\n" not in refusal
    assert all(each.line >= 1 for each in found)
