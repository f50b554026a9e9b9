"""pwdlib, with which FastAPI-Users hashes: the hashers of a ``PasswordHash``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.unique import unique
from hashcost.apps.interface import App, Default, Found, Scheme
from hashcost.apps.libraries import (
    ARGON2_ARGUMENTS,
    ARGON2_CFFI,
    ARGON2_LIMITS,
    BCRYPT_LIMITS,
    PYCA_BCRYPT,
    argon2_keywords,
    argon2_refusal,
)
from hashcost.core.errors import UnreadableInputError
from hashcost.core.model import Params
from hashcost.source_code.python_calls import calls_named, numbers
from hashcost.source_code.python_file import Called
from hashcost.source_code.python_statements import read_python
from hashcost.source_code.values import Call

_SOURCE: Final = "frankie567/pwdlib, pwdlib/hashers"
_ARGUMENTS: Final = {
    "Argon2Hasher": ("argon2id", ARGON2_ARGUMENTS),
    "BcryptHasher": ("bcrypt", (("rounds", "cost"),)),
}


def _snippet(module: str, name: str, arguments: str) -> str:
    return (
        "from pwdlib import PasswordHash\n"
        f"from pwdlib.hashers.{module} import {name}\n\n"
        "password_hash = PasswordHash(\n"
        f"    ({name}({arguments}),)\n"
        ")\n"
    )


def _write_argon2(params: Params) -> str:
    return _snippet("argon2", "Argon2Hasher", argon2_keywords(params))


def _write_bcrypt(params: Params) -> str:
    return _snippet("bcrypt", "BcryptHasher", f"rounds={params['cost']}")


def _read(text: str) -> tuple[Found, ...]:
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
    return with_refusals(unique(found), APP.schemes, "pwdlib")


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


APP = App(
    name="pwdlib",
    title="pwdlib",
    schemes=(
        Scheme(
            hasher="argon2id",
            library="argon2-cffi",
            timing=ARGON2_CFFI,
            keys={
                "memory_kib": "Argon2Hasher(memory_cost=) (KiB)",
                "time_cost": "Argon2Hasher(time_cost=)",
                "parallelism": "Argon2Hasher(parallelism=)",
            },
            limits=ARGON2_LIMITS,
            write=_write_argon2,
            defaults=(
                Default(
                    since="0.2",
                    params={"memory_kib": 65_536, "time_cost": 3, "parallelism": 4},
                    source=f"{_SOURCE}/argon2.py, with argon2-cffi's RFC_9106_LOW_MEMORY",
                ),
            ),
            refuses=argon2_refusal,
        ),
        Scheme(
            hasher="bcrypt",
            library="bcrypt (pyca)",
            timing=PYCA_BCRYPT,
            keys={"cost": "BcryptHasher(rounds=) (log2)"},
            limits=BCRYPT_LIMITS,
            write=_write_bcrypt,
            defaults=(Default(since="0.2", params={"cost": 12}, source=f"{_SOURCE}/bcrypt.py"),),
        ),
    ),
    comment="# {}",
    read=_read,
    places=("app.py", "*/security.py", "*/users.py"),
    rehashes="on login by verify_and_update; to a lower cost too",
    sources=(_SOURCE,),
    package="pwdlib",
    note=(
        "keep the hashers of stored hashes behind the first; FastAPI-Users takes it as"
        " PasswordHelper(password_hash) (fastapi_users/password.py)"
    ),
)
