"""A snippet of each Python application, put where it belongs, in the program itself."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, TIMEOUT_SECONDS, calibrate, environment
from end_to_end.emitted import PASSWORD, app_of, emitted
from hashcost.apps.django_import import import_hasher
from hashcost.apps.interface import Scheme
from hashcost.core.errors import UnreadableInputError, UsageError

pytestmark = pytest.mark.slow


def _release(package: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version(package).split(".")[:2])


@dataclass(frozen=True)
class Program:
    """Where a snippet goes, and what is run there to hash a password and verify it.

    It prints JSON: the stored hash, and whether it verifies the right password and a
    wrong one.
    """

    app: str
    file: str
    run: str


_DJANGO = """
import django, json, os
os.environ["DJANGO_SETTINGS_MODULE"] = "site_settings"
django.setup()
from django.contrib.auth.hashers import check_password, make_password
stored = make_password(PASSWORD)
print(json.dumps([stored, check_password(PASSWORD, stored), check_password("x", stored)]))
"""
_DJANGO_MODULE = _DJANGO.replace(
    "import django,",
    'open("site_settings.py", "w").write("from hashers import *")\nimport django,',
)
_PASSLIB = """
import json
from passlib.context import CryptContext
context = CryptContext.from_string(open("passlib.ini").read())
stored = context.hash(PASSWORD)
assert not context.needs_update(stored)
print(json.dumps([stored, context.verify(PASSWORD, stored), context.verify("x", stored)]))
"""
_WERKZEUG = """
import json
from passwords import generate_password_hash
from werkzeug.security import check_password_hash as check
stored = generate_password_hash(PASSWORD)
print(json.dumps([stored, check(stored, PASSWORD), check(stored, "x")]))
"""
_FLASK = """
import json
from flask import Flask
from flask_bcrypt import Bcrypt
app = Flask(__name__)
app.config.from_pyfile("config.py")
bcrypt = Bcrypt(app)
@app.post("/")
def index():
    stored = bcrypt.generate_password_hash(PASSWORD)
    check = bcrypt.check_password_hash
    return [stored.decode(), check(stored, PASSWORD), check(stored, "x")]
print(json.dumps(app.test_client().post("/").json))
"""
_ARGON2 = """
import argon2, json
from passwords import password_hasher as hasher
stored = hasher.hash(PASSWORD)
assert not hasher.check_needs_rehash(stored)
def check(password):
    try:
        return hasher.verify(stored, password)
    except argon2.exceptions.VerifyMismatchError:
        return False
print(json.dumps([stored, check(PASSWORD), check("x")]))
"""
_PWDLIB = """
import json
from passwords import password_hash
stored = password_hash.hash(PASSWORD)
assert password_hash.verify_and_update(PASSWORD, stored) == (True, None)
check = password_hash.verify
print(json.dumps([stored, check(PASSWORD, stored), check("x", stored)]))
"""
_ANSIBLE = """
import json, os, re, subprocess, sys
from pathlib import Path
done = subprocess.run(
    [str(Path(sys.executable).with_name("ansible")), "localhost", "-o", "-m", "debug",
     "-e", "@vars.yml", "-e", json.dumps({"password": PASSWORD}), "-a", "var=hashed_password"],
    capture_output=True, text=True, env=dict(os.environ, ANSIBLE_LOCAL_TEMP=os.getcwd(),
    ANSIBLE_HOME=os.getcwd(), LC_ALL="C.UTF-8", PYTHONPATH=os.path.abspath("absent")),
    check=False)
if done.returncode:
    sys.exit(done.stdout + done.stderr)
stored = re.search(r'"hashed_password": "([^"]+)"', done.stdout)[1]
from hashcost.hashers import libcrypt
def check(password):
    return libcrypt.load().caller(password.encode(), stored.encode())() == stored.encode()
print(json.dumps([stored, check(PASSWORD), check("x")]))
"""

PROGRAMS: Final = (
    Program("django", "site_settings.py", _DJANGO),
    Program("passlib", "passlib.ini", _PASSLIB),
    Program("werkzeug", "passwords.py", _WERKZEUG),
    Program("flask-bcrypt", "config.py", _FLASK),
    Program("argon2-cffi", "passwords.py", _ARGON2),
    Program("pwdlib", "passwords.py", _PWDLIB),
    Program("ansible", "vars.yml", _ANSIBLE),
)


_CASES = [
    pytest.param(program, scheme, id=f"{program.app} {scheme.hasher}")
    for program in PROGRAMS
    for scheme in app_of(program.app).schemes
]


def _program(program: Program, folder: Path, snippet: str) -> tuple[str, bool, bool]:
    (folder / program.file).write_text(snippet, "utf-8")
    (folder / "run_it.py").write_text(f"PASSWORD = {PASSWORD!r}\n{program.run}", "utf-8")
    done = subprocess.run(
        [sys.executable, "run_it.py"],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env=environment(),
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    stored, right, wrong = json.loads(done.stdout)
    return stored, right, wrong


def _skip_what_is_not_there(program: Program, scheme: Scheme, folder: Path) -> None:
    """Ansible has yescrypt since 2.21, and refuses it where passlib is installed."""
    if program.app == "ansible" and scheme.hasher == "yescrypt":
        if _release("ansible-core") < (2, 21):
            pytest.skip(f"ansible-core {version('ansible-core')} has no yescrypt")
        (folder / "absent").mkdir()
        (folder / "absent" / "passlib.py").write_text("raise ImportError\n")


@pytest.mark.parametrize(("program", "scheme"), _CASES)
def test_round_trip(program: Program, scheme: Scheme, tmp_path: Path) -> None:
    """The program that runs with the snippet stores hashes of exactly the emitted cost, and
    verifies them.
    """
    _skip_what_is_not_there(program, scheme, tmp_path)
    cost = emitted(program.app, scheme.hasher, tmp_path)
    stored, right, wrong = _program(program, tmp_path, cost.snippet)
    assert (True, False) == (right, wrong)
    cost.assert_stored(stored)


def test_django_in_a_module(tmp_path: Path) -> None:
    """The snippet works too in a module that the settings import."""
    cost = emitted("django", "pbkdf2-sha256", tmp_path)
    stored, right, _ = _program(
        Program("django", "hashers.py", _DJANGO_MODULE), tmp_path, cost.snippet
    )
    assert right
    cost.assert_stored(stored)


def test_django_reads_stored_hashes_still(tmp_path: Path) -> None:
    """With the snippet, a hash of Django's own default is verified, and hashed anew."""
    cost = emitted("django", "pbkdf2-sha256", tmp_path)
    source = _DJANGO.replace(
        "stored = make_password(PASSWORD)",
        "stored, anew = make_password(PASSWORD, hasher='scrypt'), []\n"
        "assert check_password(PASSWORD, stored, anew.append)\n"
        "assert anew == [PASSWORD]",
    )
    program = Program("django", "site_settings.py", source)
    _, right, wrong = _program(program, tmp_path, cost.snippet)
    assert (True, False) == (right, wrong)


@pytest.mark.parametrize("scheme", app_of("django").schemes, ids=lambda scheme: scheme.hasher)
def test_django_itself_is_asked(scheme: Scheme, tmp_path: Path) -> None:
    """What Django resolves of the settings is what was emitted."""
    cost = emitted("django", scheme.hasher, tmp_path)
    settings = tmp_path / "site_settings.py"
    settings.write_text("print('noise')\n" + cost.snippet)
    imported = import_hasher("site_settings", folder=tmp_path)
    assert imported.cost is not None
    line = settings.read_text().splitlines()[imported.cost.line - 1]
    assert version("django") == imported.release
    assert (cost.params, str(settings)) == (imported.cost.params, imported.path)
    assert f"class {imported.name}(hashers.{imported.name.removeprefix('Calibrated')}):" == line


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("raise ValueError('postgresql://bob:hunter2@host/db')", "it raised ValueError"),
        ("import sys; sys.exit('hunter2')", "it ended with 1"),
        ("import os, sys; sys.stderr.write('hunter2\\n'); os._exit(3)", "it ended with 3"),
        ("import os; os.kill(os.getpid(), 9)", "it ended with -9"),
        ("raise type('\\x1b[2J::error::', (Exception,), {})", r"it raised \x1b[2J::error::"),
        ("import hunter2_is_missing", "there is no module hunter2_is_missing"),
        ("PASSWORD_HASHERS = ['a.B']", "there is no module a"),
        ("x = (", "it raised SyntaxError"),
    ],
)
def test_django_keeps_its_words_for_itself(settings: str, reason: str, tmp_path: Path) -> None:
    """Of an error only its kind is said: its words may hold a password."""
    (tmp_path / "broken.py").write_text(settings)
    ended = calibrate(
        *("check", "--app", "django", "--import"),
        cwd=tmp_path,
        env={"DJANGO_SETTINGS_MODULE": "broken"},
    )
    assert (2, "") == (ended.code, ended.out)
    assert f"Django does not load broken: {reason}; `python -m django check` shows" in ended.err
    assert "hunter2" not in ended.err.replace("hunter2_is_missing", "")


def test_django_is_not_handed_our_variables(tmp_path: Path) -> None:
    """The settings see the environment without HASHCOST_DATABASE, which has a password."""
    (tmp_path / "curious.py").write_text(
        "import os\n"
        "from django.contrib.auth.hashers import PBKDF2PasswordHasher\n"
        "class Hasher(PBKDF2PasswordHasher):\n"
        "    iterations = 100_000 + len([name for name in os.environ if 'HASHCOST' in name])\n"
        "PASSWORD_HASHERS = ['curious.Hasher']\n"
        "assert os.environ['ITS_OWN'] == 'kept'\n"
    )
    ended = calibrate(
        *("check", "--app", "django", "--import", "--profile", str(MADE_UP), "--format", "json"),
        cwd=tmp_path,
        env={
            "DJANGO_SETTINGS_MODULE": "curious",
            "HASHCOST_DATABASE": "postgresql://bob:hunter2@host/db",
            "ITS_OWN": "kept",
        },
    )
    [row] = json.loads(ended.out)["results"]
    assert {"iterations": 100_000} == row["params"]


def test_django_without_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the name of the settings, or with no name, nothing is run; settings that take too
    long are not waited for.
    """
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    for name in (None, "", "a b", "a;b", "-c", "a/b.py"):
        with pytest.raises(UsageError):
            import_hasher(name, folder=tmp_path)
    with pytest.raises(UnreadableInputError, match="cannot run"):
        import_hasher("a", folder=tmp_path, python=str(tmp_path / "python"))
    (tmp_path / "slow.py").write_text("import time; time.sleep(60)")
    with pytest.raises(UnreadableInputError, match="longer than 2 s"):
        import_hasher("slow", folder=tmp_path, timeout_seconds=2.0)


def test_django_with_a_hasher_that_has_no_cost(tmp_path: Path) -> None:
    """A first hasher without a cost is named, and no other wins in its place."""
    names = [
        f"django.contrib.auth.hashers.{each}"
        for each in ("MD5PasswordHasher", "ScryptPasswordHasher")
    ]
    (tmp_path / "fast.py").write_text(f"PASSWORD_HASHERS = {names}\n")
    imported = import_hasher("fast", folder=tmp_path)
    assert (imported.name, imported.cost) == ("MD5PasswordHasher", None)
