"""Settings of Python's web frameworks: Django's hashers, and Flask-Bcrypt's rounds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from hashcost.apps.formats.source_code import calls_named, environment_in, require_whole
from hashcost.apps.interface import App, Found, joined
from hashcost.apps.refusals import MAXMEM_DEFAULT, scrypt_refusal
from hashcost.apps.text import in_order, unique
from hashcost.core.errors import UnreadableInputError, UntoldError
from hashcost.core.measurement import Params
from hashcost.core.text import printable
from hashcost.source_code.python import Assigned, Class, PythonFile, read_python
from hashcost.source_code.stages import Stage, stage_named
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
"""Classes that are not a password hash, with what they compute."""


_CONFIGURES: Final = ("config.update", "config.from_mapping", "settings.configure")


@dataclass(frozen=True, kw_only=True)
class GivenSetting:
    """One value that a setting is given on a line; ``why`` it is the one or is not."""

    line: int
    value: Value
    wins: bool
    why: str

    @property
    def reason(self) -> str:
        """Why it is, or is not, the one, with what its value depends on."""
        return "; ".join(filter(None, (self.why, self.value.why)))

    def beaten(self, why: str) -> GivenSetting:
        """The same if another place overrides it."""
        return replace(self, wins=False, why=why) if self.wins else self


def settings_named(source: PythonFile, name: str) -> tuple[GivenSetting, ...]:
    """Every value that a file gives a setting, in the order of its lines.

    A class such as ``ProductionConfig`` goes before a module's own name, and what is
    put into ``app.config`` before both.
    """
    stored = list(_stored_settings(source, name))
    classes = list(_in_classes(source, name))
    module = list(_in_module(source, name))
    if any(each.wins for each in stored):
        classes = [each.beaten("app.config is set after it") for each in classes]
    if any(each.wins for each in (*stored, *classes)):
        module = [each.beaten("another place overrides it") for each in module]
    return tuple(sorted((*module, *classes, *stored), key=lambda each: each.line))


def _in_module(source: PythonFile, name: str) -> Iterator[GivenSetting]:
    assigned = [
        each for each in source.assigned if each.name == name and not (each.inside or each.local)
    ]
    live = source.names.get(name, ())
    for each in assigned:
        wins = each in live and not each.apart
        if not wins:
            again = f"line {live[-1].line} sets it again" if live else ""
            why = each.apart or again
        elif len(live) > 1:
            why = "conditions decide between the assignments"
        else:
            why = "the last assignment wins" if len(assigned) > 1 else ""
        yield GivenSetting(line=each.line, value=each.value, wins=wins, why=why)


def _in_classes(source: PythonFile, name: str) -> Iterator[GivenSetting]:
    assigned = [each for each in source.assigned if each.name == name and each.inside]
    classes = [each for each in source.classes if stage_named(each) is not Stage.TESTS]
    production = [each for each in classes if stage_named(each) is Stage.PRODUCTION]
    winners: dict[Assigned, str] = {}
    for each in production or classes:
        for attribute in source.attribute(each, name) or ():
            winners.setdefault(attribute, f"{each} has it" if len(assigned) > 1 else "")
    for one in assigned:
        wins = one in winners and not one.apart
        if wins:
            why = winners[one]
        elif stage_named(one.inside) is Stage.TESTS:
            why = f"{one.inside} is only for tests and development"
        else:
            why = one.apart or "another class overrides it"
        yield GivenSetting(line=one.line, value=one.value, wins=wins, why=why)


def _stored_settings(source: PythonFile, name: str) -> Iterator[GivenSetting]:
    found = [
        (each.line, each.value, each.apart)
        for each in source.stored
        if each.name == name and each.base.split(".")[-1] in ("config", "settings")
    ]
    for called in source.called:
        call = called.call
        if not call.function.endswith(_CONFIGURES):
            continue
        first = call.arguments[0].data if call.arguments else None
        given = {**(first if isinstance(first, dict) else {}), **call.keywords}
        if name in given:
            found.append((call.line, given[name], called.apart))
    found.sort(key=lambda each: each[0])
    last = max((line for line, _, apart in found if not apart), default=0)
    for line, value, apart in found:
        wins = line == last and not apart
        why = apart or "it is set again"
        if wins:
            why = "the last one set wins" if len(found) > 1 else ""
        yield GivenSetting(line=line, value=value, wins=wins, why=why)


@dataclass(frozen=True)
class _File:
    """A file's code, and Django's default of scrypt, which counts where it is silent."""

    source: PythonFile
    scrypt: Params


def django(app: App, text: str) -> tuple[Found, ...]:
    """The costs of the hashers that the file defines, and of the one it names first."""
    source = read_python(text)
    file = _File(source, app.newest("scrypt"))
    lists = settings_named(source, "PASSWORD_HASHERS")
    found = [cost for setting in lists for cost in _of_list(file, setting)]
    found += [cost for setting in lists for cost in _by_environment(setting, text)]
    if any(setting.wins for setting in lists):
        known = {cost.line for cost in found}
        found += [
            replace(cost, wins=False, why="PASSWORD_HASHERS does not name it first")
            for cost in _defined(file, strict=False)
            if cost.line not in known
        ]
    else:
        why = "where PASSWORD_HASHERS, in another file, names it first"
        defined = _defined(file, strict=True)
        found += [replace(cost, why=joined(why, cost.why)) for cost in defined]
    return in_order(found)


def _of_list(file: _File, setting: GivenSetting) -> Iterator[Found]:
    """The hasher that a list of hashers begins with; it hashes new passwords."""
    value = setting.value
    data = value.data
    if not isinstance(data, tuple) or not data:
        if setting.wins:
            raise UntoldError(value.line, "PASSWORD_HASHERS is not a list that can be read")
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
    if _PRODUCTION.search(text.splitlines()[int(apart[1]) - 1]):
        why = f"it counts unless the environment says otherwise on line {apart[1]}"
        yield Found.untold(setting.line, why)


def _of_path(file: _File, path: str, line: int) -> Found:
    module, _, name = path.rpartition(".")
    own = file.source.classes.get(name)
    if own is not None and module != _MODULE:
        return _of_class(file, own)
    if module == _MODULE and name in STOCK:
        why = f"{name} has Django's default"
        default = Found(hasher=STOCK[name].hasher, params={}, line=line, why=why)
        return _patched(file, name, line) or default
    if module == _MODULE and name in UNFIT:
        return Found.unfit(UNFIT[name], line, f"PASSWORD_HASHERS begins with {name}")
    if module == _MODULE:
        what = f"PASSWORD_HASHERS begins with {name}, which has no cost"
    elif path:
        what = f"PASSWORD_HASHERS begins with {shown(path)!r}, which this file does not define"
        what += "; read the file that does"
    else:
        what = "the first of PASSWORD_HASHERS is known only at run time"
    raise UntoldError(line, printable(what))


def _defined(file: _File, *, strict: bool) -> Iterator[Found]:
    """The hashers that the file defines; only those that can be read unless ``strict``."""
    for defined in file.source.classes.values():
        if _stock_of(file, defined) is None:
            continue
        try:
            found = _of_class(file, defined)
        except UnreadableInputError:
            if strict and not defined.apart:
                raise
            continue
        if found.params:
            yield replace(found, wins=False, why=defined.apart) if defined.apart else found
    for name in STOCK:
        changed = _patched(file, name, 0)
        if changed is not None:
            yield changed


def _stock_of(file: _File, defined: Class) -> str | None:
    """The hasher of Django that a class descends from."""
    for ancestor in file.source.ancestry(defined.name):
        name = ancestor.rpartition(".")[2]
        if name in STOCK and ancestor not in file.source.classes:
            return name
    return None


def _of_class(file: _File, defined: Class) -> Found:
    stock = _stock_of(file, defined)
    if stock is None:
        name = shown(defined.name)
        what = f"{name} descends from no hasher of Django that has a cost"
        raise UntoldError(defined.line, printable(what))
    assigned = {
        attribute: _value(found)
        for attribute in (*STOCK[stock].attributes, "maxmem")
        if (found := file.source.attribute(defined.name, attribute)) is not None
    }
    return _found(file, stock, assigned, defined.line)


def _patched(file: _File, stock: str, line: int) -> Found | None:
    """The cost that is assigned to the attributes of Django's own class."""
    values = {
        stored.name: stored.value
        for stored in file.source.stored
        if stored.base.rpartition(".")[2] == stock
        and not stored.apart
        and stored.name in STOCK[stock].attributes
    }
    return _found(file, stock, values, line) if values else None


def _value(assigned: tuple[Assigned, ...]) -> Value:
    """One value of several: the lowest, as a condition decides."""
    values = [each.value for each in assigned]
    numbers = [value for value in values if isinstance(value.data, int)]
    if len(values) > 1 and numbers:
        lowest = min(numbers, key=lambda value: value.data if isinstance(value.data, int) else 0)
        return lowest.because("the lowest of several that a condition decides between")
    return values[-1]


def _found(file: _File, stock: str, values: Mapping[str, Value], line: int) -> Found:
    numbers = {name: whole(value, name, hint=_ONLY_IMPORT) for name, value in values.items()}
    attributes = STOCK[stock].attributes
    params = {param: numbers[name] for name, param in attributes.items() if name in numbers}
    lines = {param: values[name].line for name, param in attributes.items() if name in numbers}
    why = joined(*(why for value in values.values() for why in value.whys))
    refused = ""
    if STOCK[stock].hasher == "scrypt" and "n" in params:
        maxmem = numbers.get("maxmem", 0) or MAXMEM_DEFAULT
        completed = {**file.scrypt, **params}
        if min(completed.values()) > 0 and not scrypt_refusal(completed):
            refused = scrypt_refusal(completed, maxmem)
    return Found(
        hasher=STOCK[stock].hasher,
        params=params,
        line=next(iter(lines.values()), line) or line,
        lines=lines,
        why=why,
        environment=environment_in(why),
        refused=refused,
    )


def flask_bcrypt(app: App, text: str) -> tuple[Found, ...]:
    """The rounds of the configuration, and those that calls are given themselves."""
    source = read_python(text)
    calls = [
        called
        for called in calls_named(source, ("generate_password_hash",), of="flask_bcrypt")
        if "bcrypt" in called.call.function.lower()
    ]
    given = []
    for called in calls:
        value = called.call.argument("rounds", 1)
        if value is None:
            require_whole(called.call, "rounds")
        elif value.data is not None:
            why = value.why or f"this call has it, whatever {_FLASK_KEY} is"
            given.append(_of_rounds(value, "rounds", why).unless(called.apart))
    configured = []
    for setting in settings_named(source, _FLASK_KEY):
        try:
            cost = _of_rounds(setting.value, _FLASK_KEY, setting.reason)
        except UnreadableInputError:
            if setting.wins:
                raise
            continue
        configured.append(replace(cost, wins=setting.wins))
    if len([cost for cost in given if cost.wins]) == len(calls) > 0:
        why = "every call sets its own rounds"
        configured = [replace(cost, wins=False, why=why) for cost in configured]
    return unique([*configured, *given])


_FLASK_KEY: Final = "BCRYPT_LOG_ROUNDS"


def _of_rounds(value: Value, name: str, why: str) -> Found:
    return Found(
        hasher="bcrypt",
        params={"cost": whole(value, name)},
        line=value.line,
        why=why,
        environment=environment_in(why),
    )
