"""Values that a file takes from the environment: ``${NAME}``, ``${NAME:-12}`` and kin."""

from __future__ import annotations

import re
from dataclasses import dataclass

_REFERENCE = re.compile(
    r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_.]*)(?:(?P<by>:?-|:)(?P<default>[^${}]*))?\}"
)


@dataclass(frozen=True)
class FromEnvironment:
    """A reference to a variable; ``default`` is used if it is not set."""

    name: str
    default: str | None

    @property
    def why(self) -> str:
        """Where the value comes from, in words."""
        if self.default is None:
            return f"from the environment's {self.name}, which has no default in the file"
        return f"the default, unless the environment sets {self.name}"


def from_environment(text: str) -> FromEnvironment | None:
    """The reference that a value consists of, or `None` if it is written out.

    ``${NAME:-12}``, ``${NAME-12}`` (shells, Compose) and ``${NAME:12}`` (Spring,
    Elasticsearch) are read alike.
    """
    match = _REFERENCE.fullmatch(text.strip())
    return None if match is None else FromEnvironment(match["name"], match["default"])
