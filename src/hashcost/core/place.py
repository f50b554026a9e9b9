"""Where in a file something stands."""

import msgspec


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a cost is configured."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        """``path`` or ``path:line``."""
        return self.path if self.line is None else f"{self.path}:{self.line}"
