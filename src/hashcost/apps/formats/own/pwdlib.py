"""pwdlib, with which FastAPI-Users hashes: the hashers of a ``PasswordHash``."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.candidates import unique
from hashcost.apps.formats.own.argon2_cffi import ARGUMENTS, of_arguments
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UnreadableInputError, UntoldError
from hashcost.source_code.python.calls import calls_named
from hashcost.source_code.python.file import Called
from hashcost.source_code.python.statements import read_python
from hashcost.source_code.values import Call

_ARGUMENTS: Final = {
    "Argon2Hasher": ("argon2id", ARGUMENTS),
    "BcryptHasher": ("bcrypt", (("rounds", "cost"),)),
}


def read(app: App, text: str) -> tuple[Found, ...]:
    """The hashers of every ``PasswordHash``, the first of which hashes new passwords."""
    source = read_python(text)
    found = [
        each
        for called in calls_named(source, ("PasswordHash",), of="pwdlib")
        for each in _of_hashers(called, app)
    ]
    why = "recommended() has pwdlib's default"
    found += [
        Found(hasher="argon2id", params={}, line=called.call.line, why=why).unless(called.apart)
        for called in calls_named(source, ("recommended",), of="pwdlib")
        if called.call.function.endswith("PasswordHash.recommended")
    ]
    if not found:
        hashers = calls_named(source, _ARGUMENTS, of="pwdlib")
        found = [of_arguments(each, *_ARGUMENTS[each.call.name], app) for each in hashers]
    return with_refusals(unique(found), app)


def _of_hashers(called: Called, app: App) -> Iterator[Found]:
    value = called.call.argument("hashers", 0)
    data = None if value is None else value.data
    if not isinstance(data, tuple) or not data:
        raise _untold(called, "the hashers")
    for position, each in enumerate(data):
        call = each.data
        if isinstance(call, Call) and call.name in _ARGUMENTS:
            found = of_arguments(replace(called, call=call), *_ARGUMENTS[call.name], app)
            yield found.unless("only the first hasher hashes new passwords" if position else "")
        elif not position:
            raise _untold(called, "the first hasher")


def _untold(called: Called, what: str) -> UnreadableInputError:
    return UntoldError(called.call.line, f"{what} of PasswordHash are known only at run time")
