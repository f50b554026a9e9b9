"""passlib and libpass: a ``CryptContext``, in an INI file or in Python."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.candidates import unique
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.ini_entries import is_ini, read_section
from hashcost.apps.files.lines import LineNumbers
from hashcost.apps.interface import App, Found, joined
from hashcost.core.errors import UnreadableInputError, UntoldError, at_line
from hashcost.source_code.python.calls import calls_named, require_whole
from hashcost.source_code.python.file import PythonFile
from hashcost.source_code.python.statements import read_python
from hashcost.source_code.values import Value, dotted, shown, whole

_SECTION: Final = "passlib"
_CONTEXTS: Final = ("CryptContext", "LazyCryptContext")


class Handler(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A handler that has a cost: its hasher, the param of ``rounds``, and its own range.

    ``further`` are the options beside the rounds that are part of the cost, with their
    params; ``also`` are the names of handlers that have the same cost.
    """

    hasher: str
    param: str
    lowest: int
    highest: int
    default: int | None = None
    further: dict[str, str] = {}
    also: tuple[str, ...] = ()

    def value(self, rounds: int) -> int:
        """The param's value; ``rounds`` of scrypt is the logarithm of n."""
        return 1 << rounds if self.param == "n" else rounds

    def clamped(self, rounds: int) -> int:
        """What a context makes of rounds outside the handler's range."""
        return min(max(rounds, self.lowest), self.highest)


_MADE: Final = re.compile(
    r"^[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?=[ \t]*(?:\w+\.)*(?:Lazy)?CryptContext\b",
    re.MULTILINE,
)
_CHANGE: Final = r"(?:update|load|load_path|copy|using|replace)\s*\("
_CHANGED: Final = re.compile(rf"\b(?P<name>\w++)\s*+\.\s*+{_CHANGE}")
_CHAINED: Final = re.compile(rf"\bCryptContext\((?:[^()]|\([^()]*\))*+\)\s*+\.\s*+{_CHANGE}")

_UNFIT: Final = re.compile(
    r"plaintext|roundup_plaintext|ldap_plaintext|hex_\w+|(?:apr_|ldap_)?md5_crypt|(?:ldap_)?des_crypt"
    r"|bsdi_crypt|bigcrypt|crypt16|(?:ldap_)?bsdi_crypt|ldap_(?:hex_)?(?:md5|sha1)|ldap_salted_\w+"
    r"|nthash|lmhash|msdcc2?|bsd_nthash|mysql\w+|mssql\w+|oracle\w+|postgres_md5|phpass"
    r"|django_(?:salted_\w+|des_crypt|disabled)|atlassian_unused|cisco_(?:pix|asa|type7)|htdigest"
)
_ROUNDS: Final = ("default_rounds", "rounds", "time_cost", "min_rounds", "max_rounds")


@dataclass(frozen=True)
class _Context:
    """The options of a context: text from an INI file, values from Python."""

    options: Mapping[str, Value]
    line: int
    handlers: Mapping[str, Handler]
    apart: str = ""


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``handlers`` that have a cost, by their names in ``schemes``."""

    handlers: dict[str, Handler]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The cost of the scheme that each context hashes new passwords with."""
        handlers = {
            name: handler
            for own_name, handler in self.handlers.items()
            for name in (own_name, *handler.also)
        }
        if is_ini(text):
            found = list(_of_context(_of_ini(text, 1, handlers)))
        else:
            source = read_python(text)
            found = [
                each for context in _contexts(source, handlers) for each in _of_context(context)
            ]
            found += _of_handlers(source, handlers)
            found += _changed(text)
        return with_refusals(unique(found), app)


def _changed(text: str) -> Iterator[Found]:
    """Calls that change a context, or make another of it; what these give is not read."""
    names = {match["name"] for match in _MADE.finditer(text)}
    lines = LineNumbers(text)
    changed = [each for each in _CHANGED.finditer(text) if each["name"] in names]
    for match in (*changed, *_CHAINED.finditer(text)):
        yield Found.untold(lines.of(match.end() - 1), "it changes the context after it is made")


def _of_ini(text: str, first_line: int, handlers: Mapping[str, Handler]) -> _Context:
    options = read_section(text, _SECTION, first_line=first_line)
    values = {key: Value(each.value, each.line) for key, each in options.items()}
    return _Context(values, 1, handlers)


def _contexts(source: PythonFile, handlers: Mapping[str, Handler]) -> Iterator[_Context]:
    for called in calls_named(source, _CONTEXTS, of="passlib"):
        call = called.call
        require_whole(call, "a cost")
        options = dict(call.keywords)
        if call.arguments:
            options.setdefault("schemes", call.arguments[0])
        if options:
            yield _Context(options, call.line, handlers, called.apart)
    for called in calls_named(source, ("from_string",), of="passlib"):
        first = called.call.arguments[0] if called.call.arguments else None
        if not called.call.function.endswith("CryptContext.from_string"):
            continue
        if first is None or not isinstance(first.data, str):
            raise UntoldError(
                called.call.line, "the text of the context is known only at run time"
            )
        yield replace(_of_ini(first.data, first.line, handlers), apart=called.apart)


def _of_context(context: _Context) -> Iterator[Found]:
    schemes = _names(context, "schemes")
    if not schemes:
        return
    deprecated = _names(context, "deprecated")
    default = context.options.get("default")
    if default is not None:
        chosen = default.data if isinstance(default.data, str) else dotted(default.data)
        chosen = chosen.rpartition(".")[2]
        why = "default names it"
    else:
        chosen = next((name for name in schemes if name not in deprecated), "")
        why = "the first of schemes hashes new passwords" if len(schemes) > 1 else ""
    if chosen not in schemes:
        raise at_line(context.line, "passlib refuses it: no scheme hashes new passwords")
    if _UNFIT.fullmatch(chosen):
        unfit = Found.unfit(chosen, context.line, f"passlib hashes with {chosen}")
        yield unfit.unless(context.apart)
        return
    if chosen not in context.handlers:
        raise UntoldError(
            context.line,
            f"passlib hashes with {shown(chosen)!r}, whose cost hashcost does not know",
        )
    for name in dict.fromkeys(schemes):
        if name == chosen:
            found = _of_scheme(context, name)
            yield replace(found, why=joined(why, found.why)).unless(context.apart)
        elif name in context.handlers and _options(context, name):
            yield replace(_of_scheme(context, name), wins=False, why="it only checks older hashes")


def _names(context: _Context, key: str) -> tuple[str, ...]:
    value = context.options.get(key)
    if value is None:
        return ()
    if isinstance(value.data, str):
        return tuple(filter(None, (each.strip() for each in value.data.split(","))))
    if isinstance(value.data, tuple):
        names = (
            each.data if isinstance(each.data, str) else dotted(each.data) for each in value.data
        )
        return tuple(name.rpartition(".")[2] for name in names)
    raise UntoldError(value.line, f"{key} is known only at run time")


def _options(context: _Context, name: str) -> dict[str, Value]:
    """The options of a scheme, without those for one category of users."""
    found = {}
    for key, value in context.options.items():
        scheme, _, option = key.replace(".", "__").removeprefix("default__").partition("__")
        if scheme == name and option and "__" not in option:
            found[option] = value
    return found


def _of_scheme(context: _Context, name: str) -> Found:
    handler = context.handlers[name]
    options = _options(context, name)
    given = {
        option: _whole(options[option], f"{name}__{option}")
        for option in (*_ROUNDS, *handler.further)
        if option in options
    }
    rounds, written, why = _effective(handler, given, name)
    values = [options[option] for option in given]
    whys = [why, *(each for value in values for each in value.whys)]
    vary = options.get("vary_rounds")
    if vary is not None and vary.data not in (0, "0", "0%"):
        whys.append("vary_rounds draws each hash's rounds around it")
    params = {} if rounds is None else {handler.param: handler.value(rounds)}
    for option, param in handler.further.items():
        if option in given:
            params[param] = given[option]
    if not params:
        whys.append("it has passlib's default")
    place = values[0] if values else context.options.get("schemes") or context
    return Found(
        hasher=handler.hasher,
        params=params,
        line=place.line,
        why=joined(*whys),
        written="" if written == rounds or written is None else str(written),
    )


def _whole(value: Value, name: str) -> int:
    """A number, which passlib takes as text too."""
    if isinstance(value.data, str):
        return whole_number(value.data, name, value.line)
    return whole(value, name)


def _effective(
    handler: Handler, given: Mapping[str, int], name: str
) -> tuple[int | None, int | None, str]:
    """The rounds of new hashes, as they are written, and why they are others.

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
    if written is not None:
        rounds = handler.clamped(written)
        why = "" if rounds == written else f"passlib makes {rounds} of it"
        return rounds, written, why
    usual = handler.default
    if usual is None:
        return None, None, ""
    low, high = (None if each is None else handler.clamped(each) for each in (low, high))
    if low and usual < low:
        return low, usual, "min_rounds raises the default to it"
    if high and usual > high:
        return high, usual, "max_rounds lowers the default to it"
    return None, None, ""


def _of_handlers(source: PythonFile, handlers: Mapping[str, Handler]) -> Iterator[Found]:
    """``passlib.hash.bcrypt.using(rounds=13)`` and ``bcrypt.hash(password, rounds=13)``."""
    for called in calls_named(source, ("using", "hash", "encrypt"), of="passlib"):
        name = called.call.function.rpartition(".")[0].rpartition(".")[2]
        rounds = called.call.keywords.get("rounds", called.call.keywords.get("default_rounds"))
        if name in handlers and rounds is not None:
            options = {f"{name}__{key}": value for key, value in called.call.keywords.items()}
            context = _Context(options, called.call.line, handlers)
            yield _of_scheme(context, name).unless(called.apart)
