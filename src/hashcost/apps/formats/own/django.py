"""Django: hashers with another cost, and ``PASSWORD_HASHERS`` that names them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.interface import App, Found, joined
from hashcost.apps.refusals import MAXMEM_DEFAULT, scrypt_refusal
from hashcost.core.errors import UnreadableInputError, UntoldError
from hashcost.core.measurement import Params
from hashcost.core.text import printable
from hashcost.source_code.python.file import Assigned, Class, PythonFile
from hashcost.source_code.python.settings import GivenSetting, settings_named
from hashcost.source_code.python.statements import read_python
from hashcost.source_code.values import Value, shown, whole

_MODULE: Final = "django.contrib.auth.hashers"
_ONLY_FOR: Final = re.compile(r"line ([0-9]+) is only for tests")
_PRODUCTION: Final = re.compile(r"(?i)(?:environ|getenv).*(?:prod|live|release)")
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

UNFIT: Final = {
    "MD5PasswordHasher": "one MD5",
    "UnsaltedMD5PasswordHasher": "one MD5 without a salt",
    "SHA1PasswordHasher": "one SHA-1",
    "UnsaltedSHA1PasswordHasher": "one SHA-1 without a salt",
    "CryptPasswordHasher": "DES",
}
"""Those that are no password hash, with what they compute."""


@dataclass(frozen=True)
class _File:
    """What a file holds, and Django's default of scrypt, which counts where it is silent."""

    source: PythonFile
    scrypt: Params


def read(app: App, text: str) -> tuple[Found, ...]:
    """The costs of the hashers that the file defines and names."""
    source = read_python(text)
    file = _File(source, app.newest("scrypt"))
    lists = settings_named(source, "PASSWORD_HASHERS")
    found = [each for setting in lists for each in _of_list(file, setting)]
    found += [each for setting in lists for each in _by_environment(setting, text)]
    if any(setting.wins for setting in lists):
        known = {each.line for each in found}
        found += [
            replace(each, wins=False, why="PASSWORD_HASHERS does not name it first")
            for each in _defined(file, strict=False)
            if each.line not in known
        ]
    else:
        why = "where PASSWORD_HASHERS, in another file, names it first"
        defined = _defined(file, strict=True)
        found += [replace(each, why=joined(why, each.why)) for each in defined]
    found.sort(key=lambda each: each.line)
    return with_refusals(found, app)


def _of_list(file: _File, setting: GivenSetting) -> Iterator[Found]:
    """The hasher that a list of hashers begins with; it hashes new passwords."""
    value = setting.value
    data = value.data
    if not isinstance(data, tuple) or not data:
        if setting.wins:
            raise _unreadable(value.line, "PASSWORD_HASHERS is not a list that can be read")
        return
    first = data[0]
    path = first.data if isinstance(first.data, str) else ""
    try:
        found = _of_path(file, path, first.line or value.line)
    except UnreadableInputError:
        if setting.wins:
            raise
        return
    if setting.wins or found.flaw is None:
        yield replace(found, wins=setting.wins, why=joined(setting.reason, found.why))


def _by_environment(setting: GivenSetting, text: str) -> Iterator[Found]:
    """A list that counts unless the environment says that it is production."""
    apart = _ONLY_FOR.match(setting.why)
    if apart is None or setting.wins:
        return
    condition = text.splitlines()[int(apart[1]) - 1]
    if _PRODUCTION.search(condition):
        why = f"it counts unless the environment says otherwise on line {apart[1]}"
        yield Found.untold(setting.line, why)


def _of_path(file: _File, path: str, line: int) -> Found:
    module, _, name = path.rpartition(".")
    own = file.source.classes.get(name)
    if own is not None and module != _MODULE:
        return _of_class(file, own)
    if name in STOCK and module == _MODULE:
        changed = _patched(file, name, line)
        if changed is not None:
            return changed
        return Found(
            hasher=STOCK[name].hasher, params={}, line=line, why=f"{name} has Django's default"
        )
    if module == _MODULE and name in UNFIT:
        return Found.unfit(UNFIT[name], line, f"PASSWORD_HASHERS begins with {name}")
    if module == _MODULE:
        raise _unreadable(line, f"PASSWORD_HASHERS begins with {name}, which has no cost")
    if not path:
        raise _unreadable(line, "the first of PASSWORD_HASHERS is known only at run time")
    raise _unreadable(
        line,
        f"PASSWORD_HASHERS begins with {shown(path)!r}, which this file does not define;"
        " read the file that does",
    )


def _defined(file: _File, *, strict: bool) -> Iterator[Found]:
    """The hashers that the file defines; only those that can be read unless ``strict``."""
    for each in file.source.classes.values():
        if _stock_of(file, each) is None:
            continue
        try:
            found = _of_class(file, each)
        except UnreadableInputError:
            if strict and not each.apart:
                raise
            continue
        if each.apart:
            found = replace(found, wins=False, why=each.apart)
        if found.params:
            yield found
    for name in STOCK:
        changed = _patched(file, name, 0)
        if changed is not None:
            yield changed


def _stock_of(file: _File, defined: Class) -> str | None:
    """The hasher of Django that a class descends from."""
    for each in file.source.ancestry(defined.name):
        name = each.rpartition(".")[2]
        if name in STOCK and each not in file.source.classes:
            return name
    return None


def _of_class(file: _File, defined: Class) -> Found:
    stock = _stock_of(file, defined)
    if stock is None:
        raise _unreadable(
            defined.line,
            f"{shown(defined.name)} descends from no hasher of Django that has a cost",
        )
    assigned = {
        attribute: found
        for attribute in (*STOCK[stock].attributes, "maxmem")
        if (found := file.source.attribute(defined.name, attribute)) is not None
    }
    return _found(
        file, stock, {name: _value(each) for name, each in assigned.items()}, defined.line
    )


def _patched(file: _File, stock: str, line: int) -> Found | None:
    """What is assigned to the attributes of Django's own class."""
    values = {
        each.name: each.value
        for each in file.source.stored
        if each.base.rpartition(".")[2] == stock
        and not each.apart
        and each.name in STOCK[stock].attributes
    }
    return _found(file, stock, values, line) if values else None


def _value(assigned: tuple[Assigned, ...]) -> Value:
    """One value of several: the lowest, as a condition decides."""
    values = [each.value for each in assigned]
    numbers = [each for each in values if isinstance(each.data, int)]
    if len(values) > 1 and numbers:
        lowest = min(numbers, key=lambda each: each.data if isinstance(each.data, int) else 0)
        return lowest.because("the lowest of several that a condition decides between")
    return values[-1]


def _found(file: _File, stock: str, values: Mapping[str, Value], line: int) -> Found:
    numbers = {name: whole(value, name, hint=_ONLY_IMPORT) for name, value in values.items()}
    params = {
        param: numbers[name] for name, param in STOCK[stock].attributes.items() if name in numbers
    }
    whys = [why for value in values.values() for why in value.whys]
    if STOCK[stock].hasher == "scrypt" and "n" in params:
        maxmem = numbers.get("maxmem", 0) or MAXMEM_DEFAULT
        completed = {**file.scrypt, **params}
        refusal = scrypt_refusal(completed, maxmem) if min(completed.values()) > 0 else ""
        if refusal and not scrypt_refusal(completed):
            whys.append(f"Django refuses it: {refusal}")
    first = next((values[name].line for name in STOCK[stock].attributes if name in values), line)
    return Found(hasher=STOCK[stock].hasher, params=params, line=first or line, why=joined(*whys))


def _unreadable(line: int, text: str) -> UnreadableInputError:
    return UntoldError(line, printable(text))
