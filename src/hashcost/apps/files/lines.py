"""Lines as programs see them: those that end in a backslash go on in the next."""

from __future__ import annotations

from collections.abc import Iterator


def joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Every whole line with the number of its first one."""
    pending: list[str] = []
    start = 1
    for number, line in enumerate(text.splitlines(), 1):
        if not pending:
            start = number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            pending.append(line[:-1])
            continue
        yield start, "".join([*pending, line])
        pending = []
    if pending:
        yield start, "".join(pending)
