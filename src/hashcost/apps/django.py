"""Django: hashers with another cost, and ``PASSWORD_HASHERS`` that names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.interface import App, Default, Found, Scheme, Write
from hashcost.apps.libraries import (
    ARGON2_CFFI,
    ARGON2_LIMITS,
    BCRYPT_LIMITS,
    HASHLIB,
    MAXMEM_DEFAULT,
    MAXMEM_LIMIT,
    PBKDF2_LIMITS,
    PYCA_BCRYPT,
    SCRYPT_LIMITS,
    argon2_refusal,
    scrypt_bytes,
    scrypt_refusal,
)
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.core.model import Params
from hashcost.source_code.python_file import Assigned, Class, PythonFile
from hashcost.source_code.python_settings import Setting, chosen, settings_named
from hashcost.source_code.python_statements import read_python
from hashcost.source_code.values import Value, shown, whole

_SOURCE: Final = "django/django, django/contrib/auth/hashers.py"
_MODULE: Final = "django.contrib.auth.hashers"
_STOCK: Final = (
    "PBKDF2PasswordHasher",
    "PBKDF2SHA1PasswordHasher",
    "Argon2PasswordHasher",
    "BCryptSHA256PasswordHasher",
    "ScryptPasswordHasher",
)
"""What ``PASSWORD_HASHERS`` holds where it is not set (django/conf/global_settings.py)."""
_ONLY_IMPORT: Final = "; --import asks Django itself"


@dataclass(frozen=True)
class Stock:
    """A hasher that Django has: what it hashes with, and the attributes of its cost."""

    hasher: str
    attributes: Mapping[str, str]


_ITERATIONS: Final = {"iterations": "iterations"}
_ROUNDS: Final = {"rounds": "cost"}

STOCK: Final = {
    "PBKDF2PasswordHasher": Stock("pbkdf2-sha256", _ITERATIONS),
    "PBKDF2SHA1PasswordHasher": Stock("pbkdf2-sha1", _ITERATIONS),
    "Argon2PasswordHasher": Stock(
        "argon2id",
        {"memory_cost": "memory_kib", "time_cost": "time_cost", "parallelism": "parallelism"},
    ),
    "BCryptSHA256PasswordHasher": Stock("bcrypt", _ROUNDS),
    "BCryptPasswordHasher": Stock("bcrypt", _ROUNDS),
    "ScryptPasswordHasher": Stock(
        "scrypt", {"work_factor": "n", "block_size": "r", "parallelism": "p"}
    ),
}
"""Django's hashers by their class."""


def _writer(stock: str) -> Write:
    def write(params: Params) -> str:
        attributes = {
            name: params[param]
            for name, param in STOCK[stock].attributes.items()
            if param in params
        }
        if stock == "ScryptPasswordHasher" and scrypt_bytes(params) > MAXMEM_DEFAULT:
            attributes["maxmem"] = scrypt_bytes(params)
        body = "".join(f"    {name} = {value}\n" for name, value in attributes.items())
        others = "".join(f'    "{_MODULE}.{each}",\n' for each in _STOCK if each != stock)
        return (
            "from django.contrib.auth import hashers\n\n\n"
            f"class Calibrated{stock}(hashers.{stock}):\n{body}\n\n"
            "PASSWORD_HASHERS = [\n"
            f'    f"{{__name__}}.Calibrated{stock}",\n{others}]\n'
        )

    return write


def scrypt_accepts(params: Params) -> str:
    """Why Django refuses a setting of scrypt even with the ``maxmem`` that it needs."""
    return scrypt_refusal(params, MAXMEM_LIMIT)


# Reading


def _read(text: str) -> tuple[Found, ...]:
    """The costs of the hashers that the file defines and names."""
    source = read_python(text)
    lists = settings_named(source, "PASSWORD_HASHERS")
    found = [each for setting in lists for each in _of_list(source, setting)]
    if any(setting.wins for setting in lists):
        known = {each.line for each in found}
        found += [
            replace(each, wins=False, why="PASSWORD_HASHERS does not name it first")
            for each in _defined(source, strict=False)
            if each.line not in known
        ]
    else:
        found += _alone(source)
    found.sort(key=lambda each: each.line)
    return with_refusals(found, APP.schemes, "Django")


def _alone(source: PythonFile) -> list[Found]:
    """The hashers of a file that has no ``PASSWORD_HASHERS`` for production."""
    found = list(_defined(source, strict=True))
    why = "where PASSWORD_HASHERS, in another file, names it first"
    return [replace(each, why="; ".join(filter(None, (why, each.why)))) for each in found]


def _of_list(source: PythonFile, setting: Setting) -> Iterator[Found]:
    """The hasher that a list of hashers begins with; it hashes new passwords."""
    value = setting.value
    data = value.data
    if not isinstance(data, tuple) or not data:
        if setting.wins:
            raise _unreadable(value.line, "PASSWORD_HASHERS is no list that can be read")
        return
    first = data[0]
    path = first.data if isinstance(first.data, str) else ""
    try:
        found = _of_path(source, path, first.line or value.line)
    except UnreadableInputError:
        if setting.wins:
            raise
        return
    why = chosen(setting)
    yield replace(found, wins=setting.wins, why="; ".join(filter(None, (why, found.why))))


def _of_path(source: PythonFile, path: str, line: int) -> Found:
    module, _, name = path.rpartition(".")
    own = source.classes.get(name)
    if own is not None and module != _MODULE:
        return _of_class(source, own)
    if name in STOCK and module == _MODULE:
        changed = _patched(source, name, line)
        if changed is not None:
            return changed
        return Found(
            hasher=STOCK[name].hasher, params={}, line=line, why=f"{name} has Django's default"
        )
    if module == _MODULE:
        raise _unreadable(line, f"PASSWORD_HASHERS begins with {name}, which has no cost")
    if not path:
        raise _unreadable(line, "PASSWORD_HASHERS begins with what only running it tells")
    raise _unreadable(
        line,
        f"PASSWORD_HASHERS begins with {shown(path)!r}, which this file does not define;"
        " read the file that does",
    )


def _defined(source: PythonFile, *, strict: bool) -> Iterator[Found]:
    """The hashers that the file defines; only those that can be read unless ``strict``."""
    for each in source.classes.values():
        if _stock_of(source, each) is None:
            continue
        try:
            found = _of_class(source, each)
        except UnreadableInputError:
            if strict and not each.apart:
                raise
            continue
        if each.apart:
            found = replace(found, wins=False, why=each.apart)
        if found.params:
            yield found
    for name in STOCK:
        changed = _patched(source, name, 0)
        if changed is not None:
            yield changed


def _stock_of(source: PythonFile, defined: Class) -> str | None:
    """The hasher of Django that a class descends from."""
    for each in source.ancestry(defined.name):
        name = each.rpartition(".")[2]
        if name in STOCK and each not in source.classes:
            return name
    return None


def _of_class(source: PythonFile, defined: Class) -> Found:
    stock = _stock_of(source, defined)
    if stock is None:
        raise _unreadable(
            defined.line,
            f"{shown(defined.name)} descends from no hasher of Django that has a cost",
        )
    assigned = {
        attribute: found
        for attribute in (*STOCK[stock].attributes, "maxmem")
        if (found := source.attribute(defined.name, attribute)) is not None
    }
    return _found(stock, {name: _value(each) for name, each in assigned.items()}, defined.line)


def _patched(source: PythonFile, stock: str, line: int) -> Found | None:
    """What is assigned to the attributes of Django's own class."""
    values = {
        each.key: each.values[-1]
        for each in source.stored
        if each.base.rpartition(".")[2] == stock
        and not each.apart
        and each.key in STOCK[stock].attributes
    }
    return _found(stock, values, line) if values else None


def _value(assigned: tuple[Assigned, ...]) -> Value:
    """One value of several: the lowest, as a condition decides."""
    values = [value for each in assigned for value in each.values]
    numbers = [each for each in values if isinstance(each.data, int)]
    if len(values) > 1 and numbers:
        lowest = min(numbers, key=lambda each: each.data if isinstance(each.data, int) else 0)
        return lowest.because("the lowest of several that a condition decides between")
    return values[-1]


def _found(stock: str, values: Mapping[str, Value], line: int) -> Found:
    numbers = {name: whole(value, name, hint=_ONLY_IMPORT) for name, value in values.items()}
    params = {
        param: numbers[name] for name, param in STOCK[stock].attributes.items() if name in numbers
    }
    whys = dict.fromkeys(why for value in values.values() for why in value.whys)
    if STOCK[stock].hasher == "scrypt" and "n" in params:
        maxmem = numbers.get("maxmem", 0) or MAXMEM_DEFAULT
        completed = {**_SCRYPT_NEWEST, **params}
        refusal = scrypt_refusal(completed, maxmem) if min(completed.values()) > 0 else ""
        if refusal and not scrypt_accepts(completed):
            whys[f"Django refuses it: {refusal}"] = None
    first = next((values[name].line for name in STOCK[stock].attributes if name in values), line)
    return Found(
        hasher=STOCK[stock].hasher, params=params, line=first or line, why="; ".join(whys)
    )


def _unreadable(line: int, text: str) -> UnreadableInputError:
    return UnreadableInputError(f"line {line}: {printable(text)}")


# Facts


def _since(release: str, **params: int) -> Default:
    return Default(since=release, params=params, source=f"{_SOURCE}, {release}")


_PBKDF2_DEFAULTS: Final = tuple(
    _since(release, iterations=iterations)
    for release, iterations in (
        ("4.2", 600_000),
        ("5.0", 720_000),
        ("5.1", 870_000),
        ("5.2", 1_000_000),
        ("6.0", 1_200_000),
        ("6.1", 1_500_000),
    )
)
"""PBKDF2SHA1PasswordHasher inherits those of PBKDF2PasswordHasher."""
_SCRYPT_NEWEST: Final = {"n": 2**14, "r": 8, "p": 5}

APP = App(
    name="django",
    title="Django",
    schemes=(
        Scheme(
            hasher="pbkdf2-sha256",
            library="hashlib.pbkdf2_hmac",
            timing=HASHLIB,
            keys={"iterations": "PBKDF2PasswordHasher.iterations"},
            limits=PBKDF2_LIMITS,
            write=_writer("PBKDF2PasswordHasher"),
            defaults=_PBKDF2_DEFAULTS,
        ),
        Scheme(
            hasher="bcrypt",
            library="bcrypt (pyca) of the hexadecimal SHA-256",
            timing=PYCA_BCRYPT,
            keys={"cost": "BCryptSHA256PasswordHasher.rounds (log2)"},
            limits=BCRYPT_LIMITS,
            write=_writer("BCryptSHA256PasswordHasher"),
            defaults=(_since("4.2", cost=12),),
        ),
        Scheme(
            hasher="scrypt",
            library="hashlib.scrypt",
            timing=HASHLIB,
            keys={
                "n": "ScryptPasswordHasher.work_factor (N itself)",
                "r": "ScryptPasswordHasher.block_size",
                "p": "ScryptPasswordHasher.parallelism",
            },
            limits=SCRYPT_LIMITS,
            write=_writer("ScryptPasswordHasher"),
            defaults=(_since("4.2", n=2**14, r=8, p=1), _since("5.1", **_SCRYPT_NEWEST)),
            refuses=scrypt_accepts,
            note="maxmem must suffice for stored hashes too: never set it below their need",
        ),
        Scheme(
            hasher="argon2id",
            library="argon2-cffi",
            timing=ARGON2_CFFI,
            keys={
                "memory_kib": "Argon2PasswordHasher.memory_cost (KiB)",
                "time_cost": "Argon2PasswordHasher.time_cost",
                "parallelism": "Argon2PasswordHasher.parallelism",
            },
            limits=ARGON2_LIMITS,
            write=_writer("Argon2PasswordHasher"),
            defaults=(_since("4.2", memory_kib=102_400, time_cost=2, parallelism=8),),
            refuses=argon2_refusal,
        ),
        Scheme(
            hasher="pbkdf2-sha1",
            library="hashlib.pbkdf2_hmac",
            timing=HASHLIB,
            keys={"iterations": "PBKDF2SHA1PasswordHasher.iterations"},
            limits=PBKDF2_LIMITS,
            write=_writer("PBKDF2SHA1PasswordHasher"),
            defaults=_PBKDF2_DEFAULTS,
        ),
    ),
    comment="# {}",
    read=_read,
    places=("settings.py", "*/settings.py", "*/settings/base.py", "*/hashers.py"),
    rehashes="on login, to a lower cost too",
    sources=(_SOURCE, "django/django, django/conf/global_settings.py"),
    package="django",
    note=(
        "goes into the settings, or into a module whose PASSWORD_HASHERS they import; the"
        " first of PASSWORD_HASHERS hashes new passwords, and of two with one algorithm the"
        " last checks them"
    ),
)
