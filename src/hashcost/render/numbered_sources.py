"""Sources below a heading, and a number where a row rests on one of them."""

from __future__ import annotations

from collections.abc import Iterable


class NumberedSources:
    """Gives each source a number, the same to the same one."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._numbers = {source: index for index, source in enumerate(dict.fromkeys(sources), 1)}

    def mark(self, source: str) -> str:
        """The mark of one source, such as ``[1]``."""
        return f"[{self._numbers[source]}]"

    @property
    def lines(self) -> list[str]:
        """Every source behind its mark."""
        return [f"{self.mark(source)} {source}" for source in self._numbers]
