"""Hashers that Python code makes: argon2-cffi, pwdlib, Werkzeug and passlib."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from hashcost.apps.formats.python_settings import settings_named
from hashcost.apps.formats.source_code import (
    calls_named,
    cost_of_call,
    environment_in,
    require_whole,
)
from hashcost.apps.ini import is_ini, read_section
from hashcost.apps.interface import App, Found
from hashcost.apps.text import power_of_two, unique, whole_number
from hashcost.core.errors import UnreadableInputError, UntoldError, at_line
from hashcost.core.measurement import Params
from hashcost.core.text import joined
from hashcost.source_code.python import Called, PythonFile, read_python
from hashcost.source_code.values import Call, Value, dotted, shown, whole

_ARGON2_TYPES: Final = {"ID": "argon2id", "I": "argon2i", "D": "argon2d"}
_ARGON2: Final = {
    "time_cost": "time_cost",
    "memory_cost": "memory_kib",
    "parallelism": "parallelism",
}
"""The arguments in their order, with the params that they set."""
_PWDLIB: Final = {
    "Argon2Hasher": ("argon2id", _ARGON2),
    "BcryptHasher": ("bcrypt", {"rounds": "cost"}),
}
_WERKZEUG_UNFIT: Final = ("plain", "md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_WERKZEUG: Final = re.compile(
    r"scrypt(?::(?P<n>[^:]*):(?P<r>[^:]*):(?P<p>[^:]*))?"
    r"|pbkdf2(?::(?P<digest>sha256|sha512|sha1)(?::(?P<iterations>[^:]*))?)?"
)


class Argon2Cffi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The costs that ``argon2.profiles`` has by name."""

    profiles: dict[str, Params]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The cost of every ``PasswordHasher`` that the file makes."""
        source = read_python(text)
        costs = [_of_hasher(c, app) for c in calls_named(source, ("PasswordHasher",), of="argon2")]
        costs += [
            self._of_profile(called)
            for called in calls_named(source, ("from_parameters",), of="argon2")
            if called.call.function.endswith("PasswordHasher.from_parameters")
        ]
        return unique(costs)

    def _of_profile(self, called: Called) -> Found:
        value = called.call.argument("params", 0) or Value(None, called.call.line)
        name = dotted(value.data).rpartition(".")[2]
        if isinstance(value.data, Call) and not value.data.arguments:
            cost = cost_of_call(value.data, "argon2id", _ARGON2)
        elif name in self.profiles:
            cost = Found(hasher="argon2id", params=self.profiles[name], line=value.line)
        else:
            why = "the parameters of PasswordHasher are known only at run time"
            raise UntoldError(value.line, why)
        return cost.unless(called.apart)


def _of_hasher(called: Called, app: App) -> Found:
    variant = called.call.argument("type", 6)
    if variant is None:
        require_whole(called.call, "type")
        return _or_default(called, "argon2id", _ARGON2, app)
    hasher = _ARGON2_TYPES.get(dotted(variant.data).rpartition(".")[2])
    if hasher is None:
        raise UntoldError(called.call.line, "its Type is known only at run time")
    return _or_default(called, hasher, _ARGON2, app)


def _or_default(called: Called, hasher: str, arguments: Mapping[str, str], app: App) -> Found:
    """The cost that a call is given, or the application's default."""
    cost = cost_of_call(called.call, hasher, arguments)
    if not cost.params:
        cost = cost.because(f"it has {app.title}'s default")
    return cost.unless(called.apart)


def pwdlib(app: App, text: str) -> tuple[Found, ...]:
    """The hashers of every ``PasswordHash``, the first of which hashes new passwords."""
    source = read_python(text)
    costs = [
        cost
        for called in calls_named(source, ("PasswordHash",), of="pwdlib")
        for cost in _of_hashers(called, app)
    ]
    why = "recommended() has pwdlib's default"
    costs += [
        Found(hasher="argon2id", params={}, line=called.call.line, why=why).unless(called.apart)
        for called in calls_named(source, ("recommended",), of="pwdlib")
        if called.call.function.endswith("PasswordHash.recommended")
    ]
    return unique(costs)


def _of_hashers(called: Called, app: App) -> Iterator[Found]:
    value = called.call.argument("hashers", 0)
    data = None if value is None else value.data
    if not isinstance(data, tuple) or not data:
        raise UntoldError(called.call.line, "the hashers of PasswordHash are known at run time")
    for position, hasher in enumerate(data):
        call = hasher.data
        if isinstance(call, Call) and call.name in _PWDLIB:
            cost = _or_default(replace(called, call=call), *_PWDLIB[call.name], app)
            yield cost.unless("only the first hasher hashes new passwords" if position else "")
        elif not position:
            why = "the first hasher of PasswordHash is known only at run time"
            raise UntoldError(called.call.line, why)


def werkzeug(app: App, text: str) -> tuple[Found, ...]:
    """The method of every ``generate_password_hash`` in the file, also within a ``partial``."""
    source = read_python(text)
    called = calls_named(
        source, ("generate_password_hash",), of="werkzeug", but_not=("bcrypt", "argon2")
    )
    partial = [
        call
        for call in source.called
        if call.call.function.endswith("partial")
        and call.call.arguments
        and dotted(call.call.arguments[0].data).endswith(
            "werkzeug.security.generate_password_hash"
        )
    ]
    return unique(_of_method(call, app) for call in (*called, *partial))


def _of_method(called: Called, app: App) -> Found:
    value = called.call.argument("method", 1)
    if value is None:
        require_whole(called.call, "a method")
        value = Value("scrypt", called.call.line, (f"it has {app.title}'s default",))
    if not isinstance(value.data, str):
        raise UntoldError(value.line, "the method is not a text that can be read")
    if value.data.partition(":")[0] in _WERKZEUG_UNFIT:
        why = f"the method {value.data[:20]} makes one digest, or keeps the password itself"
        return Found.unfit(value.data[:20], value.line, why).unless(called.apart)
    method = _WERKZEUG.fullmatch(value.data)
    if method is None:
        why = f"Werkzeug takes no method {shown(value.data)!r}, or it has no cost"
        raise UntoldError(value.line, why)
    counts = method.groupdict()
    digest = counts.pop("digest") or "sha256"
    return Found(
        hasher="scrypt" if value.data.startswith("scrypt") else f"pbkdf2-{digest}",
        params={
            param: whole_number(count, f"{param} of the method", value.line)
            for param, count in counts.items()
            if count is not None
        },
        line=value.line,
        why=value.why,
        environment=environment_in(value.why),
    ).unless(called.apart)


class Handler(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A handler that has a cost: its hasher, and the param of ``rounds``.

    ``further`` are the options beside the rounds that are part of the cost, with their
    params; ``also`` are the names of handlers that have the same cost.
    """

    hasher: str
    param: str
    further: dict[str, str] = {}
    also: tuple[str, ...] = ()


_MADE: Final = re.compile(
    r"^[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?=[ \t]*(?:\w+\.)*(?:Lazy)?CryptContext\b",
    re.MULTILINE,
)
_CHANGE: Final = r"(?:update|load|load_path|copy|using|replace)\s*\("
_CHANGED: Final = re.compile(rf"\b(?P<name>\w++)\s*+\.\s*+{_CHANGE}")
_CHAINED: Final = re.compile(rf"\bCryptContext\((?:[^()]|\([^()]*\))*+\)\s*+\.\s*+{_CHANGE}")
_ROUNDS: Final = ("default_rounds", "rounds", "time_cost", "min_rounds", "max_rounds")


@dataclass(frozen=True)
class _Context:
    """The options of a ``CryptContext``: text from an INI file, values from Python."""

    options: Mapping[str, Value]
    line: int
    apart: str = ""

    def names(self, key: str) -> tuple[str, ...]:
        """The schemes that an option lists."""
        value = self.options.get(key)
        if value is None:
            return ()
        if isinstance(value.data, str):
            return tuple(filter(None, (name.strip() for name in value.data.split(","))))
        if isinstance(value.data, tuple):
            data = (item.data for item in value.data)
            names = (name if isinstance(name, str) else dotted(name) for name in data)
            return tuple(name.rpartition(".")[2] for name in names)
        raise UntoldError(value.line, f"{key} is known only at run time")

    def of_scheme(self, name: str) -> dict[str, Value]:
        """The options of a scheme, without those for one category of users."""
        options = {}
        for key, value in self.options.items():
            scheme, _, option = key.replace(".", "__").removeprefix("default__").partition("__")
            if scheme == name and option and "__" not in option:
                options[option] = value
        return options


class Passlib(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``handlers`` that have a cost, by their names in ``schemes``, and what is ``unfit``.

    A ``setting`` names the scheme where the framework makes the context.
    """

    handlers: dict[str, Handler]
    unfit: str
    setting: str = ""

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The cost of the scheme that each context hashes new passwords with."""
        handlers = {
            name: handler
            for own_name, handler in self.handlers.items()
            for name in (own_name, *handler.also)
        }
        if is_ini(text):
            options = read_section(text, "passlib").items()
            context = _Context({key: Value(entry.value, entry.line) for key, entry in options}, 1)
            return unique(self._of_context(app, context, handlers))
        source = read_python(text)
        contexts = _configured(source, self.setting) if self.setting else _contexts(source)
        costs = [cost for made in contexts for cost in self._of_context(app, made, handlers)]
        if not self.setting:
            costs += [*_of_handlers(app, source, handlers), *_changed(text)]
        return unique(costs)

    def _of_context(
        self, app: App, context: _Context, handlers: Mapping[str, Handler]
    ) -> Iterator[Found]:
        schemes = context.names("schemes")
        if not schemes:
            return
        deprecated = context.names("deprecated")
        default = context.options.get("default")
        if default is not None:
            chosen = default.data if isinstance(default.data, str) else dotted(default.data)
            chosen, why = chosen.rpartition(".")[2], "default names it"
        else:
            chosen = next((name for name in schemes if name not in deprecated), "")
            why = "the first of schemes hashes new passwords" if len(schemes) > 1 else ""
        if chosen not in schemes:
            raise at_line(context.line, "passlib refuses it: no scheme hashes new passwords")
        if re.fullmatch(self.unfit, chosen):
            unfit = Found.unfit(chosen, context.line, f"passlib hashes with {chosen}")
            yield unfit.unless(context.apart)
            return
        if chosen not in handlers:
            what = f"passlib hashes with {shown(chosen)!r}, whose cost hashcost does not know"
            raise UntoldError(context.line, what)
        for name in dict.fromkeys(schemes):
            if name == chosen:
                cost = _of_scheme(app, context, name, handlers[name])
                yield replace(cost, why=joined(why, cost.why)).unless(context.apart)
            elif name in handlers and context.of_scheme(name):
                yield replace(_of_scheme(app, context, name, handlers[name]), wins=False)


def _changed(text: str) -> Iterator[Found]:
    """Calls that change a context, or make another of it; what these give is not read."""
    names = {match["name"] for match in _MADE.finditer(text)}
    changed = [match for match in _CHANGED.finditer(text) if match["name"] in names]
    for match in (*changed, *_CHAINED.finditer(text)):
        line = text.count("\n", 0, match.end()) + 1
        yield Found.untold(line, "it changes the context after it is made")


def _contexts(source: PythonFile) -> Iterator[_Context]:
    for called in calls_named(source, ("CryptContext", "LazyCryptContext"), of="passlib"):
        call = called.call
        require_whole(call, "a cost")
        options = dict(call.keywords)
        if call.arguments:
            options.setdefault("schemes", call.arguments[0])
        if options:
            yield _Context(options, call.line, called.apart)


def _configured(source: PythonFile, name: str) -> Iterator[_Context]:
    """The context that Flask-Security makes of a scheme and its options."""
    beside = f"{name}_PASSLIB_OPTIONS"
    chosen, given = (
        next((setting.value for setting in settings_named(source, key) if setting.wins), None)
        for key in (name, beside)
    )
    options = {} if given is None else given.data
    if given is not None and (chosen is None or not isinstance(options, dict)):
        raise UntoldError(given.line, f"{beside} is known only with the scheme, at run time")
    if chosen is not None and isinstance(options, dict):
        yield _Context({**options, "schemes": chosen}, chosen.line)


def _of_scheme(app: App, context: _Context, name: str, handler: Handler) -> Found:
    options = context.of_scheme(name)
    given = {
        option: _number(options[option], f"{name}__{option}")
        for option in (*_ROUNDS, *handler.further)
        if option in options
    }
    is_log2 = handler.param == "n"
    usual = app.usual(handler.hasher)[handler.param]
    rounds, why = _effective(usual.bit_length() - 1 if is_log2 else usual, given, name)
    values = [options[option] for option in given]
    whys = [why, *(reason for value in values for reason in value.whys)]
    vary = options.get("vary_rounds")
    if vary is not None and vary.data not in (0, "0", "0%"):
        whys.append("vary_rounds draws each hash's rounds around it")
    params: dict[str, int] = {}
    lines = {} if not values else {handler.param: values[0].line}
    if rounds is not None:
        count = power_of_two(rounds, f"{name}'s rounds", context.line) if is_log2 else rounds
        params[handler.param] = count
    same = [
        options[option].line for option in _ROUNDS if option in given and given[option] == rounds
    ]
    for option, param in handler.further.items():
        if option in given:
            params[param], lines[param] = given[option], options[option].line
    if not params:
        whys.append("it has passlib's default")
    place = values[0] if values else context.options.get("schemes") or context
    return Found(
        hasher=handler.hasher,
        params=params,
        line=place.line,
        lines=lines,
        also=tuple(same[1:]),
        why=joined(*whys),
        environment=environment_in(joined(*whys)),
    )


def _number(value: Value, name: str) -> int:
    """The number of an option, which passlib takes as text too."""
    if isinstance(value.data, str):
        return whole_number(value.data, name, value.line)
    return whole(value, name)


def _effective(usual: int, given: Mapping[str, int], name: str) -> tuple[int | None, str]:
    """The rounds of new hashes if they are not the default, and why they are not as written.

    As ``HasRounds.using`` has it (passlib/utils/handlers.py).
    """
    pinned = given.get("rounds", given.get("time_cost"))
    low, high = given.get("min_rounds", pinned), given.get("max_rounds", pinned)
    written = given.get("default_rounds", pinned)
    if low and high is not None and high < low:
        raise UnreadableInputError(
            f"passlib refuses it: {name}__max_rounds {high} is below {name}__min_rounds {low}"
        )
    if written is not None and ((low and written < low) or (high and written > high)):
        raise UnreadableInputError(
            f"passlib refuses it: {name}__default_rounds {written} is not between its"
            f" min_rounds and max_rounds"
        )
    if written is None and low and usual < low:
        return low, "min_rounds raises the default to it"
    if written is None and high and usual > high:
        return high, "max_rounds lowers the default to it"
    return written, ""


def _of_handlers(app: App, source: PythonFile, handlers: Mapping[str, Handler]) -> Iterator[Found]:
    """``passlib.hash.bcrypt.using(rounds=13)`` and ``bcrypt.hash(password, rounds=13)``."""
    for called in calls_named(source, ("using", "hash", "encrypt"), of="passlib"):
        name = called.call.function.rpartition(".")[0].rpartition(".")[2]
        if name in handlers and {"rounds", "default_rounds"} & called.call.keywords.keys():
            options = {f"{name}__{key}": value for key, value in called.call.keywords.items()}
            context = _Context(options, called.call.line)
            yield _of_scheme(app, context, name, handlers[name]).unless(called.apart)
