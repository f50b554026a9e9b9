"""Ask Django, in a process of its own, how it resolves its settings.

Unlike everything else here, this runs the settings; only for those who ask for it.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from hashcost.apps.formats.python_settings import STOCK, UNFIT
from hashcost.apps.interface import Found
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.text import printable
from hashcost.documents.files import reason_of

_MODULE: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_MARK: Final = "hashcost-django-hashers:"

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
def place(kind, names):
    for each in kind.__mro__:
        if any(name in vars(each) for name in names):
            try:
                return inspect.getsourcefile(each) or "", inspect.getsourcelines(each)[1]
            except (OSError, TypeError):
                break
    return "", 0
answer = []
names = json.loads(sys.argv[1])
for hasher in get_hashers():
    path, line = place(type(hasher), [name for each in names.values() for name in each])
    ancestors = [each.__name__ for each in type(hasher).__mro__
                 if each.__module__ == "django.contrib.auth.hashers"]
    stock = next((name for name in ancestors if name in names), "")
    values = {name: getattr(hasher, name) for name in names.get(stock, ())}
    answer.append({
        "name": type(hasher).__name__, "stock": stock, "path": path, "line": line,
        "values": {k: v for k, v in values.items() if type(v) is int},
    })
say(release=django.get_version(), hashers=answer)
"""
"""Only names of classes and modules and the numbers of costs come back: no setting is looked
at, and the words of an error, which may quote one, stay behind.
"""
_OURS: Final = "HASHCOST_"
"""How the names of our own variables begin, which may hold a password and are for no other."""


class _Answered(msgspec.Struct, frozen=True):
    name: str
    stock: str
    path: str
    line: int
    values: dict[str, int]


class _Answer(msgspec.Struct, frozen=True):
    release: str = ""
    hashers: tuple[_Answered, ...] = ()
    failed: str = ""
    missing: str = ""


@dataclass(frozen=True, kw_only=True)
class ImportedHasher:
    """A hasher of ``PASSWORD_HASHERS``: its class, the file that it is in, and its cost.

    ``found.line`` is 0, and ``path`` empty, where Python has no source of it.
    """

    name: str
    path: str
    found: Found


@dataclass(frozen=True, kw_only=True)
class Imported:
    """The answer of Django; the first hasher is the one that hashes new passwords.

    ``costless`` names the class of that one where it has no cost (MD5PasswordHasher).
    """

    release: str
    hashers: tuple[ImportedHasher, ...]
    costless: str = ""

    @property
    def is_unfit(self) -> bool:
        """Whether that one is no password hash."""
        return self.costless in UNFIT


def import_hashers(
    settings_module: str | None = None,
    *,
    folder: Path | None = None,
    python: str = sys.executable,
    timeout_seconds: float = 60.0,
) -> Imported:
    """Let Django resolve its settings, and return the costs of its hashers.

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
    names = msgspec.json.encode({name: list(each.attributes) for name, each in STOCK.items()})
    command = [python, "-c", _ASK, names.decode(), _MARK]
    try:
        ended = subprocess.run(  # noqa: S603 - a list without a shell; the names are checked
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=folder,
            env=_environment(module),
            timeout=timeout_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableInputError(
            f"--import: Django took longer than {timeout_seconds:g} s to load its settings"
        ) from None
    except OSError as error:
        reason = reason_of(error)
        raise UnreadableInputError(f"--import: cannot run {command[0]}: {reason}") from error
    answer = _answer(ended, module)
    costless = answer.hashers[0].name if answer.hashers and not answer.hashers[0].stock else ""
    return Imported(
        release=printable(answer.release)[:40],
        hashers=tuple(_imported(answer.hashers)),
        costless=printable(costless)[:60],
    )


def _environment(module: str) -> dict[str, str]:
    """The environment that the settings are run in."""
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(_OURS)}
    return {**inherited, "DJANGO_SETTINGS_MODULE": module}


def _answer(ended: subprocess.CompletedProcess[bytes], module: str) -> _Answer:
    """Read the answer of Django."""
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


def _imported(answered: Sequence[_Answered]) -> Iterator[ImportedHasher]:
    for index, each in enumerate(answered):
        if each.stock not in STOCK:
            continue
        stock, values = STOCK[each.stock], each.values
        found = Found(
            hasher=stock.hasher,
            params={
                param: values[name] for name, param in stock.attributes.items() if name in values
            },
            line=each.line,
            why="the first of PASSWORD_HASHERS hashes new passwords",
        )
        yield ImportedHasher(
            name=printable(each.name)[:60],
            path=each.path,
            found=found.unless("it only checks older hashes" if index else ""),
        )
