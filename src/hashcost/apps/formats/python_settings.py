"""Settings of Python's web frameworks: Django's hashers, and Flask-Bcrypt's rounds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from hashcost.apps.formats.source_code import calls_named, cost_of_values, require_whole
from hashcost.apps.interface import App, Found
from hashcost.apps.refusals import MAXMEM_DEFAULT, scrypt_refusal
from hashcost.apps.text import in_order, unique
from hashcost.core.errors import UnreadableInputError, UntoldError
from hashcost.core.measurement import Params
from hashcost.core.text import joined, printable
from hashcost.source_code.python import Assigned, Class, PythonFile, read_python
from hashcost.source_code.stages import Stage, stage_named
from hashcost.source_code.values import Value, number_of, shown, whole

_MODULE: Final = "django.contrib.auth.hashers"
_ONLY_FOR: Final = re.compile(r"line ([0-9]+) is only for tests")
_PRODUCTION: Final = re.compile(r"(?i)(?:environ|getenv).*(?:prod|live|release)")


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
        """The words why it is the one, with what its value depends on."""
        return joined(self.why, self.value.why)


def settings_named(source: PythonFile, name: str) -> tuple[GivenSetting, ...]:
    """Every value that a file gives a setting, in the order of its lines.

    A class such as ``ProductionConfig`` goes before a module's own name, and what is
    put into ``app.config`` before both.
    """
    stored = list(_stored_settings(source, name))
    classes = list(_in_classes(source, name))
    module = list(_in_module(source, name))
    if any(setting.wins for setting in stored):
        classes = [replace(setting, wins=False) for setting in classes]
    if any(setting.wins for setting in (*stored, *classes)):
        module = [replace(setting, wins=False) for setting in module]
    return tuple(sorted((*module, *classes, *stored), key=lambda setting: setting.line))


def _in_module(source: PythonFile, name: str) -> Iterator[GivenSetting]:
    assigned = [
        one for one in source.assigned if one.name == name and not (one.inside or one.local)
    ]
    live = source.names.get(name, ())
    for one in assigned:
        wins = one in live and not one.apart
        if not wins:
            why = one.apart
        elif len(live) > 1:
            why = "conditions decide between the assignments"
        else:
            why = "the last assignment wins" if len(assigned) > 1 else ""
        yield GivenSetting(line=one.line, value=one.value, wins=wins, why=why)


def _in_classes(source: PythonFile, name: str) -> Iterator[GivenSetting]:
    assigned = [one for one in source.assigned if one.name == name and one.inside]
    classes = [kind for kind in source.classes if stage_named(kind) is not Stage.TESTS]
    production = [kind for kind in classes if stage_named(kind) is Stage.PRODUCTION]
    winners: dict[Assigned, str] = {}
    for kind in production or classes:
        for attribute in source.attribute(kind, name) or ():
            winners.setdefault(attribute, f"{kind} has it" if len(assigned) > 1 else "")
    for one in assigned:
        wins = one in winners and not one.apart
        why = winners[one] if wins else one.apart
        yield GivenSetting(line=one.line, value=one.value, wins=wins, why=why)


def _stored_settings(source: PythonFile, name: str) -> Iterator[GivenSetting]:
    stored = [
        (setting.line, setting.value, setting.apart)
        for setting in source.stored
        if setting.name == name and setting.base.split(".")[-1] in ("config", "settings")
    ]
    for called in source.called:
        call = called.call
        if call.function.endswith(_CONFIGURES):
            first = call.arguments[0].data if call.arguments else None
            given = {**(first if isinstance(first, dict) else {}), **call.keywords}
            if name in given:
                stored.append((call.line, given[name], called.apart))
    last = max((line for line, _, apart in stored if not apart), default=0)
    for line, value, apart in stored:
        wins = line == last and not apart
        why = "the last one set wins" if wins and len(stored) > 1 else apart
        yield GivenSetting(line=line, value=value, wins=wins, why=why)


def django(app: App, text: str) -> tuple[Found, ...]:
    """The costs of the hashers that the file defines, and of the one it names first."""
    source, scrypt = read_python(text), app.usual("scrypt")
    lists = settings_named(source, "PASSWORD_HASHERS")
    costs = [cost for setting in lists for cost in _of_list(source, setting, scrypt)]
    costs += [cost for setting in lists for cost in _by_environment(setting, text)]
    if any(setting.wins for setting in lists):
        lines = {cost.line for cost in costs}
        costs += [
            replace(cost, wins=False)
            for cost in _defined(source, scrypt, strict=False)
            if cost.line not in lines
        ]
    else:
        why = "where PASSWORD_HASHERS, in another file, names it first"
        defined = _defined(source, scrypt, strict=True)
        costs += [replace(cost, why=joined(why, cost.why)) for cost in defined]
    return in_order(costs)


def _of_list(source: PythonFile, setting: GivenSetting, scrypt: Params) -> Iterator[Found]:
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
        cost = _of_path(source, path, first.line or value.line, scrypt)
    except UnreadableInputError:
        if setting.wins:
            raise
        return
    if setting.wins or cost.flaw is None:
        yield replace(cost, wins=setting.wins, why=joined(setting.reason, cost.why))


def _by_environment(setting: GivenSetting, text: str) -> Iterator[Found]:
    """A list that counts unless the environment says that it is production."""
    apart = _ONLY_FOR.match(setting.why)
    if apart is not None and _PRODUCTION.search(text.splitlines()[int(apart[1]) - 1]):
        why = f"it counts unless the environment says otherwise on line {apart[1]}"
        yield Found.untold(setting.line, why)


def _of_path(source: PythonFile, path: str, line: int, scrypt: Params) -> Found:
    module, _, name = path.rpartition(".")
    own = source.classes.get(name)
    if own is not None and module != _MODULE:
        return _of_class(source, own, scrypt)
    if module == _MODULE and name in STOCK:
        why = f"{name} has Django's default"
        default = Found(hasher=STOCK[name].hasher, params={}, line=line, why=why)
        return next(_patched(source, name), default)
    if module == _MODULE and name in UNFIT:
        return Found.unfit(UNFIT[name], line, f"PASSWORD_HASHERS begins with {name}")
    if module == _MODULE:
        what = f"PASSWORD_HASHERS begins with {name}, which has no cost"
    elif path:
        what = f"PASSWORD_HASHERS begins with {shown(path)!r}, which this file does not define"
    else:
        what = "the first of PASSWORD_HASHERS is known only at run time"
    raise UntoldError(line, printable(what))


def _defined(source: PythonFile, scrypt: Params, *, strict: bool) -> Iterator[Found]:
    """The hashers that the file defines; only those that can be read unless ``strict``."""
    for kind in source.classes.values():
        if _stock_of(source, kind) is None:
            continue
        try:
            cost = _of_class(source, kind, scrypt)
        except UnreadableInputError:
            if strict and not kind.apart:
                raise
            continue
        if cost.params:
            yield replace(cost, wins=not kind.apart)
    for name in STOCK:
        yield from _patched(source, name)


def _patched(source: PythonFile, name: str) -> Iterator[Found]:
    """The cost that is assigned to the attributes of Django's own class, if any."""
    stock = STOCK[name]
    values = {
        stored.name: stored.value
        for stored in source.stored
        if stored.base.rpartition(".")[2] == name and stored.name in stock.attributes
        if not stored.apart
    }
    if values:
        yield cost_of_values(stock.hasher, values, stock.attributes, line=0)


def _stock_of(source: PythonFile, kind: Class) -> str | None:
    """The hasher of Django that a class descends from."""
    for ancestor in source.ancestry(kind.name):
        name = ancestor.rpartition(".")[2]
        if name in STOCK and ancestor not in source.classes:
            return name
    return None


def _of_class(source: PythonFile, kind: Class, scrypt: Params) -> Found:
    """The cost of a class; ``scrypt`` is Django's default, where the class is silent."""
    name = _stock_of(source, kind)
    if name is None:
        what = f"{shown(kind.name)} descends from no hasher of Django that has a cost"
        raise UntoldError(kind.line, printable(what))
    stock = STOCK[name]
    values = {
        attribute: _value(assigned)
        for attribute in (*stock.attributes, "maxmem")
        if (assigned := source.attribute(kind.name, attribute)) is not None
    }
    maxmem = values.pop("maxmem", None)
    cost = cost_of_values(stock.hasher, values, stock.attributes, line=kind.line)
    completed = {**scrypt, **cost.params}
    if "n" not in cost.params or min(completed.values()) <= 0 or scrypt_refusal(completed):
        return cost
    limit = whole(maxmem, "maxmem") if maxmem else 0
    return replace(cost, refused=scrypt_refusal(completed, limit or MAXMEM_DEFAULT))


def _value(assigned: tuple[Assigned, ...]) -> Value:
    """One value of several: the lowest, as a condition decides."""
    values = [one.value for one in assigned]
    numbers = [value for value in values if number_of(value.data) is not None]
    if len(values) > 1 and numbers:
        lowest = min(numbers, key=lambda value: number_of(value.data) or 0)
        return lowest.because("the lowest of several that a condition decides between")
    return values[-1]


_FLASK_KEY: Final = "BCRYPT_LOG_ROUNDS"


def flask_bcrypt(app: App, text: str) -> tuple[Found, ...]:
    """The rounds of the configuration, and those that calls are given themselves."""
    source = read_python(text)
    calls = [
        called
        for called in calls_named(source, ("generate_password_hash",), of="flask_bcrypt")
        if "bcrypt" in called.call.function.lower()
    ]
    costs = []
    for called in calls:
        value = called.call.argument("rounds", 1)
        if value is None:
            require_whole(called.call, "rounds")
        elif value.data is not None:
            why = value.why or f"this call has it, whatever {_FLASK_KEY} is"
            costs.append(_of_rounds(value, "rounds", why).unless(called.apart))
    all_given = len([cost for cost in costs if cost.wins]) == len(calls) > 0
    for setting in settings_named(source, _FLASK_KEY):
        try:
            cost = _of_rounds(setting.value, _FLASK_KEY, setting.reason)
        except UnreadableInputError:
            if setting.wins:
                raise
        else:
            costs.append(replace(cost, wins=setting.wins and not all_given))
    return unique(costs)


def _of_rounds(value: Value, name: str, why: str) -> Found:
    cost = cost_of_values("bcrypt", {name: value}, {name: "cost"}, line=value.line)
    return replace(cost, why=why)
