"""pwdlib, with which FastAPI-Users hashes: the hashers of a ``PasswordHash``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.candidates import unique
from hashcost.apps.formats.own.argon2_cffi import ARGUMENTS
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.python_calls import calls_named, numbers
from hashcost.source_code.python_file import Called
from hashcost.source_code.python_statements import read_python
from hashcost.source_code.values import Call

_ARGUMENTS: Final = {
    "Argon2Hasher": ("argon2id", ARGUMENTS),
    "BcryptHasher": ("bcrypt", (("rounds", "cost"),)),
}


def read(app: App, text: str) -> tuple[Found, ...]:
    """The hashers of every ``PasswordHash``, the first of which hashes new passwords."""
    source = read_python(text)
    hashes = calls_named(source, ("PasswordHash",), of="pwdlib")
    hashers = calls_named(source, tuple(_ARGUMENTS), of="pwdlib")
    found = [each for called in hashes for each in _of_hashers(called)]
    found += [
        Found(
            hasher="argon2id",
            params={},
            line=called.call.line,
            wins=not called.apart,
            why=called.apart or "recommended() has pwdlib's default",
        )
        for called in calls_named(source, ("recommended",), of="pwdlib")
        if called.call.function.endswith("PasswordHash.recommended")
    ]
    if not found:
        found = [_of_hasher(called.call, called.apart) for called in hashers]
    return with_refusals(unique(found), app)


def _of_hashers(called: Called) -> Iterator[Found]:
    value = called.call.argument("hashers", 0)
    data = None if value is None else value.data
    if not isinstance(data, tuple) or not data:
        raise UnreadableInputError(
            f"line {called.call.line}: the hashers of PasswordHash, only running it tells"
        )
    for position, each in enumerate(data):
        call = each.data
        known = isinstance(call, Call) and call.name in _ARGUMENTS
        if isinstance(call, Call) and known:
            found = _of_hasher(call, called.apart)
            if position:
                found = replace(
                    found, wins=False, why="only the first hasher hashes new passwords"
                )
            yield found
        elif not position:
            raise UnreadableInputError(
                f"line {called.call.line}: the first hasher of PasswordHash, only running it tells"
            )


def _of_hasher(call: Call, apart: str) -> Found:
    hasher, arguments = _ARGUMENTS[call.name]
    params, whys, line = numbers(call, arguments)
    why = apart or "; ".join(whys) or ("" if params else "it has pwdlib's default")
    return Found(hasher=hasher, params=dict(params), line=line, wins=not apart, why=why)
