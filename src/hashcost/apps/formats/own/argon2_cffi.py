"""argon2-cffi: the arguments of ``PasswordHasher``."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.candidates import unique
from hashcost.apps.interface import App, Found, joined
from hashcost.core.errors import UntoldError
from hashcost.core.measurement import Params
from hashcost.source_code.python.calls import calls_named, numbers, require_whole
from hashcost.source_code.python.file import Called
from hashcost.source_code.python.statements import read_python
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
        found = [_of_hasher(each, app) for each in calls_named(source, (_CLASS,), of="argon2")]
        found += [
            _of_profile(each, self.profiles)
            for each in calls_named(source, ("from_parameters",), of="argon2")
            if each.call.function.endswith(f"{_CLASS}.from_parameters")
        ]
        return with_refusals(unique(found), app)


def of_arguments(
    called: Called, hasher: str, arguments: Sequence[tuple[str, str]], app: App
) -> Found:
    """The cost that a call is given, or the application's default."""
    params, whys, line = numbers(called.call, arguments)
    why = "" if params else f"it has {app.title}'s default"
    found = Found(hasher=hasher, params=params, line=line, why=joined(*whys) or why)
    return found.unless(called.apart)


def _of_hasher(called: Called, app: App) -> Found:
    variant = called.call.argument("type", 6)
    if variant is None:
        require_whole(called.call, "type")
        return of_arguments(called, _VARIANTS["ID"], ARGUMENTS, app)
    hasher = _variant(variant.data, called.call.line)
    return of_arguments(called, hasher, ARGUMENTS, app)


def _variant(data: Data, line: int) -> str:
    found = _VARIANTS.get(dotted(data).rpartition(".")[2])
    if found is None:
        raise UntoldError(line, "its Type is known only at run time")
    return found


def _of_profile(called: Called, profiles: Mapping[str, Params]) -> Found:
    call = called.call
    value = call.argument("params", 0)
    data = None if value is None else value.data
    line = call.line if value is None else value.line
    name = dotted(data).rpartition(".")[2]
    if isinstance(data, Call) and data.name == "Parameters":
        params, _, line = numbers(data, ARGUMENTS if not data.arguments else _FIELDS)
    elif name in profiles:
        params = profiles[name]
    else:
        raise UntoldError(line, f"the parameters of {_CLASS} are known only at run time")
    return Found(hasher=_VARIANTS["ID"], params=params, line=line).unless(called.apart)
