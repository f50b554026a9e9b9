"""A decision as TOML: ``decision.toml``, to commit beside what it is applied to."""

import datetime as dt
from pathlib import Path
from typing import Annotated, Final

import msgspec

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.errors import UnreadableInputError
from hashcost.core.machine import MOST_CPUS
from hashcost.core.measurement import MOST, Count, HashSeconds, Implemented, Params
from hashcost.core.text import path_name, printable
from hashcost.core.units import check_moment
from hashcost.storage.files import read_limited, write_whole
from hashcost.storage.profile import check_schema
from hashcost.storage.toml_tables import table_of

_SCHEMA_VERSION: Final = 1

_Hosts = Annotated[
    tuple[Annotated[str, msgspec.Meta(max_length=1000)], ...], msgspec.Meta(max_length=10_000)
]
SUFFIX: Final = ".toml"
_HEAD: Final = """\
# The costs that a fleet is set to; `calibrate emit APP --from FILE` writes them.
# `calibrate compare --decision FILE` keeps each while measuring again does not exclude it.
"""


class DecidedCost(Implemented, frozen=True, kw_only=True, rename="kebab", omit_defaults=True):
    """One hasher's cost for all hosts of a fleet.

    It stands while measuring again does not exclude it: what is compared with later is the
    time that it had when it was decided on, with its interval.
    """

    implementation_version: str
    params: Params
    target_seconds: HashSeconds
    time_seconds: HashSeconds
    """One hash on the slowest hosts, when this was decided."""
    interval_seconds: tuple[HashSeconds, HashSeconds] | None = None
    memory_bytes: Count = 0
    decided: Annotated[dt.datetime, msgspec.Meta(tz=True)]
    why: str
    cpu_model: str | None = None
    cpu_count: Annotated[int, msgspec.Meta(ge=1, le=MOST_CPUS)] = 1
    """The CPUs of the slowest hosts."""
    cpu_limit: CpuLimit | None = None
    """The CPU quota that stops a hash there."""
    huge_pages: bool = False
    """Whether malloc asks for huge pages there, as the service then must."""
    slowest: _Hosts
    """The hosts that set the cost."""
    hosts: _Hosts
    """The hosts that it is for."""

    def __post_init__(self) -> None:
        check_moment(self.decided)


class Decision(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """The costs that a fleet is set to."""

    schema: int = _SCHEMA_VERSION
    cost: Annotated[tuple[DecidedCost, ...], msgspec.Meta(max_length=MOST)] = ()

    def cost_of(self, hasher: str, implementation: str | None) -> DecidedCost | None:
        """The cost of a hasher by this implementation."""
        for cost in self.cost:
            if (cost.hasher, cost.implementation) == (hasher, implementation):
                return cost
        return None


def load_decision(path: Path) -> Decision:
    """The decision in a file.

    Raises:
        UnreadableInputError: it cannot be read, or is not a decision.
    """
    name = path_name(path)
    content = read_limited(path)
    try:
        table = table_of(content)
        # A newer version may have keys that this one would call wrong.
        schema = table.get("schema")
        if isinstance(schema, int):
            check_schema(schema, _SCHEMA_VERSION, name)
        decision = msgspec.convert(table, Decision)
    except (msgspec.ValidationError, ValueError) as error:
        raise UnreadableInputError(
            f"{name} is not a decision: {printable(str(error))};"
            " `calibrate compare PROFILE... --decision FILE` writes one"
        ) from error
    for cost in decision.cost:
        # Of a hasher that is not built in, any params are its own.
        names = {*COST_NAMES.get(cost.hasher, cost.params)}
        if cost.params.keys() != names or min(cost.params.values(), default=0) <= 0:
            raise UnreadableInputError(
                f"{name} is damaged: {cost.label} cannot have this cost; restore the file"
            )
    return decision


def save_decision(decision: Decision, path: Path) -> None:
    """Save a decision, replacing the file as a whole.

    Raises:
        UnwritableOutputError: it cannot be written.
    """
    import tomli_w  # Most commands write no TOML.

    table = msgspec.to_builtins(decision, builtin_types=(dt.datetime,))
    write_whole(path, (_HEAD + "\n" + tomli_w.dumps(table)).encode())
