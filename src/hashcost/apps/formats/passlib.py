"""Passlib's contexts in INI files and in Python code, and its handlers."""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from hashcost.apps.facts import Facts
from hashcost.apps.formats.python_settings import settings_named
from hashcost.apps.found import Costs, Found
from hashcost.apps.ini import is_ini
from hashcost.apps.interface import App
from hashcost.apps.text import costs_apart, only_verified, power_of_two, unique, whole_number
from hashcost.core.errors import UndeterminedError, at_line
from hashcost.core.text import joined
from hashcost.core.units import format_list
from hashcost.source_code.python.file import PythonFile, read_python
from hashcost.source_code.python.values import Called
from hashcost.source_code.values import Value, dotted, shown, variable_of, whole


class Handler(Facts, frozen=True):
    """A handler that has a cost: its hasher, and the param of ``rounds``.

    ``further`` are the options beside the rounds that are part of the cost, with their
    params; ``also`` are the names of handlers that have the same cost. ``types`` are the hashers
    that the option ``type`` names.
    """

    hasher: str
    param: str
    further: dict[str, str] = {}
    also: tuple[str, ...] = ()
    types: dict[str, str] = {}

    def hasher_of(self, options: Mapping[str, Value]) -> str:
        """The hasher that the options choose.

        Raises:
            UndeterminedError: it is known only at run time, or not one of passlib's.
        """
        kind = options.get("type")
        if kind is None or not self.types:
            return self.hasher
        # passlib takes capital letters, too.
        hasher = self.types.get(str(kind.data).lower())
        if hasher is None:
            written = shown(str(kind.data))
            raise UndeterminedError(kind.line, f"type is {written}, which is unknown")
        return hasher


_HEADER: Final = re.compile(r"\[.+\]")
_OPTION: Final = re.compile(r"(?P<name>[^\s=:][^=:]*)[=:](?P<value>.*)")
_NOT_INI: Final = "not INI that Python reads: a line, or an option set twice"
_CONTEXTS: Final = frozenset({"CryptContext", "LazyCryptContext"})
_CHANGES: Final = frozenset({"update", "load", "load_path", "copy", "using", "replace"})
_MAKES_HASHES: Final = frozenset({"using", "hash", "encrypt"})
_ROUNDS: Final = ("default_rounds", "rounds", "time_cost", "min_rounds", "max_rounds")


@dataclass(frozen=True)
class _CryptContext:
    """The options of a ``CryptContext``: text from an INI file, values from Python."""

    options: Mapping[str, Value]
    line: int
    apart: str = ""
    is_whole: bool = True
    """Whether the options are known before run time."""

    def names(self, key: str) -> tuple[str, ...]:
        """The schemes that an option lists."""
        value = self.options.get(key)
        if value is None:
            return ()
        if isinstance(value.data, str):
            names = map(str.strip, value.data.split(","))
            return tuple(filter(None, names))
        if isinstance(value.data, tuple):
            return tuple(map(_scheme_of, value.data))
        raise UndeterminedError(value.line, f"{key} is known only at run time")

    def of_scheme(self, name: str) -> dict[str, Value]:
        """The options of a scheme, without those for one category of users."""
        options = {}
        for key, value in self.options.items():
            scheme, _, option = key.replace(".", "__").removeprefix("default__").partition("__")
            if scheme == name and option and "__" not in option:
                options[option] = value
        return options


def _scheme_of(value: Value) -> str:
    """The scheme that a text names, or the handler ``passlib.hash.bcrypt``."""
    if isinstance(value.data, str):
        return value.data.rpartition(".")[2]
    return dotted(value.data).rpartition(".")[2]


class Passlib(Facts, frozen=True):
    """The ``handlers`` that have a cost, by their names in ``schemes``, and what is ``unfit``.

    A ``setting`` names the scheme where the framework makes the context.
    """

    handlers: dict[str, Handler]
    unfit: str
    setting: str = ""

    def read(self, app: App, text: str) -> Costs:
        """The cost of the scheme that each context hashes new passwords with."""
        handlers = dict(self.handlers)
        for handler in self.handlers.values():
            handlers |= dict.fromkeys(handler.also, handler)
        others = []
        if is_ini(text):
            contexts = [_CryptContext(_options_in(text), 1)]
        elif self.setting:
            contexts = list(_configured(read_python(text), self.setting))
        else:
            source = read_python(text)
            contexts = list(_contexts(source))
            others = [*_of_handlers(app, source, handlers), *_changed(source)]
        costs = costs_apart(
            lambda context: self._of_context(app, context, handlers), contexts, attrgetter("apart")
        )
        return unique([*costs, *others])

    def _of_context(
        self, app: App, context: _CryptContext, handlers: Mapping[str, Handler]
    ) -> Costs:
        """The cost that a context hashes new passwords with; none if it lists no schemes."""
        if not context.is_whole:
            what = "the options of the context are known only at run time"
            raise UndeterminedError(context.line, what)
        if not context.names("schemes"):
            return
        chosen, why = _chosen(context)
        if re.fullmatch(self.unfit, chosen):
            yield Found.unfit(chosen, context.line, f"passlib hashes with {chosen}")
            return
        if chosen not in handlers:
            why = f"passlib hashes with {shown(chosen)!r}, whose cost hashcost does not know"
            yield Found.undetermined(context.line, why, shown(chosen))
            return
        cost = _of_scheme(app, context, chosen, handlers[chosen])
        older = [name for name in context.names("schemes") if re.fullmatch(self.unfit, name)]
        why = joined(why, only_verified(older), cost.why)
        yield replace(cost, why=why)


def _chosen(context: _CryptContext) -> tuple[str, str]:
    """The scheme that a context hashes new passwords with, and why it is that one."""
    schemes = context.names("schemes")
    deprecated = context.names("deprecated")
    chosen = ""
    why = ""
    default = context.options.get("default")
    if default is not None:
        chosen = _scheme_of(default)
        why = "default names it"
    else:
        current = [name for name in schemes if name not in deprecated]
        if current:
            chosen = current[0]
        if len(schemes) > 1:
            why = "the first of schemes hashes new passwords"
    if chosen not in schemes:
        raise at_line(context.line, "passlib refuses it: no scheme hashes new passwords")
    return chosen, why


def _options_in(text: str) -> dict[str, Value]:
    """The options of the section ``passlib`` of an INI file, as Python's configparser reads them.

    configparser itself takes quadratic time over blanks inside of a line.
    """
    options: dict[str, Value] = {}
    section = ""
    name = ""
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if not words or words.startswith(("#", ";")):
            continue
        goes_on = line[0].isspace() and name
        option = _OPTION.match(words)
        if goes_on and name in options:
            value = options[name]
            options[name] = replace(value, data=f"{value.data}\n{words}")
        elif goes_on:
            continue  # Of another section.
        elif _HEADER.match(words):
            section = words[1 : words.rindex("]")]
            name = ""
        elif option is None or not section:
            raise at_line(number, _NOT_INI)
        else:
            name = option["name"].strip().lower()
            if section != "passlib":
                continue
            if name in options:
                raise at_line(number, _NOT_INI)
            # Two percent signs are one: a single one begins a name to fill in.
            options[name] = Value(option["value"].strip().replace("%%", "%"), number)
    return options


def _changed(source: PythonFile) -> Costs:
    """Calls that change a context, or make another of it; what these give is not read."""
    for called in source.called:
        owner, _, name = called.call.function.rpartition(".")
        if name in _CHANGES and owner.removesuffix("()").rpartition(".")[2] in _CONTEXTS:
            yield Found.undetermined(called.call.line, "it changes the context after it is made")


def _contexts(source: PythonFile) -> Iterator[_CryptContext]:
    for called in source.called:
        call = called.call
        if call.name not in _CONTEXTS or call.function in source.classes:
            continue
        options = dict(call.keywords)
        # ``CryptContext(["bcrypt"])``
        if call.arguments:
            options.setdefault("schemes", call.arguments[0])
        apart = called.apart
        # Other files may hash with a context of the module.
        if not apart and called.function is not None and source.makes_no_hash(called):
            apart = "the context only verifies hashes"
        yield _CryptContext(options, call.line, apart, is_whole=call.whole)


def _configured(source: PythonFile, name: str) -> Iterator[_CryptContext]:
    """The context that Flask-Security makes of a scheme and its options."""
    beside = f"{name}_PASSLIB_OPTIONS"
    chosen = _used_value(source, name)
    given = _used_value(source, beside)
    options = {}
    if given is not None:
        # Without the scheme, which another file may name, they are options of nothing.
        if chosen is None or not isinstance(given.data, dict):
            raise UndeterminedError(
                given.line, f"{beside} is known only with the scheme, at run time"
            )
        options = given.data
    if chosen is not None:
        yield _CryptContext({**options, "schemes": chosen}, chosen.line)


def _used_value(source: PythonFile, name: str) -> Value | None:
    for setting in settings_named(source, name):
        if setting.wins:
            return setting.value
    return None


def _of_scheme(app: App, context: _CryptContext, name: str, handler: Handler) -> Found:
    options = context.of_scheme(name)
    hasher = handler.hasher_of(options)
    given = {}
    whys: list[str] = []
    for option in (*_ROUNDS, *handler.further):
        if option in options:
            given[option] = _number(options[option], f"{name}__{option}")
            whys += options[option].whys
    # Bounds may move the default, so that it must be known.
    usual = app.usual(handler.hasher).get(handler.param)
    if usual is None:
        raise UndeterminedError(
            context.line, f"the default cost of passlib's {shown(name)} is unknown"
        )
    # passlib counts scrypt's rounds by their logarithm.
    is_log2 = handler.param == "n"
    if is_log2:
        usual = usual.bit_length() - 1
    rounds, why = _effective(usual, given, name, context.line)
    whys.insert(0, why)
    vary = options.get("vary_rounds")
    if vary is not None and vary.data not in (0, "0", "0%"):
        whys.append("vary_rounds draws each hash's rounds around it")
    params = {}
    lines = {}
    line = context.options.get("schemes", context).line
    if given:
        first = next(iter(given))
        line = options[first].line
        lines[handler.param] = line
    if rounds is not None:
        params[handler.param] = rounds
        if is_log2:
            params[handler.param] = power_of_two(rounds, f"{name}'s rounds", context.line)
    # min_rounds and max_rounds may say the number again.
    same = [
        options[option].line for option in _ROUNDS if option in given and given[option] == rounds
    ]
    for option, param in handler.further.items():
        if option in given:
            params[param] = given[option]
            lines[param] = options[option].line
    if not params:
        whys.append("passlib's default")
    return Found(
        hasher=hasher,
        params=params,
        line=line,
        lines=lines,
        also=tuple(same[1:]),
        why=joined(*whys),
        environment=variable_of(whys),
    )


def _number(value: Value, name: str) -> int:
    """The number of an option, which passlib takes as text too."""
    if isinstance(value.data, str):
        return whole_number(value.data, name, value.line)
    return whole(value, name)


def _effective(
    usual: int, given: Mapping[str, int], name: str, line: int
) -> tuple[int | None, str]:
    """The rounds of new hashes if they are not the default, and why they are not as written.

    As ``HasRounds.using`` has it (passlib/utils/handlers.py).
    """
    # ``rounds`` sets all three that are not given.
    pinned = given.get("rounds", given.get("time_cost"))
    written = given.get("default_rounds", pinned)
    low = given.get("min_rounds", pinned) or 0
    high = given.get("max_rounds", pinned) or sys.maxsize
    is_outside = written is not None and not low <= written <= high
    if low > high or is_outside:
        keys = format_list([f"{name}__{option}" for option in _ROUNDS if option in given])
        raise at_line(line, f"passlib refuses it: {keys} disagree")
    if written is None and usual < low:
        return low, "min_rounds raises the default to it"
    if written is None and usual > high:
        return high, "max_rounds lowers the default to it"
    return written, ""


def _of_handlers(app: App, source: PythonFile, handlers: Mapping[str, Handler]) -> Costs:
    """``passlib.hash.bcrypt.using(rounds=13)`` and ``bcrypt.hash(password, rounds=13)``."""

    def of_call(called: Called) -> Costs:
        call = called.call
        owner, _, function = call.function.rpartition(".")
        name = owner.rpartition(".")[2]
        if function not in _MAKES_HASHES or name not in handlers:
            return
        handler = handlers[name]
        # Without any of these the call changes no cost.
        if {*_ROUNDS, *handler.further, "type"}.isdisjoint(call.keywords):
            return
        options = {f"{name}__{key}": value for key, value in call.keywords.items()}
        yield _of_scheme(app, _CryptContext(options, call.line), name, handler)

    return costs_apart(of_call, source.called, attrgetter("apart"))
