"""A decision as TOML: ``decision.toml``, to commit beside what it is applied to."""

import datetime as dt
from pathlib import Path
from typing import Final

import msgspec

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.decision import DECISION_SCHEMA_VERSION, DecidedCost, Decision
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.core.foreign import path_name
from hashcost.documents.files import read_limited, write_whole
from hashcost.documents.toml_tables import table_of

SUFFIX: Final = ".toml"
_LARGEST_FILE: Final = 4 << 20
_HEAD: Final = """\
# The costs that a fleet is set to; `calibrate emit APP --from FILE` writes them.
# `calibrate compare --decision FILE` keeps each while measuring again does not exclude it.
"""


def load_decision(path: Path) -> Decision:
    """The decision in a file.

    Raises:
        UnreadableInputError: it cannot be read, or is no decision.
    """
    name = path_name(path)
    content = read_limited(path, _LARGEST_FILE)
    try:
        table = table_of(content)
        schema = table.get("schema")
        if isinstance(schema, int) and schema > DECISION_SCHEMA_VERSION:
            raise UnreadableInputError(
                f"{name} has schema {schema}, newer than the {DECISION_SCHEMA_VERSION} this"
                " version knows; upgrade hashcost"
            )
        decision = msgspec.convert(table, Decision)
    except (msgspec.ValidationError, ValueError) as error:
        raise UnreadableInputError(
            f"{name} is not a decision: {printable(str(error))};"
            " `calibrate compare PROFILE... --decision FILE` writes one"
        ) from error
    for each in decision.cost:
        if not _is_possible(each):
            raise UnreadableInputError(
                f"{name} is damaged: {each.label} cannot have this cost; restore the file"
            )
    return decision


def _is_possible(cost: DecidedCost) -> bool:
    low, high = cost.interval_seconds or (cost.time_seconds, cost.time_seconds)
    names = {*COST_NAMES.get(cost.hasher, cost.params)}
    whole = bool(cost.params) and cost.params.keys() == names and min(cost.params.values()) > 0
    texts = [cost.hasher, cost.implementation, cost.implementation_version, cost.why]
    texts += [cost.cpu_model or "", *cost.slowest, *cost.hosts]
    return low <= cost.time_seconds <= high and whole and all(map(str.isprintable, texts))


def save_decision(decision: Decision, path: Path) -> None:
    """Save a decision, replacing the file as a whole.

    Raises:
        UnwritableOutputError: it cannot be written.
    """
    import tomli_w  # Most commands write no TOML.

    table = msgspec.to_builtins(decision, builtin_types=(dt.datetime,))
    write_whole(path, (_HEAD + "\n" + tomli_w.dumps(table)).encode())
