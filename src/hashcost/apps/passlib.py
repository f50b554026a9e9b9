"""passlib and libpass: a ``CryptContext``, in an INI file or in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.ini import is_ini, read_section
from hashcost.apps.files.unique import unique
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write
from hashcost.apps.libraries import (
    ARGON2_CFFI,
    ARGON2_LIMITS,
    BCRYPT_LIMITS,
    HASHLIB,
    MAXMEM_LIMIT,
    PYCA_BCRYPT,
    SCRYPT_LIMITS,
    argon2_refusal,
    scrypt_bytes,
    scrypt_refusal,
)
from hashcost.core.errors import UnreadableInputError
from hashcost.core.model import Params
from hashcost.source_code.python_calls import calls_named, require_whole
from hashcost.source_code.python_file import Called, PythonFile
from hashcost.source_code.python_statements import read_python
from hashcost.source_code.values import Call, Value, dotted, shown, whole

_SOURCE: Final = "PyPI libpass 1.9.4, passlib/handlers"
_SECTION: Final = "passlib"
_CONTEXTS: Final = ("CryptContext", "LazyCryptContext")


@dataclass(frozen=True)
class Handler:
    """A handler that has a cost: its hasher, the param of ``rounds``, and its own range."""

    hasher: str
    param: str
    lowest: int
    highest: int
    default: int | None

    def value(self, rounds: int) -> int:
        """The param's value; ``rounds`` of scrypt is the logarithm of n."""
        return 1 << rounds if self.param == "n" else rounds

    def clamped(self, rounds: int) -> int:
        """What a context makes of rounds outside the handler's range."""
        return min(max(rounds, self.lowest), self.highest)


_PBKDF2 = {"sha1": 131_000, "sha256": 29_000, "sha512": 25_000}
_BCRYPT = Handler("bcrypt", "cost", 4, 31, 12)
_PLAIN: Final = {
    "sha512_crypt": Handler("sha512-crypt", "rounds", 1000, 999_999_999, 656_000),
    "sha256_crypt": Handler("sha256-crypt", "rounds", 1000, 999_999_999, 535_000),
    **{
        f"pbkdf2_{digest}": Handler(f"pbkdf2-{digest}", "iterations", 1, 2**32 - 1, rounds)
        for digest, rounds in _PBKDF2.items()
    },
    "bcrypt": _BCRYPT,
}
HANDLERS: Final[Mapping[str, Handler]] = {
    **_PLAIN,
    **{f"ldap_{name}": handler for name, handler in _PLAIN.items()},
    "bcrypt_sha256": _BCRYPT,
    "scrypt": Handler("scrypt", "n", 1, 31, 16),
    "argon2": Handler("argon2id", "time_cost", 1, 2**32 - 1, None),
}
"""The handlers that have a cost, by their names in ``schemes``."""

_FURTHER: Final = {
    "scrypt": {"block_size": "r", "parallelism": "p"},
    "argon2": {"memory_cost": "memory_kib", "parallelism": "parallelism"},
}
"""Options beside the rounds that are part of the cost."""
_ROUNDS: Final = ("default_rounds", "rounds", "time_cost", "min_rounds", "max_rounds")


# Writing


def _writer(name: str) -> Write:
    handler = HANDLERS[name]

    def write(params: Params) -> str:
        value = params[handler.param]
        rounds = value.bit_length() - 1 if handler.param == "n" else value
        lines = [
            f"[{_SECTION}]",
            f"schemes = {name}",
            f"{name}__default_rounds = {rounds}",
            f"{name}__min_rounds = {rounds}",
            *(
                f"{name}__{option} = {params[param]}"
                for option, param in _FURTHER.get(name, {}).items()
            ),
            "deprecated = auto",
        ]
        return "\n".join(lines) + "\n"

    return write


# Reading


@dataclass(frozen=True)
class _Context:
    """The options of a context: text from an INI file, values from Python."""

    options: Mapping[str, Value]
    line: int
    apart: str = ""


def _read(text: str) -> tuple[Found, ...]:
    """The cost of the scheme that each context hashes new passwords with."""
    if is_ini(text):
        found = list(_of_context(_of_ini(text, 1)))
    else:
        source = read_python(text)
        found = [each for context in _contexts(source) for each in _of_context(context)]
        found += _of_handlers(source)
    return with_refusals(unique(found), APP.schemes, "passlib")


def _of_ini(text: str, first_line: int) -> _Context:
    options = read_section(text, _SECTION, first_line=first_line)
    return _Context({key: Value(each.value, each.line) for key, each in options.items()}, 1)


def _contexts(source: PythonFile) -> Iterator[_Context]:
    for called in calls_named(source, _CONTEXTS, of="passlib"):
        call = called.call
        require_whole(call, "a cost")
        options = dict(call.keywords)
        if call.arguments:
            options.setdefault("schemes", call.arguments[0])
        if options:
            yield _Context(options, call.line, called.apart)
    for called in calls_named(source, ("from_string",), of="passlib"):
        first = called.call.arguments[0] if called.call.arguments else None
        if not called.call.function.endswith("CryptContext.from_string"):
            continue
        if first is None or not isinstance(first.data, str):
            raise UnreadableInputError(
                f"line {called.call.line}: the text of the context, only running it tells"
            )
        yield replace(_of_ini(first.data, first.line), apart=called.apart)


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
        raise UnreadableInputError(
            f"line {context.line}: passlib refuses it: no scheme hashes new passwords"
        )
    if chosen not in HANDLERS:
        raise UnreadableInputError(
            f"line {context.line}: passlib hashes with {shown(chosen)!r}, which has no cost"
            " known here"
        )
    for name in dict.fromkeys(schemes):
        if name == chosen:
            found = _of_scheme(context, name)
            yield replace(
                found,
                wins=not context.apart,
                why=context.apart or "; ".join(filter(None, (why, found.why))),
            )
        elif name in HANDLERS and _options(context, name):
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
    raise UnreadableInputError(f"line {value.line}: {key}, only running it tells")


def _options(context: _Context, name: str) -> dict[str, Value]:
    """The options of a scheme; those of one category of users alone left out."""
    found = {}
    for key, value in context.options.items():
        scheme, _, option = key.replace(".", "__").removeprefix("default__").partition("__")
        if scheme == name and option and "__" not in option:
            found[option] = value
    return found


def _of_scheme(context: _Context, name: str) -> Found:
    handler = HANDLERS[name]
    options = _options(context, name)
    given = {
        option: _whole(options[option], f"{name}__{option}")
        for option in (*_ROUNDS, *_FURTHER.get(name, {}))
        if option in options
    }
    rounds, written, why = _effective(handler, given, name)
    values = [options[option] for option in given]
    whys = [why, *(each for value in values for each in value.whys)]
    vary = options.get("vary_rounds")
    if vary is not None and vary.data not in (0, "0", "0%"):
        whys.append("vary_rounds draws each hash's rounds around it")
    params = {} if rounds is None else {handler.param: handler.value(rounds)}
    for option, param in _FURTHER.get(name, {}).items():
        if option in given:
            params[param] = given[option]
    if not params:
        whys.append("it has passlib's default")
    return Found(
        hasher=handler.hasher,
        params=params,
        line=values[0].line if values else _line(context),
        why="; ".join(filter(None, whys)),
        written="" if written == rounds or written is None else str(written),
    )


def _line(context: _Context) -> int:
    schemes = context.options.get("schemes")
    return context.line if schemes is None else schemes.line


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


def _of_handlers(source: PythonFile) -> list[Found]:
    """``passlib.hash.bcrypt.using(rounds=13)`` and ``bcrypt.hash(password, rounds=13)``."""
    found = []
    for called in calls_named(source, ("using", "hash", "encrypt"), of="passlib"):
        name = called.call.function.rpartition(".")[0].rpartition(".")[2]
        rounds = called.call.keywords.get("rounds", called.call.keywords.get("default_rounds"))
        if name not in HANDLERS or rounds is None:
            continue
        found.append(_of_handler(called, called.call, name))
    return found


def _of_handler(called: Called, call: Call, name: str) -> Found:
    options = {f"{name}__{key}": value for key, value in call.keywords.items()}
    found = _of_scheme(_Context(options, call.line, called.apart), name)
    return replace(found, wins=not called.apart, why=called.apart or found.why)


# Facts


def scrypt_refuses(params: Params) -> str:
    """Why libpass refuses a setting of scrypt; its ``maxmem`` is 5 % above the need."""
    return scrypt_refusal(params, MAXMEM_LIMIT) or scrypt_refusal(
        params, int(scrypt_bytes(params) * 1.05)
    )


def _scheme(
    name: str,
    library: str,
    timing: Timing,
    limits: Mapping[str, Limits],
    default: Sequence[Default] = (),
) -> Scheme:
    handler = HANDLERS[name]
    unit = " (log2)" if handler.param in ("n", "cost") else ""
    further = {param: f"{name}__{option}" for option, param in _FURTHER.get(name, {}).items()}
    usual = {} if handler.default is None else {handler.param: handler.value(handler.default)}
    if name == "scrypt":
        usual |= {"r": 8, "p": 1}
    return Scheme(
        hasher=handler.hasher,
        library=library,
        timing=timing,
        keys={handler.param: f"{name}__default_rounds{unit}", **further},
        limits=limits,
        write=_writer(name),
        defaults=tuple(default) or (Default(since="1.7", params=usual, source=_SOURCE),),
    )


_ROUNDS_LIMITS: Final = {
    "rounds": Limits(minimum=1000, maximum=999_999_999, beyond="clamped, with a warning")
}
_PBKDF2_LIMITS: Final = {"iterations": Limits(minimum=1, maximum=2**31 - 1)}
"""The handler says 2^32 - 1, but hashlib takes no more than a C int."""
_BUILTIN: Final = Timing(implementation="passlib")

APP = App(
    name="passlib",
    title="passlib (libpass)",
    schemes=(
        _scheme("sha512_crypt", "passlib's own sha512-crypt", _BUILTIN, _ROUNDS_LIMITS),
        _scheme("sha256_crypt", "passlib's own sha256-crypt", _BUILTIN, _ROUNDS_LIMITS),
        _scheme("pbkdf2_sha256", "hashlib.pbkdf2_hmac", HASHLIB, _PBKDF2_LIMITS),
        _scheme("pbkdf2_sha512", "hashlib.pbkdf2_hmac", HASHLIB, _PBKDF2_LIMITS),
        _scheme("pbkdf2_sha1", "hashlib.pbkdf2_hmac", HASHLIB, _PBKDF2_LIMITS),
        replace(
            _scheme("bcrypt", "bcrypt (pyca)", PYCA_BCRYPT, BCRYPT_LIMITS),
            note="passlib 1.7.4 fails with bcrypt 5; libpass 1.9 does not",
        ),
        replace(
            _scheme("scrypt", "hashlib.scrypt", HASHLIB, SCRYPT_LIMITS), refuses=scrypt_refuses
        ),
        replace(
            _scheme(
                "argon2",
                "argon2-cffi",
                ARGON2_CFFI,
                ARGON2_LIMITS,
                (
                    Default(
                        since="1.7",
                        params={"memory_kib": 65_536, "time_cost": 3, "parallelism": 4},
                        source=f"{_SOURCE}/argon2.py: those of argon2-cffi, here of 21.2 on",
                    ),
                ),
            ),
            refuses=argon2_refusal,
        ),
    ),
    comment="# {}",
    read=_read,
    places=("passlib.ini", "*/security.py", "*/auth.py"),
    rehashes="on login by verify_and_update; weaker hashes alone",
    sources=(_SOURCE, "PyPI libpass 1.9.4, passlib/context.py and passlib/utils/handlers.py"),
    package="libpass",
    note="keep the schemes of stored hashes behind the first",
)
