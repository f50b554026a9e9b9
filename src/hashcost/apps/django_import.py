"""Ask Django, in a process of its own, how it resolves its settings.

Unlike everything else here, this runs the settings; only for those who ask for it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec

from hashcost.apps.formats.python_settings import STOCK, UNFIT
from hashcost.apps.interface import Found
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.text import printable
from hashcost.documents.files import reason_of

_MODULE: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_MARK: Final = "hashcost-django-hasher:"

_ASK: Final = """
import inspect, json, sys
def say(**answer):
    print()
    print(sys.argv[2] + json.dumps(answer))
def failed(kind, error, trace):
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    say(failed=kind.__name__, missing=missing or "")
sys.excepthook = failed
import django
from django.contrib.auth.hashers import get_hashers
names = json.loads(sys.argv[1])
hasher = get_hashers()[0]
ancestors = [each.__name__ for each in type(hasher).__mro__
             if each.__module__ == "django.contrib.auth.hashers"]
stock = next((name for name in ancestors if name in names), "")
costs = {name for attributes in names.values() for name in attributes}
owner = next((each for each in type(hasher).__mro__ if costs & vars(each).keys()), None)
try:
    path, line = inspect.getsourcefile(owner) or "", inspect.getsourcelines(owner)[1]
except (OSError, TypeError):
    path, line = "", 0
values = {name: getattr(hasher, name) for name in names.get(stock, ())}
values = {name: value for name, value in values.items() if type(value) is int}
say(release=django.get_version(), name=type(hasher).__name__, stock=stock, path=path, line=line,
    values=values)
"""
"""Only names of classes and modules and the numbers of costs come back: no setting is looked
at, and the words of an error, which may quote one, stay behind.
"""
_OURS: Final = "HASHCOST_"
"""How the names of our own variables begin, which may hold a password and are for no other."""


class _Answer(msgspec.Struct, frozen=True):
    release: str = ""
    name: str = ""
    stock: str = ""
    path: str = ""
    line: int = 0
    values: dict[str, int] = {}
    failed: str = ""
    missing: str = ""


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """Django's answer: its release, and the class that hashes new passwords with its cost.

    ``path`` is empty, and the line of ``cost`` 0, where Python has no source of the class;
    without a ``cost`` the class has none (MD5PasswordHasher).
    """

    release: str
    name: str
    path: str = ""
    cost: Found | None = None

    @property
    def is_unfit(self) -> bool:
        """Whether the class is no password hash."""
        return self.name in UNFIT


def import_hasher(
    settings_module: str | None = None,
    *,
    folder: Path | None = None,
    python: str = sys.executable,
    timeout_seconds: float = 60.0,
) -> Imported:
    """Let Django resolve its settings, and return the hasher of new passwords.

    ``settings_module`` is a dotted name, or that of DJANGO_SETTINGS_MODULE; ``folder``
    the one that has ``manage.py``; ``python`` the interpreter that Django is installed for.

    Raises:
        UsageError: no settings module is named.
        UnreadableInputError: Django does not load them; the message says why.
    """
    module = settings_module or os.environ.get("DJANGO_SETTINGS_MODULE", "")
    if not _MODULE.fullmatch(module):
        what = f"{printable(module)[:60]!r} is not a dotted name" if module else "it is not set"
        raise UsageError(f"--import: name the settings in DJANGO_SETTINGS_MODULE; {what}")
    names = msgspec.json.encode({name: list(stock.attributes) for name, stock in STOCK.items()})
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(_OURS)}
    try:
        ended = subprocess.run(  # noqa: S603 - a list without a shell; the names are checked
            [python, "-c", _ASK, names.decode(), _MARK],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=folder,
            env={**inherited, "DJANGO_SETTINGS_MODULE": module},
            timeout=timeout_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableInputError(
            f"--import: Django took longer than {timeout_seconds:g} s to load its settings"
        ) from None
    except OSError as error:
        reason = reason_of(error)
        raise UnreadableInputError(f"--import: cannot run {python}: {reason}") from error
    answer = _answer(ended, module)
    cost = None
    if answer.stock in STOCK:
        stock = STOCK[answer.stock]
        params = {stock.attributes[name]: value for name, value in answer.values.items()}
        cost = Found(hasher=stock.hasher, params=params, line=answer.line)
    return Imported(
        release=printable(answer.release)[:40],
        name=printable(answer.name)[:60],
        path=answer.path,
        cost=cost,
    )


def _answer(ended: subprocess.CompletedProcess[bytes], module: str) -> _Answer:
    mark = _MARK.encode()
    lines = [line for line in ended.stdout.splitlines() if line.startswith(mark)]
    try:
        answer = msgspec.json.decode(lines[-1][len(mark) :], type=_Answer) if lines else _Answer()
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise UnreadableInputError("--import: Django's answer is not readable") from None
    if ended.returncode or not answer.release:
        reason = f"it ended with {ended.returncode}"
        if answer.missing:
            reason = f"there is no module {printable(answer.missing)[:60]}"
        elif answer.failed:
            reason = f"it raised {printable(answer.failed)[:60]}"
        raise UnreadableInputError(
            f"--import: Django does not load {module}: {reason}; `python -m django check` shows"
            " the rest, which may hold secrets and is not shown here"
        )
    return answer
