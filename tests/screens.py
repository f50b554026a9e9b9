"""What a terminal shows of what a program writes, by a terminal emulator."""

import pyte

_NEVER_REACHED = 1000
"""Columns and lines of a terminal on which nothing wraps and nothing scrolls away."""


class Screen:
    """A terminal that has no margin, and remembers how far to the right anything was written.

    So a line that is wider than its terminal shows as one, instead of as two.
    """

    def __init__(self) -> None:
        self._screen = _Written(_NEVER_REACHED, _NEVER_REACHED)
        self._stream = pyte.Stream(self._screen)

    def feed(self, text: str) -> None:
        """Write what a program wrote to its terminal; its driver returns the carriage."""
        self._stream.feed(text.replace("\r\n", "\n").replace("\n", "\r\n"))

    @property
    def lines(self) -> list[str]:
        """The lines that stand there, up to the last with any text."""
        lines = [line.rstrip() for line in self._screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @property
    def widest(self) -> int:
        """Columns of the widest line that ever stood there."""
        return self._screen.widest


class _Written(pyte.Screen):
    widest = 0

    def draw(self, data: str) -> None:
        super().draw(data)
        self.widest = max(self.widest, self.cursor.x)


def shown(text: str) -> Screen:
    """A screen with this text."""
    screen = Screen()
    screen.feed(text)
    return screen


def too_wide(lines: list[str], columns: int) -> list[str]:
    """Lines beyond this width that could break: those that are not a single word."""
    return [line for line in lines if len(line) > columns and len(line.split()) > 1]
