"""argon2-cffi: the arguments of ``PasswordHasher``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.candidates import unique
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params
from hashcost.source_code.python_calls import calls_named, numbers, require_whole
from hashcost.source_code.python_file import Called
from hashcost.source_code.python_statements import read_python
from hashcost.source_code.values import Call, Data, dotted

_CLASS: Final = "PasswordHasher"
_VARIANTS: Final = {"ID": "argon2id", "I": "argon2i", "D": "argon2d"}
ARGUMENTS: Final = (
    ("time_cost", "time_cost"),
    ("memory_cost", "memory_kib"),
    ("parallelism", "parallelism"),
)
"""The arguments in their order, with the params that they set."""
_FIELDS: Final = (
    ("type", "type"),
    ("version", "version"),
    ("salt_len", "salt_len"),
    ("hash_len", "hash_len"),
    *ARGUMENTS,
)
"""The fields of ``argon2.Parameters`` in their order."""


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The costs that ``argon2.profiles`` has by name."""

    profiles: dict[str, Params]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The cost of every ``PasswordHasher`` that the file makes."""
        source = read_python(text)
        found = [_of_arguments(each) for each in calls_named(source, (_CLASS,), of="argon2")]
        found += [
            _of_profile(each, self.profiles)
            for each in calls_named(source, ("from_parameters",), of="argon2")
            if each.call.function.endswith(f"{_CLASS}.from_parameters")
        ]
        return with_refusals(unique(found), app)


def _of_arguments(called: Called) -> Found:
    call = called.call
    params, whys, line = numbers(call, ARGUMENTS)
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


def _of_profile(called: Called, profiles: Mapping[str, Params]) -> Found:
    call = called.call
    value = call.argument("params", 0)
    data = None if value is None else value.data
    line = call.line if value is None else value.line
    hasher = _VARIANTS["ID"]
    if isinstance(data, Call) and data.name == "Parameters":
        given, _, line = numbers(data, ARGUMENTS if not data.arguments else _FIELDS)
        params = dict(given)
    elif dotted(data).rpartition(".")[2] in profiles:
        params = profiles[dotted(data).rpartition(".")[2]]
    else:
        raise UnreadableInputError(
            f"line {line}: the parameters of {_CLASS}, only running it tells"
        )
    return Found(hasher=hasher, params=params, line=line, wins=not called.apart, why=called.apart)
