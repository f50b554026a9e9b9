"""Ory Kratos: ``hashers`` in ``kratos.yml``.

Read in ory/kratos: driver/config/config.go and hash/hasher_argon2.go; hash/hash_limits.go
(© 2025) in its fork toniphan21/kratos at c52a99be.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hashcost.apps.factors import GO
from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.yaml_costs import Group, costs, of_first_document, setting
from hashcost.apps.files.yaml_file import Value, values
from hashcost.apps.interface import App, Default, Found, Limits, Scheme
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.core.model import Params

_CONFIG = "ory/kratos, driver/config/config.go"
_LIMITS = "ory/kratos, hash/hash_limits.go"
_UNVERIFIABLE = "hashes are refused at every login"
_PRODUCTION_FLOOR = 12
_BYTES = re.compile(
    r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,6})?)\s*(?P<unit>[KMGT]?)B?", re.IGNORECASE
)


def _write_argon2(params: Params) -> str:
    return (
        "hashers:\n"
        "  algorithm: argon2\n"
        "  argon2:\n"
        f"    memory: {params['memory_kib']}KB\n"
        f"    iterations: {params['time_cost']}\n"
        f"    parallelism: {params['parallelism']}\n"
    )


def _write_bcrypt(params: Params) -> str:
    return f"hashers:\n  algorithm: bcrypt\n  bcrypt:\n    cost: {params['cost']}\n"


def _memory_kib(value: Value) -> int:
    """A size as go-bytesize has it: a KB is 1024 bytes, and no unit is a byte."""
    match = _BYTES.fullmatch(value.text.strip())
    if match is None:
        shown = printable(value.text)[:40]
        raise UnreadableInputError(
            f"line {value.line}: {value.name} is {shown!r}, which is no size"
        )
    bytes_per_unit = 1024 ** " KMGT".index(match["unit"].upper() or " ")
    return int(float(match["number"]) * bytes_per_unit) // 1024


_GROUPS = {
    "argon2": Group(
        hasher="argon2id",
        keys={
            "memory_kib": "hashers.argon2.memory",
            "time_cost": "hashers.argon2.iterations",
            "parallelism": "hashers.argon2.parallelism",
        },
        number={"memory_kib": _memory_kib},
    ),
    "bcrypt": Group(hasher="bcrypt", keys={"cost": "hashers.bcrypt.cost"}),
}


def _read(text: str) -> tuple[Found, ...]:
    found = of_first_document(values(text))
    named = setting(found, "hashers.algorithm")
    algorithm = "argon2" if named is None else named.text
    told = (
        "argon2 is used unless hashers.algorithm says otherwise"
        if named is None
        else f"hashers.algorithm is {printable(algorithm)[:20]}"
    )
    read = [
        each
        for name, group in _GROUPS.items()
        for each in costs(
            found,
            group,
            used=name == algorithm,
            because="" if name == algorithm and named is not None else told,
            at=None if named is None else named.line,
        )
    ]
    return with_ranges([_raised(each) for each in read], APP.schemes, APP.title)


def _raised(found: Found) -> Found:
    """What Kratos makes of a low cost of bcrypt in production."""
    cost = found.params.get("cost", _PRODUCTION_FLOOR)
    if found.hasher != "bcrypt" or cost >= _PRODUCTION_FLOOR:
        return found
    raised = f"Ory Kratos raises {cost} to {_PRODUCTION_FLOOR} unless it runs with --dev"
    return replace(
        found,
        params={"cost": _PRODUCTION_FLOOR},
        why="; ".join(filter(None, (found.why, raised))),
        written=str(cost),
    )


APP = App(
    name="kratos",
    title="Ory Kratos",
    schemes=(
        Scheme(
            hasher="argon2id",
            library="Go's x/crypto",
            timing=GO["argon2id"],
            keys={
                "memory_kib": "hashers.argon2.memory (a size; KB is KiB)",
                "time_cost": "hashers.argon2.iterations",
                "parallelism": "hashers.argon2.parallelism",
            },
            limits={
                "memory_kib": Limits(minimum=8, maximum=1 << 20, above=_UNVERIFIABLE),
                "time_cost": Limits(minimum=1, maximum=10, above=_UNVERIFIABLE),
                "parallelism": Limits(minimum=1, maximum=16, above=_UNVERIFIABLE),
            },
            write=_write_argon2,
            defaults=(
                Default(
                    since="0.5",
                    params={"memory_kib": 128 * 1024, "time_cost": 1},
                    source=f"{_CONFIG}; parallelism is twice the number of CPUs",
                ),
            ),
            note="of releases from before the limits of 2025, none refuses a high cost",
        ),
        Scheme(
            hasher="bcrypt",
            library="Go's x/crypto",
            timing=GO["bcrypt"],
            keys={"cost": "hashers.bcrypt.cost"},
            limits={
                "cost": Limits(
                    minimum=_PRODUCTION_FLOOR,
                    maximum=15,
                    beyond="raised to it without --dev",
                    above=_UNVERIFIABLE,
                )
            },
            write=_write_bcrypt,
            defaults=(Default(since="0.5", params={"cost": 12}, source=_CONFIG),),
        ),
    ),
    comment="# {}",
    read=_read,
    places=("kratos.yml", "kratos.yaml", "/etc/config/kratos/kratos.yml"),
    rehashes="on login, where the algorithm changed; not for another cost",
    sources=(_CONFIG, _LIMITS),
    note="HASHERS_… in the environment overrides the file.",
)
