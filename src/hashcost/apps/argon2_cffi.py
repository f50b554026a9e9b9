"""argon2-cffi: the arguments of ``PasswordHasher``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.unique import unique
from hashcost.apps.interface import App, Default, Found, Scheme
from hashcost.apps.libraries import (
    ARGON2_ARGUMENTS,
    ARGON2_CFFI,
    ARGON2_LIMITS,
    argon2_keywords,
    argon2_refusal,
)
from hashcost.core.errors import UnreadableInputError
from hashcost.core.model import Params
from hashcost.source_code.python_calls import calls_named, numbers, require_whole
from hashcost.source_code.python_file import Called
from hashcost.source_code.python_statements import read_python
from hashcost.source_code.values import Call, Data, dotted

_SOURCE: Final = "hynek/argon2-cffi, src/argon2/_password_hasher.py and profiles.py"
_CLASS: Final = "PasswordHasher"
_VARIANTS: Final = {"ID": "argon2id", "I": "argon2i", "D": "argon2d"}
_FIELDS: Final = (
    ("type", "type"),
    ("version", "version"),
    ("salt_len", "salt_len"),
    ("hash_len", "hash_len"),
    *ARGON2_ARGUMENTS,
)
"""The fields of ``argon2.Parameters`` in their order."""


def _cost(memory_kib: int, time_cost: int, parallelism: int) -> Params:
    return {"memory_kib": memory_kib, "time_cost": time_cost, "parallelism": parallelism}


PROFILES: Final[Mapping[str, Params]] = {
    "RFC_9106_HIGH_MEMORY": _cost(2_097_152, 1, 4),
    "RFC_9106_LOW_MEMORY": _cost(65_536, 3, 4),
    "PRE_21_2": _cost(102_400, 2, 8),
    "CHEAPEST": _cost(8, 1, 1),
}
"""``argon2.profiles``."""


def _write(params: Params) -> str:
    return (
        "from argon2 import PasswordHasher\n\n"
        "password_hasher = PasswordHasher(\n"
        f"    {argon2_keywords(params)}\n"
        ")\n"
    )


def _read(text: str) -> tuple[Found, ...]:
    """The cost of every ``PasswordHasher`` that the file makes."""
    source = read_python(text)
    found = [_of_arguments(each) for each in calls_named(source, (_CLASS,), of="argon2")]
    found += [
        _of_profile(each)
        for each in calls_named(source, ("from_parameters",), of="argon2")
        if each.call.function.endswith(f"{_CLASS}.from_parameters")
    ]
    return with_refusals(unique(found), APP.schemes, "argon2-cffi")


def _of_arguments(called: Called) -> Found:
    call = called.call
    params, whys, line = numbers(call, ARGON2_ARGUMENTS)
    variant = call.argument("type", 6)
    if variant is None:
        require_whole(call, "type")
    return Found(
        hasher=_VARIANTS["ID"] if variant is None else _variant(variant.data, call.line),
        params=dict(params),
        line=line,
        wins=not called.apart,
        why=called.apart or "; ".join(whys) or ("" if params else "it has argon2-cffi's default"),
    )


def _variant(data: Data, line: int) -> str:
    found = _VARIANTS.get(dotted(data).rpartition(".")[2])
    if found is None:
        raise UnreadableInputError(f"line {line}: which Type it has, only running it tells")
    return found


def _of_profile(called: Called) -> Found:
    call = called.call
    value = call.argument("params", 0)
    data = None if value is None else value.data
    line = call.line if value is None else value.line
    hasher = _VARIANTS["ID"]
    if isinstance(data, Call) and data.name == "Parameters":
        given, _, line = numbers(data, ARGON2_ARGUMENTS if not data.arguments else _FIELDS)
        params = dict(given)
    elif dotted(data).rpartition(".")[2] in PROFILES:
        params = PROFILES[dotted(data).rpartition(".")[2]]
    else:
        raise UnreadableInputError(
            f"line {line}: the parameters of {_CLASS}, only running it tells"
        )
    return Found(hasher=hasher, params=params, line=line, wins=not called.apart, why=called.apart)


APP = App(
    name="argon2-cffi",
    title="argon2-cffi",
    schemes=(
        Scheme(
            hasher="argon2id",
            library="argon2-cffi",
            timing=ARGON2_CFFI,
            keys={
                "memory_kib": f"{_CLASS}(memory_cost=) (KiB)",
                "time_cost": f"{_CLASS}(time_cost=)",
                "parallelism": f"{_CLASS}(parallelism=)",
            },
            limits=ARGON2_LIMITS,
            write=_write,
            defaults=(
                Default(since="18.2", params=PROFILES["PRE_21_2"], source=_SOURCE),
                Default(since="21.2", params=PROFILES["RFC_9106_LOW_MEMORY"], source=_SOURCE),
            ),
            refuses=argon2_refusal,
        ),
    ),
    comment="# {}",
    read=_read,
    places=("app.py", "*/security.py", "*/auth.py"),
    rehashes="where the application asks check_needs_rehash on login; to a lower cost too",
    sources=(_SOURCE,),
    package="argon2-cffi",
)
