"""A decision as TOML: ``decision.toml``, to commit beside what it is applied to."""

import datetime as dt
from pathlib import Path
from typing import Final

import msgspec

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.decision import DECISION_SCHEMA_VERSION, Decision
from hashcost.core.errors import UnreadableInputError
from hashcost.core.text import path_name, printable
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
    for cost in decision.cost:
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
